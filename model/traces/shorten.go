package traces

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

// This file shortens lassos. The automaton lags behind the run that it reads: its guess has to come back, too, before
// the loop closes. So a lasso of the system may repeat steps that the model need not take. The run of the model knows
// of no automaton. Where it visits a state twice, the steps between the visits are left out, or become the loop.
// CheckLasso decides whether what is left is still fair and violates the formula.

// shortenWork limits Shorten: states looked at by CheckLasso, each once for each other state and each rule instance
// of fairness.
const shortenWork = 1 << 24

// Shorten returns a run of fewest steps among those that come of leaving out steps between two visits of a state, one
// after the other. A run that is too long for that is returned as it is.
func Shorten(p *model.Program, of model.FormulaInstance, r *model.Lasso) *model.Lasso {
	work := shortenWork
	for {
		next := shorter(p, of, r, &work)
		if next == nil {
			return r
		}
		r = next
	}
}

// shorter returns the shortest run that is r with one repetition less and passes CheckLasso; nil if there is none.
func shorter(p *model.Program, of model.FormulaInstance, r *model.Lasso, work *int) *model.Lasso {
	all := cuts(r)
	slices.SortStableFunc(all, func(a, b cut) int { return a.steps(r) - b.steps(r) })
	for _, c := range all {
		x := c.of(r)
		n := len(x.States)
		cost := n * n
		for _, rules := range p.Model.Fair.Rules {
			cost += n * len(rules.Instances)
		}
		if *work -= cost; *work < 0 {
			return nil
		}
		if CheckLasso(p, of, x) == nil {
			return x
		}
	}
	return nil
}

// cut is a change of a run whose states from and to, from < to, are equal. The steps between them are left out. Or, if it
// closes, they are the loop, and all later steps are left out.
type cut struct {
	from, to int
	closes   bool
}

// cuts returns the changes that make a run shorter.
func cuts(r *model.Lasso) (all []cut) {
	visits := make(map[string][]int) // by state, ascending
	n := len(r.Trace.Steps)
	for to, st := range r.States {
		key := fmt.Sprint(st)
		for _, from := range visits[key] {
			if r.Loop <= from || to <= r.Loop {
				all = append(all, cut{from, to, false})
			}
			if to < n {
				all = append(all, cut{from, to, true})
			}
		}
		visits[key] = append(visits[key], to)
	}
	return all
}

// steps returns how many steps are left of a run.
func (c cut) steps(r *model.Lasso) int {
	if c.closes {
		return c.to
	}
	return len(r.Trace.Steps) - (c.to - c.from)
}

// of returns the run that is left.
func (c cut) of(r *model.Lasso) *model.Lasso {
	t := *r.Trace
	if c.closes {
		t.Steps = t.Steps[:c.to]
		return &model.Lasso{Trace: &t, States: r.States[:c.to], Loop: c.from}
	}
	t.Steps = slices.Concat(t.Steps[:c.from], t.Steps[c.to:])
	out := &model.Lasso{Trace: &t, States: slices.Concat(r.States[:c.from], r.States[c.to:]), Stuck: r.Stuck, Erred: r.Erred, Loop: r.Loop}
	if r.Loop >= c.to {
		out.Loop -= c.to - c.from
	}
	return out
}
