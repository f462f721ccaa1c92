package param

import (
	"fmt"
	"slices"

	"orbitmc/internal/lists"
)

// This file orders the sorts, so that a ∃ inside a ∀ depends on components of earlier sorts only, for as many formulas as
// can be had. Any order is sound: it decides which ∃ are read as they are, and which are taken to be true (cutoff.go).

// dependency says that some ∃ of the sort to is in the scope of a variable of the sort from.
type dependency struct{ from, to int }

// dependencies are those that an order respects.
type dependencies struct {
	c    *Conditions
	less [][]bool // by sort: it comes before the other
}

func (c *Conditions) newDependencies() *dependencies {
	return &dependencies{c, lists.Make(len(c.Sorts), func(int) []bool { return make([]bool, len(c.Sorts)) })}
}

// of returns the dependencies in a formula, in the order of their first occurrence.
func (d *dependencies) of(f Formula, params []Term) (out []dependency) {
	seen := make(map[string]bool)
	var visit func(f Formula, under bool, by map[Term]*choice)
	visit = func(f Formula, under bool, by map[Term]*choice) {
		n := d.c.Node(f)
		part := fmt.Sprint(under, d.c.partOf(f, by))
		if n.height == 0 || seen[part] {
			return
		}
		seen[part] = true
		switch {
		case n.Kind == All && !f.Negated():
			under = true
		case n.Kind == All && d.c.closed(n, params):
			under, by = false, nil
		case n.Kind == All && under:
			x, _ := d.c.choose(n, f, by, params)
			for _, v := range x.on {
				out = lists.With(out, dependency{d.c.Sort(v), x.sort})
			}
			by = bind(by, n.Var, x)
		}
		for _, k := range n.Kids {
			visit(k^f&1, under, by)
		}
	}
	visit(f, false, nil)
	return out
}

// respect makes the order respect dependencies, all of them or none. It reports whether it does.
func (d *dependencies) respect(all ...dependency) bool {
	less := lists.Map(d.less, slices.Clone)
	for _, x := range all {
		if x.from == x.to || less[x.to][x.from] {
			return false
		}
		for a := range less {
			for b := range less {
				if (a == x.from || less[a][x.from]) && (b == x.to || less[x.to][b]) {
					less[a][b] = true
				}
			}
		}
	}
	d.less = less
	return true
}

// order returns the place of each sort: how many come before it.
func (d *dependencies) order() []int {
	return lists.Make(len(d.less), func(i int) int {
		return len(lists.Where(d.less, func(before []bool) bool { return before[i] }))
	})
}
