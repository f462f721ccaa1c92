package front

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Indentation moves the lines of a source to where its blocks put them. It changes the blanks
// at both ends of lines and nothing else: each token and each comment stays on its line.
//
// How deep a line is in its block is learned from the source (style): what most lines of the same kind, in blocks of the same
// kind, have. So a source that is indented in one way stays as it is. A line that continues another one moves with it.

// Role is what a token means for the indentation.
type Role uint8

const (
	Plain    Role = iota
	Open          // begins a block: up to its Close lines are one level deeper than the line of Open
	Paren         // as Open, of an expression
	Close         // ends a block; where it begins a line, that is as deep as the line of its Open
	Middle        // divides a block, as else does; where it begins a line, that is as deep as the line of Open
	Divide        // ends the head of a block, as then does
	Head          // begins a section that ends at the next Head, Start, Begin or Close, as var does
	Start         // ends a section, and begins a block, as rule does
	Begin         // ends a section, and divides the block around it
	Claim         // ends a section, and begins one that a Stop ends, as invariant does
	Stop          // ends a Claim, as a semicolon does
	Comma         // stands between parts of a list
	Operator      // stands between operands: a line that begins with it, or follows it, is one level deeper, unless a Paren or Claim makes it so
	Verbatim      // its line stays as it is, as those of a preprocessor do
)

// Token is a token of the source. Lines and columns count from 0, columns in bytes.
type Token struct {
	Line, Last int // where it begins and ends
	Col        int
	Role       Role
	Word       string // tells blocks and parts of blocks apart; of Plain: "", or the kind of a line that begins with it
	Ends       bool   // what follows continues nothing; so it is behind each Close but of a Paren
}

// block is what is open.
type block struct {
	at      int // level of the line where it begins
	role    Role
	line    int    // where it begins
	off     int    // bytes before it in its line, but the blanks at the beginning
	word    string // of the token that begins it
	section string // word of the last token that divides it
	fresh   bool   // no line has begun in the section
	inline  bool   // the line before the first one of the section ended with a Stop
	begun   int    // the line of the section
	under   int    // where what the section has in that line begins, as off; 0: it has nothing
}

// place is where a line stands among blocks, by tokens alone.
type place struct {
	level int    // of the style that is learned from no source
	in    block  // around it
	key   string // of the kind of line and block; "": it continues another line
	base  int    // the line that it continues
	flush bool   // it may be as deep as that
	deep  bool   // a level deeper than its block, where nothing is learned
}

// Indent returns the source with each line as deep as its blocks say. Where the source does not tell how deep that is, and
// where hardly any of its lines are deeper than their blocks, it is unit for a level. A
// line of comments that is as deep as the code behind it, or before it where the block ends there, moves with that. Tokens are
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
	isCode := func(l int) bool { return first[l] >= 0 && tokens[first[l]].Role != Verbatim }
	places := make([]place, len(lines))
	w := &indenter{tokens: tokens, lines: lines, last: Token{Ends: true}}
	for l := range lines {
		if isCode(l) {
			places[l] = w.line(l)
		}
	}
	closes := func(l int) bool {
		return first[l] >= 0 && (tokens[first[l]].Role == Close || tokens[first[l]].Role == Middle)
	}
	for l := len(lines) - 2; l >= 0; l-- {
		if first[l] == none {
			if places[l].level = places[l+1].level; closes(l + 1) {
				places[l].level++
			}
		}
	}
	kept := inComment(src, remark)
	out, least := "", -1
	for _, tab := range []int{8, 4, 2} { // the columns of a tab, of which a source tells by its lines
		old := make([]int, len(lines)) // columns of blanks at the beginning
		for l, text := range lines {
			old[l] = columns(blank(text), tab)
		}
		depth, tabs, unit := slices.Clone(old), strings.Contains(unit, "\t"), columns(unit, tab)
		if st := learn(places, old, unit); st.apply(places, old, depth, isCode) {
			with, without := 0, 0
			for l, text := range lines {
				if strings.Contains(blank(text), "\t") {
					with++
				} else if old[l] >= tab {
					without++
				}
			}
			tabs = with > without
			moveComments(old, depth, isCode, closes)
		} else {
			for l := range lines {
				depth[l] = places[l].level * unit
			}
		}
		moved, changed := slices.Clone(lines), 0
		for l, text := range lines {
			if kept[l] || first[l] == inside || first[l] >= 0 && !isCode(l) {
				continue // its blanks may belong to a string or to a drawing
			}
			lead, end := blank(text), ""
			if strings.HasSuffix(text, "\r") {
				end = "\r"
			}
			if text = strings.Trim(text, blanks); text != "" {
				if depth[l] != old[l] {
					changed++
					lead = strings.Repeat(" ", depth[l])
					if tabs {
						lead = strings.Repeat("\t", depth[l]/tab) + strings.Repeat(" ", depth[l]%tab)
					}
				}
				text = lead + text
			}
			moved[l] = text + end
		}
		if least < 0 || changed < least {
			out, least = strings.Join(moved, "\n"), changed
		}
		if !strings.Contains(src, "\t") {
			break
		}
	}
	return out
}

