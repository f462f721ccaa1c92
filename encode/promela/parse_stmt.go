package promela

import (
	"slices"
	"strings"
)

// sequence reads statements up to one of the closing words, which is not read.
func (p *parser) sequence(closing ...string) []*stmt {
	if p.temps++; p.temps > maxNesting {
		fail(p.peek().at, "nested more than %d deep", maxNesting)
	}
	defer func() { p.temps-- }()
	at := p.peek().at
	var all []*stmt
	for {
		for p.accept(";") || p.accept("->") {
		}
		t := p.peek()
		if slices.Contains(closing, t.text) && t.kind != tStr {
			break
		}
		if t.kind == tEOF {
			fail(t.at, "expected %q before the end of the file", closing[0])
		}
		all = append(all, p.step()...)
		t = p.peek()
		if !slices.Contains(closing, t.text) && t.text != ";" && t.text != "->" {
			if p.last.text != "}" && p.last.text != "else" && t.text != "::" { // a block and else need no separator
				fail(t.at, "expected \";\" before %s", t.show())
			}
		}
	}
	if len(all) == 0 {
		fail(at, "a sequence has at least one statement")
	}
	return all
}

// step reads a declaration or a statement; a statement may be several in a row.
func (p *parser) step() []*stmt {
	t := p.peek()
	switch {
	case p.declares():
		return p.decl(nil)
	case t.text == "xr" || t.text == "xs":
		p.next()
		for {
			channel(p.variableRef())
			if !p.accept(",") {
				return nil
			}
		}
	}
	all := p.statement()
	p.early = false
	if p.is("unless") {
		u := p.next()
		before := all[:len(all)-1] // of a loop: it is not escaped from
		main := one(all[len(all)-1])
		bare := main[0].kind != sBlock
		if !bare {
			main = main[0].subs[0]
		}
		esc := p.statement()
		if s := esc[0]; len(esc) == 1 && s.kind == sBlock {
			esc = s.subs[0]
		}
		if s := all[0]; s.kind == sLabel && (s.subs[0][0].kind == sBlock || s.subs[0][0].kind == sAtomic || s.subs[0][0].kind == sDstep) {
			// L: { A } unless { B } is L: { { A } unless { B } }, with the same kind of block.
			in := s.subs[0][0]
			un := &stmt{kind: sUnless, at: u.at, subs: [][]*stmt{in.subs[0], esc}}
			s.subs[0][0] = &stmt{kind: in.kind, at: in.at, subs: [][]*stmt{{un}}}
			return all
		}
		all = append(before, &stmt{kind: sUnless, at: u.at, bare: bare, subs: [][]*stmt{main, esc}})
	}
	return all
}

// block reads { … } as a sequence with a scope of its own.
func (p *parser) blockOf() []*stmt {
	open := p.expect("{")
	p.open()
	early := p.early
	p.early = false
	all := p.sequence("}")
	p.early = early
	p.shut()
	p.expect("}")
	p.known(open.at)
	return all
}

func (p *parser) open() {
	p.block++
	p.scopes = append(p.scopes, map[string]*sym{})
	p.blocks = append(p.blocks[:len(p.blocks):len(p.blocks)], p.block)
}

func (p *parser) shut() {
	p.scopes, p.blocks = p.scopes[:len(p.scopes)-1], p.blocks[:len(p.blocks)-1]
}

// one returns a statement as a list.
func one(s *stmt) []*stmt { return []*stmt{s} }

// basic is one, of a basic statement.
func basic(s *stmt) []*stmt {
	s.text = s.words()
	return one(s)
}

