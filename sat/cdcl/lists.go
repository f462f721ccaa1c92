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
func (li *lists) grow() { li.of = append(li.of, list{}) }

// list returns the watches of a literal. The slice is valid until this list grows.
func (li *lists) list(l lit) []watch {
	s := &li.of[l]
	if s.log == 0 {
		return nil
	}
	return li.blocks.at(s.first)[:s.n]
}

func (li *lists) cut(l lit, n int) { li.of[l].n = uint32(n) }

func (li *lists) push(l lit, x watch) {
	s := &li.of[l]
	if s.log == 0 || s.n == 1<<s.log {
		li.enlarge(s)
	}
	li.blocks.at(s.first)[s.n] = x
	s.n++
}

// enlarge moves a list to where it has twice the room.
func (li *lists) enlarge(s *list) {
	old := *s
	s.log++
	s.first = li.place(s.log)
	if old.log > 0 {
		copy(li.blocks.at(s.first), li.blocks.at(old.first)[:old.n])
		li.spare[old.log] = append(li.spare[old.log], old.first)
	}
}

// place returns the address of room for 2^log watches.
func (li *lists) place(log uint8) uint32 {
	if k := len(li.spare[log]); k > 0 {
		first := li.spare[log][k-1]
		li.spare[log] = li.spare[log][:k-1]
		return first
	}
	if !li.blocks.fits(1 << log) {
		for b := &li.blocks; b.fits(2); { // the rest of the block
			k := bits.Len32(b.end-b.next) - 1
			li.spare[k] = append(li.spare[k], b.take(1<<k))
		}
	}
	return li.blocks.take(1 << log)
}
