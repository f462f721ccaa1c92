package graph

import "slices"

// Pruning by known automorphisms on the right side (McKay's coset pruning, bliss's
// “long prune”). At a node of the right side that fixes the images r(i) … r(j-1),
// the children in one orbit of the known automorphisms which fix these images, and
// v0 … v(i-1), fail together. Generators of the whole search fix v0 … v(i-1), and
// those among the latest that fix the images as well are used. It is done once
// a child has failed, hence at nodes that are bad anyway.

// latest is how many generators a node looks at: a bound on effort only.
const latest = 256

// excuse adds to f.excused the orbit of the vertex v that failed at frame f of
// level j, in a search that started at level i.
func (s *search) excuse(i, j int, f *frame, v int32) {
	if f.fixing == nil {
		f.fixing = []int32{}
		for k := max(0, len(s.generators)-latest); k < len(s.generators); k++ {
			fixes := true
			for n := i; n < j && fixes; n++ {
				_, moves := slices.BinarySearch(s.generators[k].Moved, s.frames[n-i].choice)
				fixes = !moves
			}
			if fixes {
				f.fixing = append(f.fixing, int32(k))
			}
		}
	}
	if f.excused == nil {
		f.excused = map[int32]bool{}
	}
	if f.excused[v] {
		return
	}
	f.excused[v] = true
	orbit := []int32{v}
	for n := 0; n < len(orbit); n++ {
		for _, k := range f.fixing {
			w := int32(s.generators[k].Apply(int(orbit[n])))
			if !f.excused[w] {
				f.excused[w] = true
				orbit = append(orbit, w)
			}
		}
	}
}
