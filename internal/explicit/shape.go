package explicit

import (
	"encoding/binary"
	"slices"

	"orbitmc/mc/evidence"
)

// This file chooses which words of a state are put together in a tree. Laarman, van de Pol and Weber halve the
// words as they are declared. Here those two parts are put together first, again and again, that have the fewest
// different pairs in a sample of states, as Huffman does with weights: what never changes goes together, what changes
// at the same time goes together, and at the root are two parts that change on their own. Generated coherence models
// have a fifth of the pairs then.

// shape is the splits of a tree, for all states of a size.
type shape struct {
	splits []evidence.Split
	salts  []uint64
	above  []int32 // by split: what it is a half of
	holds  []int32 // by word: what it is a half of
}

// A sample is so many of the states, and less if there are so many words that comparing all pairs of them takes longer.
const (
	shareSampled = 16
	mostSampled  = 1 << 13
	mostCompared = 1 << 28

	// All pairs of groups are compared. Beyond so many of them, neighbours are put together first.
	mostGroups = 1 << 10
)

// group is what is put together so far.
type group struct {
	half   int32    // as in evidence.Split
	values []uint32 // by state of the sample: which of its values it has
	n      int      // values
}

// newShape returns the splits for states of size bytes, of which there are n.
func newShape(size, n int, at func(i int) []byte) *shape {
	words := max(2, (size+3)/4)
	s := &shape{above: make([]int32, words-1), holds: make([]int32, words)}
	of := max(1, min(n/shareSampled, mostSampled, mostCompared/(min(words, mostGroups)*min(words, mostGroups))))
	p := newPairs(of)
	var still, moving []group
	for _, g := range wordGroups(words, of, func(i int) []byte { return at(i * n / of) }, p) {
		if g.n == 1 {
			still = append(still, g)
		} else {
			moving = append(moving, g)
		}
	}
	for len(moving) > mostGroups {
		var fewer []group
		for two := range slices.Chunk(moving, 2) {
			if len(two) == 2 {
				n := p.join(two[0].values, two[1].values)
				two[0] = group{s.join(two[0].half, two[1].half), two[0].values, n}
			}
			fewer = append(fewer, two[0])
		}
		moving = fewer
	}
	for len(still) > 1 {
		still = append(still[2:], group{half: s.join(still[0].half, still[1].half), values: still[0].values, n: 1})
	}
	s.greedy(append(moving, still...), p)
	return s
}

// wordGroups returns a group for each word.
func wordGroups(words, of int, at func(i int) []byte, p *pairs) []group {
	all := make([]uint32, words*of)
	for i := range of {
		b := at(i)
		for w := range words {
			var last [4]byte
			copy(last[:], b[min(4*w, len(b)):])
			all[w*of+i] = binary.LittleEndian.Uint32(last[:])
		}
	}
	groups := make([]group, words)
	for w := range groups {
		values := all[w*of : (w+1)*of]
		known := make(map[uint32]uint32)
		for i, v := range values {
			k, ok := known[v]
			if !ok {
				k = uint32(len(known))
				known[v] = k
			}
			values[i] = k
		}
		groups[w] = group{^int32(w), values, len(known)}
	}
	return groups
}

// join adds a split and returns its number.
func (s *shape) join(a, b int32) int32 {
	k := int32(len(s.splits))
	s.splits = append(s.splits, evidence.Split{a, b})
	s.salts = append(s.salts, mix(uint64(k), 0))
	for _, half := range []int32{a, b} {
		if half < 0 {
			s.holds[^half] = k
		} else {
			s.above[half] = k
		}
	}
	return k
}

// greedy puts the two groups with the fewest pairs together until there is one. Of two groups it is known how many
// pairs there are at least: as many as of their parts.
func (s *shape) greedy(groups []group, p *pairs) {
	n := len(groups)
	least := make([]int, n*n) // by two groups
	exact := make([]bool, n*n)
	for len(groups) > 1 {
		a, b, best := 0, 0, 1<<62
		for j := range groups {
			for i := range j {
				at := j*n + i
				if groups[i].n >= best || groups[j].n >= best || least[at] >= best {
					continue
				}
				if !exact[at] {
					least[at] = p.count(groups[i].values, groups[j].values, best)
					exact[at] = least[at] < best
				}
				if least[at] < best {
					a, b, best = i, j, least[at]
				}
			}
		}
		last := len(groups) - 1
		p.join(groups[a].values, groups[b].values)
		groups[a] = group{s.join(groups[a].half, groups[b].half), groups[a].values, best}
		index := func(i, j int) int { return max(i, j)*n + min(i, j) }
		for i := range groups {
			if i != a && i != b {
				least[index(a, i)] = max(least[index(a, i)], least[index(b, i)])
				exact[index(a, i)] = false
			}
		}
		for i := range last { // the last one takes the place of b
			if i != b && b != last {
				least[index(b, i)], exact[index(b, i)] = least[index(last, i)], exact[index(last, i)]
			}
		}
		groups[b] = groups[last]
		groups = groups[:last]
	}
}

// pairs counts pairs of numbers, by hashing.
type pairs struct {
	table []uint64 // the time in the upper half, then the pair
	which []uint32 // by slot: the number of the pair
	now   uint32
}

func newPairs(n int) *pairs {
	size := 1
	for size < 2*n {
		size *= 2
	}
	return &pairs{table: make([]uint64, size), which: make([]uint32, size)}
}

// slot returns where a pair is or belongs; both numbers are below 1<<16.
func (p *pairs) slot(x, y uint32) (k int, is bool) {
	pair := x<<16 | y
	key := uint64(p.now)<<32 | uint64(pair)
	for k = int(pair*0x9e3779b1>>8) & (len(p.table) - 1); uint32(p.table[k]>>32) == p.now; k = (k + 1) & (len(p.table) - 1) {
		if p.table[k] == key {
			return k, true
		}
	}
	p.table[k] = key
	return k, false
}

// count returns how many pairs there are, or most if there are more.
func (p *pairs) count(a, b []uint32, most int) (n int) {
	p.now++
	for i, x := range a {
		if _, is := p.slot(x, b[i]); !is {
			if n++; n == most {
				return n
			}
		}
	}
	return n
}

// join makes a the numbers of the pairs, and returns how many there are.
func (p *pairs) join(a, b []uint32) int {
	p.now++
	n := uint32(0)
	for i, x := range a {
		k, is := p.slot(x, b[i])
		if !is {
			p.which[k] = n
			n++
		}
		a[i] = p.which[k]
	}
	return int(n)
}
