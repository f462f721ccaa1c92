package promela

import (
	"slices"

	"orbitmc/model"
)

// Lowering: what one edge does.

// action is one way to take an edge: if the guard holds, the body runs. In a handshake the
// partner moves along its edge as well.
type action struct {
	guard   []model.Expr
	body    []model.Stmt
	locals  []*model.Var
	with    *partner
	object  *model.Param // that is made; nil: none
	fault   bool         // the body errs
	asserts []checked    // what there is to check in the body
}

// partner is the receiver in a handshake.
type partner struct {
	env  *env
	v    *model.Var // its number
	edge *edge
}

// actions returns the ways to take an edge, without what depends on other edges. If it follows a reference to
// no object, that is an error.
func (l *lowering) actions(x *edge, v *env) []*action {
	if s := x.act.stmt; s.kind != sDstep {
		if ok := l.followable(s, v); ok != nil {
			as := l.unchecked(x, v)
			for _, a := range as {
				a.guard = append([]model.Expr{ok}, a.guard...)
			}
			return append(as, l.badReference(not(ok), s))
		}
	}
	return l.unchecked(x, v)
}

// unchecked is actions where all references that are followed are to objects.
func (l *lowering) unchecked(x *edge, v *env) []*action {
	s := x.act.stmt
	switch s.kind {
	case sCond:
		if s.e.has(opRun) {
			return l.runs(s.e, v, nil, s)
		}
		return []*action{{guard: []model.Expr{l.cond(s.e, v)}}}
	case sAssign:
		if s.e.has(opRun) {
			return l.runs(s.e, v, s.lhs, s)
		}
		if s.lhs.op == opAny {
			return []*action{{body: l.evaluated(v, s.e)}}
		}
		if s.e.op == opNew {
			return l.news(s, v)
		}
		return []*action{{body: []model.Stmt{l.assign(s, v)}}}
	case sSend:
		return l.sends(s, v, x)
	case sRecv:
		return l.receives(s, v)
	case sDstep:
		return l.dstep(x, v)
	case sDelete:
		return []*action{l.deletes(s, v)}
	case sPriority:
		return []*action{l.ranks(s, v)}
	case sSync:
		return l.syncs(s, v)
	case sEnd:
		return l.ends(v)
	}
	return []*action{{body: l.evaluated(v, s.args...)}} // else, goto, assert, print, join
}

// evaluated evaluates what is printed, or assigned to _, for the errors in it alone.
func (l *lowering) evaluated(v *env, es ...*expr) (body []model.Stmt) {
	for _, e := range es {
		if e.mayErr() {
			body = append(body, &model.Put{X: l.num(e, v), Pos: e.at.pos})
		}
	}
	return body
}

// mayErr reports whether there is an index in e, or a division, that is not surely right.
func (e *expr) mayErr() bool {
	return e.any(func(x *expr) bool {
		switch {
		case x.op == opVar && x.x != nil:
			k, ok := constant(x.x)
			return !ok || k < 0 || k >= int64(x.sym.n)
		case x.op == opBinary && (x.text == "/" || x.text == "%"):
			k, ok := constant(x.y)
			return !ok || k == 0
		}
		return false
	})
}

func (l *lowering) assign(s *stmt, v *env) model.Stmt {
	x := assign(l.place(s.lhs, v), l.value(s.e, v, s.lhs.leaf().sym.cell), s.at)
	if s.lhs.leaf().sym.typ.base == bRef {
		l.lets(x)
	}
	return x
}

// ends is the last step of a process, which only the youngest one can take.
func (l *lowering) ends(v *env) []*action {
	slot := v.slot
	if v.q.index.Card() == 1 { // its number is not computed with
		slot = num(v.q.index.Lo)
	}
	a := &action{guard: []model.Expr{eq(ref(l.nrpr), plus(slot, 1))}}
	for _, g := range v.q.queues {
		if g.named && !g.rendezvous() {
			for j := range g.n {
				a.body = append(a.body, &model.Reset{X: at(ref(g.lay.v), g.lay.number(plus(l.firstNumber(g, v.slot), int64(j))))})
			}
		}
	}
	end := &model.Reset{X: v.me()}
	if slices.ContainsFunc(v.q.locals, (*sym).refers) {
		l.lets(end)
	}
	a.body = append(a.body, end, &model.Assign{LHS: sel(v.me(), 0), RHS: v.q.none()})
	a.body = append(a.body, l.nulls(v)...)
	a.body = append(a.body, &model.Assign{LHS: ref(l.nrpr), RHS: slot})
	return []*action{a}
}

