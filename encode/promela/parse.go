package promela

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"orbitmc/front"
)

// parser reads tokens. Inlines are expanded into toks where they are called.
type parser struct {
	toks   []token
	i      int
	last   token // the one before
	inSeq  bool  // in a body or typedef, where the end of a line may end a statement
	parens int

	file     *file
	globals  map[string]*sym
	scopes   []map[string]*sym // blocks of the process, the outermost first
	blocks   []int             // their numbers
	block    int
	types    map[string]*typedef
	inlines  map[string]*inline
	procs    map[string]*proctype
	sets     map[string]int // mtype sets: how many names
	proc     *proctype
	early    bool // no statement of the process has been read
	loops    []*stmt
	calls    []*expr // that name proctypes
	expanded int
	temps    int
	note     noting    // is told the names; nil: nobody is
	wrong    *[]*Error // gets errors in processes, behind which reading goes on; nil: the first error ends it
}

// inline is a named sequence.
type inline struct {
	at     place
	params []string
	body   []token // with its braces
}

// parse reads a program, and makes monitors of its claims, or only names these.
func parse(toks []token, claims bool, wanted []string) *file {
	return parseNoting(toks, claims, wanted, nil, nil)
}

// parseNoting is parse, and tells note about names. If wrong is not nil it gets all errors in processes; then
// reading ends with one of them.
func parseNoting(toks []token, claims bool, wanted []string, note noting, wrong *[]*Error) *file {
	p := &parser{toks: toks, note: note, wrong: wrong, file: &file{}, globals: map[string]*sym{}, types: map[string]*typedef{}, inlines: map[string]*inline{}, procs: map[string]*proctype{}, sets: map[string]int{}}
	for p.peek().kind != tEOF {
		p.unitOrSkip()
	}
	if wrong != nil && len(*wrong) > 0 {
		panic((*wrong)[0])
	}
	p.resolve()
	if len(p.file.procs) == 0 {
		fail(p.peek().at, "there is no process: no proctype is active, and there is no init")
	}
	p.file.checkReferences()
	p.file.wanted = wanted
	switch {
	case wanted != nil:
		p.formulas()
	case claims:
		p.claims()
	}
	return p.file
}

// resolve finds the proctypes that expressions name.
func (p *parser) resolve() {
	for _, e := range p.calls {
		if e.proc = p.procs[e.name]; e.proc == nil {
			fail(e.at, "there is no proctype %s%s", e.name, front.DidYouMean(e.name, slices.Sorted(maps.Keys(p.procs))))
		}
		p.noteProc(e.at, e.proc)
		if n := len(e.proc.params); e.op == opRun && n != len(e.args) {
			fail(e.at, "%s takes %d arguments, not %d", e.name, n, len(e.args))
		}
	}
}

// semi is the token that the end of a line stands for.
var semi = token{kind: tOp, text: ";"}

// ends reports whether the end of a line after t may end a statement.
func ends(t token) bool {
	switch t.kind {
	case tNum:
		return true
	case tOp:
		return strings.Contains("} ) ] ++ --", t.text) && t.text != " "
	case tName:
		switch t.text {
		case "od", "fi", "else", "break", "skip", "true", "false":
			return true
		}
		return !keywords[t.text]
	}
	return false
}

// keywords are the names that are no variables.
var keywords = func() map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(`active assert atomic bit bool break byte c_code c_decl c_expr c_state c_track
		D_proctype do chan d_step else empty enabled eval false fi for full get_priority goto hidden if init inline int len
		local ltl mtype nempty never nfull notrace np_ od of pc_value pid printf printm priority proctype provided return run
		select set_priority short skip timeout trace true show typedef unless unsigned xr xs`) {
		all[w] = true
	}
	return all
}()

// peek returns the next token without reading it.
func (p *parser) peek() token {
	t := p.toks[p.i]
	if t.nl && p.inSeq && p.parens == 0 && ends(p.last) && !(p.last.text == "}" && t.text == "unless") {
		s := semi
		s.at = p.last.at
		return s
	}
	return t
}

