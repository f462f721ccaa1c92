// Statements. They are separated by semicolons, of which there may be any
// number, also after the last.

package murphi

import (
	"strings"

	"orbitmc/internal/lists"
)

// endsStmts reports whether k ends a list of statements.
func endsStmts(k kind) bool {
	switch k {
	case tEOF, "else", "elsif", "case":
		return true
	}
	return strings.HasPrefix(string(k), "end") || startsSection(k)
}

func (p *parser) stmts() []stmt {
	p.enter()
	defer p.leave()
	var list []stmt
	for {
		p.semicolons()
		if endsStmts(p.tok.kind) {
			return list
		}
		list = append(list, p.stmt())
		p.separator()
	}
}

// stmtsAfter reads the statements after first.
func (p *parser) stmtsAfter(first stmt) []stmt {
	p.separator()
	return append([]stmt{first}, p.stmts()...)
}

// separator checks that a statement ended and skips to where the next begins.
func (p *parser) separator() {
	if p.tok.kind == ";" || endsStmts(p.tok.kind) {
		return
	}
	missing := p.tok.pos != p.errAt
	p.unexpected("';'")
	if missing && startsStmt(p.tok.kind) {
		return
	}
	p.skipTo(func(k kind) bool { return k == ";" || endsStmts(k) })
}

func startsStmt(k kind) bool {
	switch k {
	case tIdent, "if", "switch", "for", "while", "alias", "clear", "undefine", "assert", "invariant", "error", "put", "return":
		return true
	}
	return false
}

func (p *parser) stmt() stmt {
	p.enter()
	defer p.leave()
	pos := p.tok.pos
	switch p.tok.kind {
	case "if":
		return p.ifStmt()
	case "switch":
		return p.switchStmt()
	case "for":
		p.next()
		s := &forStmt{quants: p.quantifiers(), pos: pos}
		defer p.leaveQuantifiers(s.quants)
		p.do()
		since := p.writes
		s.body = p.stmts()
		names := lists.Map(s.quants, func(q *quantifier) ident { return q.name })
		s.written = p.written(names, since)
		p.end("for", pos)
		return s
	case "undefine":
		p.next()
		s := &undefineStmt{p.designator(), pos}
		p.mayWrite(s.x)
		return s
	case "assert", "invariant":
		p.next()
		s := &assertStmt{word: "assert", pos: pos}
		s.cond, s.msg = p.property()
		return s
	case "error":
		p.next()
		s := &assertStmt{word: "error", msg: p.tok.text, pos: pos}
		p.want(tString)
		return s
	case "put":
		p.next()
		if p.tok.kind == tString {
			return &putStmt{text: p.optString(), pos: pos}
		}
		return &putStmt{x: p.expr(), pos: pos}
	case "while":
		p.next()
		s := &whileStmt{cond: p.expr(), pos: pos}
		p.do()
		s.body = p.stmts()
		p.end("while", pos)
		return s
	case "alias":
		s := &aliasStmt{binds: p.aliases(), pos: pos}
		defer p.leaveAliases(s.binds)
		s.body = p.stmts()
		p.end("alias", pos)
		return s
	case "clear":
		p.next()
		s := &clearStmt{p.designator(), pos}
		p.mayWrite(s.x)
		return s
	case "return":
		p.next()
		p.returns++
		s := &returnStmt{pos: pos}
		if startsExpr(p.tok.kind) {
			s.x = p.expr()
		}
		return s
	case tIdent:
		if w := p.multisetWord(); w != "" {
			return p.multisetStmt(w)
		}
		if w := p.propertyWord(); w != tEOF {
			if w == "liveness" {
				p.errorf("liveness is not a statement")
			}
			p.next()
			s := &assertStmt{word: w, pos: pos}
			s.cond, s.msg = p.property()
			return s
		}
		return p.afterDesignator(p.designator())
	}
	p.unexpected("a statement")
	return &badNode{pos}
}

// multisetStmt reads the multiset operation w.
func (p *parser) multisetStmt(w string) stmt {
	pos := p.tok.pos
	p.next()
	switch w {
	case "multisetcount":
		p.r.errorf(pos, "multisetcount is not a statement")
		p.multisetPred()
		return &badNode{pos}
	case "multisetremovepred":
		return &removePredStmt{p.multisetPred(), pos}
	}
	p.want("(")
	x := p.expr()
	p.want(",")
	set := p.designator()
	p.want(")")
	if w == "multisetadd" {
		return &addStmt{x, set, pos}
	}
	return &removeStmt{x, set, pos}
}

// afterDesignator reads what follows d: the rest of an assignment, or nothing
// if d is a call.
func (p *parser) afterDesignator(d *designator) stmt {
	if d.isCall() && p.tok.kind != ":=" {
		return &callStmt{d}
	}
	s := &assignStmt{lhs: d, pos: d.base.pos}
	p.mayWrite(d)
	if !p.want(":=") && !p.got("=") {
		return s
	}
	if p.isWord("undefined") && (p.peek() == ";" || endsStmts(p.peek())) {
		s.rhs = &undefinedLit{p.ident()}
	} else {
		s.rhs = p.expr()
	}
	return s
}

func (p *parser) ifStmt() stmt {
	s := &ifStmt{pos: p.tok.pos}
	for p.tok.kind == "if" && s.clauses == nil || p.tok.kind == "elsif" {
		p.next()
		c := ifClause{cond: p.expr()}
		p.wantWord("then")
		c.body = p.stmts()
		s.clauses = append(s.clauses, c)
	}
	if p.got("else") {
		s.els = p.stmts()
	}
	p.end("if", s.pos)
	return s
}

func (p *parser) switchStmt() stmt {
	s := &switchStmt{pos: p.tok.pos}
	p.next()
	s.x = p.expr()
	for p.got("case") {
		var c switchCase
		for {
			c.values = append(c.values, p.expr())
			if !p.got(",") || p.tok.kind == ":" {
				break
			}
		}
		p.want(":")
		c.body = p.stmts()
		s.cases = append(s.cases, c)
	}
	if p.got("else") {
		s.els = p.stmts()
	}
	p.end("switch", s.pos)
	return s
}

// aliases reads from alias to do. Each binding is a level of nesting until
// leaveAliases.
func (p *parser) aliases() []binding {
	var binds []binding
	p.next()
	for p.tok.kind == tIdent {
		p.enter()
		b := binding{id: p.ident()}
		p.want(":")
		b.x = p.expr()
		p.mayWrite(b.x)
		binds = append(binds, b)
		for p.got(";") || p.got(",") {
		}
	}
	if binds == nil {
		p.unexpected("a name")
	}
	p.do()
	return binds
}

func (p *parser) leaveAliases(binds []binding) { p.depth -= len(binds) }
