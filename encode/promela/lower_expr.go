package promela

import (
	"cmp"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Lowering: expressions and channels. Numbers are computed as C computes its int: a result
// that may overflow is wrapped to 32 bits.

// env is whose variables an expression means.
type env struct {
	q       *process
	slot    model.Expr // its number
	timeout model.Expr // what timeout means here; nil: false
	ran     model.Expr // the number of the process that the expression runs
	offer   *offer     // a message that is being passed, which is in its channel; nil: none
}

// me is the record of the process whose variables are meant.
func (e *env) me() model.Expr { return at(ref(e.q.v), e.slot) }

// fits tests whether the number is one that processes of the proctype may have.
func (e *env) fits() model.Expr { return between(e.slot, e.q.index.Lo, e.q.index.Hi) }

// absent tests whether there is no process of a number that fits.
func (e *env) absent() model.Expr { return eq(sel(e.me(), 0), e.q.none()) }

// exists tests whether there is one; nil: there is.
func (e *env) exists() model.Expr {
	if !e.q.gone {
		return nil
	}
	return not(e.absent())
}

// none is the location of a process that is not there.
func (p *process) none() model.Expr { return &model.ConstExpr{T: p.pc} }

// place returns the designator of a variable.
func (l *lowering) place(e *expr, v *env) model.Expr {
	s := e.sym
	var x model.Expr
	if s.proc == nil {
		g := l.vars[s]
		if g == nil {
			fail(e.at, "%s cannot be used so", s.name)
		}
		x = ref(g)
	} else {
		if v.q == nil || v.q.proctype != s.proc {
			fail(e.at, "%s belongs to another process", s.name)
		}
		field, ok := v.q.fields[s]
		if !ok {
			fail(e.at, "%s cannot be used so", s.name)
		}
		x = sel(v.me(), field)
	}
	for {
		if e.sym.array {
			x = &model.IndexSel{X: x, Index: l.num(e.x, v), Pos: e.at.pos}
		}
		if e.y == nil {
			return x
		}
		if e.sym.typ.base == bRef {
			x = l.object(e.sym.typ.of, x)
			e = e.y
			x = sel(x, e.sym.field+1)
			continue
		}
		e = e.y
		x = sel(x, e.sym.field)
	}
}

// cond returns e as a truth value.
func (l *lowering) cond(e *expr, v *env) model.Expr {
	if k, ok := constant(e); ok {
		return truthOf(k != 0)
	}
	switch e.op {
	case opUnary:
		if e.text == "!" {
			return not(l.cond(e.x, v))
		}
	case opBinary:
		switch e.text {
		case "&&":
			return all(l.cond(e.x, v), l.cond(e.y, v))
		case "||":
			return some(l.cond(e.x, v), l.cond(e.y, v))
		case "==", "!=", "<", "<=", ">", ">=":
			op := map[string]model.Op{"==": model.Eq, "!=": model.Ne, "<": model.Lt, "<=": model.Le, ">": model.Gt, ">=": model.Ge}[e.text]
			x, y := l.num(e.x, v), l.num(e.y, v)
			a, ok := literal(x)
			b, ok2 := literal(y)
			if ok && ok2 {
				return truthOf(binary(e.text, a, b) != 0)
			}
			return &model.Binary{Op: op, X: x, Y: y, Pos: e.at.pos}
		}
	case opCond:
		return choose(l.cond(e.x, v), l.cond(e.y, v), l.cond(e.z, v))
	case opTimeout:
		return cmp.Or(v.timeout, truthOf(false))
	case opFull:
		return l.full(e, v)
	case opPoll:
		return l.poll(e, v)
	case opAt:
		return l.atLabel(e, v)
	}
	x := l.num(e, v)
	if k, ok := literal(x); ok {
		return truthOf(k != 0)
	}
	return bin(model.Ne, x, num(0))
}

// num returns e as a number.
func (l *lowering) num(e *expr, v *env) model.Expr {
	if k, ok := constant(e); ok {
		return num(k)
	}
	switch e.op {
	case opVar:
		if g := e.leaf().sym.group; g != nil && !e.leaf().sym.write {
			return l.channelNumber(e, g, v)
		}
		return l.place(e, v)
	case opPid:
		return v.slot
	case opPriority:
		return l.rankOf(l.num(e.x, v))
	case opNrPr:
		if l.nrpr == nil {
			return num(int64(l.total))
		}
		return ref(l.nrpr)
	case opRun:
		return v.ran
	case opLen:
		return l.asked(e, v, num(0), func(c *channelUse) model.Expr {
			if c.g.rendezvous() {
				return num(1)
			}
			return sel(c.rec, 0)
		})
	case opRem:
		if l.procs[e.proc.index].v == nil {
			return num(0)
		}
		o := l.other(e, v)
		return choose(all(o.fits(), o.exists()), l.place(e.y, o), num(0)) // a variable of no process is 0
	case opCond:
		return choose(l.cond(e.x, v), l.num(e.y, v), l.num(e.z, v))
	case opUnary:
		switch e.text {
		case "-":
			lo, _, ok := bounds(e.x)
			x := model.Negative(l.num(e.x, v), e.at.pos)
			if ok && lo > minInt {
				return x
			}
			return wrap(x)
		case "~":
			return model.Complement(l.num(e.x, v), e.at.pos)
		}
	case opBinary:
		if op, ok := arithmetic[e.text]; ok {
			x := &model.Binary{Op: op, X: l.num(e.x, v), Y: l.num(e.y, v), Pos: e.at.pos}
			if overflows(e) {
				return wrap(x)
			}
			return x
		}
	}
	if e.op == opAny {
		fail(e.at, "_ has no value")
	}
	return choose(l.cond(e, v), num(1), num(0))
}

var arithmetic = map[string]model.Op{"+": model.Add, "-": model.Sub, "*": model.Mul, "/": model.Div, "%": model.Mod,
	"&": model.BitAnd, "|": model.BitOr, "^": model.BitXor, "<<": model.Shl, ">>": model.Shr}

// overflows reports whether a result may be no int.
func overflows(e *expr) bool {
	a, b, _ := bounds(e.x)
	c, d, _ := bounds(e.y)
	switch e.text {
	case "+", "-", "*":
		lo, hi := exact(e.text, a, b, c, d)
		return lo < minInt || hi > maxInt
	case "<<":
		return a < 0 || c < 0 || d >= 31 || b<<d > maxInt
	case "/":
		return a == minInt && c <= -1
	}
	return false
}

// wrap makes a number an int of 32 bits.
func wrap(x model.Expr) model.Expr { return signed(x, 32) }

func signed(x model.Expr, bits int) model.Expr {
	half := int64(1) << (bits - 1)
	return plus(bin(model.BitAnd, plus(x, half), num(2*half-1)), -half)
}

// stored returns x, from lo to hi, as a cell keeps it.
func (c *cell) stored(x model.Expr, lo, hi int64) model.Expr {
	tl, th := c.storage()
	if tl <= lo && hi <= th {
		return x
	}
	if k, ok := literal(x); ok {
		switch c.typ.base {
		case bShort:
			return num(int64(int16(k)))
		case bInt:
			return num(int64(int32(k)))
		}
		return num(k & th)
	}
	switch c.typ.base {
	case bShort:
		return signed(x, 16)
	case bInt:
		return wrap(x)
	}
	return bin(model.BitAnd, x, num(th))
}

// value returns e as the cell keeps it.
func (l *lowering) value(e *expr, v *env, c *cell) model.Expr {
	lo, hi, ok := bounds(e)
	if !ok {
		lo, hi = minInt, maxInt
	}
	return c.stored(l.num(e, v), lo, hi)
}

// other is the process that a remote reference names; some may run.
func (l *lowering) other(e *expr, v *env) *env {
	q := l.procs[e.proc.index]
	slot := num(int64(q.slots[0]))
	if e.x != nil {
		slot = l.num(e.x, v)
	}
	return &env{q: q, slot: slot}
}

func (l *lowering) atLabel(e *expr, v *env) model.Expr {
	q := l.procs[e.proc.index]
	el := q.marked[q.seen(e.text)]
	if el == nil {
		fail(e.at, "%s has no label %s", q.name, e.text)
	}
	if q.v == nil || el.number == 0 {
		return truthOf(false)
	}
	o := l.other(e, v)
	is := l.isAt(o, el)
	if v.offer != nil && v.offer.by.q == q {
		is = choose(eq(o.slot, v.offer.by.slot), truthOf(v.offer.to.number == el.number), is)
	}
	return all(o.fits(), is)
}

// code returns the value of a location.
func (p *process) code(e *element) model.Expr {
	n := int64(e.number)
	if !p.gone {
		n--
	}
	return &model.ConstExpr{Value: n, T: p.pc}
}

// isAt tests where a process is.
func (l *lowering) isAt(v *env, e *element) model.Expr { return eq(sel(v.me(), 0), v.q.code(e)) }

// isAtLabel tests whether a process is at a label of a kind.
func (l *lowering) isAtLabel(v *env, as labels) model.Expr {
	var at []model.Expr
	for _, e := range v.q.locs {
		if e.named&as != 0 {
			at = append(at, l.isAt(v, e))
		}
	}
	return some(at...)
}

// channelNumber returns the number of a channel that is named in the source.
func (l *lowering) channelNumber(e *expr, g *group, v *env) model.Expr {
	i := num(0)
	s := e.leaf().sym
	if s.array {
		i = l.num(e.x, v)
	}
	if g.lay.of == nil {
		return g.lay.number(plus(i, s.first))
	}
	first := plus(l.firstNumber(g, v.slot), s.first)
	if k, ok := literal(i); ok {
		return g.lay.number(plus(first, k))
	}
	return bin(model.Add, first, i)
}

// number returns a number that is computed as the number of a channel. Processes, indices and channels
// count each for itself: that their numbers meet says nothing of any of them.
func (lay *layout) number(x model.Expr) model.Expr {
	if _, ok := literal(x); ok {
		return x
	}
	return &model.Convert{X: x, To: rangeType(lay.lo, lay.hi)}
}

// firstNumber returns the number of the first channel of a group that a process has.
func (l *lowering) firstNumber(g *group, slot model.Expr) model.Expr {
	first := l.leastNumber(g, slot)
	at, known := literal(slot)
	for _, u := range l.uneven {
		if more := l.more(u); !known {
			first = bin(model.Add, first, choose(bin(model.Gt, slot, num(int64(u.pid))), more, num(0)))
		} else if at > int64(u.pid) {
			first = bin(model.Add, first, more)
		}
	}
	return first
}

// more is how many channels more than the least a process has that has such a number.
func (l *lowering) more(u uneven) model.Expr {
	slot, r := num(int64(u.pid)), num(0)
	for _, q := range l.procs {
		if slices.Contains(q.slots, u.pid) && q.nq > u.least {
			r = choose(all((&env{q: q, slot: slot}).exists()), num(int64(q.nq-u.least)), r)
		}
	}
	return r
}

// leastNumber is firstNumber where all processes below have as few channels as they may.
func (l *lowering) leastNumber(g *group, slot model.Expr) model.Expr {
	slots := g.lay.of.slots
	if k, ok := literal(slot); ok {
		return num(g.lay.ids[int(k)])
	}
	s0 := slots[0]
	n0 := g.lay.ids[s0]
	step, linear := int64(0), true
	for _, s := range slots[1:] {
		d := (g.lay.ids[s] - n0) / int64(s-s0)
		step = cmp.Or(step, d)
		linear = linear && d == step && n0+step*int64(s-s0) == g.lay.ids[s]
	}
	switch {
	case len(slots) == 1:
		return num(n0)
	case linear && step == 1:
		return plus(slot, n0-int64(s0))
	case linear:
		return plus(bin(model.Mul, slot, num(step)), n0-step*int64(s0))
	}
	r := num(g.lay.ids[slots[len(slots)-1]])
	for _, s := range slices.Backward(slots[:len(slots)-1]) {
		r = choose(eq(slot, num(int64(s))), num(g.lay.ids[s]), r)
	}
	return r
}

// channelUse is one group that a channel may belong to.
type channelUse struct {
	g      *group
	is     model.Expr // that it does; nil: it surely does
	rec    model.Expr // the channel; nil for a rendezvous
	number model.Expr
	direct bool // it is a channel named in the source
}

func (c *channelUse) test() model.Expr { return cmp.Or(c.is, truthOf(true)) }

// uses returns the groups that the channel e may belong to.
func (l *lowering) uses(e *expr, v *env) []*channelUse {
	s := e.leaf().sym
	if g := s.group; g != nil && !s.write {
		c := &channelUse{g: g, direct: true}
		if g.named || g.rendezvous() {
			c.number = l.channelNumber(e, g, v)
		}
		switch lay := g.lay; {
		case g.rendezvous():
		case lay.of != nil && !g.named:
			c.rec = sel(v.me(), v.q.private[g])
			if s.array {
				c.rec = &model.IndexSel{X: c.rec, Index: l.num(e.x, v), Pos: e.at.pos}
			}
		case lay.index == nil:
			c.rec = ref(lay.v)
		case !g.named:
			c.rec = &model.IndexSel{X: ref(lay.v), Index: l.num(e.x, v), Pos: e.at.pos}
		default:
			c.rec = &model.IndexSel{X: ref(lay.v), Index: c.number, Pos: e.at.pos}
		}
		return []*channelUse{c}
	}
	cell := s.cell
	x := l.place(e, v)
	var uses []*channelUse
	for _, g := range cell.groups {
		c := &channelUse{g: g, number: x}
		if len(cell.groups) > 1 || cell.known || !g.lay.disjoint {
			c.is = between(x, g.lay.lo, g.lay.hi)
		}
		if !g.rendezvous() {
			c.rec = &model.IndexSel{X: ref(g.lay.v), Index: x, Pos: e.at.pos}
		}
		if !g.lay.disjoint {
			if g.rendezvous() {
				c.is = all(c.is, l.hasChannel(g, x))
			} else {
				c.is = all(c.is, not(undefined(sel(c.rec, 0))))
			}
		}
		uses = append(uses, c)
	}
	return uses
}

// hasChannel tests whether a number is that of a channel that a process has in a group.
func (l *lowering) hasChannel(g *group, x model.Expr) model.Expr {
	var ways []model.Expr
	for _, s := range g.lay.of.slots {
		v := &env{q: g.lay.of, slot: num(int64(s))}
		first := l.firstNumber(g, v.slot)
		if n, ok := literal(first); ok {
			ways = append(ways, all(between(x, n, n+int64(g.n)-1), v.exists()))
			continue
		}
		is := lists.Make(g.n, func(j int) model.Expr { return eq(x, plus(first, int64(j))) })
		ways = append(ways, all(v.exists(), some(is...)))
	}
	return some(ways...)
}

// asked is what an expression says of the channel that it is about; of no channel, and of a rendezvous on which no message is
// being passed, it says none.
func (l *lowering) asked(e *expr, v *env, none model.Expr, says func(c *channelUse) model.Expr) model.Expr {
	for _, c := range slices.Backward(l.uses(e.x, v)) {
		if len(e.args) > len(c.g.fields) {
			fail(e.at, "messages of %s have %d fields, not %d", c.g.sym.name, len(c.g.fields), len(e.args))
		}
		switch {
		case !c.g.rendezvous():
			none = choose(c.test(), says(c), none)
		case v.offer != nil && v.offer.c.g == c.g:
			none = choose(all(c.test(), eq(c.number, v.offer.c.number)), says(c), none)
		}
	}
	return none
}

// full returns full, empty, nfull or nempty.
func (l *lowering) full(e *expr, v *env) model.Expr {
	return l.asked(e, v, truthOf(e.text == "nfull" || e.text == "empty"), func(c *channelUse) model.Expr {
		if c.g.rendezvous() {
			return truthOf(e.text == "full" || e.text == "nempty")
		}
		limit := num(0)
		if e.text == "full" || e.text == "nfull" {
			limit = num(int64(c.g.init.slots))
		}
		x := eq(sel(c.rec, 0), limit)
		if e.text[0] == 'n' {
			x = not(x)
		}
		return x
	})
}

// poll returns c?[…]. Fields for which there is no argument are not compared, as in SPIN.
func (l *lowering) poll(e *expr, v *env) model.Expr {
	return l.asked(e, v, truthOf(false), func(c *channelUse) model.Expr {
		if c.g.rendezvous() {
			return truthOf(false)
		}
		return l.hasMessage(c, e.args, e.mode, v)
	})
}

// polls tests whether e is evaluated by polling a rendezvous channel, which says no for all messages, and is an error.
func (l *lowering) polls(e *expr, v *env) model.Expr {
	none := l.throughout(e, v, func(e *expr) bool { return e.has(opPoll) }, func(e *expr) model.Expr {
		if e.op == opVar {
			return not(l.polls(e.x, v)) // an index; fields have none
		}
		var xs []model.Expr
		for _, c := range l.uses(e.x, v) {
			if c.g.rendezvous() {
				xs = append(xs, not(c.test()))
			}
		}
		return all(xs...)
	})
	if none == nil {
		return truthOf(false)
	}
	return not(none)
}

// watched is a condition that is read where no statement is that could err: it polls no rendezvous channel.
func (l *lowering) watched(e *expr, v *env) model.Expr {
	if !isFalse(l.polls(e, v)) {
		fail(e.at, "a poll of a rendezvous channel, which says no for all messages, is an error in SPIN")
	}
	return l.cond(e, v)
}

// stmtPolls is polls of a basic statement.
func (l *lowering) stmtPolls(s *stmt, v *env) model.Expr {
	ways := []model.Expr{}
	s.exprs(func(e *expr) { ways = append(ways, l.polls(e, v)) })
	return some(ways...)
}

// edgePolls is polls of the statement of an edge, or of what decides whether a d_step begins.
func (l *lowering) edgePolls(x *edge, v *env) model.Expr {
	if x.act.kind != sDstep {
		return l.stmtPolls(x.act.stmt, v)
	}
	hs, _ := heads(x.act.sub[0])
	ways, before := []model.Expr{}, []model.Expr{}
	for _, e := range hs {
		if e.kind == sCond || e.kind == sSend || e.kind == sRecv {
			ways = append(ways, all(append(slices.Clone(before), l.stmtPolls(e.stmt, v))...))
			before = append(before, not(l.can(e, v)))
		}
	}
	return some(ways...)
}

// firstPolls is edgePolls where no other edge comes first. SPIN looks at all processes while there is no timeout, and
// then while there is one.
func (l *lowering) firstPolls(x *edge, v *env) model.Expr {
	early := *v
	early.timeout = nil
	ways := []model.Expr{}
	for _, w := range []*env{&early, v} {
		if polls := l.edgePolls(x, w); !isFalse(polls) && (w == &early || v.timeout != nil) {
			ways = append(ways, all(l.precedence(x, w), polls))
		}
	}
	return some(ways...)
}

// polled is the property of polls of rendezvous channels.
const polled = "rendezvous poll"

// badPoll errs where a rendezvous channel is polled.
func (l *lowering) badPoll(s *stmt) model.Stmt {
	return l.errs(polled, s.text+": a rendezvous channel is polled", s.at)
}

// matches reports whether the arguments of a receive compare anything.
func matches(args []*expr) bool {
	return slices.ContainsFunc(args, func(a *expr) bool { return a.op == opEval })
}

func (c *channelUse) message(k int) model.Expr { return at(sel(c.rec, 1), num(int64(k))) }

// holds tests whether there is a message number k for which a condition holds.
func (c *channelUse) holds(k int, cond model.Expr) model.Expr {
	return all(bin(model.Gt, sel(c.rec, 0), num(int64(k))), cond)
}

// hasMessage tests whether a message can be received.
func (l *lowering) hasMessage(c *channelUse, args []*expr, m mode, v *env) model.Expr {
	if m&random == 0 || !matches(args) {
		return c.holds(0, l.fits(c.message(0), args, v))
	}
	var any []model.Expr
	for k := range c.g.init.slots {
		any = append(any, c.holds(k, l.fits(c.message(k), args, v)))
	}
	return some(any...)
}

// fits tests whether a message has the values that a receive wants.
func (l *lowering) fits(msg model.Expr, args []*expr, v *env) model.Expr {
	var xs []model.Expr
	for i, a := range args {
		if a.op == opEval {
			xs = append(xs, eq(sel(msg, i), l.num(a.x, v)))
		}
	}
	return all(xs...)
}
