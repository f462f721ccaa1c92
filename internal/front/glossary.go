// Package front is what front ends of languages share: what the names in a source stand for, as an
// editor wants to know it, the indentation of its lines, and a correction for a name that does not
// exist.
package front

import (
	"cmp"
	"slices"

	"orbitmc/model"
)

// Place is where something stands. Columns count bytes from 1.
type Place struct {
	File string
	Pos  model.Pos
}

// Kind is what a name stands for.
type Kind uint8

const (
	Other Kind = iota
	Type
	Const  // a number with a name, also of a preprocessor
	Member // a value of an enumeration, or the name of a message
	Var    // of the state
	Local  // of a rule or process, also one that is bound
	Param  // of a procedure or process
	Field
	Func // procedure, process, or text that is called with arguments
	Label
)

// Name is one occurrence of a name.
type Name struct {
	Text  string
	At    Place
	Decl  Place // where it is declared; the zero Place if the language has it
	Kind  Kind
	Holds func() []Place // where the fields of what it stands for are declared, or of an element of that
	Class string         // the type whose symmetry matters to it; "" if there is none
	About func() string  // what it stands for, in the language, and more lines behind that
}

// Property is a property that can be checked by itself, or a rule.
type Property struct {
	Name string
	Pos  model.Pos
	What string // "": a property or rule as most are

	Formula bool // only a check of formulas decides it
}

// Problem is an error or a warning.
type Problem struct {
	At      Place
	Text    string
	Warning bool
}

// Block is a part of a source; what is declared in it is known there only.
type Block struct {
	From Place
	To   model.Pos // behind it
}

// Index is what is known of a source.
type Index struct {
	Names      []Name // in the order of their places, none twice
	Properties []Property
	Rules      []Property
	Blocks     []Block // inner ones before outer ones
	Problems   []Problem
	Whole      bool // Names and Properties are complete: there is no error
}

// Sort puts names in order, and keeps one for each place.
func (ind *Index) Sort() {
	before := func(a, b Name) int {
		return cmp.Or(cmp.Compare(a.At.File, b.At.File), a.At.Pos.Compare(b.At.Pos))
	}
	slices.SortStableFunc(ind.Names, before)
	ind.Names = slices.CompactFunc(ind.Names, func(a, b Name) bool { return before(a, b) == 0 })
}

// At returns the name at a place, or just before it.
func (ind *Index) At(p Place) (Name, bool) {
	for _, n := range ind.Names {
		if n.At.File == p.File && n.At.Pos.Line == p.Pos.Line && n.At.Pos.Col <= p.Pos.Col && p.Pos.Col <= n.At.Pos.Col+len(n.Text) {
			return n, true
		}
	}
	return Name{}, false
}

// Of returns all occurrences of what is declared at a place.
func (ind *Index) Of(decl Place) (all []Name) {
	for _, n := range ind.Names {
		if n.Decl == decl && decl != (Place{}) {
			all = append(all, n)
		}
	}
	return all
}

// Known reports whether what n stands for may be named at a place.
func (ind *Index) Known(n Name, at Place) bool {
	in := func(b Block, p Place) bool {
		return p.File == b.From.File && p.Pos.Compare(b.From.Pos) >= 0 && p.Pos.Compare(b.To) < 0
	}
	i := slices.IndexFunc(ind.Blocks, func(b Block) bool { return in(b, n.Decl) })
	return i < 0 || n.Kind >= Field || in(ind.Blocks[i], at) && n.Decl.Pos.Compare(at.Pos) < 0
}
