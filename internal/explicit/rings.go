package explicit

import (
	"bytes"
	"fmt"
	"slices"

	"orbitmc/model"
)

// Rings have few rotations: each image of the state is canonicalised under the
// blocks, and the least result counts. Rotations of one ring are no permutations of
// blocks, and values are in one ring or block at most, so that the two commute.

// addRings makes the canonicaliser rotate rings.
func (c *canonicaliser) addRings(rings []model.Ring) error {
	if len(rings) == 0 {
		return nil
	}
	scalarsets := c.p.Model.Scalarsets
	taken := make(map[[2]int]bool)
	c.rotations = []model.ScalarPerm{c.p.Model.Identity()}
	for _, r := range rings {
		if r.Class < 0 || r.Class >= len(scalarsets) || scalarsets[r.Class].Slots || r.Step < 1 || len(r.Values)%r.Step != 0 {
			return fmt.Errorf("explicit: %+v is no ring of a class", r)
		}
		for _, v := range r.Values {
			if v < 0 || v >= int(scalarsets[r.Class].Card()) || taken[[2]int{r.Class, v}] || c.free[c.base[r.Class]+v] {
				return fmt.Errorf("explicit: value %d of class %d is out of range, or in two rings, or in a block and a ring", v, r.Class)
			}
			taken[[2]int{r.Class, v}] = true
		}
		c.moves[r.Class] = true
		var more []model.ScalarPerm
		for by := range r.Order() {
			for _, perm := range c.rotations {
				rotated := slices.Clone(perm)
				rotated[r.Class] = slices.Clone(perm[r.Class])
				r.Rotate(rotated[r.Class], by)
				more = append(more, rotated)
			}
		}
		c.rotations = more
	}
	c.rotated, c.through = make(model.State, c.p.Model.Leaves()), c.p.Model.Identity()
	if c.sets == nil || slices.Contains(c.free, true) {
		return nil
	}
	for _, perm := range c.rotations[1:] {
		q, err := c.p.NewPackedPerm(c.packer, perm)
		if err != nil { // a type has too many values
			c.packedRotations = nil
			break
		}
		c.packedRotations = append(c.packedRotations, q)
	}
	return nil
}

// canonRotatedPacked is canonRotated where values are in no blocks, for a state that is packed, with
// model.PackedPad bytes behind it.
func (c *canonicaliser) canonRotatedPacked(raw []byte) []byte {
	n, best := len(raw)-model.PackedPad, 0
	c.least = append(c.least[:0], raw[:n]...)
	for i, q := range c.packedRotations {
		q.Apply(raw, c.moved)
		c.sets.Sort(c.moved)
		if bytes.Compare(c.moved[:n], c.least) < 0 {
			best = i + 1
			copy(c.least, c.moved)
		}
	}
	for k, images := range c.rotations[best] {
		copy(c.perm[k], images)
	}
	return c.least
}

// canonRotated is canon under rings.
func (c *canonicaliser) canonRotated(s model.State) []byte {
	if c.packedRotations != nil {
		c.packed = append(c.packer.Pack(c.packed[:0], s), zeros[:]...)
		return c.canonRotatedPacked(c.packed)
	}
	for i, rotation := range c.rotations {
		c.p.ApplyPerm(rotation, s, c.rotated)
		packed := c.canonUnrotated(c.rotated)
		if i > 0 && bytes.Compare(packed, c.least) >= 0 {
			continue
		}
		c.least = append(c.least[:0], packed...)
		for k, images := range rotation {
			for v, w := range images {
				c.through[k][v] = c.perm[k][w]
			}
		}
	}
	for k := range c.perm {
		copy(c.perm[k], c.through[k])
	}
	return c.least
}