// runs evaluates an expression that runs a process, and assigns it if to is not nil.
func (l *lowering) runs(e *expr, v *env, to *expr, s *stmt) []*action {
	var run *expr
	e.each(func(x *expr) {
		if x.op == opRun {
			run = x
		}
	})
	before, after := *v, *v
	before.ran, after.ran = ref(l.nrpr), plus(ref(l.nrpr), -1)
	a := &action{}
	if to == nil {
		if e != run {
			a.guard = []model.Expr{l.cond(e, &before)}
		}
	}
	a.body = l.create(run, v)
	if to != nil && to.op == opVar {
		a.body = append(a.body, assign(l.place(to, v), l.value(e, &after, to.leaf().sym.cell), s.at))
	}
	return []*action{a}
}

func (l *lowering) create(run *expr, v *env) []model.Stmt {
	q := l.procs[run.proc.index]
	full := []model.Stmt{l.errs(NoRoom, "more processes of "+q.name+" than were expected", run.at)}
	if l.probing {
		code := bin(model.Add, bin(model.Mul, ref(l.nrpr), num(wantProcs)), num(int64(q.proctype.index)))
		full = []model.Stmt{assign(ref(l.want), code, run.at), &model.Return{Pos: run.at.pos}}
	}
	if q.v == nil {
		return full
	}
	next := ref(l.nrpr)
	mine := &env{q: q, slot: next}
	if l.starts != nil { // the count of processes says nothing of them: it is known
		mine.slot = &model.Convert{X: next, To: q.index, Loose: true, Pos: run.at.pos}
	}
	body := []model.Stmt{assign(sel(mine.me(), 0), q.code(q.start), run.at)}
	for i, s := range q.params {
		x := l.value(run.args[i], v, s.cell)
		if l.starts != nil { // it is handed over, and so tied to the process
			x = &model.Convert{X: x, To: q.rec.Fields[q.fields[s]].Type, Loose: true, Pos: run.at.pos}
		}
		body = append(body, assign(sel(mine.me(), q.fields[s]), x, run.at))
	}
	body = append(body, l.initial(q, mine)...)
	if l.f.ranks {
		body = append(body, assign(l.rank(mine), num(run.val), run.at))
	}
	body = append(body, assign(next, plus(next, 1), run.at))
	var known []model.Expr
	for i := 0; i < len(q.slots); {
		k := i + 1
		for k < len(q.slots) && q.slots[k] == q.slots[k-1]+1 {
			k++
		}
		known = append(known, between(next, int64(q.slots[i]), int64(q.slots[k-1])))
		i = k
	}
	made := &model.If{Clauses: []model.Clause{{Cond: some(known...), Body: body}}, Else: full, Pos: run.at.pos}
	l.created[made] = true
	return []model.Stmt{made}
}

// initial gives the variables and channels of a process their first values.
func (l *lowering) initial(q *process, v *env) []model.Stmt {
	var body []model.Stmt
	for _, s := range q.locals {
		if s.param || s.hollow() {
			continue
		}
		if g := s.group; g != nil {
			if !g.rendezvous() {
				for j := range s.n {
					var c model.Expr
					if g.named {
						c = at(ref(g.lay.v), g.lay.number(plus(l.firstNumber(g, v.slot), s.first+int64(j))))
					} else if c = sel(v.me(), q.private[g]); s.array {
						c = at(c, num(int64(j)))
					}
					body = append(body, assign(sel(c, 0), num(0), s.at))
				}
			}
			if s.write {
				body = append(body, l.channelValues(s, sel(v.me(), q.fields[s]), g.lay.number(l.firstNumber(g, v.slot)))...)
			}
			continue
		}
		if !l.f.unset[s] {
			body = append(body, l.first(s, sel(v.me(), q.fields[s]), v)...)
		}
	}
	return body
}

// channelValues assigns the numbers of its channels to a variable.
func (l *lowering) channelValues(s *sym, x, first model.Expr) []model.Stmt {
	if !s.array {
		return []model.Stmt{assign(x, first, s.at)}
	}
	var body []model.Stmt
	for j := range s.n {
		body = append(body, assign(at(x, num(int64(j))), plus(first, int64(j)), s.at))
	}
	return body
}

