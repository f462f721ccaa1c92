package graph

import (
	"fmt"
	"slices"
	"strings"
)

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

// Cycles returns the cycles of length two and more, each starting with its
// least vertex, in the order of these.
func (p Perm) Cycles() [][]int32 {
	seen := make([]bool, len(p.Moved))
	var cycles [][]int32
	for k := range p.Moved {
		var cycle []int32
		for !seen[k] {
			seen[k] = true
			cycle = append(cycle, p.Moved[k])
			k, _ = slices.BinarySearch(p.Moved, p.Image[k])
		}
		if cycle != nil {
			cycles = append(cycles, cycle)
		}
	}
	return cycles
}

// String writes the permutation in cycle notation, "()" for the identity.
func (p Perm) String() string {
	if len(p.Moved) == 0 {
		return "()"
	}
	var b strings.Builder
	for _, cycle := range p.Cycles() {
		for k, v := range cycle {
			sep := ","
			if k == 0 {
				sep = "("
			}
			fmt.Fprintf(&b, "%s%d", sep, v)
		}
		b.WriteByte(')')
	}
	return b.String()
}

// CheckAutomorphism returns nil if p is an automorphism of g, and otherwise an
// error that names a vertex or an edge which refutes it. It takes time
// proportional to the neighbourhoods of the moved vertices.
func (g *Graph) CheckAutomorphism(p Perm) error {
	if len(p.Moved) != len(p.Image) {
		return fmt.Errorf("graph: %d moved vertices and %d images", len(p.Moved), len(p.Image))
	}
	for k, v := range p.Moved {
		if v < 0 || int(v) >= g.N() || k > 0 && p.Moved[k-1] >= v {
			return fmt.Errorf("graph: moved vertex %d out of order or out of range", v)
		}
		if p.Image[k] == v {
			return fmt.Errorf("graph: vertex %d is listed as moved and is fixed", v)
		}
	}
	images := slices.Clone(p.Image)
	slices.Sort(images)
	if !slices.Equal(images, p.Moved) {
		return fmt.Errorf("graph: images are not a permutation of the moved vertices")
	}
	for k, v := range p.Moved {
		w := int(p.Image[k])
		if g.colour[v] != g.colour[w] {
			return fmt.Errorf("graph: vertex %d of colour %d goes to %d of colour %d", v, g.colour[v], w, g.colour[w])
		}
		if len(g.Neighbours(int(v))) != len(g.Neighbours(w)) {
			return fmt.Errorf("graph: vertex %d goes to %d of another degree", v, w)
		}
		for _, u := range g.Neighbours(int(v)) {
			if !g.HasEdge(w, p.Apply(int(u))) {
				return fmt.Errorf("graph: edge %d-%d goes to %d-%d, which is no edge", v, u, w, p.Apply(int(u)))
			}
		}
	}
	return nil
}
