package encode

import (
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
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
			x[lb.first+int(v-lb.off)] = true
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

// LeafLatches returns the latches that hold a leaf of the model.
func (e *Encoding) LeafLatches(leaf int) []int {
	lb := e.leaves[leaf]
	latches := lists.Make(lb.n, func(k int) int { return lb.first + k })
	if lb.def >= 0 {
		latches = append(latches, lb.def)
	}
	return latches
}

// Started reports whether the latches belong to a run with a valid start state.
func (e *Encoding) Started(x []bool) bool { return e.started < 0 || x[e.started] }

// StartedLit returns the same as a literal of the graph of the system.
func (e *Encoding) StartedLit() aig.Lit {
	if e.started < 0 {
		return aig.True
	}
	return e.Sys.LatchLit(e.started)
}

// DecodeState returns the interpreter state that the latches encode, or an
// error when they are not well-formed or no run started.
func (e *Encoding) DecodeState(x []bool) (model.State, error) {
	if !e.Started(x) {
		return nil, fmt.Errorf("the latches encode a run without a valid start state")
	}
	s, err := e.decodeLeaves(x)
	if err == nil {
		e.Program.Normalise(s)
	}
	return s, err
}

// decodeLeaves returns the state with the slots of multisets as they are in the
// system.
func (e *Encoding) decodeLeaves(x []bool) (model.State, error) {
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
		case lb.hot && hits > 1:
			return nil, fmt.Errorf("%s has %d values", name(), hits)
		case lb.back > 0 && s[i-lb.back] == model.Undef:
			if hits > 0 || lb.def >= 0 && x[lb.def] {
				return nil, fmt.Errorf("%s is in a free slot but has a value", name())
			}
		case lb.hot && hits == 0:
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

// EncodeChoice returns inputs that choose a rule instance. If it adds elements to
// multisets they may not choose free slots for them; see EncodeStep.
func (e *Encoding) EncodeChoice(ch model.Choice) []bool {
	set := make([]bool, len(e.Sys.Inputs))
	e.steps.encode(ch, set)
	e.stepTargets.set(set, nil)
	return set
}

// EncodeStep returns the inputs that choose a rule instance in the state of the
// latches, which are those of an interpreter state: new elements are put into free
// slots.
func (e *Encoding) EncodeStep(latches []bool, ch model.Choice) []bool {
	set := e.EncodeChoice(ch)
	e.stepTargets.fill(set, func() []bool { return e.evaluate(e.stepTargets.free(), latches, set, nil) })
	return set
}

// EncodeStart returns the initial inputs that choose a start state.
func (e *Encoding) EncodeStart(ch model.Choice) []bool {
	set := make([]bool, len(e.Sys.Init))
	e.starts.encode(ch, set)
	e.startTargets.fill(set, func() []bool { return e.evaluate(e.startTargets.free(), nil, nil, set) })
	return set
}

// DecodeStep returns the rule instance the inputs choose in the state of the
// latches; ok is false when they choose none.
func (e *Encoding) DecodeStep(latches, inputs []bool) (ch model.Choice, ok bool) {
	ch, ok = e.steps.decode(inputs)
	if !ok || len(e.picks) == 0 {
		return ch, ok
	}
	s, err := e.decodeLeaves(latches)
	if err != nil {
		return ch, true
	}
	params := slices.Clone(ch.Params)
	for _, p := range e.picks {
		if p.rule != ch.Rule {
			continue
		}
		conds := lists.Map(p.at, func(at place) aig.Lit { return at.cond })
		is := e.evaluate(conds, latches, inputs, nil)
		for i, at := range p.at {
			if is[i] {
				params[p.param] = int64(rank(s, at.leaf, p.slots, p.stride, int(ch.Params[p.param])))
			}
		}
	}
	ch.Params = params
	return ch, true
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
	if !slices.ContainsFunc(e.PropBads[prop], func(b int) bool { return frames[len(frames)-1].Bads[b] }) {
		return nil, e.noViolation(prop)
	}
	return e.decodeFrames(t, frames, prop)
}

// DecodeRun returns the whole run of the interpreter that a trace of the system
// stands for, as a violation of a liveness property, which does not show in its last
// state: that is for the caller to know.
func (e *Encoding) DecodeRun(t *ts.Trace, prop int) (*model.Trace, error) {
	frames, err := e.Sys.Run(t)
	if err != nil {
		return nil, err
	}
	return e.decodeFrames(t, frames, prop)
}

func (e *Encoding) decodeFrames(t *ts.Trace, frames []ts.Frame, prop int) (*model.Trace, error) {
	start, ok := e.DecodeStart(t.Init)
	if !ok {
		return nil, fmt.Errorf("the initial inputs choose no start state")
	}
	m := e.Program.NewMachine()
	out := &model.Trace{Start: start, Prop: prop}
	s, v := m.Start(start)
	switch {
	case len(frames) == 1 && e.hit(m, prop) && !e.Started(frames[0].State):
		out.StartState, out.Violation = s, e.covered(prop)
		return out, nil
	case v != nil && (v.Of(prop) == nil || len(frames) > 1) || v == nil && s == nil:
		return nil, e.noViolation(prop)
	case v != nil:
		out.Violation = v.Of(prop)
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
		ch, ok := e.DecodeStep(f.State, t.Inputs[k])
		if !ok {
			continue
		}
		next, enabled, v := m.Fire(s, ch)
		switch {
		case last && e.hit(m, prop):
			out.Steps = append(out.Steps, model.TraceStep{Choice: ch, State: next})
			out.Violation = e.covered(prop)
			return out, nil
		case v != nil:
			// The system stutters on an error, so it may go on after it.
			if u := v.Of(prop); u != nil && last {
				out.Steps = append(out.Steps, model.TraceStep{Choice: ch})
				out.Violation = u
				return out, nil
			}
		case enabled && !last && slices.Equal(frames[k+1].State, f.State) && len(e.stepTargets) > 0 && !e.same(next, f.State):
			// The slot for a new element was not free.
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
	switch p := e.Model.Props[prop]; {
	case p.Kind == model.Liveness:
		return &model.Violation{Prop: prop, Pos: p.Pos, Message: "no state in which " + p.Name + " holds can be reached any more"}
	case p.Kind != model.Cover:
		return m.Shown(s, prop).Of(prop)
	case p.Expr != nil && m.Shown(s, prop) != nil:
		return e.covered(prop)
	}
	return nil
}

// hit reports whether the instance that m ran last hits a cover statement of
// prop.
func (e *Encoding) hit(m *model.Machine, prop int) bool {
	p := e.Model.Props[prop]
	return p.Kind == model.Cover && p.Expr == nil && m.Hit(prop)
}

func (e *Encoding) covered(prop int) *model.Violation {
	return &model.Violation{Prop: prop, Pos: e.Model.Props[prop].Pos, Message: "covered"}
}

// same reports whether the latches hold state s.
func (e *Encoding) same(s model.State, latches []bool) bool {
	got, err := e.DecodeState(latches)
	return err == nil && slices.Equal(got, s)
}
