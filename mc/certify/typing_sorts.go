package certify

import (
	"slices"

	"orbitmc/model"
)

// This file checks that rules, assumptions and properties are well-sorted: a type system in which
// each class whose values move is a type of its own. In a well-sorted text values of a class
// meet only values of that class, in comparisons, assignments, indices and arguments, and no
// value that moves is written out. A permutation commutes with each such form
// (docs/theory/symmetry.md, "Values"). How loops order their turns is checked elsewhere.

// sort is the type of an expression in this system. The zero sort is of values that no
// permutation moves.
type sort struct {
	kind  sortKind
	class int         // of ofClass
	union *model.Type // of ofUnion
}

type sortKind uint8

const (
	unmoved sortKind = iota
	literal          // a number that is written out; what it meets decides its sort
	ofClass
	ofUnion // a union with a part that moves
)

// number reports whether values of the sort may be used in arithmetic.
func (s sort) number() bool { return s.kind == unmoved || s.kind == literal }

// sortOf returns the sort of the values of a simple type.
func (d *derivation) sortOf(t *model.Type) sort {
	if t.Kind == model.Union {
		if slices.ContainsFunc(t.Parts, func(p *model.Type) bool { return d.sortOf(p) != sort{} }) {
			return sort{kind: ofUnion, union: t}
		}
		return sort{}
	}
	if _, moves := d.blockOf[t.Class]; moves && t.Classed() {
		return sort{kind: ofClass, class: t.Class}
	}
	return sort{}
}

// sortChecker checks sorts; what is ill-sorted becomes the error of the derivation.
type sortChecker struct {
	*derivation
	checked map[*model.Proc]bool // procedures whose bodies were begun
}

// rules checks the types of the state, all rules and all assumptions.
func (k *sortChecker) rules() {
	k.types()
	for _, r := range k.m.Rules {
		k.params(r.Params)
		if r.Guard != nil {
			k.expr(r.Guard)
		}
		k.body(r.Body)
	}
	for _, p := range k.m.Assumptions {
		k.params(p.Params)
		k.expr(p.Expr)
	}
}

// types checks that each range in the type of a variable keeps blocks whole.
func (k *sortChecker) types() {
	seen := make(map[*model.Type]bool)
	var visit func(t *model.Type)
	visit = func(t *model.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		k.wholeBlocks(t, t.Pos)
		visit(t.Index)
		visit(t.Elem)
		for _, p := range t.Parts {
			visit(p)
		}
		for _, f := range t.Fields {
			visit(f.Type)
		}
	}
	for _, v := range k.m.Vars {
		visit(v.Type)
	}
}

// wholeBlocks checks that a range has all values of a block or none.
func (k *sortChecker) wholeBlocks(t *model.Type, pos model.Pos) {
	if t.Kind == model.Range {
		k.indistinct(k.sortOf(t), pos, func(v int64) bool { return t.Lo <= v && v <= t.Hi })
	}
}

// indistinct checks that a condition on values of a class is the same for all values of a block.
func (k *sortChecker) indistinct(s sort, pos model.Pos, holds func(v int64) bool) {
	if s.kind != ofClass {
		return
	}
	first := k.m.Scalarsets[s.class].First
	for v, b := range k.blockOf[s.class] {
		for w, d := range k.blockOf[s.class] {
			if b >= 0 && b == d && holds(first+int64(v)) != holds(first+int64(w)) {
				k.fail(pos, "values that are interchangeable are told apart")
				return
			}
		}
	}
}

// fixedPoint checks that no permutation moves a value that is written out.
func (k *sortChecker) fixedPoint(s sort, value int64, pos model.Pos) {
	switch s.kind {
	case ofUnion:
		k.fail(pos, "a number stands for a value of a union")
	case ofClass:
		blockOf := k.blockOf[s.class]
		v := value - k.m.Scalarsets[s.class].First
		if v < 0 || v >= int64(len(blockOf)) || blockOf[v] < 0 {
			return
		}
		n := 0
		for _, b := range blockOf {
			if b == blockOf[v] {
				n++
			}
		}
		if n > 1 {
			k.fail(pos, "a value that moves is written out")
		}
	}
}

// match checks that e, of sort got, may stand where values of sort want do.
func (k *sortChecker) match(want, got sort, e model.Expr) {
	if c, ok := e.(*model.ConstExpr); ok {
		k.fixedPoint(want, c.Value, e.Position())
	}
	if want.kind != literal && got.kind != literal && want != got {
		k.fail(e.Position(), "`%s` is of another sort than what it is used for", model.Text(e))
	}
}

