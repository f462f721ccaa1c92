package promela

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/front"
	"orbitmc/internal/lists"
)

// precedence of the binary operators.
var precedence = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7,
	"<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

// maxNesting bounds the depth of expressions and blocks.
const maxNesting = 1000

// expr reads an expression whose operators bind tighter than min.
func (p *parser) expr(min int) *expr {
	if p.temps++; p.temps > maxNesting {
		fail(p.peek().at, "nested more than %d deep", maxNesting)
	}
	x := p.unary()
	for n := 0; ; n++ {
		t := p.peek()
		prec := precedence[t.text]
		if t.kind != tOp || prec <= min || t.text == "<" && p.after().text == "->" { // <-> of a formula
			break
		}
		if n > maxNesting {
			fail(t.at, "an expression has more than %d operators in a row", maxNesting)
		}
		p.next()
		x = &expr{op: opBinary, at: t.at, text: t.text, x: x, y: p.expr(prec)}
	}
	p.temps--
	return x
}

func (p *parser) unary() *expr {
	t := p.peek()
	if t.kind == tOp {
		switch t.text {
		case "!", "-", "~":
			p.next()
			return &expr{op: opUnary, at: t.at, text: t.text, x: p.nested()}
		case "!!":
			p.next()
			x := &expr{op: opUnary, at: t.at, text: "!", x: p.nested()}
			return &expr{op: opUnary, at: t.at, text: "!", x: x}
		case "(":
			p.next()
			x := p.expr(0)
			if p.accept("->") {
				y := p.expr(0)
				p.expect(":")
				x = &expr{op: opCond, at: t.at, x: x, y: y, z: p.expr(0)}
			}
			p.expect(")")
			return x
		}
	}
	return p.primary()
}

func (p *parser) nested() *expr {
	if p.temps++; p.temps > maxNesting {
		fail(p.peek().at, "nested more than %d deep", maxNesting)
	}
	x := p.unary()
	p.temps--
	return x
}

// plain are the words that are expressions as they stand.
var plain = map[string]expr{
	"true": {op: opConst, val: 1}, "skip": {op: opConst, val: 1}, "false": {op: opConst}, "timeout": {op: opTimeout}, "_nr_pr": {op: opNrPr},
}

func (p *parser) primary() *expr {
	t := p.peek()
	if t.kind == tNum {
		p.next()
		return &expr{op: opConst, at: t.at, val: t.val}
	}
	if t.kind != tName {
		fail(t.at, "expected an expression before %s", t.show())
	}
	if e, ok := plain[t.text]; ok {
		p.next()
		if e.at = t.at; e.op == opTimeout {
			p.file.timeout = true
		}
		return &e
	}
	switch t.text {
	case "len":
		p.next()
		return &expr{op: opLen, at: t.at, x: p.chanArg()}
	case "full", "empty", "nfull", "nempty":
		p.next()
		return &expr{op: opFull, at: t.at, text: t.text, x: p.chanArg()}
	case "run":
		return p.run()
	case "_pid":
		p.next()
		if p.proc == nil {
			fail(t.at, "_pid is a number of a process, and there is none here")
		}
		return &expr{op: opPid, at: t.at, proc: p.proc}
	case "null":
		if p.file != nil && p.lookup(t.text) == nil {
			p.next()
			return &expr{op: opNull, at: t.at}
		}
	case "new":
		if d := p.types[p.after().text]; d != nil && p.lookup(t.text) == nil {
			p.next()
			p.noteType(p.next().at, d)
			return &expr{op: opNew, at: t.at, of: d}
		}
	case "get_priority":
		p.next()
		p.file.ranks = true
		return &expr{op: opPriority, at: t.at, x: p.inParens()}
	case "np_", "enabled", "pc_value", "_last", "c_expr":
		fail(t.at, "%s is not supported", t.text)
	}
	if keywords[t.text] {
		fail(t.at, "expected an expression before %s", t.show())
	}
	if p.file != nil && p.lookup(t.text) == nil {
		if after := p.after(); p.procs[t.text] != nil || after.text == "@" || after.text == "[" && p.globals[t.text] == nil {
			if e := p.remote(); e != nil {
				return e
			}
		}
	}
	e := p.variableRef()
	if p.is("?") || p.is("??") {
		op := p.peek()
		if p.after().text != "[" {
			return e
		}
		p.next()
		p.next()
		poll := &expr{op: opPoll, at: op.at, x: channel(e)}
		if op.text == "??" {
			poll.mode = random
		}
		poll.args = p.recvArgs("]")
		p.expect("]")
		return poll
	}
	return e
}