func (p *parser) statement() []*stmt {
	t := p.peek()
	s := &stmt{at: t.at}
	switch t.text {
	case "{":
		s.kind, s.subs = sBlock, [][]*stmt{p.blockOf()}
		return one(s)
	case "atomic", "d_step":
		p.next()
		s.kind = sAtomic
		if t.text == "d_step" {
			s.kind = sDstep
		}
		s.subs = [][]*stmt{p.blockOf()}
		return one(s)
	case "if", "do":
		p.next()
		s.kind = sIf
		end := "fi"
		if t.text == "do" {
			s.kind, end = sDo, "od"
			p.loops = append(p.loops, s)
		}
		early := p.early
		p.early = false
		for p.accept(";") {
		}
		for p.accept("::") { // an option is no scope
			s.subs = append(s.subs, p.sequence("::", end))
		}
		p.early = early
		if len(s.subs) == 0 {
			fail(p.peek().at, "expected \"::\" before %s", p.peek().show())
		}
		p.expect(end)
		if s.kind == sDo {
			p.loops = p.loops[:len(p.loops)-1]
		}
		return one(s)
	case "for":
		return p.forLoop()
	case "select":
		return p.selectValue()
	case "break":
		p.next()
		if len(p.loops) == 0 {
			fail(t.at, "break is not in a loop")
		}
		s.kind, s.exit, s.text = sGoto, p.loops[len(p.loops)-1], "break"
		return one(s)
	case "goto":
		p.next()
		label := p.ident("a label")
		s.kind, s.name, s.scope = sGoto, label.text, p.blocks
		s.text = "goto " + s.name
		p.noteLabel(label.at, s.name, false)
		return one(s)
	case "else":
		p.next()
		s.kind, s.text = sElse, "else"
		return one(s)
	case "assert":
		p.next()
		s.kind, s.e = sAssert, p.expr(0)
		return basic(s)
	case "printf":
		p.next()
		p.expect("(")
		f := p.next()
		if f.kind != tStr {
			fail(f.at, "expected a string before %s", f.show())
		}
		for p.accept(",") {
			s.args = append(s.args, p.expr(0))
		}
		p.expect(")")
		s.kind, s.text, s.name = sPrint, "printf", f.text
		return one(s)
	case "printm":
		p.next()
		s.kind, s.text, s.args = sPrint, "printm", []*expr{p.inParens()}
		return one(s)
	case "c_code", "c_expr", "c_decl", "c_state", "c_track":
		fail(t.at, "embedded C (%s) is not supported", t.text)
	case "set_priority":
		p.next()
		p.file.ranks = true
		p.expect("(")
		s.kind, s.args = sPriority, []*expr{p.expr(0)}
		p.expect(",")
		s.args = append(s.args, p.expr(0))
		p.expect(")")
		return basic(s)
	case "return":
		fail(t.at, "a value returned by an inline is not supported")
	}
	if t.text == "delete" && p.lookup(t.text) == nil && p.inlines[t.text] == nil && p.after().text != ":" {
		p.next()
		s.kind, s.e = sDelete, p.expr(0)
		return basic(s)
	}
	if all := p.syncStatement(); all != nil {
		return all
	}
	if t.kind == tName && !keywords[t.text] {
		after := p.after()
		switch {
		case after.text == ":" && p.procs[t.text] == nil && after.kind == tOp:
			return p.label()
		case after.text == "(" && p.inlines[t.text] != nil:
			p.call(t)
			return p.statement()
		}
		if p.lookup(t.text) != nil || t.text == "_" {
			if all := p.change(); all != nil {
				return all
			}
		}
	}
	s.kind, s.e = sCond, p.expr(0)
	s.text = show(s.e)
	runs := 0
	s.e.each(func(e *expr) { runs += int(truth(e.op == opRun)) })
	if runs > 1 {
		fail(s.at, "an expression runs one process at most")
	}
	return one(s)
}

func (p *parser) label() []*stmt {
	name := p.next()
	p.expect(":")
	p.noteLabel(name.at, name.text, true)
	s := &stmt{kind: sLabel, at: name.at, name: name.text, scope: p.blocks}
	t := p.peek()
	if t.text == "}" || t.text == ";" || t.text == "::" || t.text == "od" || t.text == "fi" {
		s.subs = [][]*stmt{{skip(name.at)}}
		p.proc.labels = append(p.proc.labels, s)
		return one(s)
	}
	if p.declares() {
		fail(t.at, "a label stands before a statement, not a declaration")
	}
	all := p.statement()
	n := len(all) - 1 // a loop is labelled, not what stands before it
	s.subs = [][]*stmt{one(all[n])}
	p.proc.labels = append(p.proc.labels, s)
	return append(all[:n], s)
}

func skip(at place) *stmt {
	return &stmt{kind: sCond, at: at, e: &expr{op: opConst, at: at, val: 1}, text: "1"}
}