// first assigns its first value to a variable; v is nil: 0 to all of it.
func (l *lowering) first(s *sym, x model.Expr, v *env) []model.Stmt {
	var body []model.Stmt
	if s.typ.base == bStruct {
		if s.array {
			return []model.Stmt{forEach(x.Type().Index, func(i model.Expr) []model.Stmt {
				return l.first(s.element(), at(x, i), v)
			})}
		}
		for _, f := range s.typ.of.stored() {
			body = append(body, l.first(f, sel(x, f.field), v)...)
		}
		return body
	}
	e := num(0)
	if s.init != nil && v != nil {
		e = l.value(s.init, v, s.cell)
	}
	if !s.array {
		return []model.Stmt{assign(x, e, s.at)}
	}
	from := 0
	if n := len(s.list); n > 0 && v != nil { // the last one is for all others
		for j, k := range s.list[:min(n-1, s.n)] {
			body = append(body, assign(at(x, num(int64(j))), s.cell.stored(num(k), k, k), s.at))
		}
		from = n - 1
		e = s.cell.stored(num(s.list[from]), s.list[from], s.list[from])
	}
	if from >= s.n {
		return body
	}
	d := model.Domain{Type: x.Type().Index}
	if from > 0 {
		d.From, d.To = num(int64(from)), num(int64(s.n-1))
	}
	return append(body, forIn("i", d, func(i model.Expr) []model.Stmt { return []model.Stmt{assign(at(x, i), e, s.at)} }))
}

// badChannel is the action of an operation on a channel that does not exist, or takes
// other messages.
func (l *lowering) badChannel(is model.Expr, s *stmt) *action {
	return l.fault(is, s, "channel use", "no such channel, or other messages")
}

// eachUse calls f for the channels that an operation may be on, and adds the action of a
// wrong one.
func (l *lowering) eachUse(s *stmt, v *env, f func(c *channelUse) []*action) []*action {
	uses := l.uses(s.ch, v)
	var as []*action
	none := []model.Expr{}
	for _, c := range uses {
		if len(c.g.fields) != len(s.args) {
			if c.direct {
				fail(s.at, "messages of %s have %d fields, not %d", c.g.sym.name, len(c.g.fields), len(s.args))
			}
			as = append(as, l.badChannel(c.test(), s))
		} else {
			as = append(as, f(c)...)
		}
		none = append(none, not(c.test()))
	}
	if x := all(none...); len(uses) == 0 || !isFalse(x) {
		as = append(as, l.badChannel(x, s))
	}
	return as
}

func (l *lowering) sends(s *stmt, v *env, x *edge) []*action {
	return l.eachUse(s, v, func(c *channelUse) []*action {
		if c.g.rendezvous() {
			if x.act.within > 0 {
				fail(s.at, "a send to a rendezvous channel in a d_step")
			}
			return l.handshakes(s, c, v, x.to)
		}
		n := c.g.init.slots
		length := sel(c.rec, 0)
		a := &action{guard: []model.Expr{c.is, bin(model.Lt, length, num(int64(n)))}}
		to := at(sel(c.rec, 1), length)
		if s.mode&sorted != 0 && n > 1 {
			p := local("position", rangeType(0, int64(n)))
			a.locals = append(a.locals, p)
			a.body = append(a.body, l.position(c, s, v, p)...)
			for k := n - 1; k > 0; k-- { // make room
				up := &model.Assign{LHS: c.message(k), RHS: c.message(k - 1)}
				a.body = append(a.body, when(bin(model.Gt, num(int64(k)), ref(p)), up))
			}
			to = at(sel(c.rec, 1), ref(p))
		}
		for i, e := range s.args {
			a.body = append(a.body, assign(sel(to, i), l.value(e, v, c.g.fields[i]), s.at))
		}
		a.body = append(a.body, assign(length, plus(length, 1), s.at))
		return []*action{a}
	})
}

