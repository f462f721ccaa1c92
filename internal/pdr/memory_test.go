package pdr_test

import (
	"context"
	"runtime"
	"testing"

	"orbitmc/internal/pdr"
	"orbitmc/mc"
	"orbitmc/sat"
)

// TestMemory: the limit of memory is seen within a frame. Memory is taken when the
// solver of a frame is made, after the look at the limit before the frame.
func TestMemory(t *testing.T) {
	p := load(t, "german.m", map[string]string{"NODE_NUM": "4"})
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	var ballast []byte
	solvers, frame := 0, 0
	r, err := (&pdr.Engine{Plain: true, NewSolver: func() sat.Solver {
		if solvers++; solvers == 10 { // two belong to no frame
			ballast = make([]byte, 1<<30)
		}
		return newSolver()
	}}).Run(context.Background(), p, mc.Options{
		All: true, MemLimit: int64(m.HeapAlloc) + 1<<29,
		Event: func(e mc.Event) { frame = e.Depth },
	})
	if err != nil || r.Stopped != "memory limit" || r.Open() == 0 || r.Stats.Queries%1000 != 0 || frame != 6 {
		t.Fatalf("%v, %v; frame %d", r, err, frame)
	}
	runtime.KeepAlive(ballast)
}
