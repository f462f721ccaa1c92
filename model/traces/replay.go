// Package traces does what is done with runs of a model (model.Trace, model.Lasso): the compiled interpreter replays
// them, and checks that they are fair and violate what they claim; they are written for people and in the styles of
// CMurphi and Rumur, and read back; lassos become shorter, actors get numbers in the order in which they act.
//
//	replay.go, branches.go    traces, and the branches of those that violate computation tree logic
//	lasso.go, fair.go         lassos, and their fairness; shorten.go: with fewer steps
//	print.go, read.go         traces as text, and back; rows.go: parts of states; lasso_read.go: lassos
//	renumber.go               actors in the order of their first action
package traces

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

// Replay checks t against the program. It returns nil if the start state and
// every step are what firing the named instances gives, and the property Prop is
// violated at the end; otherwise an error that names the step and the reason. A
// cover property must be hit there, by the last instance or in the last state. Of
// a liveness property Replay checks only that it does not hold in the last state, of one of kind Branching nothing.
func Replay(p *model.Program, t *model.Trace) error {
	m := p.NewMachine()
	if t.Prop < 0 || t.Prop >= len(p.Model.Props) {
		return fmt.Errorf("trace: there is no property %d", t.Prop)
	}
	if !p.ValidStart(t.Start) {
		return fmt.Errorf("trace: start: no such start state")
	}
	s, v := m.Start(t.Start)
	if s == nil && v == nil {
		return fmt.Errorf("trace: start: %s is disabled", p.Model.FormatStart(t.Start))
	}
	if done, err := compared(t, m, "start", 0, t.StartState, s, v); done {
		return err
	}
	for i, step := range t.Steps {
		where := fmt.Sprintf("step %d", i+1)
		if !p.ValidRule(step.Choice) {
			return fmt.Errorf("trace: %s: no such rule", where)
		}
		next, enabled, v := m.Fire(s, step.Choice)
		if !enabled && v == nil {
			return fmt.Errorf("trace: %s: %s is disabled", where, p.Model.FormatChoice(step.Choice))
		}
		if done, err := compared(t, m, where, i+1, step.State, next, v); done {
			return err
		}
		s = next
	}
	if err := replayBranches(p, m, t.States(), t.Branches); err != nil {
		return err
	}
	return atEnd(p, m, t, s)
}

// compared compares state number i of t with what the interpreter made of it; done
// says that Replay ends here.
func compared(t *model.Trace, m *model.Machine, where string, i int, claimed, s model.State, v *model.Violation) (done bool, err error) {
	switch {
	case v == nil && claimed == nil:
		return true, fmt.Errorf("trace: %s: should err but does not", where)
	case v == nil && !slices.Equal(claimed, s):
		return true, fmt.Errorf("trace: %s: leads to another state", where)
	case v == nil:
		return false, nil
	case claimed != nil:
		return true, fmt.Errorf("trace: %s: errs: %w", where, v)
	case i < len(t.Steps):
		return true, fmt.Errorf("trace: %s: errs before the last step: %w", where, v)
	case m.Hit(t.Prop):
		return true, agrees(t, &model.Violation{Prop: t.Prop})
	case v.Of(t.Prop) == nil:
		return true, fmt.Errorf("trace: %s: violates another property: %w", where, v)
	}
	return true, agrees(t, v.Of(t.Prop))
}

// agrees compares the violation that t claims with the one found.
func agrees(t *model.Trace, v *model.Violation) error {
	if c := t.Violation; c != nil && (c.Prop != v.Prop || c.InGuard != v.InGuard) {
		return fmt.Errorf("trace: end: the violation is not the one claimed: %w", v)
	}
	if t.Violation == nil && v.InGuard {
		return fmt.Errorf("trace: end: does not say that the error is in a guard: %w", v)
	}
	return nil
}

// atEnd checks that the last state violates the property.
func atEnd(p *model.Program, m *model.Machine, t *model.Trace, s model.State) error {
	if v := m.Shown(s, t.Prop).Of(t.Prop); v != nil {
		return agrees(t, v)
	}
	what := "violated"
	if p.Model.Props[t.Prop].Kind == model.Cover {
		what = "hit"
	}
	return fmt.Errorf("trace: end: property %s is not %s", p.Model.Props[t.Prop].Name, what)
}
