package pdr

import (
	"slices"

	"orbitmc/detect/group"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file applies a group to cubes and instantiates orbits of lemmas.
//
// A lemma stands for its orbit. That is sound whether all images are in the
// solvers or only some. Frame i holds every state that is reached in at most i
// steps. These states are closed under the group, so an image of a lemma of frame
// i is a lemma of frame i. It suffices to push one member of an orbit. Suppose a query
// shows, from the images in the solver, that each step keeps this member. Then the same
// holds from the whole orbit, and the group maps the argument to every other member.
//
// Small orbits are written out. Images of large orbits are added when they are
// missed: a state that a solver finds is compared with the lemma under all
// permutations at once, and the image that it violates is added. The group is a
// product. Its symmetric groups on components are matched (match.go). The
// elements of the other factors, rings and other small groups, are tried in turn.
// If the latches have no such structure or the other factors are large, a
// stabiliser chain gives the places where the literals of the lemma can go
// (group.Search).

// orbits is a group of permutations of the latches.
type orbits struct {
	generators [][]ts.Lit
	limit      int // largest orbit that is written out

	rows   *rows      // of the symmetric groups; nil if the latches do not name components
	others [][]ts.Lit // all elements of the other factors, the identity first; nil if there are too many

	chain  *group.Group // of the literals that are moved; nil until needed
	points []int32      // by literal: the point of the chain, -1 of those that are not moved
	lits   []ts.Lit     // by point
}

const (
	maxOthers = 256  // elements of the other factors
	maxPoints = 3000 // of a stabiliser chain
)

// newOrbits returns the action of y on the latches; nil if it moves none.
func newOrbits(y *ts.Symmetry, latches, limit int) *orbits {
	o := &orbits{limit: limit}
	for _, p := range y.Generators() {
		if p.MovesLatches() {
			o.generators = append(o.generators, p.Latch)
		}
	}
	if o.generators == nil {
		return nil
	}
	o.rows = newRows(y, latches)
	o.others = elements(y.Groups, latches)
	return o
}

// elements returns the elements of a product of groups, the identity first; nil if
// they are too many.
func elements(groups []ts.Group, latches int) [][]ts.Lit {
	id := lists.Make(latches, func(i int) ts.Lit { return ts.MkLit(i, false) })
	var gens []*ts.Perm
	for _, g := range groups {
		gens = append(gens, g.Gens...)
	}
	key := func(q []ts.Lit) string { return ts.Cube(q).Key() }
	list, all := lists.Orbit(id, key, maxOthers, func(q []ts.Lit) [][]ts.Lit {
		return lists.Map(gens, func(p *ts.Perm) []ts.Lit {
			return lists.Map(q, func(l ts.Lit) ts.Lit { return l.Under(p.Latch) })
		})
	})
	if !all {
		return nil
	}
	return list
}

// images returns the orbit of c, c first, or as much of it as the limit allows.
func (o *orbits) images(c ts.Cube) (list []ts.Cube, all bool) {
	if o == nil {
		return []ts.Cube{c}, true
	}
	return lists.Orbit(c, ts.Cube.Key, o.limit, func(d ts.Cube) []ts.Cube { return lists.Map(o.generators, d.Image) })
}

// finder finds the image of a cube of which all literals hold. If there is none,
// all is true unless the search was given up.
type finder func(holds valuation) (image ts.Cube, all bool)

// direct reports whether finders are made in no time.
func (o *orbits) direct() bool { return o.rows != nil && o.others != nil }

// finder returns the finder of c; nil if the group is too large to have one.
func (o *orbits) finder(c ts.Cube) finder {
	if !o.direct() {
		return o.chained(c)
	}
	type variant struct {
		cube ts.Cube
		*pattern
	}
	var variants []variant
	seen := make(map[string]bool)
	for _, p := range o.others {
		d := c.Image(p)
		if k := d.Key(); !seen[k] {
			seen[k] = true
			variants = append(variants, variant{d, o.rows.pattern(d)})
		}
	}
	return func(holds valuation) (ts.Cube, bool) {
		all := true
		for _, v := range variants {
			to, done := o.rows.match(v.pattern, holds)
			if to != nil {
				return o.rows.moved(v.cube, v.pattern, to), true
			}
			all = all && done
		}
		return nil, all
	}
}

// chained returns the finder of c by a stabiliser chain.
func (o *orbits) chained(c ts.Cube) finder {
	if o.lits == nil {
		o.points = make([]int32, 2*len(o.generators[0]))
		for l := range o.points {
			o.points[l] = -1
			if slices.ContainsFunc(o.generators, func(p []ts.Lit) bool { return ts.Lit(l).Under(p) != ts.Lit(l) }) {
				o.points[l] = int32(len(o.lits))
				o.lits = append(o.lits, ts.Lit(l))
			}
		}
	}
	if len(o.lits) > maxPoints {
		return nil
	}
	if o.chain == nil {
		var gens []group.Perm
		for _, p := range o.generators {
			q := make(group.Perm, len(o.lits))
			for i, l := range o.lits {
				q[i] = o.points[l.Under(p)]
			}
			gens = append(gens, q)
		}
		var err error
		if o.chain, err = group.New(len(o.lits), gens, nil); err != nil {
			panic("pdr: permutations of one system differ in length: " + err.Error())
		}
	}
	var fixed ts.Cube
	var moved []int32
	for _, l := range c {
		if p := o.points[l]; p >= 0 {
			moved = append(moved, p)
		} else {
			fixed = append(fixed, l)
		}
	}
	search := o.chain.Search(moved)
	return func(holds valuation) (ts.Cube, bool) {
		if slices.ContainsFunc(fixed, func(l ts.Lit) bool { return !holds(l) }) {
			return nil, true
		}
		p, all := search.Find(func(q int32) bool { return holds(o.lits[q]) }, matchBudget)
		if p == nil {
			return nil, all
		}
		d := slices.Clone(fixed)
		for _, m := range moved {
			d = append(d, o.lits[p[m]])
		}
		slices.Sort(d)
		return d, true
	}
}
