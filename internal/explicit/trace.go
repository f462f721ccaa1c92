package explicit

import (
	"bytes"
	"fmt"
	"slices"

	"orbitmc/model"
	"orbitmc/model/traces"
)

// trace builds a counterexample or a witness from a finding. The set holds
// representatives r_0, r_1, … linked by "a successor of r_i is in the orbit of
// r_(i+1)". The real path starts in a real start state in the orbit of r_0; as
// symmetries map steps to steps, each state s_i in the orbit of r_i has a
// successor in that of r_(i+1), and the first one is taken. That is about orbits:
// Sorted and Star may give two states of one orbit different representatives, so here
// Exact takes its place. The image of a violation may violate another property of a joint set
// (Options.Joint); then other start states are tried. The result is replayed, so the symmetry
// is not trusted.
func (s *search) trace(prop int, f finding) (*model.Trace, error) {
	if f.walk != nil {
		return f.walk, s.replay(f.walk)
	}
	if s.opt.Canon.Several() && s.orbits == nil {
		var err error
		if s.orbits, err = newCanonicaliser(s.p, s.packer, s.opt.Blocks, s.opt.Rings, true); err != nil {
			return nil, err
		}
	}
	var chain []int
	for i := f.State; i != noParent; i = s.set.parent(i) {
		chain = append(chain, i)
	}
	slices.Reverse(chain)
	if len(chain) == 0 {
		t := startTrace(s.m, prop, f)
		return t, s.replay(t)
	}
	var first *model.Trace
	var err error
	tried := 0
	s.m.Starts(func(ch model.Choice, st model.State, _ *model.Violation) bool {
		if st == nil || !s.represents(chain[0], st) {
			return true
		}
		x := &model.Trace{Prop: prop, Violation: f.Violation, Start: ch.Clone(), StartState: slices.Clone(st)}
		if err = s.lift(x, chain[1:], f); err != nil {
			return false
		}
		if first == nil || x.Prop == prop {
			first = x
		}
		tried++
		return first.Prop != prop && tried < mostStarts
	})
	if err == nil && first == nil {
		err = fmt.Errorf("explicit: internal error: no start state leads to state %d", chain[0])
	}
	return first, err
}

// startTrace returns the trace of a finding that an instance of a start state shows, and no state.
func startTrace(m *model.Machine, prop int, f finding) *model.Trace {
	t := &model.Trace{Prop: prop, Violation: f.Violation, Start: *f.Step}
	t.StartState, _ = m.Start(t.Start)
	return t
}

// stepTo adds to a trace the first step from a state to one that is right, and reports whether there is one.
func stepTo(m *model.Machine, t *model.Trace, from model.State, right func(next model.State) bool) bool {
	n := len(t.Steps)
	m.Successors(from, func(ch model.Choice, next model.State, _ *model.Violation) bool {
		if next != nil && right(next) {
			t.Steps = append(t.Steps, model.TraceStep{Choice: ch.Clone(), State: slices.Clone(next)})
		}
		return len(t.Steps) == n
	})
	return len(t.Steps) > n
}

// mostStarts is from how many start states of an orbit a path to a violation of the very property is
// looked for, if the paths show another one of its joint set (mc.Problem.Joint).
const mostStarts = 16

// lift makes the path of t from its start state, along representatives, to what a finding is
// about. The property may be another one of the same joint set in the end.
func (s *search) lift(t *model.Trace, chain []int, f finding) error {
	at := t.StartState
	for _, i := range chain {
		if !stepTo(s.m, t, at, func(next model.State) bool { return s.represents(i, next) }) {
			return fmt.Errorf("explicit: the symmetry does not hold: a state cannot be reached in the image of a path to it")
		}
		at = t.Steps[len(t.Steps)-1].State
	}
	if f.Step == nil {
		s.violates(t, at, f.Violation.Prop)
		return s.replay(t)
	}
	n := len(t.Steps)
	for _, joint := range []bool{false, true} {
		s.m.Successors(at, func(ch model.Choice, next model.State, v *model.Violation) bool {
			if ch.Rule != f.Step.Rule || !joint && !s.same(f.Violation, v) || joint && (v == nil || !s.joint(f.Violation.Prop, v.Prop) || v.InGuard != f.Violation.InGuard) {
				return true
			}
			if joint {
				t.Prop, t.Violation = v.Prop, v
			}
			t.Steps = append(t.Steps, model.TraceStep{Choice: ch.Clone(), State: slices.Clone(next)})
			return false
		})
		if len(t.Steps) > n {
			return s.replay(t)
		}
	}
	return fmt.Errorf("explicit: the symmetry does not hold: %s shows something in a state and not in its image", s.p.Model.FormatChoice(*f.Step))
}

