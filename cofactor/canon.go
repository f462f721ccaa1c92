package cofactor

import (
	"context"
	"math/big"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/mc"
	"orbitmc/rep"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file leads from states to representatives. What is known of a set under
// representatives is which of them are in it; canon(s), in the orbit of s and a
// representative, is in S just if s is in the set that S stands for. It makes an
// exact set of S: the frontier of stepwise search, which successors have to be in,
// and the proof.
//
// A group of few elements has a minimum: each state is compared with all its images.
// Rows of a block are sorted by insertion, with s ≤lex π(s) for the adjacent
// transpositions π as the comparison, the very conjuncts of the predicate. Whether
// the result is a representative is then proved, insertion by insertion: with rows 0
// to i-1 in order, and row i inserted, rows 0 to i are. What is not proved is not used.

// canoniser returns a state in the orbit of state.
type canoniser func(g *aig.Graph, state []aig.Lit) []aig.Lit

const (
	fewElements = 24  // of a group, to take the minimum over
	allElements = 720 // of a group, to write all images of sets
)

// breakSymmetry chooses the permutations to break a group with, and the way into the
// representatives they leave.
func (s *search) breakSymmetry(ctx context.Context, y *ts.Symmetry) error {
	perms, err := rep.Perms(y, rep.Nice)
	if err != nil {
		return err
	}
	var all []*ts.Perm
	if y.Order().Cmp(big.NewInt(allElements)) <= 0 {
		if all, err = rep.Perms(y, rep.All); err != nil {
			return err
		}
	}
	s.perms, s.order = perms, s.p.WordOrder(s.prop)
	s.stats.permutations = len(perms)
	switch {
	case len(all) > 0 && len(all) < fewElements:
		s.perms = all
		s.canon = s.minimum
	default:
		s.canon = s.sorted(y)
	}
	if !s.proveCanon(ctx, y) {
		s.canon, s.close = nil, all
	}
	if s.Stepwise && s.canon == nil && s.close == nil {
		s.perms = nil // the frontier could not be written down
	}
	return nil
}

// lesser returns the lesser of two states.
func (s *search) lesser(g *aig.Graph, a, b []aig.Lit) []aig.Lit {
	x, y := make([]aig.Lit, len(s.order)), make([]aig.Lit, len(s.order))
	for i, l := range s.order {
		x[i], y[i] = a[l], b[l]
	}
	first := rep.Leq(g, x, y)
	out := make([]aig.Lit, len(a))
	for i := range out {
		out[i] = g.Mux(first, a[i], b[i])
	}
	return out
}

// minimum is the least of all images under perms, which are the whole group.
func (s *search) minimum(g *aig.Graph, state []aig.Lit) []aig.Lit {
	least := state
	for _, p := range s.perms {
		least = s.lesser(g, least, ts.ApplyLits(p.Latch, state))
	}
	return least
}

// sorted sorts the rows of each block in turn.
func (s *search) sorted(y *ts.Symmetry) canoniser {
	return func(g *aig.Graph, state []aig.Lit) []aig.Lit {
		for _, b := range y.Blocks {
			for i := range b.Swaps {
				state = s.insert(g, state, b.Swaps[:i+1])
			}
		}
		return state
	}
}

// insert moves the last row of the swaps to its place among those before.
func (s *search) insert(g *aig.Graph, state []aig.Lit, swaps []*ts.Perm) []aig.Lit {
	for j := len(swaps) - 1; j >= 0; j-- {
		state = s.lesser(g, state, ts.ApplyLits(swaps[j].Latch, state))
	}
	return state
}

// proveCanon reports whether canon leads into the representatives.
func (s *search) proveCanon(ctx context.Context, y *ts.Symmetry) bool {
	if len(y.Groups) > 0 || len(y.Blocks) > 1 || len(s.perms) != len(y.Blocks[0].Swaps) {
		c := newCircuit(len(s.sys.Latches))
		p := encode.NewProver(c.G, s.NewSolver())
		p.Assert(placeSystem(c.G, c.Latches, s.sys, s.wellFormed()))
		out := s.canon(c.G, c.Latches)
		return p.Solve(ctx, s.least(c.G, out).Not()) == sat.Unsat
	}
	swaps := y.Blocks[0].Swaps
	for i := range swaps {
		c := newCircuit(len(s.sys.Latches))
		p := encode.NewProver(c.G, s.NewSolver())
		p.Assert(placeSystem(c.G, c.Latches, s.sys, s.wellFormed()))
		before := *s
		before.perms = swaps[:i]
		p.Assert(before.least(c.G, c.Latches))
		out := s.insert(c.G, c.Latches, swaps[:i+1])
		after := *s
		after.perms = swaps[:i+1]
		if p.Solve(ctx, after.least(c.G, out).Not()) != sat.Unsat {
			return false
		}
	}
	return true
}

// placeClosed copies a set into g, made exact on all states.
func (s *search) placeClosed(g *aig.Graph, state []aig.Lit, c *mc.Circuit) aig.Lit {
	if s.canon != nil {
		return place(g, s.canon(g, state), c)
	}
	any := []aig.Lit{place(g, state, c)}
	for _, p := range s.close {
		any = append(any, place(g, ts.ApplyLits(p.Latch, state), c))
	}
	return g.OrN(any)
}

// descend returns a state in the orbit of a state from which no permutation of the
// predicate leads to a lesser one.
func (s *search) descend(state []bool) []bool {
	for i := 0; i < len(s.perms); i++ {
		image := ts.Apply(s.perms[i].Latch, state)
		for _, l := range s.order {
			if state[l] != image[l] {
				if state[l] {
					state, i = image, -1
				}
				break
			}
		}
	}
	return state
}
