package promela

import (
	"math/bits"
	"slices"
)

// This file finds which values variables, parameters and message fields may take, and
// which channels a channel variable may name, from all assignments, whatever the order in
// which they happen. Types become that narrow. The interpreter checks each assignment
// against its type, so a mistake here would be seen.

// cell is what may be in a variable, in an array, or in a field of a struct type or of
// messages.
type cell struct {
	typ    typ
	array  bool
	known  bool // some value reaches it
	lo, hi int64
	rounds int
	groups []*group // of a chan; 0, no channel, counts as a number
}

// group is the channels that one declaration makes, or several (fuse).
type group struct {
	sym    *sym
	index  int
	init   *chanInit
	fields []*cell
	n      int  // channels, of a process
	named  bool // its channels are values of variables, not only used directly

	lay *layout
}

// rendezvous reports whether its channels hold no message.
func (g *group) rendezvous() bool { return g.init.slots == 0 }

// storage is the range of values that a variable keeps, as C stores it.
func (c *cell) storage() (lo, hi int64) {
	if c.typ.base == bBit && c.array {
		return 0, 255
	}
	return c.typ.span()
}

// join adds values to a cell, as they are when they have been stored.
func (c *cell) join(lo, hi int64) (changed bool) {
	tl, th := c.storage()
	if lo < tl || hi > th {
		lo, hi = tl, th
	}
	if c.known && lo >= c.lo && hi <= c.hi {
		return false
	}
	if !c.known {
		c.known, c.lo, c.hi = true, lo, hi
		return true
	}
	const patience = 6
	if c.rounds++; c.rounds > patience {
		if lo < c.lo {
			c.lo = tl
		}
		if hi > c.hi {
			c.hi = th
		}
		return true
	}
	c.lo, c.hi = min(c.lo, lo), max(c.hi, hi)
	return true
}

func (c *cell) name(groups []*group) (changed bool) {
	for _, g := range groups {
		if !slices.Contains(c.groups, g) {
			c.groups = append(c.groups, g)
			changed = true
		}
	}
	return changed
}

// analysis is the values of a program.
type analysis struct {
	f      *file
	groups []*group
	known  map[*sym]bool // they have their cells
	flows  []func() bool // each adds what one statement assigns, and reports a change
}

// eachStmt calls f for all statements of a sequence and inside them.
func eachStmt(stmts []*stmt, f func(*stmt)) {
	for _, s := range stmts {
		f(s)
		for _, sub := range s.subs {
			eachStmt(sub, f)
		}
	}
}

// exprs calls f for the expressions of a statement.
func (s *stmt) exprs(f func(*expr)) {
	for _, e := range append([]*expr{s.e, s.lhs, s.ch}, s.args...) {
		if e != nil {
			f(e)
		}
	}
}

// exprs calls f for the expressions of all processes.
func (f *file) exprs(do func(*expr)) {
	for _, q := range f.procs {
		if q.provided != nil {
			do(q.provided)
		}
		eachStmt(q.body, func(s *stmt) { s.exprs(do) })
	}
}

func newCell(t typ, array bool) *cell { return &cell{typ: t, array: array} }

