package graph

import (
	"slices"

	"orbitmc/internal/disjoint"
)

// orbits are disjoint sets of vertices with their sizes: the orbits of the group found so far.
type orbits struct {
	disjoint.Sets[int32]
	count []int32 // members, at roots
}

func newOrbits(n int) orbits {
	return orbits{disjoint.New[int32](n), slices.Repeat([]int32{1}, n)}
}

func (o *orbits) find(v int32) int32 { return o.Find(v) }

// union joins two sets and returns the root of the union and the root that ceased to be one;
// both are the same if there was nothing to join.
func (o *orbits) union(v, w int32) (root, gone int32) {
	root, gone = o.Find(v), o.Find(w)
	if root > gone {
		root, gone = gone, root
	}
	if o.Join(root, gone) {
		o.count[root] += o.count[gone]
	}
	return root, gone
}
