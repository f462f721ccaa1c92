package rep

import (
	"encoding/binary"

	"orbitmc/internal/disjoint"
	"orbitmc/ts"
)

// This file tells states of different orbits apart without a search for permutations.
//
// A permutation π of the group maps a literal of a latch to one that has in π(s) the value that the first has in s. So
// the number of true literals of each orbit of literals is the same in s and in π(s). Equal numbers do not mean that two
// states are of one orbit.

// Invariant is a function that is equal on states of one orbit.
type Invariant struct {
	orbit []int // by literal of a latch
	n     int   // orbits
}

// NewInvariant returns an invariant of a group on states of so many latches.
func NewInvariant(y *ts.Symmetry, latches int) *Invariant {
	orbits := disjoint.New[int](2 * latches)
	for _, p := range y.Generators() {
		for l := range orbits {
			orbits.Join(l, int(ts.Lit(l).Under(p.Latch)))
		}
	}
	v := &Invariant{orbit: make([]int, len(orbits))}
	for l := range orbits {
		if r := orbits.Find(l); r == l {
			v.orbit[l] = v.n
			v.n++
		} else {
			v.orbit[l] = v.orbit[r]
		}
	}
	return v
}

// Of returns the value on a state.
func (in *Invariant) Of(state []bool) string {
	count := make([]uint64, in.n)
	for i, bit := range state {
		count[in.orbit[ts.MkLit(i, !bit)]]++
	}
	var out []byte
	for _, c := range count {
		out = binary.AppendUvarint(out, c)
	}
	return string(out)
}
