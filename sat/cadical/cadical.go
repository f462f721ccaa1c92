//go:build cadical

package cadical

// #cgo LDFLAGS: -lcadical -lstdc++ -lm
// #include <ccadical.h>
// #include <stdatomic.h>
// #include <stdlib.h>
//
// static int stopped(void *flag) { return atomic_load((atomic_int *) flag); }
// static void watch(CCaDiCaL *s, void *flag) { ccadical_set_terminate(s, flag, stopped); }
// static void stop(void *flag, int on) { atomic_store((atomic_int *) flag, on); }
// static void *flag(void) { return calloc(1, sizeof(atomic_int)); }
// static void add(CCaDiCaL *s, const int *lits, int n) {
//   for (int i = 0; i < n; i++) ccadical_add(s, lits[i]);
//   ccadical_add(s, 0);
// }
// static void assume(CCaDiCaL *s, const int *lits, int n) {
//   for (int i = 0; i < n; i++) ccadical_assume(s, lits[i]);
// }
import "C"

import (
	"runtime"
	"unsafe"

	"orbitmc/internal/ipasir"
	"orbitmc/sat"
)

// New returns an empty solver.
var New = func() sat.Solver {
	l := &library{C.ccadical_init(), C.flag()}
	C.watch(l.solver, l.flag)
	runtime.AddCleanup(l, func(l library) {
		C.ccadical_release(l.solver)
		C.free(l.flag)
	}, *l)
	return ipasir.New(l)
}

// library implements ipasir.Library.
type library struct {
	solver *C.CCaDiCaL
	flag   unsafe.Pointer // nonzero ends a search
}

func (l *library) Add(clause []int32) {
	C.add(l.solver, (*C.int)(unsafe.SliceData(clause)), C.int(len(clause)))
}

func (l *library) Solve(assumptions []int32) int {
	C.assume(l.solver, (*C.int)(unsafe.SliceData(assumptions)), C.int(len(assumptions)))
	return int(C.ccadical_solve(l.solver))
}

func (l *library) Stop(on bool) {
	if on {
		C.stop(l.flag, 1)
	} else {
		C.stop(l.flag, 0)
	}
}

func (l *library) Value(v int32) bool { return C.ccadical_val(l.solver, C.int(v)) > 0 }

func (l *library) Failed(lit int32) bool { return C.ccadical_failed(l.solver, C.int(lit)) != 0 }
