package bmc

import (
	"fmt"
	"slices"

	"orbitmc/mc"
	"orbitmc/ts"
)

// This file intersects groups. Properties that are proved together are proved under the
// permutations that keep all of them.

// common returns a group of permutations that keep each of the properties: the
// transpositions of two values that share a block in the group of each property, and the
// other factors that occur in all of these groups.
func common(p *mc.Problem, props []int) *ts.Symmetry {
	var first *ts.Symmetry
	var others []*ts.Symmetry
	for _, q := range props {
		switch y := p.Group(q); {
		case y.Trivial():
			return nil
		case first == nil:
			first = y
		case y != first && !slices.Contains(others, y):
			others = append(others, y)
		}
	}
	if first == nil || len(others) == 0 {
		return first
	}
	y := &ts.Symmetry{}
	for _, b := range first.Blocks {
		left := b.Elems
		for len(left) > 0 {
			part, rest := []int{left[0]}, []int(nil)
			for _, e := range left[1:] {
				swap := transposition(b, left[0], e)
				if !slices.ContainsFunc(others, func(o *ts.Symmetry) bool { return !exchanges(o, b, left[0], e, swap) }) {
					part = append(part, e)
				} else {
					rest = append(rest, e)
				}
			}
			if len(part) > 1 {
				sub := ts.Block{Name: b.Name, Class: b.Class, Elems: part}
				for i := range part[1:] {
					sub.Swaps = append(sub.Swaps, transposition(b, part[i], part[i+1]))
				}
				y.Blocks = append(y.Blocks, sub)
			}
			left = rest
		}
	}
	for _, g := range first.Groups {
		has := func(o *ts.Symmetry) bool {
			return slices.ContainsFunc(o.Groups, func(h ts.Group) bool { return slices.EqualFunc(g.Gens, h.Gens, (*ts.Perm).Equal) })
		}
		if !slices.ContainsFunc(others, func(o *ts.Symmetry) bool { return !has(o) }) {
			y.Groups = append(y.Groups, g)
		}
	}
	return y
}

// exchanges reports whether y has, in a block like b, this exchange of two values.
func exchanges(y *ts.Symmetry, b ts.Block, i, j int, swap *ts.Perm) bool {
	return slices.ContainsFunc(y.Blocks, func(o ts.Block) bool {
		return o.Class == b.Class && slices.Contains(o.Elems, i) && slices.Contains(o.Elems, j) && transposition(o, i, j).Equal(swap)
	})
}

// transposition returns the exchange of two values of a block, i < j.
func transposition(b ts.Block, i, j int) *ts.Perm {
	at, to := slices.Index(b.Elems, i), slices.Index(b.Elems, j)
	p := b.Swaps[to-1]
	if at == to-1 {
		return p
	}
	for k := to - 2; k >= at; k-- {
		p = b.Swaps[k].Then(p).Then(b.Swaps[k])
	}
	p.Name = fmt.Sprintf("%s %d <-> %d", b.Name, i, j)
	return p
}
