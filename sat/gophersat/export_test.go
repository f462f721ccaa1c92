package gophersat

import (
	"context"
	"fmt"

	"orbitmc/internal/protocol"
	"orbitmc/sat"
)

// Solver implements sat.Solver by a Check of all clauses in every Solve, for
// tests that want another opinion on the same calls. Cores are all assumptions.
// It is not safe for concurrent use.
type Solver struct {
	guard   protocol.Guard[*clauses]
	fixed   clauses // outside all groups
	model   []bool
	core    []sat.Lit
	latched bool
	stats   sat.Stats
}

type clauses [][]sat.Lit

func (c *clauses) add(clause []sat.Lit) { *c = append(*c, append([]sat.Lit{}, clause...)) }

// New returns an empty solver.
func New() *Solver { return &Solver{} }

// NewVar implements sat.Solver.
func (s *Solver) NewVar() sat.Lit {
	s.stats.Vars++
	return s.guard.NewVar()
}

// Add implements sat.Solver.
func (s *Solver) Add(clause ...sat.Lit) {
	s.guard.Add(clause)
	s.stats.Clauses++
	s.fixed.add(clause)
	s.latched = s.latched || len(clause) == 0
}

// Group implements sat.Solver.
func (s *Solver) Group() sat.Group { return s.guard.Open(&clauses{}) }

// AddTo implements sat.Solver.
func (s *Solver) AddTo(g sat.Group, clause ...sat.Lit) {
	s.guard.AddTo(g, clause).add(clause)
	s.stats.Clauses++
}

// Release implements sat.Solver.
func (s *Solver) Release(g sat.Group) { s.guard.Release(g) }

// Solve implements sat.Solver. It panics if the library answers wrongly.
func (s *Solver) Solve(ctx context.Context, assumptions ...sat.Lit) sat.Status {
	s.guard.Solve(assumptions)
	s.stats.Solves++
	answer := s.solve(ctx, assumptions)
	s.guard.Solved(answer)
	return answer
}

func (s *Solver) solve(ctx context.Context, assumptions []sat.Lit) sat.Status {
	s.core = s.core[:0]
	if s.latched {
		return sat.Unsat
	}
	f := &sat.CNF{NumVars: s.guard.Vars(), Clauses: append([][]sat.Lit{}, s.fixed...)}
	s.guard.Live(func(c *clauses) { f.Clauses = append(f.Clauses, *c...) })
	answer, err := Check(ctx, f, assumptions...)
	if err != nil {
		if ctx.Err() == nil {
			panic(fmt.Sprintf("sat: %v", err))
		}
		return sat.Unknown
	}
	s.model = answer.Model
	if answer.Status == sat.Unsat {
		seen := map[sat.Lit]bool{}
		for _, a := range assumptions {
			if !seen[a] {
				seen[a] = true
				s.core = append(s.core, a)
			}
		}
		s.latched = len(assumptions) == 0 && s.guard.NumLive() == 0
	}
	return answer.Status
}

// Value implements sat.Solver.
func (s *Solver) Value(l sat.Lit) bool {
	s.guard.Value(l)
	return s.model[l.Var()] != l.Neg()
}

// Core implements sat.Solver.
func (s *Solver) Core() []sat.Lit {
	s.guard.Core()
	return append([]sat.Lit(nil), s.core...)
}

// Stats implements sat.Solver.
func (s *Solver) Stats() sat.Stats { return s.stats }
