package promela

import (
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Lowering: d_steps, and loops in atomic sequences. Both become code that runs in one
// step. A d_step takes the first choice that can be taken. An atomic loop is lowered so
// only if at most one can.

// loopMax bounds the turns of a loop in one step, if nothing else is said; more are an error.
const loopMax = model.DefaultLoopMax

// dstep returns the action of a d_step that begins while nothing is offered at a rendezvous.
func (l *lowering) dstep(x *edge, v *env) []*action {
	a := &action{guard: []model.Expr{l.stepGuard(x, v)}}
	w := *v
	if v.timeout != nil && x.act.mentions(opTimeout) { // it is what it is where the step begins
		began := local("timeout", model.BoolType)
		a.locals = append(a.locals, began)
		a.body = []model.Stmt{assign(ref(began), v.timeout, x.act.at)}
		w.timeout = ref(began)
	}
	d := &stepCode{l: l, v: &w, a: a, guarded: true}
	d.run(x.act.sub[0].frst)
	return []*action{a}
}

// heads returns the first statements of a sequence in a d_step, in the order in which it tries them, and whether
// they are the options of a choice.
func heads(s *sequence) (hs []*element, choice bool) {
	switch f := s.frst; {
	case f.kind == sBlock:
		return heads(f.sub[0])
	case f.kind == sIf:
		return options(f, nil), true
	case f.kind == sJoin && f.nxt != nil && f.nxt.kind == sDo:
		return options(f.nxt, nil), true
	default:
		return []*element{f}, false
	}
}

// options appends the first statements of the options of a choice.
func options(c *element, hs []*element) []*element {
	for _, h := range c.sub {
		e := first(h.frst)
		switch {
		case e.kind == sBlock && len(e.sub[0].frst.sub) > 0:
			hs = options(e.sub[0].frst, hs)
		case e.kind == sIf || e.kind == sDo:
			hs = options(e, hs)
		default:
			hs = append(hs, e)
		}
	}
	return hs
}

// stepGuard is when SPIN lets a d_step begin. Of a choice, only options count that begin with a condition, a send, a
// receive or else, if there are any.
func (l *lowering) stepGuard(x *edge, v *env) model.Expr {
	hs, choice := heads(x.act.sub[0])
	var ways []model.Expr
	for _, e := range hs {
		switch e.kind {
		case sCond, sSend, sRecv:
			ways = append(ways, l.can(e, v))
		case sElse:
			if choice {
				ways = append(ways, truthOf(true))
				break
			}
			var cs []model.Expr
			for _, y := range x.from.edges {
				if y == x {
					break
				}
				cs = append(cs, not(l.enabled(y, v)))
			}
			ways = append(ways, all(cs...))
		}
	}
	if len(ways) == 0 {
		return truthOf(true)
	}
	return some(ways...)
}

// accepts returns the receives that an edge may begin with, in the order in which they are tried: those that can take
// an offer at a rendezvous.
func accepts(x *edge) []*element {
	hs := []*element{x.act}
	if x.act.kind == sDstep {
		hs, _ = heads(x.act.sub[0])
	}
	return lists.Where(hs, func(e *element) bool { return e.kind == sRecv })
}

// orderly refuses a d_step in which an option that is no receive stands before a receive from a rendezvous. SPIN
// takes that option where the receive could take an offer, and leaves the offer open.
func orderly(x *edge, in *element) {
	hs, _ := heads(x.act.sub[0])
	for _, e := range hs {
		if e == in {
			return
		}
		if e.kind != sRecv {
			fail(in.at, "in a choice at the beginning of a d_step, a receive from a rendezvous must stand before options that are no receives")
		}
	}
}

// can tests whether a basic statement can be executed.
func (l *lowering) can(e *element, v *env) model.Expr {
	return someOf(l.actions(&edge{from: e, act: e}, v), func(a *action) model.Expr { return all(a.guard...) })
}

// ordered returns what an element leads to, itself first, each before what follows it but for loops; their numbers, from 1,
// as they are met; and whether there is a loop.
func ordered(start *element, next func(e *element) []*element) (order []*element, numbers map[*element]int, loop bool) {
	numbers = map[*element]int{}
	open := map[*element]bool{}
	var visit func(e *element)
	visit = func(e *element) {
		switch {
		case e == nil:
		case numbers[e] != 0:
			loop = loop || open[e]
		default:
			numbers[e], open[e] = len(numbers)+1, true
			for _, f := range slices.Backward(next(e)) {
				visit(f)
			}
			open[e] = false
			order = append(order, e)
		}
	}
	visit(start)
	slices.Reverse(order)
	return order, numbers, loop
}

// stepCode makes the body of a d_step.
type stepCode struct {
	l       *lowering
	v       *env
	a       *action
	guarded bool // the first statement can be executed
	numbers map[*element]int
	at      *model.Var // the number of the statement at hand; nil: they stand in a row
}

// run appends the code from e on to the body of the action, and notes what there is to check in it.
func (s *stepCode) run(e *element) {
	before := s.l.asserts
	s.l.asserts = nil
	s.a.body = append(s.a.body, s.code(s.resolve(e))...)
	s.a.asserts = s.l.asserts
	s.l.asserts = append(slices.Clip(before), s.l.asserts...)
}

// resolve passes over what is no statement; nil is the end.
func (s *stepCode) resolve(e *element) *element {
	for n := 0; n < 500; n++ {
		if e == nil || e.within == 0 {
			return nil
		}
		switch e.kind {
		case sGoto:
			e = s.v.q.find(e)
		case sJoin, sBreak:
			e = e.follow()
		case sBlock:
			e = e.sub[0].frst
		case sAtomic, sDstep, sUnless, sEnd:
			fail(e.at, "this cannot stand in a d_step")
		default:
			return e
		}
	}
	fail(e.at, "gotos lead to each other without end")
	return nil
}

// after returns where a statement, or each option of a choice, goes on.
func (s *stepCode) after(e *element) []*element {
	if len(e.sub) == 0 {
		return []*element{s.resolve(e.follow())}
	}
	var to []*element
	for _, h := range e.sub {
		f := first(h.frst)
		if f.kind == sGoto || f.kind == sBlock || len(f.sub) > 0 {
			to = append(to, s.resolve(f))
		} else {
			to = append(to, s.resolve(f.follow()))
		}
	}
	return to
}

func (s *stepCode) code(start *element) (body []model.Stmt) {
	order, numbers, loop := ordered(start, s.after)
	s.numbers = numbers
	if !loop && !slices.ContainsFunc(order, func(e *element) bool { return len(e.sub) > 1 }) {
		for i, e := range order {
			body = append(body, s.statement(e, s.guarded && i == 0)...)
		}
		return body
	}
	s.at = local("at", rangeType(0, int64(len(order))))
	s.a.locals = append(s.a.locals, s.at)
	for _, e := range order {
		body = append(body, when(eq(ref(s.at), num(int64(numbers[e]))), s.statement(e, false)...))
	}
	if loop {
		s.l.p.Loops = true
		body = []model.Stmt{&model.While{Cond: not(eq(ref(s.at), num(0))), Body: body, Pos: start.at.pos}}
	}
	return append(s.goTo(start, start.at), body...)
}

// goTo goes to a statement; nil: to the end.
func (s *stepCode) goTo(e *element, p place) []model.Stmt {
	if s.at == nil {
		return nil
	}
	return []model.Stmt{assign(ref(s.at), num(int64(s.numbers[e])), p)}
}

// statement runs a statement or choice; guarded says that it is known to be executable.
func (s *stepCode) statement(e *element, guarded bool) []model.Stmt {
	l, to := s.l, s.after(e)
	blocked := func() []model.Stmt {
		return []model.Stmt{l.errs("d_step blocks", "a d_step blocks", e.at)}
	}
	next := func(i int) []model.Stmt { return s.goTo(to[i], e.at) }
	var clauses []model.Clause
	done := false // some option is always taken
	way := func(f *element, i int) {
		if polls := l.stmtPolls(f.stmt, s.v); len(f.sub) == 0 && !isFalse(polls) {
			if l.checks(checked{f.stmt, true}) {
				clauses = append(clauses, model.Clause{Cond: polls, Body: []model.Stmt{l.badPoll(f.stmt)}})
			}
		}
		switch f.kind {
		case sAssert:
			if ok := l.followable(f.stmt, s.v); ok != nil {
				clauses = append(clauses, model.Clause{Cond: not(ok), Body: l.badReference(nil, f.stmt).body})
			}
			clauses = append(clauses, model.Clause{Cond: truthOf(true), Body: append(l.checkAssert(f, s.v), next(i)...)})
			done = true
			return
		case sElse, sGoto, sBlock, sIf, sDo:
			clauses = append(clauses, model.Clause{Cond: truthOf(true), Body: next(i)})
			done = true
			return
		}
		for _, a := range l.actions(&edge{from: f, act: f}, s.v) {
			if a.object != nil {
				fail(f.at, "%s in a d_step is not supported, as it has a choice; atomic is", f.text)
			}
			s.a.locals = append(s.a.locals, a.locals...)
			g := all(a.guard...)
			if isFalse(g) {
				continue
			}
			k, ok := literal(g)
			clauses = append(clauses, model.Clause{Cond: g, Body: append(slices.Clone(a.body), next(i)...)})
			if done = ok && k != 0; done {
				return
			}
		}
	}
	if len(e.sub) == 0 {
		way(e, 0)
	} else {
		for i, h := range e.sub {
			if way(first(h.frst), i); done {
				break
			}
		}
	}
	if n := len(clauses); done {
		last := clauses[n-1].Body
		if n == 1 {
			return last
		}
		return []model.Stmt{&model.If{Clauses: clauses[:n-1], Else: last, Pos: e.at.pos}}
	}
	if guarded && len(clauses) == 1 {
		return clauses[0].Body
	}
	if len(clauses) == 0 {
		return blocked()
	}
	return []model.Stmt{&model.If{Clauses: clauses, Else: blocked(), Pos: e.at.pos}}
}

// checked is an assertion in a body, or a statement that polls a rendezvous channel. Each has a rule of its own that checks
// it: SPIN goes on behind an assertion that fails, and another one may fail there.
type checked struct {
	of   *stmt
	poll bool
}

// checks notes that there is something to check in a body, and reports whether this rule is for that.
func (l *lowering) checks(c checked) bool {
	if !slices.Contains(l.asserts, c) {
		l.asserts = append(slices.Clip(l.asserts), c)
	}
	return l.checking == c
}

// checkAssert returns the check of an assertion in a body, if this rule is for that.
func (l *lowering) checkAssert(e *element, v *env) []model.Stmt {
	if !l.checks(checked{e.stmt, false}) {
		return nil
	}
	return []model.Stmt{l.assert(e, v)}
}
