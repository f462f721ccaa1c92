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

func (b *backend) variable(outer sat.Lit) sat.Lit {
	b.outer = append(b.outer, outer)
	b.stats.Vars++
	return b.Solver.NewVar()
}

func (b *backend) NewVar() sat.Lit {
	l := b.guard.NewVar()
	b.inner = append(b.inner, b.variable(l))
	return l
}

func (b *backend) translate(clause []sat.Lit) (lits []sat.Lit) {
	for _, l := range clause {
		lits = append(lits, b.inner[l.Var()]^l&1)
	}
	return lits
}

func (b *backend) Add(clause ...sat.Lit) {
	b.guard.Add(clause)
	b.stats.Clauses++
	b.Solver.Add(b.translate(clause)...)
}

func (b *backend) Group() sat.Group {
	act := b.variable(0)
	return b.guard.Open(act)
}

func (b *backend) AddTo(g sat.Group, clause ...sat.Lit) {
	act := b.guard.AddTo(g, clause)
	b.stats.Clauses++
	b.Solver.Add(append(b.translate(clause), act.Not())...)
}

func (b *backend) Release(g sat.Group) { b.Solver.Add(b.guard.Release(g).Not()) }

func (b *backend) Solve(ctx context.Context, assumptions ...sat.Lit) sat.Status {
	b.guard.Solve(assumptions)
	b.stats.Solves++
	assumed := b.translate(assumptions)
	b.guard.Live(func(act sat.Lit) { assumed = append(assumed, act) })
	answer, err := b.Solver.Solve(ctx, assumed...)
	if err != nil && ctx.Err() == nil {
		panic(err)
	}
	b.core = b.core[:0]
	if answer == sat.Unsat && !b.check.Refuted() {
		for _, l := range b.check.lemma {
			if o := b.outer[l.Var()]; o != 0 {
				b.core = append(b.core, o^l.Not()&1)
			}
		}
	}
	b.guard.Solved(answer)
	return answer
}

func (b *backend) Value(l sat.Lit) bool {
	b.guard.Value(l)
	return b.Solver.Value(b.inner[l.Var()] ^ l&1)
}

func (b *backend) Core() []sat.Lit {
	b.guard.Core()
	return append([]sat.Lit(nil), b.core...)
}

func (b *backend) Stats() sat.Stats {
	x := b.search.Stats()
	x.Vars, x.Clauses, x.Solves = b.stats.Vars, b.stats.Clauses, b.stats.Solves
	return x
}
