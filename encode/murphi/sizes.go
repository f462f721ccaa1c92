package murphi

import (
	"fmt"
	"strings"

	"orbitmc/model"
)

// This file finds sizes of types that no constant names, and names them.

// LiteralSize is a size that a declaration of a type has as a number, scalarset(3) or 1..3, or as the greatest
// value of a range from 0, 0..3 or 0..N, which is one less than the size.
type LiteralSize struct {
	Type   string
	Pos    model.Pos   // of the number, or of the name of the constant
	Text   string      // what stands there
	Value  int64       // the size, if Text is a number
	Less   int64       // the size less the value of Text
	Range  bool        // the type is a range, from Lo on
	Lo     int64       // its least value
	Others []model.Pos // where else the same number, or name, is
}

// LiteralSizes returns those of a text, in its order. A text that cannot be read has none.
func LiteralSizes(file string, src []byte, d model.Dialect) (out []LiteralSize) {
	r := &reporter{file: file}
	text := string(src)
	for _, n := range parseFile(text, d, r, false) {
		t, ok := n.(*typeDecl)
		if !ok || len(t.names) != 1 {
			continue
		}
		s := LiteralSize{Type: t.names[0].name}
		var bound expr
		switch x := t.typ.(type) {
		case *scalarsetType:
			bound = x.size
		case *rangeType:
			lo, ok := x.from.(*numberLit)
			if !ok || lo.value != 0 && lo.value != 1 {
				continue
			}
			bound, s.Range, s.Lo, s.Less = x.to, true, lo.value, 1-lo.value
		}
		switch b := bound.(type) {
		case *numberLit:
			s.Pos, s.Text, s.Value = b.pos, b.text, b.value+s.Less
		case *designator:
			if s.Less == 0 || b.call || len(b.sels) > 0 {
				continue // a constant that is a size is left open as it is
			}
			s.Pos, s.Text = b.base.pos, b.base.name
		default:
			continue
		}
		out = append(out, s)
	}
	if r.errs != nil {
		return nil
	}
	lex := newLexer(text, d, func(model.Pos, string, ...any) {})
	for t := lex.next(); t.kind != tEOF; t = lex.next() {
		for i := range out {
			if s := &out[i]; t.kind != tString && t.text == s.Text && t.pos != s.Pos {
				s.Others = append(s.Others, t.pos)
			}
		}
	}
	return out
}

// Declaration writes the type, with a constant as its size; "" for what the text has.
func (s *LiteralSize) Declaration(constant string) string {
	switch {
	case constant == "" && s.Range:
		return fmt.Sprintf("%d..%s", s.Lo, s.Text)
	case constant == "":
		constant = s.Text
	}
	if s.Range {
		return fmt.Sprintf("%d..%s", s.Lo, s.bound(constant))
	}
	return "scalarset(" + constant + ")"
}

func (s *LiteralSize) bound(constant string) string {
	if s.Less > 0 {
		return fmt.Sprintf("%s - %d", constant, s.Less)
	}
	return constant
}

// Named returns the text with constants as the sizes, by name. Lines stay where they are.
func Named(src []byte, sizes []LiteralSize, names []string, values []int64) []byte {
	lines := strings.SplitAfter(string(src), "\n")
	head := ""
	for i := len(sizes) - 1; i >= 0; i-- { // from the last on, so that columns hold
		s := &sizes[i]
		line := &lines[s.Pos.Line-1]
		*line = (*line)[:s.Pos.Col-1] + s.bound(names[i]) + (*line)[s.Pos.Col-1+len(s.Text):]
		head = fmt.Sprintf("const %s: %d; ", names[i], values[i]) + head
	}
	return []byte(head + strings.Join(lines, ""))
}
