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
		return []*action{a, l.badSync(eq(x, full), s, "the semaphore is at 255")}
	case "lock":
		return []*action{{guard: []model.Expr{eq(x, num(0))}, body: append(l.holder(s.args[0], v, true), set(x, num(1)))}}
	case "unlock":
		a := &action{guard: []model.Expr{not(eq(x, num(0)))}, body: append(l.holder(s.args[0], v, false), set(x, num(0)))}
		return []*action{a, l.badSync(eq(x, num(0)), s, "the mutex is not locked")}
	case "wait":
		m := l.place(s.args[1], v)
		a := &action{guard: []model.Expr{not(eq(m, num(0)))}, body: append(l.holder(s.args[1], v, false), set(m, num(0)), set(x, num(1)))}
		return []*action{a, l.badSync(eq(m, num(0)), s, "the mutex is not locked")}
	case again:
		m := l.place(s.args[1], v)
		return []*action{{guard: []model.Expr{eq(x, num(0)), eq(m, num(0))}, body: append(l.holder(s.args[1], v, true), set(m, num(1)))}}
	}
	waits := x.(*model.IndexSel).X // of all processes
	t := waits.Type().Index
	bound := func(name string) *model.Var {
		return &model.Var{Name: name, Kind: model.BoundVar, Type: t, Pos: s.at.pos}
	}
	if s.name == "broadcast" {
		k := bound("k")
		return []*action{{body: []model.Stmt{&model.For{Var: k, Domain: model.Domain{Type: t}, Body: []model.Stmt{set(at(waits, ref(k)), num(0))}}}}}
	}
	w, k := bound("woken"), bound("k")
	some := &model.Quant{Var: k, Domain: model.Domain{Type: t}, Body: not(eq(at(waits, ref(k)), num(0)))}
	return []*action{
		{object: &model.Param{Var: w, Domain: model.Domain{Type: t}}, guard: []model.Expr{not(eq(at(waits, ref(w)), num(0)))}, body: []model.Stmt{set(at(waits, ref(w)), num(0))}},
		{guard: []model.Expr{not(some)}},
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

// badSync is the action of a statement that makes no sense.
func (l *lowering) badSync(is model.Expr, s *stmt, why string) *action {
	return &action{guard: []model.Expr{is}, fault: true,
		body: []model.Stmt{&model.Assert{Message: s.text + ": " + why, Prop: l.prop("lock use", model.ErrorStmt, place{}), Pos: s.at.pos}}}
}
