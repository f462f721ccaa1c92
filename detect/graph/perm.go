package graph

import "slices"

// Sparse permutations: a symmetry of a netlist moves a few rows of a graph of a
// million vertices, so a permutation is the list of the vertices that it moves.

// Perm is a permutation of vertices, given by the vertices it moves. Moved is
// ascending; Image[k] is the image of Moved[k] and differs from it. The empty
// Perm is the identity.
type Perm struct {
	Moved []int32
	Image []int32
}

// Apply returns the image of v.
func (p Perm) Apply(v int) int {
	if k, ok := slices.BinarySearch(p.Moved, int32(v)); ok {
		return int(p.Image[k])
	}
	return v
}