// flow checks that a value, or a whole, of e may go to a place of type t.
func (k *sortChecker) flow(t *model.Type, e model.Expr) {
	if t.Simple() {
		k.wholeBlocks(t, e.Position())
		k.match(k.sortOf(t), k.expr(e), e)
		return
	}
	k.expr(e)
	k.sameShape(t, e.Type(), e.Position())
}

// sameShape checks that all leaves of two types have the same sorts.
func (k *sortChecker) sameShape(t, u *model.Type, pos model.Pos) {
	if t == u {
		return
	}
	switch {
	case t.Kind != u.Kind || len(t.Fields) != len(u.Fields) || t.Kind == model.Multiset:
		k.fail(pos, "%v and %v differ", t, u)
	case t.Simple():
		if k.sortOf(t) != k.sortOf(u) {
			k.fail(pos, "%v and %v differ", t, u)
		}
	case t.Kind == model.Array:
		k.sameShape(t.Index, u.Index, pos)
		k.sameShape(t.Elem, u.Elem, pos)
	}
	for i := range min(len(t.Fields), len(u.Fields)) {
		k.sameShape(t.Fields[i].Type, u.Fields[i].Type, pos)
	}
}

func (k *sortChecker) params(ps []*model.Param) {
	for _, p := range ps {
		k.domain(p.Var, p.Domain)
	}
}

// domain checks that a bound variable runs over whole blocks.
func (k *sortChecker) domain(v *model.Var, d model.Domain) {
	s := k.sortOf(v.Type)
	if d.From == nil {
		if k.sortOf(d.Type) != s {
			k.fail(v.Pos, "%s is of another sort than its values", v.Name)
		}
		k.wholeBlocks(d.Type, v.Pos)
		return
	}
	fixed := true
	for _, e := range []model.Expr{d.From, d.To, d.By} {
		if e != nil {
			k.number(e)
			_, ok := e.(*model.ConstExpr)
			fixed = fixed && ok
		}
	}
	if s.kind == unmoved {
		return
	}
	if !fixed {
		k.fail(v.Pos, "the bounds of %s vary", v.Name)
		return
	}
	values := d.Values()
	k.indistinct(s, v.Pos, func(v int64) bool { return slices.Contains(values, v) })
}

// number checks that no permutation moves the value of e.
func (k *sortChecker) number(e model.Expr) {
	if !k.expr(e).number() {
		k.fail(e.Position(), "`%s` is used as a number", model.Text(e))
	}
}

// call checks arguments, and the procedure at its first call.
func (k *sortChecker) call(p *model.Proc, args []model.Expr) {
	for i, f := range p.Params {
		k.flow(f.Var.Type, args[i])
	}
	if k.checked[p] {
		return
	}
	k.checked[p] = true
	model.Inspect(p.Body, func(n any) {
		if r, ok := n.(*model.Return); ok && r.X != nil {
			k.flow(p.Result, r.X)
		}
	})
	k.body(p.Body)
}

// expr checks an expression and returns its sort.
func (k *sortChecker) expr(e model.Expr) sort {
	if k.err != nil || e == nil {
		return sort{}
	}
	switch e := e.(type) {
	case *model.ConstExpr:
		if s := k.sortOf(e.T); s.kind != unmoved {
			k.fixedPoint(s, e.Value, e.Pos)
			return s
		}
		if e.T.Numeric() {
			return sort{kind: literal}
		}
		return sort{}
	case *model.Ref:
		return k.sortOf(e.Var.Type)
	case *model.FieldSel:
		k.expr(e.X)
		return k.sortOf(e.Type())
	case *model.IndexSel:
		k.expr(e.X)
		if t := e.X.Type(); t.Kind == model.Array {
			k.flow(t.Index, e.Index)
		}
		return k.sortOf(e.Type())
	case *model.Unary:
		k.number(e.X)
		return sort{}
	case *model.Binary:
		k.binary(e)
		return sort{}
	case *model.Cond:
		return k.cond(e)
	case *model.Quant:
		k.domain(e.Var, e.Domain)
		k.expr(e.Body)
		return sort{}
	case *model.Count:
		k.domain(e.Var, e.Domain)
		k.expr(e.Body)
		return sort{}
	case *model.IsUndefined:
		k.expr(e.X)
		return sort{}
	case *model.Present:
		k.expr(e.X)
		return sort{}
	case *model.IsMember:
		k.expr(e.X)
		return sort{}
	case *model.Convert:
		return k.convert(e)
	case *model.CallExpr:
		k.call(e.Proc, e.Args)
		return k.sortOf(e.Proc.Result)
	case *model.Let:
		k.flow(e.Var.Type, e.X)
		return k.expr(e.Body)
	}
	k.fail(e.Position(), "an unknown expression")
	return sort{}
}

