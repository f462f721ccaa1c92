package btor2

import (
	"fmt"
	"math/big"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file turns traces of the system into runs of words.

// Stimulus returns what a trace of f.Sys leaves open. The elements of large arrays are what the trace
// says of them, and 0.
func (f *File) Stimulus(t *ts.Trace) Stimulus {
	s := f.stimulus(t)
	if f.memory != nil {
		f.adopt(t, s)
	}
	return s
}

func (f *File) stimulus(t *ts.Trace) Stimulus {
	s := make(Stimulus, len(t.Inputs))
	for k := range s {
		s[k] = make(map[int]Value)
		for i := range f.place {
			if bits := f.bitsIn(t, k, i); bits != nil {
				s[k][i] = f.nodes[i].pack(bits)
			}
		}
	}
	return s
}

// bitsIn returns where a trace has the bits of a placed node in a frame; nil if f.Sys does not leave it open there.
func (f *File) bitsIn(t *ts.Trace, k, i int) []bool {
	switch p := f.place[i]; {
	case p.latch < 0:
		return t.Inputs[k][p.input:]
	case k == 0 && p.init >= 0:
		return t.Init[p.init:]
	case k > 0 && p.input >= 0:
		return t.Inputs[k-1][p.input:]
	}
	return nil
}

// Signal is an input or state on which a property depends, or an element of such an array.
type Signal struct {
	Name  string
	Place string // in the source that the file was made of, as FILE:LINE.COLUMN-LINE.COLUMN; may be empty
	Width int    // in bits
	Input int    // its first bit in Sys.Inputs, if it is open in every frame; else -1
	Latch int    // its first bit in Sys.Latches; else -1
	Free  bool   // it is open in every frame

	node    int
	element *big.Int // of an array
}

// Value returns the value of a signal in a frame.
func (r *Run) Value(k int, s Signal) *big.Int {
	v := r.Values[k][s.node]
	if s.element != nil {
		return v.element(s.element)
	}
	return v.Word
}

// Signals lists inputs and states in the order of the file. Of a large array it lists the elements that
// the run names, which are not in f.Sys.
func (f *File) Signals(r *Run) []Signal {
	var all []Signal
	for i := range f.nodes {
		n := &f.nodes[i]
		p, ok := f.place[i]
		large := f.large(n.sort)
		if !ok && !(large && f.memory.used[i] && (n.op == opInput || n.op == opState)) {
			continue
		}
		one := Signal{Name: n.name(), Width: n.sort.width, Input: -1, Latch: -1, node: i}
		if large {
			one.Free = n.op == opInput || !f.keeps(i, f.memory.read)
		} else if one.Latch = p.latch; p.latch < 0 {
			one.Free, one.Input = true, p.input
		}
		if n.sort.index == 0 {
			one.Place = n.place
			all = append(all, one)
			continue
		}
		v := r.Values[0][i]
		for _, values := range r.Values[1:] {
			v = Value{at: union(v, values[i])}
		}
		for _, e := range f.elements(n.sort, v) {
			x := one
			x.Name, x.element = fmt.Sprintf("%s[%d]", n.name(), e), e
			if !large && x.Free {
				x.Input += int(e.Int64()) * n.sort.width
			} else if !large {
				x.Latch += int(e.Int64()) * n.sort.width
			}
			all = append(all, x)
		}
	}
	return all
}

// Wires lists words with names of their own that are neither inputs nor states, in the order of the file: those on which a
// bad ('b'), or a justice property ('j'), depends in the frame in which it is looked at; of another kind, on which some property depends.
func (f *File) Wires(kind byte, number int) []Signal {
	var on []bool
	switch kind {
	case 'b':
		on = f.reached([]ref{f.bads[number].ref}, false)
	case 'j':
		on = f.reached(f.justice[number].conditions, false)
	default:
		on = f.used()
	}
	named := make(map[string]bool)
	for i := range f.place {
		named[f.nodes[i].name()] = true
	}
	var all []Signal
	for i := range f.nodes {
		n := &f.nodes[i]
		if n.op == opInput || n.op == opState || n.sort.index > 0 || n.symbol == "" || n.symbol[0] == '$' || named[n.symbol] {
			continue // yosys names cells without names by $
		}
		of := n
		if n.op == opUext && n.number[0] == 0 { // another name
			of = &f.nodes[n.args[0].node]
		}
		if on[i] || of != n && on[n.args[0].node] && of.op != opInput && of.op != opState {
			named[n.symbol] = true
			all = append(all, Signal{Name: n.symbol, Place: n.place, Width: n.sort.width, Input: -1, Latch: -1, node: i})
		}
	}
	return all
}

// elements returns the indices of an array of a sort: all, or those that a large array names. A word has none.
func (f *File) elements(s sort, v Value) []*big.Int {
	var all []*big.Int
	switch {
	case s.index == 0:
	case f.large(s):
		return lists.Map(v.keys(), indexOf)
	default:
		for i := range s.words() {
			all = append(all, big.NewInt(int64(i)))
		}
	}
	return all
}

// Format writes a word as Verilog does, a bit as 0 or 1.
func (s Signal) Format(v *big.Int) string {
	if s.Width == 1 {
		return v.String()
	}
	return fmt.Sprintf("%d'h%0*x", s.Width, (s.Width+3)/4, v)
}

func (n *node) pack(bits []bool) Value {
	w := n.sort.width
	if n.sort.index == 0 {
		return Value{Word: packWord(bits[:w])}
	}
	v := n.zero()
	for e := range n.sort.words() {
		if element := bits[e*w:][:w]; slices.Contains(element, true) {
			v = v.with(big.NewInt(int64(e)), packWord(element))
		}
	}
	return v
}

func packWord(bits []bool) *big.Int {
	x := new(big.Int)
	for k, b := range bits {
		if b {
			x.SetBit(x, k, 1)
		}
	}
	return x
}
