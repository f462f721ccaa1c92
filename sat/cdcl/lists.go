package cdcl

import "math/bits"

// This file has the lists of watches: a million lists of a few watches each. A list that is
// outgrown is used again for another. Other lists may grow while one is walked.

// lists has a list of watches for each literal. The zero value has none.
type lists struct {
	of     []list
	blocks blocks[watch]
	spare  [32][]uint32 // by the logarithm of the size: addresses of lists to use again
}

// list is the watches of a literal: n of them, with room for 2^log.
type list struct {
	first, n uint32
	log      uint8 // 0: it has no room
}

// grow adds a literal.
func (w *lists) grow() { w.of = append(w.of, list{}) }

// list returns the watches of a literal. The slice is valid until this list grows.
func (w *lists) list(l lit) []watch {
	s := &w.of[l]
	if s.log == 0 {
		return nil
	}
	return w.blocks.at(s.first)[:s.n]
}

func (w *lists) cut(l lit, n int) { w.of[l].n = uint32(n) }

func (w *lists) push(l lit, x watch) {
	s := &w.of[l]
	if s.log == 0 || s.n == 1<<s.log {
		w.enlarge(s)
	}
	w.blocks.at(s.first)[s.n] = x
	s.n++
}

// enlarge moves a list to where it has twice the room.
func (w *lists) enlarge(s *list) {
	old := *s
	s.log++
	s.first = w.place(s.log)
	if old.log > 0 {
		copy(w.blocks.at(s.first), w.blocks.at(old.first)[:old.n])
		w.spare[old.log] = append(w.spare[old.log], old.first)
	}
}

// place returns the address of room for 2^log watches.
func (w *lists) place(log uint8) uint32 {
	if k := len(w.spare[log]); k > 0 {
		first := w.spare[log][k-1]
		w.spare[log] = w.spare[log][:k-1]
		return first
	}
	if !w.blocks.fits(1 << log) {
		for b := &w.blocks; b.fits(2); { // the rest of the block
			k := bits.Len32(b.end-b.next) - 1
			w.spare[k] = append(w.spare[k], b.take(1<<k))
		}
	}
	return w.blocks.take(1 << log)
}
