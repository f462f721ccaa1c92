package counters

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"orbitmc/model"
	"orbitmc/model/traces"
)

// This file takes states to the new model and back, and traces back.

// Abstract returns the state of the new model for one of the old one. ok is false if a leaf is undefined
// of which that was excluded.
func (t *Translation) Abstract(s model.State) (a model.State, ok bool) {
	a = make(model.State, t.Model.Leaves())
	return a, t.AbstractTo(a, s)
}

// AbstractTo is Abstract into a given state.
func (t *Translation) AbstractTo(a, s model.State) (ok bool) {
	for i := range a {
		a[i] = model.Undef
	}
	for _, x := range t.shared {
		copy(a[x.to:x.to+x.n], s[x.from:])
	}
	for i, c := range t.names {
		for _, d := range t.dims {
			a[t.named[i]+d.leaf] = s[d.at[c]]
		}
	}
	for k := range t.Counters() {
		a[t.first+k] = 0
	}
	for _, c := range t.Counted {
		k, ok := t.local(s, c)
		if !ok {
			return false
		}
		a[t.first+k] = min(a[t.first+k]+1, int64(t.most()))
	}
	return true
}

// local returns the number of the local state of a component.
func (t *Translation) local(s model.State, c int) (k int, ok bool) {
	for i, d := range t.dims {
		v, ok := d.number(s[d.at[c]])
		if !ok {
			return 0, false
		}
		k += v * t.strides[i]
	}
	return k, true
}

// Concretise returns a state that Abstract maps to a.
func (t *Translation) Concretise(a model.State) model.State {
	s := make(model.State, t.Concrete.Leaves())
	for _, x := range t.shared {
		copy(s[x.from:x.from+x.n], a[x.to:])
	}
	for i, c := range t.names {
		for _, d := range t.dims {
			s[d.at[c]] = a[t.named[i]+d.leaf]
		}
	}
	next := 0
	for k := range t.Counters() {
		for range a[t.first+k] {
			c := t.Counted[next]
			next++
			for i, d := range t.dims {
				s[d.at[c]] = d.value(k / t.strides[i] % d.card())
			}
		}
	}
	return s
}

// Lift returns a trace of the old model that Abstract maps to u, state by state. A deadlock counts as
// one only if no step of the old model leads to another state: ok is false if it is none. An
// error means that the translation is wrong.
func (t *Translation) Lift(code *model.Program, u *model.Trace) (out *model.Trace, ok bool, err error) {
	m := code.NewMachine()
	out = &model.Trace{Prop: u.Prop, Violation: u.Violation}
	if out.Start, err = t.instance(t.starts[u.Start.Rule], u.Start, nil); err != nil {
		return nil, false, err
	}
	s, v := m.Start(out.Start)
	if v == nil {
		if err := t.same(s, u.StartState); err != nil {
			return nil, false, fmt.Errorf("start: %w", err)
		}
	}
	out.StartState = s
	for i, step := range u.Steps {
		if v != nil {
			return nil, false, fmt.Errorf("step %d: the one before errs", i+1)
		}
		ch, err := t.instance(t.rules[step.Rule], step.Choice, s)
		if err != nil {
			return nil, false, fmt.Errorf("step %d: %w", i+1, err)
		}
		var next model.State
		var enabled bool
		if next, enabled, v = m.Fire(s, ch); v == nil {
			if !enabled {
				return nil, false, fmt.Errorf("step %d: %s is disabled", i+1, code.Model.FormatChoice(ch))
			}
			if err := t.same(next, step.State); err != nil {
				return nil, false, fmt.Errorf("step %d: %w", i+1, err)
			}
		} else {
			next = nil
		}
		out.Steps = append(out.Steps, model.TraceStep{Choice: ch, State: next})
		s = next
	}
	kind := t.Concrete.Props[u.Prop].Kind
	switch {
	case v != nil:
		out.Violation = v.Of(u.Prop)
		if m.Hit(u.Prop) {
			out.Violation = &model.Violation{Prop: u.Prop}
		}
	case kind == model.Deadlock && !m.Deadlocked(s):
		return nil, false, nil
	case kind == model.Invariant:
		out.Violation = m.Violated(s, u.Prop).Of(u.Prop)
	case kind == model.RuntimeError || kind == model.Assertion || kind == model.ErrorStmt:
		out.Violation = m.Errs(s, u.Prop)
	}
	return out, true, traces.Replay(code, out)
}

