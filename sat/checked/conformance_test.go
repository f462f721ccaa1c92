package checked

import (
	"context"
	"testing"

	"orbitmc/internal/protocol"
	"orbitmc/internal/testkit/sattest"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
)

// The conformance kit passes, and each lemma of each refutation is confirmed.
func TestConformance(t *testing.T) {
	var lemmas, hints int
	sattest.Run(t, "checked", func() sat.Solver {
		s := &backend{Solver: New(), inner: make([]sat.Lit, 1), outer: make([]sat.Lit, 1)}
		s.steps = func(n int) { lemmas++; hints += n }
		s.search = cdcl.NewLogged(&counting{s})
		return s
	})
	t.Logf("%d lemmas, %d hints", lemmas, hints)
	if lemmas < 10000 {
		t.Error("too few lemmas")
	}
}

// backend makes a back end of a Solver: a group is a literal that is assumed until it is
// released.
type backend struct {
	*Solver
	guard        protocol.Guard[sat.Lit]
	inner, outer []sat.Lit // by variable: the positive literal of the other side
	core         []sat.Lit
	stats        sat.Stats
	steps        func(hints int)
}

// counting is the log of a backend.
type counting struct{ *backend }

func (c *counting) Learn(number uint32, clause []sat.Lit, hints []uint32) {
	c.steps(len(hints))
	c.check.Learn(number, clause, hints)
}

func (c *counting) Delete(number uint32) { c.check.Delete(number) }

func (s *backend) variable(outer sat.Lit) sat.Lit {
	s.outer = append(s.outer, outer)
	s.stats.Vars++
	return s.Solver.NewVar()
}

func (s *backend) NewVar() sat.Lit {
	l := s.guard.NewVar()
	s.inner = append(s.inner, s.variable(l))
	return l
}

func (s *backend) translate(clause []sat.Lit) (lits []sat.Lit) {
	for _, l := range clause {
		lits = append(lits, s.inner[l.Var()]^l&1)
	}
	return lits
}

func (s *backend) Add(clause ...sat.Lit) {
	s.guard.Add(clause)
	s.stats.Clauses++
	s.Solver.Add(s.translate(clause)...)
}

func (s *backend) Group() sat.Group {
	act := s.variable(0)
	return s.guard.Open(act)
}

func (s *backend) AddTo(g sat.Group, clause ...sat.Lit) {
	act := s.guard.AddTo(g, clause)
	s.stats.Clauses++
	s.Solver.Add(append(s.translate(clause), act.Not())...)
}

func (s *backend) Release(g sat.Group) { s.Solver.Add(s.guard.Release(g).Not()) }

func (s *backend) Solve(ctx context.Context, assumptions ...sat.Lit) sat.Status {
	s.guard.Solve(assumptions)
	s.stats.Solves++
	assumed := s.translate(assumptions)
	s.guard.Live(func(act sat.Lit) { assumed = append(assumed, act) })
	answer, err := s.Solver.Solve(ctx, assumed...)
	if err != nil && ctx.Err() == nil {
		panic(err)
	}
	s.core = s.core[:0]
	if answer == sat.Unsat && !s.check.Refuted() {
		for _, l := range s.check.lemma {
			if o := s.outer[l.Var()]; o != 0 {
				s.core = append(s.core, o^l.Not()&1)
			}
		}
	}
	s.guard.Solved(answer)
	return answer
}

func (s *backend) Value(l sat.Lit) bool {
	s.guard.Value(l)
	return s.Solver.Value(s.inner[l.Var()] ^ l&1)
}

func (s *backend) Core() []sat.Lit {
	s.guard.Core()
	return append([]sat.Lit(nil), s.core...)
}

func (s *backend) Stats() sat.Stats {
	x := s.search.Stats()
	x.Vars, x.Clauses, x.Solves = s.stats.Vars, s.stats.Clauses, s.stats.Solves
	return x
}
