package promela

import (
	"slices"

	"orbitmc/internal/prog"
	"orbitmc/model"
)

// Lowering: loops in atomic sequences in which at most one edge can be taken at a time run
// as code, with the location as program counter.

// region returns the locations that a process in control at e may come to without giving
// it up, if there is a loop among them and they are deterministic; else nil.
func (l *lowering) region(e *element, v *env) []*element {
	order, _, loop := ordered(e, func(e *element) (to []*element) {
		for _, x := range e.edges {
			if x.keeps() {
				to = append(to, x.to)
			}
		}
		return to
	})
	if !loop || slices.ContainsFunc(order, func(e *element) bool { return !l.deterministic(e, v) }) {
		return nil
	}
	return order
}

// deterministic reports whether surely at most one edge of a location can be taken, and
// none is a handshake or polls a rendezvous channel.
func (l *lowering) deterministic(e *element, v *env) bool {
	var conds []*expr
	for i, x := range e.edges {
		s := x.act.stmt
		if x.escape != nil || !isFalse(l.edgePolls(x, v)) {
			return false
		}
		switch s.kind {
		case sElse:
			if i != len(e.edges)-1 {
				return false
			}
			continue
		case sSend:
			for _, c := range l.uses(s.ch, v) {
				if c.g.rendezvous() {
					return false
				}
			}
		}
		if s.kind == sAssign && s.e.op == opNew || s.kind == sSync && s.name == "signal" { // any object, any process
			return false
		}
		if len(e.edges) == 1 {
			return true
		}
		if s.kind != sCond {
			if i == 0 && len(e.edges) == 2 && e.edges[1].act.kind == sElse {
				continue
			}
			return false
		}
		for _, c := range conds {
			if !exclusive(c, s.e) {
				return false
			}
		}
		conds = append(conds, s.e)
	}
	return true
}

// exclusive reports whether two conditions surely do not hold together.
func exclusive(a, b *expr) bool {
	if a.op == opUnary && a.text == "!" && show(a.x) == show(b) || b.op == opUnary && b.text == "!" && show(b.x) == show(a) {
		return true
	}
	if a.op != opBinary || b.op != opBinary || show(a.x) != show(b.x) {
		return false
	}
	if show(a.y) == show(b.y) {
		holds := map[string]int{"<": 1, "==": 2, "<=": 1 | 2, ">": 4, "!=": 1 | 4, ">=": 2 | 4} // if less, equal, greater
		return holds[a.text] != 0 && holds[b.text] != 0 && holds[a.text]&holds[b.text] == 0
	}
	x, ok := constant(a.y)
	y, ok2 := constant(b.y)
	return ok && ok2 && a.text == "==" && b.text == "==" && x != y
}

// runRegion ends a path with a loop.
func (l *lowering) runRegion(p *path, actor int, region []*element, from *element) {
	v := p.envs[actor]
	p = p.copy()
	on := local("on", model.BoolType)
	p.locals = append(p.locals, on)
	stop := assign(ref(on), truthOf(false), from.at)
	code := func(c checked) []model.Stmt {
		l.checking = c
		var turns []model.Stmt
		for _, e := range region {
			var clauses []model.Clause
			els := []model.Stmt{stop}
			for _, x := range e.edges {
				p.parts = append(p.parts, p.part(actor, x))
				for _, a := range l.actions(x, v) {
					p.locals = append(p.locals, a.locals...)
					body := slices.Clone(a.body)
					if x.act.kind == sAssert {
						body = append(l.checkAssert(x.act, v), body...)
					}
					if x.to != nil {
						body = append(body, assign(sel(v.me(), 0), v.q.code(x.to), x.act.at))
						if !x.keeps() {
							l.settle(x.to)
						}
					}
					if x.to == nil || !x.keeps() {
						body = append(body, stop)
					}
					if x.act.kind == sElse {
						els = body
						continue
					}
					clauses = append(clauses, model.Clause{Cond: all(append([]model.Expr{l.may(v)}, a.guard...)...), Body: body})
				}
			}
			then := els
			if len(clauses) > 0 {
				then = []model.Stmt{&model.If{Clauses: clauses, Else: els, Pos: e.at.pos}}
			}
			turns = append(turns, &model.If{Clauses: []model.Clause{{Cond: all(ref(on), l.isAt(v, e)), Body: then}}, Pos: e.at.pos})
			if can := all(l.leads(v), l.canMove(e, v)); can != nil {
				if k, ok := literal(can); !ok || k == 0 {
					l.settle(e)
				}
			}
		}
		l.checking, l.p.Loops = checked{}, true
		return []model.Stmt{assign(ref(on), truthOf(true), from.at), &model.While{Cond: ref(on), Body: turns, Pos: from.at.pos}}
	}
	before := len(p.parts)
	l.asserts = nil
	begun := p.copy()
	p.body = append(p.body, code(checked{})...)
	p.turns = len(p.parts) - before
	l.release(p)
	l.addRule(p, prog.Step)
	parts := p.parts
	for _, c := range l.asserts {
		q, loop := begun.copy(), code(c)
		q.body = append(append(q.body, loop...), &model.Assume{Cond: truthOf(false)})
		q.parts, q.turns, q.locals = parts, p.turns, p.locals
		l.addRule(q, prog.Check)
	}
}
