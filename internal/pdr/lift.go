package pdr

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/internal/ternary"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file lifts states: of a state that steps to a target it finds a cube of which every state does, with the same
// inputs.
//
// Three values do that on a netlist (Eén, Mishchenko, Brayton). Latches become unknown one after the other, as long as the
// target is met whatever they are. Those that lemmas hardly use are first, so that cubes have literals of lemmas, and
// lemmas block them. A query (Chockler, Ivrii, Matsliah, Moran, Nevo: Incremental formal verification of hardware,
// FMCAD 2011) does it on models: it knows that states are well-formed, three values do not.
// docs/decisions.md has the figures.

// goal returns what is to hold after a step to target or, if target is nil, bad: the constraints, too.
func (s *search) goal(target ts.Cube, bad aig.Lit) []aig.Lit {
	roots := []aig.Lit{s.constraint}
	if target == nil {
		roots = append(roots, bad)
	}
	for _, l := range target {
		roots = append(roots, l.Of(s.trans.Latches(1)))
	}
	return slices.DeleteFunc(roots, func(r aig.Lit) bool { return r == aig.True })
}

// lift returns a cube that contains the state of p. From each of its states, with the inputs of p,
// the constraints hold and the step leads to target or, if target is nil, bad holds.
func (s *search) lift(ctx context.Context, p *point, target ts.Cube, bad aig.Lit) (ts.Cube, error) {
	return s.variant.lift(s, ctx, p, s.variant.goal(s, target, bad))
}

// lifted lifts by a query where well-formedness says something.
func (s *search) lifted(ctx context.Context, p *point, roots []aig.Lit) (ts.Cube, error) {
	if s.p.WellFormed && s.trans.W(0) != aig.True {
		return s.liftByQuery(ctx, p, roots)
	}
	return s.liftByValues(ctx, p, roots)
}

// errNoStep is an internal error.
var errNoStep = errors.New("internal error: a step does not lead where it was found to lead")

func (s *search) liftByValues(_ context.Context, p *point, roots []aig.Lit) (ts.Cube, error) {
	if s.values == nil {
		s.values = ternary.New(s.trans.Graph())
	}
	var latches []ts.Lit
	for _, n := range s.support(roots) {
		if n.latch {
			in := p.state.has(n.i)
			latches = append(latches, ts.MkLit(n.i, !in))
			s.values.Set(s.trans.Latches(0)[n.i].Node(), ternary.Of(in))
		} else {
			s.values.Set(s.trans.Inputs(0)[n.i].Node(), ternary.Of(p.inputs.has(n.i)))
		}
	}
	s.values.Keep(roots)
	if slices.ContainsFunc(roots, func(r aig.Lit) bool { return s.values.Value(r) != ternary.True }) {
		return nil, errNoStep
	}
	slices.SortStableFunc(latches, func(a, b ts.Lit) int { return cmp.Compare(s.activity[a], s.activity[b]) })
	c := ts.Cube(slices.DeleteFunc(latches, func(l ts.Lit) bool {
		return s.values.Forget(s.trans.Latches(0)[l.Index()].Node())
	}))
	slices.Sort(c)
	return c, nil
}

// liftSolver returns a solver for steps from any state. It does not assert the constraints: they are
// part of the goal.
func (s *search) liftSolver() *solver {
	solver := s.newSolver(s.trans)
	if s.p.WellFormed {
		solver.cnf.Assert(s.trans.W(0))
	}
	return solver
}

func (s *search) liftByQuery(ctx context.Context, p *point, roots []aig.Lit) (ts.Cube, error) {
	if s.lifter == nil {
		s.lifter = s.liftSolver()
	}
	solver := s.lifter
	group := solver.s.Group()
	defer solver.s.Release(group)
	solver.s.AddTo(group, lists.Map(roots, func(r aig.Lit) sat.Lit { return solver.cnf.Implied(r.Not()) })...)
	var assumptions []sat.Lit
	var of []ts.Lit
	for _, n := range s.support(roots) {
		if n.latch {
			l := ts.MkLit(n.i, !p.state.has(n.i))
			assumptions = append(assumptions, solver.state(l))
			of = append(of, l)
		} else {
			in := solver.cnf.Lit(s.trans.Inputs(0)[n.i])
			if !p.inputs.has(n.i) {
				in = in.Not()
			}
			assumptions = append(assumptions, in)
			of = append(of, -1)
		}
	}
	s.stats.Queries++
	s.focus(solver, nil, roots...)
	switch solver.s.Solve(ctx, assumptions...) {
	case sat.Unknown:
		return nil, errStopped
	case sat.Sat:
		return nil, errNoStep
	}
	in := solver.core()
	c := ts.Cube{}
	for k, l := range of {
		if l >= 0 && in[assumptions[k]] {
			c = append(c, l)
		}
	}
	slices.Sort(c)
	return c, nil
}

// support returns the latches and inputs that roots depend on, by node.
func (s *search) support(roots []aig.Lit) []leaf {
	in := newBitset(len(s.leaves)) // of nodes
	for _, r := range roots {
		r &^= 1
		nodes, ok := s.supports[r]
		if !ok {
			for _, n := range s.trans.Graph().Support([]aig.Lit{r}) {
				nodes = append(nodes, int32(n))
			}
			s.supports[r] = nodes
		}
		for _, n := range nodes {
			in.add(int(n))
		}
	}
	var out []leaf
	for i, w := range in {
		for ; w != 0; w &= w - 1 {
			out = append(out, s.leaves[i*64+bits.TrailingZeros64(w)])
		}
	}
	return out
}
