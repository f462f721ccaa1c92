package cofactor

import (
	"orbitmc/aig"
	"orbitmc/mc"
)

// This file builds F: which states and inputs lead to a violation. All of it is in
// the graph of an unrolling from a free state; the state of frame 0 is the one that
// is looked for. Its leaves are those of every set, in the same order.

// target returns F at depth d, over the state of frame 0 and inputs: constraints
// hold in each frame that needs them.
func (s *search) target(d int) aig.Lit {
	f, g := s.frames, s.frames.Graph()
	if !s.Stepwise {
		for f.Len() <= d {
			f.Extend()
		}
		parts := []aig.Lit{f.Violation(s.bads, d)}
		for k := range d {
			parts = append(parts, f.Constraint(k))
		}
		return g.AndN(parts)
	}
	for f.Len() < 2 {
		f.Extend()
	}
	if d == 0 {
		return f.Violation(s.bads, 0)
	}
	into := s.placeClosed(g, f.Latches(1), s.frontier())
	if d == 1 {
		var errs []aig.Lit // of a step, which are at depth 1 in frame 0
		for _, b := range s.bads {
			if s.sys.Bads[b].Delay > 0 {
				errs = append(errs, f.Bad(0, b))
			}
		}
		into = g.Or(into, g.OrN(errs))
	}
	return g.And(f.Constraint(0), into)
}

// frontier returns what was added at the depth before, modulo what was there
// already.
func (s *search) frontier() *mc.Circuit {
	var last []*set
	old := s.newKnown()
	for _, x := range s.sets {
		if x.depth == s.depth-1 {
			last = append(last, x)
		} else {
			old.exclude(x.c)
		}
	}
	layer := s.union(last)
	if s.uses(Frontier) {
		return s.simplify(s.ctx, layer, old)
	}
	return layer
}

// newCircuit returns the empty set of states of n bits.
func newCircuit(n int) *mc.Circuit {
	c := &mc.Circuit{G: aig.New(), Out: aig.False}
	for range n {
		c.Latches = append(c.Latches, c.G.Input())
	}
	return c
}

// place copies c into g with its latches replaced by literals.
func place(g *aig.Graph, latches []aig.Lit, c *mc.Circuit) aig.Lit {
	k := aig.NewCopier(g, c.G)
	for i, l := range c.Latches {
		k.Set(l.Node(), latches[i])
	}
	return k.Copy(c.Out)
}

// compact returns c without the nodes that it does not need.
func compact(c *mc.Circuit) *mc.Circuit {
	d := newCircuit(len(c.Latches))
	d.Out = place(d.G, d.Latches, c)
	return d
}

// ands returns the number of AND nodes below l.
func ands(g *aig.Graph, l aig.Lit) int {
	n := 0
	for _, i := range g.Cone([]aig.Lit{l}) {
		if g.IsAnd(i) {
			n++
		}
	}
	return n
}