// next reads a token.
func (p *parser) next() token {
	t := p.peek()
	if t.text == ";" && p.toks[p.i].text != ";" {
		p.last = t
		return t
	}
	if t.kind == tOp && t.text == ";" && p.toks[p.i].nl && p.last.text != ";" && p.inSeq && ends(p.last) {
		p.last = t // an implied one before a written one
		return t
	}
	if p.i < len(p.toks)-1 {
		p.i++
	}
	switch {
	case t.kind != tOp:
	case t.text == "(":
		p.parens++
	case t.text == ")" && p.parens > 0:
		p.parens--
	}
	p.last = t
	return t
}

// mark and reset go back in the tokens.
type mark struct {
	i, parens int
	last      token
}

func (p *parser) mark() mark   { return mark{p.i, p.parens, p.last} }
func (p *parser) reset(m mark) { p.i, p.parens, p.last = m.i, m.parens, m.last }

func (p *parser) is(text string) bool {
	t := p.peek()
	return t.kind != tStr && t.text == text
}

// after returns the token behind the next one.
func (p *parser) after() token {
	m := p.mark()
	p.next()
	t := p.peek()
	p.reset(m)
	return t
}

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(text string) token {
	if t := p.peek(); !p.is(text) {
		fail(t.at, "expected %q before %s", text, t.show())
	}
	return p.next()
}

// show names a token in a message.
func (t token) show() string {
	if t.kind == tEOF {
		return "the end of the file"
	}
	return fmt.Sprintf("%q", t.text)
}

// ident reads a name that is no keyword.
func (p *parser) ident(what string) token {
	t := p.peek()
	if t.kind != tName || keywords[t.text] {
		fail(t.at, "expected %s before %s", what, t.show())
	}
	return p.next()
}

// unitOrSkip reads a unit. Behind an error in a process it goes on with the next unit, if errors are collected. An
// error in a declaration ends it, as what follows may need what was declared.
func (p *parser) unitOrSkip() {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			if p.wrong == nil || p.proc == nil {
				panic(e)
			}
			*p.wrong = append(*p.wrong, e)
			p.proc, p.scopes, p.blocks, p.loops, p.inSeq, p.parens = nil, nil, nil, nil, false, 0
			for p.peek().kind != tEOF && !slices.Contains(units, p.peek().text) {
				p.next()
			}
		default:
			panic(e)
		}
	}()
	p.unit()
}

// units are words that begin a unit, and stand nowhere else.
var units = []string{"active", "proctype", "D_proctype", "init", "never", "trace", "notrace", "ltl", "typedef", "inline"}

// unit reads one part of a program.
func (p *parser) unit() {
	t := p.peek()
	switch t.text {
	case ";", "->":
		p.next()
	case "active", "proctype", "D_proctype":
		p.proctype()
	case "init":
		p.next()
		p.addProc(&proctype{name: "init", at: t.at, active: 1})
		p.proc.rank.init.val = p.priority()
		p.body()
	case "never", "trace", "notrace":
		p.next()
		c := &claim{name: t.text, kind: t.text, at: t.at, before: len(p.file.procs), size: -1}
		if p.peek().kind == tName {
			c.name = p.next().text
		}
		c.text = p.braces()
		p.file.claims = append(p.file.claims, c)
	case "ltl":
		p.next()
		c := &claim{name: fmt.Sprintf("ltl_%d", len(p.file.claims)), kind: "ltl", at: t.at, before: len(p.file.procs)}
		if p.peek().kind == tName {
			c.name = p.next().text
		}
		c.text = p.braces()
		p.file.claims = append(p.file.claims, c)
	case "typedef":
		p.typedef()
	case "inline":
		p.inline()
	case "c_code", "c_decl", "c_expr", "c_state", "c_track":
		fail(t.at, "embedded C (%s) is not supported", t.text)
	default:
		if t.text == "heap" && p.types[t.text] == nil {
			p.heap()
			break
		}
		if !p.declares() {
			fail(t.at, "expected a declaration before %s", t.show())
		}
		p.decl(nil)
	}
}

