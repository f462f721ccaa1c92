package front

import (
	"slices"
	"strings"
)

// Indentation moves the lines of a source to where its blocks put them. It changes the blanks
// at both ends of lines and nothing else: each token and each comment stays on its line.

// Role is what a token means for the indentation.
type Role uint8

const (
	Plain    Role = iota
	Open          // begins a block: up to its Close lines are one level deeper than the line of Open
	Paren         // as Open, of an expression
	Close         // ends a block; where it begins a line, that is as deep as the line of its Open
	Middle        // divides a block, as else does; where it begins a line, that is as deep as the line of Open
	Head          // begins a section that ends at the next Head, Start, Begin or Close, as var does
	Start         // ends a section, and begins a block, as rule does
	Begin         // ends a section, and divides the block around it
	Claim         // ends a section, and begins one that a Stop ends, as invariant does
	Stop          // ends a Claim, as a semicolon does
	Operator      // stands between operands: a line that begins with it, or follows it, is one level deeper, unless a Paren or Claim makes it so
	Verbatim      // its line stays as it is, as those of a preprocessor do
)

// Token is a token of the source. Lines count from 0.
type Token struct {
	Line, Last int // where it begins and ends
	Role       Role
}

// block is what is open.
type block struct {
	at   int // level of the line where it begins
	role Role
}

// Indent returns the source with each line as deep as its blocks say, by unit for a level. A
// line of comments is as deep as the code behind it, or as the block that ends there. Tokens are
// in order; comments are no tokens. A comment that begins with remark ends with its line.
func Indent(src, unit, remark string, tokens []Token) string {
	lines := strings.Split(src, "\n")
	const none, inside = -1, -2
	first := slices.Repeat([]int{none}, len(lines)) // token that begins a line; none; inside one that began before
	for i := len(tokens) - 1; i >= 0; i-- {
		t := tokens[i]
		for l := t.Line + 1; l <= t.Last; l++ {
			first[l] = inside
		}
		if first[t.Line] != inside {
			first[t.Line] = i
		}
	}
	level := make([]int, len(lines))
	w := &indenter{tokens: tokens}
	for l := range lines {
		if first[l] >= 0 {
			level[l] = w.line(l)
		}
	}
	for l := len(lines) - 2; l >= 0; l-- {
		if first[l] != none {
			continue
		}
		level[l] = level[l+1]
		if k := first[l+1]; k >= 0 && (tokens[k].Role == Close || tokens[k].Role == Middle) {
			level[l]++
		}
	}
	kept := inComment(src, remark)
	for l, text := range lines {
		if kept[l] || first[l] == inside || first[l] >= 0 && tokens[first[l]].Role == Verbatim {
			continue // its blanks may belong to a string or to a drawing
		}
		end := ""
		if strings.HasSuffix(text, "\r") {
			end = "\r"
		}
		text = strings.Trim(text, " \t\r\f\v")
		if text != "" {
			text = strings.Repeat(unit, level[l]) + text
		}
		lines[l] = text + end
	}
	return strings.Join(lines, "\n")
}

// inComment says of each line whether it begins in a comment.
func inComment(src, remark string) []bool {
	lines := []bool{false}
	for i := 0; i < len(src); {
		end := max(i+1, Skip(src, i, remark))
		for range strings.Count(src[i:end], "\n") {
			lines = append(lines, src[i] != '\n')
		}
		i = end
	}
	return lines
}

// Skip returns where the comment or the string ends that begins at i of a source, or i if none does. A comment that
// begins with remark ends with its line, and a string there at the latest.
func Skip(src string, i int, remark string) int {
	rest := src[i:]
	switch {
	case strings.HasPrefix(rest, remark):
		line, _, _ := strings.Cut(rest, "\n")
		return i + len(line)
	case strings.HasPrefix(rest, "/*"):
		if end := strings.Index(rest[2:], "*/"); end >= 0 {
			return i + end + 4
		}
		return len(src)
	case strings.HasPrefix(rest, `"`):
		line, _, _ := strings.Cut(rest, "\n")
		for k := 1; k < len(line); k++ {
			switch line[k] {
			case '\\':
				k++
			case '"':
				return i + k + 1
			}
		}
		return i + len(line)
	}
	return i
}

// indenter goes through the tokens line by line.
type indenter struct {
	tokens []Token
	next   int // token
	blocks []block
	last   Role // of the token before
}

// line returns the level of line l, which begins with a token, and goes to its end.
func (w *indenter) line(l int) int {
	for w.next < len(w.tokens) && w.tokens[w.next].Line < l { // behind a token of several lines
		w.token(w.tokens[w.next], w.inner())
		w.next++
	}
	t := w.tokens[w.next]
	at := w.inner()
	switch t.Role {
	case Close, Begin:
		w.endSections()
		at = w.outer()
	case Middle:
		at = w.outer()
	case Head, Start, Claim:
		w.endSections()
		at = w.inner()
		if t.Role == Head {
			at = w.outer()
		}
	default:
		if r := w.innermost(); (t.Role == Operator || w.last == Operator) && r != Paren && r != Claim {
			at++
		}
	}
	for w.next < len(w.tokens) && w.tokens[w.next].Line == l {
		w.token(w.tokens[w.next], at)
		w.next++
	}
	return at
}

// inner is the level of what stands in the innermost block, outer that of its end.
func (w *indenter) inner() int {
	if len(w.blocks) == 0 {
		return 0
	}
	return w.blocks[len(w.blocks)-1].at + 1
}

func (w *indenter) outer() int { return max(0, w.inner()-1) }

// innermost is the role of the innermost block, Plain if there is none.
func (w *indenter) innermost() Role {
	if len(w.blocks) == 0 {
		return Plain
	}
	return w.blocks[len(w.blocks)-1].role
}

// endSections ends the sections in the innermost block, which have no end of their own.
func (w *indenter) endSections() {
	for w.innermost() == Head || w.innermost() == Claim {
		w.blocks = w.blocks[:len(w.blocks)-1]
	}
}

// token passes a token of a line at a level.
func (w *indenter) token(t Token, at int) {
	w.last = t.Role
	switch t.Role {
	case Open, Paren:
		w.blocks = append(w.blocks, block{at, t.Role})
	case Close:
		w.endSections()
		if n := len(w.blocks); n > 0 {
			w.blocks = w.blocks[:n-1]
		}
	case Head, Claim, Start:
		w.endSections()
		w.blocks = append(w.blocks, block{at, t.Role})
	case Begin:
		w.endSections()
	case Stop:
		if w.innermost() == Claim {
			w.blocks = w.blocks[:len(w.blocks)-1]
		}
	}
}
