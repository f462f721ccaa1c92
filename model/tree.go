package model

import (
	"fmt"
	"iter"
	"reflect"
	"slices"

	"orbitmc/internal/lists"
)

// The tree of expressions and statements: the one place that knows what is below each node.

// children calls expr and body with all that is directly below n, an Expr or a Stmt, in the order of its
// evaluation. They may replace it.
func children(n any, expr func(*Expr), body func(*[]Stmt)) {
	exprs := func(es ...*Expr) {
		for _, e := range es {
			if *e != nil {
				expr(e)
			}
		}
	}
	list := func(es []Expr) {
		for i := range es {
			exprs(&es[i])
		}
	}
	slot := func(to **IndexSel) {
		e := Expr(*to)
		if expr(&e); e != Expr(*to) {
			*to = e.(*IndexSel)
		}
	}
	switch n := n.(type) {
	case *ConstExpr, *Ref:
	case *FieldSel:
		exprs(&n.X)
	case *IndexSel:
		exprs(&n.X, &n.Index)
	case *Not:
		exprs(&n.X)
	case *Binary:
		exprs(&n.X, &n.Y)
	case *Cond:
		exprs(&n.If, &n.Then, &n.Else)
	case *Quant:
		exprs(&n.Domain.From, &n.Domain.To, &n.Domain.By, &n.Body)
	case *IsUndefined:
		exprs(&n.X)
	case *Present:
		slot(&n.X)
	case *Convert:
		exprs(&n.X)
	case *IsMember:
		exprs(&n.X)
	case *RealExpr:
		exprs(&n.X, &n.Y)
	case *CallExpr:
		list(n.Args)
	case *Let:
		exprs(&n.X, &n.Body)
	case *Assign:
		exprs(&n.LHS, &n.RHS)
	case *If:
		for i := range n.Clauses {
			exprs(&n.Clauses[i].Cond)
			body(&n.Clauses[i].Body)
		}
		body(&n.Else)
	case *For:
		exprs(&n.Domain.From, &n.Domain.To, &n.Domain.By)
		body(&n.Body)
	case *Reset:
		exprs(&n.X)
	case *While:
		exprs(&n.Cond)
		body(&n.Body)
	case *Alias:
		exprs(&n.X)
		body(&n.Body)
	case *Call:
		list(n.Args)
	case *Return:
		exprs(&n.X)
	case *Insert:
		exprs(&n.Set, &n.X)
	case *Remove:
		slot(&n.X)
	case *Assume:
		exprs(&n.Cond)
	case *CoverStmt:
		exprs(&n.Cond)
	case *Assert:
		exprs(&n.Cond)
	case *Put:
		exprs(&n.X)
	default:
		panic(fmt.Sprintf("model: unknown node %T", n))
	}
}

// Children calls expr with the expressions, and body with the lists of statements, that are directly
// below n, an Expr or a Stmt, in the order of their evaluation.
func Children(n any, expr func(Expr), body func([]Stmt)) {
	children(n, func(e *Expr) { expr(*e) }, func(b *[]Stmt) { body(*b) })
}

// MapExpr returns a copy of e with what f makes of the expressions directly below it.
func MapExpr(e Expr, f func(Expr) Expr) Expr {
	e = clone(e).(Expr)
	children(e, func(x *Expr) { *x = f(*x) }, nil)
	return e
}

// Substitute returns a copy of e with expressions in the place of some variables.
func Substitute(e Expr, of map[*Var]Expr) Expr {
	if r, ok := e.(*Ref); ok && of[r.Var] != nil {
		return of[r.Var]
	}
	return MapExpr(e, func(e Expr) Expr { return Substitute(e, of) })
}

// MapStmt returns a copy of s with what expr and body make of what is directly below it.
func MapStmt(s Stmt, expr func(Expr) Expr, body func([]Stmt) []Stmt) Stmt {
	s = clone(s).(Stmt)
	if f, ok := s.(*If); ok && f.Switch != nil { // all conditions keep one X
		x := expr(f.Switch.X)
		f.switchOn(x, lists.Map(f.Switch.Values, func(vs []Expr) []Expr { return lists.Map(vs, expr) }))
		expr = func(e Expr) Expr { return e }
	}
	children(s, func(x *Expr) { *x = expr(*x) }, func(b *[]Stmt) { *b = body(*b) })
	return s
}

// clone copies a node, and the slices in it but for lists of statements.
func clone(n any) any {
	v := reflect.New(reflect.TypeOf(n).Elem())
	v.Elem().Set(reflect.ValueOf(n).Elem())
	switch n := v.Interface().(type) {
	case *CallExpr:
		n.Args = slices.Clone(n.Args)
	case *Call:
		n.Args = slices.Clone(n.Args)
	case *If:
		n.Clauses = slices.Clone(n.Clauses)
	}
	return v.Interface()
}

// Designator reports whether e is a variable, a field or an element: something that has a place.
func Designator(e Expr) bool {
	switch e.(type) {
	case *Ref, *FieldSel, *IndexSel:
		return true
	}
	return false
}

