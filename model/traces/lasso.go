package traces

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

// This file checks lassos: infinite runs that come back to a state. The interpreter fires each step, and the formula is
// evaluated on the lasso by its definition. No automaton has a part in that.

// ReplayLasso checks that a lasso is a run: each rule fires, and the last step leads to where the loop begins.
func ReplayLasso(p *model.Program, r *model.Lasso) error {
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
func CheckLasso(p *model.Program, of model.FormulaInstance, r *model.Lasso) error {
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
	return CheckFair(p, m, r)
}

// CheckFair checks that the loop of a run, or of what is left of one, is fair. Of its trace the steps matter.
func CheckFair(p *model.Program, m *model.Machine, r *model.Lasso) error {
	for _, u := range often(p, m, r) {
		if u.Can == nil {
			return fmt.Errorf("fairness %s is not met in the loop", u.Name)
		}
	}
	for _, rules := range p.Model.Fair.Rules {
		if err := checkFair(p, m, rules, r); err != nil {
			return err
		}
	}
	return nil
}

// checkFair checks that the loop of a run is fair to a set of rule instances.
func checkFair(p *model.Program, m *model.Machine, rules model.FairRules, r *model.Lasso) error {
	for _, u := range uses(p, m, rules, r) {
		if u.Fires == 0 && (rules.Strong || len(u.Can) == len(r.States)-r.Loop) {
			return fmt.Errorf("%s can fire in the loop and never does", rules.Name)
		}
	}
	return nil
}
