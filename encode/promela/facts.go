package promela

import (
	"maps"
)

// Facts are what conditions say of the variables of a process where a statement runs: in
// `i < N; i++` the new value of i is at most N. Nobody else writes these variables, so
// what a condition says holds until the process itself writes them. Where a jump may come
// in, nothing is known.

// facts are limits by variable.
type facts map[*sym]*limit

// limit is a greatest and a least value: that of an expression, plus a number.
type limit struct {
	least, most     *expr // nil: none
	fromLeast, plus int64
}

// clip cuts a range to the limit.
func (l *limit) clip(lo, hi int64) (int64, int64) {
	if l.most != nil {
		if _, m, ok := bounds(l.most); ok {
			hi = min(hi, m+l.plus)
		}
	}
	if l.least != nil {
		if m, _, ok := bounds(l.least); ok {
			lo = max(lo, m+l.fromLeast)
		}
	}
	if lo > hi { // the statement is not reached
		hi = lo
	}
	return lo, hi
}

// own reports whether e is a simple variable of a process.
func own(e *expr) bool {
	return e.op == opVar && e.sym.proc != nil && !e.sym.array && e.y == nil && e.sym.typ.base != bStruct && e.sym.typ.base != bChan && e.sym.typ.base != bRef
}

// learn adds what follows from e.
func (f facts) learn(e *expr) {
	if e.op != opBinary {
		return
	}
	switch x, y := e.x, e.y; e.text {
	case "&&":
		f.learn(x)
		f.learn(y)
	case "<":
		f.order(x, 1, y)
	case "<=":
		f.order(x, 0, y)
	case ">":
		f.order(y, 1, x)
	case ">=":
		f.order(y, 0, x)
	case "==":
		f.order(x, 0, y)
		f.order(y, 0, x)
	}
}

// order adds that x + d <= y.
func (f facts) order(x *expr, d int64, y *expr) {
	if l := f.limit(x, y); l != nil {
		l.most, l.plus = y, -d
	}
	if l := f.limit(y, x); l != nil {
		l.least, l.fromLeast = x, d
	}
}

// limit returns the limit of a variable, which is to be changed as it is compared with e; nil: there is none.
func (f facts) limit(v, e *expr) *limit {
	if !own(v) || e.has(opRun) {
		return nil
	}
	l := limit{}
	if old := f[v.sym]; old != nil {
		l = *old
	}
	f[v.sym] = &l
	return &l
}

// drop forgets what the statements of a sequence may change, or all if a jump may lead
// into it.
func (f facts) drop(stmts []*stmt) {
	eachStmt(stmts, func(s *stmt) {
		if s.kind == sLabel {
			clear(f)
		}
		for _, v := range s.writes() {
			delete(f, v)
		}
	})
}

// sequence looks at the statements of a sequence, at whose beginning f holds, and leaves
// in f what holds at its end.
func (a *analysis) sequence(stmts []*stmt, f facts) {
	for _, s := range stmts {
		a.statement(s, maps.Clone(f))
		switch s.kind {
		case sCond:
			f.learn(s.e)
		case sAssign, sRecv:
			f.drop(one(s))
		case sGoto:
			clear(f)
		case sLabel:
			clear(f)
			a.sequence(s.subs[0], f)
			clear(f)
		case sAtomic, sDstep, sBlock:
			a.sequence(s.subs[0], f)
		case sUnless:
			a.sequence(s.subs[0], facts{})
			a.sequence(s.subs[1], facts{})
			clear(f)
		case sIf, sDo:
			if s.kind == sDo {
				f.drop(one(s))
			}
			for _, opt := range s.subs {
				a.sequence(opt, maps.Clone(f))
			}
			f.drop(one(s))
		}
	}
}

// writes returns the variables of its process that a statement surely assigns.
func (s *stmt) writes() (all []*sym) {
	switch s.kind {
	case sAssign:
		if own(s.lhs) {
			all = append(all, s.lhs.sym)
		}
	case sRecv:
		for _, a := range s.args {
			if own(a) {
				all = append(all, a.sym)
			}
		}
	}
	return all
}
