package pdr

import (
	"slices"
	"strings"
)

// lit is a literal over latches: twice the number of the latch, plus 1 if it is
// false.
type lit = int32

// cube is a set of states: the conjunction of literals, sorted, of distinct
// latches. As a lemma it stands for its negation, a clause.
type cube []lit

// signature is a set of literals, hashed to 64 bits.
type signature uint64

func (c cube) signature() signature {
	var s signature
	for _, l := range c {
		s |= 1 << (uint32(l) * 0x9e3779b1 >> 26)
	}
	return s
}

// subsetOf reports whether every literal of c is in d: then d implies c.
func (c cube) subsetOf(d cube) bool {
	if len(c) > len(d) {
		return false
	}
	if len(c) < len(d)/16 {
		for _, l := range c {
			if _, in := slices.BinarySearch(d, l); !in {
				return false
			}
		}
		return true
	}
	j := 0
	for _, l := range c {
		for j < len(d) && d[j] < l {
			j++
		}
		if j == len(d) || d[j] != l {
			return false
		}
		j++
	}
	return true
}

// without returns c but for one literal.
func (c cube) without(l lit) cube {
	d := make(cube, 0, len(c))
	for _, m := range c {
		if m != l {
			d = append(d, m)
		}
	}
	return d
}

// union returns the literals of both.
func (c cube) union(d cube) cube {
	u := append(slices.Clone(c), d...)
	slices.Sort(u)
	return slices.Compact(u)
}

// image returns the cube permuted: latch i goes to latch p[i]>>1, negated if
// p[i] is odd.
func (c cube) image(p []int32) cube {
	d := make(cube, len(c))
	for i, l := range c {
		d[i] = p[l>>1] ^ l&1
	}
	slices.Sort(d)
	return d
}

// key is a map key.
func (c cube) key() string {
	var b strings.Builder
	b.Grow(4 * len(c))
	for _, l := range c {
		b.WriteByte(byte(l))
		b.WriteByte(byte(l >> 8))
		b.WriteByte(byte(l >> 16))
		b.WriteByte(byte(l >> 24))
	}
	return b.String()
}

// holds reports whether the state, which gives a value to each latch, is in c.
func (c cube) holds(state []bool) bool {
	for _, l := range c {
		if state[l>>1] == (l&1 == 1) {
			return false
		}
	}
	return true
}
