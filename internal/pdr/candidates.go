package pdr

import (
	"context"
	"errors"
	"slices"

	"orbitmc/mc"
	"orbitmc/ts"
)

// This file takes in candidates: clauses that another size of the model, or another user of
// the engine, proposes. Houdini finds their largest inductive subset (inductive.go). It
// holds in every reachable state, so it is added to every frame for good. No candidate is
// trusted: a wrong candidate is dropped, and so is a candidate that needs a wrong one.

// errTired says that Engine.Candidates ended the search.
var errTired = errors.New("no more questions allowed")

// fewest is how many candidates there may be for one that is inductive. If fewer are,
// the candidates are about another model, and the inductive ones are not worth their
// clauses.
const fewest = 8

// admit asks for candidates and adds those that are inductive to all frames.
func (s *search) admit(ctx context.Context) error {
	foreign, err := s.foreign(ctx)
	if err != nil || s.e.Candidates == nil && foreign == nil {
		return err
	}
	var clauses []ts.Clause
	if s.e.Candidates != nil {
		var more bool
		if clauses, more = s.e.Candidates(ctx, s.group, s.stats.Queries); !more {
			return errTired
		}
	}
	if s.given == nil {
		s.given = make(map[string]bool)
	}
	lemmas := slices.Clone(s.invariants)
	now := make(map[string]bool)
	for i, clause := range append(slices.Clip(clauses), foreign...) {
		c := clause.Negation()
		slices.Sort(c)
		inside := !slices.ContainsFunc(c, func(l ts.Lit) bool {
			_, in := slices.BinarySearch(s.latches, l.Index())
			return !in
		})
		if !inside || s.given[c.Key()] || now[c.Key()] {
			continue
		}
		now[c.Key()] = true
		if _, again := s.given[c.Key()]; !again {
			s.given[c.Key()] = false
			s.stats.Candidates++
		}
		l := s.newLemma(c, 0)
		lemmas = append(lemmas, l)
		if i >= len(clauses) { // its images are there, too
			for _, d := range l.images {
				now[d.Key()] = true
			}
		}
	}
	tried, had := len(lemmas), len(s.invariants)
	if tried == had {
		return nil
	}
	lemmas, err = s.variant.inductive(s, ctx, lemmas)
	if err != nil {
		return err
	}
	if fewest*len(lemmas) < tried {
		return nil
	}
	s.invariants = lemmas
	s.stats.Carried += int64(len(lemmas) - had)
	for _, l := range lemmas {
		if s.given[l.cube.Key()] {
			continue
		}
		s.given[l.cube.Key()] = true
		if foreign != nil {
			for _, d := range l.images {
				s.given[d.Key()] = true
			}
		}
		for _, level := range s.levels[1:] {
			for _, d := range l.images {
				level.solver.block(d)
			}
		}
	}
	return nil
}

// foreign returns the lemmas of other processes if there are new ones since the last call: all, as
// one may need another.
func (s *search) foreign(ctx context.Context) ([]ts.Clause, error) {
	files, ok := s.opt.Lemmas.(interface {
		Exchange(ctx context.Context, p *mc.Problem, n int) ([][]ts.Clause, error)
	})
	if !ok {
		return nil, nil
	}
	sets, err := files.Exchange(ctx, s.p, 0)
	if err != nil || len(sets) == s.sets {
		return nil, err
	}
	s.sets = len(sets)
	return slices.Concat(sets...), nil
}
