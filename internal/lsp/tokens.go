package lsp

import (
	"slices"
	"strings"
	"unicode"

	"orbitmc/internal/front"
	"orbitmc/model"
)

// This file answers what is called at a place, and what kind of name stands where.

// declares are the words before the name of what is called with arguments, where it is declared.
var declares = map[string]bool{"procedure": true, "function": true, "proctype": true, "inline": true, "#define": true, "define": true}

// signatureHelp says which parameters the innermost call around a place has, and which of them stands there. It reads
// the text, which need not be whole; a semicolon ends all calls.
func (s *Server) signatureHelp(d *document, p positionParams) (any, error) {
	type call struct {
		name string
		args int // before the place
	}
	var open []call
	text, remark := d.text[:d.offset(p.Position)], "--"
	if d.program {
		remark = "//"
	}
	from := 0 // of the word before i
	for i := 0; i < len(text); {
		if end := front.Skip(text, i, remark); end > i {
			if end == len(text) && text[end-1] != '"' {
				return nil, nil // in a comment or a string
			}
			i, from = end, end
			continue
		}
		switch c := text[i]; {
		case isWord(c):
			if i == 0 || !isWord(text[i-1]) {
				from = i
			}
		case c == ' ' || c == '\t':
		default:
			word := strings.TrimRight(text[from:i], " \t")
			from = i + 1
			switch c {
			case '(', '[', '{':
				line := text[strings.LastIndexByte(text[:from-1], '\n')+1 : from-1]
				if before := strings.Fields(strings.TrimSuffix(strings.TrimRight(line, " \t"), word)); len(before) > 0 && declares[strings.ToLower(before[len(before)-1])] {
					word = ""
				}
				open = append(open, call{name: word})
			case ')', ']', '}':
				open = open[:max(0, len(open)-1)]
			case ',':
				if n := len(open); n > 0 {
					open[n-1].args++
				}
			case ';':
				open = nil
			}
		}
		i++
	}
	for _, c := range slices.Backward(open) {
		for _, n := range d.names().Names {
			if n.Kind == front.Func && n.Text == c.name {
				label := headOf(n)
				call := map[string]any{"label": label, "parameters": parameters(label)}
				return map[string]any{"signatures": []any{call}, "activeParameter": c.args}, nil
			}
		}
	}
	return nil, nil
}

// parameters returns those of a head: what stands between its first parenthesis and the one that closes it.
func parameters(head string) []any {
	all := []any{}
	from, depth := 0, 0
	for i := range len(head) {
		switch c := head[i]; {
		case c == '(' || c == '[' && depth > 0 || c == '{' && depth > 0:
			if depth++; depth == 1 {
				from = i + 1
			}
		case depth == 1 && (c == ';' || c == ',' || c == ')'):
			if x := strings.TrimSpace(head[from:i]); x != "" {
				all = append(all, map[string]string{"label": x})
			}
			if from = i + 1; c == ')' {
				return all
			}
		case depth > 1 && (c == ')' || c == ']' || c == '}'):
			depth--
		}
	}
	return all
}

// The legend of semantic tokens, in order.
var (
	tokenTypes     = []string{"enumMember", "event", "function", "label", "parameter", "property", "type", "variable"}
	tokenModifiers = []string{"declaration", "readonly"}
)

// semanticTokens says of each name, and of the names of rules and properties, what it is. Of a text with an error it says what
// the last whole one had at the same place.
func (s *Server) semanticTokens(d *document, _ documentParams) (any, error) {
	type token struct {
		at     position
		text   string
		is, as int
	}
	var all []token
	for _, n := range d.names().Names {
		is, found := slices.BinarySearch(tokenTypes, kinds[n.Kind].token)
		if l := d.line(n.At.Pos.Line - 1); !found || n.At.File != d.file || n.At.Pos.Col > len(l) || !strings.HasPrefix(l[n.At.Pos.Col-1:], n.Text) {
			continue
		}
		as := 0
		if n.At == n.Decl {
			as = 1
		}
		if n.Kind == front.Const || n.Kind == front.Member {
			as |= 2
		}
		all = append(all, token{d.position(n.At.Pos), n.Text, is, as})
	}
	event, _ := slices.BinarySearch(tokenTypes, "event")
	for _, q := range slices.Concat(d.names().Properties, d.names().Rules) {
		l := d.line(q.Pos.Line - 1)
		if q.Pos.Col > len(l) {
			continue
		}
		behind := strings.TrimLeft(strings.TrimLeftFunc(l[q.Pos.Col-1:], unicode.IsLetter), " \t")
		for _, name := range []string{`"` + q.Name + `"`, q.Name} {
			if strings.HasPrefix(behind, name) {
				at := model.Pos{Line: q.Pos.Line, Col: len(l) - len(behind) + 1}
				all = append(all, token{d.position(at), name, event, 1})
				break
			}
		}
	}
	slices.SortStableFunc(all, func(a, b token) int { return a.at.compare(b.at) })
	all = slices.CompactFunc(all, func(a, b token) bool { return a.at == b.at })
	data := make([]int, 0, 5*len(all)) // of each: lines and units behind the one before, length, type, modifiers
	var last position
	for _, t := range all {
		if t.at.Line > last.Line {
			last.Character = 0
		}
		data = append(data, t.at.Line-last.Line, t.at.Character-last.Character, units(t.text), t.is, t.as)
		last = t.at
	}
	return map[string][]int{"data": data}, nil
}
