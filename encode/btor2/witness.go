package btor2

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"orbitmc/internal/fault"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file holds counterexamples as BtorMC writes them and btorsim checks them:
//
//	sat
//	b0              the bads
//	#0              states that the file leaves open in frame 0, by their place among states
//	2 0101 count#0
//	@0              inputs of frame 0
//	0 1 turn@0
//	1 [00] 11110000 mem@0
//	@1
//	.
//
// What begins with a line "run", and has none of bads, is ours: a run that claims nothing.

// WriteWitness writes the witness that a trace of f.Sys violates property number i of a kind, 'b'
// for a bad or 'j' for justice; 0: a run that claims nothing. The successor of the last frame of a trace for justice is the
// state of a frame of its own. It is an error if the trace violates nothing.
func (f *File) WriteWitness(w io.Writer, kind byte, i int, t *ts.Trace) error {
	s := f.Stimulus(t)
	var err error
	if kind == 'j' {
		_, err = f.Lasso(s, i)
	} else if kind == 'b' {
		_, err = f.Run(s).Shows(i)
	}
	if err != nil {
		return err
	}
	return f.write(w, kind, i, s)
}

// write writes a claim, true or not.
func (f *File) write(w io.Writer, kind byte, i int, s Stimulus) error {
	b := bufio.NewWriter(w)
	b.WriteString(map[bool]string{true: "run\n", false: fmt.Sprintf("sat\n%c%d\n", kind, i)}[kind == 0])
	part := func(of []int, k int, mark string, always bool) {
		title := fmt.Sprintf("%s%d\n", mark, k)
		if always {
			b.WriteString(title)
		}
		for place, i := range of {
			v, open := s[k][i]
			if !open {
				continue
			}
			if !always {
				b.WriteString(title)
				always = true
			}
			n := &f.nodes[i]
			row := func(index string, x *big.Int) {
				fmt.Fprintf(b, "%d %s%0*b %s%s%d\n", place, index, n.sort.width, x, n.name(), mark, k)
			}
			if !v.isArray() {
				row("", v.Word)
			}
			for _, e := range f.elements(n.sort, v) {
				row(fmt.Sprintf("[%0*b] ", n.sort.index, e), v.element(e))
			}
		}
	}
	for k := range s {
		part(f.states, k, "#", k == 0)
		part(f.inputs, k, "@", true)
	}
	b.WriteString(".\n")
	return b.Flush()
}

// Shows returns the first frame in which a bad holds while all constraints do up to there.
// It is an error if there is none.
func (r *Run) Shows(bad int) (frame int, err error) {
	for k := range r.Bads {
		switch {
		case !r.Constraints[k]:
			return 0, fmt.Errorf("a constraint fails in frame %d, and the bad holds in none before", k)
		case r.Bads[k][bad]:
			return k, nil
		}
	}
	return 0, fmt.Errorf("it holds in no frame from 0 to %d", len(r.Bads)-1)
}

// Lasso returns the frame that the successor of the last frame of a run is equal to, all
// conditions of a justice property being met from there on. Free states of the successor may
// have any value. It is an error if there is none.
func (f *File) Lasso(s Stimulus, j int) (loop int, err error) {
	r := f.Run(append(slices.Clone(s), make(map[int]Value)))
	end := len(s)
	all := lists.Map(f.fair, func(c root) ref { return c.ref })
	all = append(all, f.justice[j].conditions...)
	first := end - 1 // all conditions are met from here on
	for _, c := range all {
		last := end - 1
		for last >= 0 && !isOne(f.at(r.Values[last], c)) {
			last--
		}
		first = min(first, last)
	}
	for k := range end {
		if !r.Constraints[k] {
			return 0, fmt.Errorf("a constraint fails in frame %d", k)
		}
	}
	for loop := first; loop >= 0; loop-- {
		same := true
		for _, i := range f.states {
			if _, ok := f.place[i]; ok && f.nodes[i].next != nil {
				same = same && r.Values[end][i].equal(r.Values[loop][i], f.nodes[i].sort.index)
			}
		}
		if same {
			return loop, nil
		}
	}
	return 0, fmt.Errorf("the state behind frame %d is none of those before with all conditions met since", end-1)
}

// Witness is a claim that properties of a file are violated.
type Witness struct {
	Run      bool // it claims nothing
	Bads     []int
	Justice  []int
	Stimulus Stimulus

	given []given
}

// given is a value that follows from the others.
type given struct {
	line, frame, node int
	element           *big.Int // of an array; nil: it is a word, or every element is given
	value             *big.Int
}

// Replay runs a witness. It is an error if a value that it gives differs from the run.
func (f *File) Replay(w *Witness) (*Run, error) {
	r := f.Run(w.Stimulus)
	for _, g := range w.given {
		n, v := &f.nodes[g.node], r.Values[g.frame][g.node]
		x := v.Word
		switch {
		case g.element != nil:
			x = v.element(g.element)
		case v.isArray():
			all := filled(g.value)
			if v.equal(all, n.sort.index) {
				continue
			}
			if x = v.rest; x.Cmp(g.value) == 0 {
				e, _ := v.differs(all)
				x = v.element(e)
			}
		}
		if x.Cmp(g.value) != 0 {
			return nil, fmt.Errorf("line %d: %s is %0*b in frame %d", g.line, n.name(), n.sort.width, x, g.frame)
		}
	}
	return r, nil
}