// turns is how often a source is indented until it stays.
const turns = 8

// Settle repeats what indents a source until that changes nothing: what was moved may tell another style. A source that goes on
// changing, which only broken ones do that were made for it, is returned as it is.
func Settle(src []byte, indent func(src []byte) ([]byte, error)) ([]byte, error) {
	last := src
	for range turns {
		out, err := indent(last)
		if err != nil || bytes.Equal(out, last) {
			return out, err
		}
		last = out
	}
	return src, nil
}

// moveComments moves the lines that are no code with those that are as deep: the one behind it or, where that ends a block,
// the one before it.
func moveComments(old, depth []int, isCode, closes func(int) bool) {
	before, behind := -1, 0 // lines of code
	for l := range old {
		if isCode(l) {
			before = l
			continue
		}
		for behind = max(behind, l); behind < len(old) && !isCode(behind); behind++ {
		}
		with := behind
		if with == len(old) || closes(with) {
			with = before
		}
		if with >= 0 && old[l] == old[with] {
			depth[l] = depth[with]
		}
	}
}

const blanks = " \t\r\f\v"

// blank returns the blanks that a line begins with.
func blank(text string) string { return text[:len(text)-len(strings.TrimLeft(text, blanks))] }

// columns is the width of a text of blanks.
func columns(text string, tab int) int {
	n := 0
	for _, c := range text {
		switch c {
		case ' ':
			n++
		case '\t':
			n = (n/tab + 1) * tab
		}
	}
	return n
}

// style says how deep the lines of a kind are.
type style struct {
	unit int
	of   map[string]deep
}

// deep is how much deeper a line is than something.
type deep struct {
	by   int
	than than
}

type than uint8

const (
	line  than = iota // the line where the block begins
	token             // that begins it
	under             // what the section has in its first line
)

// base is how deep that is.
func (b block) base(t than, depth []int) int {
	switch {
	case t == under:
		return depth[b.begun] + b.under
	case b.line < 0:
		return 0
	case t == token:
		return depth[b.line] + b.off
	}
	return depth[b.line]
}

// learn finds the style of a source: for each kind of line what more than half of its lines have, else a level where
// there is one without a source. Lines that should be deeper than their blocks are not only if none of the kind is.
// A line that is alone of its kind is where it should be unless it is very deep.
func learn(places []place, old []int, unit int) style {
	kinds := make(map[string]*kind)
	for l, p := range places {
		if p.key == "" {
			continue
		}
		k := kinds[p.key]
		if k == nil {
			k = &kind{place: p, counts: make(map[deep]int)}
			kinds[p.key] = k
		}
		by := old[l] - p.in.base(line, old)
		if k.lines++; p.deep && by == 0 {
			k.flat++
			continue
		}
		k.counts[deep{by, line}]++
		if p.in.off > 0 {
			k.counts[deep{old[l] - p.in.base(token, old), token}]++
		}
		if p.in.under > 0 {
			k.counts[deep{old[l] - p.in.base(under, old), under}]++
		}
	}
	st := style{unit, make(map[string]deep)}
	levels := map[int]int{} // lines by how deep they are
	for key, k := range kinds {
		d, ok := k.most()
		if k.place.deep && ok && d.by > 0 && d.than == line {
			levels[d.by] += k.lines
		}
		if ok && k.lines > 1 {
			st.of[key] = d
		}
	}
	most := 0
	for by, n := range levels {
		if n > most || n == most && by < st.unit {
			st.unit, most = by, n
		}
	}
	for key, k := range kinds {
		best := deep{by: -1}
		for d := range k.counts {
			if d.by >= 0 && d.by <= 2*st.unit && (best.by < 0 || d.than < best.than) {
				best = d
			}
		}
		if k.lines == 1 && (k.flat > 0 || best.by >= 0) {
			st.of[key] = deep{max(0, best.by), best.than}
		}
	}
	return st
}

// kind is what is known of the lines of a kind.
type kind struct {
	place  place // of one of them
	lines  int
	flat   int          // lines that should be deeper than their blocks
	counts map[deep]int // of the others
}

// most returns what more than half of the lines have that are not flat, or that all are.
func (k *kind) most() (best deep, ok bool) {
	most := 0
	for d, n := range k.counts {
		if n > most || n == most && d.than < best.than {
			best, most = d, n
		}
	}
	return best, k.flat == k.lines || 2*most > k.lines-k.flat && best.by >= 0
}

