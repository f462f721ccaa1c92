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
	"context"
	"runtime"
	"slices"
	"unsafe"

	"orbitmc/sat"
	"orbitmc/sat/internal/protocol"
)

// New returns an empty solver.
var New = func() sat.Solver {
	s := &solver{c: C.ccadical_init(), flag: C.flag()}
	C.watch(s.c, s.flag)
	runtime.AddCleanup(s, func(l library) {
		C.ccadical_release(l.c)
		C.free(l.flag)
	}, library{s.c, s.flag})
	return s
}

// library is what is not the collector's.
type library struct {
	c    *C.CCaDiCaL
	flag unsafe.Pointer // nonzero ends a search
}

// solver implements sat.Solver. It is not safe for concurrent use.
type solver struct {
	guard   protocol.Guard[C.int]
	c       *C.CCaDiCaL
	flag    unsafe.Pointer
	inner   []C.int // by variable of the caller, from 1: the variable here
	vars    C.int
	latched bool
	core    []sat.Lit
	lits    []C.int // scratch
	stats   sat.Stats
}

func (s *solver) variable() C.int {
	s.vars++
	s.stats.Vars++
	return s.vars
}

// NewVar implements sat.Solver.
func (s *solver) NewVar() sat.Lit {
	s.inner = append(s.inner, s.variable())
	return s.guard.NewVar()
}

func (s *solver) translate(l sat.Lit) C.int {
	v := s.inner[l.Var()-1]
	if l.Neg() {
		return -v
	}
	return v
}

func (s *solver) add(clause []sat.Lit, more ...C.int) {
	s.stats.Clauses++
	s.lits = append(s.lits[:0], more...)
	for _, l := range clause {
		s.lits = append(s.lits, s.translate(l))
	}
	C.add(s.c, unsafe.SliceData(s.lits), C.int(len(s.lits)))
}

// Add implements sat.Solver.
func (s *solver) Add(clause ...sat.Lit) {
	s.guard.Add(clause)
	s.add(clause)
	s.latched = s.latched || len(clause) == 0
}

// Group implements sat.Solver.
func (s *solver) Group() sat.Group { return s.guard.Open(s.variable()) }

// AddTo implements sat.Solver.
func (s *solver) AddTo(g sat.Group, clause ...sat.Lit) { s.add(clause, -s.guard.AddTo(g, clause)) }

// Release implements sat.Solver.
func (s *solver) Release(g sat.Group) {
	s.add(nil, -s.guard.Release(g))
	s.stats.Clauses--
}

// Solve implements sat.Solver.
func (s *solver) Solve(ctx context.Context, assumptions ...sat.Lit) sat.Status {
	s.guard.Solve(assumptions)
	s.stats.Solves++
	answer := s.solve(ctx, assumptions)
	s.guard.Solved(answer)
	return answer
}

func (s *solver) solve(ctx context.Context, assumptions []sat.Lit) sat.Status {
	s.core = s.core[:0]
	if s.latched {
		return sat.Unsat
	}
	if ctx.Err() != nil {
		return sat.Unknown
	}
	s.lits = s.lits[:0]
	s.guard.Live(func(act C.int) { s.lits = append(s.lits, act) })
	for _, l := range assumptions {
		s.lits = append(s.lits, s.translate(l))
	}
	C.assume(s.c, unsafe.SliceData(s.lits), C.int(len(s.lits)))
	told := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		C.stop(s.flag, 1)
		close(told)
	})
	result := C.ccadical_solve(s.c)
	if !cancel() {
		<-told
	}
	C.stop(s.flag, 0)
	switch result {
	case 10:
		return sat.Sat
	case 20:
		for _, l := range assumptions {
			if C.ccadical_failed(s.c, s.translate(l)) != 0 && !slices.Contains(s.core, l) {
				s.core = append(s.core, l)
			}
		}
		s.latched = len(s.core) == 0 && s.guard.NumLive() == 0
		return sat.Unsat
	}
	return sat.Unknown
}

// Value implements sat.Solver.
func (s *solver) Value(l sat.Lit) bool {
	s.guard.Value(l)
	return C.ccadical_val(s.c, s.inner[l.Var()-1]) > 0 != l.Neg()
}

// Core implements sat.Solver.
func (s *solver) Core() []sat.Lit {
	s.guard.Core()
	return slices.Clone(s.core)
}

// Stats implements sat.Solver. The library tells no others.
func (s *solver) Stats() sat.Stats { return s.stats }