// ReadWitness reads the witness in data about f. The name is for errors. The error is an
// *Error. ReadWitness does not check that a witness violates a bad.
func (f *File) ReadWitness(data []byte, name string) (w *Witness, err error) {
	defer fault.Catch[*Error](&err)
	r := &witnessReader{reader: reader{File: &File{name: name}}, of: f}
	for text := range bytes.Lines(data) {
		r.line++
		if r.split(string(text)); len(r.words) > 0 {
			r.read()
		}
	}
	if !r.ended {
		r.words = nil
		r.fail(0, "a witness ends with a line of one dot")
	}
	return r.w, nil
}

type witnessReader struct {
	reader
	of    *File
	w     *Witness
	ended bool
	state bool // the lines are about states
	seen  map[string]bool
}

func (r *witnessReader) read() {
	first := r.words[0]
	switch {
	case r.ended:
		r.fail(0, "nothing follows the dot that ends a witness")
	case r.w == nil:
		if first != "sat" && first != "run" || len(r.words) > 1 {
			r.fail(0, "a witness begins with a line sat")
		}
		r.w = &Witness{Run: first == "run"}
	case !r.w.Run && len(r.w.Bads)+len(r.w.Justice) == 0:
		for i, x := range r.words {
			n, err := strconv.Atoi(x[1:])
			switch {
			case x[0] != 'b' && x[0] != 'j' || err != nil || n < 0:
				r.fail(i, "a property of a witness is b or j and a number, not %q", x)
			case x[0] == 'b' && n >= len(r.of.bads):
				r.fail(i, "the file has %d bads; b%d is not there", len(r.of.bads), n)
			case x[0] == 'j' && n >= len(r.of.justice):
				r.fail(i, "the file has %d justice properties; j%d is not there", len(r.of.justice), n)
			case x[0] == 'b':
				r.w.Bads = append(r.w.Bads, n)
			default:
				r.w.Justice = append(r.w.Justice, n)
			}
		}
	case first == ".":
		r.ended = true
	case first[0] == '#' || first[0] == '@':
		r.part(first)
	default:
		r.assignment()
	}
}

// part begins the states or the inputs of a frame.
func (r *witnessReader) part(first string) {
	frames := len(r.w.Stimulus)
	k, err := strconv.Atoi(first[1:])
	was := r.state
	r.state = first[0] == '#'
	// States come before the inputs of their frame; a frame may have no states.
	same := !r.state && was && frames > 0 && k == frames-1
	if err != nil || len(r.words) > 1 || !same && k != frames {
		r.fail(0, "frames follow each other, states before inputs: %q is out of turn", first)
	}
	if !same {
		r.w.Stimulus = append(r.w.Stimulus, make(map[int]Value))
		r.seen = make(map[string]bool)
	}
}

// assignment reads the value of a state or input.
func (r *witnessReader) assignment() {
	k := len(r.w.Stimulus) - 1
	if k < 0 {
		r.fail(0, "a value is behind #0 or @0")
	}
	of, what := r.of.inputs, "inputs"
	if r.state {
		of, what = r.of.states, "states"
	}
	place := int(r.integer("the place of a state or input", 0, maxID))
	if place >= len(of) {
		r.fail(0, "the file has %d %s; there is no %d", len(of), what, place)
	}
	i := of[place]
	n := &r.of.nodes[i]
	var element *big.Int
	if n.sort.index > 0 && r.at < len(r.words) && strings.HasPrefix(r.words[r.at], "[") {
		if index := strings.TrimSuffix(strings.TrimPrefix(r.word("an index"), "["), "]"); index != "*" {
			element = r.binary(index, n.sort.index)
		}
	}
	x := r.binary(r.word("a value"), n.sort.width)
	r.symbol()
	if r.at < len(r.words) {
		r.fail(r.at, "%q is more than the line may have", r.words[r.at])
	}
	if key := fmt.Sprint(r.state, place, " ", element); r.seen[key] {
		r.fail(0, "the value is given twice")
	} else {
		r.seen[key] = true
	}
	if r.state && (k == 0 && n.init != nil || k > 0 && n.next != nil) {
		r.w.given = append(r.w.given, given{r.line, k, i, element, x})
		return
	}
	v, known := r.w.Stimulus[k][i]
	switch {
	case n.sort.index == 0:
		v = Value{Word: x}
	case element == nil:
		v = filled(x)
	case !known:
		v = n.zero().with(element, x)
	default:
		v = v.with(element, x)
	}
	r.w.Stimulus[k][i] = v
}

// binary reads a number of so many binary digits; x is 0.
func (r *witnessReader) binary(text string, width int) *big.Int {
	v := new(big.Int)
	if len(text) != width {
		r.fail(r.at-1, "%q has %d digits, want %d", text, len(text), width)
	}
	for i, c := range []byte(text) {
		switch c {
		case '1':
			v.SetBit(v, width-1-i, 1)
		case '0', 'x':
		default:
			r.fail(r.at-1, "%q is no binary number", text)
		}
	}
	return v
}
