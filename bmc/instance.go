package bmc

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/disjoint"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file reduces a quantified property to one instance.
//
// The violation of "for all i: P(i)" is a disjunction of ¬P(1), ¬P(2), …, beside
// conjuncts that do not depend on i. If the group takes each disjunct to each
// other, any violation has an image that violates the first instance, so it
// suffices to search for violations of that one. The group shrinks to the stabiliser of the
// instance: the permutations that keep it. A property whose instances lie in
// several orbits has one query for all of them (docs/decisions.md).
//
// The structure of the instances, in n-ary normal form, shows that the group
// permutes them. That its elements are automorphisms was verified before.

// instances writes a predicate of the system as a conjunction, one conjunct of which is a
// disjunction of several. It returns these, and the other conjuncts; nil if there is no such conjunct. Of
// several disjunctions it is the one of most disjuncts.
func instances(g *aig.Graph, bad aig.Lit) (each, common []aig.Lit) {
	conjuncts := g.Conjuncts(bad, nil, nil)
	at := -1
	for i, c := range conjuncts {
		if c.Neg() && g.IsAnd(c.Node()) {
			if ds := g.Conjuncts(c.Not(), nil, nil); len(ds) > len(each) {
				at, each = i, ds
			}
		}
	}
	if at < 0 {
		return nil, nil
	}
	for i := range each {
		each[i] = each[i].Not()
	}
	return each, slices.Delete(conjuncts, at, at+1)
}

// oneInstance returns an instance of a predicate, as a conjunction, if the
// generators take each instance to each other and there are several, and those of
// perms that keep it. The graph of the system is not changed.
func oneInstance(sys *ts.System, bad aig.Lit, y *ts.Symmetry, perms []*ts.Perm) (instance []aig.Lit, kept []*ts.Perm, ok bool) {
	each, common := instances(sys.G, bad)
	if len(each) < 2 {
		return nil, nil, false
	}
	n := newNormal(sys, each, common)
	number := make(map[aig.Lit]int)
	own := n.images(nil, len(each))
	for i, l := range own {
		number[l] = i
	}
	orbit, orbits := disjoint.New[int](len(each)), len(each)
	for _, p := range y.Generators() {
		for i, l := range n.images(p, len(each)) {
			if j, ok := number[l]; ok && orbit.Join(i, j) {
				orbits--
			}
		}
	}
	if orbits > 1 {
		return nil, nil, false
	}
	kept = lists.Where(perms, func(p *ts.Perm) bool { return n.images(p, 1)[0] == own[0] })
	return append([]aig.Lit{each[0]}, common...), kept, true
}

// normal holds images of instances in n-ary normal form.
type normal struct {
	g      *aig.Graph
	latch  []aig.Lit   // by latch
	input  []aig.Lit   // by input
	number map[int]int // by leaf of cone: latch i, or ^i for input i

	cone         *aig.Graph // of the instances alone, as a system is much larger
	each, common []aig.Lit  // of cone
	leaves       []int      // of cone that the instances depend on

	same, image *aig.Copier // from cone to g: as it is, and under a permutation
	moved       []bool      // by node of cone: it depends on a leaf that the permutation moves
}

func newNormal(sys *ts.System, each, common []aig.Lit) *normal {
	n := &normal{g: aig.New(), number: make(map[int]int), cone: aig.New()}
	c := aig.NewCopier(n.cone, sys.G)
	for i, l := range sys.Latches {
		n.latch = append(n.latch, n.g.Input())
		leaf := n.cone.Input()
		n.number[leaf.Node()] = i
		c.Set(l.Node, leaf)
	}
	for i, s := range sys.Inputs {
		n.input = append(n.input, n.g.Input())
		leaf := n.cone.Input()
		n.number[leaf.Node()] = ^i
		c.Set(s.Node, leaf)
	}
	n.each, n.common = lists.Map(each, c.Copy), lists.Map(common, c.Copy)
	roots := slices.Concat(n.each, n.common)
	n.leaves = n.cone.Support(roots)
	n.same, n.image = aig.NewNaryCopier(n.g, n.cone, roots), aig.NewNaryCopier(n.g, n.cone, roots)
	for _, leaf := range n.leaves {
		n.same.Set(leaf, n.under(nil, leaf))
	}
	n.moved = make([]bool, n.cone.Len())
	return n
}

// under returns the image of a leaf of cone; nil is the identity.
func (n *normal) under(p *ts.Perm, leaf int) aig.Lit {
	i := n.number[leaf]
	switch {
	case i >= 0 && p == nil:
		return n.latch[i]
	case i >= 0:
		return p.Latch[i].Of(n.latch)
	case p == nil:
		return n.input[^i]
	}
	return p.Input[^i].Of(n.input)
}

// images returns the first instances under a permutation; nil is the identity. It copies only what the permutation
// moves.
func (n *normal) images(p *ts.Perm, first int) []aig.Lit {
	c := n.same
	if p != nil {
		c = n.image
		c.Reset()
		for _, leaf := range n.leaves {
			to := n.under(p, leaf)
			n.moved[leaf] = to != n.same.Copy(aig.MkLit(leaf, false))
			if n.moved[leaf] {
				c.Set(leaf, to)
			}
		}
		for i := range n.moved {
			if n.cone.IsAnd(i) {
				a, b := n.cone.Fanins(i)
				n.moved[i] = n.moved[a.Node()] || n.moved[b.Node()]
			}
		}
		c.Share(n.same, n.moved)
	}
	both := n.g.AndN(lists.Map(n.common, c.Copy))
	return lists.Map(n.each[:first], func(l aig.Lit) aig.Lit { return n.g.And(both, c.Copy(l)) })
}

// violated returns the condition that the property is violated at depth d, or its first
// instance if q is about that instance.
func (r *run) violated(q *query, d int) aig.Lit {
	if !q.broken || q.instance == nil {
		return r.frames.Violation(r.p.Bads(q.prop), d-r.base())
	}
	all := []aig.Lit{r.frames.Constraint(d)}
	all = append(all, lists.Map(q.instance, func(l aig.Lit) aig.Lit { return r.frames.Copy(d, l) })...)
	return r.frames.Graph().AndN(all)
}
