package graph

import "slices"

// Components of an equitable partition (Junttila and Kaski, “Conflict propagation
// and component recursion for canonical labeling”, TAPAS 2011). Two cells are
// joined if some, but not all, pairs of their vertices are adjacent. Splits
// spread along joins only, so a split in one component of cells does not touch
// another. The first path finishes a component before it takes the next. Within a
// component it takes the smaller of the components into which it falls first. So
// the levels that carry one block of the graph to another follow each other. A
// failure in a component is never due to choices in a component that was finished
// before it, and the search jumps back over these choices.
//
// A component of one cell is not joined to any other: every permutation of it
// extends by the identity. It needs no levels. Twins, leaves of a star and unused
// inputs end here. Singleton cells are joined to nothing, so all edges of fixed
// vertices drop out.

// component is a set of cells of two and more vertices, closed under joins.
type component struct {
	cells    []int32
	vertices int32
	target   int32 // cell to branch on
	jump     int   // level that made it a component; -1 at the root
}

// pushComponents sorts cells into components of the present left partition, declares
// those of one unjoined cell symmetric, and pushes the others, those with
// fewest vertices on top. The cell to branch on is the one joined to most cells,
// then the smallest, then the first (bliss calls this heuristic fsm).
func (s *search) pushComponents(cells []int32, jump int) {
	base := len(s.components)
	stamp := s.nextStamp()
	for _, c := range cells {
		if s.size[c] == 1 || s.stamped[c] == stamp {
			continue
		}
		s.stamped[c] = stamp
		comp := component{cells: []int32{c}, jump: jump}
		most := -1
		for k := 0; k < len(comp.cells); k++ {
			d := comp.cells[k]
			comp.vertices += s.size[d]
			joins := 0
			s.eachJoined(d, func(e int32) {
				joins++
				if s.stamped[e] != stamp {
					s.stamped[e] = stamp
					comp.cells = append(comp.cells, e)
				}
			})
			if t := comp.target; joins > most || joins == most && (s.size[d] < s.size[t] || s.size[d] == s.size[t] && d < t) {
				comp.target, most = d, joins
			}
		}
		if most == 0 {
			s.symmetric(c)
			continue
		}
		s.components = append(s.components, comp)
	}
	slices.SortStableFunc(s.components[base:], func(a, b component) int {
		return int(b.vertices) - int(a.vertices)
	})
}

// eachJoined calls yield for every cell that d is joined to, d itself included.
func (s *search) eachJoined(d int32, yield func(e int32)) {
	v := s.lab[d]
	s.joined = s.joined[:0]
	for _, u := range s.g.adj[s.g.offset[v]:s.g.offset[v+1]] {
		e := s.cellOf[u]
		if s.size[e] == 1 || u == v {
			continue
		}
		if s.marked[e] == 0 {
			s.joined = append(s.joined, e)
		}
		s.marked[e]++
	}
	for _, e := range s.joined {
		others := s.size[e]
		if e == d {
			others--
		}
		n := s.marked[e]
		s.marked[e] = 0
		if n < others {
			yield(e)
		}
	}
}

// symmetric declares that the cell c carries all permutations from the present
// state on, and adds generators for them.
func (s *search) symmetric(c int32) {
	s.whole[c] = int32(len(s.levels))
	s.wholes = append(s.wholes, c)
	s.wholeSize = append(s.wholeSize, s.size[c])
	// Transpositions of neighbours in the sorted cell; their lists share two arrays.
	n := int(s.size[c])
	up := slices.Clone(s.lab[c : int(c)+n])
	slices.Sort(up)
	down := slices.Clone(up)
	slices.Reverse(down)
	for k := range n - 1 {
		s.addGenerator(Perm{Moved: up[k : k+2 : k+2], Image: down[n-2-k : n-k : n-k]}, ofWhole)
	}
}