// position assigns to p where a sorted send puts its message: before the first that is
// greater.
func (l *lowering) position(c *channelUse, s *stmt, v *env, p *model.Var) []model.Stmt {
	body := []model.Stmt{assign(ref(p), sel(c.rec, 0), s.at)}
	for k := c.g.init.slots - 1; k >= 0; k-- {
		less := truthOf(false)
		for i, e := range slices.Backward(s.args) {
			x, y := l.num(e, v), sel(c.message(k), i)
			less = some(bin(model.Lt, x, y), all(bin(model.Eq, x, y), less))
		}
		here := all(bin(model.Lt, num(int64(k)), sel(c.rec, 0)), less)
		body = append(body, when(here, assign(ref(p), num(int64(k)), s.at)))
	}
	return body
}

// receives returns the ways to receive from a channel with messages.
func (l *lowering) receives(s *stmt, v *env) []*action {
	return l.eachUse(s, v, func(c *channelUse) []*action {
		if c.g.rendezvous() {
			if s.mode&peek != 0 {
				fail(s.at, "a rendezvous channel holds no message that could stay")
			}
			return nil // the sender does it
		}
		a := &action{guard: []model.Expr{c.is, l.hasMessage(c, s.args, s.mode, v)}}
		n := c.g.init.slots
		msg := c.message(0)
		var p *model.Var
		if s.mode&random != 0 && matches(s.args) && n > 1 {
			p = local("position", rangeType(0, int64(n-1)))
			a.locals = append(a.locals, p)
			for k := n - 1; k >= 0; k-- {
				a.body = append(a.body, when(c.holds(k, l.fits(c.message(k), s.args, v)), assign(ref(p), num(int64(k)), s.at)))
			}
			msg = at(sel(c.rec, 1), ref(p))
		}
		for i, e := range s.args {
			if e.op == opVar {
				x := sel(msg, i)
				a.body = append(a.body, assign(l.place(e, v), e.leaf().sym.cell.stored(x, x.Type().Lo, x.Type().Hi), s.at))
			}
		}
		if s.mode&peek == 0 {
			for k := range n - 1 {
				shift := model.Stmt(&model.Assign{LHS: c.message(k), RHS: c.message(k + 1)})
				if p != nil {
					shift = when(bin(model.Ge, num(int64(k)), ref(p)), shift)
				}
				a.body = append(a.body, shift)
			}
			a.body = append(a.body, &model.Reset{X: c.message(n - 1)}, assign(sel(c.rec, 0), plus(sel(c.rec, 0), -1), s.at))
		}
		return []*action{a}
	})
}

// handshakes returns the ways to pass a message directly, after which the sender is at an element: one for each place where it
// may be received.
func (l *lowering) handshakes(s *stmt, c *channelUse, v *env, to *element) []*action {
	var as []*action
	for _, r := range l.present() {
		for _, loc := range r.locs {
			if l.rest != nil && !l.rest[loc] {
				continue
			}
			for _, x := range loc.edges {
				k := bound("receiver", r.index, x.act.at)
				w := &env{q: r, slot: ref(k)}
				for _, in := range accepts(x) {
					if in.mode&peek != 0 || len(in.args) != len(s.args) {
						continue
					}
					if l.followable(in.stmt, &env{q: r, slot: num(0)}) != nil {
						fail(in.at, "a rendezvous that is received through a reference is not supported")
					}
					for _, d := range l.uses(in.ch, w) {
						if d.g != c.g {
							continue
						}
						o := &offer{s: s, c: c, by: v, to: to}
						for i, e := range s.args {
							o.values = append(o.values, l.value(e, v, c.g.fields[i]))
						}
						if a := l.handshake(o, v, x, in, d, w, k); a != nil {
							as = append(as, a)
						}
					}
				}
			}
		}
	}
	return as
}

// offer is a message that is sent to a rendezvous channel.
type offer struct {
	s      *stmt
	c      *channelUse
	values []model.Expr
	by     *env     // the sender
	to     *element // it is there already
}

// takes are the conditions under which a receive takes an offer, if it is from a channel of the group of d.
func (l *lowering) takes(in *stmt, o *offer, d *channelUse, w *env) []model.Expr {
	conds := []model.Expr{d.is, eq(o.c.number, d.number)}
	for i, e := range in.args {
		if e.op == opEval {
			conds = append(conds, eq(o.values[i], l.num(e.x, w)))
		}
	}
	return conds
}

