package lsp

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/front"
)

// rename returns the edits that give a name another text. The text after it is read again: every
// name in it must stand for what it stood for before.
func (d *document) rename(at front.Place, to string, s settings) ([]textEdit, error) {
	if !d.index.Whole {
		return nil, errors.New("the source has errors: correct them first")
	}
	n, ok := d.index.At(at)
	switch {
	case !ok:
		return nil, errors.New("there is no name here")
	case n.Decl == (front.Place{}):
		return nil, fmt.Errorf("%s belongs to the language", n.Text)
	}
	uses := d.index.Of(n.Decl)
	for _, u := range uses {
		if u.At.File != d.file || u.Decl.File != d.file {
			return nil, fmt.Errorf("%s stands in an included file, too", n.Text)
		}
	}
	lines := slices.Clone(d.lines)
	edits := []textEdit{}
	for i := len(uses) - 1; i >= 0; i-- { // from the end, as places behind a change move
		p := uses[i].At.Pos
		l := lines[p.Line-1]
		lines[p.Line-1] = l[:p.Col-1] + to + l[p.Col-1+len(n.Text):]
		edits = append(edits, textEdit{d.span(p, len(n.Text)), to})
	}
	slices.Reverse(edits)
	after := d.read(strings.Join(lines, "\n"), s)
	if !same(d.index, after, n.Decl, to) {
		return nil, fmt.Errorf("%q cannot take the place of %s: the source would be wrong, or mean something else", to, n.Text)
	}
	return edits, nil
}

// same reports whether the names of two indices, one by one, stand for the same, and whether
// exactly those of what is declared at decl have another text.
func same(a, b *front.Index, decl front.Place, to string) bool {
	if !b.Whole || len(a.Names) != len(b.Names) {
		return false
	}
	number := func(x *front.Index) map[front.Place]int {
		m := make(map[front.Place]int)
		for i, n := range x.Names {
			m[n.At] = i
		}
		return m
	}
	before, after := number(a), number(b)
	at := func(m map[front.Place]int, p front.Place) int {
		if i, ok := m[p]; ok {
			return i
		}
		return -1 // of the language, or of an included file
	}
	for i, n := range a.Names {
		m := b.Names[i]
		text := n.Text
		if n.Decl == decl {
			text = to
		}
		if m.Text != text || at(before, n.Decl) != at(after, m.Decl) {
			return false
		}
	}
	return true
}
