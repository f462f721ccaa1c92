package model

import "orbitmc/internal/lists"

// A statement that means the same as others is made of them, once, when the text was checked, so
// that what reads statements need not know it. How it was written stays with it: the reference
// interpreter reads that, the compiled one and package encode may do so where that is faster, and
// tests compare them.

// NewSwitch returns a switch statement: a case for each list of values and each body. An X that calls
// something, or whose value a call in a case may change, gets a name first.
func NewSwitch(x Expr, values [][]Expr, bodies [][]Stmt, els []Stmt, pos Pos) Stmt {
	s := &If{Else: els, Pos: pos}
	s.Clauses = lists.Map(bodies, func(b []Stmt) Clause { return Clause{Body: b} })
	if len(bodies) == 0 { // x is evaluated, for the errors in it
		s.Clauses, values = make([]Clause, 1), make([][]Expr, 1)
	}
	inValues := false
	for _, vs := range values {
		for _, v := range vs {
			inValues = inValues || Calls(v)
		}
	}
	if !inValues && !Calls(x) {
		s.switchOn(x, values)
		return s
	}
	bare := source(x) // what may be undefined depends on its type
	v := &Var{Name: "switched", Kind: LocalVar, Type: bare.Type(), Pos: x.Position()}
	switch {
	case Root(bare) != nil && !inValues:
		v.Kind = RefVar
	case v.Type.Numeric():
		v.Type = IntType // some functions return numbers outside their types
	}
	var named func(e Expr) Expr
	named = func(e Expr) Expr {
		if e == bare {
			return &Ref{v, e.Position()}
		}
		return MapExpr(e, named)
	}
	s.switchOn(named(x), values)
	s.Switch = nil
	return &Alias{Var: v, X: bare, Body: []Stmt{s}, Pos: x.Position()}
}

// switchOn makes the conditions of a switch statement.
func (s *If) switchOn(x Expr, values [][]Expr) {
	s.Switch = &Switch{x, values}
	for i, vs := range values {
		s.Clauses[i].Cond = isAny(x, vs)
	}
}

// isAny returns the condition that x is one of some values.
func isAny(x Expr, values []Expr) Expr {
	n := len(values) - 1
	if n < 0 {
		return &Binary{Ne, x, x, x.Position()}
	}
	is := &Binary{Eq, x, values[n], values[n].Position()}
	if n == 0 {
		return is
	}
	return &Binary{Or, isAny(x, values[:n]), is, is.Pos}
}
