package group

import (
	"slices"

	"orbitmc/internal/disjoint"
)

// Orbits returns the orbits of more than one point, each ascending, in the order
// of their first points.
func (g *Group) Orbits() [][]int32 { return orbitsOf(g.n, g.gens).Lists(2) }

func orbitsOf(n int, gens []Sparse) disjoint.Sets[int32] {
	u := disjoint.New[int32](n)
	for _, s := range gens {
		for k, x := range s.Points {
			u.Join(x, s.Images[k])
		}
	}
	return u
}

// Blocks returns the minimal block systems of an orbit: partitions of it into
// blocks of equal size, more than one and less than all, which every element
// maps to each other. Atkinson, "An algorithm for finding the blocks of a
// permutation group" (1975): the finest system in which two points share a
// block, for each pair with the first point. Blocks are ascending, in the order
// of their first points; systems in the order of the block of the first point.
func (g *Group) Blocks(orbit []int32) [][][]int32 {
	at := make(map[int32]int32, len(orbit))
	for i, x := range orbit {
		at[x] = int32(i)
	}
	var local []Perm
	for _, s := range g.gens {
		p := identity(len(orbit))
		moves := false
		for k, x := range s.Points {
			if i, in := at[x]; in {
				p[i] = at[s.Images[k]]
				moves = true
			}
		}
		if moves {
			local = append(local, p)
		}
	}
	var systems [][][]int32
	for x := int32(1); int(x) < len(orbit); x++ {
		s := finest(local, len(orbit), x)
		if len(s) > 1 && !slices.ContainsFunc(systems, func(t [][]int32) bool { return slices.Equal(s[0], t[0]) }) {
			systems = append(systems, s)
		}
	}
	systems = slices.DeleteFunc(systems, func(s [][]int32) bool {
		return slices.ContainsFunc(systems, func(t [][]int32) bool { return len(t[0]) < len(s[0]) && subset(t[0], s[0]) })
	})
	for _, s := range systems {
		for _, b := range s {
			for i, x := range b {
				b[i] = orbit[x]
			}
			slices.Sort(b)
		}
	}
	return systems
}

// finest returns the finest block system in which points 0 and x share a block.
func finest(gens []Perm, n int, x int32) [][]int32 {
	u := disjoint.New[int32](n)
	u.Join(0, x)
	queue := []int32{x}
	for len(queue) > 0 {
		y := queue[0]
		queue = queue[1:]
		for _, p := range gens {
			a, b := u.Find(p[u.Find(y)]), u.Find(p[y])
			if u.Join(a, b) {
				queue = append(queue, max(a, b))
			}
		}
	}
	return u.Lists(1)
}

// subset reports whether the ascending a is a subset of the ascending b.
func subset(a, b []int32) bool {
	return !slices.ContainsFunc(a, func(x int32) bool {
		_, in := slices.BinarySearch(b, x)
		return !in
	})
}
