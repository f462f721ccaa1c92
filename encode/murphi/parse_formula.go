// Formulas of linear temporal logic. The operators are words: G (or []), F (or <>) and X are prefixes
// that reach as far as ! does; U, W (weak until) and R are looser than ! and tighter than &, and
// do not associate. All else is an expression of the language. A formula may begin with forall, once
// or more; there temporal operators are outside of all quantifiers.
//
// A line comment of the source that begins with --@ holds a formula or fairness:
//
//	--@ ltl served: forall p: P: G (Wants[p] -> F Has[p])
//	--@ fair weak: Grant

package murphi

import (
	"cmp"
	"strings"

	"orbitmc/model"
)

// formulaNode is a formula in the source or on the command line.
type formulaNode struct {
	*reporter // of the text that it is in
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

// Noted returns the names of the formulas that stand in comments of a text.
func Noted(src []byte) (names []string) {
	for _, x := range notes(string(src)) {
		if x.what == "ltl" {
			names = append(names, x.name)
		}
	}
	return names
}

// readFormulas parses the formulas of the options. Errors are reported to r, with
// those of formulas that are not in the source.
func readFormulas(opt Options, r *reporter) (all []*formulaNode) {
	if len(opt.Formulas) == 0 {
		if len(opt.Fair) > 0 {
			r.errorf(model.Pos{}, "fairness is about formulas, and there is none")
		}
		return nil
	}
	for _, text := range opt.Formulas {
		name, body, own := strings.Cut(text, ":")
		name = strings.TrimSpace(name)
		if own {
			at := &reporter{file: "formula", src: text}
			p := newParser(opt.Dialect, at)
			p.lex.src, p.lex.off = text, len(text)-len(body)
			all = append(all, p.formula(name))
			r.errs = append(r.errs, at.errs...)
			continue
		}
		found := false
		for _, x := range notes(r.src) {
			if x.what != "ltl" || x.name != name {
				continue
			}
			found = true
			p := newParser(opt.Dialect, r)
			p.lex.src, p.lex.off, p.lex.line = r.src[:x.from+len(x.text)], x.from, x.line
			p.lex.lineStart = strings.LastIndexByte(r.src[:x.from], '\n') + 1
			all = append(all, p.formula(name))
		}
		if !found {
			r.errorf(model.Pos{}, "there is no formula %s; want NAME: FORMULA, or the name of one in a comment --@ ltl NAME: FORMULA", clip(name))
		}
	}
	return all
}

// formula reads a formula up to the end.
func (p *parser) formula(name string) *formulaNode {
	p.inside = true
	p.next()
	f := &formulaNode{reporter: p.r, name: cmp.Or(name, "formula"), pos: p.tok.pos}
	for p.got("forall") {
		f.quants = append(f.quants, p.quantifiers()...)
		p.do()
	}
	f.body = p.expr()
	if p.tok.kind != tEOF {
		p.unexpected("the end of the formula")
	}
	return f
}

// temporalWords are the temporal operators.
var temporalWords = map[kind]bool{"G": true, "F": true, "X": true, "U": true, "W": true, "R": true}

// temporal returns the kind of the next token, where in formulas the temporal operators are
// no names.
func (p *parser) temporal() kind {
	switch {
	case !p.inside:
	case p.tok.kind == tIdent:
		if p.tok.text == "V" {
			return "R"
		}
		if word := kind(p.tok.text); temporalWords[word] {
			return word
		}
	case p.tok.kind == "[" && p.peek() == "]":
		return "G"
	case p.tok.kind == "<" && p.peek() == ">":
		return "F"
	}
	return p.tok.kind
}
