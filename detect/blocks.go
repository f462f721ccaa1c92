package detect

import (
	"fmt"
	"slices"

	"orbitmc/model"
	"orbitmc/ts"
)

// Blocks returns the orbits of y on the values of every scalarset class of m:
// class → blocks → values, both in ascending order. Values that y does not move
// are blocks of their own.
func Blocks(m *model.Model, y *ts.Symmetry) [][][]int {
	all := make([][][]int, len(m.Scalarsets))
	for c, t := range m.Scalarsets {
		block := make([][]int, t.Card()) // by least value
		moved := make([]bool, t.Card())
		if y != nil {
			for _, b := range y.Blocks {
				if b.Class == c {
					block[b.Elems[0]] = b.Elems
					for _, v := range b.Elems {
						moved[v] = true
					}
				}
			}
		}
		for v := range block {
			if !moved[v] {
				block[v] = []int{v}
			}
			if block[v] != nil {
				all[c] = append(all[c], block[v])
			}
		}
	}
	return all
}

// CommonBlocks returns the interchangeable values of every scalarset class
// under all of the given groups: class → blocks → values, both ascending, values
// that do not move in blocks of their own. Two values are in one block if they
// are in one block of every group.
func CommonBlocks(m *model.Model, groups []*ts.Symmetry) [][][]int {
	all := make([][][]int, len(m.Scalarsets))
	for c, t := range m.Scalarsets {
		keys := make([]string, t.Card())
		for _, y := range groups {
			for k, block := range Blocks(m, y)[c] {
				for _, v := range block {
					keys[v] += fmt.Sprint(k, ",")
				}
			}
		}
		at := make(map[string]int)
		for v, key := range keys {
			i, ok := at[key]
			if !ok {
				i = len(all[c])
				at[key] = i
				all[c] = append(all[c], nil)
			}
			all[c][i] = append(all[c][i], v)
		}
	}
	return all
}

// CommonRings returns the rings of values that may be rotated under all of the given
// groups.
func CommonRings(groups []*ts.Symmetry) []model.Ring {
	var common []model.Ring
	for k, y := range groups {
		var own []model.Ring
		if y != nil {
			for _, g := range y.Groups {
				if g.Kind == "ring" && g.Class >= 0 {
					own = append(own, model.Ring{Class: g.Class, Values: g.Elems, Step: len(g.Elems) / int(g.Order.Int64())})
				}
			}
		}
		if k == 0 {
			common = own
			continue
		}
		var both []model.Ring
		for _, r := range common {
			at := slices.IndexFunc(own, func(o model.Ring) bool { return o.Class == r.Class && slices.Equal(o.Values, r.Values) })
			if at < 0 {
				continue
			}
			if r.Step = LeastCommon(r.Step, own[at].Step); r.Step < len(r.Values) {
				both = append(both, r)
			}
		}
		common = both
	}
	return common
}

// LeastCommon returns the least common multiple of two positive numbers: rotations by
// it are those by multiples of a that are multiples of b.
func LeastCommon(a, b int) int {
	gcd, r := a, b
	for r != 0 {
		gcd, r = r, gcd%r
	}
	return a / gcd * b
}
