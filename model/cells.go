package model

import (
	"slices"

	"orbitmc/internal/lists"
)

// Cells divides the values of each class of Model.Scalarsets: entry c is, by number of a value
// of class c, the number of its cell. Cells are numbered in the order of their least values.
// It stands for the permutations that map each value to one of its cell: <Cells>. The slots of
// multisets are alone in their cells.
type Cells [][]int

// WholeCells returns one cell for each class.
func WholeCells(m *Model) Cells {
	return NewCells(m, func(class, v, w int) bool { return true })
}

// SingleCells returns a cell for each value.
func SingleCells(m *Model) Cells {
	return NewCells(m, func(class, v, w int) bool { return false })
}

// NewCells returns the cells of an equivalence. It is asked of w and of v < w, the least value
// of a cell.
func NewCells(m *Model, same func(class, v, w int) bool) Cells {
	all := make(Cells, len(m.Scalarsets))
	for c, t := range m.Scalarsets {
		all[c] = make([]int, t.Card())
		var least []int
		for w := range all[c] {
			k := -1
			if !t.Slots {
				k = slices.IndexFunc(least, func(v int) bool { return same(c, v, w) })
			}
			if k < 0 {
				k = len(least)
				least = append(least, w)
			}
			all[c][w] = k
		}
	}
	return all
}

// Meet returns the coarsest cells that are within those of c and of d: <Meet> is the
// intersection of <c> and <d>.
func (c Cells) Meet(m *Model, d Cells) Cells {
	return NewCells(m, func(class, v, w int) bool {
		return c[class][v] == c[class][w] && d[class][v] == d[class][w]
	})
}

// Join returns the finest cells that those of c and d are within.
func (c Cells) Join(m *Model, d Cells) Cells {
	out := make(Cells, len(c))
	for class := range c {
		at := slices.Clone(c[class])
		for changed := true; changed; {
			changed = false
			for v := range at {
				for w := range v {
					if at[v] != at[w] && d[class][v] == d[class][w] {
						from, to := max(at[v], at[w]), min(at[v], at[w])
						for u := range at {
							if at[u] == from {
								at[u] = to
							}
						}
						changed = true
					}
				}
			}
		}
		out[class] = at
	}
	return NewCells(m, func(class, v, w int) bool { return out[class][v] == out[class][w] })
}

// Equal reports whether c and d are the same.
func (c Cells) Equal(d Cells) bool {
	return slices.EqualFunc(c, d, func(x, y []int) bool { return slices.Equal(x, y) })
}

// Blocks lists, for each class, the values of each cell, ascending.
func (c Cells) Blocks() (blocks [][][]int) {
	for _, of := range c {
		var bs [][]int
		for v, k := range of {
			if k == len(bs) {
				bs = append(bs, nil)
			}
			bs[k] = append(bs[k], v)
		}
		blocks = append(blocks, bs)
	}
	return blocks
}

// Family is a set of instances of a rule with permutations that keep it. The claim is: each
// permutation p of <Kept> maps an instance b of the family to another one, p(b), and if b leads
// from s to t, or errs, then p(b) leads from p(s) to p(t), or errs likewise.
type Family struct {
	Rule    int
	On      []int     // parameters of the rule
	Members [][]int64 // their values in the instances of the family, ascending; other parameters have any
	Kept
	Why []Split // what tells values apart, in the order of positions
}

// Split is a place that tells values of a class apart.
type Split struct {
	Pos  Pos
	Text string
}

// Partial is the partial symmetry of a model: of each rule, and of each property.
type Partial struct {
	Families []Family // of each rule: each instance is in one
	Props    []Kept   // by property: permutations that keep the states that violate it
	Rings    []Ring   // of a proposal: those that may be in it besides

	// Guards says that an error in a guard is one of the state: then the cells of such a property
	// keep the states that violate it, or in which a guard does.
	Guards bool
}

// Has reports whether an instance is in the family.
func (f *Family) Has(ch Choice) bool {
	if ch.Rule != f.Rule {
		return false
	}
	if len(f.On) == 0 {
		return true
	}
	on := lists.Map(f.On, func(k int) int64 { return ch.Params[k] })
	_, ok := slices.BinarySearchFunc(f.Members, on, slices.Compare[[]int64])
	return ok
}

// Instances lists the instances of a family, in the order of machines.
func (f *Family) Instances(m *Model) (all []Choice) {
	for _, params := range InstancesOf(m.Rules[f.Rule].Params) {
		if ch := (Choice{f.Rule, params}); f.Has(ch) {
			all = append(all, ch)
		}
	}
	return all
}
