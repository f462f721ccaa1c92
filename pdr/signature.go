package pdr

import "orbitmc/ts"

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