// cond checks that both values of a conditional expression have one sort.
func (k *sortChecker) cond(e *model.Cond) sort {
	k.expr(e.If)
	x, y := k.expr(e.Then), k.expr(e.Else)
	if x.kind == literal || x.kind == unmoved && y.kind != literal {
		k.match(y, x, e.Then)
		return y
	}
	k.match(x, y, e.Else)
	return x
}

// convert checks a conversion between numbers, or between a union and one of its parts.
func (k *sortChecker) convert(e *model.Convert) sort {
	s := k.expr(e.X)
	from, to := e.X.Type(), e.To
	if s.number() && k.sortOf(to).kind == unmoved && from.Numeric() && to.Numeric() {
		return sort{}
	}
	if from.Kind != model.Union {
		from, to = to, from
	}
	if from != to && !slices.Contains(from.Parts, to) {
		k.fail(e.Pos, "a conversion between %v and %v", e.X.Type(), e.To)
	}
	return k.sortOf(e.To)
}

func (k *sortChecker) binary(e *model.Binary) {
	x, y := k.expr(e.X), k.expr(e.Y)
	switch {
	case e.Op <= model.Implies:
	case e.Op <= model.Ne:
		if x.kind == literal {
			k.match(y, x, e.X)
		} else {
			k.match(x, y, e.Y)
		}
	case e.Op < model.Add:
		k.inequality(e, x, y)
	default:
		k.number(e.X)
		k.number(e.Y)
	}
}

// inequality checks <, <=, > and >=: between numbers, or of a value of a class with a constant that
// does not split a block.
func (k *sortChecker) inequality(e *model.Binary, x, y sort) {
	mirrored := map[model.Op]model.Op{model.Lt: model.Gt, model.Gt: model.Lt, model.Le: model.Ge, model.Ge: model.Le}
	s, op := x, e.Op
	c, ok := e.Y.(*model.ConstExpr)
	if !ok {
		s, op = y, mirrored[op]
		c, ok = e.X.(*model.ConstExpr)
	}
	if !ok {
		k.number(e.X)
		k.number(e.Y)
		return
	}
	k.indistinct(s, e.Pos, func(v int64) bool {
		switch op {
		case model.Lt:
			return v < c.Value
		case model.Le:
			return v <= c.Value
		case model.Gt:
			return v > c.Value
		}
		return v >= c.Value
	})
}

func (k *sortChecker) body(body []model.Stmt) {
	for _, s := range body {
		k.stmt(s)
	}
}

func (k *sortChecker) stmt(s model.Stmt) {
	switch s := s.(type) {
	case *model.Assign:
		k.expr(s.LHS)
		k.flow(s.LHS.Type(), s.RHS)
	case *model.If:
		for _, c := range s.Clauses {
			k.expr(c.Cond)
			k.body(c.Body)
		}
		k.body(s.Else)
	case *model.Switch:
		x := k.expr(s.X)
		for _, c := range s.Cases {
			for _, v := range c.Values {
				k.match(x, k.expr(v), v)
			}
			k.body(c.Body)
		}
		k.body(s.Else)
	case *model.For:
		k.domain(s.Var, s.Domain)
		k.body(s.Body)
	case *model.While:
		k.expr(s.Cond)
		k.body(s.Body)
	case *model.Undefine:
		k.expr(s.X)
	case *model.Clear:
		k.expr(s.X)
		k.cleared(s.X.Type(), s.Pos)
	case *model.Alias:
		k.flow(s.Var.Type, s.X)
		k.body(s.Body)
	case *model.Call:
		k.call(s.Proc, s.Args)
	case *model.Return: // checked with the procedure
	case *model.Insert:
		k.expr(s.Set)
		k.flow(s.Set.Type().Elem, s.X)
	case *model.Remove:
		k.expr(s.X)
	case *model.Assume:
		k.expr(s.Cond)
	case *model.CoverStmt:
		k.expr(s.Cond)
	case *model.Assert:
		k.expr(s.Cond)
	case *model.Put:
		k.expr(s.X)
	default:
		k.fail(s.Position(), "an unknown statement")
	}
}

// cleared checks that no permutation moves the least values of the leaves of t, which clear writes.
func (k *sortChecker) cleared(t *model.Type, pos model.Pos) {
	switch t.Kind {
	case model.Array:
		k.cleared(t.Elem, pos)
	case model.Record:
		for _, f := range t.Fields {
			k.cleared(f.Type, pos)
		}
	case model.Union:
		part, v := t.Part(0)
		k.fixedPoint(k.sortOf(part), v, pos)
	case model.Multiset:
	default:
		k.fixedPoint(k.sortOf(t), t.Lo, pos)
	}
}
