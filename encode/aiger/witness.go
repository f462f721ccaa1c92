// Witnesses: the counterexamples that AIGER tools exchange (FMV report 11/2,
// section 4, and the rules of the hardware model checking competition). A witness
// is
//
//	1           the claim: 1 is violated, 0 is not, 2 is unknown
//	b0          the properties, all in one line: b0b2
//	0010        the latches of the first frame
//	11x         the inputs of each frame
//	.
//
// with a line of inputs for each frame, and no frames at all unless the claim is
// 1. What begins with a line "run" is ours, and no witness: a run that claims nothing, without a
// line of properties. A latch or input that may have any value is x; like aigsim -c we take it to
// be 0, or, of a latch, its reset. Lines that begin with c or u are comments and
// bounds and are skipped.

package aiger

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"orbitmc/internal/fault"
	"orbitmc/ts"
)

// Witness is a claim about bads of a file.
type Witness struct {
	Claim   byte  // '0', '1' or '2'; 'r': it is a run
	Bads    []int // by index in File.Sys.Bads
	Justice []int // by index in File.Justice
	Trace   *ts.Trace
	// Line is that of the claim, from 1.
	Line int
}

// WriteWitness writes the witness that a trace violates property number i of a kind, 'b' for a bad
// or 'j' for justice, of f; 0: that it is a run. The successor of the last frame of a trace for justice is a state of
// the trace. That the trace is one is for the caller to know.
func (f *File) WriteWitness(w io.Writer, kind byte, i int, t *ts.Trace) error {
	b := bufio.NewWriter(w)
	bits := func(bs []bool) {
		for _, x := range bs {
			c := byte('0')
			if x {
				c = '1'
			}
			b.WriteByte(c)
		}
		b.WriteByte('\n')
	}
	b.WriteString(map[bool]string{true: "run\n", false: fmt.Sprintf("1\n%c%d\n", kind, i)}[kind == 0])
	bits(ts.NewEvaluator(f.Sys).Reset(t.Init))
	for _, in := range t.Inputs {
		bits(in)
	}
	b.WriteString(".\n")
	return b.Flush()
}

// ReadWitnesses reads the witnesses in data, one or more, about f. The name is
// for errors. The error is an *Error for a violation of the format, for a
// property that f does not have, or for a latch whose reset differs from the
// witness. ReadWitnesses does not check that a witness violates a property.
func (f *File) ReadWitnesses(data []byte, name string) (all []*Witness, err error) {
	var read []*Witness
	defer fault.Catch[*Error](&err)
	r := &witnessReader{scanner{name: name, data: data, text: len(data) + 1}, f}
	for first := true; ; first = false {
		r.skip()
		if r.pos == len(data) && !first {
			return read, nil
		}
		read = append(read, r.witness())
	}
}

type witnessReader struct {
	scanner
	f *File
}

// skip goes to the next line that is no comment.
func (r *witnessReader) skip() {
	for r.peek() == 'c' || r.peek() == 'u' {
		for r.pos < len(r.data) && r.data[r.pos] != '\n' {
			r.pos++
		}
		r.expect('\n', "a comment")
	}
}

func (r *witnessReader) witness() *Witness {
	w := &Witness{Claim: r.peek(), Line: r.line()}
	run := bytes.HasPrefix(r.data[r.pos:], []byte("run\n"))
	if run {
		r.pos += len("ru")
	} else if w.Claim < '0' || w.Claim > '2' {
		r.fail(r.pos, "a witness begins with a line 0, 1 or 2, not with %s", r.found())
	}
	r.pos++
	r.expect('\n', "the claim of a witness")
	r.skip()
	for first := !run; first || !run && (r.peek() == 'b' || r.peek() == 'j'); first = false {
		at, kind := r.pos, r.peek()
		if kind != 'b' && kind != 'j' {
			r.fail(at, "a property of a witness is b or j and a number, not %s", r.found())
		}
		r.pos++
		n := r.number("the number of a property")
		what, count := kindNames[kind], len(r.f.Justice)
		if kind == 'b' {
			count = len(r.f.Sys.Bads)
		}
		switch {
		case uint64(n) >= uint64(count):
			r.fail(at, "a property is one of the file: %c%d is not there, the number of %s is %d", kind, n, what, count)
		case kind == 'b':
			w.Bads = append(w.Bads, int(n))
		default:
			w.Justice = append(w.Justice, int(n))
		}
	}
	if !run {
		r.expect('\n', "the properties of a witness")
		r.skip()
	}
	if run || w.Claim == '1' {
		w.Trace = r.trace()
	}
	if r.peek() != '.' {
		r.fail(r.pos, "a witness ends with a line of one dot, not with %s", r.found())
	}
	r.pos++
	if r.pos < len(r.data) { // some tools leave out the last new line
		r.expect('\n', "the dot at the end of a witness")
	}
	return w
}

// trace reads the latches of the first frame and the inputs of all.
func (r *witnessReader) trace() *ts.Trace {
	t := &ts.Trace{Init: make([]bool, len(r.f.Sys.Init))}
	place := make(map[int]int) // of an initial input, by node
	for i, in := range r.f.Sys.Init {
		place[in.Node] = i
	}
	at := r.pos
	for i, c := range r.values(len(r.f.Sys.Latches), "latch") {
		l := r.f.Sys.Latches[i]
		switch reset := l.Reset; {
		case reset.Node() != 0:
			t.Init[place[reset.Node()]] = c == '1'
		case c != 'x' && (c == '1') != reset.Neg():
			r.fail(at+i, "a latch has its reset in the first frame: latch %d, %q, is not %c", i, l.Name, c)
		}
	}
	r.skip()
	for len(t.Inputs) == 0 || r.peek() != '.' {
		inputs := make([]bool, len(r.f.Sys.Inputs))
		for i, c := range r.values(len(inputs), "input") {
			inputs[i] = c == '1'
		}
		t.Inputs = append(t.Inputs, inputs)
		r.skip()
	}
	return t
}

// values reads a line of n values.
func (r *witnessReader) values(n int, what string) []byte {
	start := r.pos
	for i := range n {
		if c := r.peek(); c != '0' && c != '1' && c != 'x' {
			r.fail(r.pos, "the value of %s %d is 0, 1 or x, not %s", what, i, r.found())
		}
		r.pos++
	}
	r.expect('\n', fmt.Sprintf("the last of %d %s values", n, what))
	return r.data[start:][:n]
}

func (s *scanner) line() int { return 1 + bytes.Count(s.data[:s.pos], []byte{'\n'}) }
