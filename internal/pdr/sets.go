package pdr

import (
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

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

// This file speeds up subsumption tests.

// signature is a set of literals, hashed to 64 bits. If the signature of a cube is not a
// subset of the signature of another cube, the cube is no subset of the other.
type signature uint64

func signatureOf(c ts.Cube) signature {
	var s signature
	for _, l := range c {
		s |= 1 << (uint32(l) * 0x9e3779b1 >> 26)
	}
	return s
}