// apply computes how deep each line of code is, and reports whether most of those of which the source tells are deeper than
// their blocks.
func (st style) apply(places []place, old, depth []int, isCode func(int) bool) bool {
	deeper, flat := 0, 0
	for l, p := range places {
		if !isCode(l) {
			continue
		}
		if p.key == "" {
			by := old[l] - old[p.base]
			if by < 0 || by == 0 && !p.flush {
				by = (p.level - places[p.base].level) * st.unit
			}
			depth[l] = max(0, depth[p.base]+by)
			continue
		}
		d, known := st.of[p.key]
		if !known && p.deep {
			d.by = st.unit
		}
		depth[l] = p.in.base(d.than, depth) + d.by
		if known && p.deep && depth[l] > p.in.base(line, depth) {
			deeper++
		} else if known && p.deep {
			flat++
		}
	}
	return deeper >= flat
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
	lines  []string
	next   int // token
	blocks []block
	last   Token // before the next one, but Verbatim
	base   int   // last line that continues no other
	level  int   // of that
}

// line returns the place of line l, which begins with a token, and goes to its end.
func (i *indenter) line(l int) place {
	for i.next < len(i.tokens) && i.tokens[i.next].Line < l { // behind a token of several lines, or a verbatim line
		i.token(i.tokens[i.next], i.inner())
		i.next++
	}
	t := i.tokens[i.next]
	p := place{deep: t.Role != Close && t.Role != Begin && t.Role != Head && t.Role != Middle, in: block{line: -1}}
	class := t.Word
	switch t.Role {
	case Close:
		i.endSections()
		class = "close"
	case Begin, Head, Start, Claim:
		i.endSections()
	case Open:
		if class != "{" {
			class = ""
		}
	}
	p.level = i.inner()
	if !p.deep {
		p.level = max(0, p.level-1)
	}
	n := len(i.blocks)
	if n > 0 {
		b := &i.blocks[n-1]
		if b.fresh {
			b.fresh, b.inline = false, i.last.Role == Stop
		}
		p.in = *b
	}
	p.deep = p.deep && n > 0
	expr := n > 0 && i.blocks[n-1].role == Paren || n > 1 && i.blocks[n-2].role == Paren && i.blocks[n-1].role == Open
	if !expr && (class != "" || t.Role != Operator && i.last.Ends) {
		p.key = fmt.Sprintf("%d %s %s %v %s", p.in.role, p.in.word, p.in.section, p.in.inline, class)
		i.base, i.level = l, p.level
	} else {
		if r := p.in.role; (t.Role == Operator || i.last.Role == Operator) && r != Paren && r != Claim {
			p.level++
		}
		p.base = i.base
		p.flush = t.Role == Close || i.last.Role == Comma || i.condition()
		if !p.flush {
			p.level = max(p.level, i.level+1)
		}
	}
	for i.next < len(i.tokens) && i.tokens[i.next].Line == l {
		i.token(i.tokens[i.next], p.level)
		i.next++
	}
	return p
}

// condition reports whether a Claim goes on, or what a Start stands before.
func (i *indenter) condition() bool {
	for _, b := range slices.Backward(i.blocks) {
		if b.role == Claim || b.role == Start {
			return b.section == ""
		}
	}
	return false
}

// inner is the level of what stands in the innermost block.
func (i *indenter) inner() int {
	if len(i.blocks) == 0 {
		return 0
	}
	return i.blocks[len(i.blocks)-1].at + 1
}

// endSections ends the sections in the innermost block, which have no end of their own.
func (i *indenter) endSections() {
	for n := len(i.blocks); n > 0 && (i.blocks[n-1].role == Head || i.blocks[n-1].role == Claim); n-- {
		i.blocks = i.blocks[:n-1]
	}
}

// off is where a token stands in its line, but for the blanks at the beginning.
func (i *indenter) off(t Token) int { return max(0, t.Col-len(blank(i.lines[t.Line]))) }

// token passes a token of a line at a level.
func (i *indenter) token(t Token, at int) {
	if t.Role == Verbatim {
		return
	}
	switch t.Role {
	case Head, Claim, Start, Begin, Close:
		i.endSections()
	}
	n := len(i.blocks)
	if n > 0 && i.last.Ends && t.Line == i.last.Line {
		if b := &i.blocks[n-1]; b.under == 0 && b.begun == t.Line && b.fresh {
			b.under = i.off(t)
		}
	}
	i.last = t
	switch t.Role {
	case Open, Paren, Head, Claim, Start:
		i.blocks = append(i.blocks, block{at: at, role: t.Role, line: t.Line, off: i.off(t), word: t.Word, fresh: true, begun: t.Line})
	case Close:
		i.last.Ends = t.Ends || n == 0 || i.blocks[n-1].role != Paren
		i.blocks = i.blocks[:max(0, n-1)]
	case Middle, Divide, Begin:
		if n > 0 {
			b := &i.blocks[n-1]
			b.section, b.fresh, b.begun, b.under = t.Word, true, t.Line, 0
		}
	case Stop:
		if n > 0 && i.blocks[n-1].role == Claim {
			i.blocks = i.blocks[:n-1]
		}
	}
}