// change reads an assignment, send or receive; nil if it is none, with nothing read.
func (p *parser) change() []*stmt {
	m := p.mark()
	e := p.variableRef()
	op := p.peek()
	s := &stmt{at: e.at}
	switch op.text {
	case "=":
		p.next()
		if name := p.peek(); p.inlines[name.text] != nil && p.after().text == "(" {
			fail(name.at, "a value returned by an inline is not supported")
		}
		s.e = p.expr(0)
	case "++", "--":
		p.next()
		s.e = &expr{op: opBinary, at: op.at, text: op.text[:1], x: e, y: &expr{op: opConst, at: op.at, val: 1}}
	case "!", "!!":
		p.next()
		s.kind, s.ch = sSend, channel(e)
		if op.text == "!!" {
			s.mode = sorted
		}
		s.args = p.sendArgs()
		s.text = s.words()
		for _, a := range s.args {
			if a.has(opRun) {
				fail(a.at, "a message cannot run a process")
			}
		}
		return one(s)
	case "?", "??":
		p.next()
		if p.is("[") { // a poll
			p.reset(m)
			return nil
		}
		s.kind, s.ch = sRecv, channel(e)
		if op.text == "??" {
			s.mode = random
		}
		if p.accept("<") {
			s.mode |= peek
			s.args = p.recvArgs(">")
			p.expect(">")
			return basic(s)
		}
		s.args = p.recvArgs("")
		return basic(s)
	default:
		p.reset(m)
		return nil
	}
	if e.op == opConst {
		fail(e.at, "%s is no variable", e.text)
	}
	if e.op == opVar {
		indexed(e)
		v := e.leaf()
		v.sym.write = true
		if v.sym.typ.base == bChan && (op.text != "=" || s.e.op == opBinary || s.e.op == opUnary) {
			fail(op.at, "channels are not computed with")
		}
	}
	s.kind, s.lhs = sAssign, e
	return basic(s)
}

// sendArgs reads the fields of a message: a,b,c or a(b,c).
func (p *parser) sendArgs() []*expr {
	var args []*expr
	for {
		args = unfold(args, p.expr(0))
		if p.is("(") {
			p.next()
			p.items(")", func() { args = unfold(args, p.expr(0)) })
			return args
		}
		if !p.accept(",") {
			return args
		}
	}
}

// recvArgs reads what the fields of a message are received into, or compared with.
func (p *parser) recvArgs(end string) []*expr {
	var args []*expr
	for {
		t := p.peek()
		switch {
		case p.is("("):
			p.next()
			args = append(args, p.recvArgs(")")...)
			p.expect(")")
		case p.is("eval"):
			p.next()
			e := p.inParens()
			if v := e.leaf(); v != nil && v.sym.typ.base == bStruct {
				for _, part := range unfold(nil, e) {
					args = append(args, &expr{op: opEval, at: t.at, x: part})
				}
				break
			}
			args = append(args, &expr{op: opEval, at: t.at, x: e})
		case t.kind == tNum || p.is("-") || t.text == "true" || t.text == "false" || t.text == "skip":
			e := p.nested()
			if _, ok := constant(e); !ok {
				fail(t.at, "a receive names variables and constants")
			}
			args = append(args, &expr{op: opEval, at: t.at, x: e})
		default:
			e := p.variableRef()
			if e.op == opConst {
				args = append(args, &expr{op: opEval, at: t.at, x: e})
				break
			}
			if e.op == opVar {
				for _, part := range unfold(nil, e) {
					part.leaf().sym.write = end != "]" || part.leaf().sym.write
					args = append(args, indexed(part))
				}
				break
			}
			args = append(args, e)
		}
		if p.is("(") {
			continue
		}
		if !p.accept(",") {
			return args
		}
	}
}

