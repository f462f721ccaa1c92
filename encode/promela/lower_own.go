package promela

import (
	"slices"

	"orbitmc/internal/prog"
	"orbitmc/model"
)

// Lowering: which steps concern nobody else, which objects they touch, and where references are. See prog.Ownership.

// ownEdge reports whether the step of an edge reads and writes variables of its process alone, and objects; follows says which
// of these, first of all.
func (l *lowering) ownEdge(x *edge, v *env) (follows []prog.Follow, own bool) {
	if len(l.pools) == 0 {
		return nil, false
	}
	w := &ownWalk{l: l, v: v, own: l.excl == nil && !l.f.timeout && !l.f.ranks && !l.looks && v.q.proctype.provided == nil}
	w.statement(x.act.stmt)
	return w.follows, w.own
}

// looks reports whether a process looks at the location or variables of another one.
func (f *file) looks() (found bool) {
	f.exprs(func(e *expr) { found = found || e.has(opAt) || e.has(opRem) })
	return found
}

type ownWalk struct {
	l       *lowering
	v       *env
	own     bool
	later   bool // something has happened since the step began, so references may be others
	follows []prog.Follow
}

func (w *ownWalk) statement(s *stmt) {
	unlocks := -1
	switch s.kind {
	case sCond, sAssert, sElse, sGoto, sIf, sDo, sBlock, sLabel, sDstep, sAssign:
	case sSync:
		w.own = w.own && slices.Contains([]string{"P", "V", "lock", "unlock"}, s.name)
		unlocks = slices.Index([]string{"unlock", "wait"}, s.name)
	case sDelete:
	default:
		w.own = false
	}
	if s.kind == sDelete {
		w.variable(s.e, true, false)
	} else {
		s.exprs(func(e *expr) { w.expr(e, s.kind == sSync && slices.Index(s.args, e) == unlocks) })
	}
	for _, sub := range s.subs {
		for i, s := range sub {
			w.later = w.later || i > 0 || s.subs != nil
			w.statement(s)
		}
	}
}

func (w *ownWalk) expr(e *expr, unlocks bool) {
	if e == nil {
		return
	}
	switch e.op {
	case opVar:
		w.variable(e, false, unlocks)
		return
	case opConst, opUnary, opBinary, opCond, opPid, opNull, opNew, opAny:
	default:
		w.own = false
	}
	if e.op == opRem {
		return // it follows nothing
	}
	for _, x := range e.parts() {
		w.expr(x, false)
	}
}

// variable looks at a variable; deletes says that what it refers to is deleted, and unlocks that it is a mutex that is unlocked.
func (w *ownWalk) variable(e *expr, deletes, unlocks bool) {
	w.own = w.own && e.sym.proc != nil && w.v.q.proctype == e.sym.proc
	for x := e; x != nil; x = x.y {
		w.expr(x.x, false)
		if x.sym.typ.base != bRef || x.y == nil && !deletes {
			continue
		}
		if w.later {
			w.own = false
			continue
		}
		f := prog.Follow{Ref: w.l.place(until(e, x), w.v), Pool: w.l.poolOf(x.sym.typ.of), Field: -1}
		if x.y != nil {
			f.Field, f.Unlocks = x.y.sym.field, unlocks && x.y.y == nil
		}
		w.follows = append(w.follows, f)
	}
}

// holds reports whether objects of a type say which process holds their mutex.
func (l *lowering) holds(d *typedef) bool { return l.f.opt.Holders && d.guardian() >= 0 }

func (l *lowering) poolOf(d *typedef) int { return slices.Index(l.f.pools, d) }

// guardian returns the mutex of a type, a field: the first one, -1 if there is none.
func (t *typedef) guardian() int {
	for _, f := range t.fields {
		if f.typ.sync == "mutex" && !f.array {
			return f.field
		}
	}
	return -1
}

// places notes where references are, and who holds mutexes.
func (l *lowering) places() *prog.Heap {
	if len(l.pools) == 0 {
		return nil
	}
	h := &prog.Heap{Locals: make([][]prog.Place, len(l.procs))}
	for _, d := range l.f.pools {
		v := l.pools[d]
		rec := v.Type.Elem
		p := prog.Pool{Leaf: v.Offset, Size: rec.Leaves, N: int(v.Type.Index.Card()), Mutex: -1, Loose: make([]bool, len(d.fields))}
		for _, f := range d.fields {
			field := rec.Fields[f.field+1]
			p.Refs = l.references(p.Refs, f, field.Type, field.Offset)
		}
		if l.holds(d) {
			last := rec.Fields[len(rec.Fields)-1]
			p.Mutex, p.Holds, p.Slots = d.guardian(), last.Offset, last.Type.Leaves
		}
		h.Pools = append(h.Pools, p)
	}
	for _, s := range l.f.globals {
		if v := l.vars[s]; v != nil {
			h.Roots = l.references(h.Roots, s, v.Type, v.Offset)
		}
	}
	for i, q := range l.procs {
		l.loosen(h, q.body, false, false)
		for _, s := range q.locals {
			if f, ok := q.fields[s]; ok {
				h.Locals[i] = l.references(h.Locals[i], s, q.rec.Fields[f].Type, q.rec.Fields[f].Offset)
			}
		}
	}
	return h
}

// loosen notes the fields that are touched where nobody looks whether their object is locked: behind the first statement of
// a step, which has begun. Where the mutex is unlocked there, or the object deleted, these are all.
func (l *lowering) loosen(h *prog.Heap, list []*stmt, inside, begun bool) {
	for i, s := range list {
		behind := begun || inside && (i > 0 || s.subs != nil) || s.kind == sRecv // a receive may be a part of another process's step
		all := func(d *typedef) {
			p := &h.Pools[l.poolOf(d)]
			for k := range p.Loose {
				p.Loose[k] = true
			}
		}
		look := func(x *expr) {
			if !x.isFollowed() {
				return
			}
			p, field := &h.Pools[l.poolOf(x.sym.typ.of)], x.y.sym.field
			switch {
			case s.kind == sSync && x.y.y == nil && field == p.Mutex:
				if behind && (s.name == "unlock" || s.name == "wait") {
					all(x.sym.typ.of)
				}
			case behind:
				p.Loose[field] = true
			}
		}
		if s.kind == sDelete && behind {
			all(s.e.leaf().sym.typ.of)
		}
		s.exprs(func(e *expr) { e.each(look) })
		for k, sub := range s.subs {
			escape := s.kind == sUnless && k > 0 // it may be taken inside a step
			l.loosen(h, sub, s.kind == sAtomic || s.kind == sDstep, behind || escape)
		}
	}
}

// references appends the references in a variable whose first leaf is given.
func (l *lowering) references(to []prog.Place, s *sym, t *model.Type, leaf int) []prog.Place {
	if s.array {
		for i := range int(t.Index.Card()) {
			to = l.references(to, s.element(), t.Elem, leaf+i*t.Elem.Leaves)
		}
		return to
	}
	switch s.typ.base {
	case bRef:
		to = append(to, prog.Place{Leaf: leaf, Pool: l.poolOf(s.typ.of)})
	case bStruct:
		for _, f := range s.typ.of.stored() {
			to = l.references(to, f, t.Fields[f.field].Type, leaf+t.Fields[f.field].Offset)
		}
	}
	return to
}
