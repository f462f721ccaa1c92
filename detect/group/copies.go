package group

import (
	"encoding/binary"
	"slices"
)

// Orbits that move in step. A component of a netlist has hundreds of bits, and a
// permutation acts on all of them alike. Two orbits are copies of each other if
// there is a bijection between them that commutes with all generators. Every
// element of the group then acts on both alike, so it is enough to compute with
// one of them.

// maxAnchors bounds the images that are tried for a point of an orbit. What is not
// found costs time only.
const maxAnchors = 16

// fibres returns sets of the points 0..n-1 that the generators move: the first of
// each set is in an orbit that is kept, the others are the points that correspond to
// it in the copies of this orbit, in the same order for all points of the orbit.
func fibres(n int, gens []Sparse) [][]int32 {
	moves := make([][]move, n)
	for g, s := range gens {
		for k, x := range s.Points {
			moves[x] = append(moves[x], move{int32(g), s.Images[k]})
		}
	}
	key := func(x int32) string { // which generators move the point
		var b []byte
		for _, m := range moves[x] {
			b = binary.AppendUvarint(b, uint64(m.gen))
		}
		return string(b)
	}
	c := &copier{moves: moves, to: slices.Repeat([]int32{none}, n), back: slices.Repeat([]int32{none}, n)}
	kept := make(map[string][][]int32) // orbits with a point moved by the same generators as the one that few others are like
	fibre := make([][]int32, n)
	var out [][]int32
	for _, orbit := range orbitsOf(n, gens).Lists(2) {
		like := make(map[string][]int32)
		for _, x := range orbit {
			k := key(x)
			like[k] = append(like[k], x)
		}
		rarest := ""
		for k, xs := range like {
			if rarest == "" || len(xs) < len(like[rarest]) || len(xs) == len(like[rarest]) && k < rarest {
				rarest = k
			}
		}
		anchors := like[rarest]
		if !slices.ContainsFunc(kept[rarest], func(o []int32) bool {
			if len(o) != len(orbit) {
				return false
			}
			for _, y := range anchors[:min(len(anchors), maxAnchors)] {
				if c.match(o[0], y) {
					for _, x := range c.queue {
						fibre[x] = append(fibre[x], c.to[x])
					}
					c.forget()
					return true
				}
				c.forget()
			}
			return false
		}) {
			i := slices.Index(orbit, anchors[0])
			o := slices.Clone(orbit)
			o[0], o[i] = o[i], o[0] // the anchor in front
			kept[rarest] = append(kept[rarest], o)
			for _, x := range orbit {
				fibre[x] = []int32{x}
			}
		}
	}
	for _, f := range fibre {
		if f != nil {
			out = append(out, f)
		}
	}
	return out
}

// copier looks for bijections between orbits.
type copier struct {
	moves    [][]move
	to, back []int32 // by point; none
	queue    []int32 // points of the first orbit that have an image
}

// match takes x to y and whatever follows from that; it reports whether that is a
// bijection of their orbits that commutes with the generators.
func (c *copier) match(x, y int32) bool {
	set := func(x, y int32) bool {
		if c.to[x] == none && c.back[y] == none {
			c.to[x], c.back[y] = y, x
			c.queue = append(c.queue, x)
		}
		return c.to[x] == y
	}
	if !set(x, y) {
		return false
	}
	for k := 0; k < len(c.queue); k++ {
		a, b := c.moves[c.queue[k]], c.moves[c.to[c.queue[k]]]
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			if a[i].gen != b[i].gen || !set(a[i].image, b[i].image) {
				return false
			}
		}
	}
	return true
}

func (c *copier) forget() {
	for _, x := range c.queue {
		c.back[c.to[x]] = none
		c.to[x] = none
	}
	c.queue = c.queue[:0]
}
