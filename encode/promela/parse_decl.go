package promela

// Declarations of variables: their types, sizes and first values.

// declares reports whether a declaration comes next.
func (p *parser) declares() bool {
	t := p.peek()
	if t.kind != tName {
		return false
	}
	_, simple := baseTypes[t.text]
	_, sync := p.syncType()
	return simple || sync || p.types[t.text] != nil || t.text == "hidden" || t.text == "show" || t.text == "local"
}

// typeName reads a type; set is that of an mtype.
func (p *parser) typeName() typ {
	if t, ok := p.syncType(); ok {
		p.next()
		return t
	}
	name := p.next()
	t, ok := baseTypes[name.text]
	if !ok {
		d := p.types[name.text]
		if d == nil {
			fail(name.at, "there is no type %s", name.text)
		}
		p.noteType(name.at, d)
		return typ{base: bStruct, of: d}
	}
	if t.base == bMtype && p.is(":") {
		p.next()
		t.set = p.ident("the name of a set").text
	}
	return t
}

// decls reads declarations up to the closing word, each of what is named.
func (p *parser) decls(closing, what string, list *[]*sym) {
	for !p.is(closing) {
		if !p.declares() {
			fail(p.peek().at, "expected %s before %s", what, p.peek().show())
		}
		p.decl(list)
		for p.accept(";") {
		}
	}
}

// decl reads a declaration. Variables go to list if it is not nil: parameters and fields.
// It returns the steps that assign initial values.
func (p *parser) decl(list *[]*sym) []*stmt {
	t := p.peek()
	switch {
	case t.text == "hidden":
		fail(t.at, "hidden variables are not supported: they belong to no state")
	case t.text == "show" || t.text == "local":
		p.next()
	}
	first := p.peek()
	ty := p.typeName()
	if ty.base == bMtype && (p.is("=") || p.is("{")) {
		p.accept("=")
		p.messages(first, ty.set)
		return nil
	}
	var steps []*stmt
	for {
		s := p.variable(ty)
		p.noteDecl(s, list != nil)
		switch {
		case list != nil:
			*list = append(*list, s)
			if p.proc == nil {
				break // a field
			}
			s.param, s.proc = true, p.proc
			p.declare(s, p.scopes[0])
			p.proc.locals = append(p.proc.locals, s)
		case p.proc != nil:
			s.proc = p.proc
			p.declare(s, p.scopes[len(p.scopes)-1])
			p.proc.locals = append(p.proc.locals, s)
			p.proc.locals = append(p.proc.locals, s.makes()...)
		default:
			p.declare(s, p.globals)
			p.file.globals = append(p.file.globals, s)
			p.file.globals = append(p.file.globals, s.makes()...)
		}
		if p.accept("=") {
			switch {
			case list != nil && p.proc != nil:
				fail(p.peek().at, "a parameter has no initial value")
			default:
				p.initial(s)
			}
		}
		if p.proc != nil && list == nil && !p.early {
			steps = append(steps, p.late(s)...)
		}
		p.begins(s)
		p.checkSync(s, list != nil)
		if !p.accept(",") {
			break
		}
	}
	return steps
}

// declare adds a variable to a scope.
func (p *parser) declare(s *sym, scope map[string]*sym) {
	if old := scope[s.name]; old != nil {
		fail(s.at, "%s is declared twice, first at %v", s.name, old.at)
	}
	scope[s.name] = s
}

// maxElements is the most elements of an array.
const maxElements = 1 << 16

func (p *parser) variable(ty typ) *sym {
	ty = p.reference(ty)
	name := p.ident("the name of a variable")
	s := &sym{name: name.text, at: name.at, typ: ty, n: 1}
	if p.accept(":") {
		width := p.next()
		if ty.base != bUnsigned || width.kind != tNum || width.val < 1 || width.val > 31 {
			fail(width.at, "a width is for an unsigned variable, from 1 to 31")
		}
		s.typ.bits = int(width.val)
	} else if ty.base == bUnsigned {
		fail(name.at, "the unsigned variable %s needs a width", s.name)
	}
	if e := p.index(); e != nil {
		s.n, s.array = p.size(e), true
	}
	return s
}

// size evaluates the bound of an array, or number of processes.
func (p *parser) size(e *expr) int {
	v, ok := constant(e)
	if !ok && e.op == opVar && e.sym.init != nil && e.x == nil && e.y == nil {
		v, ok = constant(e.sym.init)
	}
	if !ok {
		fail(e.at, "the size is not constant")
	}
	if v < 1 || v > maxElements {
		fail(e.at, "the size is %d; want 1 to %d", v, maxElements)
	}
	return int(v)
}

