package graph

import "slices"

// Pruning by known automorphisms on the right side (McKay's coset pruning, bliss's
// “long prune”). At a node of the right side that fixes the images r(i) … r(j-1),
// the children in one orbit of the known automorphisms which fix these images, and
// v0 … v(i-1), fail together. Generators of the whole search fix v0 … v(i-1), and
// those among the latest that fix the images as well are used. It is done once
// a child has failed, hence at nodes that are bad anyway.

// effort is how many moved vertices of generators a node looks at, so that bad
// nodes do not cost more than they save.
const effort = 1 << 14

// excuse adds to f.excused the orbit of the vertex v that failed at frame f of
// level j, in a search that started at level i. The right side is at state j.
func (s *search) excuse(i, j int, f *frame, v int32) {
	if f.excused == nil {
		f.excused = map[int32]bool{}
		left := effort
		for k := len(s.generators) - 1; k >= 0; k-- {
			moved := s.generators[k].Moved
			if left -= len(moved); left < 0 {
				break
			}
			if !slices.ContainsFunc(moved, func(x int32) bool {
				c := s.cellOf[x]
				return s.size[c] == 1 && s.chosen[c] > int32(i) && s.chosen[c] <= int32(j)
			}) {
				f.fixing = append(f.fixing, int32(k))
			}
		}
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
