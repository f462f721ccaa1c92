package pdr

import (
	"context"
	"slices"

	"orbitmc/mc/evidence"
)

// This file posts lemmas for engines that run beside this one.
//
// A lemma of frame i holds for i steps. Lemmas that are inductive together hold
// for good (the frame at infinity of Ivrii and Gurfinkel: Pushing to the top,
// FMCAD 2015). They are the largest inductive subset of all present lemmas
// (inductive.go). The subset is computed again when the lemmas have grown by a quarter, as long as these
// computations took at most a tenth of the propagations. They do not change the search: they ask no solver
// of the search, and their queries do not count where the effort of the search depends on its queries.

// sharedPart is which part of the propagations may be for this, one in so many.
const sharedPart = 10

// maxShared is the largest orbit that is posted: others write every image into every
// frame.
const maxShared = 200

// share posts the lemmas that are inductive together and were not posted before.
func (x *search) share(ctx context.Context) error {
	if x.opt.Lemmas == nil || x.sharing*sharedPart > x.propagations {
		return nil
	}
	candidates := slices.Clone(x.shared)
	for _, level := range x.levels[1:] {
		for _, l := range level.lemmas {
			if x.sharable(l) && !slices.Contains(x.shared, l) {
				candidates = append(candidates, l)
			}
		}
	}
	if 4*len(candidates) < 5*x.tried {
		return nil
	}
	x.tried = len(candidates)
	start, before, asked := x.start, x.propagations, x.stats.Queries
	if x.aside == nil {
		x.aside = x.newSolver(x.reset)
	}
	x.start = x.aside
	kept, err := x.inductive(ctx, candidates)
	x.start = start
	x.sharing += x.propagations - before
	x.asked += x.stats.Queries - asked
	if err == nil {
		x.post(kept)
	}
	return err
}

// sharable reports whether the whole orbit of a lemma is at hand, and small.
func (x *search) sharable(l *lemma) bool {
	return l.lazy == nil && len(l.images) <= maxShared && (x.orbits == nil || len(l.images) < x.orbits.limit)
}

// post posts lemmas that are inductive together; none if one of them is not sharable.
func (x *search) post(lemmas []*lemma) {
	set := evidence.Lemmas{Group: x.group}
	for _, l := range lemmas {
		if !x.sharable(l) {
			return
		}
		if !slices.Contains(x.shared, l) {
			set.Clauses = append(set.Clauses, l.cube.Negation())
		}
	}
	if x.opt.Lemmas != nil {
		x.opt.Lemmas.Post(set)
	}
	x.shared = lemmas
}
