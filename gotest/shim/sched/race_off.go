//go:build !race

package sched

import "unsafe"

// Raced says that the race detector runs.
const Raced = false

func raceOff()        {}
func raceOn()         {}
func raceErrors() int { return 0 }

// Acquire, Release and ReleaseMerge tell the race detector of the order that an operation makes.
func Acquire(unsafe.Pointer)      {}
func Release(unsafe.Pointer)      {}
func ReleaseMerge(unsafe.Pointer) {}

// Read and Write are accesses by which Go models misuse of a WaitGroup.
func Read(unsafe.Pointer)  {}
func Write(unsafe.Pointer) {}
