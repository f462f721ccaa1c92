package model

// What the dialects do with undefined values, in one place, as both the
// interpreter and the encoding must agree on it. It was read in the code that
// CMurphi and Rumur generate and confirmed by running both tools:
//
//   - CMurphi reads a leaf of a scalarset or union without a check and keeps one
//     code for "undefined" beside the values. So `=` on them is false if exactly
//     one operand is undefined, and true if both are; `!=` is its negation; a
//     switch runs the else branch, and ismember is false. All other reads of an
//     undefined leaf stop CMurphi: of ranges, booleans and enums in any
//     expression, and of anything used as an index.
//   - CMurphi copies an undefined value if the right-hand side of an assignment
//     is a variable, or an enum, scalarset or union anywhere. It means to copy
//     fields and elements of all simple types, but the flag that says so is never
//     set for them; then the assignment operator of the range and boolean classes
//     checks, and those of the others do not. That of a union checks enums.
//   - CMurphi passes value arguments of the very type of the parameter by
//     reference, undefined or not. One of another range is read.
//   - Rumur stops at every read of an undefined leaf, in copies as well, but
//     passes designators as value arguments without reading them.
//   - Both carry undefined leaves along in copies of arrays and records, both
//     evaluate index expressions inside isundefined and put, and both print an
//     undefined value in put without complaint.

// source returns what a chain of conversions converts.
func source(x Expr) Expr {
	for {
		c, ok := x.(*Convert)
		if !ok {
			return x
		}
		x = c.X
	}
}

// unchecked reports whether CMurphi reads values of type t without a check.
func unchecked(t *Type) bool { return t.Kind == Scalarset || t.Kind == Union }

// TestsUndefined reports whether x may be undefined as an operand of = and !=,
// in a switch or in ismember: it equals what is undefined too and nothing else,
// and is a member of nothing. Otherwise it is a run-time error.
func (d Dialect) TestsUndefined(x Expr) bool {
	return d == CMurphi && unchecked(source(x).Type())
}

// CopiesUndefined reports whether an undefined RHS of simple type makes LHS
// undefined; otherwise it is a run-time error.
func (s *Assign) CopiesUndefined(d Dialect) bool {
	if d != CMurphi {
		return false
	}
	x := source(s.RHS)
	if _, ok := x.(*Ref); ok || unchecked(x.Type()) {
		return true
	}
	return x.Type().Kind == Enum && x == s.RHS
}

// CopiesUndefined reports whether an undefined argument of simple type makes the
// parameter f, which is not by reference, undefined; otherwise it is a run-time
// error.
func (f *Formal) CopiesUndefined(arg Expr, d Dialect) bool {
	x, t := source(arg), f.Var.Type
	if d == Rumur {
		return Designator(x)
	}
	switch {
	case unchecked(x.Type()):
		return t.Kind != Enum
	case x != arg || !Designator(x):
		return x == arg && t.Kind == Enum
	}
	u := x.Type()
	return t == u || t.Kind == Range && u.Kind == Range && t.Lo == u.Lo && t.Hi == u.Hi
}

// CopiesUndefined reports whether a function may return the undefined value of
// X, of simple type; otherwise it is a run-time error.
func (s *Return) CopiesUndefined(d Dialect) bool {
	t := source(s.X).Type()
	return d == CMurphi && (unchecked(t) || t.Kind == Enum && s.X.Type() == t)
}

// CopiesUndefined reports whether an undefined X of simple type may be put into
// the multiset; otherwise it is a run-time error.
func (s *Insert) CopiesUndefined(d Dialect) bool {
	t := s.X.Type()
	return d == CMurphi && (unchecked(t) || t.Kind == Enum)
}

// ChecksRange reports whether returning a number outside the result type is a
// run-time error; otherwise it is returned as it is.
func (s *Return) ChecksRange(d Dialect) bool { return d == CMurphi }
