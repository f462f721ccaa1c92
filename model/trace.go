package model

import (
	"fmt"
	"slices"
)

// Trace is a counterexample: a start state, the steps fired from it, and the
// property that the last of them violates; or it shows that a cover property is
// hit at its end.
type Trace struct {
	Start      Choice
	StartState State // nil if the start body errs
	Steps      []TraceStep
	Violation  *Violation // what is violated, or hit, at the end; may be nil in a trace read from outside
	Prop       int        // index of the violated, or hit, property
	Branches   []*Branch  // of a property of kind Branching: why it does not hold at the end
}

// TraceStep is a fired rule instance and the state it leads to. State is nil
// for a last step whose guard or body errs.
type TraceStep struct {
	Choice
	State State
}

// End returns the last state; nil if the last step errs.
func (t *Trace) End() State {
	if n := len(t.Steps); n > 0 {
		return t.Steps[n-1].State
	}
	return t.StartState
}

// Depth returns the depth of the violation at the end of t: the number of steps,
// an erring one included, except that under CMurphi an error in a guard belongs
// to the state in which the guard is evaluated.
func (t *Trace) Depth(m *Model) int {
	if t.Violation != nil && t.Violation.InGuard && m.Dialect == CMurphi {
		return len(t.Steps) - 1
	}
	return len(t.Steps)
}

// Replay checks t against the program. It returns nil if the start state and
// every step are what firing the named instances gives, and the property Prop is
// violated at the end; otherwise an error that names the step and the reason. A
// cover property must be hit there, by the last instance or in the last state. Of
// a liveness property Replay checks only that it does not hold in the last state, of one of kind Branching nothing.
func (p *Program) Replay(t *Trace) error {
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
	if done, err := t.step(m, "start", 0, t.StartState, s, v); done {
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
		if done, err := t.step(m, where, i+1, step.State, next, v); done {
			return err
		}
		s = next
	}
	if err := p.replayBranches(m, t.States(), t.Branches); err != nil {
		return err
	}
	return p.atEnd(m, t, s)
}

// step compares state number i of t with what the interpreter made of it; done
// says that Replay ends here.
func (t *Trace) step(m *Machine, where string, i int, claimed, s State, v *Violation) (done bool, err error) {
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
		return true, t.agrees(&Violation{Prop: t.Prop})
	case v.Of(t.Prop) == nil:
		return true, fmt.Errorf("trace: %s: violates another property: %w", where, v)
	}
	return true, t.agrees(v.Of(t.Prop))
}

// agrees compares the violation that t claims with the one found.
func (t *Trace) agrees(v *Violation) error {
	if c := t.Violation; c != nil && (c.Prop != v.Prop || c.InGuard != v.InGuard) {
		return fmt.Errorf("trace: end: the violation is not the one claimed: %w", v)
	}
	if t.Violation == nil && v.InGuard {
		return fmt.Errorf("trace: end: does not say that the error is in a guard: %w", v)
	}
	return nil
}

// atEnd checks that the last state violates the property.
func (p *Program) atEnd(m *Machine, t *Trace, s State) error {
	if v := m.Shown(s, t.Prop).Of(t.Prop); v != nil {
		return t.agrees(v)
	}
	what := "violated"
	if p.Model.Props[t.Prop].Kind == Cover {
		what = "hit"
	}
	return fmt.Errorf("trace: end: property %s is not %s", p.Model.Props[t.Prop].Name, what)
}

// Shown returns what shows at the end of a trace that ends in s, with the instance that m ran last: that an invariant or
// an error is violated, a deadlock, that a cover property is hit, or that a liveness property may be violated, as
// it does not hold in s for some values of its parameters, or a formula about the graph of all steps. It returns nil if
// nothing does.
func (m *Machine) Shown(s State, prop int) *Violation {
	q, found := m.p.Model.Props[prop], false
	switch q.Kind {
	case Invariant:
		return m.Violated(s, prop)
	case RuntimeError, Assertion, ErrorStmt:
		return m.Errs(s, prop)
	case Deadlock:
		if m.Deadlocked(s) {
			return &Violation{Prop: prop, Message: "deadlock"}
		}
	case Cover:
		if q.Expr == nil {
			found = m.Hit(prop)
		} else {
			hit, v := m.Holds(s, prop, nil)
			found = hit && v == nil
		}
	case Liveness:
		for inst := range Instances(q.Params) {
			ok, v := m.Holds(s, prop, inst)
			if found = !ok || v != nil; found {
				break
			}
		}
	case Branching:
		found = true
	}
	if found {
		return &Violation{Prop: prop}
	}
	return nil
}
