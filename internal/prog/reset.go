package prog

import (
	"slices"

	"orbitmc/model"
)

// Reset returns the program with steps that also take the value from each variable of their processes that is dead where
// they lead (live.go): states that differ in such variables alone become one. SPIN does the same, and sets them to 0. A
// state and what is left of it have the same steps, properties included, since what these read is taken as live: a
// bisimulation. A mistake would be seen as a run-time error, which reading no value is, and in the comparison with
// the reference interpreter.
//
// Runs of the result are runs of p with the same rules: see Retell. It is p if no variable is dead, or if p is too large to be
// analysed.
func Reset(p *Program) *Program {
	s, err := NewSteps(p, p.Model)
	if err != nil {
		return p
	}
	return s.reset(p)
}

func (s *Steps) reset(p *Program) *Program {
	m, reset := *p.Model, false
	m.Rules = slices.Clone(m.Rules)
	for i, r := range m.Rules {
		var dead []model.Stmt
		for k, proto := range p.Edges[i].Actors {
			q := &p.Protos[proto]
			for f := 1; q.Var != nil && f < len(q.Var.Type.Elem.Fields); f++ {
				if s.dies(r, k, f) {
					self := &model.IndexSel{X: &model.Ref{Var: q.Var}, Index: &model.Ref{Var: r.Params[k].Var}}
					dead = append(dead, &model.Reset{X: &model.FieldSel{X: self, Field: f}, Pos: r.Pos})
				}
			}
		}
		if dead != nil {
			c := *r
			c.Body = append(slices.Clip(c.Body), dead...)
			m.Rules[i], reset = &c, true
		}
	}
	if !reset {
		return p
	}
	c := *p
	c.Model = &m
	return &c
}

// Dead reports whether a field of processes of a type is dead where all of them are at a location, by its code.
func (s *Steps) Dead(proto int, code int64, field int) bool {
	for n := range s.all {
		if g := &s.all[n]; g.Proto == &s.p.Protos[proto] && !s.dead(n, g.number(code), field) {
			return false
		}
	}
	return true
}

// dead reports whether a field is dead where its agent is at a location.
func (s *Steps) dead(agent, location, field int) bool {
	g := &s.all[agent]
	f := g.Var.Type.Elem.Fields[field]
	for leaf := g.pc + f.Offset; leaf < g.pc+f.Offset+f.Type.Leaves; leaf++ {
		if s.always.Has(leaf) || s.nodes[g.node+location].live.Has(leaf) {
			return false
		}
	}
	return true
}

// dies reports whether field f of parameter k of a rule is dead wherever the rule leads, in all instances, and in one it
// was live before or is written.
func (s *Steps) dies(r *model.Rule, k, f int) (some bool) {
	of := s.instances[s.first[r.Index]:]
	if r.Index+1 < len(s.first) {
		of = s.instances[s.first[r.Index]:s.first[r.Index+1]]
	}
	for i := range of {
		x := &of[i]
		if x.kind != Step || len(x.actors) == 0 || x.actors[k] < 0 { // the latter two are never enabled
			continue
		}
		n := x.actors[k]
		g, moves := &s.all[n], false
		for _, v := range x.moves {
			if v.agent != n {
				continue
			}
			for _, to := range s.targets(v) {
				if moves = true; !s.dead(n, to-g.node, f) {
					return false
				}
			}
		}
		if !moves {
			return false
		}
		field := g.Var.Type.Elem.Fields[f]
		some = some || !s.dead(n, x.from[k], f)
		for leaf := g.pc + field.Offset; leaf < g.pc+field.Offset+field.Type.Leaves; leaf++ {
			some = some || x.foot.Writes.Has(leaf)
		}
	}
	return some
}
