package mc

import (
	"fmt"
	"slices"
	"strings"
)

// This file combines the answers of engines that ran side by side.

// Merge combines the results of several engines on one problem: for each
// property the first decided verdict in order, else the largest bound. Two
// results that contradict each other are an error: verdicts that differ, or a
// violation of a depth that another result excludes.
func Merge(p *Problem, results ...*Result) (*Result, error) {
	out := NewResult("", p)
	results = slices.DeleteFunc(slices.Clone(results), func(r *Result) bool { return r == nil })
	var names, stops []string
	for k, r := range results {
		if err := r.answers(p); err != nil {
			return nil, err
		}
		names = append(names, r.Engine)
		if r.Stopped != "" {
			stops = append(stops, r.Engine+": "+r.Stopped)
		}
		for i := range r.Props {
			have, got := &out.Props[i], &r.Props[i]
			for _, before := range results[:k] {
				if old := &before.Props[i]; old.contradicts(got) || got.contradicts(old) {
					return nil, fmt.Errorf("internal error: on %q, %s says %s and %s says %s", p.Model.Props[got.Prop].Name, before.Engine, old.claim(), r.Engine, got.claim())
				}
			}
			switch {
			case have.Status == Unknown && got.Status != Unknown:
				*have = *got
			case have.Status == Unknown && got.Bound > have.Bound:
				have.Bound = got.Bound
				have.Engine = got.Engine
			}
		}
		out.Stats = addStats(out.Stats, r.Stats)
	}
	out.Engine = strings.Join(names, "+")
	if out.Open() > 0 {
		out.Stopped = strings.Join(stops, "; ")
	}
	return out, nil
}

// contradicts reports whether the violation r has is one that q excludes.
func (r *PropResult) contradicts(q *PropResult) bool {
	return r.Status == Unsafe && (q.Status == Safe || q.Bound >= r.Depth)
}

// claim says what r knows of its property.
func (r *PropResult) claim() string {
	switch r.Status {
	case Safe:
		return "safe"
	case Unsafe:
		return fmt.Sprintf("violated at depth %d, at none up to %d", r.Depth, r.Bound)
	}
	return fmt.Sprintf("not violated up to depth %d", r.Bound)
}

func addStats(a, b Stats) Stats {
	a.Depth = max(a.Depth, b.Depth)
	a.States += b.States
	a.Transitions += b.Transitions
	a.Frames += b.Frames
	a.Conflicts += b.Conflicts
	a.Decisions += b.Decisions
	a.Clauses += b.Clauses
	a.Variables += b.Variables
	a.Latches += b.Latches
	a.Inputs += b.Inputs
	a.Ands += b.Ands
	a.Bytes += b.Bytes
	a.Permutations = max(a.Permutations, b.Permutations)
	a.RepVariables += b.RepVariables
	a.RepClauses += b.RepClauses
	return a
}
