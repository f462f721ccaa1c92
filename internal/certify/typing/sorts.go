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
func (sc *sortChecker) rules() {
	sc.types()
	for _, r := range sc.m.Rules {
		sc.part(r.Params, r.Guard, r.Body)
	}
	for _, p := range sc.m.Assumptions {
		sc.part(p.Params, p.Expr, nil)
	}
}

// part checks a rule, or an expression with parameters, and the procedures that it calls.
func (sc *sortChecker) part(params []*model.Param, cond model.Expr, body []model.Stmt) {
	for _, p := range params {
		sc.domain(p.Var, p.Domain)
		for _, e := range []model.Expr{p.Domain.From, p.Domain.To, p.Domain.By} {
			sc.inspect(e)
		}
	}
	sc.inspect(cond)
	model.Inspect(body, sc.node)
}

func (sc *sortChecker) inspect(e model.Expr) {
	if e != nil {
		model.Inspect(e, sc.node)
	}
}

// types checks that each range in the type of a variable keeps blocks whole.
func (sc *sortChecker) types() {
	seen := make(map[*model.Type]bool)
	var visit func(t *model.Type)
	visit = func(t *model.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		sc.wholeBlocks(t, t.Pos)
		visit(t.Index)
		visit(t.Elem)
		for _, p := range t.Parts {
			visit(p)
		}
		for _, f := range t.Fields {
			visit(f.Type)
		}
	}
	for _, v := range sc.m.Vars {
		visit(v.Type)
	}
}

// wholeBlocks checks that a range has all values of a block or none.
func (sc *sortChecker) wholeBlocks(t *model.Type, pos model.Pos) {
	if t.Kind == model.Range {
		sc.indistinct(sc.sortOf(t), pos, func(v int64) bool { return t.Lo <= v && v <= t.Hi })
	}
}

// indistinct checks that a condition on values of a class is the same for all values of a block.
func (sc *sortChecker) indistinct(s sort, pos model.Pos, holds func(v int64) bool) {
	if s.kind == ofUnion || sc.splits(s, holds) {
		sc.fail(pos, "values that are interchangeable are told apart")
	}
}

// fixedPoint checks that no permutation moves a value that is written out.
func (sc *sortChecker) fixedPoint(s sort, value int64, pos model.Pos) {
	if s.kind == ofUnion {
		sc.fail(pos, "a number stands for a value of a union")
	}
	if sc.splits(s, func(v int64) bool { return v == value }) {
		sc.fail(pos, "a value that moves is written out")
	}
}

// splits reports whether a condition on values of a class holds for some values of a block only.
func (sc *sortChecker) splits(s sort, holds func(v int64) bool) bool {
	if s.kind != ofClass {
		return false
	}
	first := sc.m.Scalarsets[s.class].First
	ofBlock := make(map[int]bool) // whether it holds for the values of a block
	for v, b := range sc.blockOf[s.class] {
		h := holds(first + int64(v))
		if before, met := ofBlock[b]; met && before != h {
			return true
		}
		ofBlock[b] = h
	}
	return false
}

// match checks that e may stand where values of sort want do.
func (sc *sortChecker) match(want sort, e model.Expr) {
	switch e := e.(type) {
	case *model.ConstExpr:
		sc.fixedPoint(want, e.Value, e.Pos)
	case *model.Cond:
		sc.match(want, e.Then)
		sc.match(want, e.Else)
	case *model.Let:
		sc.match(want, e.Body)
	}
	if got := sc.of(e); want.kind != literal && got.kind != literal && want != got {
		sc.fail(e.Position(), "`%s` is of another sort than what it is used for", model.Text(e))
	}
}

// equal checks that two values may be compared.
func (sc *sortChecker) equal(x, y model.Expr) {
	sc.match(sc.of(x), y)
	sc.match(sc.of(y), x)
}

// flow checks that a value, or a whole, of e may go to a place of type t.
func (sc *sortChecker) flow(t *model.Type, e model.Expr) {
	if t.Simple() {
		sc.wholeBlocks(t, e.Position())
		sc.match(sc.sortOf(t), e)
		return
	}
	sc.sameShape(t, e.Type(), e.Position())
}

// sameShape checks that all leaves of two types have the same sorts.
func (sc *sortChecker) sameShape(t, u *model.Type, pos model.Pos) {
	if t == u {
		return
	}
	switch {
	case t.Kind != u.Kind || len(t.Fields) != len(u.Fields) || t.Kind == model.Multiset:
		sc.fail(pos, "%v and %v differ", t, u)
	case t.Simple():
		if sc.sortOf(t) != sc.sortOf(u) {
			sc.fail(pos, "%v and %v differ", t, u)
		}
	case t.Kind == model.Array:
		sc.sameShape(t.Index, u.Index, pos)
		sc.sameShape(t.Elem, u.Elem, pos)
	}
	for i := range min(len(t.Fields), len(u.Fields)) {
		sc.sameShape(t.Fields[i].Type, u.Fields[i].Type, pos)
	}
}

// domain checks that a bound variable runs over whole blocks.
func (sc *sortChecker) domain(v *model.Var, d model.Domain) {
	s := sc.sortOf(v.Type)
	if d.From == nil {
		if sc.sortOf(d.Type) != s {
			sc.fail(v.Pos, "%s is of another sort than its values", v.Name)
		}
		sc.wholeBlocks(d.Type, v.Pos)
		return
	}
	fixed := true
	for _, e := range []model.Expr{d.From, d.To, d.By} {
		if e != nil {
			sc.number(e)
			_, ok := e.(*model.ConstExpr)
			fixed = fixed && ok
		}
	}
	if s.kind == unmoved {
		return
	}
	if !fixed {
		sc.fail(v.Pos, "the bounds of %s vary", v.Name)
		return
	}
	values := d.Values()
	sc.indistinct(s, v.Pos, func(v int64) bool { return slices.Contains(values, v) })
}

// number checks that no permutation moves the value of e.
func (sc *sortChecker) number(e model.Expr) {
	if !sc.of(e).number() {
		sc.fail(e.Position(), "`%s` is used as a number", model.Text(e))
	}
}

// call checks arguments, and the procedure at its first call.
func (sc *sortChecker) call(p *model.Proc, args []model.Expr) {
	for i, f := range p.Params {
		sc.flow(f.Var.Type, args[i])
	}
	if sc.checked[p] {
		return
	}
	sc.checked[p] = true
	model.Inspect(p.Body, func(n any) {
		if r, ok := n.(*model.Return); ok && r.X != nil {
			sc.flow(p.Result, r.X)
		}
		sc.node(n)
	})
}

// of returns the sort of an expression.
func (sc *sortChecker) of(e model.Expr) sort {
	switch e := e.(type) {
	case *model.ConstExpr:
		if sc.sortOf(e.T).kind == unmoved && e.T.Numeric() {
			return sort{kind: literal}
		}
	case *model.Cond:
		x, y := sc.of(e.Then), sc.of(e.Else)
		if x.kind == literal || x.kind == unmoved && y.kind != literal {
			return y
		}
		return x
	case *model.Let:
		return sc.of(e.Body)
	case *model.Not, *model.Binary, *model.Quant, *model.IsUndefined, *model.Present, *model.IsMember, *model.RealExpr:
		return sort{}
	}
	return sc.sortOf(e.Type())
}

// node checks an expression or a statement by itself.
func (sc *sortChecker) node(n any) {
	switch n := n.(type) {
	case *model.ConstExpr:
		sc.fixedPoint(sc.sortOf(n.T), n.Value, n.Pos)
	case *model.IndexSel:
		if t := n.X.Type(); t.Kind == model.Array {
			sc.flow(t.Index, n.Index)
		}
	case *model.Binary:
		sc.binary(n)
	case *model.RealExpr:
		model.Children(n, sc.number, nil)
	case *model.Cond:
		sc.match(sc.of(n), n)
	case *model.Quant:
		sc.domain(n.Var, n.Domain)
	case *model.For:
		sc.domain(n.Var, n.Domain)
	case *model.Convert:
		sc.convert(n)
	case *model.CallExpr, *model.Call:
		sc.call(model.Called(n))
	case *model.Let, *model.Alias:
		v, x := model.Named(n)
		sc.flow(v.Type, x)
	case *model.Assign:
		sc.flow(n.LHS.Type(), n.RHS)
	case *model.Insert:
		sc.flow(n.Set.Type().Elem, n.X)
	case *model.Reset:
		if n.Least {
			sc.cleared(n.X.Type(), n.Pos)
		}
	}
}

// convert checks a conversion between numbers, or between a union and one of its parts.
func (sc *sortChecker) convert(e *model.Convert) {
	from, to := e.X.Type(), e.To
	if sc.of(e.X).number() && sc.sortOf(to).kind == unmoved && from.Numeric() && to.Numeric() {
		return
	}
	if from.Kind != model.Union {
		from, to = to, from
	}
	if from != to && !slices.Contains(from.Parts, to) {
		sc.fail(e.Pos, "a conversion between %v and %v", e.X.Type(), e.To)
	}
}

func (sc *sortChecker) binary(e *model.Binary) {
	switch {
	case e.Op <= model.Implies:
	case e.Op <= model.Ne:
		sc.equal(e.X, e.Y)
	case e.Op < model.Add:
		sc.inequality(e)
	default:
		sc.number(e.X)
		sc.number(e.Y)
	}
}

// inequality checks <, <=, > and >=: between numbers, or of a value of a class with a constant that
// does not split a block.
func (sc *sortChecker) inequality(e *model.Binary) {
	x, op := e.X, e.Op
	c, ok := e.Y.(*model.ConstExpr)
	if !ok {
		x, op = e.Y, op.Mirror()
		c, ok = e.X.(*model.ConstExpr)
	}
	if !ok {
		sc.number(e.X)
		sc.number(e.Y)
		return
	}
	sc.indistinct(sc.of(x), e.Pos, func(v int64) bool { return model.Compare(op, v, c.Value) })
}

// cleared checks that no permutation moves the least values of the leaves of t, which clear writes.
func (sc *sortChecker) cleared(t *model.Type, pos model.Pos) {
	unfold(t, 0, func(t *model.Type, _ int) bool {
		switch {
		case t.Kind == model.Union:
			part, v := t.Part(0)
			sc.fixedPoint(sc.sortOf(part), v, pos)
		case t.Simple():
			sc.fixedPoint(sc.sortOf(t), t.Lo, pos)
		}
		return t.Kind != model.Multiset
	})
}
