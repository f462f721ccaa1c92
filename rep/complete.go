package rep

import (
	"cmp"
	"fmt"
	"slices"

	"orbitmc/internal/disjoint"
	"orbitmc/ts"
)

// This file finds the components that a bit names, and from them whether F is complete, that
// is, keeps one state of each orbit.
//
// A latch that a block does not move names none of its components. A column of a block is a
// set of latches, one for each component: one orbit of the block in which each swap exchanges
// two latches and negates none. Each latch of a column names one component. The reason is
// that the swaps act as transpositions on as many points as there are components, and they
// link all points. Two swaps that commute in the group commute here too, so they link the
// latches in the order of the components. Any other latch that a block moves names several
// components. Examples are the pointers in an array of pointers, and the entries of a square
// array.

// column is an orbit of latches that name one element each.
type column []int32 // by place in Block.Elems: the latch

// Columns returns, for each set of latches that name one component each, the latches in the order of the components.
func Columns(b ts.Block) (cs [][]int32) {
	own, _ := columns(b)
	for _, c := range own {
		cs = append(cs, c)
	}
	return cs
}

// columns returns the columns of a block, in the order of their least latches, and
// the other latches that it moves, ascending.
func columns(b ts.Block) (cs []column, others []int32) {
	n := len(b.Swaps[0].Latch)
	orbits := disjoint.New[int32](n)
	moved, bad := make([]bool, n), make([]bool, n)
	for _, p := range b.Swaps {
		for i, l := range p.Latch {
			if l == ts.MkLit(i, false) {
				continue
			}
			moved[i] = true
			orbits.Join(int32(i), int32(l>>1))
		}
	}
	pairs := make(map[int32][][2]int32) // by orbit: what each swap exchanges
	size := make(map[int32]int)
	for i := range orbits {
		if moved[i] {
			size[orbits.Find(int32(i))]++
		}
	}
	for k, p := range b.Swaps {
		for i, l := range p.Latch {
			if l == ts.MkLit(i, false) {
				continue
			}
			r := orbits.Find(int32(i))
			switch {
			case l&1 == 1:
				bad[r] = true
			case int(l>>1) > i:
				if pairs[r] = append(pairs[r], [2]int32{int32(i), int32(l >> 1)}); len(pairs[r]) != k+1 {
					bad[r] = true
				}
			}
		}
	}
	for i := range orbits {
		r := orbits.Find(int32(i))
		switch {
		case !moved[i]:
		case bad[r] || size[r] != len(b.Elems) || len(pairs[r]) != len(b.Swaps):
			others = append(others, int32(i))
		case r == int32(i):
			cs = append(cs, along(pairs[r]))
		}
	}
	return cs, others
}

// along returns the points of a path of edges from its first one to its last.
func along(edges [][2]int32) column {
	first := edges[0]
	if len(edges) > 1 && (first[0] == edges[1][0] || first[0] == edges[1][1]) {
		first[0], first[1] = first[1], first[0]
	}
	c := column(first[:])
	for _, e := range edges[1:] {
		c = append(c, e[0]+e[1]-c[len(c)-1])
	}
	return c
}

// Complete reports whether Nice is known to keep one state of each orbit in the given order,
// and if not, why. It does under two conditions. No latch is moved by two factors. Each factor
// is a group with all members listed, or a block of columns that are in the same order for
// all components. In such a block neighbours are compared by the same key, and if all
// neighbours are in order, all components are. The function name gives the names of latches.
func Complete(y *ts.Symmetry, order []int, name func(latch int) string) (bool, string) {
	if y.Trivial() {
		return true, ""
	}
	place := make([]int, len(y.Generators()[0].Latch))
	for i := range place {
		if order == nil {
			place[i] = i
		} else {
			place[order[i]] = i
		}
	}
	owner := make([]string, len(place))
	claim := func(factor string, perms []*ts.Perm) (bool, string) {
		for _, p := range perms {
			for i, l := range p.Latch {
				if l == ts.MkLit(i, false) {
					continue
				}
				if owner[i] != "" && owner[i] != factor {
					return false, fmt.Sprintf("%s is moved by %s and by %s", name(i), owner[i], factor)
				}
				owner[i] = factor
			}
		}
		return true, ""
	}
	for i, b := range y.Blocks {
		factor := called(i, b.Name)
		if ok, why := claim(factor, b.Swaps); !ok {
			return false, why
		}
		cs, others := columns(b)
		if len(others) > 0 {
			return false, fmt.Sprintf("%s names several elements of %s", name(int(others[0])), factor)
		}
		var first []int // columns in the order of the first pair, those that descend as ^column
		for k := range b.Swaps {
			keys := make([]int, len(cs))
			at := func(c int) int { return min(place[cs[c][k]], place[cs[c][k+1]]) }
			for c := range keys {
				keys[c] = c
			}
			slices.SortFunc(keys, func(c, d int) int { return cmp.Compare(at(c), at(d)) })
			for i, c := range keys {
				if place[cs[c][k]] > place[cs[c][k+1]] {
					keys[i] = ^c
				}
			}
			if first == nil {
				first = keys
			}
			if !slices.Equal(keys, first) {
				return false, fmt.Sprintf("the order compares elements of %s by different bits", factor)
			}
		}
	}
	for i, g := range y.Groups {
		factor := called(len(y.Blocks)+i, g.Name)
		if g.Members == nil {
			return false, fmt.Sprintf("the elements of %s are too many", factor)
		}
		if ok, why := claim(factor, g.Gens); !ok {
			return false, why
		}
	}
	return true, ""
}

// called returns the name of a factor, which may have none or share it.
func called(number int, name string) string {
	if name == "" {
		return fmt.Sprintf("factor %d", number+1)
	}
	return fmt.Sprintf("%s (factor %d)", name, number+1)
}
