// Recursive-descent parser: files, declarations, types and rules. Statements
// are in parse_stmt.go, expressions in parse_expr.go.
//
// After a syntax error the parser skips to a place where the same kind of thing
// can begin again and goes on; a second error at the same token is not
// reported. Nesting is limited to maxNesting, so that neither this parser nor
// anything that walks the result can exhaust the stack.

package murphi

import (
	"strings"

	"orbitmc/model"
)

// maxNesting is how deep parentheses, prefix operators, statements, types and
// rulesets may nest in each other.
const maxNesting = 1000

type parser struct {
	lex   lexer
	tok   token // the next token, not yet consumed
	r     *reporter
	errAt model.Pos       // where the last syntax error was reported
	told  map[string]bool // features already reported as not supported
	depth int
	stop  bool // nothing more is read
}

func parseFile(src string, d model.Dialect, r *reporter) []node {
	p := &parser{r: r, told: make(map[string]bool)}
	p.lex = newLexer(src, d, func(pos model.Pos, format string, args ...any) {
		if len(args) == 1 && format == notYet {
			p.unsupported(pos, args[0].(string))
			return
		}
		r.errorf(pos, format, args...)
	})
	p.next()
	var items []node
	for p.tok.kind != tEOF {
		items = append(items, p.topLevel()...)
	}
	return items
}

