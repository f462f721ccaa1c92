// Recursive-descent parser: files, rules and properties. Declarations and types
// are in parse_decl.go, statements in parse_stmt.go, expressions in
// parse_expr.go.
//
// After a syntax error the parser skips to a place where the same kind of thing
// can begin again and goes on; a second error at the same token is not
// reported. Nesting is limited to maxNesting, so that neither this parser nor
// anything that walks the result can exhaust the stack.

package murphi

import (
	"fmt"
	"strings"

	"orbitmc/internal/front"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// maxNesting is how deep parentheses, prefix operators, statements, types and
// rulesets may nest in each other.
const maxNesting = 1000

type parser struct {
	lex   lexer
	tok   token     // the next token, not yet consumed
	last  token     // the one before it
	after model.Pos // where that ends
	past  int       // the offset there
	r     *reporter
	errAt model.Pos         // where the last syntax error was reported
	told  map[string]bool   // what was already reported as not supported
	procs map[string]bool   // names, in lower case, of procedures and functions so far
	vars  map[string][]bool // of each of them, by its name, which parameters are var parameters
	// writes counts what may assign a variable, lastWrite is its value at the last
	// one of the name.
	writes    int
	lastWrite map[string]int
	returns   int       // statements
	bound     []ident   // by the rulesets around
	assigns   bool      // ':=' may follow the first operand of the expression at hand
	closed    string    // says what the last 'end' ended
	closedIn  model.Pos // where that begins
	depth     int
	stop      bool // nothing more is read

	designators []*designator // that were read

	formulas bool   // formulas are wanted, and so is fairness
	inside   string // the kind of formula that is at hand, "ltl", "ctl" or "pctl"
}

func parseFile(src string, d model.Dialect, r *reporter, formulas bool) []node {
	p := newParser(d, r)
	p.formulas = formulas
	return p.file(src)
}

func (p *parser) file(src string) []node {
	p.lex.src = strings.TrimPrefix(src, "\ufeff")
	p.next()
	var items []node
	for p.tok.kind != tEOF {
		items = append(items, p.topLevel()...)
	}
	return items
}

func newParser(d model.Dialect, r *reporter) *parser {
	p := &parser{r: r, told: make(map[string]bool), procs: make(map[string]bool), vars: make(map[string][]bool), lastWrite: make(map[string]int)}
	p.lex = newLexer("", d, r.errorf)
	return p
}

// next moves to the next token, past any the lexer rejected.
func (p *parser) next() {
	p.last, p.after, p.past = p.tok, p.lex.pos(), p.lex.off
	for {
		if p.stop || p.r.full {
			p.tok = token{kind: tEOF, pos: p.tok.pos}
			return
		}
		bad := p.tok.kind == tBad
		p.tok = p.lex.next()
		if bad {
			p.errAt = p.tok.pos
		}
		if p.tok.kind != tBad {
			return
		}
	}
}

// peek returns the kind of the token after the next.
func (p *parser) peek() kind {
	ahead := p.lex
	ahead.report = func(model.Pos, string, ...any) {}
	return ahead.next().kind
}

// got consumes the next token if it is of kind k.
func (p *parser) got(k kind) bool {
	if p.tok.kind == k {
		p.next()
		return true
	}
	return false
}

// semicolons consumes any number of them.
func (p *parser) semicolons() {
	for p.got(";") {
	}
}

// want consumes a token of kind k or reports that it was expected.
func (p *parser) want(k kind) bool { return p.wantAs(k, k.String()) }

// wantAs is want that says what was expected in other words.
func (p *parser) wantAs(k kind, what string) bool {
	if p.got(k) {
		return true
	}
	p.unexpected(what)
	return false
}

// wantWord consumes the keyword k, which stands between a head and a body. If
// it is missing and not close, the rest of the statement is skipped.
func (p *parser) wantWord(k kind) {
	if !p.want(k) {
		p.skipTo(func(t kind) bool { return t == k || t == ";" || endsStmts(t) })
		p.got(k)
	}
}

// unexpected reports the next token, where what was expected. A word or sign that is
// missing at the end of a line is reported there.
func (p *parser) unexpected(what string) {
	if s := spelling[strings.ToLower(p.last.text)]; s != "" && p.last.kind == tIdent && what == "':='" {
		p.errorAt(p.last.pos, "'%s' is written '%s'", p.last.text, s)
		return
	}
	hint := p.hint(what)
	if p.tok.pos.Line > p.after.Line && strings.HasPrefix(what, "'") && !strings.HasPrefix(what, "'end'") && hint == "" {
		p.errorAt(p.after, "expected %s, found %v in line %d", what, p.tok, p.tok.pos.Line)
		return
	}
	p.errorf("expected %s, found %v%s", what, p.tok, hint)
}

// errorf reports a syntax error at the next token, once.
func (p *parser) errorf(format string, args ...any) { p.errorAt(p.tok.pos, format, args...) }

// errorAt is errorf with another position.
func (p *parser) errorAt(pos model.Pos, format string, args ...any) {
	if p.tok.pos != p.errAt {
		p.errAt = p.tok.pos
		p.r.errorf(pos, format, args...)
	}
}

// unsupported reports msg the first time.
func (p *parser) unsupported(pos model.Pos, msg string) {
	if !p.told[msg] {
		p.told[msg] = true
		p.r.errorf(pos, "%s", msg)
	}
}

// enter counts a level of nesting; every call is matched by leave. Too deep,
// it ends the input.
func (p *parser) enter() {
	p.depth++
	if p.depth > maxNesting && !p.stop {
		p.errorf("nested more than %d deep", maxNesting)
		p.stop = true
		p.next()
	}
}

func (p *parser) leave() { p.depth-- }

// skipTo skips tokens until stop holds or the input ends.
func (p *parser) skipTo(stop func(kind) bool) {
	for p.tok.kind != tEOF && !stop(p.tok.kind) {
		p.next()
	}
}

// isWord reports whether the next token is the identifier w in any case.
func (p *parser) isWord(w string) bool {
	return p.tok.kind == tIdent && strings.EqualFold(p.tok.text, w)
}

// startsSection reports whether a declaration section, rule or function can
// begin with k, and nothing else can.
func startsSection(k kind) bool {
	switch k {
	case "const", "type", "var", "rule", "startstate", "ruleset", "function", "procedure":
		return true
	}
	return false
}

// topLevel reads one section, function or rule.
func (p *parser) topLevel() []node {
	switch p.tok.kind {
	case "const", "type", "var":
		return p.section()
	case "function", "procedure":
		return []node{p.procedure()}
	case ";":
		p.next()
		return nil
	}
	if n, ok := p.rule(); ok {
		return n
	}
	switch {
	case p.isWord("pctl"):
		pos := p.tok.pos
		p.inside = "pctl"
		p.next()
		n := &chanceNode{body: p.expr(), pos: pos}
		p.inside = ""
		return []node{n}
	case p.isWord("fairness") && p.formulas:
		pos := p.tok.pos
		p.next()
		cond, name := p.property()
		return []node{&propNode{"fairness", name, cond, pos}}
	case p.isWord("fairness"):
		p.unsupported(p.tok.pos, noFairness)
		p.next()
		p.property()
	case p.isWord("externfun"), p.isWord("externproc"):
		p.unsupported(p.tok.pos, noExternals)
		p.next()
		p.skipTo(func(k kind) bool { return k == ";" })
	default:
		p.unexpected("a declaration or a rule")
		p.next()
		p.skipTo(func(k kind) bool { return startsSection(k) || k == "invariant" })
	}
	return nil
}

// end consumes the word that closes what, opened at pos: "end" or its own.
func (p *parser) end(what string, pos model.Pos) {
	at := p.tok.pos
	if p.got("end") || p.got(kind("end"+strings.ReplaceAll(what, " ", ""))) {
		p.closed = fmt.Sprintf("the 'end' at %v ends the %s at %v", at, what, pos)
		p.closedIn = pos
		if what != "record" {
			p.ends(pos)
		}
		return
	}
	inner := ""
	if p.closedIn.Line > pos.Line { // it may have been meant for this
		inner = "; " + p.closed
	}
	p.errorf("expected 'end' of the %s at %v, found %v%s%s", what, pos, p.tok, p.hint("'end'"), inner)
}

// ends notes that a block that begins at pos ends here.
func (p *parser) ends(pos model.Pos) {
	p.r.blocks = append(p.r.blocks, front.Block{From: front.Place{File: p.r.file, Pos: pos}, To: p.after})
}

// ruleWord returns, in lower case, the next token if it is an identifier that
// can begin a rule.
func (p *parser) ruleWord() string {
	if p.tok.kind == tIdent {
		for _, w := range [...]string{"assume", "cover", "liveness", "choose", "fairness", "pctl", "distribution", "externfun", "externproc"} {
			if p.isWord(w) {
				return w
			}
		}
	}
	return ""
}

// propertyWord returns "assume", "cover" or "liveness" if that word comes next and
// begins a property rather than being a name, because a condition or a message
// follows, and tEOF otherwise. It is the name of a procedure if there is one.
func (p *parser) propertyWord() kind {
	word := p.ruleWord()
	if propertyWords[word] && !p.procs[word] {
		if k := p.peek(); k == tString || startsExpr(k) && k != "-" && k != "+" {
			return kind(word)
		}
	}
	return tEOF
}

var propertyWords = map[string]bool{"assume": true, "cover": true, "liveness": true}

// rule reads a rule, start state, ruleset or property, if one begins here.
func (p *parser) rule() ([]node, bool) {
	p.enter()
	defer p.leave()
	pos := p.tok.pos
	switch p.tok.kind {
	case "rule":
		return []node{p.simpleRule()}, true
	case "startstate":
		return []node{p.startstate()}, true
	case "ruleset":
		p.next()
		s := &rulesetNode{quants: p.quantifiers()}
		defer p.leaveQuantifiers(s.quants)
		p.do()
		outer := len(p.bound)
		for _, q := range s.quants {
			p.bound = append(p.bound, q.name)
		}
		s.rules = p.rules()
		p.bound = p.bound[:outer]
		p.end("ruleset", pos)
		return []node{s}, true
	case "invariant", "assert":
		p.next()
		cond, name := p.property()
		return []node{&propNode{"invariant", name, cond, pos}}, true
	case "alias":
		n := &aliasNode{binds: p.aliases()}
		defer p.leaveAliases(n.binds)
		n.rules = p.rules()
		p.end("alias", pos)
		return []node{n}, true
	}
	if w := p.propertyWord(); w != tEOF {
		p.next()
		cond, name := p.property()
		return []node{&propNode{w, name, cond, pos}}, true
	}
	if p.isWord("distribution") {
		p.next()
		n := &distributionNode{rules: p.rules(), pos: pos}
		p.end("distribution", pos)
		return []node{n}, true
	}
	if p.isWord("choose") {
		p.next()
		n := &chooseNode{name: p.ident(), pos: pos}
		p.want(":")
		n.set = p.designator()
		p.do()
		n.rules = p.rules()
		if p.isWord("endchoose") {
			p.next()
			p.ends(pos)
		} else {
			p.end("choose", pos)
		}
		return []node{n}, true
	}
	return nil, false
}

// rules reads rules up to something else.
func (p *parser) rules() []node {
	var rules []node
	for {
		p.semicolons()
		r, ok := p.rule()
		if !ok {
			return rules
		}
		rules = append(rules, r...)
	}
}

// property reads a condition with an optional message before or after it.
func (p *parser) property() (cond expr, name string) {
	if p.tok.kind == tString {
		name = p.tok.text
		p.next()
		return p.expr(), name
	}
	return p.expr(), p.optString()
}

func (p *parser) optString() string {
	if p.tok.kind != tString {
		return ""
	}
	s := p.tok.text
	p.next()
	return s
}

// mayWrite notes that the expression x, if it is a variable, may be assigned.
func (p *parser) mayWrite(x expr) {
	if d, ok := x.(*designator); ok && !d.call && len(d.sels) == 0 {
		p.writes++
		p.lastWrite[d.base.name] = p.writes
	}
}

// written returns those of the names that may have been assigned since writes had
// the given value.
func (p *parser) written(names []ident, since int) (list []ident) {
	return lists.Where(names, func(id ident) bool { return p.lastWrite[id.name] > since })
}

func (p *parser) startstate() node {
	r := &ruleNode{start: true, pos: p.tok.pos}
	since, returns := p.writes, p.returns
	p.next()
	r.name = p.optString()
	p.body(r)
	r.written, r.returns = p.written(p.bound, since), p.returns > returns
	p.end("start state", r.pos)
	return r
}

func (p *parser) simpleRule() node {
	r := &ruleNode{pos: p.tok.pos}
	since := p.writes
	defer func() { r.written = p.written(p.bound, since) }()
	p.next()
	if p.tok.kind == tNumber {
		switch after := p.peek(); {
		case after == tString, after == "begin", startsExpr(after) && after != "-" && after != "+":
			r.priority = &numberLit{p.tok.value, p.tok.text, p.tok.pos}
			p.next()
		}
	}
	r.name = p.optString()
	if w := p.multisetWord(); startsExpr(p.tok.kind) && p.propertyWord() == tEOF && (w == "" || w == "multisetcount") {
		// Either the guard or the beginning of a first statement.
		p.assigns = true
		e := p.expr()
		d, ok := e.(*designator)
		switch {
		case p.got("==>"):
			r.guard = e
		case ok && (p.tok.kind == ":=" || d.isCall() && (p.tok.kind == ";" || endsStmts(p.tok.kind))):
			at := p.tok
			first := p.afterDesignator(d)
			if p.tok.kind == "==>" && at.kind == ":=" {
				p.errorAt(at.pos, "':=' assigns, '=' compares")
				p.next()
				break
			}
			r.body = p.stmtsAfter(first)
			p.end("rule", r.pos)
			return r
		default:
			p.unexpected("'==>'")
			p.skipTo(func(k kind) bool { return k == "==>" || k == "=>" || k == ";" || k == "begin" || endsStmts(k) })
			if !p.got("=>") {
				p.got("==>")
			}
		}
	}
	p.body(r)
	p.end("rule", r.pos)
	return r
}

// body reads local declarations and statements.
func (p *parser) body(r *ruleNode) {
	for p.tok.kind == "const" || p.tok.kind == "type" || p.tok.kind == "var" {
		r.decls = append(r.decls, p.section()...)
	}
	if len(r.decls) > 0 {
		p.wantAs("begin", "'begin' after the declarations")
	} else {
		p.got("begin")
	}
	r.body = p.stmts()
}

// quantifiers reads one or more quantifiers separated by semicolons. Each is a
// level of nesting until leaveQuantifiers.
func (p *parser) quantifiers() []*quantifier {
	var qs []*quantifier
	for {
		p.enter()
		q := &quantifier{name: p.ident()}
		if p.got(":=") {
			q.from = p.expr()
			p.want("to")
			q.to = p.expr()
			if p.got("by") {
				q.by = p.expr()
			}
		} else {
			p.wantAs(":", "':' or ':='")
			q.typ = p.typeExpr()
		}
		qs = append(qs, q)
		semi := false
		for p.got(";") {
			semi = true
		}
		if !semi || p.tok.kind != tIdent {
			return qs
		}
	}
}

func (p *parser) leaveQuantifiers(qs []*quantifier) { p.depth -= len(qs) }

// do consumes do, for which a colon may stand.
func (p *parser) do() {
	if !p.got(":") {
		p.wantWord("do")
	}
}
