package cofactor

import (
	"context"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
)

// This file chooses the inputs to cofactor F by, so that the set gets large and its
// circuit small.
//
// Greedy: a solution gives a state and inputs that lead from it to a violation.
// The next solution outside the cofactor gives another state. If common inputs do
// for both states, they are better. The states are constants in this query, so it
// is about inputs only and easy. A state without common inputs is the next
// solution to cofactor.
//
// Inputs that do not matter to these states, and those that occur rarely, could be left
// open and merged, F(x=0) ∨ F(x=1). That does not pay (docs/decisions.md).

const (
	maxPool   = 6 // states that one set of inputs is to do for
	maxMisses = 2 // states in a row that no common inputs were found for
)

// minterm returns a set of states that lead to a violation, with the inputs that do
// it. It holds the state of x, which is a solution of f.
func (s *search) minterm(ctx context.Context, x *solution) *set {
	inputs := x.inputs
	if s.uses(Greedy) {
		inputs = s.widen(ctx, x)
	}
	return &set{c: s.cofactor(inputs), inputs: inputs}
}

// widen looks for inputs that do for several states that are not covered.
func (s *search) widen(ctx context.Context, x *solution) (inputs []bool) {
	g := aig.New()
	var in []aig.Lit
	for range s.inputs {
		in = append(in, g.Input())
	}
	fixed := func(state []bool) aig.Lit { return s.cofactorState(state).Place(g, in) }
	inputs = x.inputs
	prover := cnf.NewProver(g, s.NewSolver())
	prover.Assert(fixed(x.state))
	pool, misses := 1, 0
	for pool < maxPool && misses < maxMisses {
		c := s.cofactor(inputs)
		group := s.solver.Group()
		not := c.Place(s.frames.Graph(), s.frames.Latches(0)).Not()
		s.solver.AddTo(group, s.cnf.Implied(not))
		y, status := s.solve(ctx)
		s.solver.Release(group)
		if status != sat.Sat {
			break // c covers all that is left
		}
		f := fixed(y.state)
		if prover.Solve(ctx, f) != sat.Sat {
			s.pending = y
			misses++
			continue
		}
		inputs = prover.Values(in)
		prover.Assert(f)
		pool++
		misses = 0
	}
	return inputs
}

// cofactorState returns F in a state, as a circuit over the inputs.
func (s *search) cofactorState(state []bool) *evidence.Circuit {
	c := evidence.NewCircuit(len(s.inputs))
	k := aig.NewCopier(c.G, s.frames.Graph())
	for i, l := range s.frames.Latches(0) {
		k.Set(l.Node(), aig.False.NotIf(state[i]))
	}
	for i, n := range s.inputs {
		k.Set(n, c.Latches[i])
	}
	c.Out = k.Copy(s.f)
	return c
}

// cofactor returns F with the inputs replaced by their values.
func (s *search) cofactor(inputs []bool) *evidence.Circuit {
	c := evidence.NewCircuit(len(s.sys.Latches))
	k := aig.NewCopier(c.G, s.frames.Graph())
	for i, l := range s.frames.Latches(0) {
		k.Set(l.Node(), c.Latches[i])
	}
	for i, n := range s.inputs {
		k.Set(n, aig.False.NotIf(inputs[i]))
	}
	c.Out = k.Copy(s.f)
	return compact(c)
}
