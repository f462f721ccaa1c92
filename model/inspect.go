package model

import "fmt"

// Inspect calls visit for every expression and statement below and including
// n, which is an Expr, a Stmt or a []Stmt, parents first, in the order of their
// evaluation. It does not enter the procedures that are called.
func Inspect(n any, visit func(n any)) {
	InspectIf(n, func(n any) bool {
		visit(n)
		return true
	})
}

// InspectCalls is Inspect that enters each procedure that is called, once.
func InspectCalls(n any, visit func(n any)) {
	entered := make(map[*Proc]bool)
	var all func(n any)
	all = func(n any) {
		visit(n)
		if p, _ := callOf(n); p != nil && !entered[p] {
			entered[p] = true
			Inspect(p.Body, all)
		}
	}
	Inspect(n, all)
}

// InspectIf is Inspect that goes below n only if visit returns true of it.
func InspectIf(n any, visit func(n any) bool) {
	exprs := func(es ...Expr) {
		for _, e := range es {
			if e != nil {
				InspectIf(e, visit)
			}
		}
	}
	list, ok := n.([]Stmt)
	if ok {
		for _, s := range list {
			InspectIf(s, visit)
		}
		return
	}
	if !visit(n) {
		return
	}
	switch n := n.(type) {
	case *ConstExpr, *Ref:
	case *FieldSel:
		exprs(n.X)
	case *IndexSel:
		exprs(n.X, n.Index)
	case *Unary:
		exprs(n.X)
	case *Binary:
		exprs(n.X, n.Y)
	case *Cond:
		exprs(n.If, n.Then, n.Else)
	case *Quant:
		exprs(n.Domain.From, n.Domain.To, n.Domain.By, n.Body)
	case *Count:
		exprs(n.Domain.From, n.Domain.To, n.Domain.By, n.Body)
	case *IsUndefined:
		exprs(n.X)
	case *Present:
		exprs(n.X)
	case *Convert:
		exprs(n.X)
	case *IsMember:
		exprs(n.X)
	case *CallExpr:
		exprs(n.Args...)
	case *Let:
		exprs(n.X, n.Body)
	case *Assign:
		exprs(n.LHS, n.RHS)
	case *If:
		for _, c := range n.Clauses {
			exprs(c.Cond)
			InspectIf(c.Body, visit)
		}
		InspectIf(n.Else, visit)
	case *Switch:
		exprs(n.X)
		for _, c := range n.Cases {
			exprs(c.Values...)
			InspectIf(c.Body, visit)
		}
		InspectIf(n.Else, visit)
	case *For:
		exprs(n.Domain.From, n.Domain.To, n.Domain.By)
		InspectIf(n.Body, visit)
	case *Undefine:
		exprs(n.X)
	case *Clear:
		exprs(n.X)
	case *While:
		exprs(n.Cond)
		InspectIf(n.Body, visit)
	case *Alias:
		exprs(n.X)
		InspectIf(n.Body, visit)
	case *Call:
		exprs(n.Args...)
	case *Return:
		exprs(n.X)
	case *Insert:
		exprs(n.Set, n.X)
	case *Remove:
		exprs(n.X)
	case *Assume:
		exprs(n.Cond)
	case *CoverStmt:
		exprs(n.Cond)
	case *Assert:
		exprs(n.Cond)
	case *Put:
		exprs(n.X)
	default:
		panic(fmt.Sprintf("model: unknown node %T", n))
	}
}
