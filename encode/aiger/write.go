// Writing. Both codings use the numbering that binary prescribes: inputs,
// latches, then the ANDs that something depends on, operands first.

package aiger

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"orbitmc/aig"
	"orbitmc/internal/lists"
)

// Write writes f, in binary or in ascii. It fails if w does, or if f is not what
// the format can say: a reset that is neither constant nor an initial input of
// its own (FromSystem makes it so), a function that reads initial inputs, a name
// with control characters, a comment with a new line, outputs that would be taken
// for bads or the reverse. A bad of the system is written without its Delay.
func Write(w io.Writer, f *File, binary bool) error {
	t := &writer{File: f, b: bufio.NewWriter(w)}
	if err := t.check(); err != nil {
		return fmt.Errorf("aiger: %w", err)
	}
	if err := t.number(); err != nil {
		return fmt.Errorf("aiger: %w", err)
	}
	t.header(binary)
	t.sections(binary)
	t.ands(binary)
	t.symbols()
	return t.b.Flush()
}

type writer struct {
	*File
	b    *bufio.Writer
	cone []int    // ANDs to write
	code []uint32 // by node: its literal in the file
	line []byte
}

// check returns an error unless the File is one that Read could return.
func (w *writer) check() error {
	s := w.Sys
	used := make(map[int]bool)
	for _, l := range s.Latches {
		if l.Reset.Node() == 0 {
			continue
		}
		if l.Reset.Neg() || !s.G.IsInput(l.Reset.Node()) || used[l.Reset.Node()] {
			return fmt.Errorf("the reset of latch %q is neither constant nor an initial input of its own", l.Name)
		}
		used[l.Reset.Node()] = true
	}
	for _, in := range s.Init {
		if !used[in.Node] {
			return fmt.Errorf("no latch is reset to the initial input %q", in.Name)
		}
		delete(used, in.Node)
	}
	if len(used) > 0 {
		return fmt.Errorf("a latch is reset to what is no initial input")
	}
	switch {
	case w.OutputsAreBads && len(w.Outputs) > 0:
		return fmt.Errorf("outputs beside outputs that are bads")
	case w.OutputsAreBads && len(w.Justice) > 0:
		return fmt.Errorf("outputs that are bads beside justice properties")
	case len(w.Outputs) > 0 && len(s.Bads) == 0 && len(w.Justice) == 0:
		return fmt.Errorf("outputs without bads and justice properties would be bads")
	case len(w.ConstraintName) > len(s.Constraints):
		return fmt.Errorf("%d names for %d constraints", len(w.ConstraintName), len(s.Constraints))
	}
	for _, kind := range []byte(kinds) {
		n, name := w.File.symbols(kind)
		for i := range n {
			if name := *name(i); name != printable(name) {
				return fmt.Errorf("the name %q has control characters", name)
			}
		}
	}
	for _, c := range w.Comments {
		if strings.Contains(c, "\n") {
			return fmt.Errorf("the comment %q has more than one line", c)
		}
	}
	return nil
}

// number gives every node of the file its literal.
func (w *writer) number() error {
	s := w.Sys
	w.code = make([]uint32, s.G.Len())
	next := uint32(0)
	give := func(node int) {
		next += 2
		w.code[node] = next
	}
	for _, in := range s.Inputs {
		give(in.Node)
	}
	var roots []aig.Lit
	for _, l := range s.Latches {
		give(l.Node)
		roots = append(roots, l.Next)
	}
	for _, b := range s.Bads {
		roots = append(roots, b.Lit)
	}
	roots = append(roots, s.Constraints...)
	for _, p := range w.Justice {
		roots = append(roots, p.Lits...)
	}
	for _, named := range [][]Named{w.Outputs, w.Fairness} {
		roots = append(roots, lists.Map(named, func(n Named) aig.Lit { return n.Lit })...)
	}
	for _, n := range s.G.Cone(roots) {
		switch {
		case s.G.IsAnd(n):
			w.cone = append(w.cone, n)
			give(n)
		case n != 0 && w.code[n] == 0:
			return fmt.Errorf("leaf %d, which is no input and no latch, is read in a step", n)
		}
	}
	return nil
}

