// Reading. Header, sections, symbols and comments are read in the order of the
// file. Literals of latches and properties are kept with their places until all
// ANDs are known. Memory stays proportional to the size of the file, whatever
// its header promises.

package aiger

import (
	"fmt"
	"io"
	"strings"

	"orbitmc/aig"
	"orbitmc/internal/fault"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// Read reads a file in either coding, which the first three bytes tell. The
// name is for errors; a violation of the format is an *Error.
func Read(r io.Reader, name string) (f *File, err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer fault.Catch[*Error](&err)
	return (&reader{scanner: scanner{name: name, data: data, text: len(data) + 1}}).read(), nil
}

type reader struct {
	scanner
	header
	g    *aig.Graph
	lits []aig.Lit // by definition: inputs, latches and ANDs in the order of the file
	defs variables // ascii: the definitions; in binary, variable v is definition v-1
}

// header is the first line: counts by the names of the reports.
type header struct {
	binary                    bool
	m, i, l, o, a, b, c, j, f uint32
}

// literal is a literal of the file, not yet known to be defined.
type literal struct {
	lit uint32
	at  int // offset
}

// latch is a line of the latch section.
type latch struct {
	next  literal
	reset resetKind
}

type resetKind uint8

const (
	resetZero resetKind = iota
	resetOne
	uninitialised
)

// Limits on what a header may promise.
const (
	maxVariables = 1<<30 - 1 // nodes of a graph, with an initial input for each
	freeInputs   = 1 << 20   // inputs that a binary file may have beyond its size in bytes: they take none
)

func (r *reader) read() *File {
	r.readHeader()
	r.g = aig.NewPlain()
	if !r.binary {
		r.defs = newVariables(r.m, len(r.data))
	}
	for range r.i {
		if !r.binary {
			r.define("an input")
			r.expect('\n', "an input")
		}
		r.lits = append(r.lits, r.g.Input())
	}
	latches := make([]latch, 0, r.l)
	for range r.l {
		latches = append(latches, r.readLatch())
	}
	outputs := r.section(r.o, "an output")
	bads := r.section(r.b, "a bad")
	constraints := r.section(r.c, "a constraint")
	justice := r.readJustice()
	fairness := r.section(r.f, "a fairness constraint")

	f := &File{Sys: &ts.System{G: r.g, W: aig.True}}
	for i := range r.i {
		f.Sys.Inputs = append(f.Sys.Inputs, ts.Signal{Node: r.lits[i].Node()})
	}
	for i, y := range latches {
		reset := aig.False.NotIf(y.reset == resetOne)
		if y.reset == uninitialised {
			reset = r.g.Input()
			f.Sys.Init = append(f.Sys.Init, ts.Signal{Node: reset.Node()})
		}
		f.Sys.Latches = append(f.Sys.Latches, ts.Latch{Node: r.lits[int(r.i)+i].Node(), Reset: reset})
	}
	if r.binary {
		r.readBinaryAnds()
	} else {
		r.readAsciiAnds()
	}

	for i, y := range latches {
		f.Sys.Latches[i].Next = r.value(y.next)
	}
	if r.b == 0 && r.j == 0 {
		outputs, bads, f.OutputsAreBads = nil, outputs, len(outputs) > 0
	}
	f.Outputs = r.named(outputs)
	for i, b := range bads {
		f.Sys.Bads = append(f.Sys.Bads, ts.Bad{Lit: r.value(b), Prop: i})
	}
	f.Sys.Constraints = lists.Map(constraints, r.value)
	f.ConstraintName = make([]string, len(constraints))
	for _, lits := range justice {
		f.Justice = append(f.Justice, ts.Justice{Lits: lists.Map(lits, r.value)})
	}
	f.Fairness = r.named(fairness)

	r.readSymbols(f)
	f.nameAll()
	return f
}

func (r *reader) readHeader() {
	switch magic := string(r.data[:min(4, len(r.data))]); magic {
	case "aag ":
	case "aig ":
		r.binary = true
	default:
		r.fail(0, "a file begins with aag or aig and a space, not with %q", magic)
	}
	r.pos = 4
	for k, field := range []struct {
		count *uint32
		what  string
	}{
		{&r.m, "M, the largest variable,"}, {&r.i, "I, the number of inputs,"}, {&r.l, "L, the number of latches,"},
		{&r.o, "O, the number of outputs,"}, {&r.a, "A, the number of ANDs,"}, {&r.b, "B, the number of bads,"},
		{&r.c, "C, the number of constraints,"}, {&r.j, "J, the number of justice properties,"},
		{&r.f, "F, the number of fairness constraints,"},
	} {
		if k >= 5 {
			if r.peek() == '\n' {
				break
			}
			r.expect(' ', "a number of the header")
		} else if k > 0 {
			r.expect(' ', "a number of the header")
		}
		*field.count = r.number(field.what)
	}
	r.expect('\n', "the header")

	sum := uint64(r.i) + uint64(r.l) + uint64(r.a)
	least := 2 * (uint64(r.o) + uint64(r.b) + uint64(r.c) + uint64(r.j) + uint64(r.f)) // "0\n" each
	if r.binary {
		least += 2*uint64(r.l) + 2*uint64(r.a)
	} else {
		least += 2*uint64(r.i) + 4*uint64(r.l) + 6*uint64(r.a)
	}
	rest := uint64(len(r.data) - r.pos)
	switch {
	case r.m > maxNumber/2:
		r.fail(4, "the literals of M = %d variables exceed 32 bits", r.m)
	case r.binary && uint64(r.m) != sum:
		r.fail(4, "in the binary format M is I+L+A: not %d, but %d", r.m, sum)
	case uint64(r.m) < sum:
		r.fail(4, "M is at least I+L+A: %d is less than %d", r.m, sum)
	case sum > maxVariables:
		r.fail(4, "more than %d inputs, latches and ANDs cannot be held", maxVariables)
	case least > rest:
		r.fail(4, "the header promises at least %d bytes after it, but there are %d", least, rest)
	case r.binary && uint64(r.i) > rest+freeInputs:
		r.fail(4, "a file of this size cannot use %d inputs", r.i)
	}
}

// literal reads a literal up to 2M+1.
func (r *reader) literal(what string) literal {
	at := r.pos
	lit := r.number(what)
	if lit>>1 > r.m {
		r.fail(at, "%s is at most 2M+1 = %d, not %d", what, 2*uint64(r.m)+1, lit)
	}
	return literal{lit, at}
}

// section reads n lines of a literal each.
func (r *reader) section(n uint32, what string) []literal {
	lits := make([]literal, 0, n)
	for range n {
		lits = append(lits, r.literal(what))
		r.expect('\n', what)
	}
	return lits
}

// define reads, in ascii, the literal that the current line defines. The caller
// appends to r.lits.
func (r *reader) define(what string) uint32 {
	l := r.literal("the literal of " + what)
	if l.lit == 0 || l.lit&1 == 1 {
		r.fail(l.at, "the literal of %s is positive and even, not %d", what, l.lit)
	}
	if old, ok := r.defs.get(l.lit >> 1); ok {
		kind := "an AND"
		switch {
		case old < r.i:
			kind = fmt.Sprintf("input %d", old)
		case old < r.i+r.l:
			kind = fmt.Sprintf("latch %d", old-r.i)
		}
		r.fail(l.at, "a literal is defined once: %d is %s already", l.lit, kind)
	}
	r.defs.set(l.lit>>1, uint32(len(r.lits)))
	return l.lit
}

func (r *reader) readLatch() (y latch) {
	own := 2 * (uint32(len(r.lits)) + 1)
	if !r.binary {
		own = r.define("a latch")
		r.expect(' ', "the literal of a latch")
	}
	r.lits = append(r.lits, r.g.Input())
	y.next = r.literal("the next state of a latch")
	if r.peek() == ' ' {
		r.pos++
		switch l := r.literal("the reset of a latch"); l.lit {
		case 0:
		case 1:
			y.reset = resetOne
		case own:
			y.reset = uninitialised
		default:
			r.fail(l.at, "the reset of a latch is 0, 1 or its own literal %d, not %d", own, l.lit)
		}
	}
	r.expect('\n', "a latch")
	return y
}

func (r *reader) readJustice() [][]literal {
	sizes, sum := make([]uint32, 0, r.j), uint64(0)
	for range r.j {
		at := r.pos
		n := r.number("the size of a justice property")
		r.expect('\n', "the size of a justice property")
		if sum += uint64(n); 2*sum > uint64(len(r.data)-r.pos) {
			r.fail(at, "the justice properties promise at least %d bytes, but %d follow", 2*sum, len(r.data)-r.pos)
		}
		sizes = append(sizes, n)
	}
	justice := make([][]literal, 0, r.j)
	for _, n := range sizes {
		justice = append(justice, r.section(n, "a literal of a justice property"))
	}
	return justice
}

// definition returns the index in r.lits of the definition of the literal, which
// is not constant, and whether the literal has a definition.
func (r *reader) definition(lit uint32) (uint32, bool) {
	if r.binary {
		return lit>>1 - 1, true
	}
	return r.defs.get(lit >> 1)
}

// value returns the literal of the graph, where all ANDs it depends on are by
// now.
func (r *reader) value(l literal) aig.Lit {
	if l.lit <= 1 {
		return aig.Lit(l.lit)
	}
	d, ok := r.definition(l.lit)
	if !ok {
		r.undefined(l)
	}
	return r.lits[d] ^ aig.Lit(l.lit&1)
}

func (r *reader) undefined(l literal) {
	r.fail(l.at, "a literal that is used is defined: %d is not", l.lit)
}

func (r *reader) named(lits []literal) []Named {
	return lists.Map(lits, func(l literal) Named { return Named{Lit: r.value(l)} })
}

// readSymbols reads symbols and comments to the end of the file.
func (r *reader) readSymbols(f *File) {
	type symbol struct {
		kind byte
		i    uint32
	}
	seen := make(map[symbol]bool)
	for r.pos < len(r.data) {
		at := r.pos
		kind := r.peek()
		if strings.IndexByte(kinds, kind) < 0 {
			r.fail(at, "a line after the ANDs begins with one of %s, not with %s", strings.Join(strings.Split(kinds, ""), " "), r.found())
		}
		r.pos++
		if kind == 'c' && r.peek() == '\n' {
			r.readComments(f)
			return
		}
		p := symbol{kind, r.number("the place of a symbol")}
		n, name := f.symbols(kind)
		if uint64(p.i) >= uint64(n) {
			r.fail(at, "a symbol names something: %c%d is not there, the number of %s is %d", kind, p.i, kindNames[kind], n)
		}
		if seen[p] {
			r.fail(at, "there is one symbol at most for %c%d", kind, p.i)
		}
		seen[p] = true
		r.expect(' ', "the place of a symbol")
		start := r.pos
		for ; r.pos < len(r.data) && r.data[r.pos] != '\n'; r.pos++ {
			if isControl(r.data[r.pos]) {
				r.fail(r.pos, "a symbol has no control characters such as %s", r.found())
			}
		}
		*name(int(p.i)) = string(r.data[start:r.pos])
		r.expect('\n', "a symbol")
	}
}

// readComments reads the lines after the c of the comments.
func (r *reader) readComments(f *File) {
	text := string(r.data[r.pos+1:])
	if text == "" {
		return
	}
	if !strings.HasSuffix(text, "\n") {
		r.fail(len(r.data), "the last comment ends with a new line")
	}
	f.Comments = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