// inParens reads an expression in parentheses.
func (p *parser) inParens() *expr {
	p.expect("(")
	e := p.expr(0)
	p.expect(")")
	return e
}

// index reads an expression in brackets; nil if there is none.
func (p *parser) index() *expr {
	if !p.accept("[") {
		return nil
	}
	e := p.expr(0)
	p.expect("]")
	return e
}

// chanArg reads a channel in parentheses.
func (p *parser) chanArg() *expr {
	p.expect("(")
	e := p.variableRef()
	p.expect(")")
	return channel(e)
}

// channel checks that e is a channel.
func channel(e *expr) *expr {
	if v := e.leaf(); v == nil || v.sym.typ.base != bChan {
		fail(e.at, "%s is no channel", show(e))
	}
	return e
}

// leaf returns the last part of a variable, nil if e is none.
func (e *expr) leaf() *expr {
	if e.op != opVar || e.sym.constant {
		return nil
	}
	for e.y != nil {
		e = e.y
	}
	return e
}

func (p *parser) run() *expr {
	t := p.next()
	if p.proc == nil {
		fail(t.at, "a process is run by a process only")
	}
	name := p.ident("the name of a proctype")
	e := &expr{op: opRun, at: name.at, name: name.text}
	p.expect("(")
	p.items(")", func() { e.args = append(e.args, p.expr(0)) })
	e.val = p.priority()
	p.calls = append(p.calls, e)
	p.file.runs = true
	return e
}

// remote reads P[i]@label, P@label, P[i]:x or P:x; nil if it is none of them.
func (p *parser) remote() *expr {
	m := p.mark()
	name := p.next()
	e := &expr{at: name.at, name: name.text, x: p.index()}
	switch {
	case p.accept("@"):
		e.op, e.text = opAt, p.ident("a label").text
	case p.is(":") && p.procs[name.text] != nil:
		p.next()
		e.op = opRem
		v := p.ident("a variable")
		locals := p.procs[name.text].locals
		i := slices.IndexFunc(locals, func(s *sym) bool { return s.name == v.text })
		if i < 0 {
			fail(v.at, "%s has no variable %s", name.text, v.text)
		}
		s := locals[i]
		p.noteSym(v.at, s)
		e.y = channels(p.selectors(&expr{op: opVar, at: v.at, sym: s}))
	default:
		p.reset(m)
		return nil
	}
	p.calls = append(p.calls, e)
	return e
}

// variableRef reads a variable with its indices and fields, or the name of a message.
func (p *parser) variableRef() *expr {
	name := p.ident("a variable")
	if name.text == "_" {
		return &expr{op: opAny, at: name.at}
	}
	if p.file == nil {
		fail(name.at, "%s is not defined", name.text)
	}
	s := p.lookup(name.text)
	if s == nil {
		fail(name.at, "%s is not declared%s", name.text, front.DidYouMean(name.text, p.visible()))
	}
	p.noteSym(name.at, s)
	p.file.ranks = p.file.ranks || p.proc != nil && s == p.proc.rank
	if s.constant {
		return &expr{op: opConst, at: name.at, val: s.val, text: s.name}
	}
	return channels(p.selectors(&expr{op: opVar, at: name.at, sym: s}))
}

// selectors reads what follows the name of a variable.
func (p *parser) selectors(e *expr) *expr {
	if p.is("[") && !e.sym.array {
		fail(p.peek().at, "%s is no array", e.sym.name)
	}
	e.x = p.index()
	if p.is(".") {
		p.next()
		name := p.ident("a field")
		if e.sym.typ.base != bStruct && e.sym.typ.base != bRef || e.sym.typ.sync != "" {
			fail(name.at, "%s is no struct", e.sym.name)
		}
		fields := e.sym.typ.of.fields
		i := slices.IndexFunc(fields, func(f *sym) bool { return f.name == name.text })
		if i < 0 {
			fail(name.at, "%s has no field %s", e.sym.name, name.text)
		}
		p.noteField(name.at, fields[i])
		e.y = p.selectors(&expr{op: opVar, at: name.at, sym: fields[i]})
	}
	return e
}

// indexed checks that a variable is a single value: an array without an index is its
// first element.
func indexed(e *expr) *expr {
	for v := e; v != nil; v = v.y {
		if v.op == opVar && v.sym.array && v.x == nil {
			v.x = &expr{op: opConst, at: v.at}
		}
		if v.op == opVar && v.y == nil && v.sym.typ.base == bStruct {
			fail(v.at, "%s is a struct, not a value", v.sym.name)
		}
	}
	return e
}

