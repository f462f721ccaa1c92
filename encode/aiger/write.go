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
func (t *writer) check() error {
	s := t.Sys
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
	case t.OutputsAreBads && len(t.Outputs) > 0:
		return fmt.Errorf("outputs beside outputs that are bads")
	case t.OutputsAreBads && len(t.Justice) > 0:
		return fmt.Errorf("outputs that are bads beside justice properties")
	case len(t.Outputs) > 0 && len(s.Bads) == 0 && len(t.Justice) == 0:
		return fmt.Errorf("outputs without bads and justice properties would be bads")
	case len(t.ConstraintName) > len(s.Constraints):
		return fmt.Errorf("%d names for %d constraints", len(t.ConstraintName), len(s.Constraints))
	}
	for _, kind := range []byte(kinds) {
		n, name := t.File.symbols(kind)
		for i := range n {
			if name := *name(i); name != printable(name) {
				return fmt.Errorf("the name %q has control characters", name)
			}
		}
	}
	for _, c := range t.Comments {
		if strings.Contains(c, "\n") {
			return fmt.Errorf("the comment %q has more than one line", c)
		}
	}
	return nil
}

// number gives every node of the file its literal.
func (t *writer) number() error {
	s := t.Sys
	t.code = make([]uint32, s.G.Len())
	next := uint32(0)
	give := func(node int) {
		next += 2
		t.code[node] = next
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
	for _, p := range t.Justice {
		roots = append(roots, p.Lits...)
	}
	for _, named := range [][]Named{t.Outputs, t.Fairness} {
		roots = append(roots, lists.Map(named, func(n Named) aig.Lit { return n.Lit })...)
	}
	for _, n := range s.G.Cone(roots) {
		switch {
		case s.G.IsAnd(n):
			t.cone = append(t.cone, n)
			give(n)
		case n != 0 && t.code[n] == 0:
			return fmt.Errorf("leaf %d, which is no input and no latch, is read in a step", n)
		}
	}
	return nil
}

// lit returns the literal in the file.
func (t *writer) lit(l aig.Lit) uint32 { return t.code[l.Node()] | uint32(l&1) }

func (t *writer) putLine(numbers ...uint32) {
	t.line = t.line[:0]
	for _, n := range numbers {
		t.line = append(strconv.AppendUint(t.line, uint64(n), 10), ' ')
	}
	t.line[len(t.line)-1] = '\n'
	t.b.Write(t.line)
}

func (t *writer) header(binary bool) {
	magic := "aag "
	if binary {
		magic = "aig "
	}
	i, l, a := uint32(len(t.Sys.Inputs)), uint32(len(t.Sys.Latches)), uint32(len(t.cone))
	outputs, _ := t.File.symbols('o')
	bads, _ := t.File.symbols('b')
	counts := []uint32{i + l + a, i, l, uint32(outputs), a,
		uint32(bads), uint32(len(t.Sys.Constraints)), uint32(len(t.Justice)), uint32(len(t.Fairness))}
	for len(counts) > 5 && counts[len(counts)-1] == 0 {
		counts = counts[:len(counts)-1]
	}
	t.b.WriteString(magic)
	t.putLine(counts...)
}

// sections writes everything between the header and the ANDs.
func (t *writer) sections(binary bool) {
	if !binary {
		for i := range t.Sys.Inputs {
			t.putLine(t.lit(t.Sys.InputLit(i)))
		}
	}
	for i, l := range t.Sys.Latches {
		own := t.lit(t.Sys.LatchLit(i))
		var numbers []uint32
		if !binary {
			numbers = append(numbers, own)
		}
		numbers = append(numbers, t.lit(l.Next))
		switch l.Reset {
		case aig.False:
		case aig.True:
			numbers = append(numbers, 1)
		default:
			numbers = append(numbers, own)
		}
		t.putLine(numbers...)
	}
	for _, o := range t.Outputs {
		t.putLine(t.lit(o.Lit))
	}
	for _, b := range t.Sys.Bads {
		t.putLine(t.lit(b.Lit))
	}
	for _, c := range t.Sys.Constraints {
		t.putLine(t.lit(c))
	}
	for _, p := range t.Justice {
		t.putLine(uint32(len(p.Lits)))
	}
	for _, p := range t.Justice {
		for _, l := range p.Lits {
			t.putLine(t.lit(l))
		}
	}
	for _, c := range t.Fairness {
		t.putLine(t.lit(c.Lit))
	}
}

func (t *writer) ands(binary bool) {
	for _, n := range t.cone {
		x, y := t.Sys.G.Fanins(n)
		lhs, rhs0, rhs1 := t.code[n], t.lit(x), t.lit(y)
		if rhs0 < rhs1 {
			rhs0, rhs1 = rhs1, rhs0
		}
		if !binary {
			t.putLine(lhs, rhs0, rhs1)
			continue
		}
		t.putDelta(lhs - rhs0)
		t.putDelta(rhs0 - rhs1)
	}
}

// putDelta writes the code that scanner.delta reads.
func (t *writer) putDelta(d uint32) {
	for ; d >= 0x80; d >>= 7 {
		t.b.WriteByte(byte(d) | 0x80)
	}
	t.b.WriteByte(byte(d))
}

// symbols writes symbols and comments.
func (t *writer) symbols() {
	for _, kind := range []byte(kinds) {
		n, name := t.File.symbols(kind)
		for i := range n {
			if name := *name(i); name != "" && name != defaultName(kind, i) {
				t.b.WriteString(defaultName(kind, i) + " " + name + "\n")
			}
		}
	}
	if len(t.Comments) > 0 {
		t.b.WriteString("c\n" + strings.Join(t.Comments, "\n") + "\n")
	}
}
