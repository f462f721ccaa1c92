//go:build race

package sched

import (
	"runtime"
	"unsafe"
)

// Raced says that the race detector runs.
const Raced = true

func raceOff()                      { runtime.RaceDisable() }
func raceOn()                       { runtime.RaceEnable() }
func raceErrors() int               { return runtime.RaceErrors() }
func Acquire(p unsafe.Pointer)      { runtime.RaceAcquire(p) }
func Release(p unsafe.Pointer)      { runtime.RaceRelease(p) }
func ReleaseMerge(p unsafe.Pointer) { runtime.RaceReleaseMerge(p) }

// Read and Write are accesses by which Go models misuse of a WaitGroup.
func Read(p unsafe.Pointer)  { runtime.RaceRead(p) }
func Write(p unsafe.Pointer) { runtime.RaceWrite(p) }
