package explicit

import (
	"encoding/binary"
	"errors"

	"orbitmc/model"
)

// First finds violations, and proves nothing: the first state that is met stands for all states with
// its signature, a hash that all states of an orbit share. It is never permuted, so nothing is
// made canonical, and a path to it is a path of the model. Representatives chosen on the fly, of a frontier that is made
// smaller, are those of Barner and Grumberg (Combining symmetry reduction and
// under-approximation for symbolic model checking, CAV 2002; section 5.3 of the survey of Wahl and
// Donaldson); that the first state of an orbit stands for it, in a bucket of equal hashes, is from
// SMC (Sistla, Gyuris and Emerson, TOSEM 2000). States of several orbits have one signature if
// refinement does not tell them apart, and all but one of them are left out.

// keepFirst lets the set hold signatures.
func (s *search) keepFirst() error {
	if s.opt.HashBits > 0 || s.opt.Spill != "" || s.opt.Checkpoint != "" {
		return errors.New("explicit: first representatives go without hash compaction, folders and checkpoints")
	}
	s.holdKeys(&compact{bits: 64, first: true})
	return nil
}

// signature appends a hash of s that is the same for all states of its orbit, as far as blocks
// go. If changed is not nil, it lists the leaves in which s differs from the state that is followed.
func (c *canonicaliser) signature(dst []byte, s model.State, changed []int) []byte {
	if changed == nil {
		c.follow(s, nil)
	}
	c.cur.order = append(c.cur.order[:0], c.start...)
	c.cur.rank = append(c.cur.rank[:0], c.cells...)
	c.differ(s, changed)
	var h uint64
	for x, cell := range c.cells {
		h += mix(c.sig[x], uint64(cell)+1)
	}
	c.split(&c.cur)
	h = mix(h, c.refine(s, &c.cur))
	for _, i := range c.fixed {
		h += mix(uint64(i)+1, uint64(s[i]))
	}
	for _, e := range c.several {
		h += e.hash(s[e.leaf], c.cur.rank, 0, -1)
	}
	return binary.LittleEndian.AppendUint64(dst, h)
}

// ErrBags says that a model is not for the canonicalisation First.
var ErrBags = errors.New("the model has multisets, for which --canon first is not supported")

// findFixed finds what signatures are of beside the edges on one vertex: leaves without
// vertices, and edges on several.
func (c *canonicaliser) findFixed() error {
	if len(c.bags) > 0 {
		return ErrBags
	}
	seen := make(map[int]bool)
	for _, row := range c.rows {
		for _, e := range row {
			if c.unary[e.leaf] == nil && !seen[e.leaf] {
				c.several = append(c.several, e)
			}
			seen[e.leaf] = true
		}
	}
	for i, u := range c.unary {
		if u == nil && !seen[i] {
			c.fixed = append(c.fixed, i)
		}
	}
	return nil
}
