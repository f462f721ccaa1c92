// Lexical analysis. Keywords are case-insensitive and identifiers are not.
// Words that only one of the tools reserves (assume, cover, liveness, choose,
// multiset, …) come out as identifiers; the parser knows them by their place.
// The mathematical symbols of Rumur are spellings of the same tokens.

package murphi

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"orbitmc/model"
)

// kind is a kind of token: one of these, or the word or sign itself. Of several spellings it is
// the one that both tools know.
type kind string

const (
	tEOF    kind = ""
	tBad    kind = "something reported already"
	tIdent  kind = "a name"
	tNumber kind = "a number"
	tReal   kind = "a real number"
	tString kind = "a string"
)

func (k kind) String() string {
	switch k {
	case tIdent, tNumber, tReal, tString:
		return string(k)
	}
	return "'" + string(k) + "'"
}

var keywords = func() map[string]bool {
	all := make(map[string]bool)
	for _, w := range strings.Fields(`alias array assert begin by case clear const do else elsif end endalias endexists endfor
		endforall endfunction endif endprocedure endrecord endrule endruleset endstartstate endswitch endwhile enum error exists
		for forall function if invariant ismember isundefined of procedure put record return rule ruleset scalarset startstate
		switch then to type undefine union var while`) {
		all[w] = true
	}
	return all
}()

// Keywords lists the words of the language in order, also those that are words by their place alone.
func Keywords() []string {
	placed := strings.Fields(`assume choose cover distribution endchoose liveness multiset multisetadd multisetcount multisetremove multisetremovepred undefined`)
	return slices.Sorted(slices.Values(slices.AppendSeq(placed, maps.Keys(keywords))))
}

// symbolsBy lists for each first byte the operators and punctuation that begin with it, a longer one before any prefix of it.
// "=>" means nothing here.
var symbolsBy = func() (by [256][]string) {
	for _, s := range strings.Fields(`==> == => = := : .. . >= >> > <= << < ->> -> - != ! && & || | ; , ( ) [ ] { } ? + * / % ^ ~
		∀ ∃ ≔ ≥ ≤ ≠ → ⇒ ¬ ∧ ∨ ÷ ∕ − ×`) {
		by[s[0]] = append(by[s[0]], s)
	}
	return by
}()

// spelled has the kinds of symbols that are another spelling of them.
var spelled = map[string]kind{
	"==": "=", "->>": "->", "∀": "forall", "∃": "exists", "≔": ":=", "≥": ">=", "≤": "<=", "≠": "!=", "→": "->", "⇒": "==>",
	"¬": "!", "∧": "&&", "∨": "||", "÷": "/", "∕": "/", "−": "-", "×": "*",
}

// token is one token. text is its source text, or the contents of a string.
type token struct {
	kind  kind
	pos   model.Pos
	text  string
	value int64 // tNumber
}

// String describes the token for messages.
func (t token) String() string {
	switch t.kind {
	case tEOF:
		return "end of file"
	case tString:
		return "a string"
	}
	return "'" + clip(t.text) + "'"
}

