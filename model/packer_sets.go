package model

import (
	"encoding/binary"
	"math/bits"
)

// PackedSets sorts the multisets of packed states, as Normalise does those of states. It
// is immutable and safe for concurrent use.
type PackedSets struct{ sets []packedSet }

// packedSet is a multiset: slots of width bits each, from pos on.
type packedSet struct {
	pos, width, slots int
	mask              uint64
	first             [wordBits]uint8  // by bit of a slot: the first bit of its field
	fields            [wordBits]uint64 // by that: the mask of the field
}

// manySlots is how many slots a multiset may have that is sorted packed.
const manySlots = 64

// NewPackedSets returns nil if there are multisets in elements of others, or large ones.
func (p *Program) NewPackedSets(packer *Packer) *PackedSets {
	q := &PackedSets{}
	for i := range p.sets {
		r := &p.sets[i]
		first, _ := packer.Field(r.base)
		last, n := packer.Field(r.base + r.stride - 1)
		s := packedSet{pos: first, width: last + n - first, slots: r.slots}
		if r.inner > 0 || p.setOf[r.base] != i+1 || s.width > wordBits || s.slots > manySlots {
			return nil
		}
		s.mask = 1<<s.width - 1
		for k := range r.stride {
			at, n := packer.Field(r.base + k)
			for j := range n {
				s.first[at-first+j] = uint8(at - first)
			}
			if n > 0 {
				s.fields[at-first] = 1<<n - 1
			}
		}
		q.sets = append(q.sets, s)
	}
	return q
}

// Sort sorts the multisets of the packed state b, which goes on for PackedPad bytes. Free
// slots are undefined.
func (q *PackedSets) Sort(b []byte) {
	var slots [manySlots]uint64
	for i := range q.sets {
		s := &q.sets[i]
		moved, n := false, 0
		for at, end := s.pos, s.pos+s.slots*s.width; at < end; at += s.width {
			x := binary.LittleEndian.Uint64(b[at>>3:]) >> (at & 7) & s.mask
			if x == 0 {
				continue
			}
			k := n
			for ; k > 0 && s.before(x, slots[k-1]); k-- {
				slots[k] = slots[k-1]
				moved = true
			}
			slots[k] = x
			moved = moved || at != s.pos+n*s.width
			n++
		}
		for k := 0; moved && k < s.slots; k++ {
			x := uint64(0)
			if k < n {
				x = slots[k]
			}
			PutBits(b, s.pos+k*s.width, s.mask, x)
		}
	}
}

// before reports whether x belongs before y; neither is free.
func (s *packedSet) before(x, y uint64) bool {
	if x == y {
		return false
	}
	at := s.first[bits.TrailingZeros64(x^y)]
	return x>>at&s.fields[at] < y>>at&s.fields[at]
}
