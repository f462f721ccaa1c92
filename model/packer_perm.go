package model

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"orbitmc/internal/lists"
)

// PackedPerm applies a permutation to packed states without unpacking them. Bits that go
// from one word to another by the same rotation move together; values of classes go
// through a table. It is immutable and safe for concurrent use. Multisets are not sorted
// again: see PackedSets.
type PackedPerm struct {
	words  [][]wordMove // by word of the image: what is moved to it
	groups []fieldGroup
}

// wordMove rotates a word of 64 bits and picks some of the result.
type wordMove struct {
	from  int // byte
	shift int
	mask  uint64
}

// fieldGroup is some fields that go through tables, in wordBits bits. Undefined fields are
// 0, and so are their images.
type fieldGroup struct {
	from   int    // byte
	mask   uint64 // of all fields
	fields []fieldMove
}

// fieldMove moves a field.
type fieldMove struct {
	shift uint
	mask  uint64
	table []uint64 // by code: its image
	to    int      // byte of the word of its first bit
	at    uint     // first bit in that word
	over  bool     // it has bits in the next word
}

// PackedPad is the number of bytes behind a packed state that PackedPerm.Apply and
// Packer.Put may touch.
const PackedPad = 8

// wordBits is how many bits fit into a word wherever in a byte they begin.
const wordBits = 57

// Field returns the first bit of leaf i in a packed state and how many there are.
func (p *Packer) Field(i int) (pos, width int) { return p.leaves[i].pos, p.leaves[i].width }

// Code returns the bits that stand for value v, which may be Undef, of leaf i.
func (p *Packer) Code(i int, v int64) uint64 { return p.leaves[i].code(v) }

// PutBits stores the low bits of code, mask of them, at bit pos of b, which goes on
// for PackedPad bytes.
func PutBits(b []byte, pos int, mask, code uint64) {
	at, shift := pos>>3, pos&7
	w := binary.LittleEndian.Uint64(b[at:])
	binary.LittleEndian.PutUint64(b[at:], w&^(mask<<shift)|code<<shift)
}

// NewPackedPerm prepares perm for states packed by packer. It fails for leaves with more
// values than a table has room for.
func (p *Program) NewPackedPerm(packer *Packer, perm ScalarPerm) (*PackedPerm, error) {
	const most = 1 << 12
	q := &PackedPerm{words: make([][]wordMove, (packer.Size()+7)/8)}
	pointer := make([]bool, p.n)
	for _, i := range p.pointers {
		pointer[i] = true
	}
	tables := make(map[*Type][]uint64)
	for i := range p.n {
		from, n := packer.Field(i)
		to, _ := packer.Field(p.permLeaf(perm, i))
		t := p.leaves[i].Type
		switch {
		case n == 0:
			continue
		case n > wordBits:
			return nil, fmt.Errorf("leaf %s has %d bits", p.leaves[i].Name, n)
		case pointer[i] && t.Card() >= most:
			return nil, fmt.Errorf("leaf %s has %d values", p.leaves[i].Name, t.Card())
		case pointer[i]:
			table := lists.Memo(tables, t, func(*Type) []uint64 { return codeTable(packer, i, perm, t) })
			if table != nil {
				q.field(from, n, to, table)
				continue
			}
		}
		for n > 0 { // part by part, as words end
			k := min(n, 64-from%64, 64-to%64)
			q.word(from, k, to)
			from, to, n = from+k, to+k, n-k
		}
	}
	return q, nil
}

// codeTable returns the images of the codes of type t, which is that of leaf i, or nil if
// they are the same.
func codeTable(packer *Packer, i int, perm ScalarPerm, t *Type) []uint64 {
	_, n := packer.Field(i)
	table, same := make([]uint64, 1<<n), true
	for v := t.Lo; v <= t.Hi; v++ {
		code, image := packer.Code(i, v), packer.Code(i, perm.apply(t, v))
		table[code] = image
		same = same && code == image
	}
	if same {
		return nil
	}
	return table
}

// word adds n bits from one word to another.
func (q *PackedPerm) word(from, n, to int) {
	m := wordMove{from / 64 * 8, (to - from) & 63, (1<<n - 1) << (to % 64)}
	all := &q.words[to/64]
	for i := range *all {
		if l := &(*all)[i]; l.from == m.from && l.shift == m.shift {
			l.mask |= m.mask
			return
		}
	}
	*all = append(*all, m)
}

// field adds a field of n bits.
func (q *PackedPerm) field(from, n, to int, table []uint64) {
	k := len(q.groups) - 1
	if k < 0 || from+n-8*q.groups[k].from > wordBits {
		q.groups = append(q.groups, fieldGroup{from: from / 8})
		k++
	}
	g := &q.groups[k]
	m := fieldMove{shift: uint(from - 8*g.from), mask: 1<<n - 1, table: table, to: to / 64 * 8, at: uint(to % 64), over: to%64+n > 64}
	g.mask |= m.mask << m.shift
	g.fields = append(g.fields, m)
}

// Apply stores the image of the packed state src in dst. Both go on for PackedPad
// bytes behind the state.
func (q *PackedPerm) Apply(src, dst []byte) {
	for k, moves := range q.words {
		x := uint64(0)
		for i := range moves {
			m := &moves[i]
			x |= bits.RotateLeft64(binary.LittleEndian.Uint64(src[m.from:]), m.shift) & m.mask
		}
		binary.LittleEndian.PutUint64(dst[8*k:], x)
	}
	for i := range q.groups {
		g := &q.groups[i]
		x := binary.LittleEndian.Uint64(src[g.from:])
		if x&g.mask == 0 {
			continue
		}
		for j := range g.fields {
			f := &g.fields[j]
			v := f.table[x>>(f.shift&63)&f.mask]
			at := dst[f.to:]
			binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)|v<<(f.at&63))
			if f.over {
				at = at[8:]
				binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)|v>>((64-f.at)&63))
			}
		}
	}
}
