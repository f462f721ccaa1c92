package prog

import (
	"orbitmc/model"
	"slices"
)

// What may happen next, and later: the questions that a search asks in a state.

// Agents returns how many processes there may be. They are numbered from 0.
func (s *Steps) Agents() int { return len(s.all) }

// Location returns where an agent is in a state, from 1; 0 if it does not exist.
func (s *Steps) Location(state model.State, agent int) int { return s.all[agent].at(state) }

// Owner returns the agent that takes a rule instance, -1 if it is no step of a process, and
// what the instance is.
func (s *Steps) Owner(instance int) (agent int, kind Kind) {
	x := &s.instances[instance]
	return x.owner, x.kind
}

// Actors returns the agents that take part in a rule instance.
func (s *Steps) Actors(instance int) []int { return s.instances[instance].actors }

// Touches returns what a rule instance touches in a state in which it is enabled. The result is valid
// until the next call, unless nothing in the state decides it; keep says that it is kept.
func (s *Steps) Touches(state model.State, instance int, keep bool) *Footprint {
	x := &s.instances[instance]
	if len(x.varying) == 0 {
		return &x.foot
	}
	f := &s.at
	if keep {
		g := s.footprint()
		f = &g
	}
	for i := range f.Reads {
		f.Reads[i], f.Writes[i], f.Up[i], f.Down[i] = x.sure.Reads[i], x.sure.Writes[i], x.sure.Up[i], x.sure.Down[i]
	}
	v := env{s.m.Rules[x.Rule], x.Params, state}
	for i := range x.varying {
		a := x.varying[i]
		for len(a.Dims) > 0 {
			d := a.Dims[0]
			k, ok := v.eval(d.Index)
			if !ok || k < d.Lo || k >= d.Lo+int64(d.Card) {
				break
			}
			a.At += int(k-d.Lo) * d.Stride
			a.Dims = a.Dims[1:]
		}
		a.Leaves(func(leaf int) { s.touch(f, x, leaf, &a) })
	}
	return f
}

// Next returns all that the steps of an agent may touch that it may take where it is in a state,
// whether they are enabled or not.
func (s *Steps) Next(state model.State, agent int) *Footprint {
	n := s.node(state, agent)
	if !slices.ContainsFunc(n.steps, func(k int) bool { return len(s.instances[k].varying) > 0 }) {
		return &n.op
	}
	f := s.footprint()
	for _, k := range n.steps {
		f.or(s.Touches(state, k, false))
	}
	return &f
}

// Future returns all that an agent may touch from where it is in a state on.
func (s *Steps) Future(state model.State, agent int) *Footprint { return &s.node(state, agent).future }

// Alone reports whether the steps that an agent may take where it is touch nothing that it
// shares with others.
func (s *Steps) Alone(state model.State, agent int) bool { return s.node(state, agent).alone }

func (s *Steps) node(state model.State, agent int) *node {
	g := &s.all[agent]
	return &s.nodes[g.node+g.at(state)]
}

// Wakes calls f with objects for each step of an agent that is not enabled in a state, of those that it may
// take where it is: one of the objects has to be written before the step can be taken, or
// errs. up and down say in which direction; both are set if that is not known. A handshake with another
// process may take the agent away from where it is, too.
func (s *Steps) Wakes(state model.State, agent int, f func(objects Set, up, down bool)) {
	g, here := &s.all[agent], s.set()
	here.add(g.place + g.at(state))
	f(here, true, true)
	for _, k := range s.node(state, agent).steps {
		x := &s.instances[k]
		v := env{s.m.Rules[x.Rule], x.Params, state}
		found := false
		for i := range x.facts {
			t := &x.facts[i]
			value, ok := v.eval(t.e)
			if ok && value == 0 {
				f(t.foot, t.up || !t.down, t.down || !t.up)
				found = true
				break
			}
			if !ok || !t.plain {
				break // what stands behind it may not be the reason
			}
		}
		if !found {
			f(x.foot.Reads, true, true)
		}
	}
}

// MayWrite reports whether an agent may write one of some objects from where it is in a state on, in
// one of the directions.
func (s *Steps) MayWrite(state model.State, agent int, objects Set, up, down bool) bool {
	f := &s.node(state, agent).future
	return up && f.Up.Meets(objects) || down && f.Down.Meets(objects)
}
