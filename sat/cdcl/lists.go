package cdcl

import "math/bits"

// This file has the lists of watches. A million lists of a few watches each are in few
// blocks of memory, without a pointer: the garbage collector need not look at them, and a
// list that is outgrown is used again for another. A block is never moved, so that a list may be walked
// while others grow.

const (
	unitBits  = 12
	firstSize = 1 << 8  // watches of the first block
	blockSize = 1 << 17 // watches of a large block; a larger list has a block of its own
)

// lists has a list of watches for each literal. The zero value has none.
type lists struct {
	of    []span
	units [][]watch    // by address / 2^unitBits: the rest of a block
	next  uint32       // address of the next free place
	end   uint32       // and of the end of its block
	size  int          // of the last block
	spare [32][]uint32 // by the logarithm of the size: addresses of lists to use again
}

// span is a list: it has place for 2^log watches, none if n and first are 0.
type span struct {
	first, n uint32
	log      uint8
	some     bool // it has a place
}

// grow adds a literal.
func (w *lists) grow() { w.of = append(w.of, span{}) }

// list returns the watches of a literal. The slice is valid until the list of this literal grows.
func (w *lists) list(l lit) []watch {
	s := &w.of[l]
	if !s.some {
		return nil
	}
	return w.at(s.first)[:s.n]
}

func (w *lists) at(address uint32) []watch {
	return w.units[address>>unitBits][address&(1<<unitBits-1):]
}

// cut shortens a list.
func (w *lists) cut(l lit, n int) { w.of[l].n = uint32(n) }

// push appends to a list.
func (w *lists) push(l lit, x watch) {
	s := &w.of[l]
	if !s.some || s.n == 1<<s.log {
		w.enlarge(s)
	}
	w.at(s.first)[s.n] = x
	s.n++
}

// enlarge moves a list to a place of twice the size.
func (w *lists) enlarge(s *span) {
	old := *s
	if s.some {
		s.log++
	} else {
		s.log, s.some = 1, true
	}
	s.first = w.place(s.log)
	if old.some {
		copy(w.at(s.first), w.at(old.first)[:old.n])
		w.spare[old.log] = append(w.spare[old.log], old.first)
	}
}

// place returns the address of a place for 2^log watches.
func (w *lists) place(log uint8) uint32 {
	if k := len(w.spare[log]); k > 0 {
		first := w.spare[log][k-1]
		w.spare[log] = w.spare[log][:k-1]
		return first
	}
	size := uint32(1) << log
	if w.end-w.next < size {
		for rest := w.end - w.next; rest > 1; rest = w.end - w.next { // the rest of the block
			k := bits.Len32(rest) - 1
			w.spare[k] = append(w.spare[k], w.next)
			w.next += 1 << k
		}
		w.size = max(min(2*w.size, blockSize), firstSize, int(size))
		block := make([]watch, w.size)
		w.next = uint32(len(w.units)) << unitBits
		w.end = w.next + uint32(w.size)
		for len(block) > 0 {
			w.units = append(w.units, block)
			block = block[min(len(block), 1<<unitBits):]
		}
	}
	first := w.next
	w.next += size
	return first
}
