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
