// What the writer of a text in error may have meant: spellings of other languages, and
// names that differ little from the one that is not there.

package murphi

import (
	"strings"

	"orbitmc/model"
)

// spelling is how an operator is written here that other languages write as a word.
var spelling = map[string]string{
	"and": "&", "or": "|", "not": "!", "mod": "%", "div": "/", "implies": "->", "iff": "=", "elif": "elsif", "elseif": "elsif", "default": "else",
}

// operator is how two adjacent tokens should be written.
var operator = map[[2]kind]string{
	{"<", ">"}:  "'!='",
	{"=", "<"}:  "'<='",
	{"/", "="}:  "'!='",
	{"~", "="}:  "'!='",
	{"&", "&&"}: "'&'",
	{"-", "->"}: "'->'",
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
	declaring := strings.HasPrefix(what, "':'")
	switch {
	case keywords[string(k)] && (what == string(tIdent) || p.last.kind == "," || p.last.kind == "{" || p.peek() == ":"):
		return ": it is a reserved word, and no name"
	case k == "=>":
		return ": write '==>' after a guard, '->' for an implication"
	case k == "/" && strings.HasPrefix(p.lex.src[p.lex.off:], "/"):
		return ": a comment begins with '--'"
	case what == "':' or ':='" && k == "=":
		return ": ':' stands before a type, ':=' before the first number"
	case declaring && k == "=":
		return ": write ':' before the value or type"
	case assigning && k == ";" && p.last.kind == tIdent && p.procs[strings.ToLower(p.last.text)]:
		return ": a call has parentheses, " + clip(p.last.text) + "()"
	case assigning && k == "=":
		return ": '=' compares, ':=' assigns"
	case assigning && (k == "+" || k == "-" || k == "*" || k == "/"):
		x := clip(p.last.text)
		return ": write " + x + " := " + x + " " + p.tok.text + " …"
	case what == "':'" && k == ":=":
		return ": ':' declares, ':=' assigns"
	}
	for _, t := range [...]token{p.last, p.tok} {
		if s := spelling[strings.ToLower(t.text)]; s != "" && t.kind == tIdent {
			return ": '" + t.text + "' is written '" + s + "'"
		}
	}
	return ""
}

// valuesOf is the end of a message about a number where a value of type t is needed.
func valuesOf(t, u *model.Type) string {
	switch {
	case !u.Numeric():
	case t.Members != nil:
		return ": its values are " + clip(strings.Join(t.Members, ", "))
	case t.Kind == model.Scalarset && !t.Slots:
		return ": its values have no names, only variables and parameters of the type do"
	}
	return ""
}
