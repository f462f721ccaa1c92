// Package runtime takes the place of the package of that name in programs under test.
package runtime

import (
	"runtime"

	"orbitmc/gotest/shim/sched"
)

func Gosched() { sched.Gosched() }

func NumGoroutine() int {
	if !sched.On() {
		return runtime.NumGoroutine()
	}
	return sched.Count() + 1 // and that of the test's caller
}

// GOMAXPROCS and NumCPU do not depend on the machine.
func GOMAXPROCS(int) int { return 4 }
func NumCPU() int        { return 4 }

// SetFinalizer and AddCleanup do nothing: their functions would run beside the schedule.
func SetFinalizer(any, any) { sched.Uncontrolled("runtime.SetFinalizer") }

func AddCleanup[T, S any](*T, func(S), S) runtime.Cleanup {
	sched.Uncontrolled("runtime.AddCleanup")
	return runtime.Cleanup{}
}

// GC does nothing: finalizers and weak pointers are not controlled.
func GC() {}
