// Declarations, procedures and types.

package murphi

import "strings"

// section reads const, type or var and the declarations that follow.
func (p *parser) section() []node {
	k := p.tok.kind
	p.next()
	var decls []node
	for {
		p.semicolons()
		if p.tok.kind != tIdent {
			return decls
		}
		// A word that opens a rule is a name here only if a colon or comma follows.
		if p.ruleWord() != "" {
			if after := p.peek(); after != ":" && after != "," {
				return decls
			}
		}
		from := p.lex.off - len(p.tok.text)
		names := p.names()
		if !p.want(":") {
			p.skipTo(func(k kind) bool { return k == ";" || k == "begin" || startsSection(k) })
			continue
		}
		switch k {
		case "const":
			d := &constDecl{names: names, from: from, colon: p.past}
			d.value, d.to = p.expr(), p.past
			decls = append(decls, d)
		case "type":
			decls = append(decls, &typeDecl{names, p.typeExpr()})
		default:
			decls = append(decls, &varDecl{names, p.typeExpr()})
		}
		if p.tok.kind == ":=" {
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
		if !p.got(",") {
			break
		}
	}
	return ids
}

// ident consumes an identifier, or reports that a name is missing.
func (p *parser) ident() ident {
	id := ident{p.tok.text, p.tok.pos}
	if !p.want(tIdent) {
		id.name = ""
	}
	return id
}

// procedure reads a procedure or function. Either word may begin either of
// them, and either may end with the other's.
func (p *parser) procedure() node {
	what := "function"
	if p.tok.kind == "procedure" {
		what = "procedure"
	}
	d := &procDecl{pos: p.tok.pos}
	p.next()
	d.name = p.ident()
	p.procs[strings.ToLower(d.name.name)] = true
	p.vars[d.name.name] = nil
	p.want("(")
	p.semicolons()
	for p.tok.kind == "var" || p.tok.kind == tIdent {
		f := &formalParam{byRef: p.got("var")}
		f.names = p.names()
		p.want(":")
		f.typ = p.typeExpr()
		d.params = append(d.params, f)
		for range f.names {
			p.vars[d.name.name] = append(p.vars[d.name.name], f.byRef)
		}
		p.semicolons()
	}
	p.want(")")
	if p.got(":") {
		d.result = p.typeExpr()
	}
	p.semicolons()
	before := len(p.designators)
	for p.tok.kind == "const" || p.tok.kind == "type" || p.tok.kind == "var" {
		d.decls = append(d.decls, p.section()...)
	}
	p.got("begin")
	d.body = p.stmts()
	d.uses = p.designators[before:len(p.designators):len(p.designators)]
	if !p.got("endfunction") && !p.got("endprocedure") {
		p.end(what, d.pos)
	}
	return d
}

func (p *parser) typeExpr() typeExpr {
	p.enter()
	defer p.leave()
	pos := p.tok.pos
	switch p.tok.kind {
	case "enum":
		p.next()
		p.want("{")
		t := &enumType{p.names(), pos}
		for p.tok.kind == tIdent {
			p.unexpected("',' or '}'")
			t.members = append(t.members, p.names()...)
		}
		p.want("}")
		return t
	case "record":
		p.next()
		t := &recordType{pos: pos}
		for {
			p.semicolons()
			if p.tok.kind != tIdent {
				break
			}
			names := p.names()
			p.want(":")
			t.fields = append(t.fields, &varDecl{names, p.typeExpr()})
		}
		p.end("record", pos)
		return t
	case "array":
		p.next()
		p.want("[")
		index := p.typeExpr()
		p.want("]")
		p.want("of")
		return &arrayType{index, p.typeExpr(), pos}
	case "scalarset":
		p.next()
		p.want("(")
		size := p.expr()
		p.want(")")
		return &scalarsetType{size, pos}
	case "union":
		p.next()
		p.want("{")
		t := &unionType{pos: pos}
		for p.tok.kind != "}" {
			t.parts = append(t.parts, p.typeExpr())
			if !p.got(",") {
				break
			}
		}
		p.want("}")
		return t
	case tIdent:
		if p.isWord("multiset") && p.peek() == "[" {
			p.next()
			p.next()
			size := p.expr()
			p.want("]")
			p.want("of")
			return &multisetType{size, p.typeExpr(), pos}
		}
		if p.isWord("real") && p.peek() == "(" {
			p.next()
			p.next()
			t := &realType{digits: p.expr(), pos: pos}
			p.want(",")
			t.exponent = p.expr()
			p.want(")")
			return t
		}
	}
	if !startsExpr(p.tok.kind) {
		p.unexpected("a type")
		return &badNode{pos}
	}
	p.assigns = true
	from := p.expr()
	if p.got("..") {
		p.assigns = true
		return &rangeType{from, p.expr(), pos}
	}
	if d, ok := from.(*designator); ok && len(d.sels) == 0 {
		return &nameType{d.base}
	}
	p.unexpected("'..'")
	return &badNode{pos}
}