// unfold appends the simple parts of an argument that may be a struct. Each element of an array
// is one.
func unfold(dst []*expr, e *expr) []*expr {
	v := e.leaf()
	if v == nil || v.sym.typ.base != bStruct {
		return append(dst, channels(e))
	}
	for _, f := range v.sym.typ.of.fields {
		if f.array && f.typ.base == bStruct {
			fail(e.at, "%s has an array of structs, which is no part of a message", v.sym.name)
		}
		for i := range f.n {
			part := until(e, v)
			y := &expr{op: opVar, at: e.at, sym: f}
			if f.array {
				y.x = &expr{op: opConst, at: e.at, val: int64(i)}
			}
			part.leaf().y = y
			dst = unfold(dst, part)
		}
	}
	return dst
}

// until returns the part of a variable that ends with one of its fields.
func until(e, last *expr) *expr {
	c := *e
	if e == last {
		c.y = nil
	} else {
		c.y = until(e.y, last)
	}
	return &c
}

// words writes a basic statement.
func (s *stmt) words() string {
	switch s.kind {
	case sCond:
		if s.e.op == opConst && s.e.text == "" && s.e.val == 1 {
			return "skip"
		}
		return show(s.e)
	case sAssign:
		return show(s.lhs) + " = " + show(s.e)
	case sSend:
		op := "!"
		if s.mode&sorted != 0 {
			op = "!!"
		}
		args := list(s.args)
		if strings.HasPrefix(args, "!") {
			op += " "
		}
		return show(s.ch) + op + args
	case sRecv:
		op := "?"
		if s.mode&random != 0 {
			op = "??"
		}
		if s.mode&peek != 0 {
			return show(s.ch) + op + "<" + list(s.args) + ">"
		}
		return show(s.ch) + op + list(s.args)
	case sDelete:
		return "delete " + show(s.e)
	case sSync:
		return s.syncText()
	case sPriority:
		return "set_priority(" + list(s.args) + ")"
	case sAssert:
		return "assert(" + show(s.e) + ")"
	case sPrint: // name is the format of printf
		args := list(s.args)
		if args != "" && s.name != "" {
			args = ", " + args
		}
		return s.text + "(" + s.name + args + ")"
	}
	return s.text // else, goto, break
}

func list(args []*expr) string { return lists.Join(args, ",", show) }

// show writes an expression.
func show(e *expr) string {
	switch e.op {
	case opConst:
		return cmp.Or(e.text, fmt.Sprint(e.val))
	case opVar:
		if e.as != nil {
			return show(e.as)
		}
		s := e.sym.name
		if e.x != nil {
			s += "[" + show(e.x) + "]"
		}
		if e.y != nil && e.sym.typ.sync == "" { // what is in a condition is out of sight
			s += "." + show(e.y)
		}
		return s
	case opUnary:
		if e.x.op == opUnary { // "--" and "!!" are words of their own
			return e.text + "(" + show(e.x) + ")"
		}
		return e.text + show(e.x)
	case opBinary:
		op := e.text
		if e.y.op == opUnary && e.y.text == "-" { // "--" is a word
			op += " "
		}
		return "(" + show(e.x) + op + show(e.y) + ")"
	case opCond:
		return "(" + show(e.x) + " -> " + show(e.y) + " : " + show(e.z) + ")"
	case opRun:
		s := "run " + e.name + "(" + list(e.args) + ")"
		if e.val != 1 {
			s += fmt.Sprintf(" priority %d", e.val)
		}
		return s
	case opPriority:
		return "get_priority(" + show(e.x) + ")"
	case opLen:
		return "len(" + show(e.x) + ")"
	case opFull:
		return e.text + "(" + show(e.x) + ")"
	case opPoll:
		if e.mode&random != 0 {
			return show(e.x) + "??[" + list(e.args) + "]"
		}
		return show(e.x) + "?[" + list(e.args) + "]"
	case opEval:
		if e.x.op == opConst {
			return show(e.x)
		}
		return "eval(" + show(e.x) + ")"
	case opAny, opTimeout, opPid, opNrPr, opNull:
		return map[opcode]string{opAny: "_", opTimeout: "timeout", opPid: "_pid", opNrPr: "_nr_pr", opNull: "null"}[e.op]
	case opNew:
		return "new " + e.of.name
	}
	s := e.name
	if e.x != nil {
		s += "[" + show(e.x) + "]"
	}
	if e.op == opAt {
		return s + "@" + e.text
	}
	return s + ":" + show(e.y)
}