// braces skips a block and returns what is inside.
func (p *parser) braces() []token {
	open := p.expect("{")
	depth, from := 1, p.i
	for {
		t := p.toks[p.i]
		if t.kind == tEOF {
			fail(open.at, "the brace is not closed")
		}
		p.i++
		p.last = t
		if t.kind == tOp && t.text == "{" {
			depth++
		}
		if t.kind == tOp && t.text == "}" {
			if depth--; depth == 0 {
				return p.toks[from : p.i-1]
			}
		}
	}
}

func (p *parser) proctype() {
	n := 0
	if p.accept("active") {
		n = 1
		if p.accept("[") {
			n = p.size(p.expr(0))
			p.expect("]")
		}
	}
	if !p.accept("D_proctype") {
		p.expect("proctype")
	}
	name := p.ident("the name of the proctype")
	if p.procs[name.text] != nil {
		fail(name.at, "proctype %s is declared twice", name.text)
	}
	q := &proctype{name: name.text, at: name.at, active: n}
	p.addProc(q)
	p.noteProc(name.at, q)
	p.expect("(")
	for !p.is(")") {
		if !p.declares() {
			fail(p.peek().at, "expected a parameter before %s", p.peek().show())
		}
		p.decl(&q.params)
		for p.accept(";") {
		}
	}
	p.expect(")")
	q.rank.init.val = p.priority()
	if p.accept("provided") {
		p.expect("(")
		q.provided = p.expr(0)
		p.expect(")")
	}
	p.body()
}

func (p *parser) addProc(q *proctype) {
	q.index = len(p.file.procs)
	p.file.procs = append(p.file.procs, q)
	p.procs[q.name] = q
	p.proc = q
	q.rank = &sym{name: "_priority", at: q.at, typ: typ{base: bByte}, n: 1, proc: q, in: true, write: true, init: &expr{op: opConst, at: q.at}}
	p.scopes, p.blocks = []map[string]*sym{{q.rank.name: q.rank}}, []int{0}
}

// priority reads the priority of a process, which is 1 if there is none.
func (p *parser) priority() int64 {
	if !p.accept("priority") {
		return 1
	}
	p.file.ranks = true
	t := p.next()
	v, ok := t.val, t.kind == tNum
	if s := p.globals[t.text]; s != nil && s.constant {
		v, ok = s.val, true
	}
	if !ok || v < 1 || v > 255 {
		fail(t.at, "a priority is a number from 1 to 255")
	}
	return v
}

// body reads the body of a process.
func (p *parser) body() {
	p.expect("{")
	p.inSeq, p.early = true, true
	p.proc.body = p.sequence("}")
	p.inSeq = false
	p.expect("}")
	p.proc, p.scopes, p.blocks = nil, nil, nil
	if len(p.loops) > 0 {
		panic("promela: a loop is left open")
	}
}

func (p *parser) typedef() {
	p.next()
	name := p.ident("the name of the type")
	if p.types[name.text] != nil {
		fail(name.at, "type %s is declared twice", name.text)
	}
	d := &typedef{name: name.text, at: name.at, open: true}
	p.types[d.name] = d
	p.noteType(name.at, d)
	p.expect("{")
	p.inSeq = true
	outer := p.globals
	p.globals = maps.Clone(outer)
	for !p.is("}") {
		if !p.declares() {
			fail(p.peek().at, "expected a field before %s", p.peek().show())
		}
		p.decl(&d.fields)
		for p.accept(";") {
		}
	}
	p.globals = outer
	p.inSeq = false
	p.expect("}")
	d.open = false
	if len(d.fields) == 0 {
		fail(d.at, "type %s has no field", d.name)
	}
}

