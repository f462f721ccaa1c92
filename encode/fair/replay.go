package fair

import (
	"fmt"
	"slices"

	"orbitmc/model"
	"orbitmc/model/traces"
	"orbitmc/ts"
)

// This file turns lassos of the system into runs of the interpreter. Nothing of the system is used but the choices of
// the inputs. The interpreter fires them, and model.CheckLasso checks the run.

// Replay returns what a trace of the system stands for that violates an instance; the
// successor of its last frame is the state of frame loop. The error says what is not as it
// should be.
func (s *System) Replay(inst int, t *ts.Trace, loop int) (*model.Lasso, error) {
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
	r := &model.Lasso{Trace: &model.Trace{Start: start, StartState: state}, States: []model.State{state}, Loop: loop}
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
	return r, traces.CheckLasso(e.Program, s.Of[inst], r)
}
