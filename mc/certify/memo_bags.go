package certify

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"orbitmc/model"
)

// This file permutes packed states and sorts the multisets in them, for the memo.

// packedBag is a multiset in packed states.
type packedBag struct {
	pos, width, slots int
	mask              uint64
	field             [64]uint8 // by bit of a slot: the first bit of its field
	masks             [64]uint64
	leaf, stride      int
}

// findBags finds the multisets among the leaves of t.
func (o *memo) findBags(t *model.Type, at int, inside bool) {
	switch t.Kind {
	case model.Record:
		for _, f := range t.Fields {
			o.findBags(f.Type, at+f.Offset, inside)
		}
	case model.Array:
		for i := range int(t.Index.Card()) {
			o.findBags(t.Elem, at+i*t.Elem.Leaves, inside)
		}
	case model.Multiset:
		if inside {
			o.plain = false
			return
		}
		b := packedBag{slots: int(t.Index.Card()), leaf: at, stride: 1 + t.Elem.Leaves}
		b.pos, _ = o.k.packer.Field(at)
		for i := range b.stride {
			pos, n := o.k.packer.Field(at + i)
			if b.width = pos + n - b.pos; b.width > 56 {
				o.plain = false
				break
			}
			for j := range n {
				b.field[pos-b.pos+j] = uint8(pos - b.pos)
			}
			b.masks[pos-b.pos] = 1<<n - 1
		}
		b.mask = 1<<b.width - 1
		o.bags = append(o.bags, b)
		for i := range t.Leaves {
			o.bagOf[at+i] = len(o.bags)
		}
		o.findBags(t.Elem, at+1, true)
	}
}

// sort puts the multisets of a packed state that were written in order.
func (o *memo) sort(s []byte, bags []int) {
	if !o.plain {
		size := o.k.packer.Size()
		o.k.packer.Unpack(s[:size], o.k.state)
		for _, v := range o.k.p.Model.Vars {
			sortBags(v.Type, o.k.state[v.Offset:v.Offset+v.Type.Leaves])
		}
		o.k.packer.Pack(s[:0], o.k.state)
		return
	}
	for _, i := range bags {
		b := &o.bags[i]
		words, first := o.words[:0], b.slots // slots before first stay as they are
		for j, pos := 0, b.pos; j < b.slots; j, pos = j+1, pos+b.width {
			x := binary.LittleEndian.Uint64(s[pos>>3:]) >> (pos & 7) & b.mask
			if x&1 == 0 && x != 0 {
				x, first = 0, min(first, j) // what is written to a free slot is gone
			}
			words = append(words, x)
			l := j
			for ; l > 0 && b.before(x, words[l-1]); l-- {
				words[l] = words[l-1]
			}
			if l < j {
				words[l], first = x, min(first, l)
			}
		}
		for j := first; j < b.slots; j++ {
			model.PutBits(s, b.pos+j*b.width, b.mask, words[j])
		}
		o.words = words
	}
}

// before reports whether slot x belongs before y: elements first, in order of their
// first leaf that differs.
func (b *packedBag) before(x, y uint64) bool {
	if x == y || x == 0 || y == 0 {
		return y == 0 && x != 0
	}
	at := b.field[bits.TrailingZeros64(x^y)]
	return x>>at&b.masks[at] < y>>at&b.masks[at]
}

// memoMove says where the leaves of a run go under a permutation; values of classes go
// through a table.
type memoMove struct {
	from, to int
	mask     uint64
	table    []uint64 // by code: its image; nil is the identity
}

// moves prepares a permutation for packed states.
func (o *memo) moves(perm model.ScalarPerm) []memoMove {
	all := []memoMove{}
	for i, l := range o.leaves {
		to := i
		for _, d := range l.Indices {
			if class, v, ok := d.Type.Element(d.Value); ok && !d.Type.Slots && perm[class] != nil {
				to += int(d.Type.Image(d.Value, v, int64(perm[class][v]))-d.Value) * d.Stride
			}
		}
		from, n := o.k.packer.Field(i)
		pos, _ := o.k.packer.Field(to)
		if n == 0 {
			continue
		}
		m := memoMove{from: from, to: pos, mask: 1<<n - 1}
		table, same := make([]uint64, 1<<n), true
		for v := l.Type.Lo; v <= l.Type.Hi; v++ {
			w := v
			if class, e, ok := l.Type.Element(v); ok && !l.Type.Slots && perm[class] != nil {
				w = l.Type.Image(v, e, int64(perm[class][e]))
			}
			table[v-o.below[i]] = uint64(w - o.below[i])
			same = same && v == w
		}
		if !same {
			m.table = table
		} else if k := len(all) - 1; k >= 0 && all[k].table == nil {
			have := bits.Len64(all[k].mask)
			if all[k].from+have == from && all[k].to+have == pos && have+n <= 56 {
				all[k].mask = 1<<(have+n) - 1
				continue
			}
		}
		all = append(all, m)
	}
	return all
}

// move stores the image of the packed state s in dst; its multisets are in no order.
func (o *memo) move(moves []memoMove, s, dst []byte) {
	clear(dst)
	for i := range moves {
		m := &moves[i]
		x := binary.LittleEndian.Uint64(s[m.from>>3:]) >> (m.from & 7) & m.mask
		if m.table != nil {
			x = m.table[x]
		}
		at := dst[m.to>>3:]
		binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)|x<<(m.to&7))
	}
}

// sortBags puts the multisets among the leaves l of type t in order.
func sortBags(t *model.Type, l []int64) {
	switch t.Kind {
	case model.Record:
		for _, f := range t.Fields {
			sortBags(f.Type, l[f.Offset:f.Offset+f.Type.Leaves])
		}
	case model.Array:
		for n := t.Elem.Leaves; len(l) > 0 && n > 0; l = l[n:] {
			sortBags(t.Elem, l[:n])
		}
	case model.Multiset:
		var full [][]int64
		for slot := range slices.Chunk(slices.Clone(l), 1+t.Elem.Leaves) {
			if sortBags(t.Elem, slot[1:]); slot[0] != model.Undef {
				full = append(full, slot)
			}
		}
		slices.SortFunc(full, slices.Compare)
		for i := range l {
			l[i] = model.Undef
		}
		for i, slot := range full {
			copy(l[i*len(slot):], slot)
		}
	}
}
