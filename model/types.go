package model

import (
	"fmt"
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
	Scalarset
	Array
	Record
	// Union and Multiset have their place here; they are not supported yet.
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
	// from 1), a range its bounds.
	Lo, Hi  int64
	Members []string // Enum and Bool ("false", "true"): the name of each value
	Class   int      // Scalarset: its index in Model.Scalarsets; else 0

	Index, Elem *Type   // Array: simple index type and element type
	Fields      []Field // Record

	Leaves int // number of simple leaves a variable of this type has; 1 for simple kinds
}

// Field is a record field.
type Field struct {
	Name   string
	Type   *Type
	Offset int // leaves of the record before this field
}

// IntType and BoolType are the predeclared types. BoolType is the only Bool.
var (
	IntType  = &Type{Kind: Integer, Name: "integer", Leaves: 1}
	BoolType = &Type{Kind: Bool, Name: "boolean", Lo: 0, Hi: 1, Members: []string{"false", "true"}, Leaves: 1}
)

// Simple reports whether t is a type of single leaves.
func (t *Type) Simple() bool { return t.Kind <= Scalarset }

// Numeric reports whether t is Integer or a Range.
func (t *Type) Numeric() bool { return t.Kind == Integer || t.Kind == Range }

// Card returns the number of defined values of a simple type other than Integer.
func (t *Type) Card() int64 { return t.Hi - t.Lo + 1 }

// Same reports whether values of t and u may be compared and assigned.
func (t *Type) Same(u *Type) bool {
	return t == u || t.Numeric() && u.Numeric()
}

// Format returns the source spelling of value v of simple type t, in the way
// CMurphi and Rumur print it: members by name, scalarset values as NAME_k with
// k from 1, numbers in decimal, and "Undefined" for Undef.
func (t *Type) Format(v int64) string {
	switch {
	case v == Undef:
		return "Undefined"
	case t.Members != nil && v >= 0 && v < int64(len(t.Members)):
		return t.Members[v]
	case t.Kind == Scalarset:
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
	case t.Kind == Range:
		return fmt.Sprintf("%d..%d", t.Lo, t.Hi)
	case t.Kind == Scalarset:
		return fmt.Sprintf("scalarset(%d)", t.Hi+1)
	case t.Kind == Enum:
		return "enum"
	case t.Kind == Array:
		return fmt.Sprintf("array [%v] of %v", t.Index, t.Elem)
	}
	return "record"
}
