package bmc

import (
	"math/big"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/rep"
	"orbitmc/ts"
)

// This file decides when symmetry is used: where the group moves what the property depends
// on, and queries take so many conflicts that the predicate pays.

// breakSymmetry says how the group of a property helps its next query.
func (r *run) breakSymmetry(q *query) error {
	if r.opt.Later != nil || r.Rep == RepOff || len(r.images) > 0 { // a path is compared from its first frame on
		return nil
	}
	if !q.known {
		if r.Rep == RepAuto && (q.work.Conflicts < fewConflicts || q.work.Conflicts < r.few(q)) { // few needs the order of the group
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
	distance := distances(r.sys, r.p.Bads(q.prop))
	q.order = slices.DeleteFunc(r.p.WordOrder(q.prop), func(l int) bool { return distance[l] < 0 })
	q.perms = slices.DeleteFunc(slices.Clone(perms), func(p *ts.Perm) bool { return rep.Length(p, q.order) == 0 })
	if len(q.perms) == 0 {
		return nil
	}
	sys := r.p.System()
	if bads := r.p.Bads(q.prop); len(bads) == 1 && sys.Bads[bads[0]].Delay == 0 {
		if instance, kept, ok := oneInstance(sys, sys.Bads[bads[0]].Lit, y, q.perms); ok {
			q.perms = kept
			q.instance = lists.Map(instance, r.own)
		}
	}
	q.path = rep.NewPath(r.frames.Graph(), r.frames.Latch, byDistance(q.order, distance), q.perms)
	return nil
}

// The least number of conflicts that is worth a predicate, some hundredths of a second; below it a predicate may harm the
// search more than it saves, and what one depth takes says little about the next. A predicate saves at most as many times
// the work as the group has elements, so small groups need more.
const (
	fewConflicts = 250
	fewOfSmall   = 2000 // of a group of less than smallOrder elements
	smallOrder   = 100

	// Queries of fewer conflicts, and groups of fewer elements, are not worth another encoding: on that, everything that was
	// learned is lost, and the predicate often saves less than it costs.
	manyConflicts = 1000
	smallOther    = 1000
)

// few returns this number for a property.
func (r *run) few(q *query) int64 {
	if r.small(q) {
		return fewOfSmall
	}
	return fewConflicts
}

// small reports whether the group of a property is so small that a predicate saves little.
func (r *run) small(q *query) bool { return smaller(r.p, q.prop, smallOrder) }

func smaller(p *mc.Problem, prop int, than int64) bool {
	return p.Group(prop).Order().Cmp(big.NewInt(than)) < 0
}

// hard reports whether queries of a property are so hard, and grow so fast, that what the solver has learned is worth little in
// the depths to come: the last four windows took nine tenths of all conflicts.
func (r *run) hard(q *query) bool {
	return r.p.Kind(q.prop) != model.RuntimeError && q.work.Conflicts >= manyConflicts && 10*q.lately() >= 9*q.total
}

// Worth reports whether the group of one of the properties, if it is hard, is worth another encoding of the model: whether it is
// large.
func Worth(p *mc.Problem, props []int) bool {
	return slices.ContainsFunc(props, func(prop int) bool {
		return slices.Contains(p.Props, prop) && !smaller(p, prop, smallOther)
	})
}

// worthwhile reports whether symmetry is likely to pay for the next query. Run-time errors are
// decided by clauses that were learned at lesser depths; with a representative predicate such
// clauses are lost, as they are released with its depth.
//
// A predicate costs its comparisons in each frame. So it is used once a query without it takes at
// least as many conflicts, and not few. Unless it pays in the first query with it, it is given up
// until queries take four times as many conflicts. Counts do not depend on time, so a run can be repeated.
//
// What was learned under a predicate is lost with its depth. Where depths do not get dearer, that is more than a small group
// saves, so such a group is used only while they do.
func (r *run) worthwhile(q *query) bool {
	if r.p.Kind(q.prop) == model.RuntimeError {
		return false
	}
	dear := q.dearer() || !r.small(q)
	switch {
	case !q.broken:
		q.needed = max(q.needed, int64(q.path.Comparisons()), r.few(q))
		copy(q.without[1:], q.without[:])
		q.without[0] = q.work
		q.paid = false
		return dear && q.work.Conflicts >= q.needed
	case !dear, !q.paid && !q.pays():
		q.needed = 4 * q.without[0].Conflicts
		return false
	}
	q.paid = true
	return true
}

// onTrial reports whether the next query is to show whether a predicate pays. Then the definitions of the predicate end with
// the query, too, as all later queries would have to look at them.
func (r *run) onTrial(q *query) bool { return r.Rep == RepAuto && q.broken && !q.paid }

// dearer reports whether the last windows took at least half of all conflicts of the query.
func (q *query) dearer() bool { return 2*q.lately() >= q.total }

// lately returns the conflicts of the last windows.
func (q *query) lately() (n int64) {
	for _, conflicts := range q.recent {
		n += conflicts
	}
	return n
}

// pays reports whether the first query with a predicate took less work than the last one without, in conflicts and in
// propagations. Where queries of greater depths take about as much as others, it must be a quarter less, as some query
// takes less by chance. They count as growing until four are known.
func (q *query) pays() bool {
	last, before := q.without[0], q.without[len(q.without)-1]
	if grows := last.Conflicts >= 2*before.Conflicts; grows {
		return q.work.Conflicts < last.Conflicts && q.work.Propagations < last.Propagations
	}
	return 4*q.work.Conflicts <= 3*last.Conflicts && 4*q.work.Propagations <= 3*last.Propagations
}
