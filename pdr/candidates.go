package pdr

import (
	"context"
	"errors"
	"slices"

	"orbitmc/ts"
)

// This file takes in candidates: clauses that another size of the model, or another user of
// the engine, proposes. Houdini finds their largest inductive subset (inductive.go). It
// holds in every reachable state, so it is added to every frame for good. No candidate is
// trusted: a wrong one is dropped, and so is one that needs a wrong one.

// errTired says that Engine.Candidates ended the search.
var errTired = errors.New("no more questions allowed")

// fewest is how many candidates there may be for one that is inductive. If fewer are,
// the candidates are about another model, and the inductive ones are not worth their
// clauses.
const fewest = 8

// admit asks for candidates and adds those that are inductive to all frames.
func (x *search) admit(ctx context.Context) error {
	if x.e.Candidates == nil {
		return nil
	}
	clauses, more := x.e.Candidates(ctx, x.group, x.stats.Queries)
	if !more {
		return errTired
	}
	if x.given == nil {
		x.given = make(map[string]bool)
	}
	lemmas := slices.Clone(x.invariants)
	now := make(map[string]bool)
	for _, clause := range clauses {
		c := clause.Negation()
		slices.Sort(c)
		inside := !slices.ContainsFunc(c, func(l ts.Lit) bool {
			_, in := slices.BinarySearch(x.latches, l.Index())
			return !in
		})
		if !inside || x.given[c.Key()] || now[c.Key()] {
			continue
		}
		now[c.Key()] = true
		if _, again := x.given[c.Key()]; !again {
			x.given[c.Key()] = false
			x.stats.Candidates++
		}
		lemmas = append(lemmas, x.newLemma(c, 0))
	}
	tried, had := len(lemmas), len(x.invariants)
	if tried == had {
		return nil
	}
	lemmas, err := x.steps.inductive(x, ctx, lemmas)
	if err != nil {
		return err
	}
	if fewest*len(lemmas) < tried {
		return nil
	}
	x.invariants = lemmas
	x.stats.Carried += int64(len(lemmas) - had)
	for _, l := range lemmas {
		if x.given[l.cube.Key()] {
			continue
		}
		x.given[l.cube.Key()] = true
		for _, level := range x.levels[1:] {
			for _, d := range l.images {
				level.solver.block(d)
			}
		}
	}
	return nil
}
