package bmc

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/model"
	"orbitmc/rep"
	"orbitmc/ts"
)

// This file decides when symmetry is used: where the group moves what the property depends
// on, and queries take so many conflicts that the predicate pays.

// breakSymmetry says how the group of a property helps its next query.
func (r *run) breakSymmetry(q *query) error {
	if r.opt.Later != nil || r.Rep == RepOff {
		return nil
	}
	if !q.known {
		if r.Rep == RepAuto && q.conflicts < fewConflicts {
			return nil
		}
		q.known = true
		if err := r.findSymmetry(q); err != nil {
			return err
		}
	}
	q.broken = q.path != nil && (r.Rep != RepAuto || r.worthwhile(q))
	return nil
}

// findSymmetry fills in what the group of a property may do for its queries. Permutations
// that move no latch on which the property depends do nothing.
func (r *run) findSymmetry(q *query) error {
	y := r.p.Group(q.prop)
	if r.p.Enc != nil {
		y = r.p.Enc.KeepingSlots(y)
	}
	if r.coded != nil && !r.coded.Keeps(y) {
		return nil
	}
	perms, err := rep.Perms(y, rep.Nice)
	if err != nil {
		return err
	}
	cone := r.cone(r.p.Bads(q.prop))
	q.order = slices.DeleteFunc(r.p.WordOrder(q.prop), func(l int) bool { return !cone[l] })
	q.perms = slices.DeleteFunc(slices.Clone(perms), func(p *ts.Perm) bool { return rep.Length(p, q.order) == 0 })
	if len(q.perms) == 0 {
		return nil
	}
	sys := r.p.System()
	if bads := r.p.Bads(q.prop); len(bads) == 1 && sys.Bads[bads[0]].Delay == 0 {
		if instance, kept, ok := oneInstance(sys, sys.Bads[bads[0]].Lit, y, q.perms); ok {
			q.perms = kept
			for _, l := range instance {
				q.instance = append(q.instance, r.own(l))
			}
		}
	}
	q.path = rep.NewPath(r.frames.Graph(), q.order, q.perms)
	return nil
}

// cone reports, by latch, whether bads or constraints depend on it, in any number of steps.
func (r *run) cone(bads []int) []bool {
	g := r.sys.G
	latch := make(map[int]int, len(r.sys.Latches)) // by node
	for i, l := range r.sys.Latches {
		latch[l.Node] = i
	}
	seen := make([]bool, g.Len())
	var todo []int
	reach := func(l aig.Lit) {
		if n := l.Node(); !seen[n] {
			seen[n] = true
			todo = append(todo, n)
		}
	}
	for _, b := range bads {
		reach(r.sys.Bads[b].Lit)
	}
	for _, l := range r.sys.Constraints {
		reach(l)
	}
	in := make([]bool, len(r.sys.Latches))
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if g.IsAnd(n) {
			a, b := g.Fanins(n)
			reach(a)
			reach(b)
		} else if i, ok := latch[n]; ok {
			in[i] = true
			reach(r.sys.Latches[i].Next)
		}
	}
	return in
}

// fewConflicts is the least number of conflicts that is worth a predicate; below it a predicate may
// harm the search more than it saves.
const fewConflicts = 250

// worthwhile reports whether symmetry is likely to pay for the next query. Run-time errors are
// decided by clauses that were learned at lesser depths; with a representative predicate such
// clauses are lost, as they are released with its depth.
//
// A predicate costs its comparisons in each frame. So it is used once a query without it takes at
// least as many conflicts, and at least fewConflicts. Unless it pays in the first query with it, it is given up
// until queries take four times as many conflicts. Counts do not depend on time, so a run can be repeated.
func (r *run) worthwhile(q *query) bool {
	if r.p.Kind(q.prop) == model.RuntimeError {
		return false
	}
	switch {
	case !q.broken:
		q.needed = max(q.needed, int64(q.path.Comparisons()), fewConflicts)
		copy(q.without[1:], q.without[:])
		q.without[0] = q.conflicts
		q.paid = false
		return q.conflicts >= q.needed
	case !q.paid && !q.pays():
		q.needed = 4 * q.without[0]
		return false
	}
	q.paid = true
	return true
}

// pays reports whether the first query with a predicate took fewer conflicts than the last one without. Where
// queries of greater depths take about as many conflicts as others, it must be a quarter fewer, as some query takes
// fewer by chance. They count as growing until four are known.
func (q *query) pays() bool {
	last := q.without[0]
	if grows := last >= 2*q.without[len(q.without)-1]; grows {
		return q.conflicts < last
	}
	return 4*q.conflicts <= 3*last
}
