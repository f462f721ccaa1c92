package trace

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"orbitmc/model"
	"orbitmc/model/reference"
)

// This file cuts the text of a rule out of a Murphi model, with the branches that a firing took. A
// piece of text begins where a statement begins, and ran if that did.

// blocks returns the rule, and the procedures that it called.
func (v *viewer) blocks(r *model.Rule, flow *reference.Flow) (all []Block) {
	if v.source == nil || flow == nil {
		return nil
	}
	add := func(title string, at model.Pos, body []model.Stmt) {
		if b := cut(v.source, at, body, flow.Ran); b != nil {
			b.Title = title
			all = append(all, *b)
		}
	}
	add("rule "+ruleName("rule", r), r.Pos, r.Body)
	for _, p := range v.m.Procs {
		if slices.ContainsFunc(p.Body, func(s model.Stmt) bool { return flow.Ran[s] }) {
			add(p.Name, p.Pos, p.Body)
		}
	}
	return all
}

// longBlock is how many lines of a block are shown.
const longBlock = 1000

// cut returns the text of a rule or procedure that begins at a position.
func cut(source []string, at model.Pos, body []model.Stmt, ran map[model.Stmt]bool) *Block {
	if at.Line < 1 || at.Line > len(source) {
		return nil
	}
	last := end(source, at.Line)
	b := &Block{Line: at.Line}
	type mark struct {
		at  model.Pos
		ran bool
	}
	var marks []mark
	model.Inspect(body, func(n any) {
		if _, ok := n.(model.Expr); ok {
			return
		}
		if s, ok := n.(model.Stmt); ok && s.Position() != (model.Pos{}) {
			marks = append(marks, mark{s.Position(), ran[s]})
		}
	})
	slices.SortStableFunc(marks, func(a, b mark) int {
		return cmp.Or(a.at.Line-b.at.Line, a.at.Col-b.at.Col)
	})
	on := true
	for n := at.Line; n <= last; n++ {
		text := source[n-1]
		from := 0
		if n == last && len(marks) == 0 { // the end of all
			on = true
		}
		var line []Piece
		for len(marks) > 0 && marks[0].at.Line <= n {
			m := marks[0]
			for marks = marks[1:]; len(marks) > 0 && marks[0].at == m.at; marks = marks[1:] {
				m.ran = m.ran || marks[0].ran
			}
			if to := min(m.at.Col-1, len(text)); m.at.Line == n && m.ran != on && to >= from {
				if strings.TrimSpace(text[from:to]) != "" {
					line = append(line, Piece{text[from:to], on})
					from = to
				}
			}
			on = m.ran
		}
		b.Lines = append(b.Lines, append(line, Piece{text[from:], on}))
	}
	b.dedent()
	return b
}

// dedent takes away the blanks before all lines.
func (b *Block) dedent() {
	least := -1
	for _, line := range b.Lines {
		text := line[0].Text
		if n := len(text) - len(strings.TrimLeft(text, " \t")); n < len(text) && (least < 0 || n < least) {
			least = n
		}
	}
	for _, line := range b.Lines {
		line[0].Text = line[0].Text[min(max(least, 0), len(line[0].Text)):]
	}
}

var (
	words   = regexp.MustCompile(`[A-Za-z_]\w*|"[^"]*"|--.*|/\*|\*/`)
	closers = regexp.MustCompile(`^end(rule|if|for|while|switch|alias|forall|exists|record|startstate|procedure|function|ruleset|choose)?$`)
	openers = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "alias": true, "forall": true, "exists": true, "record": true}
)

// end returns the last line of the rule or procedure that begins in a line.
func end(source []string, first int) int {
	depth, comment := 1, false
	for n := first; n <= len(source) && n < first+longBlock; n++ {
		for _, w := range words.FindAllString(source[n-1], -1) {
			switch lower := strings.ToLower(w); {
			case w == "*/":
				comment = false
			case comment:
			case w == "/*":
				comment = true
			case openers[lower]:
				depth++
			case closers.MatchString(lower):
				if depth--; depth == 0 {
					return n
				}
			}
		}
	}
	return min(len(source), first+longBlock-1)
}