// analyse finds the values, if processes have the numbers that their proctypes have now.
func analyse(f *file) *analysis {
	a := &analysis{f: f, known: map[*sym]bool{}}
	a.symbols(f.globals, 1)
	for _, q := range f.procs {
		a.symbols(q.locals, 1)
	}
	for _, d := range f.pools {
		a.symbols(d.fields, 2)
		zeroes(d.fields)
	}
	for _, q := range f.procs {
		for _, s := range q.params {
			if q.active > 0 {
				s.cell.join(0, 0)
			}
			if s.typ.base == bStruct || s.array {
				fail(s.at, "a parameter is a simple variable")
			}
		}
		a.sequence(q.body, facts{})
		if q.provided != nil {
			a.value(q.provided)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, flow := range a.flows {
			changed = flow() || changed
		}
	}
	return a
}

// symbols gives variables their cells and initial values.
func (a *analysis) symbols(syms []*sym, depth int) {
	for _, s := range syms {
		if a.known[s] {
			continue
		}
		a.known[s] = true
		s.cell, s.group = newCell(s.typ, s.array), nil
		if s.typ.base == bStruct {
			a.symbols(s.typ.of.fields, depth+1)
			continue
		}
		if s.ch != nil && depth > 1 { // the channels are those of variables
			s.cell.join(0, 0)
			continue
		}
		if s.ch != nil {
			var g *group
			if with := a.f.fused[s]; with != nil {
				g = with.group
			} else {
				g = &group{sym: s, index: len(a.groups), init: s.ch, named: s.write}
				for _, t := range s.ch.fields {
					g.fields = append(g.fields, newCell(t, len(s.ch.fields) == 1))
				}
				a.groups = append(a.groups, g)
			}
			s.group = g
			s.cell.groups = []*group{g}
			if s.write {
				s.cell.join(0, 0)
			}
			continue
		}
		if s.param {
			continue
		}
		if s.init == nil || s.list != nil || s.array && s.typ.base == bChan {
			s.cell.join(0, 0)
		}
		for _, v := range s.list {
			s.cell.join(v, v)
		}
		if s.init != nil {
			a.flow(s.cell, s.init, nil)
		}
	}
}

// flow notes that e is assigned to the cell.
func (a *analysis) flow(to *cell, e *expr, f facts) {
	a.value(e)
	a.flows = append(a.flows, func() bool { return a.assigned(to, e, f) })
}

// assigned adds to a cell what e may be.
func (a *analysis) assigned(to *cell, e *expr, f facts) (changed bool) {
	if to.typ.base == bChan {
		return a.chanFlow(to, e)
	}
	lo, hi, ok := boundsIn(e, f)
	return ok && to.join(lo, hi)
}

// chanFlow adds the channels that e may be.
func (a *analysis) chanFlow(to *cell, e *expr) bool {
	if e.op == opCond {
		y := a.chanFlow(to, e.y)
		return a.chanFlow(to, e.z) || y
	}
	if v := e.leaf(); v != nil && v.sym.typ.base == bChan {
		c := v.sym.cell
		changed := to.name(c.groups)
		if c.known {
			changed = to.join(c.lo, c.hi) || changed
		}
		return changed
	}
	lo, hi, ok := boundsIn(e, nil)
	if !ok {
		return false
	}
	changed := to.join(lo, hi)
	if lo != 0 || hi != 0 {
		changed = a.any(to) || changed
	}
	return changed
}

// any notes that a cell has a number that may be that of any channel: a global one, or one of a process that is a value
// somewhere. Other channels of processes have no number that a program could find out.
func (a *analysis) any(to *cell) bool {
	var all []*group
	for _, g := range a.groups {
		if g.named = g.named || g.sym.proc == nil; g.named {
			all = append(all, g)
		}
	}
	return to.name(all)
}

// value notes the channels that are values in e, and the processes that it runs.
func (a *analysis) value(e *expr) {
	switch e.op {
	case opVar:
		a.operand(e)
		if v := e.leaf(); v.sym.group != nil {
			v.sym.group.named = true
		}
	case opLen, opFull, opPoll:
		a.operand(e.x)
		for _, x := range e.args {
			switch {
			case x.op == opEval:
				a.value(x.x)
			case x.op == opVar:
				a.operand(indexed(x))
			}
		}
	case opRem:
		if e.x != nil {
			a.value(e.x)
		}
		a.value(e.y)
	case opRun:
		for i, x := range e.args {
			p := e.proc.params[i]
			a.flow(p.cell, x, nil)
		}
		if a.f.ranks {
			e.proc.rank.cell.join(e.val, e.val)
		}
	default:
		for _, x := range e.parts() {
			a.value(x)
		}
	}
}

// operand looks at the indices of a variable that is not read as a value here.
func (a *analysis) operand(e *expr) {
	indexed(e)
	for v := e; v != nil; v = v.y {
		if v.x != nil {
			a.value(v.x)
		}
	}
}

func (a *analysis) statement(s *stmt, f facts) {
	switch s.kind {
	case sCond, sAssert, sDelete:
		a.value(s.e)
	case sSync:
		for _, e := range s.args {
			a.operand(e)
			if c := e.leaf().sym.cell; s.name != "V" {
				c.join(0, 1)
			} else {
				a.flows = append(a.flows, func() bool { return c.known && c.join(0, c.hi+1) })
			}
		}
	case sPriority:
		a.value(s.args[0])
		for _, q := range a.f.procs {
			a.flow(q.rank.cell, s.args[1], f)
		}
	case sPrint:
		for _, e := range s.args { // nothing of it is in the state
			if e.has(opRun) {
				fail(e.at, "a process is run while printing")
			}
			if e.mayErr() {
				a.value(e)
			}
		}
	case sAssign:
		if s.lhs.op == opAny {
			a.value(s.e)
			return
		}
		a.operand(s.lhs)
		a.flow(s.lhs.leaf().sym.cell, s.e, f)
	case sSend:
		a.operand(s.ch)
		ch := s.ch.leaf().sym.cell
		for i, e := range s.args {
			a.value(e)
			a.flows = append(a.flows, func() bool {
				changed := false
				for _, g := range ch.groups {
					if len(g.fields) != len(s.args) {
						continue
					}
					changed = a.assigned(g.fields[i], e, f) || changed
				}
				return changed
			})
		}
	case sRecv:
		a.operand(s.ch)
		ch := s.ch.leaf().sym.cell
		for i, e := range s.args {
			switch e.op {
			case opEval:
				a.value(e.x)
				continue
			case opAny:
				continue
			}
			a.operand(e)
			to := e.leaf().sym.cell
			a.flows = append(a.flows, func() bool {
				changed := false
				for _, g := range ch.groups {
					if len(g.fields) != len(s.args) || !g.fields[i].known && len(g.fields[i].groups) == 0 {
						continue
					}
					from := g.fields[i]
					switch number := from.typ.base != bChan; {
					case to.typ.base == bChan && number:
						changed = a.any(to) || changed
					case to.typ.base == bChan:
						changed = to.name(from.groups) || changed
					case !number:
						changed = to.join(0, maxChannels) || changed
					}
					if from.known {
						changed = to.join(from.lo, from.hi) || changed
					}
				}
				return changed
			})
		}
	}
}

const maxInt, minInt = 1<<31 - 1, -1 << 31

// bounds returns the least and the greatest value of e. ok is false if some variable in
// it has no value yet.
func bounds(e *expr) (lo, hi int64, ok bool) { return boundsIn(e, nil) }

// boundsIn is bounds where facts hold.
func boundsIn(e *expr, f facts) (lo, hi int64, ok bool) {
	if v, ok := constant(e); ok {
		return v, v, true
	}
	switch e.op {
	case opVar:
		c := e.leaf().sym.cell
		if c.typ.base == bChan {
			return 0, 255, true
		}
		lo, hi, ok = c.lo, c.hi, c.known
		if l := f[e.sym]; l != nil && e.y == nil {
			lo, hi = l.clip(lo, hi)
		}
		return lo, hi, ok
	case opRem:
		return boundsIn(e.y, f)
	case opCond:
		a, b, ok1 := boundsIn(e.y, f)
		c, d, ok2 := boundsIn(e.z, f)
		if !ok1 {
			return c, d, ok2
		}
		if !ok2 {
			return a, b, ok1
		}
		return min(a, c), max(b, d), true
	case opNew:
		return 0, int64(e.of.pool), true
	case opPid:
		s := e.proc.slots
		if len(s) == 0 {
			return 0, 0, false
		}
		return int64(s[0]), int64(s[len(s)-1]), true
	case opRun:
		s := e.proc.slots
		if len(s) == 0 {
			return 0, 0, true
		}
		return 0, int64(s[len(s)-1]), true
	case opLen:
		for _, g := range e.x.leaf().sym.cell.groups {
			hi = max(hi, int64(g.init.slots), 1) // of a rendezvous while a message is passed
		}
		return 0, hi, true
	case opNrPr:
		return 0, maxProcesses, true
	case opPriority:
		return 0, 255, true
	case opUnary:
		if e.text == "!" {
			return 0, 1, true
		}
		a, b, ok := boundsIn(e.x, f)
		if e.text == "-" {
			lo, hi, _ = clip(-b, -a)
			return lo, hi, ok
		}
		return ^b, ^a, ok
	case opBinary:
		return binaryBounds(e, f)
	}
	return 0, 1, true
}

// clip returns the range of an int that may overflow.
func clip(lo, hi int64) (int64, int64, bool) {
	if lo < minInt || hi > maxInt {
		return minInt, maxInt, true
	}
	return lo, hi, true
}

// exact returns the range of a sum, difference or product of numbers from a to b and from c to d, which need not be ints.
func exact(op string, a, b, c, d int64) (lo, hi int64) {
	switch op {
	case "+":
		return a + c, b + d
	case "-":
		return a - d, b - c
	}
	return min(a*c, a*d, b*c, b*d), max(a*c, a*d, b*c, b*d)
}

func binaryBounds(e *expr, f facts) (lo, hi int64, ok bool) {
	switch e.text {
	case "<", "<=", ">", ">=", "==", "!=", "&&", "||":
		return 0, 1, true
	}
	a, b, ok1 := boundsIn(e.x, f)
	c, d, ok2 := boundsIn(e.y, f)
	if !ok1 || !ok2 {
		return 0, 0, false
	}
	switch e.text {
	case "+", "-", "*":
		return clip(exact(e.text, a, b, c, d))
	case "/":
		m := max(b, -a)
		if a >= 0 && c >= 0 {
			return 0, m, true
		}
		return clip(-m, m)
	case "%":
		m := max(d, -c) - 1
		if m < 0 { // only a division by zero
			m = 0
		}
		lo, hi = -m, m
		if a >= 0 {
			lo = 0
			hi = min(hi, b)
		} else {
			lo = max(lo, a)
		}
		if b <= 0 {
			hi = 0
		}
		return lo, max(hi, lo), true
	case "&":
		if a >= 0 && c >= 0 {
			return 0, min(b, d), true
		}
		if c >= 0 {
			return 0, d, true
		}
		if a >= 0 {
			return 0, b, true
		}
	case "|", "^":
		if a >= 0 && c >= 0 {
			return 0, 1<<bits.Len64(uint64(max(b, d))) - 1, true
		}
	case "<<":
		if a >= 0 && c >= 0 && d < 31 && b<<d <= maxInt {
			return 0, b << d, true
		}
	case ">>":
		if a >= 0 && c >= 0 && d < 32 {
			return 0, b >> c, true
		}
	}
	return minInt, maxInt, true
}
