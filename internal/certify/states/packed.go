package states

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file permutes packed states and sorts the multisets in them. The search does so by other code.

// widest is how many bits model.PutBits stores at most.
const widest = 56

// packedBag is a multiset in packed states.
type packedBag struct {
	pos, width, slots int
	mask              uint64
	field             [64]uint8 // by bit of a slot: the first bit of its field
	masks             [64]uint64
	stride            int
}

// findBags finds the multisets among the leaves of t.
func (cc *closureCheck) findBags(t *model.Type, at int, inside bool) {
	switch t.Kind {
	case model.Record:
		for _, f := range t.Fields {
			cc.findBags(f.Type, at+f.Offset, inside)
		}
	case model.Array:
		for i := range int(t.Index.Card()) {
			cc.findBags(t.Elem, at+i*t.Elem.Leaves, inside)
		}
	case model.Multiset:
		if inside {
			cc.plainBags = false
			return
		}
		b := packedBag{slots: int(t.Index.Card()), stride: 1 + t.Elem.Leaves}
		b.pos, _ = cc.packer.Field(at)
		for i := range b.stride {
			pos, n := cc.packer.Field(at + i)
			if b.width = pos + n - b.pos; b.width > widest {
				cc.plainBags = false
				break
			}
			for j := range n {
				b.field[pos-b.pos+j] = uint8(pos - b.pos)
			}
			b.masks[pos-b.pos] = 1<<n - 1
		}
		b.mask = 1<<b.width - 1
		cc.allBags = append(cc.allBags, len(cc.bags))
		cc.bags = append(cc.bags, b)
		for i := range t.Leaves {
			cc.bagOf[at+i] = len(cc.bags)
		}
		cc.findBags(t.Elem, at+1, true)
	}
}

