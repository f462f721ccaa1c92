package promela

import (
	"cmp"
	"slices"
)

// References and the heap: what dSPIN adds to the language (C. Demartini, R. Iosif, R. Sisto, SPIN 1999).
//
//	typedef Node { Node &next; byte key }
//	heap Node[4];            at most four at a time
//	Node &n;                 null, or a Node of the heap
//	n = new Node; n.key = 1; n.next = null; delete n
//
// A reference is followed by naming a field. References of one type are assigned and compared with == and != only; null
// is one of each type. Processes take them as parameters, messages do not hold them.

// heap reads "heap Node[4], Leaf[2]".
func (p *parser) heap() {
	p.next()
	for {
		name := p.ident("a type")
		d := p.types[name.text]
		if d == nil {
			fail(name.at, "there is no type %s", name.text)
		}
		p.noteType(name.at, d)
		if d.pool > 0 {
			fail(name.at, "how many %s the heap holds is said twice", d.name)
		}
		p.expect("[")
		at := p.peek().at
		d.pool = p.size(p.expr(0))
		if d.pool > maxObjects {
			fail(at, "the heap holds at most %d of one type", maxObjects)
		}
		p.expect("]")
		p.named(d)
		if !p.accept(",") {
			return
		}
	}
}

// maxObjects is the most objects of one type.
const maxObjects = 255

// reference reads the & of a declaration, if there is one.
func (p *parser) reference(t typ) typ {
	if !p.is("&") {
		if t.base == bStruct && t.of.open {
			fail(p.peek().at, "a %s cannot be a part of itself; a reference to one can: %s &", t.of.name, t.of.name)
		}
		return t
	}
	at := p.next().at
	if t.base != bStruct {
		fail(at, "a reference is to a struct type")
	}
	p.named(t.of)
	return typ{base: bRef, of: t.of}
}

// named notes a type that references name.
func (p *parser) named(d *typedef) {
	if !slices.Contains(p.file.pools, d) {
		p.file.pools = append(p.file.pools, d)
	}
}

// isFollowed reports whether a part of a variable is a reference, of which a field is named.
func (e *expr) isFollowed() bool { return e.op == opVar && e.sym.typ.base == bRef && e.y != nil }

// follows reports whether a variable follows a reference.
func (e *expr) follows() bool {
	return e != nil && e.op == opVar && (e.isFollowed() || e.y.follows())
}

// begins checks the initial value of a variable. No step gives it, so none could be blamed for following null.
func (p *parser) begins(s *sym) {
	if s.init == nil || s.typ.base == bRef {
		return
	}
	number(s.init)
	if s.init.followsAny() {
		fail(s.init.at, "the initial value of %s follows a reference, which is not supported; an assignment may", s.name)
	}
}

// checkReferences checks that references and numbers are not mixed.
func (f *file) checkReferences() {
	for _, d := range f.pools {
		for _, s := range d.fields {
			if s.typ.base == bChan {
				fail(s.at, "%s is in the heap, where a channel is not supported", d.name)
			}
		}
	}
	for _, q := range f.procs {
		number(q.provided)
		if q.provided != nil && q.provided.followsAny() {
			fail(q.provided.at, "a reference that provided follows is not supported")
		}
		eachStmt(q.body, func(s *stmt) {
			switch s.kind {
			case sAssign:
				unsynced(s.lhs)
				number(s.lhs.x)
				variable(s.lhs)
				d, _ := referent(s.lhs)
				checkAs(s.e, d, true)
			case sDelete:
				if _, is := referent(s.e); !is || s.e.op != opVar {
					fail(s.e.at, "%s is no reference", show(s.e))
				}
				variable(s.e)
				indexed(s.e)
			case sRecv:
				for _, e := range s.args {
					unsynced(e)
					number(e)
				}
				number(s.ch)
			default:
				s.exprs(number)
			}
		})
	}
}

// variable checks the indices of a variable.
func variable(e *expr) {
	for v := e; v != nil; v = v.y {
		number(v.x)
	}
}

// refersTo returns the type of what a reference of a type names; nil: it is no reference.
func (t typ) refersTo() *typedef {
	if t.base == bRef {
		return t.of
	}
	return nil
}

// referent returns the type of what a reference names, if e is one.
func referent(e *expr) (d *typedef, is bool) {
	switch e.op {
	case opNull:
		return nil, true
	case opNew:
		return e.of, true
	case opVar:
		if v := e.leaf(); v != nil && v.sym.typ.base == bRef {
			return v.sym.typ.of, true
		}
	case opCond:
		if d, is := referent(e.y); d != nil || !is {
			return d, is
		}
		return referent(e.z)
	}
	return nil, false
}

// number checks that e is no reference, and what is in it.
func number(e *expr) { checkAs(e, nil, false) }

// checkAs checks that e is a reference to a type, or null, and what is in it; d is nil: that it is a number. fresh says that new
// may stand there.
func checkAs(e *expr, d *typedef, fresh bool) {
	if e == nil {
		return
	}
	of, is := referent(e)
	switch {
	case d == nil && e.op == opNew:
		fail(e.at, "new stands only where its object is assigned: r = new %s", e.of.name)
	case d == nil && is:
		fail(e.at, "%s is a reference, and no number", show(e))
	case d == nil:
	case e.op == opNull || e.op == opNew && of == d && d.pool > 0 && fresh:
		return
	case e.op == opNew && of != d:
		fail(e.at, "a reference to %s is no %s", d.name, of.name)
	case e.op == opNew && d.pool == 0:
		fail(e.at, "how many %s the heap holds at most is not said; heap %s[4] would be four", d.name, d.name)
	case e.op == opNew:
		fail(e.at, "new stands only where its object is assigned: r = new %s", d.name)
	case e.op == opCond:
		number(e.x)
		checkAs(e.y, d, false)
		checkAs(e.z, d, false)
		return
	case e.op == opVar && is:
		variable(e)
		if of != d {
			fail(e.at, "%s is a reference to %s, not to %s", show(e), of.name, d.name)
		}
		indexed(e)
		return
	default:
		fail(e.at, "%s is no reference to %s", show(e), d.name)
	}
	switch {
	case e.op == opBinary && (e.text == "==" || e.text == "!="):
		d, is := referent(e.x)
		c, is2 := referent(e.y)
		if !is && !is2 {
			break
		}
		if d = cmp.Or(d, c); d == nil {
			fail(e.at, "null is compared with null")
		}
		checkAs(e.x, d, false)
		checkAs(e.y, d, false)
		return
	case e.op == opRem:
		if e.y.follows() {
			fail(e.at, "%s follows a reference of another process, which is not supported", show(e))
		}
		if _, is := referent(e.y); is {
			fail(e.at, "%s is a reference of another process, which is not supported", show(e))
		}
	case e.op == opRun:
		for i, a := range e.args {
			checkAs(a, e.proc.params[i].typ.refersTo(), false)
		}
		return
	}
	for _, x := range e.parts() {
		number(x)
	}
}
