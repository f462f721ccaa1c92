package model

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Packer packs states densely: a leaf whose type has c values takes as many
// bits as c needs, code 0 standing for undefined and value-Lo+1 for a value.
// Equal states have equal packings and different states different ones. It is
// immutable and safe for concurrent use.
//
// Large models have networks that are nearly empty: most leaves are undefined.
// So leaves are packed in blocks, and undefined blocks are skipped. And a step
// changes few leaves: Repack and Update only look at what is different.
type Packer struct {
	leaves []packedLeaf
	blocks []int   // bits of each block of leaves
	leafAt []int32 // by bit: the leaf
	zeros  []byte  // as many as a packed state has bytes
}

type packedLeaf struct {
	below int64 // code 0: the least value minus 1
	pos   int   // first bit
	width int   // bits

	word  int   // pos / 64
	shift uint8 // pos % 64
	over  bool  // it has bits in the next word
	mask  uint64
}

// from returns the code in a state given as words.
func (l *packedLeaf) from(words *[fewWords]uint64) uint64 {
	v := words[l.word&(fewWords-1)] >> (l.shift & 63)
	if l.over {
		v |= words[(l.word+1)&(fewWords-1)] << ((64 - l.shift) & 63)
	}
	return v & l.mask
}

// fewWords is one more than the words of a state that is unpacked from words.
const fewWords = 16

// wordsOf stores b as words.
func wordsOf(b []byte, words *[fewWords]uint64) {
	at := 0
	for ; len(b) >= 8; b = b[8:] {
		words[at] = binary.LittleEndian.Uint64(b)
		at++
	}
	if len(b) > 0 {
		words[at] = lastWord(b)
	}
}

// code returns the code of value v.
func (l *packedLeaf) code(v int64) uint64 {
	if v == Undef {
		return 0
	}
	return uint64(v - l.below)
}

// value returns the value with this code.
func (l *packedLeaf) value(code uint64) int64 {
	if code == 0 {
		return Undef
	}
	return l.below + int64(code)
}

const blockLeaves = 16

// block is so many leaves; arrays are compared and copied faster than slices.
type block [blockLeaves]int64

var undefBlock = block(slices.Repeat(State{Undef}, blockLeaves))

// NewPacker returns the packer for the states of m.
func NewPacker(m *Model) *Packer {
	p := &Packer{}
	n := 0
	for i, l := range m.AllLeaves() {
		w := bits.Len64(uint64(l.Type.Hi - l.Type.Lo + 1))
		p.leaves = append(p.leaves, packedLeaf{below: l.Type.Lo - 1, pos: n, width: w,
			word: n / 64, shift: uint8(n % 64), over: n%64+w > 64, mask: 1<<w - 1})
		if i%blockLeaves == 0 {
			p.blocks = append(p.blocks, 0)
		}
		p.blocks[len(p.blocks)-1] += w
		n += w
		for len(p.leafAt) < n {
			p.leafAt = append(p.leafAt, int32(i))
		}
	}
	p.zeros = make([]byte, (n+7)/8)
	return p
}

// Size returns the number of bytes of a packed state.
func (p *Packer) Size() int { return len(p.zeros) }

// Pack appends the packing of s to dst: exactly Size bytes.
func (p *Packer) Pack(dst []byte, s State) []byte {
	out := len(dst)
	dst = append(dst, p.zeros...)
	b := dst[out:]
	var acc uint64 // the bits to be written next, from byte at on
	n, at := 0, 0  // there are n of them, below 64
	for k, total := range p.blocks {
		first, end := k*blockLeaves, min((k+1)*blockLeaves, len(s))
		if end-first == blockLeaves && *(*block)(s[first:]) == undefBlock {
			if n += total; n >= 64 {
				binary.LittleEndian.PutUint64(b[at:], acc)
				acc = 0
				at += n / 64 * 8
				n %= 64
			}
			continue
		}
		leaves := p.leaves[first:end]
		for i, v := range s[first:end] {
			code, w := leaves[i].code(v), leaves[i].width
			acc |= code << (n & 63)
			if n+w >= 64 {
				binary.LittleEndian.PutUint64(b[at:], acc)
				at += 8
				acc = code >> 1 >> ((63 - n) & 63)
				n -= 64
			}
			n += w
		}
	}
	for ; n > 0; n -= 8 {
		b[at] = byte(acc)
		acc >>= 8
		at++
	}
	return dst
}

