package model

import "orbitmc/internal/lists"

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

// Branch shows why part of a formula in computation tree logic holds, or does not, in a state of a trace: by a path from
// there, with branches of its own, or, without steps, by what no path shows.
type Branch struct {
	At       int         // the state that it leaves, 0 the first one of the trace or branch
	Claim    string      // what holds in that state
	Steps    []TraceStep // none of them errs
	Loop     int         // the state of the branch, 0 being that which it leaves, that follows the last one and all after it; the last one if it repeats itself. -1: the path ends
	Branches []*Branch
}

// States returns the states of a trace, but that after an erring step.
func (t *Trace) States() (all []State) {
	all = append(all, t.StartState)
	for _, s := range t.Steps {
		if s.State != nil {
			all = append(all, s.State)
		}
	}
	return all
}
