package explicit

import (
	"context"
	"slices"
	"strings"

	"orbitmc/model"
)

// This file decides virtual symmetry (Wei, Gurfinkel, Chechik, CHARME 2005): whether the quotient by
// a group is bisimilar to the model although not all of its permutations are symmetries. It is iff
// from all states of an orbit the same orbits can be reached in a step, errors included. That is asked of the
// orbits that can be reached in the quotient; docs/theory/adaptive.md says why this suffices.
//
// Rules that keep the whole group lead from all states of an orbit to the same orbits. So the
// others are looked at, in the states that they tell apart, and only where they lead to
// orbits to which the symmetric rules do not.

// Quotient is the quotient by a group.
type Quotient struct {
	Kept    model.Kept
	Orbits  int64   // visited
	Witness *Uneven // nil: the quotient is bisimilar to the model
	Reason  Reason  // why that was not decided; "" if it was
}

// Uneven is a step that some image of its state has not.
type Uneven struct {
	From, Image model.State
	Step        model.Choice
	To          model.State      // nil if the step errs
	V           *model.Violation // of an erring step
}

// Virtual decides whether the quotient by the permutations that some rule keeps is bisimilar to
// the model, in at most so many orbits.
func Virtual(ctx context.Context, p *model.Program, part *model.Partial, most int64) (*Quotient, error) {
	a, err := newAdaptive(p, Options{Canon: Adaptive, Partial: part})
	if err != nil {
		return nil, err
	}
	v := &virtual{adaptive: a, seen: make(map[string]bool), odd: a.whole.Kept}
	for _, r := range a.rules {
		v.odd = v.odd.Meet(p.Model, r.kept.Kept)
	}
	a.m.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
		if s != nil {
			v.visit(string(a.least(s, a.whole)))
		}
		return true
	})
	q := &Quotient{Kept: a.whole.Kept}
	for len(v.queue) > 0 && q.Witness == nil {
		if q.Reason = reasonOf(ctx); q.Reason == "" && q.Orbits == most {
			q.Reason = tooManyOrbits
		}
		if q.Reason != "" {
			break
		}
		q.Orbits++
		next := v.queue[0]
		v.queue = v.queue[1:]
		q.Witness = v.expand(next)
	}
	return q, nil
}

// virtual is one decision.
type virtual struct {
	*adaptive
	odd   model.Kept // what all rules keep
	seen  map[string]bool
	queue []string // representatives, packed
}

func (v *virtual) visit(rep string) {
	if !v.seen[rep] {
		v.seen[rep] = true
		v.queue = append(v.queue, rep)
	}
}

// orbitStep is a step to an orbit, or an error.
type orbitStep struct {
	from, to model.State
	choice   model.Choice
	v        *model.Violation
}

// expand visits the orbits to which steps lead from an orbit. It returns a step that leads from
// some of its states only.
func (v *virtual) expand(rep string) *Uneven {
	a := v.adaptive
	s := make(model.State, a.p.Model.Leaves())
	a.packer.Unpack([]byte(rep), s)
	all := make(map[string]*orbitStep) // by orbit, or error
	collect := func(set *ruleSet, u model.State, r *keptSet, into map[string]*orbitStep) {
		a.successors(set, u, r, func(ch model.Choice, next model.State, err *model.Violation) bool {
			key := ""
			switch {
			case err != nil:
				key = "error " + a.p.Model.Props[err.Prop].Name
			case slices.Equal(next, u):
				return true
			default:
				key = "to " + string(a.least(next, a.whole))
			}
			if all[key] == nil && into[key] == nil {
				into[key] = &orbitStep{slices.Clone(u), slices.Clone(next), ch.Clone(), err}
			}
			return true
		})
	}
	for i := range a.rules {
		if a.rules[i].kept == a.whole {
			collect(&a.rules[i], s, a.whole, all)
		}
	}
	var first map[string]*orbitStep // of the odd rules, beyond those
	var at model.State
	var found *Uneven
	r := a.mustSet(v.odd)
	a.unwind(s, a.whole, r, func(u model.State) bool {
		own := make(map[string]*orbitStep)
		for i := range a.rules {
			if a.rules[i].kept != a.whole {
				collect(&a.rules[i], u, r, own)
			}
		}
		if at == nil {
			first, at = own, slices.Clone(u)
			return true
		}
		if x := lacks(first, own); x != nil {
			found = &Uneven{From: x.from, Image: slices.Clone(u), Step: x.choice, To: x.to, V: x.v}
		} else if x := lacks(own, first); x != nil {
			found = &Uneven{From: x.from, Image: at, Step: x.choice, To: x.to, V: x.v}
		}
		return found == nil
	})
	for _, steps := range []map[string]*orbitStep{all, first} {
		var to []string
		for key := range steps {
			if rep, ok := strings.CutPrefix(key, "to "); ok {
				to = append(to, rep)
			}
		}
		slices.Sort(to)
		for _, rep := range to {
			v.visit(rep)
		}
	}
	return found
}

// lacks returns a step to an orbit to which others do not lead; nil if there is none.
func lacks(steps, others map[string]*orbitStep) *orbitStep {
	var keys []string
	for k := range steps {
		if others[k] == nil {
			keys = append(keys, k)
		}
	}
	if keys == nil {
		return nil
	}
	return steps[slices.Min(keys)]
}
