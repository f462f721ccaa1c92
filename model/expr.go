package model

import "math"

// Undef is the value of an undefined leaf.
const Undef = math.MinInt64

// Var is a variable: a state variable, a local of a rule or procedure, the bound
// variable of a ruleset, quantifier or for loop, or another name for a place.
type Var struct {
	Name   string
	Kind   VarKind
	Type   *Type // simple for bound variables
	Offset int   // StateVar: index of its first leaf in a State; else 0
	Pos    Pos
}

// VarKind tells variables apart.
type VarKind uint8

// Variable kinds.
const (
	StateVar VarKind = iota
	LocalVar         // declared in a rule or procedure, a value parameter, or an alias for a value
	BoundVar         // ruleset parameter, quantifier or for variable; read-only
	RefVar           // stands for a place: a var parameter, or an alias for a designator
)

// Expr is a typed expression. Designators (what may be assigned) are *Ref,
// *FieldSel and *IndexSel; only they, *CallExpr and a *Let around one of these
// may have an array, record or multiset type. Everything else is simple.
type Expr interface {
	Type() *Type
	Position() Pos
}

// ConstExpr is a constant: a number (Integer), a boolean or an enum member.
type ConstExpr struct {
	Value int64
	T     *Type
	Pos

	// SizedBy is set if the number is the greatest value of each type with this SizedBy and the
	// same Lo as the type that it is compared with, assigned to, or an index of.
	SizedBy string

	// Size is what the number is at every size, if that is known and depends on a constant that
	// was left open; Value is then that of one size.
	Size Size
}

// Ref reads a variable.
type Ref struct {
	Var *Var
	Pos
}

// FieldSel selects field number Field of the record X.
type FieldSel struct {
	X     Expr
	Field int
	Pos
}

// IndexSel selects an element of the array X. An index outside the index type,
// or an undefined one, is a run-time error. If X is a multiset the index is a
// slot, and the element in it is selected; a free slot is a run-time error.
type IndexSel struct {
	X     Expr
	Index Expr
	Pos
}

// Op is an operator.
type Op uint8

// Operators. And, Or and Implies evaluate their right operand only if needed.
// Eq and Ne take two simple operands of compatible types; the order relations
// take numbers. Div and Mod truncate towards zero, as in C. The bit operators
// take numbers as 64-bit two's complement. A shift by a negative number shifts
// the other way; one by 64 or more gives 0, or -1 for Shr of a negative number.
const (
	And Op = iota
	Or
	Implies
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	Add
	Sub
	Mul
	Div
	Mod
	BitAnd
	BitOr
	BitXor
	Shl
	Shr
)

func (o Op) String() string {
	return [...]string{"&", "|", "->", "=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"}[o]
}

// Not is the negation of a boolean.
type Not struct {
	X Expr
	Pos
}

// Negative returns -x, a difference from 0 that stands where its 0 does.
func Negative(x Expr, pos Pos) Expr { return &Binary{Sub, &ConstExpr{T: IntType, Pos: pos}, x, pos} }

// Complement returns ~x, which is x ^ -1.
func Complement(x Expr, pos Pos) Expr {
	return &Binary{BitXor, &ConstExpr{Value: -1, T: IntType, Pos: pos}, x, pos}
}

// Binary is an operator with two operands; Pos is that of the operator.
type Binary struct {
	Op   Op
	X, Y Expr
	Pos
}

// Cond is If ? Then : Else.
type Cond struct {
	If, Then, Else Expr
	Pos
}

// Quant is forall (All) or exists over a domain, which stop at the first
// deciding value, in increasing order; or it is the number of values in the
// domain for which Body holds (Counts).
type Quant struct {
	All    bool
	Counts bool // All is false
	Var    *Var
	Domain Domain
	Body   Expr
	Pos
}

// IsUndefined tests a designator of simple type; its index expressions are
// evaluated as usual.
type IsUndefined struct {
	X Expr
	Pos
}

// Present tests whether the slot X of a multiset, of which X.Index is defined,
// holds an element.
type Present struct {
	X *IndexSel
	Pos
}