// next moves to the next token, past any the lexer rejected.
func (p *parser) next() {
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

// want consumes a token of kind k or reports that what was expected.
func (p *parser) want(k kind, what string) bool {
	if p.got(k) {
		return true
	}
	p.unexpected(what)
	return false
}

// wantWord consumes the keyword k, which stands between a head and a body. If
// it is missing and not close, the rest of the statement is skipped.
func (p *parser) wantWord(k kind, what string) {
	if !p.want(k, what) {
		p.skipTo(func(t kind) bool { return t == k || t == tSemi || endsStmts(t) })
		p.got(k)
	}
}

// unexpected reports the next token, where what was expected.
func (p *parser) unexpected(what string) {
	p.errorf("expected %s, found %v", what, p.tok)
}

// errorf reports a syntax error at the next token, once.
func (p *parser) errorf(format string, args ...any) {
	if p.tok.pos != p.errAt {
		p.errAt = p.tok.pos
		p.r.errorf(p.tok.pos, format, args...)
	}
}

// unsupported reports what (with its verb: "unions are") the first time.
func (p *parser) unsupported(pos model.Pos, what string) {
	if !p.told[what] {
		p.told[what] = true
		p.r.errorf(pos, notYet, what)
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

// skipGroup skips a bracketed group, from its opening token to the matching
// closing one.
func (p *parser) skipGroup(open, close kind) {
	for n := 0; p.tok.kind != tEOF; {
		k := p.tok.kind
		p.next()
		if k == open {
			n++
		} else if k == close {
			n--
		}
		if n == 0 {
			return
		}
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
	case tConst, tType, tVar, tRule, tStartstate, tRuleset, tFunction, tProcedure:
		return true
	}
	return false
}

// topLevel reads one section, function or rule.
func (p *parser) topLevel() []node {
	switch p.tok.kind {
	case tConst, tType, tVar:
		return p.section()
	case tFunction, tProcedure:
		p.function()
		return nil
	case tSemi:
		p.next()
		return nil
	}
	if n, ok := p.rule(); ok {
		return n
	}
	switch {
	case p.isWord("pctl"):
		p.unsupported(p.tok.pos, "PCTL formulas are")
		p.next()
		p.skipTo(startsSection)
	case p.isWord("externfun"), p.isWord("externproc"):
		p.unsupported(p.tok.pos, "external functions are")
		p.next()
		p.skipTo(func(k kind) bool { return k == tSemi })
	default:
		p.unexpected("a declaration or a rule")
		p.next()
		p.skipTo(func(k kind) bool { return startsSection(k) || k == tInvariant })
	}
	return nil
}

// section reads const, type or var and the declarations that follow.
func (p *parser) section() []node {
	k := p.tok.kind
	p.next()
	var decls []node
	for {
		for p.got(tSemi) {
		}
		if p.tok.kind != tIdent {
			return decls
		}
		// A word that opens a rule is a name here only if a colon or comma follows.
		if p.ruleWord() != "" {
			if after := p.peek(); after != tColon && after != tComma {
				return decls
			}
		}
		names := p.names()
		if !p.want(tColon, "':'") {
			p.skipTo(func(k kind) bool { return k == tSemi || k == tBegin || startsSection(k) })
			continue
		}
		switch k {
		case tConst:
			decls = append(decls, &constDecl{names, p.expr()})
		case tType:
			decls = append(decls, &typeDecl{names, p.typeExpr()})
		default:
			decls = append(decls, &varDecl{names, p.typeExpr()})
		}
	}
}

// names reads identifiers separated by commas; a trailing comma is allowed.
func (p *parser) names() []ident {
	var ids []ident
	for p.tok.kind == tIdent {
		ids = append(ids, p.ident())
		if !p.got(tComma) {
			break
		}
	}
	return ids
}

// ident consumes an identifier, or reports that a name is missing.
func (p *parser) ident() ident {
	id := ident{p.tok.text, p.tok.pos}
	if !p.want(tIdent, "a name") {
		id.name = ""
	}
	return id
}

// function skips a procedure or function.
func (p *parser) function() {
	what, end := "functions are", tEndFunction
	if p.tok.kind == tProcedure {
		what, end = "procedures are", tEndProcedure
	}
	pos := p.tok.pos
	p.unsupported(pos, what)
	p.next()
	p.ident()
	if p.tok.kind == tLParen {
		p.skipGroup(tLParen, tRParen)
	}
	if p.got(tColon) {
		p.typeExpr()
	}
	for p.got(tSemi) {
	}
	for p.tok.kind == tConst || p.tok.kind == tType || p.tok.kind == tVar {
		p.section()
	}
	p.got(tBegin)
	p.stmts()
	if end == tEndProcedure && p.got(tEndFunction) || end == tEndFunction && p.got(tEndProcedure) {
		return
	}
	p.end(end, "the "+strings.TrimSuffix(what, "s are"), pos)
}

// end consumes the word that closes what, opened at pos: "end" or its own.
func (p *parser) end(own kind, what string, pos model.Pos) {
	if p.got(tEnd) || p.got(own) {
		return
	}
	p.unexpected("'end' of " + what + " at " + pos.String())
}

// typeExpr reads a type.
func (p *parser) typeExpr() typeExpr {
	p.enter()
	defer p.leave()
	pos := p.tok.pos
	switch p.tok.kind {
	case tEnum:
		p.next()
		p.want(tLBrace, "'{'")
		t := &enumType{p.names(), pos}
		p.want(tRBrace, "'}'")
		return t
	case tRecord:
		p.next()
		t := &recordType{pos: pos}
		for {
			for p.got(tSemi) {
			}
			if p.tok.kind != tIdent {
				break
			}
			names := p.names()
			p.want(tColon, "':'")
			t.fields = append(t.fields, &varDecl{names, p.typeExpr()})
		}
		p.end(tEndRecord, "the record", pos)
		return t
	case tArray:
		p.next()
		p.want(tLBracket, "'['")
		index := p.typeExpr()
		p.want(tRBracket, "']'")
		p.want(tOf, "'of'")
		return &arrayType{index, p.typeExpr(), pos}
	case tScalarset:
		p.next()
		p.want(tLParen, "'('")
		size := p.expr()
		p.want(tRParen, "')'")
		return &scalarsetType{size, pos}
	case tUnion:
		p.unsupported(pos, "unions are")
		p.next()
		if p.tok.kind == tLBrace {
			p.skipGroup(tLBrace, tRBrace)
		}
		return &badNode{pos}
	case tIdent:
		if p.isWord("multiset") && p.peek() == tLBracket {
			p.unsupported(pos, "multisets are")
			p.next()
			p.skipGroup(tLBracket, tRBracket)
			p.want(tOf, "'of'")
			p.typeExpr()
			return &badNode{pos}
		}
		if p.isWord("real") && p.peek() == tLParen {
			p.unsupported(pos, "real numbers are")
			p.next()
			p.skipGroup(tLParen, tRParen)
			return &badNode{pos}
		}
	}
	if !startsExpr(p.tok.kind) {
		p.unexpected("a type")
		return &badNode{pos}
	}
	from := p.expr()
	if p.got(tDotDot) {
		return &rangeType{from, p.expr(), pos}
	}
	if d, ok := from.(*designator); ok && len(d.sels) == 0 {
		return &nameType{d.base}
	}
	p.unexpected("'..'")
	return &badNode{pos}
}

// ruleWord returns, in lower case, the next token if it is an identifier that
// can begin a rule.
func (p *parser) ruleWord() string {
	if p.tok.kind == tIdent {
		for _, w := range [...]string{"assume", "cover", "liveness", "choose", "pctl", "externfun", "externproc"} {
			if p.isWord(w) {
				return w
			}
		}
	}
	return ""
}

// propertyWord returns ruleWord if it begins a property rather than being a
// name: if a condition or a message follows.
func (p *parser) propertyWord() string {
	switch w := p.ruleWord(); w {
	case "assume", "cover", "liveness":
		if k := p.peek(); k == tString || startsExpr(k) && k != tMinus && k != tPlus {
			return w
		}
	}
	return ""
}

// rule reads a rule, start state, ruleset or property, if one begins here.
func (p *parser) rule() ([]node, bool) {
	p.enter()
	defer p.leave()
	pos := p.tok.pos
	switch p.tok.kind {
	case tRule:
		return []node{p.simpleRule()}, true
	case tStartstate:
		return []node{p.startstate()}, true
	case tRuleset:
		p.next()
		s := &rulesetNode{quants: p.quantifiers()}
		defer p.leaveQuantifiers(s.quants)
		p.do()
		s.rules = p.rules()
		p.end(tEndRuleset, "the ruleset", pos)
		return []node{s}, true
	case tInvariant, tAssert:
		p.next()
		cond, name := p.property()
		return []node{&propNode{name, cond, pos}}, true
	case tAlias:
		p.unsupported(pos, "aliases are")
		p.aliases()
		p.rules()
		p.end(tEndAlias, "the alias", pos)
		return nil, true
	}
	if w := p.propertyWord(); w != "" {
		p.unsupportedProperty(w)
		return nil, true
	}
	if p.isWord("choose") {
		p.unsupported(pos, "multisets are")
		p.next()
		p.ident()
		p.want(tColon, "':'")
		p.designator()
		p.do()
		p.rules()
		if p.isWord("endchoose") {
			p.next()
		} else {
			p.end(tEnd, "the choose", pos)
		}
		return nil, true
	}
	return nil, false
}

// unsupportedProperty reads and drops a property of the kind w.
func (p *parser) unsupportedProperty(w string) {
	what := map[string]string{
		"assume": "assumptions are", "cover": "cover properties are", "liveness": "liveness properties are",
	}[w]
	p.unsupported(p.tok.pos, what)
	p.next()
	p.property()
}

// rules reads rules up to something else.
func (p *parser) rules() []node {
	var rules []node
	for {
		for p.got(tSemi) {
		}
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

func (p *parser) startstate() node {
	r := &ruleNode{start: true, pos: p.tok.pos}
	p.next()
	r.name = p.optString()
	p.body(r)
	p.end(tEndStartstate, "the start state", r.pos)
	return r
}

func (p *parser) simpleRule() node {
	r := &ruleNode{pos: p.tok.pos}
	p.next()
	if p.tok.kind == tNumber {
		switch after := p.peek(); {
		case after == tString, after == tBegin, startsExpr(after) && after != tMinus && after != tPlus:
			p.unsupported(p.tok.pos, "rule priorities are")
			p.next()
		}
	}
	r.name = p.optString()
	if startsExpr(p.tok.kind) && p.propertyWord() == "" {
		// Either the guard or the left side of a first statement.
		e := p.expr()
		d, ok := e.(*designator)
		switch {
		case p.got(tArrow):
			r.guard = e
		case ok && p.tok.kind == tAssign:
			r.body = p.stmtsAfter(p.assignment(d))
			p.end(tEndRule, "the rule", r.pos)
			return r
		default:
			if _, call := e.(*badNode); !call {
				p.unexpected("'==>'")
				p.skipTo(func(k kind) bool { return k == tArrow || k == tSemi || k == tBegin || endsStmts(k) })
			}
			p.got(tArrow)
		}
	}
	p.body(r)
	p.end(tEndRule, "the rule", r.pos)
	return r
}

// body reads local declarations and statements.
func (p *parser) body(r *ruleNode) {
	for p.tok.kind == tConst || p.tok.kind == tType || p.tok.kind == tVar {
		r.decls = append(r.decls, p.section()...)
	}
	if len(r.decls) > 0 {
		p.want(tBegin, "'begin' after the declarations")
	} else {
		p.got(tBegin)
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
		if p.got(tAssign) {
			q.from = p.expr()
			p.want(tTo, "'to'")
			q.to = p.expr()
			if p.got(tBy) {
				q.by = p.expr()
			}
		} else {
			p.want(tColon, "':' or ':='")
			q.typ = p.typeExpr()
		}
		qs = append(qs, q)
		semi := false
		for p.got(tSemi) {
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
	if !p.got(tColon) {
		p.wantWord(tDo, "'do'")
	}
}
