package explicit

import (
	"slices"

	"orbitmc/model"
)

// This file divides the orbit of an annotated state (Wahl 2007, unwind).

// unwind calls yield for states u such that the orbits of the (u, R) are that of (s, P); R is
// within P. It stops when yield returns false. u is valid during the call only.
//
// A permutation of <P> says which values go to which cell of R; the order inside cells does not
// matter. Neither does which of some twins goes: values whose exchange keeps s. So it is enough to say how
// many of each set of twins go to each cell: these are the buckets of the paper.
func (a *adaptive) unwind(s model.State, p, r *cellSet, yield func(u model.State) bool) {
	if p == r {
		yield(s)
		return
	}
	m := a.p.Model
	perm := make(model.ScalarPerm, len(m.Scalarsets))
	var parts []*division
	for k := range p.cells {
		if m.Scalarsets[k].Slots {
			continue
		}
		perm[k] = make([]int, len(p.cells[k]))
		for v := range perm[k] {
			perm[k][v] = v
		}
		for _, cell := range blocksOf(p.cells[k]) {
			into := make([][]int, 0, 4)
			at := make(map[int]int)
			for _, v := range cell {
				j, ok := at[r.cells[k][v]]
				if !ok {
					j = len(into)
					at[r.cells[k][v]] = j
					into = append(into, nil)
				}
				into[j] = append(into[j], v)
			}
			if len(into) > 1 {
				parts = append(parts, &division{class: k, into: into, twins: a.twinSets(s, k, cell)})
			}
		}
	}
	u := make(model.State, len(s))
	var seen map[string]bool
	var next func(i int) bool
	next = func(i int) bool {
		if i == len(parts) {
			a.p.ApplyPerm(perm, s, u)
			if seen != nil { // exchanges of twins are not all that may keep s
				least := string(a.least(u, r))
				if seen[least] {
					return true
				}
				seen[least] = true
			}
			return yield(u)
		}
		return parts[i].each(perm, func() bool { return next(i + 1) })
	}
	if a.tangled() {
		seen = make(map[string]bool)
	}
	next(0)
}

// tangled reports whether leaves relate several values, so that states may be kept by
// permutations that are no products of exchanges of twins.
func (a *adaptive) tangled() bool {
	c := a.whole.canon
	return len(c.relating) > 0 || len(c.bags) > 0 || slices.ContainsFunc(c.related, func(edges []*edge) bool { return len(edges) > 0 })
}

// blocksOf lists the values of each cell.
func blocksOf(cells []int) (all [][]int) {
	for v, k := range cells {
		if k == len(all) {
			all = append(all, nil)
		}
		all[k] = append(all[k], v)
	}
	return all
}

// twinSets divides values of a class into twins.
func (a *adaptive) twinSets(s model.State, class int, values []int) (sets [][]int) {
	c := a.whole.canon
	for _, v := range values {
		i := slices.IndexFunc(sets, func(t []int) bool { return c.twins(s, c.base[class]+t[0], c.base[class]+v) })
		if i < 0 {
			i = len(sets)
			sets = append(sets, nil)
		}
		sets[i] = append(sets[i], v)
	}
	return sets
}

// division is a cell that is divided into others.
type division struct {
	class int
	into  [][]int // values of the parts
	twins [][]int // values of the cell, by what they are in the state
}

// each sets the images of the values of the cell under perm in all ways that matter.
func (d *division) each(perm model.ScalarPerm, f func() bool) bool {
	room := make([]int, len(d.into))
	for j, part := range d.into {
		room[j] = len(part)
	}
	images := perm[d.class]
	var place func(i, k, j int) bool // twins i from number k on go to parts from j on
	place = func(i, k, j int) bool {
		if i == len(d.twins) {
			return f()
		}
		set := d.twins[i]
		if k == len(set) {
			return place(i+1, 0, 0)
		}
		if j == len(room) {
			return true
		}
		for n := min(room[j], len(set)-k); n >= 0; n-- {
			for x := range n {
				images[set[k+x]] = d.into[j][len(d.into[j])-room[j]+x]
			}
			room[j] -= n
			ok := place(i, k+n, j+1)
			room[j] += n
			if !ok {
				return false
			}
		}
		return true
	}
	ok := place(0, 0, 0)
	return ok
}

// twins returns, by class and value, the least value of the same cell of R whose exchange with
// it keeps u.
func (a *adaptive) twins(u model.State, r *cellSet) [][]int {
	c := a.whole.canon
	like := make([][]int, len(r.cells))
	for k, cells := range r.cells {
		like[k] = make([]int, len(cells))
		if a.p.Model.Scalarsets[k].Slots {
			continue
		}
		for w := range cells {
			like[k][w] = w
			for v := range w {
				if like[k][v] == v && cells[v] == cells[w] && c.twins(u, c.base[k]+v, c.base[k]+w) {
					like[k][w] = v
					break
				}
			}
		}
	}
	return like
}

// first reports whether an instance is the first of those that exchanges of twins make of it:
// of each set of twins the least are named first.
func (a *adaptive) first(ch model.Choice, like [][]int) bool {
	params := a.p.Model.Rules[ch.Rule].Params
	for i, q := range params {
		k, w, ok := q.Var.Type.Element(ch.Params[i])
		if !ok || q.Var.Type.Slots {
			continue
		}
		// The values of this set named before are the least; w is one of them, or the next.
		for v := like[k][w]; v < int(w); v++ {
			if like[k][v] != like[k][w] {
				continue
			}
			named := false
			for j, p := range params[:i] {
				if c, x, ok := p.Var.Type.Element(ch.Params[j]); ok && c == k && int(x) == v {
					named = true
				}
			}
			if !named {
				return false
			}
		}
	}
	return true
}
