package promela

import "orbitmc/model"

// Lowering: priorities, as SPIN has them since version 6.2. A process takes a step only if no process of a higher
// priority can take one. The priority is a variable of the process: it is a part of the state.

// rank is the priority of a process.
func (l *lowering) rank(v *env) model.Expr { return sel(v.me(), v.q.fields[v.q.rank]) }

// rankOf returns the priority of the process with a number, 0 if there is none.
func (l *lowering) rankOf(pid model.Expr) model.Expr {
	r := num(0)
	for _, q := range l.present() {
		w := &env{q: q, slot: pid}
		r = choose(all(w.fits(), w.exists()), l.rank(w), r)
	}
	return r
}

// ranks is the action of set_priority. Of a process that there is not, it has no effect.
func (l *lowering) ranks(s *stmt, v *env) *action {
	pid, to := l.num(s.args[0], v), l.num(s.args[1], v)
	one := &model.If{Pos: s.at.pos} // of one process, as the number may be read off a priority
	for _, q := range l.present() {
		w := &env{q: q, slot: pid}
		set := []model.Stmt{
			&model.Assert{Cond: between(to, 1, 255), Message: s.text + ": the priority is out of range", Prop: l.prop("priority range", model.ErrorStmt, place{}), Pos: s.at.pos},
			assign(l.rank(w), l.value(s.args[1], v, q.rank.cell), s.at),
		}
		one.Clauses = append(one.Clauses, model.Clause{Cond: all(w.fits(), w.exists()), Body: set})
	}
	return &action{body: []model.Stmt{one}}
}

// leads tests whether no process of a higher priority can move; nil: there are no priorities.
func (l *lowering) leads(v *env) model.Expr {
	if !l.f.ranks {
		return nil
	}
	if l.higher == nil {
		than := local("than", rangeType(0, 255))
		l.higher = &model.Proc{Name: "higher", Index: len(l.m.Procs), Params: []*model.Formal{{Var: than}}, Result: model.BoolType}
		l.m.Procs = append(l.m.Procs, l.higher)
		timeout := model.Expr(nil)
		if l.f.timeout {
			timeout = not(l.isBusy())
		}
		l.higher.Body = []model.Stmt{&model.Return{X: l.someMove(timeout, func(w *env) model.Expr { return bin(model.Gt, l.rank(w), ref(than)) })}}
	}
	return not(&model.CallExpr{Proc: l.higher, Args: []model.Expr{l.rank(v)}})
}

// may is the condition under which a process runs at all; nil: always.
func (l *lowering) may(v *env) model.Expr {
	provided, leads := l.provided(v), l.leads(v)
	if provided == nil {
		return leads
	}
	return all(provided, leads)
}
