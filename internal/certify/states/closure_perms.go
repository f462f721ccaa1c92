package states

import (
	"bytes"
	"fmt"
	"slices"

	"orbitmc/model"
)

// This file keeps the permutations of a closed set. Each is checked once to be within the blocks and
// rings of the problem, and applied by code of this package. One that is used often is prepared for packed
// states.

// closurePerm is a permutation that was checked to be within the blocks and rings.
type closurePerm struct {
	key    string
	perm   model.ScalarPerm // nil for the identity
	packed *packedPerm      // nil if it is not prepared
	uses   int
}

// key returns the permutation as evidence.Steps writes it, or nil if Steps cannot.
func (cc *closureCheck) key(perm model.ScalarPerm) (key []byte) {
	if perm == nil || len(perm) != len(cc.block) || cc.values < 0 {
		return nil
	}
	for class, t := range cc.p.Model.Scalarsets {
		for v := range int(t.Card()) {
			w := v
			if t.Slots {
				break
			}
			if images := perm[class]; images != nil {
				if len(images) != int(t.Card()) {
					return nil
				}
				w = images[v]
			}
			if w < 0 || w > 255 {
				return nil
			}
			key = append(key, byte(w))
		}
	}
	return key
}

// maps reports whether perm maps the packed state s, which goes on for model.PackedPad bytes, to
// the packed state to.
func (cc *closureCheck) maps(perm *closurePerm, s, to []byte) bool {
	return bytes.Equal(cc.imageOf(perm, s), to)
}

// imageOf returns the image of the packed state s, which goes on for model.PackedPad bytes; valid until the next call.
func (cc *closureCheck) imageOf(perm *closurePerm, s []byte) []byte {
	size := cc.packer.Size()
	if perm.perm != nil {
		if perm.uses++; perm.uses == someUses {
			perm.packed = cc.prepare(perm.perm)
		}
		if perm.packed != nil {
			perm.packed.apply(s, cc.image)
		} else {
			cc.packer.Unpack(s[:size], cc.state)
			for i, v := range cc.state {
				if v != model.Undef {
					v = image(perm.perm, cc.leaves[i].Type, v)
				}
				cc.other[cc.target(perm.perm, i)] = v
			}
			cc.packer.Pack(cc.image[:0], cc.other)
		}
		if len(cc.bags) > 0 {
			cc.sort(cc.image, cc.allBags)
		}
		s = cc.image
	}
	return s[:size]
}

// told returns a permutation from what evidence.Steps says of it.
func (cc *closureCheck) told(values []byte) (*closurePerm, error) {
	h := uint32(0)
	for _, v := range values {
		h = 31*h + uint32(v)
	}
	recent := &cc.recent[h*0x9e3779b1>>24]
	if p := *recent; p != nil && p.key == string(values) {
		return p, nil
	}
	p, err := cc.find(values)
	if err == nil {
		*recent = p
	}
	return p, err
}

// find is told for permutations that are not in recent.
func (cc *closureCheck) find(values []byte) (*closurePerm, error) {
	if p, ok := cc.perms[string(values)]; ok {
		return p, nil
	}
	perm := make(model.ScalarPerm, len(cc.block))
	same, rest := true, values
	for class, t := range cc.p.Model.Scalarsets {
		if t.Slots {
			continue
		}
		for v := range int(t.Card()) {
			perm[class] = append(perm[class], int(rest[v]))
			same = same && int(rest[v]) == v
		}
		rest = rest[t.Card():]
	}
	if same {
		p := &closurePerm{key: string(values)}
		cc.perms[p.key] = p
		return p, nil
	}
	return cc.permutation(values, perm)
}

// someUses is how often a permutation is used until it is prepared for packed states.
const someUses = 4

// mostPerms is how many permutations are kept.
const mostPerms = 1 << 14

// permutation returns perm, known as key, once it is checked to be within the blocks
// and rings.
func (cc *closureCheck) permutation(key []byte, perm model.ScalarPerm) (*closurePerm, error) {
	if perm == nil {
		return &identity, nil
	}
	if p, ok := cc.perms[string(key)]; ok && key != nil {
		return p, nil
	}
	if err := cc.allowed(perm); err != nil {
		return nil, err
	}
	p := &closurePerm{key: string(key), perm: make(model.ScalarPerm, len(perm))}
	for class := range perm {
		p.perm[class] = slices.Clone(perm[class])
	}
	if len(cc.perms) == mostPerms {
		clear(cc.perms)
	}
	if key != nil {
		cc.perms[p.key] = p
	}
	return p, nil
}

var identity closurePerm

// allowed checks that a permutation is within the blocks and rings.
func (cc *closureCheck) allowed(perm model.ScalarPerm) error {
	if len(perm) != len(cc.block) {
		return fmt.Errorf("a permutation of %d types, not %d", len(perm), len(cc.block))
	}
	for class, images := range perm {
		if images == nil {
			continue
		}
		if t := cc.p.Model.Scalarsets[class]; t.Slots || len(images) != int(t.Card()) {
			return fmt.Errorf("a permutation of the wrong size")
		}
		hit := make([]bool, len(images))
		var turned []int
		for _, r := range cc.rings {
			if r.Class == class && r.Rotates(images) {
				turned = append(turned, r.Values...)
			}
		}
		for v, w := range images {
			b, ok := cc.block[class][v]
			if v != w && !slices.Contains(turned, v) && (w < 0 || w >= len(images) || !ok || b != cc.blockOf(class, w)) || hit[w] {
				return fmt.Errorf("value %d of %v goes to %d, which is not interchangeable with it", v, cc.p.Model.Scalarsets[class], w)
			}
			hit[w] = true
		}
	}
	return nil
}

func (cc *closureCheck) blockOf(class, v int) int {
	if b, ok := cc.block[class][v]; ok {
		return b
	}
	return -1
}
