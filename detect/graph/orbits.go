package graph

// Disjoint sets of vertices, union by size with path halving (Tarjan, van
// Leeuwen, J. ACM 31(2), 1984): the orbits of the group found so far.

type orbits struct {
	parent []int32
	count  []int32 // members, at roots
}

func newOrbits(n int) orbits {
	o := orbits{parent: make([]int32, n), count: make([]int32, n)}
	for v := range o.parent {
		o.parent[v] = int32(v)
		o.count[v] = 1
	}
	return o
}

func (o *orbits) find(v int32) int32 {
	for o.parent[v] != v {
		o.parent[v] = o.parent[o.parent[v]]
		v = o.parent[v]
	}
	return v
}

// union joins the sets of two roots and returns the root of the union and the
// root that ceased to be one; both are the same if there was nothing to join.
func (o *orbits) union(v, w int32) (root, gone int32) {
	v, w = o.find(v), o.find(w)
	if v == w {
		return v, v
	}
	if o.count[v] < o.count[w] {
		v, w = w, v
	}
	o.parent[w] = v
	o.count[v] += o.count[w]
	return v, w
}
