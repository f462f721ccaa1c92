package explicit

import (
	"bytes"

	"orbitmc/model"
)

// Star is the method of multiple representatives (Clarke, Enders, Filkorn and Jha,
// Exploiting symmetry in temporal logic model checking, FMSD 1996; section 5.2 of the
// survey of Wahl and Donaldson, Replication and abstraction: symmetry in automated formal
// verification, Symmetry 2010): n images of a state are compared, not n!. Representatives are the
// states that are least among these; from another state one goes on to the least.

// stars returns a packed state that is the least of its images under the exchanges of the first
// value of a block with another one. Perm leads to it.
func (c *canonicaliser) stars(s model.State) []byte {
	for k := range c.perm {
		for v := range c.perm[k] {
			c.perm[k][v] = v
		}
	}
	b := append(c.packer.Pack(c.packed[:0], s), zeros[:]...)
	for c.descend(b) {
	}
	c.packed = b
	return b[:c.packer.Size()]
}

// descend replaces b, block by block, by the least of these images, and tells perm. It reports
// whether b changed.
func (c *canonicaliser) descend(b []byte) (changed bool) {
	size := c.packer.Size()
	for i := 0; i < len(c.start); {
		x, k := c.start[i], c.classOf[c.start[i]]
		best := x
		c.nearest = append(c.nearest[:0], b...)
		for i++; i < len(c.start) && c.cells[c.start[i]] == c.cells[x]; i++ {
			if y := c.start[i]; bytes.Compare(c.exchange(b, x, y)[:size], c.nearest[:size]) < 0 {
				c.nearest, best = append(c.nearest[:0], c.moved...), y
			}
		}
		if best == x {
			continue
		}
		changed = true
		copy(b, c.nearest)
		v, w := x-c.base[k], best-c.base[k]
		for u, to := range c.perm[k] {
			switch to {
			case v:
				c.perm[k][u] = w
			case w:
				c.perm[k][u] = v
			}
		}
	}
	return changed
}

// exchange stores in moved, and returns, the packed state b, which goes on for
// model.PackedPad bytes, with two vertices of one class exchanged.
func (c *canonicaliser) exchange(b []byte, x, y int) []byte {
	k := c.classOf[x]
	swap, i, j := c.swap[k], x-c.base[k], y-c.base[k]
	swap[i], swap[j] = j, i
	q, ok := c.swaps[[2]int{x, y}]
	if !ok && c.sets != nil {
		q, _ = c.p.NewPackedPerm(c.packer, c.swap)
		c.swaps[[2]int{x, y}] = q
	}
	if q != nil {
		swap[i], swap[j] = i, j
		q.Apply(b, c.moved)
		c.sets.Sort(c.moved)
		return c.moved
	}
	s := make(model.State, len(c.image))
	c.packer.Unpack(b[:c.packer.Size()], s)
	c.p.ApplyPerm(c.swap, s, c.image)
	swap[i], swap[j] = i, j
	c.packer.Pack(c.moved[:0], c.image)
	return c.moved
}
