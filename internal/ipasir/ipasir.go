// Package ipasir makes a sat.Solver of a library with the usual incremental interface (IPASIR; Balyo, Biere, Iser,
// Sinz: SAT Race 2015, Artificial Intelligence 241, 2016). Such a library knows variables, clauses
// and assumptions. A group is a literal that is assumed until the group is released, and a clause
// that it is false from then on. Libraries recycle nothing, so releases cost a variable each.
package ipasir

import (
	"context"
	"slices"

	"orbitmc/internal/protocol"
	"orbitmc/sat"
)

// Library is a solver by cgo. Literals are those of DIMACS. Stop may be called during Solve, and no other method.
type Library interface {
	Add(clause []int32)
	Solve(assumptions []int32) int // 10: satisfiable, 20: unsatisfiable, else stopped
	Stop(on bool)                  // on: Solve ends soon, until it is off again
	Value(v int32) bool            // of a variable, after 10
	Failed(l int32) bool           // whether an assumption is in the core, after 20
}

// Solver implements sat.Solver. It is not safe for concurrent use.
type Solver struct {
	lib   Library
	guard protocol.Guard[int32]
	inner []int32 // by variable of the caller, from 1: the variable of the library
	vars  int32   // of the library
	unsat bool    // for good: a clause is empty, or a core was while no group was open
	core  []sat.Lit
	lits  []int32 // scratch
	stats sat.Stats
}

// New returns a solver of an empty library.
func New(lib Library) *Solver { return &Solver{lib: lib} }

func (s *Solver) variable() int32 {
	s.vars++
	s.stats.Vars++
	return s.vars
}

// NewVar implements sat.Solver.
func (s *Solver) NewVar() sat.Lit {
	s.inner = append(s.inner, s.variable())
	return s.guard.NewVar()
}

func (s *Solver) translate(l sat.Lit) int32 {
	v := s.inner[l.Var()-1]
	if l.Neg() {
		return -v
	}
	return v
}

func (s *Solver) add(clause []sat.Lit, more ...int32) {
	s.stats.Clauses++
	s.lits = append(s.lits[:0], more...)
	for _, l := range clause {
		s.lits = append(s.lits, s.translate(l))
	}
	s.lib.Add(s.lits)
}

// Add implements sat.Solver.
func (s *Solver) Add(clause ...sat.Lit) {
	s.guard.Add(clause)
	s.add(clause)
	s.unsat = s.unsat || len(clause) == 0
}

// Group implements sat.Solver.
func (s *Solver) Group() sat.Group { return s.guard.Open(s.variable()) }

// AddTo implements sat.Solver.
func (s *Solver) AddTo(g sat.Group, clause ...sat.Lit) { s.add(clause, -s.guard.AddTo(g, clause)) }

// Release implements sat.Solver.
func (s *Solver) Release(g sat.Group) { s.lib.Add([]int32{-s.guard.Release(g)}) }

// Solve implements sat.Solver.
func (s *Solver) Solve(ctx context.Context, assumptions ...sat.Lit) sat.Status {
	s.guard.Solve(assumptions)
	s.stats.Solves++
	answer := s.solve(ctx, assumptions)
	s.guard.Solved(answer)
	return answer
}

func (s *Solver) solve(ctx context.Context, assumptions []sat.Lit) sat.Status {
	s.core = s.core[:0]
	if s.unsat {
		return sat.Unsat
	}
	if ctx.Err() != nil {
		return sat.Unknown
	}
	s.lits = s.lits[:0]
	s.guard.Live(func(group int32) { s.lits = append(s.lits, group) })
	for _, l := range assumptions {
		s.lits = append(s.lits, s.translate(l))
	}
	stopped := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		s.lib.Stop(true)
		close(stopped)
	})
	result := s.lib.Solve(s.lits)
	if !cancel() {
		<-stopped
	}
	s.lib.Stop(false)
	switch result {
	case 10:
		return sat.Sat
	case 20:
		for _, l := range assumptions {
			if s.lib.Failed(s.translate(l)) && !slices.Contains(s.core, l) {
				s.core = append(s.core, l)
			}
		}
		s.unsat = len(s.core) == 0 && s.guard.NumLive() == 0
		return sat.Unsat
	}
	return sat.Unknown
}

// Value implements sat.Solver.
func (s *Solver) Value(l sat.Lit) bool {
	s.guard.Value(l)
	return s.lib.Value(s.inner[l.Var()-1]) != l.Neg()
}

// Core implements sat.Solver.
func (s *Solver) Core() []sat.Lit {
	s.guard.Core()
	return slices.Clone(s.core)
}

// Stats implements sat.Solver, without what the library alone knows.
func (s *Solver) Stats() sat.Stats { return s.stats }