// sort puts the multisets of a packed state that were written in order.
func (cc *closureCheck) sort(s []byte, bags []int) {
	if !cc.plainBags {
		size := cc.packer.Size()
		cc.packer.Unpack(s[:size], cc.state)
		for _, v := range cc.p.Model.Vars {
			sortBags(v.Type, cc.state[v.Offset:v.Offset+v.Type.Leaves])
		}
		cc.packer.Pack(s[:0], cc.state)
		return
	}
	for _, i := range bags {
		b := &cc.bags[i]
		words, first := cc.words[:0], b.slots // slots before first stay as they are
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
		cc.words = words
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

// image returns the image of a value of a type, which is defined.
func image(perm model.ScalarPerm, t *model.Type, v int64) int64 {
	if class, e, ok := t.Element(v); ok && !t.Slots && perm[class] != nil {
		return t.Image(v, e, int64(perm[class][e]))
	}
	return v
}

// target returns the leaf that a leaf becomes.
func (cc *closureCheck) target(perm model.ScalarPerm, leaf int) int {
	to := leaf
	for _, d := range cc.leaves[leaf].Indices {
		to += int(image(perm, d.Type, d.Value)-d.Value) * d.Stride
	}
	return to
}

// move says what bits of a word become under a permutation: those that come from another word by the same
// distance, or those of one field whose values go through a table.
type move struct {
	from, to int      // bytes, the first of eight
	shift    int      // bits to the right
	mask     uint64   // then
	table    []uint64 // by code: its image; nil is the identity
	back     int      // bits that the image is turned to the left
	out      uint64   // the bits that it becomes
}

// moves prepares a permutation for packed states, with the leaves in multisets or without.
func (cc *closureCheck) moves(perm model.ScalarPerm, bags bool) []move {
	all := []move{}
	tables := make(map[*model.Type][]uint64)
	for i, l := range cc.leaves {
		from, n := cc.packer.Field(i)
		to, _ := cc.packer.Field(cc.target(perm, i))
		if l.Slot >= 0 && !bags {
			continue
		}
		table := lists.Memo(tables, l.Type, func(*model.Type) []uint64 { return cc.table(perm, i) })
		for first, width := from, n; n > 0; { // part by part, as words end
			part := min(n, 64-to%64)
			if table == nil {
				part = min(part, 64-from%64)
			}
			out := uint64(1<<part-1) << (to % 64)
			if table != nil {
				all = append(all, move{first >> 3, to / 64 * 8, first & 7, 1<<width - 1, table, (to - (from - first)) & 63, out})
			} else {
				all = merged(all, move{from: from / 64 * 8, to: to / 64 * 8, shift: (from - to) & 63, mask: out, out: out})
			}
			from, to, n = from+part, to+part, n-part
		}
	}
	return all
}

// packedPerm is a permutation that is prepared for packed states.
type packedPerm struct {
	plain  []move // without tables, by the word that they go to: all words that may not stay as they are
	tables []tables
}

// tables are moves with tables out of eight bytes. What is undefined stays so, and has no bits: mostly there are none.
type tables struct {
	from  int
	mask  uint64 // of the bits that are moved
	moves []move
}

// prepare prepares a permutation for packed states.
func (cc *closureCheck) prepare(perm model.ScalarPerm) *packedPerm {
	q := new(packedPerm)
	words, moved := make([][]move, len(cc.packed)/8+1), make([]bool, len(cc.packed)/8+1)
	for _, m := range cc.moves(perm, true) {
		moved[m.to/8] = moved[m.to/8] || !m.stays()
		if m.table == nil {
			words[m.to/8] = append(words[m.to/8], m)
			continue
		}
		if n := len(q.tables) - 1; n < 0 || 8*m.from+m.shift+bits.Len64(m.mask) > 8*q.tables[n].from+64 {
			q.tables = append(q.tables, tables{from: m.from})
		}
		t := &q.tables[len(q.tables)-1]
		m.from, m.shift = t.from, m.shift+8*(m.from-t.from)
		t.mask |= m.mask << m.shift
		t.moves = append(t.moves, m)
	}
	for w, is := range moved {
		if is {
			q.plain = append(append(q.plain, move{to: 8 * w}), words[w]...)
		}
	}
	return q
}

// stays reports whether the bits stay as they are, whatever they are.
func (m *move) stays() bool { return m.from == m.to && m.shift == 0 && m.table == nil }

// merged adds a move without a table.
func merged(all []move, m move) []move {
	for i := range all {
		if o := &all[i]; o.table == nil && o.from == m.from && o.to == m.to && o.shift == m.shift {
			o.mask, o.out = o.mask|m.mask, o.out|m.out
			return all
		}
	}
	return append(all, m)
}

// table returns the images of the codes of a leaf; nil if they are the same.
func (cc *closureCheck) table(perm model.ScalarPerm, leaf int) []uint64 {
	t := cc.leaves[leaf].Type
	if !t.Classed() && t.Kind != model.Union {
		return nil
	}
	_, n := cc.packer.Field(leaf)
	table, same := make([]uint64, 1<<n), true
	for v := t.Lo; v <= t.Hi; v++ {
		w := image(perm, t, v)
		table[cc.packer.Code(leaf, v)] = cc.packer.Code(leaf, w)
		same = same && v == w
	}
	if same {
		return nil
	}
	return table
}

// apply stores the image of the packed state s in dst; its multisets are in no order.
func (p *packedPerm) apply(s, dst []byte) {
	copy(dst, s)
	for i := 0; i < len(p.plain); {
		at, word := p.plain[i].to, uint64(0)
		for ; i < len(p.plain) && p.plain[i].to == at; i++ {
			word |= p.plain[i].image(s)
		}
		binary.LittleEndian.PutUint64(dst[at:], word)
	}
	for i := range p.tables {
		t := &p.tables[i]
		if binary.LittleEndian.Uint64(s[t.from:])&t.mask == 0 {
			continue
		}
		for j := range t.moves {
			m := &t.moves[j]
			binary.LittleEndian.PutUint64(dst[m.to:], binary.LittleEndian.Uint64(dst[m.to:])|m.image(s))
		}
	}
}

// image returns what the bits of out become.
func (m *move) image(s []byte) uint64 {
	x := bits.RotateLeft64(binary.LittleEndian.Uint64(s[m.from:]), -m.shift) & m.mask
	if m.table != nil {
		x = bits.RotateLeft64(m.table[x], m.back) & m.out
	}
	return x
}

// keeps reports whether that is what they are.
func (m *move) keeps(s []byte) bool {
	return m.image(s) == binary.LittleEndian.Uint64(s[m.to:])&m.out
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
