package promela

import (
	"slices"

	"orbitmc/model"
)

// Lowering: garbage. A step that may let go of an object ends with a walk from the variables: objects that it does not
// meet are no longer used, and their fields are 0 (R. Iosif, R. Sisto, "Using garbage collection in model checking",
// SPIN 2000). Nothing that a program can do depends on them, so this is a bisimulation, but for how many
// objects there is room. It is part of the step, so that all engines and checks agree on it.
//
// The walk goes in rounds. Each looks at what the last one met, and only adds to what is met: so its turns commute, and
// objects stay interchangeable by form.

// lets notes a statement after which some object may be out of reach.
func (l *lowering) lets(s model.Stmt) model.Stmt {
	l.letting[s] = true
	return s
}

// drop returns what a rule ends with, if it may put an object out of reach.
func (l *lowering) drop(body []model.Stmt) []model.Stmt {
	if !model.Has(body, func(n any) bool { s, ok := n.(model.Stmt); return ok && l.letting[s] }) {
		return nil
	}
	if l.garbage == nil {
		l.garbage = l.collector()
		l.garbage.Index = len(l.m.Procs)
		l.m.Procs = append(l.m.Procs, l.garbage)
	}
	return []model.Stmt{&model.Call{Proc: l.garbage}}
}

// collector makes the procedure that drops objects out of reach.
func (l *lowering) collector() *model.Proc {
	p := &model.Proc{Name: "drop"}
	met, next := map[*typedef]*model.Var{}, map[*typedef]*model.Var{}
	more := local("_more", model.BoolType)
	p.Locals = append(p.Locals, more)
	objects := 0
	for _, d := range l.f.pools {
		t := arrayOf(l.pools[d].Type.Index, model.BoolType)
		met[d], next[d] = local("_met_"+d.name, t), local("_next_"+d.name, t)
		p.Locals = append(p.Locals, met[d], next[d])
		p.Body = append(p.Body, forEach(l.pools[d].Type.Index, func(o model.Expr) []model.Stmt {
			return []model.Stmt{assign(at(ref(met[d]), o), all(l.used(d, o), l.held(d, o)), d.at)}
		}))
		objects += d.pool
	}
	var round []model.Stmt
	var grown []model.Expr
	for _, d := range l.f.pools {
		round = append(round, forEach(l.pools[d].Type.Index, func(o model.Expr) []model.Stmt {
			from := l.inObjects(d, o, func(c *typedef, k model.Expr) model.Expr { return at(ref(met[c]), k) })
			return []model.Stmt{assign(at(ref(next[d]), o), some(at(ref(met[d]), o), all(l.used(d, o), from)), d.at)}
		}))
		grown = append(grown, exists("k", l.pools[d].Type.Index, func(k model.Expr) model.Expr {
			return not(eq(at(ref(next[d]), k), at(ref(met[d]), k)))
		}))
	}
	round = append(round, assign(ref(more), some(grown...), place{}))
	for _, d := range l.f.pools {
		round = append(round, assign(ref(met[d]), ref(next[d]), d.at))
	}
	rounds := forEach(rangeType(1, int64(objects)), func(model.Expr) []model.Stmt {
		return []model.Stmt{when(ref(more), round...)}
	})
	p.Body = append(p.Body, assign(ref(more), truthOf(true), place{}), rounds)
	for _, d := range l.f.pools {
		p.Body = append(p.Body, forEach(l.pools[d].Type.Index, func(o model.Expr) []model.Stmt {
			x := l.object(d, o)
			return []model.Stmt{when(all(sel(x, 0), not(at(ref(met[d]), o))), l.empty(d, x)...)}
		}))
	}
	return p
}

// empty makes an object unused.
func (l *lowering) empty(d *typedef, o model.Expr) []model.Stmt {
	body := []model.Stmt{assign(sel(o, 0), truthOf(false), d.at)}
	for _, f := range d.fields {
		body = append(body, l.first(f, sel(o, f.field+1), nil)...)
	}
	if l.holds(d) {
		holds := sel(o, len(o.Type().Fields)-1)
		body = append(body, forEach(holds.Type().Index, func(i model.Expr) []model.Stmt {
			return []model.Stmt{assign(at(holds, i), truthOf(false), d.at)}
		}))
	}
	return body
}

// refers reports whether a variable is a reference, or has one in it.
func (s *sym) refers() bool {
	return s.typ.base == bRef || s.typ.base == bStruct && slices.ContainsFunc(s.typ.of.stored(), (*sym).refers)
}
