// What the writer of a text in error may have meant: spellings of other languages, and
// names that differ little from the one that is not there.

package murphi

import "strings"

// spelling is how an operator is written here that other languages write as a word.
var spelling = map[string]string{
	"and": "&", "or": "|", "not": "!", "mod": "%", "div": "/", "implies": "->", "iff": "=", "elif": "elsif", "elseif": "elsif",
}

// operator is how two adjacent tokens should be written.
var operator = map[[2]kind]string{
	{tLt, tGt}:         "'!='",
	{tEq, tGt}:         "'->' for an implication, '==>' after a guard",
	{tEq, tLt}:         "'<='",
	{tSlash, tEq}:      "'!='",
	{tTilde, tEq}:      "'!='",
	{tAmp, tAndAnd}:    "'&'",
	{tMinus, tImplies}: "'->'",
}

// hint says what may have been meant by the next token, which is not what was
// expected; "" if nothing comes to mind.
func (p *parser) hint(what string) string {
	k := p.tok.kind
	if p.last.pos.Line == p.tok.pos.Line && p.after == p.tok.pos {
		if s := operator[[2]kind{p.last.kind, k}]; s != "" {
			return ": write " + s
		}
	}
	assigning := what == "':='"
	switch {
	case assigning && k == tEq:
		return ": '=' compares, ':=' assigns"
	case assigning && (k == tPlus || k == tMinus || k == tStar || k == tSlash):
		x := clip(p.last.text)
		return ": write " + x + " := " + x + " " + p.tok.text + " …"
	case what == "':'" && k == tAssign:
		return ": ':' declares, ':=' assigns"
	}
	for _, t := range [...]token{p.last, p.tok} {
		if s := spelling[strings.ToLower(t.text)]; s != "" && t.kind == tIdent {
			return ": '" + t.text + "' is written '" + s + "'"
		}
	}
	return ""
}

// nearest returns the name among candidates, in the order given, that is likely to have
// been meant by name: the first with the fewest changes, of at most a third of its
// letters; "" if there is none.
func nearest(name string, candidates []string) string {
	best, found := len(name)/3+1, ""
	if len(name) < 3 {
		best = 1 // only the case of letters may differ
	}
	for _, c := range candidates {
		if len(c)-len(name) >= best || len(name)-len(c) >= best || len(c) > 200 {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d < best {
			best, found = d, c
		}
	}
	return found
}

// distance counts the bytes to insert, to remove, to replace and the neighbours to
// exchange that make b of a.
func distance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
