// Expressions, by precedence climbing. From loosest to tightest:
//
//	?:   ->   ||   &&   |   ^   &   !   = != < <= > >=   << >>   + -   * / %   unary - + ~
//
// In formulas G, F and X are prefixes like !, and U, W and R stand between & and !.
//
// as in the grammars of both tools; && and || (and ∧ and ∨) are Rumur's and
// bind more loosely than | and &. Note that ! reaches over a comparison: !a = b
// is !(a = b). Neither ?:, -> nor the comparisons associate.

package murphi

import "strings"

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

var precedence = [...]uint8{
	tQuestion: precCond, tImplies: precImplies, tOrOr: precOrOr, tAndAnd: precAndAnd,
	tPipe: precPipe, tCaret: precCaret, tAmp: precAmp,
	tEq: precCompare, tNe: precCompare, tLt: precCompare, tLe: precCompare, tGt: precCompare, tGe: precCompare,
	tShl: precShift, tShr: precShift, tPlus: precAdd, tMinus: precAdd,
	tUntil: precUntil, tWeak: precUntil, tRelease: precUntil,
	tStar: precMul, tSlash: precMul, tPercent: precMul,
}

// startsExpr reports whether an expression can begin with k.
func startsExpr(k kind) bool {
	switch k {
	case tIdent, tNumber, tLParen, tNot, tMinus, tPlus, tTilde, tForall, tExists, tIsUndefined, tIsMember:
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
		if op == tAssign && !assigns && min <= precCompare {
			p.errorf("':=' assigns, '=' compares")
			op = tEq
		}
		assigns = false
		var prec uint8
		if int(op) < len(precedence) {
			prec = precedence[op]
		}
		if prec == 0 || prec < min {
			return x
		}
		if prec == last && (prec == precUntil || prec == precCond || prec == precImplies || prec == precCompare) {
			p.errorf("%v does not associate: parentheses are needed", p.tok)
		}
		p.next()
		if prec == precCond {
			c := &condExpr{cond: x, then: p.expr(), pos: pos}
			p.want(tColon, "':'")
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
	case tNext, tFinally, tGlobally:
		p.next()
		if op != tNext && p.last.kind != tIdent { // [] and <>
			p.next()
		}
		return &unaryExpr{op, p.binary(precCompare), pos}
	case tIdent, tNumber:
	default:
		p.assigns = false
	}
	switch op {
	case tNot:
		p.next()
		return &unaryExpr{op, p.binary(precCompare), pos}
	case tMinus, tPlus, tTilde:
		p.next()
		return &unaryExpr{op, p.unary(), pos}
	case tNumber:
		e := &numberLit{p.tok.value, p.tok.text, pos}
		p.next()
		return e
	case tLParen:
		p.next()
		e := p.expr()
		p.want(tRParen, "')'")
		return e
	case tForall, tExists:
		p.next()
		e := &quantExpr{all: op == tForall, quants: p.quantifiers(), pos: pos}
		defer p.leaveQuantifiers(e.quants)
		p.do()
		e.body = p.expr()
		if e.all {
			p.end(tEndForall, "the forall", pos)
		} else {
			p.end(tEndExists, "the exists", pos)
		}
		return e
	case tIsUndefined:
		p.next()
		p.want(tLParen, "'('")
		e := &isUndefinedExpr{p.designator(), pos}
		p.want(tRParen, "')'")
		return e
	case tIsMember:
		p.next()
		p.want(tLParen, "'('")
		e := &isMemberExpr{x: p.expr(), pos: pos}
		p.want(tComma, "','")
		e.typ = p.typeExpr()
		p.want(tRParen, "')'")
		return e
	case tIdent:
		if p.multisetWord() == "multisetcount" {
			p.next()
			e := &countExpr{pos: pos}
			e.name, e.set, e.cond = p.multisetPred()
			return e
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
			if p.peek() == tLParen && !p.procs[w] {
				return w
			}
		}
	}
	return ""
}

// multisetPred reads (name : set, condition).
func (p *parser) multisetPred() (name ident, set *designator, cond expr) {
	p.want(tLParen, "'('")
	name = p.ident()
	p.want(tColon, "':'")
	set = p.designator()
	p.want(tComma, "','")
	cond = p.expr()
	p.want(tRParen, "')'")
	return name, set, cond
}

// designator reads a name or a call with its selectors.
func (p *parser) designator() *designator {
	d := &designator{base: p.ident()}
	if d.base.name != "" && p.got(tLParen) {
		d.call = true
		for p.tok.kind != tRParen {
			d.args = append(d.args, p.argument())
			if !p.got(tComma) {
				break
			}
		}
		p.want(tRParen, "')'")
		for i, byRef := range p.vars[d.base.name] {
			if byRef && i < len(d.args) {
				p.mayWrite(d.args[i])
			}
		}
	}
	for {
		pos := p.tok.pos
		switch {
		case p.got(tDot):
			id := p.ident()
			d.sels = append(d.sels, selector{field: id.name, pos: pos, at: id.pos})
		case p.got(tLBracket):
			d.sels = append(d.sels, selector{index: p.expr(), pos: pos})
			p.want(tRBracket, "']'")
		default:
			return d
		}
	}
}

// argument reads an argument, which may be the word undefined.
func (p *parser) argument() expr {
	if p.isWord("undefined") {
		if k := p.peek(); k == tComma || k == tRParen {
			return &undefinedLit{p.ident()}
		}
	}
	return p.expr()
}

// isCall reports whether d is a call and nothing else.
func (d *designator) isCall() bool { return d.call && len(d.sels) == 0 }