func (p *parser) inline() {
	p.next()
	name := p.ident("the name of the inline")
	in := &inline{at: name.at}
	p.noteInline(name.at, name.text, in)
	p.expect("(")
	for !p.is(")") {
		in.params = append(in.params, p.ident("a parameter").text)
		if !p.is(")") {
			p.expect(",")
		}
	}
	p.expect(")")
	from := p.i
	open := p.peek()
	p.braces()
	in.body = slices.Clone(p.toks[from:p.i])
	in.body[0].at = open.at
	p.inlines[name.text] = in
}

// call expands an inline in place: its block is read next.
func (p *parser) call(name token) {
	in := p.inlines[name.text]
	p.noteInline(name.at, name.text, in)
	p.next()
	p.expect("(")
	var args [][]token
	var arg []token
	for depth := 1; ; {
		t := p.toks[p.i]
		if t.kind == tEOF {
			fail(name.at, "the call of %s is not closed", name.text)
		}
		p.i++
		if t.kind == tOp {
			switch t.text {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				depth--
			}
			if depth == 0 {
				break
			}
			if t.text == "," && depth == 1 {
				args, arg = append(args, arg), nil
				continue
			}
		}
		arg = append(arg, t)
	}
	p.parens--
	if len(arg) > 0 || len(args) > 0 {
		args = append(args, arg)
	}
	if len(args) != len(in.params) {
		fail(name.at, "%s takes %d arguments, not %d", name.text, len(in.params), len(args))
	}
	var out []token
	for k, t := range in.body {
		i := slices.Index(in.params, t.text)
		if t.kind != tName || i < 0 || k > 0 && in.body[k-1].text == "." {
			out = append(out, t)
			continue
		}
		for j, a := range args[i] {
			a.nl = j == 0 && t.nl
			out = append(out, a)
		}
	}
	if p.expanded += len(out); p.expanded > maxTokens {
		fail(name.at, "inlines expand to more than %d words, perhaps as %s calls itself", maxTokens, name.text)
	}
	out[0].nl = false
	p.toks = append(out, p.toks[p.i:]...)
	p.i = 0
	p.last = token{kind: tOp, text: "{"}
}

// baseTypes are the names of simple types.
var baseTypes = map[string]typ{
	"bit": {base: bBit}, "bool": {base: bBit}, "byte": {base: bByte}, "pid": {base: bByte}, "short": {base: bShort},
	"int": {base: bInt}, "unsigned": {base: bUnsigned}, "mtype": {base: bMtype}, "chan": {base: bChan},
}

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
		if !p.is(",") {
			break
		}
		p.next()
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
	if p.accept("[") {
		s.n, s.array = p.size(p.expr(0)), true
		p.expect("]")
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
		for !p.is("}") {
			if !p.declares() {
				fail(p.peek().at, "expected a type before %s", p.peek().show())
			}
			at := p.peek().at
			ty := p.typeName()
			if t := p.peek(); t.text == "&" {
				fail(t.at, "a message holds no reference")
			}
			c.fields = unfoldType(c.fields, ty, at)
			if !p.is("}") {
				p.expect(",")
			}
		}
		p.expect("}")
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
		nothing := &stmt{kind: sAssign, at: s.at, lhs: &expr{op: opAny, at: s.at}, e: &expr{op: opConst, at: s.at}}
		nothing.text = nothing.words()
		return []*stmt{nothing}
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
	st.text = st.words()
	return []*stmt{st}
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

// visible lists the variables and messages that may be named, the innermost first.
func (p *parser) visible() (all []string) {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		all = append(all, slices.Sorted(maps.Keys(p.scopes[i]))...)
	}
	return append(all, slices.Sorted(maps.Keys(p.globals))...)
}

// lookup finds a variable; nil if there is none.
func (p *parser) lookup(name string) *sym {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		if s := p.scopes[i][name]; s != nil {
			return s
		}
	}
	return p.globals[name]
}
