package encode

import (
	"fmt"
	"slices"

	"orbitmc/model"
	"orbitmc/ts"
)

// EncodeState returns the latches of a state in which every leaf that was found
// always defined is defined, as in all reachable ones.
func (e *Encoding) EncodeState(s model.State) []bool {
	x := make([]bool, len(e.Sys.Latches))
	for i, v := range s {
		lb := e.leaves[i]
		if v == model.Undef {
			continue
		}
		if lb.def >= 0 {
			x[lb.def] = true
		}
		if lb.hot {
			x[lb.first+int(v)] = true
			continue
		}
		for k := range lb.n {
			x[lb.first+k] = (v-lb.off)>>k&1 == 1
		}
	}
	if e.started >= 0 {
		x[e.started] = true
	}
	return x
}

// Started reports whether the latches belong to a run with a valid start state.
func (e *Encoding) Started(x []bool) bool { return e.started < 0 || x[e.started] }

// DecodeState returns the interpreter state that the latches encode, or an
// error when they are not well-formed or no run started.
func (e *Encoding) DecodeState(x []bool) (model.State, error) {
	if !e.Started(x) {
		return nil, fmt.Errorf("the latches encode a run without a valid start state")
	}
	s := make(model.State, len(e.leaves))
	for i, lb := range e.leaves {
		s[i] = model.Undef
		v, hits := int64(0), 0
		for k := range lb.n {
			if !x[lb.first+k] {
				continue
			}
			hits++
			if lb.hot {
				v = int64(k)
			} else {
				v |= 1 << k
			}
		}
		v += lb.off
		name := func() string { return e.Model.LeafName(i) }
		switch {
		case lb.hot && hits == 0:
		case lb.hot && hits > 1:
			return nil, fmt.Errorf("%s has %d values", name(), hits)
		case lb.def >= 0 && !x[lb.def]:
			if hits > 0 {
				return nil, fmt.Errorf("%s is undefined but has value bits", name())
			}
		case v < lb.t.Lo || v > lb.t.Hi:
			return nil, fmt.Errorf("%s has the code of %d, which is not in %v", name(), v, lb.t)
		default:
			s[i] = v
		}
	}
	return s, nil
}

// EncodeChoice returns the inputs that choose a rule instance.
func (e *Encoding) EncodeChoice(ch model.Choice) []bool {
	set := make([]bool, len(e.Sys.Inputs))
	e.steps.encode(ch, set)
	return set
}

// EncodeStart returns the initial inputs that choose a start state.
func (e *Encoding) EncodeStart(ch model.Choice) []bool {
	set := make([]bool, len(e.Sys.Init))
	e.starts.encode(ch, set)
	return set
}

// DecodeChoice returns the rule instance the inputs choose; ok is false when
// they choose none.
func (e *Encoding) DecodeChoice(inputs []bool) (ch model.Choice, ok bool) {
	return e.steps.decode(inputs)
}

// DecodeStart returns the start state instance the initial inputs choose; ok is
// false when they choose none.
func (e *Encoding) DecodeStart(init []bool) (ch model.Choice, ok bool) {
	return e.starts.decode(init)
}

// DecodeTrace returns the run of the interpreter that a trace of the system
// stands for, up to its violation of property prop. Steps in which the system
// stutters because the choice is invalid or disabled are left out. An error
// means that system and interpreter disagree.
func (e *Encoding) DecodeTrace(t *ts.Trace, prop int) (*model.Trace, error) {
	frames, err := e.Sys.Run(t)
	if err != nil {
		return nil, err
	}
	start, ok := e.DecodeStart(t.Init)
	if !ok {
		return nil, fmt.Errorf("the initial inputs choose no start state")
	}
	m := e.Program.NewMachine()
	out := &model.Trace{Start: start, Prop: prop}
	s, v := m.Start(start)
	if v != nil && (v.Prop != prop || len(frames) > 1) {
		return nil, e.noViolation(prop)
	}
	if v != nil {
		out.Violation = v
		return out, nil
	}
	out.StartState = s
	for k, f := range frames {
		got, err := e.DecodeState(f.State)
		if err != nil {
			return nil, fmt.Errorf("frame %d: %w", k, err)
		}
		if !slices.Equal(got, s) {
			return nil, fmt.Errorf("frame %d: the system and the interpreter are in different states", k)
		}
		last := k == len(frames)-1
		if last {
			if out.Violation = e.violation(m, s, prop); out.Violation != nil {
				return out, nil
			}
		}
		ch, ok := e.DecodeChoice(t.Inputs[k])
		if !ok {
			continue
		}
		next, enabled, v := m.Fire(s, ch)
		switch {
		case v != nil:
			// The system stutters on an error, so it may go on after it.
			if v.Prop == prop && last {
				out.Steps = append(out.Steps, model.TraceStep{Choice: ch})
				out.Violation = v
				return out, nil
			}
		case enabled && !last:
			out.Steps = append(out.Steps, model.TraceStep{Choice: ch, State: next})
			s = next
		}
	}
	return nil, e.noViolation(prop)
}

func (e *Encoding) noViolation(prop int) error {
	return fmt.Errorf("the interpreter finds no violation of %q at the end of the trace", e.Model.Props[prop].Name)
}

// violation returns what shows in state s that prop is violated, without a step.
func (e *Encoding) violation(m *model.Machine, s model.State, prop int) *model.Violation {
	switch p := e.Model.Props[prop]; p.Kind {
	case model.Invariant:
		if v := m.Violated(s, prop); v != nil && v.Prop == prop {
			return v
		}
	case model.RuntimeError:
		for _, q := range e.Model.Props {
			if q.Kind == model.Invariant {
				if v := m.Violated(s, q.Index); v != nil && v.Prop == prop {
					return v
				}
			}
		}
	case model.Deadlock:
		if m.Deadlocked(s) {
			return &model.Violation{Prop: prop, Message: "deadlock"}
		}
	}
	return nil
}
