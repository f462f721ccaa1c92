package promela

import (
	"orbitmc/indent"
)

// roles say what words and signs mean for the indentation.
var roles = map[string]indent.Role{
	"{": indent.Open, "do": indent.Open, "if": indent.Open, "}": indent.Close, "od": indent.Close, "fi": indent.Close,
	"(": indent.Paren, "[": indent.Paren, ")": indent.Close, "]": indent.Close, "::": indent.Middle,
	"&&": indent.Operator, "||": indent.Operator, "==": indent.Operator, "!=": indent.Operator, "=": indent.Operator,
	"+": indent.Operator, "*": indent.Operator, "/": indent.Operator, "<=": indent.Operator, ">=": indent.Operator,
}

// Indent returns the program src with each line as deep as the blocks around it, by unit for a
// level. Each token and comment stays on its line, and lines of the preprocessor stay as they
// are. The error, if any, is an *Error: of what is no token.
func Indent(file string, src []byte, unit string) (out []byte, err error) {
	defer catch(&err)
	toks := lex(&source{file, string(src)})
	var tokens []indent.Token
	for i := 0; i < len(toks)-1; {
		line := toks[i].at.pos.Line - 1
		if !toks[i].hash {
			role := indent.Plain
			if toks[i].kind != tStr {
				role = roles[toks[i].text]
			}
			tokens = append(tokens, indent.Token{Line: line, Last: line, Role: role})
			i++
			continue
		}
		last := line
		for i++; i < len(toks)-1 && !toks[i].nl; i++ {
			last = toks[i].at.pos.Line - 1
		}
		tokens = append(tokens, indent.Token{Line: line, Last: last, Role: indent.Verbatim})
	}
	return []byte(indent.Lines(string(src), unit, "//", tokens)), nil
}

// catch recovers an error that ended reading.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case *Error:
		*err = r
	default:
		panic(r)
	}
}
