package typing

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
		k.part(r.Params, r.Guard, r.Body)
	}
	for _, p := range k.m.Assumptions {
		k.part(p.Params, p.Expr, nil)
	}
}

// part checks a rule, or an expression with parameters, and the procedures that it calls.
func (k *sortChecker) part(params []*model.Param, cond model.Expr, body []model.Stmt) {
	for _, p := range params {
		k.domain(p.Var, p.Domain)
		for _, e := range []model.Expr{p.Domain.From, p.Domain.To, p.Domain.By} {
			k.inspect(e)
		}
	}
	k.inspect(cond)
	model.Inspect(body, k.node)
}

func (k *sortChecker) inspect(e model.Expr) {
	if e != nil {
		model.Inspect(e, k.node)
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
	if s.kind == ofUnion || k.splits(s, holds) {
		k.fail(pos, "values that are interchangeable are told apart")
	}
}

// fixedPoint checks that no permutation moves a value that is written out.
func (k *sortChecker) fixedPoint(s sort, value int64, pos model.Pos) {
	if s.kind == ofUnion {
		k.fail(pos, "a number stands for a value of a union")
	}
	if k.splits(s, func(v int64) bool { return v == value }) {
		k.fail(pos, "a value that moves is written out")
	}
}

// splits reports whether a condition on values of a class holds for some values of a block only.
func (k *sortChecker) splits(s sort, holds func(v int64) bool) bool {
	if s.kind != ofClass {
		return false
	}
	first := k.m.Scalarsets[s.class].First
	ofBlock := make(map[int]bool) // whether it holds for the values of a block
	for v, b := range k.blockOf[s.class] {
		h := holds(first + int64(v))
		if before, met := ofBlock[b]; met && before != h {
			return true
		}
		ofBlock[b] = h
	}
	return false
}

// match checks that e may stand where values of sort want do.
func (k *sortChecker) match(want sort, e model.Expr) {
	switch e := e.(type) {
	case *model.ConstExpr:
		k.fixedPoint(want, e.Value, e.Pos)
	case *model.Cond:
		k.match(want, e.Then)
		k.match(want, e.Else)
	case *model.Let:
		k.match(want, e.Body)
	}
	if got := k.of(e); want.kind != literal && got.kind != literal && want != got {
		k.fail(e.Position(), "`%s` is of another sort than what it is used for", model.Text(e))
	}
}

// equal checks that two values may be compared.
func (k *sortChecker) equal(x, y model.Expr) {
	k.match(k.of(x), y)
	k.match(k.of(y), x)
}

// flow checks that a value, or a whole, of e may go to a place of type t.
func (k *sortChecker) flow(t *model.Type, e model.Expr) {
	if t.Simple() {
		k.wholeBlocks(t, e.Position())
		k.match(k.sortOf(t), e)
		return
	}
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
	if !k.of(e).number() {
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
		k.node(n)
	})
}

// of returns the sort of an expression.
func (k *sortChecker) of(e model.Expr) sort {
	switch e := e.(type) {
	case *model.ConstExpr:
		if k.sortOf(e.T).kind == unmoved && e.T.Numeric() {
			return sort{kind: literal}
		}
	case *model.Cond:
		x, y := k.of(e.Then), k.of(e.Else)
		if x.kind == literal || x.kind == unmoved && y.kind != literal {
			return y
		}
		return x
	case *model.Let:
		return k.of(e.Body)
	case *model.Unary, *model.Binary, *model.Quant, *model.Count, *model.IsUndefined, *model.Present, *model.IsMember:
		return sort{}
	}
	return k.sortOf(e.Type())
}

// node checks an expression or a statement by itself.
func (k *sortChecker) node(n any) {
	switch n := n.(type) {
	case *model.ConstExpr:
		k.fixedPoint(k.sortOf(n.T), n.Value, n.Pos)
	case *model.IndexSel:
		if t := n.X.Type(); t.Kind == model.Array {
			k.flow(t.Index, n.Index)
		}
	case *model.Unary:
		k.number(n.X)
	case *model.Binary:
		k.binary(n)
	case *model.Cond:
		k.match(k.of(n), n)
	case *model.Quant:
		k.domain(n.Var, n.Domain)
	case *model.Count:
		k.domain(n.Var, n.Domain)
	case *model.For:
		k.domain(n.Var, n.Domain)
	case *model.Convert:
		k.convert(n)
	case *model.CallExpr, *model.Call:
		k.call(model.Called(n))
	case *model.Let, *model.Alias:
		v, x := model.Named(n)
		k.flow(v.Type, x)
	case *model.Assign:
		k.flow(n.LHS.Type(), n.RHS)
	case *model.Insert:
		k.flow(n.Set.Type().Elem, n.X)
	case *model.Switch:
		for _, c := range n.Cases {
			for _, v := range c.Values {
				k.equal(n.X, v)
			}
		}
	case *model.Clear:
		k.cleared(n.X.Type(), n.Pos)
	}
}

// convert checks a conversion between numbers, or between a union and one of its parts.
func (k *sortChecker) convert(e *model.Convert) {
	from, to := e.X.Type(), e.To
	if k.of(e.X).number() && k.sortOf(to).kind == unmoved && from.Numeric() && to.Numeric() {
		return
	}
	if from.Kind != model.Union {
		from, to = to, from
	}
	if from != to && !slices.Contains(from.Parts, to) {
		k.fail(e.Pos, "a conversion between %v and %v", e.X.Type(), e.To)
	}
}

func (k *sortChecker) binary(e *model.Binary) {
	switch {
	case e.Op <= model.Implies:
	case e.Op <= model.Ne:
		k.equal(e.X, e.Y)
	case e.Op < model.Add:
		k.inequality(e)
	default:
		k.number(e.X)
		k.number(e.Y)
	}
}

// inequality checks <, <=, > and >=: between numbers, or of a value of a class with a constant that
// does not split a block.
func (k *sortChecker) inequality(e *model.Binary) {
	x, op := e.X, e.Op
	c, ok := e.Y.(*model.ConstExpr)
	if !ok {
		x, op = e.Y, op.Mirror()
		c, ok = e.X.(*model.ConstExpr)
	}
	if !ok {
		k.number(e.X)
		k.number(e.Y)
		return
	}
	k.indistinct(k.of(x), e.Pos, func(v int64) bool { return model.Compare(op, v, c.Value) })
}

// cleared checks that no permutation moves the least values of the leaves of t, which clear writes.
func (k *sortChecker) cleared(t *model.Type, pos model.Pos) {
	unfold(t, 0, func(t *model.Type, _ int) bool {
		switch {
		case t.Kind == model.Union:
			part, v := t.Part(0)
			k.fixedPoint(k.sortOf(part), v, pos)
		case t.Simple():
			k.fixedPoint(k.sortOf(t), t.Lo, pos)
		}
		return t.Kind != model.Multiset
	})
}
