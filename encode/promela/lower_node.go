package promela

import (
	"cmp"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Lowering: types, expressions and statements of the model. Constants are folded.

func num(v int64) model.Expr { return &model.ConstExpr{Value: v, T: model.IntType} }
func truthOf(b bool) model.Expr {
	return &model.ConstExpr{Value: truth(b), T: model.BoolType}
}

// rangeType is the type of the values of a cell.
func rangeType(lo, hi int64) *model.Type {
	return &model.Type{Kind: model.Range, Lo: lo, Hi: hi, Leaves: 1}
}

func arrayOf(index, elem *model.Type) *model.Type {
	return &model.Type{Kind: model.Array, Index: index, Elem: elem, Leaves: int(index.Card()) * elem.Leaves}
}

func recordOf(names []string, types []*model.Type) *model.Type {
	t := &model.Type{Kind: model.Record}
	for i, n := range names {
		t.Fields = append(t.Fields, model.Field{Name: n, Type: types[i], Offset: t.Leaves})
		t.Leaves += types[i].Leaves
	}
	return t
}

func sel(x model.Expr, field int) model.Expr      { return &model.FieldSel{X: x, Field: field} }
func at(x, i model.Expr) model.Expr               { return &model.IndexSel{X: x, Index: i} }
func ref(v *model.Var) model.Expr                 { return &model.Ref{Var: v} }
func bin(op model.Op, x, y model.Expr) model.Expr { return &model.Binary{Op: op, X: x, Y: y} }
func undefined(x model.Expr) model.Expr           { return &model.IsUndefined{X: x} }

// literal returns the value of a constant.
func literal(x model.Expr) (int64, bool) {
	c, ok := x.(*model.ConstExpr)
	if !ok {
		return 0, false
	}
	return c.Value, true
}

func eq(x, y model.Expr) model.Expr {
	a, ok := literal(x)
	b, ok2 := literal(y)
	if ok && ok2 {
		return truthOf(a == b)
	}
	return bin(model.Eq, x, y)
}

func not(x model.Expr) model.Expr {
	if v, ok := literal(x); ok {
		return truthOf(v == 0)
	}
	if u, ok := x.(*model.Not); ok {
		return u.X
	}
	return &model.Not{X: x}
}

// all is the conjunction, evaluated in order; nil parts are true.
func all(xs ...model.Expr) model.Expr { return joined(model.And, true, xs) }

// some is the disjunction, evaluated in order; nil parts are true.
func some(xs ...model.Expr) model.Expr { return joined(model.Or, false, xs) }

// joined joins operands by an operator that has a neutral element.
func joined(op model.Op, neutral bool, xs []model.Expr) model.Expr {
	var r model.Expr
	for _, x := range slices.Backward(xs) {
		x = cmp.Or(x, truthOf(true))
		switch v, ok := literal(x); {
		case ok && (v != 0) == neutral:
		case ok:
			r = x
		case r == nil:
			r = x
		default: // what stands before a constant may err, so it stays
			r = bin(op, x, r)
		}
	}
	return cmp.Or(r, truthOf(neutral))
}

// someOf tests whether an element of a list is what is says.
func someOf[T any](list []T, is func(T) model.Expr) model.Expr {
	return some(lists.Map(list, is)...)
}

func choose(c, x, y model.Expr) model.Expr {
	if v, ok := literal(c); ok {
		if v != 0 {
			return x
		}
		return y
	}
	return &model.Cond{If: c, Then: x, Else: y}
}

func plus(x model.Expr, k int64) model.Expr {
	if v, ok := literal(x); ok {
		return num(v + k)
	}
	switch {
	case k == 0:
		return x
	case k < 0:
		return bin(model.Sub, x, num(-k))
	}
	return bin(model.Add, x, num(k))
}

// between is lo <= x <= hi.
func between(x model.Expr, lo, hi int64) model.Expr {
	if v, ok := literal(x); ok {
		return truthOf(lo <= v && v <= hi)
	}
	if lo == hi {
		return eq(x, num(lo))
	}
	var a, b model.Expr
	t := x.Type()
	if t.Kind != model.Range || t.Lo < lo {
		a = bin(model.Ge, x, num(lo))
	}
	if t.Kind != model.Range || t.Hi > hi {
		b = bin(model.Le, x, num(hi))
	}
	return all(a, b)
}

func isFalse(x model.Expr) bool {
	v, ok := literal(x)
	return ok && v == 0
}

func bound(name string, t *model.Type, at place) *model.Var {
	return &model.Var{Name: name, Kind: model.BoundVar, Type: t, Pos: at.pos}
}

// exists tests whether a value of a type is what is says.
func exists(name string, t *model.Type, is func(k model.Expr) model.Expr) model.Expr {
	return among(name, model.Domain{Type: t}, is)
}

// among is exists of the values of a domain.
func among(name string, d model.Domain, is func(k model.Expr) model.Expr) model.Expr {
	k := bound(name, d.Type, place{})
	body := is(ref(k))
	if isFalse(body) {
		return body
	}
	return &model.Quant{Var: k, Domain: d, Body: body}
}

// some tests whether a process of the proctype is what is says.
func (p *process) some(is func(w *env) model.Expr) model.Expr {
	return exists("p", p.index, func(k model.Expr) model.Expr { return is(&env{q: p, slot: k}) })
}

func assign(x, e model.Expr, p place) model.Stmt {
	return &model.Assign{LHS: x, RHS: e, Pos: p.pos}
}

// local makes a local variable of a rule.
func local(name string, t *model.Type) *model.Var {
	return &model.Var{Name: name, Kind: model.LocalVar, Type: t}
}

// forEach runs statements for all values of a type.
func forEach(t *model.Type, body func(i model.Expr) []model.Stmt) model.Stmt {
	return forIn("i", model.Domain{Type: t}, body)
}

// forIn is forEach of the values of a domain.
func forIn(name string, d model.Domain, body func(i model.Expr) []model.Stmt) model.Stmt {
	i := bound(name, d.Type, place{})
	return &model.For{Var: i, Domain: d, Body: body(ref(i))}
}

// when runs statements if a condition holds.
func when(cond model.Expr, body ...model.Stmt) *model.If {
	return &model.If{Clauses: []model.Clause{{Cond: cond, Body: body}}}
}

// errs is a statement that violates the property of a name.
func (l *lowering) errs(property, message string, at place) model.Stmt {
	return &model.Assert{Message: message, Prop: l.errorProp(property), Pos: at.pos}
}

// errorProp returns the property of errors of a name.
func (l *lowering) errorProp(name string) int { return l.prop(name, model.ErrorStmt, place{}) }

// fault is the action of a statement that is an error if a condition holds.
func (l *lowering) fault(is model.Expr, s *stmt, property, why string) *action {
	return &action{guard: []model.Expr{is}, fault: true, body: []model.Stmt{l.errs(property, s.text+": "+why, s.at)}}
}