// initial reads an initial value.
func (p *parser) initial(s *sym) {
	t := p.peek()
	switch {
	case p.is("["):
		if s.typ.base != bChan {
			fail(t.at, "%s is no channel", s.name)
		}
		p.next()
		c := &chanInit{at: t.at}
		e := p.expr(0)
		v, ok := constant(e)
		if !ok || v < 0 || v > 255 {
			fail(e.at, "the size of a channel is a constant from 0 to 255")
		}
		c.slots = int(v)
		p.expect("]")
		p.expect("of")
		p.expect("{")
		p.items("}", func() {
			if !p.declares() {
				fail(p.peek().at, "expected a type before %s", p.peek().show())
			}
			at := p.peek().at
			ty := p.typeName()
			if t := p.peek(); t.text == "&" {
				fail(t.at, "a message holds no reference")
			}
			c.fields = unfoldType(c.fields, ty, at)
		})
		if len(c.fields) == 0 {
			fail(t.at, "a message has at least one field")
		}
		s.ch = c
	case p.is("{"):
		if !s.array {
			fail(t.at, "%s is no array", s.name)
		}
		p.next()
		for {
			e := p.expr(0)
			v, ok := constant(e)
			if !ok {
				fail(e.at, "the initial value is not constant")
			}
			if s.typ.base == bRef {
				fail(e.at, "the reference %s begins as null", s.name)
			}
			if s.list = append(s.list, v); !p.accept(",") {
				break
			}
		}
		p.expect("}")
	default:
		if s.typ.base == bStruct {
			fail(t.at, "a struct has no initial value")
		}
		s.init = p.expr(0)
		if s.typ.base == bRef && s.init.op != opNull {
			fail(s.init.at, "the reference %s begins as null", s.name)
		}
		if s.init.has(opRun) {
			fail(s.init.at, "an initial value cannot run a process")
		}
	}
}

// unfoldType appends the simple fields of a type. Each element of an array is one.
func unfoldType(dst []typ, t typ, at place) []typ {
	switch {
	case t.synced() != "":
		fail(at, "a message holds no %s", t.synced())
	case t.base == bUnsigned:
		fail(at, "an unsigned is no field of a message")
	case t.base != bStruct:
		return append(dst, t)
	}
	for _, f := range t.of.fields {
		if f.array && f.typ.base == bStruct {
			fail(at, "a message has no array of structs, and %s.%s is one", t.of.name, f.name)
		}
		if f.typ.base == bRef {
			fail(at, "a message holds no reference, and %s.%s is one", t.of.name, f.name)
		}
		for range f.n {
			dst = unfoldType(dst, f.typ, at)
		}
	}
	return dst
}

// late returns the step in which a variable, declared after a statement, gets its value.
func (p *parser) late(s *sym) []*stmt {
	switch {
	case s.ch != nil:
		return nil
	case s.typ.base == bStruct: // a step without effect: its fields have their values from the start
		return basic(&stmt{kind: sAssign, at: s.at, lhs: &expr{op: opAny, at: s.at}, e: &expr{op: opConst, at: s.at}})
	}
	v := &expr{op: opVar, at: s.at, sym: s}
	if s.array {
		v.x = &expr{op: opConst, at: s.at}
	}
	st := &stmt{kind: sAssign, at: s.at, lhs: v, e: &expr{op: opConst, at: s.at}}
	if s.typ.base == bRef {
		st.e.op = opNull
	}
	switch {
	case s.init != nil && s.array: // it keeps the initial value of its declaration
		return nil
	case s.init != nil:
		st.e, s.init = s.init, nil
	case len(s.list) > 1:
		fail(s.at, "a list of values must stand before the first statement")
	case len(s.list) == 1:
		st.e.val = s.list[0]
	}
	s.write = true
	return basic(st)
}

// messages reads the names of an mtype.
func (p *parser) messages(at token, set string) {
	p.expect("{")
	var names []token
	for !p.is("}") {
		if !p.accept(",") {
			names = append(names, p.ident("a name"))
		}
	}
	p.expect("}")
	if p.proc != nil {
		fail(at.at, "an mtype is declared outside of processes")
	}
	n := p.sets[set]
	for i, name := range names {
		s := &sym{name: name.text, at: name.at, typ: typ{base: bMtype, set: set}, n: 1, constant: true, val: int64(n + len(names) - i)}
		if old := p.globals[s.name]; old != nil {
			fail(name.at, "%s is declared twice, first at %v", s.name, old.at)
		}
		p.globals[s.name] = s
		p.noteSym(s.at, s)
		p.file.messages = append(p.file.messages, s)
	}
	if p.sets[set] += len(names); p.sets[set] > 255 {
		fail(at.at, "an mtype has at most 255 names")
	}
}
