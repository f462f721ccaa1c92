// Formulas of linear temporal logic. The operators are words: G (or []), F (or <>) and X are prefixes
// that reach as far as ! does; U, W (weak until) and R are looser than ! and tighter than &, and
// do not associate. All else is an expression of the language. A formula may begin with forall, once
// or more; there temporal operators are outside of all quantifiers.
//
// In formulas of computation tree logic AX, AF, AG, EX, EF, EG, EY, EP and AH are such prefixes, and A or E with a
// bracket is an operand: A [x U y], E [x W y], E [x S y], whose operands are whole expressions.
//
// A line comment of the source that begins with --@ holds a formula or fairness:
//
//	--@ ltl served: forall p: P: G (Wants[p] -> F Has[p])
//	--@ ctl free: AG EF isundefined(owner)
//	--@ fair weak: Grant

package murphi

import (
	"cmp"
	"strings"

	"orbitmc/model"
)

// formulaNode is a formula in the source or on the command line.
type formulaNode struct {
	*reporter        // of the text that it is in
	kind      string // "ltl" or "ctl"
	name      string
	quants    []*quantifier
	body      expr
	pos       model.Pos
}

// note is a structured comment: what, and where the rest of it is.
type note struct {
	what, name, text string
	line, from       int // line, and the offset of text in the source
}

// notes returns the structured comments of a source.
func notes(src string) (all []note) {
	at, n := 0, 0
	for line := range strings.Lines(src) {
		n++
		from := at
		at += len(line)
		_, rest, ok := strings.Cut(line, "--@")
		if !ok || strings.TrimSpace(line[:len(line)-len(rest)-3]) != "" {
			continue
		}
		x := note{line: n, text: strings.TrimLeft(rest, " \t")}
		x.what, x.text, _ = strings.Cut(x.text, " ")
		x.name, x.text, _ = strings.Cut(x.text, ":")
		x.name = strings.TrimSpace(x.name)
		x.from = from + len(line) - len(x.text)
		x.text = strings.TrimRight(x.text, "\r\n")
		all = append(all, x)
	}
	return all
}

// Noted returns the kinds, "ltl" or "ctl", and names of the formulas that stand in comments of a text.
func Noted(src []byte) (all [][2]string) {
	for _, x := range notes(string(src)) {
		if (x.what == "ltl" || x.what == "ctl") && x.name != "" {
			all = append(all, [2]string{x.what, x.name})
		}
	}
	return all
}

// readFormulas parses the formulas of the options. Errors are reported to r, with
// those of formulas that are not in the source.
func readFormulas(opt Options, r *reporter) (all []*formulaNode) {
	if len(opt.Formulas)+len(opt.Trees) == 0 && len(opt.Fair) > 0 {
		r.errorf(model.Pos{}, "fairness is about formulas, and there is none")
		return nil
	}
	if len(opt.Formulas) > 0 && len(opt.Trees) > 0 {
		r.errorf(model.Pos{}, "formulas are in linear temporal logic or in computation tree logic, not in both")
		return nil
	}
	for _, text := range opt.Formulas {
		all = append(all, readFormula("ltl", text, opt, r)...)
	}
	for _, text := range opt.Chances {
		all = append(all, readFormula("pctl", text, opt, r)...)
	}
	for _, text := range opt.Trees {
		all = append(all, readFormula("ctl", text, opt, r)...)
	}
	return all
}

// readFormula parses a formula of a kind, or those of that name in the source.
func readFormula(kind, text string, opt Options, r *reporter) (all []*formulaNode) {
	name, body, own := strings.Cut(text, ":")
	name = strings.TrimSpace(name)
	if kind == "pctl" && (!own || strings.ContainsAny(name, " =<>[(")) { // it has no name
		name, body, own = "", text, true
	}
	if own {
		at := &reporter{file: "formula", src: text}
		p := newParser(opt.Dialect, at)
		p.lex.src, p.lex.off = text, len(text)-len(body)
		all = append(all, p.formula(kind, name))
		r.errs = append(r.errs, at.errs...)
		return all
	}
	for _, x := range notes(r.src) {
		if x.what != kind || x.name != name {
			continue
		}
		p := newParser(opt.Dialect, r)
		p.lex.src, p.lex.off, p.lex.line = r.src[:x.from+len(x.text)], x.from, x.line
		p.lex.lineStart = strings.LastIndexByte(r.src[:x.from], '\n') + 1
		all = append(all, p.formula(kind, name))
	}
	if all == nil {
		r.errorf(model.Pos{}, "there is no formula %s; want NAME: FORMULA, or the name of one in a comment --@ %s NAME: FORMULA", clip(name), kind)
	}
	return all
}

// formula reads a formula up to the end.
func (p *parser) formula(kind, name string) *formulaNode {
	p.inside = kind
	p.next()
	f := &formulaNode{reporter: p.r, kind: kind, name: cmp.Or(name, "formula"), pos: p.tok.pos}
	for kind != "pctl" && p.got("forall") {
		f.quants = append(f.quants, p.quantifiers()...)
		p.do()
	}
	f.body = p.expr()
	if p.tok.kind != tEOF {
		p.unexpected("the end of the formula")
	}
	return f
}

// temporalWords are the temporal operators, treeWords those of one operand of computation tree logic.
var (
	temporalWords = map[kind]bool{"G": true, "F": true, "X": true, "U": true, "W": true, "R": true}
	treeWords     = map[kind]bool{"AX": true, "AF": true, "AG": true, "EX": true, "EF": true, "EG": true, "EY": true, "EP": true, "AH": true}
)

// temporal returns the kind of the next token, where in formulas the temporal operators are
// no names.
func (p *parser) temporal() kind {
	word := kind(p.tok.text)
	switch {
	case p.inside == "":
	case p.inside == "pctl":
		if p.measures() {
			return "P"
		}
	case p.inside == "ctl":
		if p.tok.kind == tIdent && (treeWords[word] || (word == "A" || word == "E") && p.peek() == "[") {
			return word
		}
	case p.tok.kind == tIdent:
		if word == "V" {
			return "R"
		}
		if temporalWords[word] {
			return word
		}
	case p.tok.kind == "[" && p.peek() == "]":
		return "G"
	case p.tok.kind == "<" && p.peek() == ">":
		return "F"
	}
	return p.tok.kind
}

// paths reads what stands in brackets behind A or E.
func (p *parser) paths(all bool) expr {
	e := &pathsExpr{all: all, pos: p.tok.pos}
	p.next()
	p.want("[")
	e.x, e.op, e.at = p.expr(), p.tok.text, p.tok.pos
	switch {
	case p.tok.kind == tIdent && (e.op == "U" || e.op == "W" || e.op == "R"), p.tok.kind == tIdent && e.op == "S" && !all:
		p.next()
	default:
		p.unexpected("U, W or R, or behind E also S")
	}
	e.y = p.expr()
	p.want("]")
	return e
}
