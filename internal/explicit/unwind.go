package explicit

import (
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file divides the orbit of an annotated state (Wahl 2007, unwind).

// unwind calls yield for states u such that the orbits of the (u, R) are that of (s, P); R is
// within P. It stops when yield returns false. u is valid during the call only.
//
// A permutation of <P> says which values go to which cell of R; the order inside cells does not
// matter. Neither does which of some twins goes: values whose exchange keeps s. So it is enough to say how
// many of each set of twins go to each cell: these are the buckets of the paper. A ring of P is rotated as R
// does not rotate it. Where R has a ring in a cell of P, its values go everywhere, and of the states that R
// maps to each other one is taken.
func (a *adaptive) unwind(s model.State, p, r *keptSet, yield func(u model.State) bool) {
	if p == r {
		yield(s)
		return
	}
	d := a.planOf(p, r)
	for i := range d.parts {
		d.parts[i].twins = a.twinSets(s, d.parts[i].class, d.parts[i].values)
	}
	d.busy = true
	d.next(a, s, r, 0, yield)
	d.busy = false
	clear(d.seen)
}

// plan is how cells are divided into others, with room for the division of one state.
type plan struct {
	parts []division
	rings []model.Ring // of P, where R rotates less
	steps []int        // and by how much R does
	perm  model.ScalarPerm
	u     model.State
	seen  map[string]bool // least states for r, where they may come twice
	busy  bool
}

// planOf returns a plan that is not in use: unwind calls itself by what it yields to.
func (a *adaptive) planOf(p, r *keptSet) *plan {
	d := p.plans[r.number]
	if d != nil && !d.busy {
		return d
	}
	d = a.newPlan(p, r)
	p.plans[r.number] = d
	return d
}

func (a *adaptive) newPlan(p, r *keptSet) *plan {
	m := a.p.Model
	d := &plan{perm: m.Identity(), u: make(model.State, m.Leaves())}
	for k, blocks := range p.blocks {
		if m.Scalarsets[k].Slots {
			continue
		}
		for _, values := range blocks {
			var into [][]int
			at := make(map[int]int)
			for _, v := range values {
				j, ok := at[r.Cells[k][v]]
				if !ok {
					j = len(into)
					at[r.Cells[k][v]] = j
					into = append(into, nil)
				}
				into[j] = append(into[j], v)
			}
			if len(into) > 1 {
				d.parts = append(d.parts, division{class: k, values: values, into: into})
			}
		}
	}
	for _, ring := range p.Rings {
		if step := r.Step(m, ring); step > ring.Step {
			d.rings, d.steps = append(d.rings, ring), append(d.steps, step)
		}
	}
	if a.tangled() || len(d.rings) > 0 || len(r.Rings) > 0 {
		d.seen = make(map[string]bool)
	}
	return d
}

// next divides the cells from part i on.
func (p *plan) next(a *adaptive, s model.State, r *keptSet, i int, yield func(u model.State) bool) bool {
	if i < len(p.parts) {
		return p.parts[i].each(p.perm, func() bool { return p.next(a, s, r, i+1, yield) })
	}
	if i -= len(p.parts); i < len(p.rings) {
		ring := p.rings[i]
		for by := range p.steps[i] / ring.Step {
			ring.Rotate(p.perm[ring.Class], by)
			if !p.next(a, s, r, len(p.parts)+i+1, yield) {
				return false
			}
		}
		return true
	}
	a.p.ApplyPerm(p.perm, s, p.u)
	if p.seen != nil { // exchanges of twins are not all that may keep s
		least := a.least(p.u, r)
		if p.seen[string(least)] {
			return true
		}
		p.seen[string(least)] = true
	}
	return yield(p.u)
}

// tangled reports whether leaves relate several values, so that states may be kept by
// permutations that are no products of exchanges of twins.
func (a *adaptive) tangled() bool {
	c := a.whole.canon
	return len(c.relating) > 0 || len(c.bags) > 0 || slices.ContainsFunc(c.related, func(edges []*edge) bool { return len(edges) > 0 })
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
	class  int
	values []int
	into   [][]int // values of the parts
	twins  [][]int // values of the cell, by what they are in the state
	room   []int   // scratch, by part
}

// each sets the images of the values of the cell under perm in all ways that matter.
func (d *division) each(perm model.ScalarPerm, f func() bool) bool {
	d.room = d.room[:0]
	for _, part := range d.into {
		d.room = append(d.room, len(part))
	}
	return d.place(perm[d.class], 0, 0, 0, len(d.values), f)
}

// place gives twins i from number k on to parts from j on, which have so much room.
func (d *division) place(images []int, i, k, j, room int, f func() bool) bool {
	if i == len(d.twins) {
		return f()
	}
	set := d.twins[i]
	if k == len(set) {
		return d.place(images, i+1, 0, 0, lists.Sum(d.room, func(n int) int { return n }), f)
	}
	own, part := d.room[j], d.into[j]
	room -= own // of the parts behind
	for n := min(own, len(set)-k); n >= max(0, len(set)-k-room); n-- {
		for x := range n {
			images[set[k+x]] = part[len(part)-own+x]
		}
		d.room[j] = own - n
		if !d.place(images, i, k+n, j+1, room, f) {
			return false
		}
	}
	d.room[j] = own
	return true
}

// twins returns, by class and value, the least value of the same cell of R whose exchange with
// it keeps u.
func (a *adaptive) twins(u model.State, r *keptSet) [][]int {
	c := a.whole.canon
	like := make([][]int, len(r.Cells))
	for k, blocks := range r.blocks {
		like[k] = make([]int, len(r.Cells[k]))
		for _, b := range blocks {
			reps := make([]int, 0, 8) // of the twins of the cell
			for _, w := range b {
				i := slices.IndexFunc(reps, func(v int) bool { return c.twins(u, c.base[k]+v, c.base[k]+w) })
				if like[k][w] = w; i >= 0 {
					like[k][w] = reps[i]
				} else {
					reps = append(reps, w)
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
