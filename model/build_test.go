package model_test

import (
	"testing"

	. "orbitmc/model"
)

// Builders for models made by hand.

func rangeType(lo, hi int64) *Type { return &Type{Kind: Range, Lo: lo, Hi: hi, Leaves: 1} }

func enumType(name string, members ...string) *Type {
	return &Type{Kind: Enum, Name: name, Hi: int64(len(members)) - 1, Members: members, Leaves: 1}
}

func arrayType(index, elem *Type) *Type {
	return &Type{Kind: Array, Index: index, Elem: elem, Leaves: int(index.Card()) * elem.Leaves}
}

func recordType(fields ...Field) *Type {
	t := &Type{Kind: Record}
	for _, f := range fields {
		f.Offset = t.Leaves
		t.Leaves += f.Type.Leaves
		t.Fields = append(t.Fields, f)
	}
	return t
}

// newModel returns a model with these state variables and only the property
// runtime-error.
func newModel(vars ...*Var) *Model {
	m := &Model{Vars: vars}
	n := 0
	for _, v := range vars {
		v.Offset = n
		n += v.Type.Leaves
	}
	addProp(m, &Property{Name: "runtime-error", Kind: RuntimeError})
	return m
}

func addProp(m *Model, p *Property) int {
	p.Index = len(m.Props)
	m.Props = append(m.Props, p)
	return p.Index
}

func newScalarset(m *Model, name string, n int64) *Type {
	t := &Type{Kind: Scalarset, Name: name, Hi: n - 1, Class: len(m.Scalarsets), Leaves: 1}
	m.Scalarsets = append(m.Scalarsets, t)
	return t
}

func addStart(m *Model, body ...Stmt) *Rule {
	r := &Rule{Name: "init", Index: len(m.Starts), Body: body}
	m.Starts = append(m.Starts, r)
	return r
}

func addRule(m *Model, name string, guard Expr, body ...Stmt) *Rule {
	r := &Rule{Name: name, Index: len(m.Rules), Guard: guard, Body: body}
	m.Rules = append(m.Rules, r)
	return r
}

func stateVar(name string, t *Type) *Var { return &Var{Name: name, Type: t} }
func localVar(name string, t *Type) *Var { return &Var{Name: name, Kind: LocalVar, Type: t} }
func boundVar(name string, t *Type) *Var { return &Var{Name: name, Kind: BoundVar, Type: t} }

func param(v *Var) *Param            { return &Param{v, Domain{Type: v.Type}} }
func num(n int64) Expr               { return &ConstExpr{Value: n, T: IntType} }
func ref(v *Var) Expr                { return &Ref{Var: v} }
func at(x, i Expr) Expr              { return &IndexSel{X: x, Index: i} }
func field(x Expr, i int) Expr       { return &FieldSel{X: x, Field: i} }
func bin(x Expr, op Op, y Expr) Expr { return &Binary{Op: op, X: x, Y: y} }
func not(x Expr) Expr                { return &Not{X: x} }
func member(t *Type, v int64) Expr   { return &ConstExpr{Value: v, T: t} }
func set(x, y Expr) Stmt             { return &Assign{LHS: x, RHS: y} }
func cond(i, t, e Expr) Expr         { return &Cond{If: i, Then: t, Else: e} }
func upto(from, to, by Expr) Domain  { return Domain{Type: IntType, From: from, To: to, By: by} }
func isUndef(x Expr) Expr            { return &IsUndefined{X: x} }
func boolean(b bool) Expr {
	if b {
		return &ConstExpr{Value: 1, T: BoolType}
	}
	return &ConstExpr{Value: 0, T: BoolType}
}

// run fires a rule with this body, without parameters or locals, from the
// state s of a model with the given variables.
func run(t *testing.T, d Dialect, vars []*Var, s State, locals []*Var, body ...Stmt) (State, *Violation) {
	t.Helper()
	m := newModel(vars...)
	m.Dialect = d
	addRule(m, "r", nil, body...).Locals = locals
	before := append(State{}, s...)
	next, enabled, v := Compile(m).NewMachine().Fire(s, Choice{Rule: 0})
	if !enabled {
		t.Fatal("rule without a guard is disabled")
	}
	for i := range s {
		if s[i] != before[i] {
			t.Fatal("Fire changed its argument")
		}
	}
	return next, v
}
