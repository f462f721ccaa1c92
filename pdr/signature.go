package pdr

import "orbitmc/ts"

// signature is a set of literals, hashed to 64 bits: a cube has one that is not
// contained in that of another only if the cube is not, either.
type signature uint64

func signatureOf(c ts.Cube) signature {
	var s signature
	for _, l := range c {
		s |= 1 << (uint32(l) * 0x9e3779b1 >> 26)
	}
	return s
}
