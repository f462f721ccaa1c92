package model

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
)

// Kind is the kind of a type.
type Kind uint8

// Kinds. Integer is the unbounded type of constants and arithmetic; variables
// never have it, except for and quantifier variables whose bounds carry no type.
const (
	Integer Kind = iota
	Bool
	Enum
	Range
	Real // see the field Digits
	Scalarset
	Union
	Array
	Record
	Multiset
)

// Type is a type. Types are compared by pointer, except that all Integer and
// Range types are compatible with each other; a declared name may be an alias,
// in which case both names share one Type or, for ranges, two equal ones.
type Type struct {
	Kind Kind
	Name string // first declared name, or "" for an anonymous type
	Pos  Pos

	// Simple kinds: the defined values are Lo..Hi inclusive, stored as int64.
	// Bool is 0..1, an enum 0..len(Members)-1, a scalarset 0..size-1 (printed
	// from 1), a range its bounds. The values of a union are those of its parts,
	// one part after the other, numbered from 0.
	Lo, Hi  int64
	Members []string // Enum and Bool ("false", "true"): the name of each value; Range: of each from 0, nil if they have none
	Class   int      // Scalarset, or Alike: its index in Model.Scalarsets; else 0
	Slots   bool     // Scalarset: the slots of a multiset type; see Multiset below
	Parts   []*Type  // Union: the scalarsets, enums and ranges it is made of, none twice
	SizedBy string   // Scalarset, Range: the constant that is the number of its values; "" if none
	Top     Size     // Range: its greatest value, if that depends on a constant that was left open; Hi is then that of one size

	// A range or enum whose values are perhaps interchangeable, as those of a
	// scalarset, is Alike: Retype made it. Nothing else about it changes. Several
	// ranges may be of one class; First is the value that is number 0 of the class.
	Alike bool
	First int64

	// Elems, of a range that is Alike, says for each value from Lo which element of the class it
	// stands for, if that is not its distance from First; for a class of several such ranges, it is
	// that of each of them.
	Elems []Elem

	// Real: the significant decimal digits and the greatest exponent of a leaf. The values are decimal numbers, in their
	// order: value 0 is 0, value 1 the least positive number, 10^(1-Exponent). RealType, of numbers as they are
	// computed, has 0 digits; see RealBits. Both kinds are met by RealExpr only.
	Digits, Exponent int

	// Array: simple index type and element type.
	//
	// Multiset: Index is its slot type, a scalarset that no source text declares and
	// that belongs to this multiset type alone; Elem is the element type. Slot i
	// has 1 + Elem.Leaves leaves: first its presence leaf, of type PresentType,
	// which is 1 if the slot holds an element and Undef if not, then the element,
	// undefined if the slot is free. A multiset that was never assigned is empty. A
	// slot is named by IndexSel, whose index is of the slot type.
	Index, Elem *Type
	Fields      []Field // Record
	Shown       Shown   // Record: how traces show it

	Leaves int // number of simple leaves a variable of this type has; 1 for simple kinds
}

// Shown is how traces show a record.
type Shown uint8

// Ways to show a record.
const (
	InOnePiece Shown = iota // if it has few fields
	ByField                 // without fields that have no value
	AsQueue                 // it has two fields: how many elements of the second one, an array, there are
)

// Elem is an element of a class that a value stands for. Several values of a type may stand for
// one element, such as the two channels of a process: they differ in Copy.
type Elem struct {
	Number int // -1: the value is of no class
	Copy   int
}

// Size is a number that depends on a constant which was left open: that constant, or one declared by
// it, plus Plus. The zero value is none.
type Size struct {
	Const string
	Plus  int64
}

func (s Size) String() string {
	switch {
	case s.Plus < 0:
		return fmt.Sprintf("%s-%d", s.Const, -s.Plus)
	case s.Plus > 0:
		return fmt.Sprintf("%s+%d", s.Const, s.Plus)
	}
	return s.Const
}

// Field is a record field.
type Field struct {
	Name   string
	Type   *Type
	Offset int // leaves of the record before this field
}

// IntType, RealType and BoolType are the predeclared types. BoolType is the only Bool.
var (
	IntType  = &Type{Kind: Integer, Name: "integer", Leaves: 1}
	RealType = &Type{Kind: Real, Name: "real", Lo: Undef + 1, Hi: math.MaxInt64, Leaves: 1}
	BoolType = &Type{Kind: Bool, Name: "boolean", Lo: 0, Hi: 1, Members: []string{"false", "true"}, Leaves: 1}

	// PresentType is the type of the presence leaves of multisets; only Present
	// reads them.
	PresentType = &Type{Kind: Range, Lo: 1, Hi: 1, Leaves: 1}
)

// All yields t and the types that its elements and fields have, each before what is in it.
func (t *Type) All() iter.Seq[*Type] {
	return func(yield func(*Type) bool) { t.each(yield) }
}

func (t *Type) each(yield func(*Type) bool) bool {
	if !yield(t) || t.Elem != nil && !t.Elem.each(yield) {
		return false
	}
	return !slices.ContainsFunc(t.Fields, func(f Field) bool { return !f.Type.each(yield) })
}

// Has reports whether f holds of one of them.
func (t *Type) Has(f func(*Type) bool) bool {
	return !t.each(func(u *Type) bool { return !f(u) })
}

// Unfolded returns the leaves of a variable of type t, without names; a Slot is a number among them.
func (t *Type) Unfolded() []Leaf {
	return unfold(nil, Leaf{Type: t, Slot: -1}, func(*Type, int64) string { return "" })
}

