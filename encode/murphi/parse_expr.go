// Expressions, by precedence climbing. From loosest to tightest:
//
//	?:   ->   ||   &&   |   ^   &   !   = != < <= > >=   << >>   + -   * / %   unary - + ~
//
// In formulas G, F and X, or AG, EF and so on, are prefixes like !, and U, W and R stand between & and !.
//
// as in the grammars of both tools; && and || (and ∧ and ∨) are Rumur's and
// bind more loosely than | and &. Note that ! reaches over a comparison: !a = b
// is !(a = b). Neither ?:, -> nor the comparisons associate.

package murphi

import (
	"strings"

	"orbitmc/model"
)

// Precedences.
const (
	precCond = iota + 1
	precImplies
	precOrOr
	precAndAnd
	precPipe
	precCaret
	precAmp
	precUntil
	precNot
	precCompare
	precShift
	precAdd
	precMul
	precUnary
)

var precedence = map[kind]uint8{
	"?": precCond, "->": precImplies, "||": precOrOr, "&&": precAndAnd,
	"|": precPipe, "^": precCaret, "&": precAmp,
	"=": precCompare, "!=": precCompare, "<": precCompare, "<=": precCompare, ">": precCompare, ">=": precCompare,
	"<<": precShift, ">>": precShift, "+": precAdd, "-": precAdd,
	"U": precUntil, "W": precUntil, "R": precUntil,
	"*": precMul, "/": precMul, "%": precMul,
}

// startsExpr reports whether an expression can begin with k.
func startsExpr(k kind) bool {
	switch k {
	case tIdent, tNumber, tReal, "(", "!", "-", "+", "~", "forall", "exists", "isundefined", "ismember":
		return true
	}
	return false
}

func (p *parser) expr() expr { return p.binary(precCond) }

// binary reads an expression whose operators outside parentheses are of
// precedence min or tighter.
func (p *parser) binary(min uint8) expr {
	assigns := p.assigns // the first operand may be the target of an assignment
	p.assigns = false
	x := p.unary()
	var chain *binaryExpr // x, if it was made by this call with operators of precedence last
	var last uint8
	for {
		op, pos := p.temporal(), p.tok.pos
		if op == ":=" && !assigns && min <= precCompare {
			p.errorf("':=' assigns, '=' compares")
			op = "="
		}
		assigns = false
		prec := precedence[op]
		if prec == 0 || prec < min {
			return x
		}
		if prec == last && (prec == precUntil || prec == precCond || prec == precImplies || prec == precCompare) {
			p.errorf("%v does not associate: parentheses are needed", p.tok)
		}
		p.next()
		if prec == precCond {
			c := &condExpr{cond: x, then: p.expr(), pos: pos}
			p.want(":")
			c.els = p.binary(precCond + 1)
			x, chain, last = c, nil, prec
			continue
		}
		y := operand{op, pos, p.binary(prec + 1)}
		if chain != nil && prec == last {
			chain.rest = append(chain.rest, y)
			continue
		}
		chain = &binaryExpr{x, []operand{y}}
		x, last = chain, prec
	}
}

// unary reads an operand with its prefix operators.
func (p *parser) unary() expr {
	p.enter()
	defer p.leave()
	op, pos := p.temporal(), p.tok.pos
	switch op {
	case "A", "E":
		return p.paths(op == "A")
	case "P", "[":
		if p.inside == "pctl" {
			return p.chance(pos)
		}
	case "AX", "AF", "AG", "EX", "EF", "EG", "EY", "EP", "AH":
		p.next()
		return &unaryExpr{op, p.binary(precCompare), pos}
	case "X", "F", "G":
		p.next()
		if op != "X" && p.last.kind != tIdent { // [] and <>
			p.next()
		}
		return &unaryExpr{op, p.binary(precCompare), pos}
	case tIdent, tNumber, tReal:
	default:
		p.assigns = false
	}
	switch op {
	case "!":
		p.next()
		if p.inside == "pctl" && p.tok.pos == (model.Pos{Line: pos.Line, Col: pos.Col + 1}) {
			p.got("!") // !! is one word there
		}
		return &unaryExpr{op, p.binary(precCompare), pos}
	case "-", "+", "~":
		p.next()
		return &unaryExpr{op, p.unary(), pos}
	case tNumber:
		e := &numberLit{p.tok.value, p.tok.text, pos}
		p.next()
		return e
	case tReal:
		e := &realLit{p.tok.text, pos}
		p.next()
		return e
	case "(":
		p.next()
		e := p.expr()
		p.want(")")
		return e
	case "forall", "exists":
		p.next()
		e := &quantExpr{all: op == "forall", quants: p.quantifiers(), pos: pos}
		defer p.leaveQuantifiers(e.quants)
		p.do()
		e.body = p.expr()
		p.end(string(op), pos)
		return e
	case "isundefined":
		p.next()
		p.want("(")
		e := &isUndefinedExpr{p.designator(), pos}
		p.want(")")
		return e
	case "ismember":
		p.next()
		p.want("(")
		e := &isMemberExpr{x: p.expr(), pos: pos}
		p.want(",")
		e.typ = p.typeExpr()
		p.want(")")
		return e
	case tIdent:
		if p.multisetWord() == "multisetcount" {
			p.next()
			return &countExpr{p.multisetPred(), pos}
		}
		return p.designator()
	}
	p.unexpected("an expression")
	return &badNode{pos}
}

// multisetWord returns, in lower case, the next token if it is the name of a
// multiset operation and a parenthesis follows.
func (p *parser) multisetWord() string {
	if p.tok.kind == tIdent && len(p.tok.text) <= 18 && strings.EqualFold(p.tok.text[:min(8, len(p.tok.text))], "multiset") {
		switch w := strings.ToLower(p.tok.text); w {
		case "multisetcount", "multisetadd", "multisetremove", "multisetremovepred":
			if p.peek() == "(" && !p.procs[w] {
				return w
			}
		}
	}
	return ""
}

// multisetPred reads (name : set, condition).
func (p *parser) multisetPred() (e elements) {
	p.want("(")
	e.name = p.ident()
	p.want(":")
	e.set = p.designator()
	p.want(",")
	e.cond = p.expr()
	p.want(")")
	p.ends(e.name.pos)
	return e
}

// designator reads a name or a call with its selectors.
func (p *parser) designator() *designator {
	d := &designator{base: p.ident()}
	p.designators = append(p.designators, d)
	if d.base.name != "" && p.got("(") {
		d.call = true
		for p.tok.kind != ")" {
			d.args = append(d.args, p.argument())
			if !p.got(",") {
				break
			}
		}
		p.want(")")
		for i, byRef := range p.vars[d.base.name] {
			if byRef && i < len(d.args) {
				p.mayWrite(d.args[i])
			}
		}
	}
	for {
		pos := p.tok.pos
		switch {
		case p.got("."):
			id := p.ident()
			d.sels = append(d.sels, selector{field: id.name, pos: pos, at: id.pos})
		case p.got("["):
			d.sels = append(d.sels, selector{index: p.expr(), pos: pos})
			p.want("]")
		default:
			return d
		}
	}
}

// argument reads an argument, which may be the word undefined.
func (p *parser) argument() expr {
	if p.isWord("undefined") {
		if k := p.peek(); k == "," || k == ")" {
			return &undefinedLit{p.ident()}
		}
	}
	return p.expr()
}

// isCall reports whether d is a call and nothing else.
func (d *designator) isCall() bool { return d.call && len(d.sels) == 0 }
