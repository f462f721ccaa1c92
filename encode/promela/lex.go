package promela

import (
	"strconv"
	"strings"

	"orbitmc/model"
)

// tokKind is what a token is. Operators and keywords are told apart by their text.
type tokKind uint8

const (
	tEOF  tokKind = iota
	tName         // identifier or keyword
	tNum
	tStr // with its quotes
	tOp
)

// token is a word of the source. Tokens of a macro have the position of its use.
type token struct {
	kind tokKind
	text string
	val  int64 // of a number
	at   place
	nl   bool            // first on its line
	hash bool            // a # that begins a directive
	hide map[string]bool // macros that it came from, and that are not expanded in it again
	gap  bool            // a blank stands before it
}

// operators, longer ones first.
var operators = []string{"<->", "->", "--", "++", "<<", ">>", "<=", ">=", "==", "!=", "!!", "??", "&&", "||", "::", "..", "##", "[]", "<>"}

// lex turns a file into tokens. "[]" and "<>" are left as two tokens each: only formulas
// know them, and put them together.
func lex(src *source) []token {
	var toks []token
	s := src.text
	line, start, nl, gap := 1, 0, true, false
	i := 0
	here := func() place { return place{src, model.Pos{Line: line, Col: i - start + 1}} }
	add := func(k tokKind, text string, val int64) {
		toks = append(toks, token{kind: k, text: text, val: val, at: here(), nl: nl, gap: gap, hash: nl && text == "#"})
		nl, gap = false, false
		i += len(text)
	}
	for i < len(s) {
		c := s[i]
		switch {
		case c == '\n':
			i++
			line, start, nl = line+1, i, true
		case c == '\\' && strings.HasPrefix(strings.TrimLeft(s[i+1:], " \t\r\f\v"), "\n"): // space behind it is nothing, as for gcc
			i += strings.IndexByte(s[i:], '\n') + 1
			line, start = line+1, i
			gap = true
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			i++
			gap = true
		case strings.HasPrefix(s[i:], "//"):
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case strings.HasPrefix(s[i:], "/*"):
			n := strings.Index(s[i+2:], "*/")
			if n < 0 {
				fail(here(), "the comment is not closed")
			}
			for end := i + 2 + n + 2; i < end; i++ {
				if s[i] == '\n' {
					line, start = line+1, i+1
				}
			}
			gap = true
		case letter(c):
			j := i
			for j < len(s) && (letter(s[j]) || digit(s[j])) {
				j++
			}
			add(tName, s[i:j], 0)
		case digit(c):
			j := i
			for j < len(s) && (letter(s[j]) || digit(s[j])) {
				j++
			}
			v, err := strconv.ParseInt(s[i:j], 10, 32)
			if err != nil {
				fail(here(), "%s is no number that fits 32 bits", s[i:j])
			}
			add(tNum, s[i:j], v)
		case c == '"':
			j := i + 1
			for j < len(s) && s[j] != '"' && s[j] != '\n' {
				if s[j] == '\\' {
					j++
				}
				j++
			}
			if j >= len(s) || s[j] != '"' {
				fail(here(), "the string is not closed")
			}
			add(tStr, s[i:j+1], 0)
		case c == '\'':
			j := i + 1
			v := int64(-1)
			if j+1 < len(s) && s[j] == '\\' {
				v = int64(s[j+1])
				if k := strings.IndexByte("nrtf0", s[j+1]); k >= 0 {
					v = int64("\n\r\t\f\x00"[k])
				}
				j += 2
			} else if j < len(s) && s[j] != '\n' {
				v = int64(s[j])
				j++
			}
			if v < 0 || j >= len(s) || s[j] != '\'' {
				fail(here(), "the character is not closed")
			}
			add(tNum, s[i:j+1], v)
		default:
			op := s[i : i+1]
			for _, o := range operators {
				if strings.HasPrefix(s[i:], o) && o != "[]" && o != "<>" && o != "<->" {
					op = o
					break
				}
			}
			if !strings.Contains("#{}()[]<>=+-*/%&|^~!?:;,.@_\\$", op[:1]) {
				fail(here(), "the character %q has no meaning here", op)
			}
			add(tOp, op, 0)
		}
	}
	return append(toks, token{kind: tEOF, at: here(), nl: true})
}

func letter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }
