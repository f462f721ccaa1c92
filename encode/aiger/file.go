package aiger

import (
	"strconv"

	"orbitmc/aig"
	"orbitmc/ts"
)

// File is the content of an AIGER file: a system of a certain form, and what
// the format has beside it.
//
// The reset of each latch of Sys is constant, or an initial input that no other
// reset reads: the latch is then uninitialised. Read and FromSystem make such
// systems, and Write demands one. W is no part of the format.
//
// Names are the symbols of the file. What has none is called by its letter in
// the symbol table and its number, such as "l7" for the eighth latch, and Write
// leaves out such names as well as empty ones.
type File struct {
	Sys *ts.System

	// OutputsAreBads says that the bads of Sys are the outputs of the file, which
	// has no bads and no justice properties.
	OutputsAreBads bool
	Outputs        []Named      // empty if OutputsAreBads
	ConstraintName []string     // by index in Sys.Constraints; may be shorter
	Justice        []ts.Justice // each holds on a run where all its literals and all of Fairness hold infinitely often
	Fairness       []Named
	Comments       []string // lines

	origin *origin // nil unless made by FromSystem
}

// Named is a literal of Sys.G over latches and inputs.
type Named struct {
	Name string
	Lit  aig.Lit
}

// The sections of a file that symbols may name, in the order in which Write
// lists them.
const kinds = "ilobcjf"

// kindNames says in words what a letter of kinds stands for.
var kindNames = map[byte]string{
	'i': "inputs", 'l': "latches", 'o': "outputs", 'b': "bads",
	'c': "constraints", 'j': "justice properties", 'f': "fairness constraints",
}

// symbols returns how many places there are for symbols of a kind, and where the name at a place is.
func (f *File) symbols(kind byte) (n int, name func(i int) *string) {
	switch kind {
	case 'i':
		return len(f.Sys.Inputs), func(i int) *string { return &f.Sys.Inputs[i].Name }
	case 'l':
		return len(f.Sys.Latches), func(i int) *string { return &f.Sys.Latches[i].Name }
	case 'o', 'b':
		if (kind == 'o') == f.OutputsAreBads {
			return len(f.Sys.Bads), func(i int) *string { return &f.Sys.Bads[i].Name }
		}
		return len(f.Outputs), func(i int) *string { return &f.Outputs[i].Name } // none if the outputs are bads
	case 'c':
		return len(f.ConstraintName), func(i int) *string { return &f.ConstraintName[i] }
	case 'j':
		return len(f.Justice), func(i int) *string { return &f.Justice[i].Name }
	}
	return len(f.Fairness), func(i int) *string { return &f.Fairness[i].Name }
}

// nameAll names the signals that have no name, and gives initial inputs the names
// of their latches.
func (f *File) nameAll() {
	for _, kind := range []byte(kinds) {
		n, name := f.symbols(kind)
		for i := range n {
			if name := name(i); *name == "" {
				*name = defaultName(kind, i)
			}
		}
	}
	k := 0
	for _, l := range f.Sys.Latches {
		if l.Reset.Node() != 0 {
			f.Sys.Init[k].Name = l.Name
			k++
		}
	}
}

// defaultName returns the name of a signal without a symbol.
func defaultName(kind byte, i int) string { return string(kind) + strconv.Itoa(i) }

// isControl reports whether c may not occur in a symbol.
func isControl(c byte) bool { return c < ' ' || c == 0x7f }

// printable returns name with every byte that may not occur in a symbol replaced
// by a question mark.
func printable(name string) string {
	b := []byte(name)
	for i, c := range b {
		if isControl(c) {
			b[i] = '?'
		}
	}
	return string(b)
}