// forLoop reads for (i : a .. b) { … } and for (i in array) { … }, which are
// i = a; do :: i <= b -> …; i++ :: else -> break od, and for (m in channel) { … }, which
// takes each message into m.
func (p *parser) forLoop() []*stmt {
	t := p.next()
	p.expect("(")
	i := p.variableRef()
	if i.op != opVar {
		fail(i.at, "a loop needs a variable")
	}
	op := "<="
	var from, to *expr
	var turn []*stmt // what a loop over a channel does first
	if p.accept("in") {
		a := p.variableRef()
		v := a.leaf()
		if v != nil && i.leaf().sym.typ.base == bStruct {
			channel(a)
			turn = p.rotate(a, i)
			i, op = p.counter(t.at), "<"
			from, to = &expr{op: opConst, at: a.at}, &expr{op: opLen, at: a.at, x: a}
			goto body
		}
		if v == nil || !v.sym.array {
			fail(a.at, "%s is no array", show(a))
		}
		from, to = &expr{op: opConst, at: a.at}, &expr{op: opConst, at: a.at, val: int64(v.sym.n - 1)}
	} else {
		p.expect(":")
		from = p.expr(0)
		p.expect("..")
		to = p.expr(0)
	}
	if i.leaf().sym.typ.base == bStruct {
		fail(i.at, "a loop that counts needs a simple variable")
	}
body:
	p.expect(")")
	p.accept(";")
	loop := &stmt{kind: sDo, at: t.at}
	p.loops = append(p.loops, loop)
	body := p.blockOf()
	p.loops = p.loops[:len(p.loops)-1]
	out := &stmt{kind: sGoto, at: t.at, exit: loop, text: "break"}
	loop.subs = [][]*stmt{
		slices.Concat(one(p.compare(i, op, to)), turn, body, one(p.increment(i))),
		{{kind: sElse, at: t.at, text: "else"}, out},
	}
	return []*stmt{p.assign(i, from), loop}
}

// rotate takes the first message of a channel and puts it back as the last one.
func (p *parser) rotate(ch, into *expr) []*stmt {
	recv := &stmt{kind: sRecv, at: ch.at, ch: ch}
	for _, part := range unfold(nil, into) {
		part.leaf().sym.write = true
		recv.args = append(recv.args, indexed(part))
	}
	return slices.Concat(basic(recv), basic(&stmt{kind: sSend, at: ch.at, ch: ch, args: recv.args}))
}

// counter returns the variable that counts the messages in loops over channels, one for
// each block.
func (p *parser) counter(at place) *expr {
	const name = "_count"
	scope := p.scopes[len(p.scopes)-1]
	s := scope[name]
	if s == nil {
		s = &sym{name: name, at: at, typ: typ{base: bByte}, n: 1, proc: p.proc}
		scope[name] = s
		p.proc.locals = append(p.proc.locals, s)
	}
	return &expr{op: opVar, at: at, sym: s}
}

func (p *parser) compare(i *expr, op string, to *expr) *stmt {
	e := &expr{op: opBinary, at: i.at, text: op, x: i, y: to}
	return &stmt{kind: sCond, at: i.at, e: e, text: show(e)}
}

func (p *parser) assign(i, e *expr) *stmt {
	indexed(i).leaf().sym.write = true
	return basic(&stmt{kind: sAssign, at: i.at, lhs: i, e: e})[0]
}

func (p *parser) increment(i *expr) *stmt {
	return p.assign(i, &expr{op: opBinary, at: i.at, text: "+", x: i, y: &expr{op: opConst, at: i.at, val: 1}})
}

// selectValue reads select (i : a .. b): a choice of one step if there are few values, all
// are numbers and the name is of letters and digits, as SPIN has it; else a loop that counts
// up to some value.
func (p *parser) selectValue() []*stmt {
	t := p.next()
	p.expect("(")
	i := p.variableRef()
	if i.op != opVar || i.leaf().sym.typ.base == bStruct {
		fail(i.at, "select needs a simple variable")
	}
	p.expect(":")
	a := p.expr(0)
	p.expect("..")
	b := p.expr(0)
	p.expect(")")
	const few = 32
	simple := i.x == nil && i.y == nil && !strings.Contains(i.sym.name, "_") && a.op == opConst && b.op == opConst && a.text == "" && b.text == ""
	if simple && a.val <= b.val && b.val-a.val <= few {
		s := &stmt{kind: sIf, at: t.at}
		for v := a.val; v <= b.val; v++ {
			s.subs = append(s.subs, one(p.assign(i, &expr{op: opConst, at: t.at, val: v})))
		}
		return one(s)
	}
	loop := &stmt{kind: sDo, at: t.at}
	loop.subs = [][]*stmt{
		{p.compare(i, "<", b), p.increment(i)},
		{{kind: sGoto, at: t.at, exit: loop, text: "break"}},
	}
	return []*stmt{p.assign(i, a), loop}
}