// Within yields a designator and what it is a part of, up to the variable.
func Within(x Expr) iter.Seq[Expr] {
	return func(yield func(Expr) bool) {
		for yield(x) {
			switch e := x.(type) {
			case *FieldSel:
				x = e.X
			case *IndexSel:
				x = e.X
			default:
				return
			}
		}
	}
}

// Root returns the variable that a designator is a part of, or nil.
func Root(x Expr) *Var {
	for x = range Within(x) {
	}
	if r, ok := x.(*Ref); ok {
		return r.Var
	}
	return nil
}

// SamePlace reports whether two designators are the same text about the same variables, with indices
// that are constants or designators.
func SamePlace(x, y Expr) bool {
	switch x := x.(type) {
	case *Ref:
		y, ok := y.(*Ref)
		return ok && x.Var == y.Var
	case *FieldSel:
		y, ok := y.(*FieldSel)
		return ok && x.Field == y.Field && SamePlace(x.X, y.X)
	case *IndexSel:
		y, ok := y.(*IndexSel)
		return ok && SamePlace(x.X, y.X) && SamePlace(x.Index, y.Index)
	case *Convert:
		y, ok := y.(*Convert)
		return ok && x.To == y.To && SamePlace(x.X, y.X)
	case *ConstExpr:
		y, ok := y.(*ConstExpr)
		return ok && x.Value == y.Value && x.T == y.T
	}
	return false
}

// Conjuncts returns what a condition is the conjunction of, in the order of its evaluation; nil: nothing.
func Conjuncts(e Expr) []Expr {
	switch b, ok := e.(*Binary); {
	case e == nil:
		return nil
	case ok && b.Op == And:
		return append(Conjuncts(b.X), Conjuncts(b.Y)...)
	}
	return []Expr{e}
}

// Written returns the designator of what a node itself changes, in which a multiset loses or gets
// elements, too; nil: it changes nothing.
func Written(n any) Expr {
	switch n := n.(type) {
	case *Assign:
		return n.LHS
	case *Reset:
		return n.X
	case *Insert:
		return n.Set
	case *Remove:
		return n.X
	}
	return nil
}

// Called returns the procedure that a node calls and the arguments, if it is a call.
func Called(n any) (*Proc, []Expr) {
	switch n := n.(type) {
	case *CallExpr:
		return n.Proc, n.Args
	case *Call:
		return n.Proc, n.Args
	}
	return nil, nil
}

// Named returns the name that a node gives to an expression, if it is a Let or an Alias.
func Named(n any) (*Var, Expr) {
	switch n := n.(type) {
	case *Let:
		return n.Var, n.X
	case *Alias:
		return n.Var, n.X
	}
	return nil, nil
}

// Bound returns the variable that a node binds in what is below it, or nil.
func Bound(n any) *Var {
	switch n := n.(type) {
	case *Quant:
		return n.Var
	case *For:
		return n.Var
	}
	v, _ := Named(n)
	return v
}

// Inspect calls visit for every expression and statement below and including
// n, which is an Expr, a Stmt or a []Stmt, parents first, in the order of their
// evaluation. It does not enter the procedures that are called. In nil, such as no guard, is nothing.
func Inspect(n any, visit func(n any)) {
	InspectIf(n, func(n any) bool {
		visit(n)
		return true
	})
}

// Has reports whether a node of n, as for Inspect, is one that is looked for.
func Has(n any, is func(n any) bool) (found bool) {
	Inspect(n, func(n any) { found = found || is(n) })
	return found
}

// Calls reports whether n, as for Inspect, calls anything.
func Calls(n any) bool {
	return Has(n, func(n any) bool {
		p, _ := Called(n)
		return p != nil
	})
}

// Mentions reports whether a variable is in n, as for Inspect.
func Mentions(n any, v *Var) bool {
	return Has(n, func(n any) bool {
		r, ok := n.(*Ref)
		return ok && r.Var == v
	})
}

// InspectCalls is Inspect that enters each procedure that is called, once.
func InspectCalls(n any, visit func(n any)) {
	entered := make(map[*Proc]bool)
	var all func(n any)
	all = func(n any) {
		visit(n)
		if p, _ := Called(n); p != nil && !entered[p] {
			entered[p] = true
			Inspect(p.Body, all)
		}
	}
	Inspect(n, all)
}

// Reached returns, by procedure, which procedures its calls lead to.
func (m *Model) Reached() [][]bool {
	return lists.Map(m.Procs, func(p *Proc) []bool {
		reached := make([]bool, len(m.Procs))
		InspectCalls(p.Body, func(n any) {
			if q, _ := Called(n); q != nil {
				reached[q.Index] = true
			}
		})
		return reached
	})
}

// InspectIf is Inspect that goes below n only if visit returns true of it.
func InspectIf(n any, visit func(n any) bool) {
	var node func(n any)
	expr := func(e *Expr) { node(*e) }
	body := func(b *[]Stmt) {
		for _, s := range *b {
			node(s)
		}
	}
	node = func(n any) {
		if visit(n) {
			children(n, expr, body)
		}
	}
	if list, ok := n.([]Stmt); ok {
		body(&list)
	} else if n != nil {
		node(n)
	}
}