// lit returns the literal in the file.
func (w *writer) lit(l aig.Lit) uint32 { return w.code[l.Node()] | uint32(l&1) }

func (w *writer) putLine(numbers ...uint32) {
	w.line = w.line[:0]
	for _, n := range numbers {
		w.line = append(strconv.AppendUint(w.line, uint64(n), 10), ' ')
	}
	w.line[len(w.line)-1] = '\n'
	w.b.Write(w.line)
}

func (w *writer) header(binary bool) {
	magic := "aag "
	if binary {
		magic = "aig "
	}
	i, l, a := uint32(len(w.Sys.Inputs)), uint32(len(w.Sys.Latches)), uint32(len(w.cone))
	outputs, _ := w.File.symbols('o')
	bads, _ := w.File.symbols('b')
	counts := []uint32{i + l + a, i, l, uint32(outputs), a,
		uint32(bads), uint32(len(w.Sys.Constraints)), uint32(len(w.Justice)), uint32(len(w.Fairness))}
	for len(counts) > 5 && counts[len(counts)-1] == 0 {
		counts = counts[:len(counts)-1]
	}
	w.b.WriteString(magic)
	w.putLine(counts...)
}

// sections writes everything between the header and the ANDs.
func (w *writer) sections(binary bool) {
	if !binary {
		for i := range w.Sys.Inputs {
			w.putLine(w.lit(w.Sys.InputLit(i)))
		}
	}
	for i, l := range w.Sys.Latches {
		own := w.lit(w.Sys.LatchLit(i))
		var numbers []uint32
		if !binary {
			numbers = append(numbers, own)
		}
		numbers = append(numbers, w.lit(l.Next))
		switch l.Reset {
		case aig.False:
		case aig.True:
			numbers = append(numbers, 1)
		default:
			numbers = append(numbers, own)
		}
		w.putLine(numbers...)
	}
	for _, o := range w.Outputs {
		w.putLine(w.lit(o.Lit))
	}
	for _, b := range w.Sys.Bads {
		w.putLine(w.lit(b.Lit))
	}
	for _, c := range w.Sys.Constraints {
		w.putLine(w.lit(c))
	}
	for _, p := range w.Justice {
		w.putLine(uint32(len(p.Lits)))
	}
	for _, p := range w.Justice {
		for _, l := range p.Lits {
			w.putLine(w.lit(l))
		}
	}
	for _, c := range w.Fairness {
		w.putLine(w.lit(c.Lit))
	}
}

func (w *writer) ands(binary bool) {
	for _, n := range w.cone {
		x, y := w.Sys.G.Fanins(n)
		lhs, rhs0, rhs1 := w.code[n], w.lit(x), w.lit(y)
		if rhs0 < rhs1 {
			rhs0, rhs1 = rhs1, rhs0
		}
		if !binary {
			w.putLine(lhs, rhs0, rhs1)
			continue
		}
		w.putDelta(lhs - rhs0)
		w.putDelta(rhs0 - rhs1)
	}
}

// putDelta writes the code that scanner.delta reads.
func (w *writer) putDelta(d uint32) {
	for ; d >= 0x80; d >>= 7 {
		w.b.WriteByte(byte(d) | 0x80)
	}
	w.b.WriteByte(byte(d))
}

// symbols writes symbols and comments.
func (w *writer) symbols() {
	for _, kind := range []byte(kinds) {
		n, name := w.File.symbols(kind)
		for i := range n {
			if name := *name(i); name != "" && name != defaultName(kind, i) {
				w.b.WriteString(defaultName(kind, i) + " " + name + "\n")
			}
		}
	}
	if len(w.Comments) > 0 {
		w.b.WriteString("c\n" + strings.Join(w.Comments, "\n") + "\n")
	}
}
