package mc

import (
	"fmt"
	"reflect"
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
// that q excludes. Bounds on formulas count frames of a netlist, which may be more than the steps of a run.
func (r *PropResult) contradicts(q *PropResult, k model.PropertyKind) bool {
	return r.Status == ByTrace(k) && (q.Status == BySearch(k) || q.Bound >= r.Depth && r.Lasso == nil)
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

// addStats adds numbers up, and takes the largest of those whose tag says so: engines look at one system.
func addStats(a, b Stats) Stats {
	sum, with := reflect.ValueOf(&a).Elem(), reflect.ValueOf(b)
	for i := range sum.NumField() {
		x, y := sum.Field(i), with.Field(i)
		switch {
		case sum.Type().Field(i).Tag.Get("merge") == "max":
			if x.CanInt() && x.Int() < y.Int() || x.CanFloat() && x.Float() < y.Float() {
				x.Set(y)
			}
		case x.CanInt():
			x.SetInt(x.Int() + y.Int())
		default:
			x.SetFloat(x.Float() + y.Float())
		}
	}
	return a
}