// clip shortens a text from the source for use in a message.
func clip(s string) string {
	const limit = 40
	if len(s) <= limit {
		return s
	}
	n := limit
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// lexer turns the source into tokens, one call of next at a time. It is a
// value: a copy scans ahead without disturbing the original.
type lexer struct {
	src       string
	off       int  // of the next character
	line      int  // 1-based
	lineStart int  // offset of the first character of the line
	rumur     bool // a leading 0 means octal, strings may span lines, and the end of the file ends a comment
	report    func(pos model.Pos, format string, args ...any)
}

func newLexer(src string, d model.Dialect, report func(model.Pos, string, ...any)) lexer {
	src = strings.TrimPrefix(src, "\ufeff")
	return lexer{src: src, line: 1, rumur: d == model.Rumur, report: report}
}

func (l *lexer) pos() model.Pos { return model.Pos{Line: l.line, Col: l.off - l.lineStart + 1} }

// next returns the next token; at the end it returns tEOF for ever.
func (l *lexer) next() token {
	if !l.space() {
		return token{kind: tBad, pos: l.pos()}
	}
	start, pos := l.off, l.pos()
	if start == len(l.src) {
		return token{kind: tEOF, pos: pos}
	}
	switch c := l.src[start]; {
	case isLetter(c) || c == '_':
		for l.off < len(l.src) && (isLetter(l.src[l.off]) || isDigit(l.src[l.off]) || l.src[l.off] == '_') {
			l.off++
		}
		text := l.src[start:l.off]
		if c == '_' {
			l.report(pos, "an identifier cannot begin with an underscore: %s", clip(text))
			return token{kind: tIdent, pos: pos, text: text}
		}
		if word := strings.ToLower(text); keywords[word] {
			return token{kind: kind(word), pos: pos, text: text}
		}
		return token{kind: tIdent, pos: pos, text: text}
	case isDigit(c) || c == '.' && start+1 < len(l.src) && isDigit(l.src[start+1]):
		return l.number()
	case c == '"' || strings.HasPrefix(l.src[start:], "“"):
		return l.str()
	default:
		for _, s := range symbolsBy[c] {
			if strings.HasPrefix(l.src[start:], s) {
				l.off += len(s)
				return token{kind: cmp.Or(spelled[s], kind(s)), pos: pos, text: s}
			}
		}
	}
	r, n := utf8.DecodeRuneInString(l.src[start:])
	l.off += n
	l.report(pos, "unexpected character %q", r)
	return token{kind: tBad, pos: pos, text: l.src[start:l.off]}
}

// space skips white space and comments. It returns false after reporting a
// comment that does not end.
func (l *lexer) space() bool {
	for l.off < len(l.src) {
		switch c := l.src[l.off]; {
		case c == '\n':
			l.newline()
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			l.off++
		case strings.HasPrefix(l.src[l.off:], "--"):
			if n := strings.IndexByte(l.src[l.off:], '\n'); n >= 0 {
				l.off += n
			} else {
				l.off = len(l.src)
			}
		case strings.HasPrefix(l.src[l.off:], "/*"):
			pos := l.pos()
			n := strings.Index(l.src[l.off+2:], "*/")
			end := l.off + 2 + n + 2
			if n < 0 {
				end = len(l.src)
			}
			for l.off < end {
				if l.src[l.off] == '\n' {
					l.newline()
				} else {
					l.off++
				}
			}
			if n < 0 && !l.rumur {
				l.report(pos, "comment does not end")
				return false
			}
		default:
			return true
		}
	}
	return true
}

func (l *lexer) newline() {
	l.off++
	l.line++
	l.lineStart = l.off
}

func (l *lexer) number() token {
	start, pos := l.off, l.pos()
	digits := func() {
		for l.off < len(l.src) && isDigit(l.src[l.off]) {
			l.off++
		}
	}
	base := 10
	digits()
	switch {
	case l.off == start+1 && l.src[start] == '0' && l.off+1 < len(l.src) && l.src[l.off]|0x20 == 'x' && isHex(l.src[l.off+1]):
		base = 16
		for l.off++; l.off < len(l.src) && isHex(l.src[l.off]); {
			l.off++
		}
	case l.off+1 < len(l.src) && l.src[l.off] == '.' && isDigit(l.src[l.off+1]):
		l.off++
		digits()
		if exp := realExponent.FindString(l.src[l.off:]); exp != "" {
			l.off += len(exp)
		}
		return token{kind: tReal, pos: pos, text: l.src[start:l.off]}
	case l.rumur && l.src[start] == '0':
		base = 8
	}
	text := l.src[start:l.off]
	digit := text
	if base == 16 {
		digit = text[2:]
	}
	v, err := strconv.ParseInt(digit, base, 64)
	switch {
	case err == nil:
	case v == math.MaxInt64:
		l.report(pos, "the number %s does not fit in 64 bits", clip(text))
	default:
		l.report(pos, "the number %s is not octal", clip(text))
	}
	return token{kind: tNumber, pos: pos, text: text, value: v}
}

// realExponent is that of a real number.
var realExponent = regexp.MustCompile(`^[eE][-+]?[0-9]{1,3}`)

// str scans a string. A backslash takes the next character out of its role.
func (l *lexer) str() token {
	pos, start := l.pos(), *l
	_, n := utf8.DecodeRuneInString(l.src[l.off:])
	l.off += n
	var b strings.Builder
	for l.off < len(l.src) && (l.rumur || l.src[l.off] != '\n') {
		rest := l.src[l.off:]
		switch {
		case strings.HasPrefix(rest, "\r\n"):
			l.off++
		case rest[0] == '\n':
			b.WriteByte('\n')
			l.newline()
		case rest[0] == '"':
			l.off++
			return token{kind: tString, pos: pos, text: b.String()}
		case strings.HasPrefix(rest, "”"):
			l.off += len("”")
			return token{kind: tString, pos: pos, text: b.String()}
		case rest[0] == '\\' && len(rest) > 1 && rest[1] != '\n':
			switch rest[1] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case '"', '\'', '\\':
				b.WriteByte(rest[1])
			default:
				b.WriteString(rest[:2])
			}
			l.off += 2
		default:
			b.WriteByte(rest[0])
			l.off++
		}
	}
	if l.rumur {
		// Go on after the line: the rest of the file is most likely no string.
		*l = start
		for l.off < len(l.src) && l.src[l.off] != '\n' {
			l.off++
		}
		l.report(pos, "string does not end")
	} else {
		l.report(pos, "string does not end on its line")
	}
	return token{kind: tString, pos: pos, text: b.String()}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isHex(c byte) bool    { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// What the language has and this reader refuses, with the reason.
const (
	noPCTL      = "a PCTL formula is decided by orbitmc pctl: here what may happen is checked, not how likely it is"
	noFairness  = "fairness is not supported: liveness means that from every state one can be reached in which the condition holds"
	noExternals = "external functions are not supported: their meaning is not in the model"
)