// same compares the abstraction of a state with another one.
func (t *Translation) same(s, want model.State) error {
	if s == nil {
		return fmt.Errorf("no state")
	}
	if got, ok := t.Abstract(s); !ok || !slices.Equal(got, want) {
		return fmt.Errorf("leads to another state than in the counters")
	}
	return nil
}

// instance returns an instance of a rule, in s, that an instance of the new model stands for; s is nil for
// start states. All others are images of it.
func (t *Translation) instance(o origin, ch model.Choice, s model.State) (model.Choice, error) {
	out := model.Choice{Rule: o.rule}
	rules := t.Concrete.Rules
	if s == nil {
		rules = t.Concrete.Starts
	}
	var taken []int
	for i, r := range o.params {
		u := rules[o.rule].Params[i].Var.Type
		switch r.kind {
		case kept:
			out.Params = append(out.Params, ch.Params[r.at])
		case named:
			out.Params = append(out.Params, u.First+int64(r.at))
		case same:
			out.Params = append(out.Params, out.Params[r.at])
		case counted:
			want := 0
			if s != nil {
				for j, d := range t.dims {
					v := ch.Params[r.at+j]
					if d.index.Kind != model.Union {
						v -= d.index.Lo
					}
					want += int(v) * t.strides[j]
				}
			}
			found := -1
			for _, c := range t.Counted {
				if slices.Contains(taken, c) {
					continue
				}
				k, ok := want, true
				if s != nil {
					k, ok = t.local(s, c)
				}
				if ok && k == want {
					found = c
					break
				}
			}
			if found < 0 {
				return out, fmt.Errorf("no component is in the local state of parameter %d", i+1)
			}
			taken = append(taken, found)
			out.Params = append(out.Params, u.First+int64(found))
		}
	}
	return out, nil
}

// Match stores in perm a permutation of the values of the class that takes s to Concretise(a), as far as
// components are counted. Those that are in place stay. ok is false if there is none.
func (t *Translation) Match(perm []int, s, a model.State) (ok bool) {
	for c := range perm {
		perm[c] = c
	}
	n := t.Counters()
	next, end := make([]int, n), make([]int, n) // by local state: the places of components in it, as indices of Counted
	at, place := 0, make([]int, len(t.Counted)) // by place: the local state there
	for k := range n {
		next[k] = at
		for range a[t.first+k] {
			place[at] = k
			at++
		}
		end[k] = at
	}
	is := make([]int, len(t.Counted))
	for i, c := range t.Counted {
		if is[i], ok = t.local(s, c); !ok {
			return false
		}
	}
	for i, c := range t.Counted {
		k := is[i]
		if place[i] == k {
			continue
		}
		for next[k] < end[k] && is[next[k]] == k {
			next[k]++
		}
		if next[k] == end[k] {
			return false
		}
		perm[c] = t.Counted[next[k]]
		next[k]++
	}
	return true
}

// Idle returns the rules of the old model that are idle if those of the new one are: all that became of
// a rule is.
func (t *Translation) Idle(idle []int) []int {
	live := make(map[int]bool)
	for i, o := range t.rules {
		live[o.rule] = live[o.rule] || !slices.Contains(idle, i)
	}
	all := []int{}
	for i := range t.Concrete.Rules {
		if !live[i] {
			all = append(all, i)
		}
	}
	return all
}

// Disturb changes a state of the old model: the leaves of some components, named ones too, and some of the
// others. What is defined stays defined.
func (t *Translation) Disturb(rng *rand.Rand, s model.State) {
	for _, d := range t.dims {
		for c := range int(t.Class.Card()) {
			if rng.IntN(3) == 0 {
				s[d.at[c]] = d.value(rng.IntN(d.card()))
			}
		}
	}
	leaves := t.Concrete.AllLeaves()
	for _, x := range t.shared {
		for i := x.from; i < x.from+x.n; i++ {
			if u := leaves[i].Type; leaves[i].Slot < 0 && s[i] != model.Undef && rng.IntN(4) == 0 {
				s[i] = u.Lo + rng.Int64N(u.Card())
			}
		}
	}
}
