package pdr

import (
	"orbitmc/ts"
)

// This file lets a group act on cubes.
//
// A lemma stands for its orbit. That is sound whether all images are in the
// solvers or some: frame i holds every state that is reached in at most i steps,
// those states are closed under the group, so an image of a lemma of frame i is
// one as well. And it is enough to push one member of an orbit: if the images in
// the solver suffice to show that a step keeps the representative, the whole
// orbit suffices, too, and the group carries the argument to every image.
//
// Orbits with few members are written out. Of the others images are added when
// they are missed: a state that a solver finds is compared with the lemma under
// all permutations at once (match.go), and the image it violates is added. Where
// latches have no such structure, or the group is no product of symmetric groups,
// a part of the orbit is written out.

// orbits is a group of permutations of the latches.
type orbits struct {
	generators [][]int32
	rows       *rows // nil if the latches do not name components
	limit      int   // largest orbit that is written out
}

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
	return o
}

// images returns the orbit of c, c first, or as much of it as the limit allows.
func (o *orbits) images(c cube) (list []cube, all bool) {
	list = []cube{c}
	if o == nil {
		return list, true
	}
	seen := map[string]bool{c.key(): true}
	for i := 0; i < len(list); i++ {
		for _, p := range o.generators {
			d := list[i].image(p)
			if k := d.key(); !seen[k] {
				if len(list) >= o.limit {
					return list, false
				}
				seen[k] = true
				list = append(list, d)
			}
		}
	}
	return list, true
}
