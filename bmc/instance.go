package bmc

import (
	"orbitmc/aig"
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

// instances writes a predicate of the system as a conjunction, one conjunct of
// which is a disjunction of several, and returns for each of these the conjunction
// with the others left out; nil if there is no such conjunct. Of several
// disjunctions it is the one of most disjuncts.
func instances(g *aig.Graph, bad aig.Lit) [][]aig.Lit {
	conjuncts := g.Conjuncts(bad, nil, nil)
	at := -1
	var most []aig.Lit // negated
	for i, c := range conjuncts {
		if c.Neg() && g.IsAnd(c.Node()) {
			if ds := g.Conjuncts(c.Not(), nil, nil); len(ds) > len(most) {
				at, most = i, ds
			}
		}
	}
	var out [][]aig.Lit
	for _, d := range most {
		part := append([]aig.Lit{d.Not()}, conjuncts[:at]...)
		out = append(out, append(part, conjuncts[at+1:]...))
	}
	return out
}

// oneInstance returns an instance of a predicate, as a conjunction, if the
// generators take each instance to each other and there are several, and those of
// perms that keep it. The graph of the system is not changed.
func oneInstance(sys *ts.System, bad aig.Lit, y *ts.Symmetry, perms []*ts.Perm) (instance []aig.Lit, kept []*ts.Perm, ok bool) {
	parts := instances(sys.G, bad)
	if len(parts) < 2 {
		return nil, nil, false
	}
	n := newNormal(sys)
	number := make(map[aig.Lit]int)
	for i, p := range parts {
		number[n.image(p, nil)] = i
	}
	orbit := make([]int, len(parts)) // union-find
	for i := range orbit {
		orbit[i] = i
	}
	find := func(i int) int {
		for orbit[i] != i {
			i = orbit[i]
		}
		return i
	}
	orbits := len(parts)
	for _, p := range y.Generators() {
		for i, part := range parts {
			if j, ok := number[n.image(part, p)]; ok {
				if x, y := find(i), find(j); x != y {
					orbit[max(x, y)] = min(x, y)
					orbits--
				}
			}
		}
	}
	if orbits > 1 {
		return nil, nil, false
	}
	own := n.image(parts[0], nil)
	for _, p := range perms {
		if n.image(parts[0], p) == own {
			kept = append(kept, p)
		}
	}
	return parts[0], kept, true
}

// normal holds images of predicates in n-ary normal form.
type normal struct {
	sys    *ts.System
	g      *aig.Graph
	latch  []aig.Lit   // by latch
	input  []aig.Lit   // by input
	number map[int]int // by leaf: latch i, or ^i for input i
}

func newNormal(sys *ts.System) *normal {
	n := &normal{sys: sys, g: aig.New(), number: make(map[int]int)}
	for i, l := range sys.Latches {
		n.latch = append(n.latch, n.g.Input())
		n.number[l.Node] = i
	}
	for i, s := range sys.Inputs {
		n.input = append(n.input, n.g.Input())
		n.number[s.Node] = ^i
	}
	return n
}

// image returns the conjunction of roots with each leaf replaced by its image.
func (n *normal) image(roots []aig.Lit, p *ts.Perm) aig.Lit {
	c := aig.NewNaryCopier(n.g, n.sys.G, roots)
	for _, leaf := range n.sys.G.Support(roots) {
		to, image, i := n.latch, []ts.Lit(nil), n.number[leaf]
		if p != nil {
			image = p.Latch
		}
		if i < 0 {
			if to, i = n.input, ^i; p != nil {
				image = p.Input
			}
		}
		if image == nil {
			c.Set(leaf, to[i])
		} else {
			c.Set(leaf, to[image[i]>>1].NotIf(image[i]&1 == 1))
		}
	}
	out := make([]aig.Lit, len(roots))
	for i, r := range roots {
		out[i] = c.Copy(r)
	}
	return n.g.AndN(out)
}

// violated returns the condition that the property is violated at depth d, or its first
// instance if q is about that instance.
func (r *run) violated(q *query, d int) aig.Lit {
	if !q.broken || q.instance == nil {
		return r.frames.Violation(r.p.Bads(q.prop), d)
	}
	all := []aig.Lit{r.frames.Constraint(d)}
	for _, l := range q.instance {
		all = append(all, r.frames.Copy(d, l))
	}
	return r.frames.Graph().AndN(all)
}
