package group

import (
	"context"
	"slices"
)

// Search looks for elements by where they take some points, without enumerating
// the group: the points begin the base of a stabiliser chain, and their images are
// chosen one after the other, each from the orbit under the stabiliser of the
// points before (Sims 1971; Leon 1991).
type Search struct {
	g      *Group
	points int
}

// Search prepares a search by the given points.
func (g *Group) Search(points []int32) *Search {
	h, _ := g.again(context.Background(), g.n, points, nil)
	points = slices.Clone(points)
	slices.Sort(points)
	return &Search{h, len(slices.Compact(points))}
}

// Find returns an element that takes every point to one that fits. If there is
// none, all is true unless the search was given up after budget choices.
func (s *Search) Find(fits func(q int32) bool, budget int) (p Perm, all bool) {
	var choose func(i int, p Perm) Perm
	choose = func(i int, p Perm) Perm {
		if i == s.points {
			return p
		}
		l := s.g.levels[i]
		orbit := s.g.order[i : i+1] // of a point that is fixed
		if l != nil {
			orbit = l.orbit
		}
		for _, q := range orbit {
			if !fits(p[q]) {
				continue
			}
			if budget--; budget < 0 {
				return nil
			}
			r := p
			if q != s.g.order[i] {
				r = s.g.transversal(l, q).Then(p) // the factor of this level acts first
			}
			if r = choose(i+1, r); r != nil {
				return r
			}
		}
		return nil
	}
	p = choose(0, identity(s.g.n))
	return p, budget >= 0
}
