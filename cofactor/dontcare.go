package cofactor

import (
	"context"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
)

// This file decides queries modulo the don't cares of the sets. A state is a care state
// ("matters") if the invariant and W hold in it and no stored set covers it. If canon leads
// to representatives, a care state is also a representative. All other states are don't
// cares.

// known is a set of don't cares, as a solver that excludes them.
type known struct {
	s      *search
	g      *aig.Graph
	state  []aig.Lit
	prover *cnf.Prover
	sets   []*evidence.Circuit
}

// rebuildAt is the number of nodes above which the solver is rebuilt from the sets, without
// the functions of earlier queries.
const rebuildAt = 50_000

// newKnown returns the states that are always don't cares.
func (s *search) newKnown() *known {
	k := &known{s: s}
	k.build()
	return k
}

func (k *known) build() {
	k.g, k.state = aig.New(), nil
	for range k.s.sys.Latches {
		k.state = append(k.state, k.g.Input())
	}
	k.prover = cnf.NewProver(k.g, k.s.NewSolver())
	k.prover.Assert(k.s.matters(k.g, k.state))
	for _, c := range k.sets {
		k.prover.Assert(c.Place(k.g, k.state).Not())
	}
}

// matters returns the predicate of states whose membership in a set matters.
func (s *search) matters(g *aig.Graph, state []aig.Lit) aig.Lit {
	if s.canon != nil {
		return g.And(s.possible(g, state), s.least(g, state))
	}
	return s.possible(g, state)
}

// possible returns an inductive invariant: W, if it may be assumed, and that of the
// care set.
func (s *search) possible(g *aig.Graph, state []aig.Lit) aig.Lit {
	return g.And(s.sys.Place(g, state, s.wellFormed()), s.care.Place(g, state))
}

// exclude adds the states of a set.
func (k *known) exclude(c *evidence.Circuit) {
	k.sets = append(k.sets, c)
	if k.g.Len() > rebuildAt {
		k.build()
		return
	}
	k.prover.Assert(c.Place(k.g, k.state).Not())
}

// differ searches for a care state on which two circuits over the same latches differ.
func (k *known) differ(ctx context.Context, a, b *evidence.Circuit) ([]bool, sat.Status) {
	x := k.g.Xor(a.Place(k.g, k.state), b.Place(k.g, k.state))
	status := k.prover.Solve(ctx, x)
	if status != sat.Sat {
		return nil, status
	}
	return k.read(), status
}

// read returns the state the solver found.
func (k *known) read() []bool { return k.prover.Values(k.state) }