// Simple reports whether t is a type of single leaves.
func (t *Type) Simple() bool { return t.Kind <= Union }

// Numeric reports whether t is Integer or a Range.
func (t *Type) Numeric() bool { return t.Kind == Integer || t.Kind == Range }

// Least returns what a cleared variable of a simple type has: the least value, of a Real 0.
func (t *Type) Least() int64 {
	if t.Kind == Real {
		return 0
	}
	return t.Lo
}

// Card returns the number of defined values of a simple type other than Integer.
func (t *Type) Card() int64 { return t.Hi - t.Lo + 1 }

// Alternatives returns the parts of a union, or t itself.
func (t *Type) Alternatives() []*Type {
	if t.Kind == Union {
		return t.Parts
	}
	return []*Type{t}
}

// Part returns the part of a union that value v belongs to, and what v is there; t and v if t is no union.
func (t *Type) Part(v int64) (part *Type, w int64) {
	if t.Kind != Union {
		return t, v
	}
	for _, p := range t.Parts {
		if v < p.Card() {
			return p, v + p.Lo
		}
		v -= p.Card()
	}
	panic("model: no value of the union")
}

// Classed reports whether the values of t itself are those of a class of
// Model.Scalarsets: t is a scalarset, or Alike.
func (t *Type) Classed() bool { return t.Kind == Scalarset || t.Alike }

// Element returns the class, of Model.Scalarsets, that a defined value v of the
// simple type t belongs to, and its number there; ok is false for values of no
// class.
func (t *Type) Element(v int64) (class int, w int64, ok bool) {
	t, v = t.Part(v)
	if t.Elems != nil {
		n := t.Elems[v-t.Lo].Number
		return t.Class, int64(n), n >= 0
	}
	return t.Class, v - t.First, t.Classed()
}

// Copy tells the values of t apart that stand for one element of its class.
func (t *Type) Copy(v int64) int {
	if t.Elems == nil || v < t.Lo || v > t.Hi {
		return 0
	}
	return t.Elems[v-t.Lo].Copy
}

// Image returns the value of t that stands for another element, to, of its class, where v, a value of
// that class, stands for number from.
func (t *Type) Image(v, from, to int64) int64 {
	if t.Elems == nil || from == to {
		return v + to - from
	}
	e := Elem{int(to), t.Elems[v-t.Lo].Copy}
	return t.Lo + int64(slices.Index(t.Elems, e))
}

// ElementName returns the name of number w of the class that t stands for:
// "NODE_2", "Proc 2" if t is a range, "2 of 0..3" if it has no name of its own.
func (t *Type) ElementName(w int) string {
	if t.Kind == Range && t.Name == fmt.Sprintf("%d..%d", t.Lo, t.Hi) {
		return fmt.Sprintf("%d of %v", t.First+int64(w), t)
	}
	if t.Kind == Range {
		return fmt.Sprintf("%v %d", t, t.First+int64(w))
	}
	return t.Format(int64(w))
}

// Convert returns what the value v of the simple type t is in the simple type
// to; ok is false if it is none of its values. A value of Integer may be any
// number.
func (t *Type) Convert(to *Type, v int64) (w int64, ok bool) {
	t, v = t.Part(v)
	if to.Kind != Union {
		if !t.Numeric() || !to.Numeric() {
			return v, t == to
		}
		return v, to.Kind == Integer || to.Lo <= v && v <= to.Hi
	}
	var off int64
	for _, p := range to.Parts {
		if w, ok := t.Convert(p, v); ok {
			return off + w - p.Lo, true
		}
		off += p.Card()
	}
	return 0, false
}

// Same reports whether values of t and u may be compared and assigned.
func (t *Type) Same(u *Type) bool {
	return t == u || t.Numeric() && u.Numeric() || t.Kind == Real && u.Kind == Real && t.Digits == u.Digits && t.Exponent == u.Exponent
}

// Format returns the source spelling of value v of simple type t, in the way
// CMurphi and Rumur print it: members by name, scalarset values as NAME_k with
// k from 1, numbers and slots (from 0) in decimal, and "Undefined" for Undef.
func (t *Type) Format(v int64) string {
	switch {
	case v == Undef:
		return "Undefined"
	case t.Kind == Union:
		p, w := t.Part(v)
		return p.Format(w)
	case t.Kind == Real:
		return t.decimal(v)
	case t.Members != nil && v >= 0 && v < int64(len(t.Members)):
		return t.Members[v]
	case t.Kind == Scalarset && !t.Slots:
		name := t.Name
		if name == "" {
			name = "Scalarset" + strconv.Itoa(t.Class+1)
		}
		return fmt.Sprintf("%s_%d", name, v+1)
	}
	return strconv.FormatInt(v, 10)
}

func (t *Type) String() string {
	switch {
	case t.Name != "":
		return t.Name
	case t.Kind == Range && t.Top.Const != "":
		return fmt.Sprintf("%d..%v", t.Lo, t.Top)
	case t.Kind == Range:
		return fmt.Sprintf("%d..%d", t.Lo, t.Hi)
	case t.Kind == Real:
		return fmt.Sprintf("real(%d, %d)", t.Digits, t.Exponent)
	case t.Kind == Scalarset:
		return fmt.Sprintf("scalarset(%d)", t.Hi+1)
	case t.Kind == Enum:
		return "enum"
	case t.Kind == Union:
		return "union"
	case t.Kind == Array:
		return fmt.Sprintf("array [%v] of %v", t.Index, t.Elem)
	case t.Kind == Multiset:
		return fmt.Sprintf("multiset [%d] of %v", t.Index.Card(), t.Elem)
	}
	return "record"
}
