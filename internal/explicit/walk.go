package explicit

import (
	"context"
	"math/rand/v2"
	"slices"

	"orbitmc/model"
)

// Random walks. A search in breadth finds shortest counterexamples, and none deeper than it comes. Most
// runs of a broken model may end in its deadlock all the same, after hundreds of steps. So after
// walksFirst instances, and again when twice as many were fired, random walks fire some more. A walk takes
// each instance that leads to another state with the same probability. Its trace is shortened (shorten.go) and replayed as any
// other. It need not be shortest.

const (
	walksFirst = 1 << 18 // instances that the search fires before the first walks
	walksShare = 8       // walks fire one instance for so many of the search
)

// walkSteps are the lengths of walks, by turns: many deadlocks are near, some are far.
var walkSteps = []int{128, 512, 2048}

// walksDue reports whether it is time for random walks when so many instances were fired.
func (s *search) walksDue(fired int64) bool {
	if s.opt.Walks == nil || s.opt.All || s.opt.Bounded || s.limit < never || s.disk != nil || s.saves != nil || s.compact != nil || s.stubborn != nil {
		return false
	}
	return fired >= max(walksFirst, 2*s.walked)
}

// walks looks for a violation by random walks, if it is time. Then the search ends.
func (s *search) walks(ctx context.Context) {
	if !s.walksDue(s.fired) {
		return
	}
	budget := (s.fired - s.walked) / walksShare
	s.walked = s.fired
	m, rng := s.p.NewMachine(), rand.New(rand.NewPCG(s.opt.Seed, uint64(s.fired)))
	for i := 0; budget > 0 && ctx.Err() == nil; i++ {
		t := s.walk(m, rng, walkSteps[i%len(walkSteps)], &budget)
		if t == nil {
			continue
		}
		s.shorten(ctx, m, t)
		if f := (finding{Depth: t.Depth(s.p.Model), Violation: t.Violation, walk: t}); s.news(f) {
			s.record(f)
			s.reason = violationFound
			return
		}
	}
}

// walk is one walk from a start state. It returns the trace of a violation, or nil. Each instance that is
// looked at costs one of the budget.
func (s *search) walk(m *model.Machine, rng *rand.Rand, steps int, budget *int64) *model.Trace {
	t := &model.Trace{}
	wanted := func(prop int) bool { return s.wanted[prop] && s.opt.Walks(prop) }
	n := 0
	m.Starts(func(ch model.Choice, st model.State, _ *model.Violation) bool {
		*budget--
		if n++; st != nil && (t.StartState == nil || rng.IntN(n) == 0) {
			t.Start, t.StartState = ch.Clone(), slices.Clone(st)
		}
		return true
	})
	for at := t.StartState; at != nil && len(t.Steps) < steps && *budget > 0; {
		var pick model.Choice
		var to model.State
		n := 0
		v, by := s.leads(m, at, wanted, budget, func(ch model.Choice, next model.State) {
			if n++; rng.IntN(n) == 0 {
				pick, to = ch.Clone(), append(to[:0], next...)
			}
		})
		if by != nil {
			t.Steps = append(t.Steps, model.TraceStep{Choice: *by})
		}
		if v == nil && to == nil {
			return nil
		}
		if v == nil {
			at = to
			t.Steps = append(t.Steps, model.TraceStep{Choice: pick, State: at})
			v = s.holdsNot(m, at, wanted)
		}
		if v != nil {
			t.Prop, t.Violation = v.Prop, v
			return t
		}
	}
	return nil
}

// leads calls yield for each instance that leads from a state to another one, which is valid during the call only.
// If a wanted property is violated, it stops and says so: by the step of an instance, or by the state, which has no step.
func (s *search) leads(m *model.Machine, at model.State, wanted func(prop int) bool, budget *int64, yield func(ch model.Choice, next model.State)) (violated *model.Violation, by *model.Choice) {
	stuck := true
	m.Successors(at, func(ch model.Choice, next model.State, v *model.Violation) bool {
		*budget--
		if v != nil {
			stuck = false
			if violated = firstOf(v, wanted); violated != nil {
				c := ch.Clone()
				by = &c
			}
			return violated == nil
		}
		self := len(m.Changed()) == 0
		if !self || s.p.Model.Deadlock != model.Stuttering {
			stuck = false
		}
		if !self {
			yield(ch, next)
		}
		return true
	})
	if stuck && s.dead >= 0 && !m.LeftOut() && wanted(s.dead) {
		violated = &model.Violation{Prop: s.dead, Message: "deadlock"}
	}
	return violated, by
}

// holdsNot returns the violation of a wanted property by an invariant that does not hold in a state, or errs.
func (s *search) holdsNot(m *model.Machine, at model.State, wanted func(prop int) bool) *model.Violation {
	for _, prop := range s.checks {
		if s.props[prop].Kind != model.Invariant {
			continue
		}
		if v := firstOf(s.finds(m, at, prop), wanted); v != nil {
			return v
		}
	}
	return nil
}

// firstOf returns the first of some violations that is of a wanted property.
func firstOf(v *model.Violation, wanted func(prop int) bool) *model.Violation {
	for _, v := range v.Each() {
		if wanted(v.Prop) {
			return v
		}
	}
	return nil
}

// textOf returns a state, packed, as the key of a map.
func (s *search) textOf(st model.State) string { return string(s.packer.Pack(nil, st)) }

// unloop cuts out the steps between two visits of a state.
func (s *search) unloop(t *model.Trace) {
	last := map[string]int{s.textOf(t.StartState): 0} // by state: the steps before its last visit
	for i, step := range t.Steps {
		if step.State != nil {
			last[s.textOf(step.State)] = i + 1
		}
	}
	steps := t.Steps
	t.Steps = nil
	for i, at := 0, t.StartState; ; at = steps[i-1].State {
		if at != nil {
			i = last[s.textOf(at)]
		}
		if i == len(steps) {
			return
		}
		t.Steps = append(t.Steps, steps[i])
		i++
	}
}