// Unpack reads the packed state b into dst, which has one entry per leaf.
func (p *Packer) Unpack(b []byte, dst State) {
	if len(b) < 8*fewWords {
		var words [fewWords]uint64
		wordsOf(b, &words)
		for i := range p.leaves {
			l := &p.leaves[i]
			dst[i] = l.value(l.from(&words))
		}
		return
	}
	pos := 0 // in bits
	for k, total := range p.blocks {
		first, end := k*blockLeaves, min((k+1)*blockLeaves, len(dst))
		if end-first == blockLeaves && allZero(b, pos, total) {
			*(*block)(dst[first:]) = undefBlock
			pos += total
			continue
		}
		for i := first; i < end; i++ {
			l := &p.leaves[i]
			dst[i] = l.value(bitsAt(b, pos, l.width))
			pos += l.width
		}
	}
}

// Repack turns b, the packing of old, into that of s, which may differ from old
// in the leaves changed, and in no others. If b goes on for PackedPad bytes it is faster.
func (p *Packer) Repack(b []byte, old, s State, changed []int) {
	for _, i := range changed {
		l := &p.leaves[i]
		flip := l.code(old[i]) ^ l.code(s[i])
		k, shift := l.pos/8, l.pos%8
		if k+8 <= len(b) && shift+l.width <= 64 {
			at := b[k : k+8]
			binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)^flip<<shift)
			continue
		}
		b[k] ^= byte(flip << shift)
		for flip >>= 8 - shift; flip != 0; flip >>= 8 {
			k++
			b[k] ^= byte(flip)
		}
	}
}

// Update is Unpack for a dst that already holds the state packed in old. It appends to changed the
// leaves that differ, ascending; one that has bits in two words may be there twice.
func (p *Packer) Update(dst State, old, b []byte, changed []int) []int {
	for k := 0; 64*k < len(p.leafAt); k++ {
		now := wordAt(b, k)
		for flip := now ^ wordAt(old, k); flip != 0; {
			i := int(p.leafAt[64*k+bits.TrailingZeros64(flip)])
			l := &p.leaves[i]
			var code uint64
			if l.word == k {
				code = now >> (l.shift & 63)
				if l.over {
					code |= wordAt(b, k+1) << ((64 - l.shift) & 63)
				}
				flip &^= l.mask << (l.shift & 63)
			} else { // it begins in the word before
				code = wordAt(b, k-1)>>(l.shift&63) | now<<((64-l.shift)&63)
				flip &^= l.mask >> ((64 - l.shift) & 63)
			}
			dst[i] = l.value(code & l.mask)
			changed = append(changed, i)
		}
	}
	return changed
}

// wordAt returns word k of b, which may end in it.
func wordAt(b []byte, k int) uint64 {
	if b = b[8*k:]; len(b) >= 8 {
		return binary.LittleEndian.Uint64(b)
	}
	return lastWord(b)
}

func lastWord(b []byte) (w uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		w = w<<8 | uint64(b[i])
	}
	return w
}

// bitsAt returns n bits of b from bit pos on, at most 64.
func bitsAt(b []byte, pos, n int) uint64 {
	i, shift := pos/8, pos%8
	var v uint64
	if i+8 <= len(b) {
		v = binary.LittleEndian.Uint64(b[i:]) >> shift
		if n+shift > 64 {
			v |= uint64(b[i+8]) << (64 - shift)
		}
	} else {
		for j := len(b) - 1; j >= i; j-- {
			v = v<<8 | uint64(b[j])
		}
		v >>= shift
	}
	return v & (1<<n - 1)
}

// allZero reports whether the n bits of b from bit pos on are 0.
func allZero(b []byte, pos, n int) bool {
	for ; n > 64; n -= 64 {
		if bitsAt(b, pos, 64) != 0 {
			return false
		}
		pos += 64
	}
	return bitsAt(b, pos, n) == 0
}
