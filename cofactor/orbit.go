package cofactor

import (
	"cmp"
	"context"
	"slices"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/internal/lists"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file finds the image of a stored set that contains a given state. The
// unknown is a permutation. Any permutation of a block is a product of adjacent
// transpositions, each made or not, in the order of a bubble sort. For other
// factors it is one element from each transversal, or any element of a group. The
// choices are the leaves of a circuit that computes the image of the state, which
// is a constant. The query asks whether a stored set holds that image.
//
// Under representatives a set is stored simplified, with all other states as
// don't cares, so the images of the stored set may hold anything. Images are
// therefore made of the cofactor before it was simplified, which is right on all
// states, and are then simplified in turn.

// choice is a permutation that is made or not.
type choice struct {
	perm *ts.Perm
	made aig.Lit
}

// network returns the choices of a group, and the literals of the image of state.
// Groups that are known by generators only are left out.
func network(g *aig.Graph, y *ts.Symmetry, state []aig.Lit) ([]choice, []aig.Lit) {
	var cs []choice
	apply := func(p *ts.Perm, made aig.Lit) {
		image := ts.ApplyLits(p.Latch, state)
		for i := range image {
			image[i] = g.Mux(made, image[i], state[i])
		}
		cs, state = append(cs, choice{p, made}), image
	}
	for _, b := range y.Blocks {
		for i := range b.Swaps {
			for j := i; j >= 0; j-- {
				apply(b.Swaps[j], g.Input())
			}
		}
	}
	for _, gr := range y.Groups {
		lists := gr.Transversals
		if gr.Members != nil {
			lists = [][]*ts.Perm{gr.Members}
		}
		for _, list := range lists {
			none := aig.True
			for _, p := range list {
				made := g.And(g.Input(), none) // at most one of a list
				none = g.And(none, made.Not())
				apply(p, made)
			}
		}
	}
	return cs, state
}

// blockImage blocks an image of a stored set that state is in; false if there is
// none.
func (s *search) blockImage(ctx context.Context, state []bool) bool {
	if s.p.Group(s.prop).Trivial() {
		return false
	}
	stored := slices.DeleteFunc(slices.Clone(s.sets), func(x *set) bool { return x.of != nil })
	i, made, moved := s.intoOne(ctx, state, len(stored), func(g *aig.Graph, image []aig.Lit, i int) aig.Lit {
		return s.variant.imaged(s, stored[i]).Place(g, image)
	})
	if i < 0 {
		return false
	}
	x, c := stored[i], evidence.NewCircuit(len(state))
	c.Out = s.variant.imaged(s, x).Place(c.G, ts.Cube(moved).Of(c.Latches))
	if x.exact != nil {
		c = s.simplify(ctx, c, s.known)
	}
	y := &set{c: compact(c), depth: s.depth, of: x}
	for _, p := range slices.Backward(made) { // what was made of state, undone
		y.by = append(y.by, s.inverse(p))
	}
	s.add(y)
	s.stats.images++
	return true
}

// intoOne looks for a permutation that maps a state into one of n sets. It returns the first such set, -1 if there is
// none, the choices that are made, in order, and their origins. in says whether an image is in a set.
func (s *search) intoOne(ctx context.Context, state []bool, n int, in func(g *aig.Graph, image []aig.Lit, i int) aig.Lit) (i int, made []*ts.Perm, from []ts.Lit) {
	g := aig.New()
	lits := lists.Map(state, func(b bool) aig.Lit { return aig.False.NotIf(b) })
	choices, image := network(g, s.p.Group(s.prop), lits)
	holds := lists.Make(n, func(i int) aig.Lit { return in(g, image, i) })
	p := cnf.NewProver(g, s.NewSolver())
	if p.Solve(ctx, g.OrN(holds)) != sat.Sat {
		return -1, nil, nil
	}
	for _, c := range choices {
		if p.Value(c.made) {
			made = append(made, c.perm)
		}
	}
	return slices.IndexFunc(holds, p.Value), made, origins(made, len(state))
}

// imaged returns what images of a set are made of.
func (s *search) imaged(x *set) *evidence.Circuit {
	return cmp.Or(x.exact, x.c)
}

// inverse returns the inverse of a permutation, the same each time.
func (s *search) inverse(p *ts.Perm) *ts.Perm {
	if p.Equal(p.Inverse()) {
		return p
	}
	return lists.Memo(s.inverses, p, (*ts.Perm).Inverse)
}

// origins tells, for a product of permutations of n latches, which bit comes to each place:
// that at origins[i]>>1, negated if odd.
func origins(made []*ts.Perm, n int) []ts.Lit {
	from := lists.Make(n, func(i int) ts.Lit { return ts.MkLit(i, false) })
	for _, p := range made {
		next := make([]ts.Lit, n)
		for i, l := range p.Latch {
			next[l>>1] = from[i] ^ l&1
		}
		from = next
	}
	return from
}
