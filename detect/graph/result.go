package graph

import (
	"math/big"
	"slices"

	"orbitmc/internal/lists"
)

// Stats counts the work of a search.
type Stats struct {
	Levels      int   // levels of the first path
	Cells       int   // cells of the equitable partition at the root
	Nodes       int64 // nodes of the search tree visited off the first path
	BadNodes    int64 // of these, nodes refuted by refinement
	Backjumps   int64 // failures that jumped over levels of other components
	Refinements int64 // splitters used
}

// Result is the automorphism group of a graph.
type Result struct {
	// Generators generate the group, irredundantly with respect to orbits: there are
	// fewer than vertices.
	Generators []Perm

	// Order is the exact order of the group. In an incomplete result it is
	// that of the stabiliser of the first vertices of the first path, whose
	// levels are done; it divides the order of the group.
	Order *big.Int

	// Orbit gives for every vertex the least vertex of its orbit under Generators.
	Orbit []int32

	// Complete is false if the search was cancelled; Generators are
	// automorphisms all the same.
	Complete bool

	Stats Stats

	found   []int32 // by generator: level it was found at, or ofWhole
	choices []int32 // by level: the vertex that the levels behind it fix
}

// ofWhole stands for the level of generators that permute a symmetric cell and fix
// everything else.
const ofWhole = 1<<31 - 1

// OrderOf returns the order of the group that some of the generators, given by
// their numbers, generate. The whole group must be the direct product of it and of
// the group of the other generators, and the result complete.
//
// The generators are strong relative to the choices on the first path: those found
// at a level or behind it generate the stabiliser of the choices before. It is the
// product of what they generate in either factor, so each choice has in a factor the
// orbit that the generators found there make.
func (r *Result) OrderOf(generators []int) *big.Int {
	sorted := slices.Clone(generators)
	slices.SortStableFunc(sorted, func(a, b int) int { return int(r.found[b] - r.found[a]) })
	at := make(map[int32]int32) // by vertex that is moved: its number
	for _, k := range sorted {
		for _, v := range r.Generators[k].Moved {
			lists.Number(at, v)
		}
	}
	sets := newOrbits(len(at))
	var factors []*big.Int
	for k := 0; k < len(sorted); {
		level := r.found[sorted[k]]
		for ; k < len(sorted) && r.found[sorted[k]] == level; k++ {
			p := r.Generators[sorted[k]]
			for i, v := range p.Moved {
				a, b := sets.find(at[v]), sets.find(at[p.Image[i]])
				if a != b && level == ofWhole { // of a cell that falls into sets of m and n: (m+n)! / m!n! more
					m, n := int64(sets.count[a]), int64(sets.count[b])
					factors = append(factors, new(big.Int).Binomial(m+n, m))
				}
				sets.union(a, b)
			}
		}
		if level != ofWhole {
			factors = append(factors, big.NewInt(int64(sets.count[sets.find(at[r.choices[level]])])))
		}
	}
	return product(factors)
}

func (s *search) result(complete bool) *Result {
	s.stats.Levels, s.stats.Refinements = len(s.levels), s.refinements
	r := &Result{Generators: s.generators, Complete: complete, Orbit: s.orbits.Leasts(), Stats: s.stats, found: s.found}
	for _, l := range s.levels {
		r.choices = append(r.choices, l.choice)
	}
	factors := lists.Map(s.wholeSize, func(n int32) *big.Int { return new(big.Int).MulRange(1, int64(n)) })
	for _, l := range s.levels {
		if l.orbit > 1 {
			factors = append(factors, big.NewInt(int64(l.orbit)))
		}
	}
	r.Order = product(factors)
	return r
}

// product multiplies in a balanced tree.
func product(factors []*big.Int) *big.Int {
	switch len(factors) {
	case 0:
		return big.NewInt(1)
	case 1:
		return factors[0]
	}
	half := len(factors) / 2
	return new(big.Int).Mul(product(factors[:half]), product(factors[half:]))
}
