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
	"context"
	"runtime"
	"slices"
	"unsafe"

	"orbitmc/sat"
	"orbitmc/sat/internal/protocol"
)

func init() {
	newMinisat = func() sat.Solver {
		s := &minisat{p: C.minisat_new()}
		runtime.AddCleanup(s, func(p unsafe.Pointer) { C.minisat_delete(p) }, s.p)
		return s
	}
}

// minisat is MiniSat 2.2 (Eén, Sörensson: An extensible SAT-solver, SAT 2003), by cgo against the library
// as Debian packages it (minisat). A group is a literal that is assumed until the group is released.
type minisat struct {
	guard protocol.Guard[C.int]
	p     unsafe.Pointer
	inner []C.int // by variable of the caller, from 1: the variable here
	vars  C.int
	empty bool // a clause is empty, or a core was while no group was open
	core  []sat.Lit
	lits  []C.int // scratch
	stats sat.Stats
}

func (s *minisat) variable() C.int {
	s.vars++
	s.stats.Vars++
	return s.vars
}

func (s *minisat) NewVar() sat.Lit {
	s.inner = append(s.inner, s.variable())
	return s.guard.NewVar()
}

func (s *minisat) translate(l sat.Lit) C.int {
	v := s.inner[l.Var()-1]
	if l.Neg() {
		return -v
	}
	return v
}

func (s *minisat) add(clause []sat.Lit, more ...C.int) {
	s.lits = append(s.lits[:0], more...)
	for _, l := range clause {
		s.lits = append(s.lits, s.translate(l))
	}
	C.minisat_add(s.p, unsafe.SliceData(s.lits), C.int(len(s.lits)))
}

func (s *minisat) Add(clause ...sat.Lit) {
	s.guard.Add(clause)
	s.stats.Clauses++
	s.add(clause)
	s.empty = s.empty || len(clause) == 0
}

func (s *minisat) Group() sat.Group { return s.guard.Open(s.variable()) }

func (s *minisat) AddTo(g sat.Group, clause ...sat.Lit) {
	act := s.guard.AddTo(g, clause)
	s.stats.Clauses++
	s.add(clause, -act)
}

func (s *minisat) Release(g sat.Group) { s.add(nil, -s.guard.Release(g)) }

func (s *minisat) Solve(ctx context.Context, assumptions ...sat.Lit) sat.Status {
	s.guard.Solve(assumptions)
	s.stats.Solves++
	answer := s.solve(ctx, assumptions)
	s.guard.Solved(answer)
	return answer
}

func (s *minisat) solve(ctx context.Context, assumptions []sat.Lit) sat.Status {
	s.core = s.core[:0]
	if s.empty {
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
	told := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		C.minisat_stop(s.p, 1)
		close(told)
	})
	result := C.minisat_solve(s.p, unsafe.SliceData(s.lits), C.int(len(s.lits)))
	if !cancel() {
		<-told
	}
	C.minisat_stop(s.p, 0)
	switch result {
	case 10:
		return sat.Sat
	case 20:
		for _, l := range assumptions {
			if C.minisat_failed(s.p, s.translate(l)) != 0 && !slices.Contains(s.core, l) {
				s.core = append(s.core, l)
			}
		}
		s.empty = len(s.core) == 0 && s.guard.NumLive() == 0
		return sat.Unsat
	}
	return sat.Unknown
}

func (s *minisat) Value(l sat.Lit) bool {
	s.guard.Value(l)
	return C.minisat_value(s.p, s.inner[l.Var()-1]) != 0 != l.Neg()
}

func (s *minisat) Core() []sat.Lit {
	s.guard.Core()
	return slices.Clone(s.core)
}

func (s *minisat) Stats() sat.Stats {
	stats := s.stats
	stats.Conflicts = int64(C.minisat_conflicts(s.p))
	return stats
}