// violates makes the violation of t one in a state: of prop, or of another property of its joint set. It
// changes nothing if there is none.
func (s *search) violates(t *model.Trace, st model.State, prop int) {
	for _, q := range s.checks {
		for _, v := range s.finds(s.m, st, q).Each() {
			switch {
			case v.Prop == prop:
				t.Prop, t.Violation = prop, v
				return
			case s.joint(prop, v.Prop):
				t.Prop, t.Violation = v.Prop, v
			}
		}
	}
}

// joint reports whether an image of a violation of one property may violate the other one.
func (s *search) joint(p, q int) bool {
	return p != q && s.props[p].Kind != model.Cover && slices.ContainsFunc(s.opt.Joint, func(set []int) bool { return slices.Contains(set, p) && slices.Contains(set, q) })
}

// same reports whether the instance at hand, with violation v or nil, shows what
// a finding of an instance is about.
func (s *search) same(want, v *model.Violation) bool {
	if s.p.Model.Props[want.Prop].Kind == model.Cover {
		return s.m.Hit(want.Prop)
	}
	return v.Of(want.Prop) != nil && v.InGuard == want.InGuard
}

// replay checks a trace and replaces the violation, found in a representative,
// by the one at the end of the real path.
func (s *search) replay(t *model.Trace) error {
	if err := traces.Replay(s.p, t); err != nil {
		return fmt.Errorf("explicit: the symmetry does not hold: %w", err)
	}
	n := len(t.Steps)
	states := []model.State{t.StartState}
	for _, step := range t.Steps {
		states = append(states, step.State)
	}
	switch kind := s.p.Model.Props[t.Prop].Kind; {
	case kind == model.Cover || kind.Graph() || kind == model.Deadlock:
	case states[n] == nil && n == 0:
		_, v := s.m.Start(t.Start)
		t.Violation = v.Of(t.Prop)
	case states[n] == nil:
		_, _, v := s.m.Fire(states[n-1], t.Steps[n-1].Choice)
		t.Violation = v.Of(t.Prop)
	default:
		for _, prop := range s.checks {
			if v := s.finds(s.m, states[n], prop).Of(t.Prop); v != nil {
				t.Violation = v
				break
			}
		}
	}
	return nil
}

// represents reports whether state number i represents the orbit of st.
func (s *search) represents(i int, st model.State) bool {
	switch {
	case s.compact != nil && s.compact.first:
		return bytes.Equal(s.canon.signature(nil, st, nil), s.set.at(i))
	case s.orbits != nil:
		rep := make(model.State, len(st))
		s.packer.Unpack(s.member(i), rep)
		least := slices.Clone(s.orbits.canon(rep))
		return bytes.Equal(s.orbits.canon(st), least)
	case s.canon != nil:
		s.buf = append(s.buf[:0], s.canon.canon(st)...)
	default:
		s.buf = s.packer.Pack(s.buf[:0], st)
	}
	if s.compact != nil {
		return bytes.Equal(s.compact.key(nil, s.buf), s.set.at(i))
	}
	return bytes.Equal(s.buf, s.member(i))
}

// member returns state i of the set, packed.
func (s *search) member(i int) []byte {
	if s.disk != nil {
		return s.disk.log.view().Member(int64(i))
	}
	return s.set.at(i)
}
