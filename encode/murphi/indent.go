// The indentation of a model, for editors. Format makes a new layout and loses comments;
// Indent moves lines sideways, and keeps each token and comment on its line.

package murphi

import (
	"bytes"
	"strings"

	"orbitmc/internal/front"
	"orbitmc/model"
)

// roles say what tokens mean for the indentation.
var roles = map[kind]front.Role{
	"const": front.Head, "type": front.Head, "var": front.Head,
	"begin": front.Begin, "==>": front.Begin,
	"rule": front.Start, "startstate": front.Start, "ruleset": front.Start, "function": front.Start, "procedure": front.Start, "alias": front.Start,
	"record": front.Open, "if": front.Open, "switch": front.Open, "for": front.Open, "while": front.Open, "forall": front.Open, "exists": front.Open,
	"else": front.Middle, "elsif": front.Middle, "case": front.Middle, "then": front.Divide, "do": front.Divide, ",": front.Comma,
	"end": front.Close, "endalias": front.Close, "endexists": front.Close, "endfor": front.Close, "endforall": front.Close,
	"endfunction": front.Close, "endif": front.Close, "endprocedure": front.Close, "endrecord": front.Close, "endrule": front.Close,
	"endruleset": front.Close, "endstartstate": front.Close, "endswitch": front.Close, "endwhile": front.Close,
	"(": front.Paren, "[": front.Paren, "{": front.Paren, ")": front.Close, "]": front.Close, "}": front.Close,
	"invariant": front.Claim, "assert": front.Claim, ";": front.Stop,
	":=": front.Operator, "->": front.Operator, "||": front.Operator, "&&": front.Operator, "|": front.Operator, "&": front.Operator,
	"=": front.Operator, "!=": front.Operator, "<": front.Operator, "<=": front.Operator, ">": front.Operator, ">=": front.Operator,
	"+": front.Operator, "-": front.Operator, "*": front.Operator, "/": front.Operator, "%": front.Operator, "?": front.Operator,
}

// Indent returns the model src with each line as deep as the blocks around it, by unit for a
// level. The error, if any, is an ErrorList: of what is no token.
func Indent(file string, src []byte, unit string, d model.Dialect) ([]byte, error) {
	return front.Settle(bytes.TrimPrefix(src, []byte("\ufeff")), func(src []byte) ([]byte, error) { return indent(file, src, unit, d) })
}

func indent(file string, src []byte, unit string, d model.Dialect) ([]byte, error) {
	text := strings.TrimPrefix(string(src), "\ufeff")
	r := &reporter{file: file, src: text}
	lex := newLexer(text, d, r.errorf)
	var tokens []front.Token
	before, cases := kind(";"), false
	named := false // before is what a name in quotes may follow
	for t := lex.next(); t.kind != tEOF && !r.full; t = lex.next() {
		role := roles[t.kind]
		begins := before == ";" || before == "do" || before == "begin" || roles[before] == front.Close
		if t.kind == tIdent && (begins || propertyWords[strings.ToLower(t.text)]) {
			ahead := lex
			ahead.report = func(model.Pos, string, ...any) {}
			next := ahead.next().kind
			switch word := strings.ToLower(t.text); {
			case begins && word == "choose" && next == tIdent:
				role = front.Start
			case begins && word == "endchoose":
				role = front.Close
			case propertyWords[word] && (next == tString || begins && startsExpr(next)) && next != "(":
				role = front.Claim
			}
		}
		x := front.Token{Line: t.pos.Line - 1, Last: lex.line - 1, Col: t.pos.Col - 1, Role: role}
		switch role {
		case front.Open, front.Middle, front.Divide, front.Begin, front.Head, front.Start, front.Claim:
			x.Word = string(t.kind)
		}
		x.Ends = role != front.Plain && role != front.Open && x.Word != "" && x.Word != "case" && x.Word != "elsif" || t.kind == "record" || t.kind == ";" ||
			t.kind == ":" && cases || named && t.kind == tString
		cases = t.kind == "case" || cases && t.kind != ":"
		named = role == front.Start || role == front.Claim
		if k := len(tokens) - 1; t.kind == ":" {
			for k > 1 && tokens[k-1].Role == front.Comma {
				k -= 2
			}
			if k > 0 && tokens[k-1].Role != front.Operator && tokens[k-1].Role != front.Middle {
				tokens[k-1].Ends = true // a declaration begins behind it: Rumur has some without semicolons before them
			}
		}
		tokens = append(tokens, x)
		before = t.kind
	}
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	return []byte(front.Indent(text, unit, "--", tokens)), nil
}
