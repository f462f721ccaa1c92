package promela

import (
	"slices"

	"orbitmc/model"
	"orbitmc/prog"
)

// Lowering: which steps concern nobody else, and where references are. See prog.Owner.

// ownLocation reports whether all edges of a location read and write variables of their process alone, and what it can
// refer to; chains are how they come to objects.
func (l *lowering) ownLocation(q *process, e *element) (chains []prog.Chain, own bool) {
	if len(l.pools) == 0 || l.excl != nil || l.f.timeout || l.looks || q.proctype.provided != nil {
		return nil, false
	}
	w := &ownWalk{l: l, q: q, own: true}
	for _, x := range e.edges {
		w.later = false
		w.statement(x.act.stmt)
	}
	return w.chains, w.own
}

// looks reports whether a process looks at the location or variables of another one.
func (f *file) looks() (found bool) {
	look := func(e *expr) { found = found || e.has(opAt) || e.has(opRem) }
	for _, q := range f.procs {
		if q.provided != nil {
			look(q.provided)
		}
		eachStmt(q.body, func(s *stmt) { s.exprs(look) })
	}
	return found
}

type ownWalk struct {
	l      *lowering
	q      *process
	own    bool
	later  bool // something has happened since the step began, so references may be others
	chains []prog.Chain
}

func (w *ownWalk) statement(s *stmt) {
	switch s.kind {
	case sCond, sAssert, sElse, sGoto, sIf, sDo, sBlock, sLabel, sDstep:
	case sAssign:
	case sSync:
		w.own = w.own && slices.Contains([]string{"P", "V", "lock", "unlock"}, s.name)
	case sDelete:
		w.variable(s.e, true)
	default:
		w.own = false
	}
	s.exprs(w.expr)
	for _, sub := range s.subs {
		for i, s := range sub {
			w.later = w.later || i > 0 || s.subs != nil
			w.statement(s)
		}
	}
}

func (w *ownWalk) expr(e *expr) {
	if e == nil || !w.own {
		return
	}
	switch e.op {
	case opVar:
		w.variable(e, false)
	case opConst, opUnary, opBinary, opCond, opPid, opNull, opNew, opAny:
		w.expr(e.x)
		w.expr(e.y)
		w.expr(e.z)
	default:
		w.own = false
	}
}

// variable looks at a variable; follow says that what it refers to is touched, too.
func (w *ownWalk) variable(e *expr, follow bool) {
	if w.own = w.own && e.op == opVar && e.sym.proc != nil && w.q.proctype == e.sym.proc; !w.own {
		return
	}
	if e.sym.typ.base != bRef {
		for v := e; v != nil; v = v.y {
			w.expr(v.x)
			w.own = w.own && v.sym.typ.base != bRef // of a struct: it is not looked for
		}
		return
	}
	if e.y == nil && !follow {
		w.own = w.own && !e.sym.array
		return
	}
	field, ok := w.q.fields[e.sym]
	if w.own = w.own && ok && !e.sym.array && !w.later; !w.own {
		return
	}
	c := prog.Chain{Root: prog.Place{Leaf: w.q.rec.Fields[field].Offset, Pool: w.l.poolOf(e.sym.typ.of)}}
	of := e.sym.typ.of
	for v := e.y; v != nil; v = v.y {
		w.expr(v.x)
		if v.sym.typ.base != bRef {
			for u := v.y; u != nil; u = u.y { // in a struct
				w.expr(u.x)
				w.own = w.own && u.sym.typ.base != bRef
			}
			break
		}
		if v.y == nil && !follow {
			w.own = w.own && !v.sym.array
			break
		}
		if w.own = w.own && !v.sym.array; !w.own {
			return
		}
		rec := w.l.pools[of].Type.Elem
		c.Fields = append(c.Fields, prog.Place{Leaf: rec.Fields[v.sym.field+1].Offset, Pool: w.l.poolOf(v.sym.typ.of)})
		of = v.sym.typ.of
	}
	w.chains = append(w.chains, c)
}

func (l *lowering) poolOf(d *typedef) int { return slices.Index(l.f.pools, d) }

// places notes where references are.
func (l *lowering) places() *prog.Heap {
	if len(l.pools) == 0 {
		return nil
	}
	h := &prog.Heap{Locals: make([][]prog.Place, len(l.procs))}
	for _, d := range l.f.pools {
		v := l.pools[d]
		p := prog.Pool{Leaf: v.Offset, Size: v.Type.Elem.Leaves, N: int(v.Type.Index.Card())}
		for _, f := range d.fields {
			field := v.Type.Elem.Fields[f.field+1]
			p.Refs = l.references(p.Refs, f, field.Type, field.Offset)
		}
		h.Pools = append(h.Pools, p)
	}
	for _, s := range l.f.globals {
		if v := l.vars[s]; v != nil {
			h.Roots = l.references(h.Roots, s, v.Type, v.Offset)
		}
	}
	for i, q := range l.procs {
		for _, s := range q.locals {
			if f, ok := q.fields[s]; ok {
				h.Locals[i] = l.references(h.Locals[i], s, q.rec.Fields[f].Type, q.rec.Fields[f].Offset)
			}
		}
	}
	return h
}

// references appends the references in a variable whose first leaf is given.
func (l *lowering) references(to []prog.Place, s *sym, t *model.Type, leaf int) []prog.Place {
	if s.array {
		one := *s
		one.array = false
		for i := range int(t.Index.Card()) {
			to = l.references(to, &one, t.Elem, leaf+i*t.Elem.Leaves)
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
