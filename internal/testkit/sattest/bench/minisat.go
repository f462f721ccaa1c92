//go:build minisat

package bench

// #cgo CXXFLAGS: -O2
// #cgo LDFLAGS: -lminisat -lstdc++
// void *minisat_new();
// void minisat_delete(void *);
// void minisat_stop(void *, int);
// void minisat_add(void *, const int *, int);
// int minisat_solve(void *, const int *, int);
// int minisat_value(void *, int);
// int minisat_failed(void *, int);
// long minisat_conflicts(void *);
import "C"

import (
	"runtime"
	"unsafe"

	"orbitmc/internal/ipasir"
	"orbitmc/sat"
)

func init() {
	newMinisat = func() sat.Solver {
		l := &minisatLibrary{C.minisat_new()}
		runtime.AddCleanup(l, func(p unsafe.Pointer) { C.minisat_delete(p) }, l.p)
		return &minisat{ipasir.New(l), l}
	}
}

// minisat is MiniSat 2.2 (Eén, Sörensson: An extensible SAT-solver, SAT 2003), by cgo against the library
// as Debian packages it (minisat).
type minisat struct {
	*ipasir.Solver
	lib *minisatLibrary
}

func (m *minisat) Stats() sat.Stats {
	stats := m.Solver.Stats()
	stats.Conflicts = int64(C.minisat_conflicts(m.lib.p))
	return stats
}

// minisatLibrary implements ipasir.Library.
type minisatLibrary struct{ p unsafe.Pointer }

func (l *minisatLibrary) Add(clause []int32) {
	C.minisat_add(l.p, (*C.int)(unsafe.SliceData(clause)), C.int(len(clause)))
}

func (l *minisatLibrary) Solve(assumptions []int32) int {
	return int(C.minisat_solve(l.p, (*C.int)(unsafe.SliceData(assumptions)), C.int(len(assumptions))))
}

func (l *minisatLibrary) Stop(on bool) {
	if on {
		C.minisat_stop(l.p, 1)
	} else {
		C.minisat_stop(l.p, 0)
	}
}

func (l *minisatLibrary) Value(v int32) bool { return C.minisat_value(l.p, C.int(v)) != 0 }

func (l *minisatLibrary) Failed(lit int32) bool { return C.minisat_failed(l.p, C.int(lit)) != 0 }