// Convert turns X, of a union or of a type that is part of one, into the same
// value of type To, of the same sort. A value that To does not have is a run-time
// error; Undef stays Undef. What reading an undefined X means is decided by what
// stands around: Convert reads as X does.
type Convert struct {
	X  Expr
	To *Type
	// Loose says that the number is one of other things than what it is computed from, and that this one tells
	// nothing of them, as in a loop that makes the processes one by one. It means nothing else.
	Loose bool
	Pos
}

// RealExpr computes with real numbers, as 64-bit floating-point numbers (RealType). Op is one of
//
//	integer, decimal        the number that X, a number or a value of another Real type, stands for
//	round                   the value of the Real type T that is nearest to X; too large, or no number: a run-time error
//	+ - * / neg             arithmetic, a function of RealFunctions; there is no error
//	= != < <= > >=          comparisons: booleans
//	numerator, denominator  of X, of a Real type but RealType, as a fraction: what does not fit is a run-time error
type RealExpr struct {
	Op   string
	X, Y Expr // Y may be nil
	T    *Type
	Pos
}

// RealFunctions are the functions of real numbers and how many arguments they have.
var RealFunctions = map[string]int{"log": 1, "log10": 1, "exp": 1, "sin": 1, "cos": 1, "tan": 1, "fabs": 1, "floor": 1, "ceil": 1, "sqrt": 1,
	"fmod": 2, "pow": 2, "asin": 1, "acos": 1, "atan": 1, "sinh": 1, "cosh": 1, "tanh": 1}

// IsMember tests whether the value of X, of union or simple type, belongs to T,
// a part of that union (or its type itself). An undefined X is a run-time error,
// but under CMurphi an undefined scalarset or union belongs to nothing.
type IsMember struct {
	X Expr
	T *Type
	Pos
}

// CallExpr calls a function. It may change the state.
type CallExpr struct {
	Proc *Proc
	Args []Expr
	Pos
}

// Let evaluates X once, gives it the name Var in Body and is the value of Body.
// See Alias for what Var is, and for errors.
type Let struct {
	Var  *Var
	X    Expr
	Body Expr
	Pos
}

// sign returns the operator of a Negative or Complement; "" of other operations.
func (e *Binary) sign() string {
	switch k, _ := e.X.(*ConstExpr); {
	case k != nil && k.Value == 0 && e.Op == Sub:
		return "-"
	case k != nil && k.Value == -1 && e.Op == BitXor:
		return "~"
	}
	return ""
}

func (e *ConstExpr) Type() *Type   { return e.T }
func (e *Ref) Type() *Type         { return e.Var.Type }
func (e *FieldSel) Type() *Type    { return e.X.Type().Fields[e.Field].Type }
func (e *IndexSel) Type() *Type    { return e.X.Type().Elem }
func (e *IsUndefined) Type() *Type { return BoolType }
func (e *Present) Type() *Type     { return BoolType }
func (e *Convert) Type() *Type     { return e.To }
func (e *IsMember) Type() *Type    { return BoolType }
func (e *CallExpr) Type() *Type    { return e.Proc.Result }
func (e *Let) Type() *Type         { return e.Body.Type() }
func (e *Not) Type() *Type         { return BoolType }

func (e *RealExpr) Type() *Type {
	switch e.Op {
	case "round":
		return e.T
	case "=", "!=", "<", "<=", ">", ">=":
		return BoolType
	case "numerator", "denominator":
		return IntType
	}
	return RealType
}

func (e *Quant) Type() *Type {
	if e.Counts {
		return IntType
	}
	return BoolType
}

func (e *Binary) Type() *Type {
	if e.Op >= Add {
		return IntType
	}
	return BoolType
}

func (e *Cond) Type() *Type {
	if t := e.Then.Type(); !t.Numeric() {
		return t
	}
	return IntType
}

// Strict is a set of quantifiers, each a *Quant, and of properties and assumptions, each a
// *Property, whose parameters count as one. A program that is compiled with the set evaluates
// all operands of these, also behind one that decides. The outcome is the same but where some operand decides
// and another one errs: it is a run-time error then, and Machine.Hid reports true.
type Strict map[any]bool
