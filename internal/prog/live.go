package prog

import (
	"slices"

	"orbitmc/model"
)

// Variables of a process that are dead where it is: whatever happens, they are written before
// they are read. States that differ in them alone have the same futures.

// findLive computes the live leaves of each node: those that a step there may read, and those
// live behind a step that the step does not surely overwrite.
func (s *Steps) findLive() {
	type edge struct {
		from, to int
		kills    Set
	}
	s.readOutside()
	var edges []edge
	for i := range s.instances {
		x := &s.instances[i]
		x.foot.Reads.each(func(o int) {
			if o >= s.leaves || s.owner[o] < 0 {
				return
			}
			n := s.owner[o]
			if k := slices.Index(x.actors, n); k >= 0 {
				s.nodes[s.all[n].node+x.from[k]].live.add(o)
			} else {
				s.always.add(o)
			}
		})
		for _, v := range x.moves {
			if k := slices.Index(x.actors, v.agent); k >= 0 && x.kind == Step {
				for _, to := range s.targets(v) {
					edges = append(edges, edge{s.all[v.agent].node + x.from[k], to, x.kills})
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, e := range edges {
			from, to := s.nodes[e.from].live, s.nodes[e.to].live
			for i, w := range to {
				if w &^= e.kills[i] | from[i]; w != 0 {
					from[i] |= w
					changed = true
				}
			}
		}
	}
}

// readOutside makes live everywhere what properties and start states read: the latter, where claims are at the start.
func (s *Steps) readOutside() {
	w := model.Effects{}
	w.Read = func(e model.Expr) {
		if p, ok := model.PlaceOf(e, w.Names, env{rule: &model.Rule{}}.eval); ok {
			p.Leaves(s.always.add)
		}
	}
	for _, q := range s.m.Props {
		w.Reads(q.Expr)
	}
	for _, r := range s.m.Starts {
		w.Stmts(r.Body)
	}
	for leaf := range s.leaves {
		if w.Any {
			s.always.add(leaf)
		}
	}
}

// Forget makes the leaves of a state undefined that are dead in it. They say nothing of what
// follows.
func (s *Steps) Forget(state model.State) {
	for n := range s.all {
		g := &s.all[n]
		live := s.nodes[g.node+g.at(state)].live
		for leaf := g.pc + 1; leaf < g.end; leaf++ {
			if !live.Has(leaf) && !s.always.Has(leaf) {
				state[leaf] = model.Undef
			}
		}
	}
}
