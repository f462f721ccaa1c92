package promela

import "orbitmc/model"

// Lowering: semaphores, mutexes and condition variables.

// syncs returns the ways of such a statement.
func (l *lowering) syncs(s *stmt, v *env) []*action {
	x := l.place(s.args[0], v)
	set := func(x model.Expr, k model.Expr) model.Stmt { return assign(x, k, s.at) }
	full := num(255)
	switch s.name {
	case "P":
		return []*action{{guard: []model.Expr{not(eq(x, num(0)))}, body: []model.Stmt{set(x, plus(x, -1))}}}
	case "V":
		a := &action{guard: []model.Expr{not(eq(x, full))}, body: []model.Stmt{set(x, s.args[0].leaf().sym.cell.stored(plus(x, 1), 0, 255))}}
		return []*action{a, l.fault(eq(x, full), s, "lock use", "the semaphore is at 255")}
	case "lock":
		return []*action{{guard: []model.Expr{eq(x, num(0))}, body: append(l.holder(s.args[0], v, true), set(x, num(1)))}}
	case "unlock":
		a := &action{guard: []model.Expr{not(eq(x, num(0)))}, body: append(l.holder(s.args[0], v, false), set(x, num(0)))}
		return []*action{a, l.fault(eq(x, num(0)), s, "lock use", "the mutex is not locked")}
	case "wait":
		m := l.place(s.args[1], v)
		a := &action{guard: []model.Expr{not(eq(m, num(0)))}, body: append(l.holder(s.args[1], v, false), set(m, num(0)), set(x, num(1)))}
		return []*action{a, l.fault(eq(m, num(0)), s, "lock use", "the mutex is not locked")}
	case again:
		m := l.place(s.args[1], v)
		return []*action{{guard: []model.Expr{eq(x, num(0)), eq(m, num(0))}, body: append(l.holder(s.args[1], v, true), set(m, num(1)))}}
	}
	waits := x.(*model.IndexSel).X // of all processes
	t := waits.Type().Index
	if s.name == "broadcast" {
		all := forEach(t, func(k model.Expr) []model.Stmt { return []model.Stmt{set(at(waits, k), num(0))} })
		return []*action{{body: []model.Stmt{all}}}
	}
	is := func(k model.Expr) model.Expr { return not(eq(at(waits, k), num(0))) }
	w := bound("woken", t, s.at)
	return []*action{
		{object: &model.Param{Var: w, Domain: model.Domain{Type: t}}, guard: []model.Expr{is(ref(w))}, body: []model.Stmt{set(at(waits, ref(w)), num(0))}},
		{guard: []model.Expr{not(exists("k", t, is))}},
	}
}

// holder notes in an object whether a process holds its mutex, if objects say so.
func (l *lowering) holder(e *expr, v *env, holds bool) []model.Stmt {
	of := e
	for x := e; x.y != nil; x = x.y {
		of = x
	}
	if of.y == nil || of.sym.typ.base != bRef || !l.holds(of.sym.typ.of) || of.y.sym.field != of.sym.typ.of.guardian() {
		return nil
	}
	o := l.object(of.sym.typ.of, l.place(until(e, of), v))
	return []model.Stmt{assign(at(sel(o, len(o.Type().Fields)-1), v.slot), truthOf(holds), e.at)}
}
