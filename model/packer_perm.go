package model

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// PackedPerm applies a permutation to packed states without unpacking them: runs
// of leaves that move together are moved as words, values of classes go through a
// table. It is immutable and safe for concurrent use. Multisets are not sorted
// again: see PackedSets.
type PackedPerm struct {
	moves []packedMove
}

// packedMove moves bits from..from+n-1 to to.
type packedMove struct {
	from, to int
	mask     uint64
	table    []uint64 // by code: its image; nil is the identity
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
	q := &PackedPerm{}
	pointer := make([]bool, p.n)
	for _, i := range p.pointers {
		pointer[i] = true
	}
	for i := range p.n {
		from, n := packer.Field(i)
		to, _ := packer.Field(p.permLeaf(perm, i))
		if n == 0 {
			continue
		}
		if n > wordBits {
			return nil, fmt.Errorf("leaf %s has %d bits", p.leaves[i].Name, n)
		}
		m := packedMove{from: from, to: to, mask: 1<<n - 1}
		if pointer[i] {
			if t := p.leaves[i].Type; t.Card() < most {
				same := true
				m.table = make([]uint64, 1<<n)
				for v := t.Lo; v <= t.Hi; v++ {
					code, image := packer.Code(i, v), packer.Code(i, perm.apply(t, v))
					m.table[code] = image
					same = same && code == image
				}
				if same {
					m.table = nil
				}
			} else {
				return nil, fmt.Errorf("leaf %s has %d values", p.leaves[i].Name, t.Card())
			}
		}
		if k := len(q.moves) - 1; k >= 0 && m.table == nil && q.moves[k].table == nil {
			l := &q.moves[k]
			have := bits.Len64(l.mask)
			if l.from+have == from && l.to+have == to && have+n <= wordBits {
				l.mask = 1<<(have+n) - 1
				continue
			}
		}
		q.moves = append(q.moves, m)
	}
	return q, nil
}

// Apply stores the image of the packed state src in dst. Both go on for PackedPad
// bytes behind the state; dst is all zero.
func (q *PackedPerm) Apply(src, dst []byte) {
	for i := range q.moves {
		m := &q.moves[i]
		v := binary.LittleEndian.Uint64(src[m.from>>3:]) >> (m.from & 7) & m.mask
		if m.table != nil {
			v = m.table[v]
		}
		at := dst[m.to>>3:]
		binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)|v<<(m.to&7))
	}
}
