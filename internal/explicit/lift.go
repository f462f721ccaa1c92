package explicit

import (
	"bytes"
	"fmt"
	"slices"

	"orbitmc/model"
	"orbitmc/model/traces"
)

// This file makes a concrete path of a path through annotated states. It goes backwards: not
// each state of an orbit has a step to the next orbit, but each state of an orbit is led to by a
// state of the one before. If a step leads from u to v, the successor of (s, P) is (v, R), whose
// least state is p(v) for a p in <R>. A concrete state of its orbit is q(p(v)) with q in <R>,
// and the step from q(p(u)) leads there.

// trace returns the counterexample, or witness, of a finding.
func (a *adaptive) trace(prop int, f finding) (*model.Trace, error) {
	t := &model.Trace{Prop: prop, Violation: f.Violation}
	if f.State == noParent {
		t = startTrace(a.m, prop, f)
		return t, a.replay(t)
	}
	path := []model.State{f.concrete} // last state first
	for i := f.State; a.states[i].parent != noParent; i = int(a.states[i].parent) {
		before, err := a.before(i, path[len(path)-1])
		if err != nil {
			return nil, err
		}
		path = append(path, before)
	}
	slices.Reverse(path)
	a.m.Starts(func(ch model.Choice, s model.State, _ *model.Violation) bool {
		if s != nil && slices.Equal(s, path[0]) {
			t.Start, t.StartState = ch.Clone(), slices.Clone(s)
		}
		return t.StartState == nil
	})
	if t.StartState == nil {
		return nil, fmt.Errorf("explicit: internal error: an annotated start state stands for none")
	}
	for k, s := range path[1:] {
		if !stepTo(a.m, t, path[k], func(next model.State) bool { return slices.Equal(next, s) }) {
			return nil, fmt.Errorf("explicit: the partial symmetry does not hold: a step has no image")
		}
	}
	if f.Step != nil {
		next, _, _ := a.m.Fire(f.concrete, *f.Step)
		t.Steps = append(t.Steps, model.TraceStep{Choice: *f.Step, State: next})
	}
	return t, a.replay(t)
}

func (a *adaptive) replay(t *model.Trace) error {
	if err := traces.Replay(a.p, t); err != nil {
		return fmt.Errorf("explicit: the partial symmetry does not hold: %w", err)
	}
	return nil
}

// before returns a concrete state that the state before number i stands for, with a step to the
// concrete state c, which i stands for.
func (a *adaptive) before(i int, c model.State) (found model.State, err error) {
	from := int(a.states[i].parent)
	s := make(model.State, len(c))
	a.packer.Unpack(a.packed.at(from), s)
	p, under := a.groups[a.states[from].under], a.groups[a.states[i].under]
	q := inverse(permOf(under.canon, c)) // of the least state to c
	moved := make(model.State, len(c))
	for k := range a.rules {
		set := &a.rules[k]
		r := a.variant.meet(a, p, set.kept)
		if r != under {
			continue
		}
		a.unwind(s, p, r, func(u model.State) bool {
			a.successors(set, u, r, func(_ model.Choice, next model.State, v *model.Violation) bool {
				if v == nil && bytes.Equal(a.least(next, r), a.packed.at(i)) {
					a.p.ApplyPerm(permOf(r.canon, next), u, moved)
					found = make(model.State, len(c))
					a.p.ApplyPerm(q, moved, found)
				}
				return found == nil
			})
			return found == nil
		})
		if found != nil {
			return found, nil
		}
	}
	return nil, fmt.Errorf("explicit: internal error: no step leads to an annotated state")
}

// permOf returns the permutation that maps a state to its representative.
func permOf(c *canonicaliser, s model.State) model.ScalarPerm {
	c.canon(s)
	return clonePerm(c.perm)
}

func clonePerm(perm model.ScalarPerm) model.ScalarPerm {
	out := make(model.ScalarPerm, len(perm))
	for k, images := range perm {
		out[k] = slices.Clone(images)
	}
	return out
}

// inverse returns the inverse of a permutation.
func inverse(perm model.ScalarPerm) model.ScalarPerm {
	out := make(model.ScalarPerm, len(perm))
	for k, images := range perm {
		if images == nil {
			continue
		}
		out[k] = make([]int, len(images))
		for v, w := range images {
			out[k][w] = v
		}
	}
	return out
}

// guess names a state that subsumes (s, P), and the permutation of s to it.
func (a *adaptive) guess(s model.State, p *keptSet) (i int, perm model.ScalarPerm, ok bool) {
	if i = a.find(p, a.least(s, p)); i < 0 {
		if i = a.covers(a.known.buckets[hash(a.least(s, a.whole))], s, p); i < 0 {
			return 0, nil, false
		}
	}
	return a.position[i], permOf(a.groups[a.states[i].under].canon, s), true
}
