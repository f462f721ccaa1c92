package mc

import (
	"fmt"
	"slices"
	"strings"

	"orbitmc/model"
)

// This file combines the answers of engines that ran side by side.

// Merge combines the results of several engines on one problem: for each
// property the first decided verdict in order, else the largest bound. Two
// results that contradict each other are an error: verdicts that differ, or a
// trace of a depth that another result excludes.
func Merge(p *Problem, results ...*Result) (*Result, error) {
	out := NewResult("", p)
	results = slices.DeleteFunc(slices.Clone(results), func(r *Result) bool { return r == nil })
	var names, stops []string
	for k, r := range results {
		if err := r.Answers(p); err != nil {
			return nil, err
		}
		names = append(names, r.Engine)
		if r.Stopped != "" {
			stops = append(stops, r.Engine+": "+r.Stopped)
		}
		for i := range r.Props {
			have, got := &out.Props[i], &r.Props[i]
			name, kind := p.Name(got.Prop), p.Kind(got.Prop)
			for _, before := range results[:k] {
				if old := &before.Props[i]; old.contradicts(got, kind) || got.contradicts(old, kind) {
					return nil, fmt.Errorf("internal error: on %q, %s says %s and %s says %s", name, before.Engine, old.claim(kind), r.Engine, got.claim(kind))
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
	for _, r := range results {
		if out.Idle == nil {
			out.Idle = r.Idle
		}
		if out.Raised == nil {
			out.Raised = r.Raised
		}
		if out.FiredBy == nil {
			out.FiredBy, out.Deadlocks = r.FiredBy, r.Deadlocks
		}
	}
	out.Engine = strings.Join(names, "+")
	if out.Open() > 0 {
		out.Stopped = strings.Join(stops, "; ")
	}
	return out, nil
}

// contradicts reports whether the trace r has for a property of kind k is one
// that q excludes.
func (r *PropResult) contradicts(q *PropResult, k model.PropertyKind) bool {
	return r.Status == ByTrace(k) && (q.Status == BySearch(k) || q.Bound >= r.Depth)
}

// claim says what r knows of its property, of kind k.
func (r *PropResult) claim(k model.PropertyKind) string {
	what := "violated"
	if k == model.Cover {
		what = "hit"
	}
	switch r.Status {
	case Unknown:
		return fmt.Sprintf("not %s up to depth %d", what, r.Bound)
	case ByTrace(k):
		return fmt.Sprintf("%s at depth %d, at none up to %d", what, r.Depth, r.Bound)
	}
	return "never " + what
}

func addStats(a, b Stats) Stats {
	a.Depth = max(a.Depth, b.Depth)
	a.States += b.States
	a.Transitions += b.Transitions
	a.Subsumed += b.Subsumed
	a.Frames += b.Frames
	a.Conflicts += b.Conflicts
	a.Decisions += b.Decisions
	a.Clauses += b.Clauses
	a.Variables += b.Variables
	a.Latches = max(a.Latches, b.Latches) // engines look at one system
	a.Inputs = max(a.Inputs, b.Inputs)
	a.Certify += b.Certify
	a.Ands += b.Ands
	a.Bytes += b.Bytes
	a.Executions += b.Executions
	a.Pruned += b.Pruned
	a.Explored += b.Explored
	a.Levels += b.Levels
	a.Orbits += b.Orbits
	a.Images += b.Images
	a.InPart += b.InPart
	a.Obligations += b.Obligations
	a.Queries += b.Queries
	a.Candidates += b.Candidates
	a.Carried += b.Carried
	a.Permutations = max(a.Permutations, b.Permutations)
	a.Enumerations += b.Enumerations
	a.Cofactors += b.Cofactors
	a.CofactorAnds += b.CofactorAnds
	a.SetAnds += b.SetAnds
	a.StatesPerEnumeration = max(a.StatesPerEnumeration, b.StatesPerEnumeration)
	a.Lemmas += b.Lemmas
	a.RepVariables += b.RepVariables
	a.RepClauses += b.RepClauses
	return a
}
