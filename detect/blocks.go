package detect

import (
	"slices"

	"orbitmc/model"
	"orbitmc/ts"
)

// Blocks returns the interchangeable values of every scalarset class under all of the
// given groups: class → blocks → values, both ascending, values that do not move in
// blocks of their own. Two values are in one block if they are in one block of every
// group.
func Blocks(m *model.Model, groups ...*ts.Symmetry) [][][]int {
	all := make([][][]int, len(m.Scalarsets))
	for c, t := range m.Scalarsets {
		least := make([][]int, t.Card()) // by value and group: the least value of its block
		for k, y := range groups {
			for v := range least {
				least[v] = append(least[v], v)
			}
			if y == nil {
				continue
			}
			for _, b := range y.Blocks {
				for _, v := range b.Elems {
					if b.Class == c {
						least[v][k] = b.Elems[0]
					}
				}
			}
		}
		for v := range least {
			i := slices.IndexFunc(all[c], func(b []int) bool { return slices.Equal(least[b[0]], least[v]) })
			if i < 0 {
				i = len(all[c])
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
