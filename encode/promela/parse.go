package promela

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"orbitmc/internal/front"
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
	note     noting    // is told the names
	wrong    *[]*Error // gets errors in processes, behind which reading goes on; nil: the first error ends it
}

// inline is a named sequence.
type inline struct {
	at     place
	params []string
	body   []token // with its braces
}

// parse reads a program, and what the options want of its claims.
func parse(toks []token, opt Options) *file {
	return parseNoting(toks, opt, unnoted, nil)
}

// parseNoting is parse, and tells note about names. If wrong is not nil it gets all errors in processes; then
// reading ends with one of them.
func parseNoting(toks []token, opt Options, note noting, wrong *[]*Error) *file {
	p := &parser{toks: toks, note: note, wrong: wrong, file: &file{opt: opt}, globals: map[string]*sym{}, types: map[string]*typedef{}, inlines: map[string]*inline{}, procs: map[string]*proctype{}, sets: map[string]int{}}
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
	p.file.watch()
	switch {
	case p.file.wants():
		p.formulas()
	case !opt.NoClaims:
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

// watch notes the labels that others look at, processes and claims.
func (f *file) watch() {
	for _, q := range f.procs {
		q.watched = map[string]bool{}
	}
	f.exprs(func(e *expr) {
		e.each(func(x *expr) {
			if x.op == opAt {
				x.proc.watched[x.text] = true
			}
		})
	})
	for _, c := range f.claims {
		for i, t := range c.text {
			if t.text != "@" || i == 0 || i+1 == len(c.text) {
				continue
			}
			k, depth := i-1, 0 // the name before it, over what is in brackets
			for ; k > 0 && (depth > 0 || c.text[k].text == "]"); k-- {
				depth += map[string]int{"]": 1, "[": -1}[c.text[k].text]
			}
			for _, q := range f.procs {
				if q.name == c.text[k].text {
					q.watched[c.text[i+1].text] = true
				}
			}
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

// Keywords lists the words of the language in order.
func Keywords() []string { return slices.Sorted(maps.Keys(keywords)) }

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

// items reads what stands between commas, and the closing word.
func (p *parser) items(closing string, read func()) {
	for !p.is(closing) {
		read()
		if !p.is(closing) {
			p.expect(",")
		}
	}
	p.expect(closing)
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
	e := attempt(p.unit)
	if e == nil {
		return
	}
	if p.wrong == nil || p.proc == nil {
		panic(e)
	}
	*p.wrong = append(*p.wrong, e)
	p.proc, p.scopes, p.blocks, p.loops, p.inSeq, p.parens = nil, nil, nil, nil, false, 0
	for p.peek().kind != tEOF && !slices.Contains(units, p.peek().text) {
		p.next()
	}
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
	case "never", "trace", "notrace", "ltl":
		p.next()
		c := &claim{name: t.text, kind: t.text, at: t.at, before: len(p.file.procs), size: -1}
		if c.kind == "ltl" {
			c.name, c.size = fmt.Sprintf("ltl_%d", len(p.file.claims)), 0
		}
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
		if e := p.index(); e != nil {
			n = p.size(e)
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
	p.decls(")", "a parameter", &q.params)
	p.expect(")")
	q.rank.init.val = p.priority()
	if p.accept("provided") {
		q.provided = p.inParens()
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
	p.known(p.proc.at)
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
	p.decls("}", "a field", &d.fields)
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
	p.items(")", func() { in.params = append(in.params, p.ident("a parameter").text) })
	from := p.i
	open := p.peek()
	p.braces()
	p.known(name.at)
	in.body = slices.Clone(p.toks[from:p.i])
	in.body[0].at = open.at
	p.inlines[name.text] = in
}

// call expands an inline in place: its block is read next.
func (p *parser) call(name token) {
	in := p.inlines[name.text]
	p.noteInline(name.at, name.text, in)
	p.next()
	args, n := arguments(p.toks[p.i:], "([{", ")]}")
	if n == 0 {
		fail(name.at, "the call of %s is not closed", name.text)
	}
	p.i += n
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

// visible lists the variables and messages that may be named, the innermost first.
func (p *parser) visible() (all []string) {
	for _, scope := range slices.Backward(p.scopes) {
		all = append(all, slices.Sorted(maps.Keys(scope))...)
	}
	return append(all, slices.Sorted(maps.Keys(p.globals))...)
}

// lookup finds a variable; nil if there is none.
func (p *parser) lookup(name string) *sym {
	for _, scope := range slices.Backward(p.scopes) {
		if s := scope[name]; s != nil {
			return s
		}
	}
	return p.globals[name]
}
