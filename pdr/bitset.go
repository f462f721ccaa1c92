package pdr

import "orbitmc/internal/lists"

// bitset is a set of small numbers: states and inputs of a netlist may have tens of thousands.
type bitset []uint64

// newBitset returns an empty set for numbers below n.
func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) add(i int) { b[i/64] |= 1 << (i % 64) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

// values returns for each number below n whether it is in the set.
func (b bitset) values(n int) []bool {
	return lists.Make(n, func(i int) bool { return b.has(i) })
}
