package cofactor

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/mc/evidence"
)

// This file builds F: the states and inputs that lead to a violation. F is in the
// graph of an unrolling from a free state. The state of frame 0 is the unknown.
// Its leaves are those of every set, in the same order.

// maxFrontier is the number of cubes up to which all images are written out.
const maxFrontier = 2000

// target returns F at depth d, over the state of frame 0 and inputs: constraints
// hold in each frame that needs them.
func (s *search) target(d int) aig.Lit {
	f, g := s.frames, s.frames.Graph()
	if s.Unrolled {
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
	into := s.placeFrontier()
	if d == 1 {
		// Errors of a step at depth 1 are in frame 0.
		errs := slices.DeleteFunc(slices.Clone(s.bads), func(b int) bool { return s.sys.Bads[b].Delay == 0 })
		into = g.Or(into, f.AnyBad(0, errs))
	}
	return g.And(f.Constraint(0), into)
}

// placeFrontier returns that the successor is in the set that was added last, made
// exact on all states: by all images of cubes, where these are few, or by canon.
func (s *search) placeFrontier() aig.Lit {
	var last, rest []*set
	old := s.newKnown()
	for _, x := range s.sets {
		if x.depth == s.depth-1 {
			last = append(last, x)
		} else {
			rest = append(rest, x)
			old.exclude(x.c)
		}
	}
	layer := s.union(last)
	if s.uses(Frontier) {
		layer = s.simplify(s.ctx, layer, old)
	}
	g, next := s.frames.Graph(), s.frames.Latches(1)
	canon := s.placeClosed(g, next, layer)
	if len(s.perms) == 0 || !s.uses(Cubes) {
		return canon
	}
	fresh := s.union(rest)
	fresh.Out = fresh.G.And(fresh.Out.Not(), layer.Place(fresh.G, fresh.Latches))
	cubes, ok := s.cover(s.ctx, fresh, s.union(s.sets))
	if ok {
		cubes, ok = s.images(cubes, maxFrontier)
	}
	if !ok {
		return canon
	}
	any := make([]aig.Lit, len(cubes))
	for i, q := range cubes {
		any[i] = g.AndN(q.Of(next))
	}
	return g.OrN(any)
}

// compact returns c without the nodes that it does not need.
func compact(c *evidence.Circuit) *evidence.Circuit {
	d := evidence.NewCircuit(len(c.Latches))
	d.Out = c.Place(d.G, d.Latches)
	return d
}
