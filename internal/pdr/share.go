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
func (s *search) share(ctx context.Context) error {
	if s.opt.Lemmas == nil || s.sharing*sharedPart > s.propagations {
		return nil
	}
	candidates := slices.Clone(s.shared)
	for _, level := range s.levels[1:] {
		for _, l := range level.lemmas {
			if s.sharable(l) && !slices.Contains(s.shared, l) {
				candidates = append(candidates, l)
			}
		}
	}
	if 4*len(candidates) < 5*s.tried {
		return nil
	}
	s.tried = len(candidates)
	start, before, asked := s.start, s.propagations, s.stats.Queries
	if s.aside == nil {
		s.aside = s.newSolver(s.reset)
	}
	s.start = s.aside
	kept, err := s.inductive(ctx, candidates)
	s.start = start
	s.sharing += s.propagations - before
	s.asked += s.stats.Queries - asked
	if err == nil {
		s.post(kept)
	}
	return err
}

// sharable reports whether the whole orbit of a lemma is at hand, and small.
func (s *search) sharable(l *lemma) bool {
	return l.lazy == nil && len(l.images) <= maxShared && (s.orbits == nil || len(l.images) < s.orbits.limit)
}

// post posts lemmas that are inductive together; none if one of them is not sharable.
func (s *search) post(lemmas []*lemma) {
	set := evidence.Lemmas{Group: s.group}
	for _, l := range lemmas {
		if !s.sharable(l) {
			return
		}
		if !slices.Contains(s.shared, l) {
			set.Clauses = append(set.Clauses, l.cube.Negation())
		}
	}
	if s.opt.Lemmas != nil {
		s.opt.Lemmas.Post(set)
	}
	s.shared = lemmas
}
