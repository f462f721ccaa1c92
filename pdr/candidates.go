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
func (x *search) admit(ctx context.Context) error {
	foreign, err := x.foreign(ctx)
	if err != nil || x.e.Candidates == nil && foreign == nil {
		return err
	}
	var clauses []ts.Clause
	if x.e.Candidates != nil {
		var more bool
		if clauses, more = x.e.Candidates(ctx, x.group, x.stats.Queries); !more {
			return errTired
		}
	}
	if x.given == nil {
		x.given = make(map[string]bool)
	}
	lemmas := slices.Clone(x.invariants)
	now := make(map[string]bool)
	for i, clause := range append(slices.Clip(clauses), foreign...) {
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
		l := x.newLemma(c, 0)
		lemmas = append(lemmas, l)
		if i >= len(clauses) { // its images are there, too
			for _, d := range l.images {
				now[d.Key()] = true
			}
		}
	}
	tried, had := len(lemmas), len(x.invariants)
	if tried == had {
		return nil
	}
	lemmas, err = x.steps.inductive(x, ctx, lemmas)
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
		if foreign != nil {
			for _, d := range l.images {
				x.given[d.Key()] = true
			}
		}
		for _, level := range x.levels[1:] {
			for _, d := range l.images {
				level.solver.block(d)
			}
		}
	}
	return nil
}

// foreign returns the lemmas of other processes if there are new ones since the last call: all, as
// one may need another.
func (x *search) foreign(ctx context.Context) ([]ts.Clause, error) {
	files, ok := x.opt.Lemmas.(interface {
		Exchange(ctx context.Context, p *mc.Problem, n int) ([][]ts.Clause, error)
	})
	if !ok {
		return nil, nil
	}
	sets, err := files.Exchange(ctx, x.p, 0)
	if err != nil || len(sets) == x.sets {
		return nil, err
	}
	x.sets = len(sets)
	return slices.Concat(sets...), nil
}
