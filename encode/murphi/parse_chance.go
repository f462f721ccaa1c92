// Formulas of PCTL. A question is an operand of a formula: P<=0.1 [ path ], with one of < <= > >=, or the whole formula,
// P=? [ path ]; Pmin=? and Pmax=? where something is left to a chooser. E, Emin and Emax stand for the expected number of
// steps. A path is X f, F f, G f or f U g; F, G and U may have a bound, F<=20 f. That is how PRISM writes them. CMurphi
// writes [ f UNTIL <= 20 g ] <= 0.1 and [ NEXT f ] <= 0.1, and !!, &&, || and ->> between them.

package murphi

import (
	"math/big"
	"strings"

	"orbitmc/internal/pctl"
	"orbitmc/model"
)

// chance is what a question asks, but for the conditions.
type chance struct {
	pctl.Ask
	steps expr // Ask.Steps, once it is evaluated; nil: any number
}

// bounds are the comparisons of a question.
var bounds = map[kind]bool{"<": true, "<=": true, ">": true, ">=": true}

// measures reports whether a question begins here: such a word, a comparison and a bracket.
func (p *parser) measures() bool {
	switch p.tok.text {
	case "P", "Pmin", "Pmax", "E", "Emin", "Emax":
	default:
		return false
	}
	ahead := p.lex
	ahead.report = func(model.Pos, string, ...any) {}
	cmp, bound := ahead.next(), ahead.next()
	is := cmp.kind == "=" && bound.kind == "?" || bounds[cmp.kind] && (bound.kind == tNumber || bound.kind == tReal)
	return is && ahead.next().kind == "["
}

// chance reads a question.
func (p *parser) chance(pos model.Pos) expr {
	e := &chanceExpr{pos: pos}
	e.Ask.Steps = -1
	ours := p.tok.kind == tIdent
	if ours {
		e.Expected, e.Which = p.tok.text[0] == 'E', p.tok.text[1:]
		if p.next(); p.got("=") {
			p.got("?")
		} else {
			p.compared(e)
		}
	}
	p.want("[")
	word := ""
	switch {
	case ours && (p.tok.text == "X" || p.tok.text == "F" || p.tok.text == "G") && (p.peek() == "<=" || startsExpr(p.peek()) || p.peek() == "["):
		word = p.tok.text
		p.next()
	case !ours && p.isWord("NEXT"):
		word = "X"
		p.next()
	default:
		e.x = p.expr()
		if until := map[bool]string{true: "U", false: "UNTIL"}[ours]; !p.isWord(until) {
			p.unexpected(until)
		} else {
			p.next()
		}
	}
	if word != "X" && p.got("<=") {
		if p.tok.kind == tIdent { // what follows in parentheses or brackets is no part of it
			e.steps = &designator{base: p.ident()}
		} else {
			e.steps = p.unary()
		}
	}
	e.y = p.expr()
	p.want("]")
	if e.Next, e.Always = word == "X", word == "G"; e.Always {
		e.y = &unaryExpr{"!", e.y, e.y.position()}
	}
	switch {
	case !ours:
		p.compared(e)
	case e.Expected && (word != "F" || e.steps != nil):
		p.r.errorf(pos, "expected is a number of steps: E [F condition]")
	}
	return e
}

// compared reads a comparison with a number.
func (p *parser) compared(e *chanceExpr) {
	if !bounds[p.tok.kind] {
		p.unexpected("<, <=, > or >=")
		return
	}
	e.Cmp = string(p.tok.kind)
	if p.next(); p.tok.kind != tNumber && p.tok.kind != tReal {
		p.unexpected("a number")
		return
	}
	if e.Bound = rational(p.tok.text); !e.Expected && e.Bound.Cmp(big.NewRat(1, 1)) > 0 {
		p.r.errorf(p.tok.pos, "a probability is not greater than 1")
	}
	p.next()
}

// rational returns the value of a number.
func rational(text string) *big.Rat {
	if r, ok := new(big.Rat).SetString(strings.TrimSuffix(text, ".")); ok {
		return r
	}
	return new(big.Rat)
}

// chanceText writes a question.
func chanceText(e *chanceExpr) string {
	text := "P"
	if e.Expected {
		text = "E"
	}
	if text += e.Which; e.Cmp == "" {
		text += "=? ["
	} else {
		text += e.Cmp + decimal(e.Bound) + " ["
	}
	bound := " "
	if e.steps != nil {
		bound = "<=" + operandText(e.steps, precUnary+1) + " "
	}
	switch {
	case e.Next:
		text += "X "
	case e.Always:
		return text + "G" + bound + exprText(e.y.(*unaryExpr).x) + "]"
	case e.x == nil:
		text += "F" + bound
	default:
		text += exprText(e.x) + " U" + bound
	}
	return text + exprText(e.y) + "]"
}

// decimal writes a number that was read from a decimal text.
func decimal(r *big.Rat) string {
	n, _ := r.FloatPrec()
	return r.FloatString(n)
}

// chanceNode is the formula of a file, or what is wrong with it.
func (c *checker) chanceNode(n *chanceNode) (f []*formulaNode) {
	switch {
	case !c.opt.PCTL:
		c.errorf(n.pos, noPCTL)
	case len(c.opt.Chances) == 0:
		f = append(f, &formulaNode{reporter: c.reporter, kind: "pctl", name: "pctl@" + strings.Split(n.pos.String(), ":")[0], body: n.body, pos: n.pos})
	}
	return f
}

var likely = logic[*pctl.Formula]{
	yes: pctl.Yes, no: pctl.No(pctl.Yes), atom: pctl.Of, not: pctl.No,
	infix: map[kind]func(x, y *pctl.Formula) *pctl.Formula{
		"&": pctl.Both, "&&": pctl.Both, "|": pctl.Or, "||": pctl.Or,
		"->": func(x, y *pctl.Formula) *pctl.Formula { return pctl.Or(pctl.No(x), y) },
	},
	asks: func(c *checker, e *chanceExpr, x, y *pctl.Formula) *pctl.Formula {
		a := e.Ask
		if e.steps != nil {
			if k := c.constNumber(e.steps, "the bound"); k != nil {
				if a.Steps = int(k.Value); k.Value < 0 || k.Value > 1<<31 {
					c.errorf(e.steps.position(), "the bound is a number of steps")
				}
			}
		}
		return &pctl.Formula{Op: pctl.Asked, X: x, Y: y, Ask: &a}
	},
}

// chance checks a formula of PCTL.
func (c *checker) chance(n *formulaNode) {
	f := &model.Likelihood{Name: n.name, Formula: part(c, &likely, n.body), Text: exprText(n.body)}
	for _, a := range f.Formula.Asks() {
		if a != f.Formula && a.Ask.Cmp == "" {
			c.errorf(n.pos, "a question (=?) is a formula of its own; within another one it has a bound")
		}
	}
	f.Atoms = c.atoms
	c.m.Chances = append(c.m.Chances, f)
}