// taken tests whether an edge takes an offer, with a receive that is tried before in; nil: any of its receives.
func (l *lowering) taken(x *edge, in *element, o *offer, w *env) model.Expr {
	ways := []model.Expr{}
	for _, f := range accepts(x) {
		if f == in {
			break
		}
		if f.mode&peek != 0 || len(f.args) != len(o.s.args) {
			continue
		}
		for _, d := range l.uses(f.ch, w) {
			if d.g == o.c.g {
				ways = append(ways, all(l.takes(f.stmt, o, d, w)...))
			}
		}
	}
	return some(ways...)
}

// handshake is the action in which the process w takes an offer of v along its edge x, which begins with the receive in
// from a channel of the group of d. Escapes of w that take the offer come first, and so do receives that a d_step tries
// before in.
func (l *lowering) handshake(o *offer, v *env, x *edge, in *element, d *channelUse, w *env, k *model.Var) *action {
	a := &action{with: &partner{w, k, x}}
	before := *w // while the message is in the channel
	before.offer = o
	add := func(es ...model.Expr) {
		for _, e := range es {
			if b, ok := literal(e); e != nil && !(ok && b != 0) {
				a.guard = append(a.guard, e)
			}
		}
	}
	add(o.c.is, l.isAt(w, x.from))
	if v.q == w.q {
		add(not(eq(ref(k), v.slot)))
	}
	add(l.takes(in.stmt, o, d, &before)...)
	if slices.ContainsFunc(a.guard, isFalse) {
		return nil
	}
	for _, y := range x.from.edges {
		if y == x {
			break
		}
		if y.escape != nil && y.escape != x.escape {
			add(not(l.taken(y, nil, o, &before)))
		}
	}
	add(not(l.taken(x, in, o, &before)), l.provided(&before))
	if slices.ContainsFunc(a.guard, isFalse) {
		return nil
	}
	l.receive(a, o, in.stmt, w)
	if x.act.kind == sDstep {
		orderly(x, in)
		(&stepCode{l: l, v: w, a: a}).run(in.follow())
	}
	return a
}

// receive assigns the values of an offer to the variables of a receive.
func (l *lowering) receive(a *action, o *offer, in *stmt, w *env) {
	values := slices.Clone(o.values)
	type span struct{ lo, hi int64 }
	spans := make([]span, len(values))
	for i, e := range o.s.args {
		lo, hi, ok := bounds(e)
		tl, th := o.c.g.fields[i].storage()
		if !ok || lo < tl || hi > th {
			lo, hi = tl, th
		}
		spans[i] = span{lo, hi}
	}
	later := false // some variable is written before a value is read
	for i, e := range in.args {
		later = later || e.op == opVar && e.sym.proc == nil && i+1 < len(values)
	}
	if later {
		for i := range values {
			if _, ok := literal(values[i]); !ok && in.args[i].op == opVar {
				t := local("value", rangeType(spans[i].lo, spans[i].hi))
				a.locals = append(a.locals, t)
				a.body = append(a.body, assign(ref(t), values[i], o.s.at))
				values[i] = ref(t)
			}
		}
	}
	for i, e := range in.args {
		if e.op == opVar {
			a.body = append(a.body, assign(l.place(e, w), e.leaf().sym.cell.stored(values[i], spans[i].lo, spans[i].hi), in.at))
		}
	}
}

// provided is the condition that a proctype gives for its processes to run at all; nil: none.
func (l *lowering) provided(v *env) model.Expr {
	if v.q.proctype.provided == nil {
		return nil
	}
	return l.watched(v.q.proctype.provided, v)
}

// enabled tests whether an edge can be taken by a process that is at its location.
func (l *lowering) enabled(x *edge, v *env) model.Expr {
	can := someOf(l.actions(x, v), func(a *action) model.Expr {
		g := all(a.guard...)
		if a.with != nil {
			t := a.with.env.q.index
			g = &model.Quant{Var: a.with.v, Domain: model.Domain{Type: t}, Body: g}
		}
		if a.object != nil {
			g = &model.Quant{Var: a.object.Var, Domain: a.object.Domain, Body: g}
		}
		return g
	})
	return all(l.precedence(x, v), can)
}

// canMove tests whether a process at e can go on, if no other one is first.
func (l *lowering) canMove(e *element, v *env) model.Expr {
	can := someOf(e.edges, func(x *edge) model.Expr { return l.enabled(x, v) })
	return all(l.provided(v), can)
}
