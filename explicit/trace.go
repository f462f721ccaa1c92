package explicit

import (
	"bytes"
	"fmt"
	"slices"

	"orbitmc/model"
)

// trace builds a counterexample from a finding. The set holds representatives
// r_0, r_1, … linked by "a successor of r_i is in the orbit of r_(i+1)"; the
// choice and the permutation τ that maps the successor to r_(i+1) are found
// again by firing the rules of r_i. The real path is s_i = σ_i(r_i): it starts in
// a real start state, its choices are images under σ_i, and σ_(i+1) is σ_i after
// the inverse of τ. The result is replayed, so the symmetry is not trusted.
func (s *search) trace(prop int, f finding) (*model.Trace, error) {
	var chain []uint32
	for i := f.state; i != noParent; i = s.set.parent(i) {
		chain = append(chain, i)
	}
	slices.Reverse(chain)
	t := &model.Trace{Prop: prop, Violation: f.v}
	if len(chain) == 0 {
		t.Start = *f.step
		t.StartState, _ = s.m.Start(t.Start)
		return t, s.replay(t)
	}
	sigma := s.identity()
	ok := false
	s.m.Starts(func(ch model.Choice, st model.State, _ *model.Violation) bool {
		if st != nil && s.represents(chain[0], st) {
			t.Start, t.StartState = ch.Clone(), slices.Clone(st)
			s.afterInverse(sigma)
			ok = true
		}
		return !ok
	})
	if !ok {
		return nil, fmt.Errorf("explicit: internal error: no start state leads to state %d", chain[0])
	}
	at := t.StartState
	rep := make(model.State, len(at))
	for k, i := range chain {
		s.packer.Unpack(s.set.at(i), rep)
		if k == len(chain)-1 {
			break
		}
		var ch model.Choice
		ok = false
		s.m.Successors(rep, func(c model.Choice, next model.State, _ *model.Violation) bool {
			if next != nil && s.represents(chain[k+1], next) {
				ch = s.image(sigma, c)
				s.afterInverse(sigma)
				ok = true
			}
			return !ok
		})
		if !ok {
			return nil, fmt.Errorf("explicit: internal error: no step from state %d to state %d", i, chain[k+1])
		}
		next, _, _ := s.m.Fire(at, ch)
		if next == nil {
			return nil, fmt.Errorf("explicit: the symmetry does not hold: %s is not possible in the image of a state in which it is", s.p.Model.FormatChoice(ch))
		}
		t.Steps = append(t.Steps, model.TraceStep{Choice: ch, State: next})
		at = next
	}
	if f.step != nil {
		last := model.TraceStep{Choice: s.image(sigma, *f.step)}
		last.State, _, _ = s.m.Fire(at, last.Choice)
		t.Steps = append(t.Steps, last)
	}
	return t, s.replay(t)
}

// replay checks a trace and replaces the violation, found in a representative,
// by the one at the end of the real path.
func (s *search) replay(t *model.Trace) error {
	if err := s.p.Replay(t); err != nil {
		return fmt.Errorf("explicit: the symmetry does not hold: %w", err)
	}
	n := len(t.Steps)
	states := []model.State{t.StartState}
	for _, step := range t.Steps {
		states = append(states, step.State)
	}
	switch kind := s.p.Model.Props[t.Prop].Kind; {
	case kind == model.Cover || kind == model.Liveness || kind == model.Deadlock:
	case states[n] == nil && n == 0:
		_, t.Violation = s.m.Start(t.Start)
	case states[n] == nil:
		_, _, t.Violation = s.m.Fire(states[n-1], t.Steps[n-1].Choice)
	default:
		for _, prop := range s.checks {
			if v := s.finds(states[n], prop); v != nil && v.Prop == t.Prop {
				t.Violation = v
				break
			}
		}
	}
	return nil
}

// represents reports whether state number i is the representative of st; then
// the canonicaliser holds the permutation.
func (s *search) represents(i uint32, st model.State) bool {
	if s.canon != nil {
		return bytes.Equal(s.canon.canon(st), s.set.at(i))
	}
	s.buf = s.packer.Pack(s.buf[:0], st)
	return bytes.Equal(s.buf, s.set.at(i))
}

// identity returns the identity of all classes, or nil for None.
func (s *search) identity() model.ScalarPerm {
	if s.canon == nil {
		return nil
	}
	id := make(model.ScalarPerm, len(s.canon.perm))
	for k := range id {
		id[k] = make([]int, len(s.canon.perm[k]))
		for v := range id[k] {
			id[k][v] = v
		}
	}
	return id
}

// afterInverse makes sigma what it was after the inverse of the canonicaliser's
// last permutation.
func (s *search) afterInverse(sigma model.ScalarPerm) {
	for k := range sigma {
		old := slices.Clone(sigma[k])
		for v, w := range s.canon.perm[k] {
			sigma[k][w] = old[v]
		}
	}
}

func (s *search) image(sigma model.ScalarPerm, ch model.Choice) model.Choice {
	if s.canon == nil {
		return ch.Clone()
	}
	return s.p.PermChoice(sigma, ch)
}
