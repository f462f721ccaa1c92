package model

import (
	"fmt"
	"slices"

	"orbitmc/internal/lists"
)

// This file checks lassos: infinite runs that come back to a state. The interpreter fires each step, and the formula is
// evaluated on the lasso by its definition. No automaton has a part in that.

// FormulaInstance is a formula for some values of its parameters.
type FormulaInstance struct {
	*Formula
	Values []int64
}

// Lasso is an infinite run.
type Lasso struct {
	Trace  *Trace
	States []State // States[i+1] is after Steps[i] of Trace; the last step leads to States[Loop]
	Stuck  bool    // the last state repeats itself, as no rule can fire; Trace has no step for it
	Erred  bool    // the last step of Trace errs, and the run ends there
	Loop   int     // len(States) of a run that ends
}

// NewLasso returns the run of a trace whose last state is that of number loop, 0 being the start state. If loop is
// the last one, no rule can fire there; if the last step has no state, it errs.
func NewLasso(t *Trace, loop int) *Lasso {
	n := len(t.Steps)
	r := &Lasso{Trace: t, States: []State{t.StartState}, Erred: n > 0 && t.Steps[n-1].State == nil, Loop: loop}
	r.Stuck = loop == n && !r.Erred
	r.States = append(r.States, lists.Map(t.Steps, func(step TraceStep) State { return step.State })...)
	if !r.Stuck {
		r.States = r.States[:n] // the last one is that where the loop starts
	}
	if r.Erred {
		r.Loop = n
	}
	return r
}

// ReplayLasso checks that a lasso is a run: each rule fires, and the last step leads to where the loop begins.
func (p *Program) ReplayLasso(r *Lasso) error {
	m := p.NewMachine()
	s, v := m.Start(r.Trace.Start)
	if v != nil || !slices.Equal(s, r.Trace.StartState) {
		return fmt.Errorf("the start state is none")
	}
	for k, step := range r.Trace.Steps {
		if k >= len(r.States) || !slices.Equal(s, r.States[k]) || !p.ValidRule(step.Choice) {
			return fmt.Errorf("step %d: no such state or rule", k+1)
		}
		next, fires, v := m.Fire(s, step.Choice)
		switch {
		case v != nil && r.Erred && k == len(r.Trace.Steps)-1:
			return nil
		case !fires || v != nil || !slices.Equal(next, step.State):
			return fmt.Errorf("step %d does not lead to the state that is said", k+1)
		}
		s = next
	}
	switch {
	case r.Erred || r.Loop < 0 || r.Loop >= len(r.States):
		return fmt.Errorf("the run has no loop")
	case r.Stuck && (r.Loop != len(r.States)-1 || !m.Deadlocked(s)):
		return fmt.Errorf("a rule can fire in the last state")
	case !slices.Equal(s, r.States[r.Loop]):
		return fmt.Errorf("the last step does not lead to state %d", r.Loop)
	}
	return nil
}

// CheckLasso checks that a run is fair and violates an instance of a formula. The error says what is not as it should be.
func (p *Program) CheckLasso(of FormulaInstance, r *Lasso) error {
	m := p.NewMachine()
	literal := func(state, i int, negated bool) bool {
		if state == len(r.States) {
			return true // nothing is known of what might come
		}
		ok, v := m.Holds(r.States[state], of.Atoms[i].Index, of.Values)
		return v == nil && ok != negated
	}
	n := len(r.States)
	if r.Erred {
		if _, _, v := m.Fire(r.States[n-1], r.Trace.Steps[n-1].Choice); v == nil {
			return fmt.Errorf("the last step does not err")
		}
		n++ // what might come, for ever
	}
	if of.Holds(n, r.Loop, literal) {
		return fmt.Errorf("the formula holds on the run")
	}
	if r.Erred {
		return nil
	}
	return p.CheckFair(m, r)
}

// CheckFair checks that the loop of a run, or of what is left of one, is fair. Of its trace the steps matter.
func (p *Program) CheckFair(m *Machine, r *Lasso) error {
	for _, u := range p.often(m, r) {
		if u.Can == nil {
			return fmt.Errorf("fairness %s is not met in the loop", u.Name)
		}
	}
	for _, rules := range p.Model.Fair.Rules {
		if err := p.checkFair(m, rules, r); err != nil {
			return err
		}
	}
	return nil
}

// checkFair checks that the loop of a run is fair to a set of rule instances.
func (p *Program) checkFair(m *Machine, rules FairRules, r *Lasso) error {
	for _, u := range p.uses(m, rules, r) {
		if u.Fires == 0 && (rules.Strong || len(u.Can) == len(r.States)-r.Loop) {
			return fmt.Errorf("%s can fire in the loop and never does", rules.Name)
		}
	}
	return nil
}

// Named returns what tells a rule instance that can fire in a state from others: the values of its parameters and, in
// the place of a slot of a multiset, of the leaves of the element there.
func (p *Program) Named(s State, ch Choice) (values []int64) {
	for i := range p.Model.Rules[ch.Rule].Params {
		if base, stride, ok := p.Chosen(s, ch, i); ok {
			first := base + int(ch.Params[i])*stride
			values = append(values, s[first+1:first+stride]...)
			continue
		}
		values = append(values, ch.Params[i])
	}
	return values
}

// Chosen returns where the multiset is in a state of which a parameter of a rule instance chooses an element.
func (p *Program) Chosen(s State, ch Choice, param int) (base, stride int, ok bool) {
	slots := p.rules[ch.Rule].slots
	if k := slices.IndexFunc(slots, func(x slotInfo) bool { return x.param == param }); k >= 0 {
		base, ok = p.setAt(slots[k], s, ch)
		stride = slots[k].stride
	}
	return base, stride, ok
}

// NamedTypes returns the types of what Named returns for instances of a rule.
func (p *Program) NamedTypes(rule int) (types []*Type) {
	for i, q := range p.Model.Rules[rule].Params {
		if slices.ContainsFunc(p.rules[rule].slots, func(x slotInfo) bool { return x.param == i }) {
			for _, l := range p.Model.elementOf(q.Var.Type).Unfolded() {
				types = append(types, l.Type)
			}
			continue
		}
		types = append(types, q.Var.Type)
	}
	return types
}

// elementOf returns the type of the elements of the multisets whose slots have a type.
func (m *Model) elementOf(slots *Type) *Type {
	for _, v := range m.Vars {
		for t := range v.Type.All() {
			if t.Kind == Multiset && t.Index == slots {
				return t.Elem
			}
		}
	}
	return nil
}
