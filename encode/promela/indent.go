package promela

import (
	"orbitmc/internal/fault"
	"orbitmc/internal/front"
)

// roles say what words and signs mean for the indentation.
var roles = map[string]front.Role{
	"{": front.Open, "do": front.Open, "if": front.Open, "}": front.Close, "od": front.Close, "fi": front.Close,
	"(": front.Paren, "[": front.Paren, ")": front.Close, "]": front.Close, "::": front.Middle,
	"&&": front.Operator, "||": front.Operator, "==": front.Operator, "!=": front.Operator, "=": front.Operator,
	";": front.Stop, ",": front.Comma, "+": front.Operator, "*": front.Operator, "/": front.Operator, "<=": front.Operator, ">=": front.Operator,
}

// Indent returns the program src with each line as deep as the blocks around it, by unit for a
// level. Each token and comment stays on its line, and lines of the preprocessor stay as they
// are. The error, if any, is an *Error: of what is no token.
func Indent(file string, src []byte, unit string) ([]byte, error) {
	return front.Settle(src, func(src []byte) ([]byte, error) { return indent(file, src, unit) })
}

func indent(file string, src []byte, unit string) (out []byte, err error) {
	defer fault.Catch[*Error](&err)
	toks := lex(&source{file, string(src)})
	var tokens []front.Token
	for i := 0; i < len(toks)-1; {
		line := toks[i].at.pos.Line - 1
		if !toks[i].hash {
			role := front.Plain
			if toks[i].kind != tStr {
				role = roles[toks[i].text]
			}
			x := front.Token{Line: line, Last: line, Col: toks[i].at.pos.Col - 1, Role: role}
			if role == front.Open || role == front.Middle {
				x.Word = toks[i].text
			} else if role == front.Plain && toks[i+1].text == ":" && (i == 0 || tokens[len(tokens)-1].Ends) {
				x.Word = "label"
			}
			x.Ends = x.Word != "" && x.Word != "label" || role == front.Stop || toks[i].kind != tStr && (toks[i].text == "->" || toks[i].text == ":")
			tokens = append(tokens, x)
			i++
			continue
		}
		last := line
		for i++; i < len(toks)-1 && !toks[i].nl; i++ {
			last = toks[i].at.pos.Line - 1
		}
		tokens = append(tokens, front.Token{Line: line, Last: last, Role: front.Verbatim})
	}
	return []byte(front.Indent(string(src), unit, "//", tokens)), nil
}
