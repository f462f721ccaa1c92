package murphi

import (
	"bytes"
	"strings"

	"orbitmc/model"
)

// This file reads invariants that are no part of a model, as candidates for lemmas of it.

// Lemma is an invariant of a text of lemmas.
type Lemma struct {
	Name string
	Pos  model.Pos
	Expr string // for all values of the rulesets around it
}

// Lemmas takes a text of lemmas apart: invariants, in rulesets or not, and the functions that they use, which rest has.
// So a model with rest means what it meant without. Names and types are not checked. The error, if any, is an
// ErrorList.
func Lemmas(file string, src []byte, d model.Dialect) (all []Lemma, rest []byte, err error) {
	text := string(bytes.TrimPrefix(src, []byte("\ufeff")))
	r := &reporter{file: file, src: text}
	p := &printer{}
	var visit func(n node, before, after string)
	visit = func(n node, before, after string) {
		var pos model.Pos // of something else
		switch n := n.(type) {
		case *rulesetNode:
			for _, k := range n.rules {
				visit(k, before+"forall "+quantifiers(n.quants)+" do ", " end"+after)
			}
		case *propNode:
			all = append(all, Lemma{n.name, n.pos, before + exprText(n.cond) + after})
			if n.word != "invariant" {
				pos = n.pos
			}
		case *procDecl:
			p.nodes([]node{n})
		case *constDecl: // might be one that the model leaves to -D
			pos = n.names[0].pos
		case *varDecl:
			pos = n.names[0].pos
		case *typeDecl:
			pos = n.names[0].pos
		case *ruleNode:
			pos = n.pos
		case *chooseNode:
			pos = n.pos
		case *aliasNode:
			pos = n.binds[0].id.pos
		}
		if pos.Line > 0 {
			r.errorf(pos, "lemmas are invariants, in rulesets or not, and the functions of these")
		}
	}
	for _, n := range parseFile(text, d, r, false) {
		visit(n, "", "")
	}
	if len(r.errs) > 0 {
		return nil, nil, r.errs
	}
	return all, []byte(strings.TrimSpace(p.b.String())), nil
}
