// Expressions. A chain of & or | becomes a balanced tree of the same operands
// in the same order: it means the same, and is not deep however long it is.

package murphi

import (
	"slices"

	"orbitmc/internal/front"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// maxArith limits the operands of one arithmetic chain, which stays leaning to
// the left.
const maxArith = 10000

// expr checks an expression; nil after an error.
func (c *checker) expr(e expr) model.Expr {
	switch e := e.(type) {
	case *pathsExpr, *chanceExpr:
		c.misplaced(e)
		return nil
	case *realLit:
		return c.realConst(rational(e.text), e.pos)
	case *numberLit:
		return &model.ConstExpr{Value: e.value, T: model.IntType, Pos: e.pos}
	case *designator:
		return c.designator(e)
	case *unaryExpr:
		return c.unary(e)
	case *binaryExpr:
		return c.chain(e)
	case *condExpr:
		return c.cond(e)
	case *quantExpr:
		return c.quantified(e)
	case *isMemberExpr:
		return c.isMember(e)
	case *countExpr:
		return c.count(e)
	case *undefinedLit:
		return c.designator(&designator{base: e.id})
	case *isUndefinedExpr:
		x := c.designator(e.x)
		if x == nil {
			return nil
		}
		if !model.Designator(x) {
			c.errorf(e.x.base.pos, "isundefined needs a variable")
			return nil
		}
		if !c.simple(x, e.x.base.pos, "the operand of isundefined") {
			return nil
		}
		return &model.IsUndefined{X: x, Pos: e.pos}
	}
	panic("murphi: unknown expression")
}

// isUndefined reports whether e is the word undefined and no name.
func (c *checker) isUndefined(e expr) bool {
	u, ok := e.(*undefinedLit)
	return ok && c.find(u.id.name) == nil
}

// typed checks an expression that must be boolean (want is BoolType) or a
// number (want is IntType).
func (c *checker) typed(e expr, want *model.Type, what string) model.Expr {
	x := c.expr(e)
	if x == nil || !c.isType(x, want, e.position(), what) {
		return nil
	}
	return x
}

func (c *checker) isType(x model.Expr, want *model.Type, pos model.Pos, what string) bool {
	t := x.Type()
	if want.Same(t) {
		return true
	}
	name := "boolean"
	if want == model.IntType {
		name = "a number"
	}
	hint := ""
	switch {
	case want == model.IntType && t.Kind == model.Scalarset:
		hint = ": values of a scalarset are compared by = and != only"
	case want == model.BoolType && t.Numeric():
		hint = ": compare it with a number"
	}
	c.errorf(pos, "%s must be %s, not of type %v%s", what, name, t, hint)
	return false
}

// simple reports unless x is of simple type.
func (c *checker) simple(x model.Expr, pos model.Pos, what string) bool {
	if x.Type().Simple() {
		return true
	}
	c.errorf(pos, "%s must be of simple type, not %v", what, x.Type())
	return false
}

// designator resolves a name or call with selectors. Without selectors a name
// may be a constant. A part of the value of a call is read from where that is
// stored.
func (c *checker) designator(d *designator) model.Expr {
	if d.call {
		x, ok := c.realCall(d)
		if !ok {
			x = c.callExpr(d)
		}
		if x == nil || d.isCall() {
			return x
		}
		a := c.store("result", &x)
		if x = c.selected(x, d.sels); x == nil {
			return nil
		}
		return inLets([]alias{a}, x)
	}
	s := c.lookup(d.base, isValue)
	switch {
	case s == nil:
		return nil
	case s.typ != nil:
		c.errorf(d.base.pos, "%s is a type", clip(d.base.name))
		return nil
	case s.value != nil:
		if len(d.sels) > 0 {
			c.errorf(d.base.pos, "%s is a constant and has no parts", clip(d.base.name))
			return nil
		}
		k := &model.ConstExpr{Value: s.value.Value, T: s.value.T, Pos: d.base.pos}
		if s.num.Const != "" && !c.sizes {
			c.sized[k] = s.num
		}
		if s.exact != nil {
			c.exact[k] = s.exact
		}
		return k
	case s.proc != nil:
		c.errorf(d.base.pos, "%s is a procedure or function and needs arguments in parentheses", clip(d.base.name))
		return nil
	case s.alias != nil:
		return c.selected(relocate(s.alias, d.base.pos), d.sels)
	case s.v == nil:
		return nil
	}
	return c.selected(&model.Ref{Var: s.v, Pos: d.base.pos}, d.sels)
}

// selected applies selectors to x.
func (c *checker) selected(x model.Expr, sels []selector) model.Expr {
	for _, sel := range sels {
		t := x.Type()
		if sel.index == nil {
			if t.Kind != model.Record {
				c.errorf(sel.pos, "type %v has no fields", t)
				return nil
			}
			i, ok := c.fields[t][sel.field]
			if !ok {
				names := lists.Map(t.Fields, func(f model.Field) string { return f.Name })
				c.errorf(sel.pos, "type %v has no field %s%s", t, clip(sel.field), front.DidYouMean(sel.field, names))
				return nil
			}
			c.noteField(t, i, sel.at)
			x = &model.FieldSel{X: x, Field: i, Pos: sel.pos}
			continue
		}
		if t.Kind != model.Array && t.Kind != model.Multiset {
			c.errorf(sel.pos, "type %v cannot be indexed", t)
			return nil
		}
		i := c.expr(sel.index)
		if i == nil {
			return nil
		}
		switch {
		case t.Index.Slots && t.Index != i.Type():
			c.errorf(sel.index.position(), "the index must name an element of this multiset type, bound by choose, multisetcount or multisetremovepred")
			return nil
		case !t.Index.Same(i.Type()) && !related(t.Index, i.Type()):
			c.errorf(sel.index.position(), "the index must be of type %v, not %v", t.Index, i.Type())
			return nil
		}
		c.fits(i, t.Index, "the access")
		x = &model.IndexSel{X: x, Index: c.convert(i, t.Index), Pos: sel.pos}
	}
	return x
}

func (c *checker) unary(e *unaryExpr) model.Expr {
	if temporalWords[e.op] || treeWords[e.op] {
		c.misplaced(e)
		return nil
	}
	if e.op == "!" {
		x := c.typed(e.x, model.BoolType, "the operand of !")
		if x == nil {
			return nil
		}
		if k, ok := x.(*model.ConstExpr); ok {
			return &model.ConstExpr{Value: 1 - k.Value, T: model.BoolType, Pos: e.pos}
		}
		return &model.Not{X: x, Pos: e.pos}
	}
	what := "the operand of a sign"
	if e.op == "~" {
		what = "the operand of ~"
	}
	x := c.expr(e.x)
	switch {
	case x == nil:
		return nil
	case isReal(x.Type()) && e.op == "-":
		return c.compute("neg", x, nil, e.pos)
	case isReal(x.Type()) && e.op == "+":
		return c.float(x)
	case !c.isType(x, model.IntType, e.x.position(), what):
		return nil
	}
	k, ok := x.(*model.ConstExpr)
	switch {
	case e.op == "~":
		if !ok || ^k.Value == model.Undef {
			return model.Complement(x, e.pos)
		}
		return &model.ConstExpr{Value: ^k.Value, T: model.IntType, Pos: e.pos}
	case e.op == "+":
		return x
	case ok:
		return &model.ConstExpr{Value: -k.Value, T: model.IntType, Pos: e.pos}
	}
	return model.Negative(x, e.pos)
}

var binaryOps = map[kind]model.Op{
	"&": model.And, "&&": model.And, "|": model.Or, "||": model.Or, "->": model.Implies,
	"=": model.Eq, "!=": model.Ne, "<": model.Lt, "<=": model.Le, ">": model.Gt, ">=": model.Ge,
	"+": model.Add, "-": model.Sub, "*": model.Mul, "/": model.Div, "%": model.Mod,
	"^": model.BitXor, "<<": model.Shl, ">>": model.Shr,
}

// chain checks first op x op x ….
func (c *checker) chain(e *binaryExpr) model.Expr {
	op := binaryOps[e.rest[0].op]
	switch {
	case temporalWords[e.rest[0].op]:
		c.misplaced(e)
		return nil
	case op == model.And || op == model.Or:
		return c.logic(e, op)
	case op == model.Eq || op == model.Ne:
		return c.equality(op, c.expr(e.first), c.expr(e.rest[0].x), e.rest[0].pos)
	}
	want := model.IntType
	if op == model.Implies {
		want = model.BoolType
	}
	return c.leftToRight(c.expr(e.first), e, want)
}

// leftToRight applies to x the operators of a chain and their right operands.
func (c *checker) leftToRight(x model.Expr, e *binaryExpr, want *model.Type) model.Expr {
	if len(e.rest) > maxArith {
		c.errorf(e.rest[maxArith].pos, "the expression has more than %d operands", maxArith)
		return nil
	}
	for _, o := range e.rest {
		op := binaryOps[o.op]
		switch {
		case want == model.IntType && op == model.And:
			op = model.BitAnd
		case want == model.IntType && op == model.Or:
			op = model.BitOr
		}
		y := c.expr(o.x)
		if x != nil && y != nil && mixes(op, x.Type(), y.Type()) {
			x = c.compute(op.String(), x, y, o.pos)
			continue
		}
		number := func(x model.Expr, pos model.Pos, side string) bool {
			return x != nil && (mixes(op, x.Type(), x.Type()) || c.isType(x, want, pos, "the "+side+" operand of "+op.String()))
		}
		left := number(x, e.first.position(), "left")
		if number(y, o.x.position(), "right") && left {
			x = c.binary(op, x, y, o.pos)
		} else {
			x = nil
		}
	}
	return x
}

// logic checks a chain of & or of |. They are bit operators if the first operand
// is a number; && and || are not.
func (c *checker) logic(e *binaryExpr, op model.Op) model.Expr {
	x := c.expr(e.first)
	if o := e.rest[0]; x != nil && x.Type().Numeric() && (o.op == "&" || o.op == "|") {
		return c.leftToRight(x, e, model.IntType)
	}
	what := "an operand of " + op.String()
	ok := x != nil && c.isType(x, model.BoolType, e.first.position(), what)
	xs, at := []model.Expr{x}, []model.Pos{{}}
	for _, o := range e.rest {
		x := c.typed(o.x, model.BoolType, what)
		ok = ok && x != nil
		xs, at = append(xs, x), append(at, o.pos)
	}
	if !ok {
		return nil
	}
	return c.balance(op, xs, at)
}

// balance joins xs by op; at[i] is where the operator before xs[i] stands.
func (c *checker) balance(op model.Op, xs []model.Expr, at []model.Pos) model.Expr {
	if len(xs) == 1 {
		return xs[0]
	}
	mid := (len(xs) + 1) / 2
	return c.binary(op, c.balance(op, xs[:mid], at[:mid]), c.balance(op, xs[mid:], at[mid:]), at[mid])
}

// equality checks x = y or x != y, of which either may be nil.
func (c *checker) equality(op model.Op, x, y model.Expr, pos model.Pos) model.Expr {
	if x == nil || y == nil {
		return nil
	}
	if mixes(op, x.Type(), y.Type()) {
		return c.compute(op.String(), x, y, pos)
	}
	if !c.assignable(x.Type(), y.Type()) || x.Type().Has(func(t *model.Type) bool { return t.Kind == model.Multiset }) {
		c.errorf(pos, "types %v and %v cannot be compared", x.Type(), y.Type())
		return nil
	}
	if x.Type().Simple() {
		x, y = c.unite(x, y)
		c.greatest(x, y.Type())
		c.greatest(y, x.Type())
		return c.binary(op, x, y, pos)
	}
	if !c.lower(x.Type(), pos) {
		return nil
	}
	around := c.fix(&x, &y)
	eq := c.equalParts(x, y, pos)
	if op == model.Ne {
		eq = &model.Not{X: eq, Pos: pos}
	}
	return inLets(around, eq)
}

func (c *checker) cond(e *condExpr) model.Expr {
	i := c.typed(e.cond, model.BoolType, "the condition of ?:")
	x, y := c.expr(e.then), c.expr(e.els)
	if i == nil || x == nil || y == nil {
		return nil
	}
	if mixes(model.Eq, x.Type(), y.Type()) {
		x, y = c.float(x), c.float(y)
	}
	if !x.Type().Same(y.Type()) && !related(x.Type(), y.Type()) {
		c.errorf(e.pos, "the branches of ?: are of types %v and %v", x.Type(), y.Type())
		return nil
	}
	if !c.simple(x, e.then.position(), "a branch of ?:") {
		return nil
	}
	x, y = c.unite(x, y)
	if k, ok := i.(*model.ConstExpr); ok {
		chosen := x
		if k.Value == 0 {
			chosen = y
		}
		if v, ok := chosen.(*model.ConstExpr); ok {
			return v
		}
	}
	return &model.Cond{If: i, Then: x, Else: y, Pos: e.pos}
}

// quantified checks forall or exists; several quantifiers nest.
func (c *checker) quantified(e *quantExpr) model.Expr {
	c.open()
	defer c.close()
	bounds, ok := c.quantifiers(e.quants)
	what := "the body of exists"
	if e.all {
		what = "the body of forall"
	}
	x := c.typed(e.body, model.BoolType, what)
	if x == nil || !ok {
		return nil
	}
	for _, b := range slices.Backward(bounds) {
		x = &model.Quant{All: e.all, Var: b.Var, Domain: b.Domain, Body: inLets(b.inner, x), Pos: e.pos}
		x = inLets(b.outer, x)
	}
	return x
}

// bound is a quantifier with the names that belong around it and in it.
type bound struct {
	*model.Param
	outer, inner []alias
}

// quantifiers checks quantifiers of a loop and declares their variables.
func (c *checker) quantifiers(qs []*quantifier) (bounds []*bound, ok bool) {
	ok = true
	for _, q := range qs {
		b := c.quantifier(q, false)
		ok = ok && b != nil
		bounds = append(bounds, b)
	}
	return bounds, ok
}

// quantifier checks a quantifier and declares its variable. Those of rulesets
// (static) need constant bounds.
func (c *checker) quantifier(q *quantifier, static bool) *bound {
	v := &model.Var{Name: q.name.name, Kind: model.BoundVar, Pos: q.name.pos}
	b := &bound{Param: &model.Param{Var: v}}
	if !c.domain(q, &b.Domain, static) {
		c.declare(q.name, &symbol{})
		return nil
	}
	v.Type = b.Domain.Type
	c.declare(q.name, &symbol{v: v})
	if d := b.Domain; c.opt.Dialect == model.Rumur && d.From != nil && d.By == nil && !ascends(d) {
		c.eitherWay(b)
	}
	return b
}

// ascends reports whether the bounds of d are constant or the first is known not to
// be greater than the second.
func ascends(d model.Domain) bool {
	k, ok := d.From.(*model.ConstExpr)
	l, ok2 := d.To.(*model.ConstExpr)
	t, u := d.From.Type(), d.To.Type()
	return ok && ok2 ||
		ok && u.Kind == model.Range && k.Value <= u.Lo ||
		ok2 && t.Kind == model.Range && t.Hi <= l.Value
}

func isConst(x model.Expr) bool {
	_, ok := x.(*model.ConstExpr)
	return ok
}

// eitherWay makes b run from one bound to the other, upwards or downwards as they
// lie, as Rumur does if there is no step and the bounds are not constant: the
// variable bound is the distance from the first bound, and the declared one a
// name for the number there.
func (c *checker) eitherWay(b *bound) {
	from, to, v := b.Domain.From, b.Domain.To, b.Var
	if !isConst(from) {
		b.outer = append(b.outer, c.store("from", &from))
	}
	if !isConst(to) {
		b.outer = append(b.outer, c.store("to", &to))
	}
	pos := v.Pos
	k := &model.Var{Name: "distance", Kind: model.BoundVar, Type: model.IntType, Pos: pos}
	op := func(op model.Op, x, y model.Expr) model.Expr { return &model.Binary{Op: op, X: x, Y: y, Pos: pos} }
	down, at := op(model.Gt, from, to), &model.Ref{Var: k, Pos: pos}
	v.Kind = model.LocalVar
	c.readOnly[v] = "a bound variable"
	b.inner = []alias{{v, &model.Cond{If: down, Then: op(model.Sub, from, at), Else: op(model.Add, from, at), Pos: pos}, pos}}
	b.Param = &model.Param{Var: k, Domain: model.Domain{
		Type: model.IntType,
		From: &model.ConstExpr{T: model.IntType, Pos: pos},
		To:   &model.Cond{If: down, Then: op(model.Sub, from, to), Else: op(model.Sub, to, from), Pos: pos},
	}}
}

// domain checks what a quantifier ranges over. A sequence of numbers whose
// bounds and step are constant gets the range it spans as its type.
func (c *checker) domain(q *quantifier, d *model.Domain, static bool) bool {
	if q.typ != nil {
		d.Type = c.typ(q.typ)
		if d.Type != nil && (!d.Type.Simple() || isReal(d.Type)) {
			c.errorf(q.typ.position(), "%s cannot range over %v", clip(q.name.name), d.Type)
			return false
		}
		return d.Type != nil
	}
	d.Type = model.IntType
	d.From = c.typed(q.from, model.IntType, "a bound")
	d.To = c.typed(q.to, model.IntType, "a bound")
	var step model.Expr = &model.ConstExpr{Value: 1, T: model.IntType}
	if q.by != nil {
		d.By = c.typed(q.by, model.IntType, "the step")
		step = d.By
	}
	if d.From == nil || d.To == nil || step == nil {
		return false
	}
	by, ok := step.(*model.ConstExpr)
	if ok && by.Value == 0 {
		c.errorf(q.by.position(), "the step is zero")
		return false
	}
	from, ok1 := d.From.(*model.ConstExpr)
	to, ok2 := d.To.(*model.ConstExpr)
	if !ok || !ok1 || !ok2 {
		if static {
			c.errorf(q.name.pos, "the bounds and the step of a ruleset must have constant values")
		}
		return !static
	}
	lo, hi := from.Value, to.Value
	if by.Value < 0 {
		lo, hi = hi, lo
	}
	if lo > hi {
		if c.opt.Dialect == model.Rumur {
			c.errorf(q.name.pos, "the loop from %d to %d steps the wrong way", from.Value, to.Value)
			return false
		}
		return true
	}
	if hi-lo+1 > 0 {
		d.Type = &model.Type{Kind: model.Range, Lo: lo, Hi: hi, Pos: q.name.pos, Leaves: 1}
	}
	return true
}
