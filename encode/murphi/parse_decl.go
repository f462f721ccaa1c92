// Declarations, procedures and types.

package murphi

import "strings"

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
		from := p.lex.off - len(p.tok.text)
		names := p.names()
		if !p.want(tColon, "':'") {
			p.skipTo(func(k kind) bool { return k == tSemi || k == tBegin || startsSection(k) })
			continue
		}
		switch k {
		case tConst:
			d := &constDecl{names: names, from: from, colon: p.past}
			d.value, d.to = p.expr(), p.past
			decls = append(decls, d)
		case tType:
			decls = append(decls, &typeDecl{names, p.typeExpr()})
		default:
			decls = append(decls, &varDecl{names, p.typeExpr()})
		}
		if p.tok.kind == tAssign {
			p.errorf("a declaration gives no value: assign it in a start state or body")
			p.next()
			p.expr()
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

// procedure reads a procedure or function. Either word may begin either of
// them, and either may end with the other's.
func (p *parser) procedure() node {
	what := "the function"
	if p.tok.kind == tProcedure {
		what = "the procedure"
	}
	d := &procDecl{pos: p.tok.pos}
	p.next()
	d.name = p.ident()
	p.procs[strings.ToLower(d.name.name)] = true
	p.vars[d.name.name] = nil
	p.want(tLParen, "'('")
	for p.got(tSemi) {
	}
	for p.tok.kind == tVar || p.tok.kind == tIdent {
		f := &formalParam{byRef: p.got(tVar)}
		f.names = p.names()
		p.want(tColon, "':'")
		f.typ = p.typeExpr()
		d.params = append(d.params, f)
		for range f.names {
			p.vars[d.name.name] = append(p.vars[d.name.name], f.byRef)
		}
		for p.got(tSemi) {
		}
	}
	p.want(tRParen, "')'")
	if p.got(tColon) {
		d.result = p.typeExpr()
	}
	for p.got(tSemi) {
	}
	for p.tok.kind == tConst || p.tok.kind == tType || p.tok.kind == tVar {
		d.decls = append(d.decls, p.section()...)
	}
	p.got(tBegin)
	d.body = p.stmts()
	if !p.got(tEndFunction) && !p.got(tEndProcedure) {
		p.end(tEnd, what, d.pos)
	}
	return d
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
		for p.tok.kind == tIdent {
			p.unexpected("',' or '}'")
			t.members = append(t.members, p.names()...)
		}
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
		p.next()
		p.want(tLBrace, "'{'")
		t := &unionType{pos: pos}
		for p.tok.kind != tRBrace {
			t.parts = append(t.parts, p.typeExpr())
			if !p.got(tComma) {
				break
			}
		}
		p.want(tRBrace, "'}'")
		return t
	case tIdent:
		if p.isWord("multiset") && p.peek() == tLBracket {
			p.next()
			p.next()
			size := p.expr()
			p.want(tRBracket, "']'")
			p.want(tOf, "'of'")
			return &multisetType{size, p.typeExpr(), pos}
		}
		if p.isWord("real") && p.peek() == tLParen {
			p.unsupported(pos, noReals)
			p.next()
			p.skipGroup(tLParen, tRParen)
			return &badNode{pos}
		}
	}
	if !startsExpr(p.tok.kind) {
		p.unexpected("a type")
		return &badNode{pos}
	}
	p.assigns = true
	from := p.expr()
	if p.got(tDotDot) {
		p.assigns = true
		return &rangeType{from, p.expr(), pos}
	}
	if d, ok := from.(*designator); ok && len(d.sels) == 0 {
		return &nameType{d.base}
	}
	p.unexpected("'..'")
	return &badNode{pos}
}
