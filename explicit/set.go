package explicit

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// set is the visited set: packed states of one size, numbered from 0 in the
// order of their insertion, in chunks that never move, with a table in front of
// them. The table is open addressing with linear probing; an entry holds the
// state number plus one in its low half and 32 bits of the hash in its high
// half, from which the home slot follows, so growing reads no state.
type set struct {
	size     int // bytes per state; 0 for a model without variables
	perChunk int // states per chunk
	chunks   [][]byte
	parents  [][]uint32 // by chunk: number of the state it was first reached from
	table    []uint64
	shift    uint // 32 - log2(len(table))
	n        uint32
	fetched  uint64 // keeps what fetch reads
}

const (
	noParent  = ^uint32(0)
	chunkSize = 1 << 20 // bytes, at most, of the states in a chunk
	maxStates = 1<<32 - 2
)

func newSet(size int) *set {
	return &set{size: size, perChunk: min(max(1, chunkSize/max(size, 1)), 1<<15), table: make([]uint64, 1<<12), shift: 32 - 12}
}

// at returns the packed state i; it must not be changed.
func (s *set) at(i uint32) []byte {
	k := int(i) % s.perChunk * s.size
	return s.chunks[int(i)/s.perChunk][k : k+s.size : k+s.size]
}

func (s *set) parent(i uint32) uint32 { return s.parents[int(i)/s.perChunk][int(i)%s.perChunk] }

// memory returns the bytes in use, and what the next insertion may add.
func (s *set) memory() (used, next int64) {
	chunk := int64(s.perChunk) * int64(s.size+4)
	used = int64(len(s.chunks))*chunk + 8*int64(len(s.table))
	if int(s.n) == len(s.chunks)*s.perChunk {
		next += chunk
	}
	if s.full() {
		next += 16 * int64(len(s.table)) // the old table lives on until the new one is filled
	}
	return used, next
}

// full reports whether the table must grow before the next insertion.
func (s *set) full() bool { return int(s.n) >= len(s.table)/4*3 }

// find returns the number of state b, whose hash is tag, or the slot in which to
// insert it.
func (s *set) find(b []byte, tag uint32) (i uint32, found bool, slot int) {
	mask := len(s.table) - 1
	for slot = int(tag >> s.shift); ; slot = (slot + 1) & mask {
		e := s.table[slot]
		if e == 0 {
			return 0, false, slot
		}
		if uint32(e>>32) == tag && bytes.Equal(s.at(uint32(e)-1), b) {
			return uint32(e) - 1, true, slot
		}
	}
}

// fetch has the processor fetch what find will look at for each of these hashes, all
// at once: the search waits for memory more than for anything else.
func (s *set) fetch(tags []uint32) {
	var sum uint64
	for _, tag := range tags {
		sum += s.table[tag>>s.shift]
	}
	if s.size > 0 {
		for _, tag := range tags {
			if e := s.table[tag>>s.shift]; uint32(e>>32) == tag {
				sum += uint64(s.at(uint32(e) - 1)[0])
			}
		}
	}
	s.fetched = sum
}

// insert adds a state that find did not find and returns its number.
func (s *set) insert(b []byte, slot int, tag, parent uint32) uint32 {
	if s.full() {
		s.grow()
		mask := len(s.table) - 1
		for slot = int(tag >> s.shift); s.table[slot] != 0; slot = (slot + 1) & mask {
		}
	}
	i := s.n
	s.n++
	c := int(i) / s.perChunk
	if c == len(s.chunks) {
		s.chunks = append(s.chunks, make([]byte, s.perChunk*s.size))
		s.parents = append(s.parents, make([]uint32, s.perChunk))
	}
	copy(s.chunks[c][int(i)%s.perChunk*s.size:], b)
	s.parents[c][int(i)%s.perChunk] = parent
	s.table[slot] = uint64(tag)<<32 | uint64(i+1)
	return i
}

func (s *set) grow() {
	old := s.table
	s.table = make([]uint64, 2*len(old))
	s.shift--
	mask := len(s.table) - 1
	for _, e := range old {
		if e == 0 {
			continue
		}
		slot := int(uint32(e>>32) >> s.shift)
		for s.table[slot] != 0 {
			slot = (slot + 1) & mask
		}
		s.table[slot] = e
	}
}

// mix is a cheap hash of two words: the folded 128-bit product.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd1b54a32d192ed03)
	return hi ^ lo
}

func hash(b []byte) uint32 {
	h := uint64(len(b))
	for ; len(b) >= 8; b = b[8:] {
		h = mix(h, binary.LittleEndian.Uint64(b))
	}
	if len(b) > 0 {
		var w uint64
		for i, x := range b {
			w |= uint64(x) << (8 * i)
		}
		h = mix(h, w)
	}
	return uint32(mix(h, 0x2545f4914f6cdd1d) >> 32)
}
