package fair

import (
	"fmt"
	"slices"

	"orbitmc/model"
	"orbitmc/ts"
)

// This file checks lassos. Nothing of the system is used but the choices of the inputs: the
// interpreter fires them, and the formula is evaluated on the lasso by its definition.

// Run is a lasso of the interpreter: the successor of the last state is state Loop.
type Run struct {
	Trace  *model.Trace
	States []model.State // States[i+1] is after Steps[i] of Trace; the last step leads to States[Loop]
	Stuck  bool          // the last state repeats itself, as no rule can fire; Trace has no step for it
	Erred  bool          // the last step of Trace errs, and the run ends there
	Loop   int           // len(States) of a run that ends
}

// Replay returns what a trace of the system stands for that violates an instance; the
// successor of its last frame is the state of frame loop. The error says what is not as it
// should be.
func (s *System) Replay(inst int, t *ts.Trace, loop int) (*Run, error) {
	e := s.Enc
	own := &ts.Trace{Init: t.Init}
	for _, in := range t.Inputs {
		own.Inputs = append(own.Inputs, in[:len(e.Sys.Inputs)])
	}
	frames, err := e.Sys.Run(own)
	if err != nil {
		return nil, err
	}
	start, ok := e.DecodeStart(t.Init)
	if !ok {
		return nil, fmt.Errorf("the initial inputs choose no start state")
	}
	m := e.Program.NewMachine()
	state, v := m.Start(start)
	if v != nil || state == nil {
		return nil, fmt.Errorf("the start state errs or is disabled")
	}
	r := &Run{Trace: &model.Trace{Start: start, StartState: state}, States: []model.State{state}, Loop: loop}
	for k, f := range frames {
		if got, err := e.DecodeState(f.State); err != nil || !slices.Equal(got, state) {
			return nil, fmt.Errorf("frame %d: the system and the interpreter are in different states", k)
		}
		next, fired := state, false
		ch, ok := e.DecodeStep(f.State, own.Inputs[k])
		if ok {
			next, fired, v = m.Fire(state, ch)
		}
		switch {
		case v != nil:
			r.Trace.Steps = append(r.Trace.Steps, model.TraceStep{Choice: ch})
			r.Erred, r.Loop = true, len(r.States)
		case fired:
			r.Trace.Steps = append(r.Trace.Steps, model.TraceStep{Choice: ch, State: next})
		case m.Deadlocked(state):
			// It stays for ever, so the loop is here.
			r.Stuck, r.Loop = true, len(r.States)-1
		default:
			return nil, fmt.Errorf("frame %d: no rule fires", k)
		}
		if r.Stuck || r.Erred {
			break
		}
		if state = next; k < len(frames)-1 {
			r.States = append(r.States, state)
		}
	}
	if !r.Stuck && !r.Erred && !slices.Equal(state, r.States[loop]) {
		return nil, fmt.Errorf("the last step does not lead to state %d", loop)
	}
	return r, s.Check(inst, r)
}

// Check checks that a run is fair and violates an instance.
func (s *System) Check(inst int, r *Run) error {
	of, m := s.Of[inst], s.Enc.Program.NewMachine()
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
	for _, p := range s.Model.Fair.Often {
		for _, values := range model.InstancesOf(p.Params) {
			met := false
			for i := r.Loop; i < len(r.States); i++ {
				ok, v := m.Holds(r.States[i], p.Index, values)
				met = met || ok || v != nil
			}
			if !met {
				return fmt.Errorf("fairness %s is not met in the loop", p.Name)
			}
		}
	}
	for _, rules := range s.Model.Fair.Rules {
		always, ever, fires := true, false, false
		is := func(i int) func(model.Choice) bool {
			return func(ch model.Choice) bool {
				fired := r.Trace.Steps[i].Choice
				return fired.Rule == ch.Rule && slices.Equal(fired.Params, ch.Params)
			}
		}
		for i := r.Loop; i < len(r.States); i++ {
			can := false
			for _, ch := range rules.Instances {
				_, on, v := m.Fire(r.States[i], ch)
				can = can || on && v == nil
			}
			fires = fires || !r.Stuck && (slices.ContainsFunc(rules.Instances, is(i)) || slices.ContainsFunc(rules.Also, is(i)))
			always, ever = always && can, ever || can
		}
		if !fires && (always || rules.Strong && ever) {
			return fmt.Errorf("%s can fire in the loop and never does", rules.Name)
		}
	}
	return nil
}
