// Real numbers. Expressions with a real operand are computed in floating point, and rounded where they are stored
// (model.RealExpr). Constants are folded exactly.
//
// The value of a guard may be a real number, the probability of the rule instance, as in CMurphi. It is exact: its
// expression is made into two of integers, numerator and denominator; a variable is the decimal number that it holds. A
// function with a real result that uses neither real variables nor functions of real numbers is exact there, too: it has
// two halves. Elsewhere, and of any other function, the result is rounded to the digits of its type, as by CMurphi.
//
// The guard of the rule becomes numerator != 0, or also denominator = 0: then the division by zero is found where the
// instance is weighed. With Options.Weights, each instance begins with storing both numbers in two variables in front of
// all others. So whoever fires an instance learns its probability, and whatever is shown of the rules of such a model, as
// that they are symmetric, is shown of the probabilities.

package murphi

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"orbitmc/internal/front"
	"orbitmc/model"
)

// halves takes out of a message which half of an exact function it is about.
var halves = strings.NewReplacer("@num", "", "@den", "")

// realType checks a type of real numbers; the bounds are those of CMurphi.
func (c *checker) realType(t *realType) *model.Type {
	part := func(e expr, what string, lo, hi int64) int {
		k := c.constNumber(e, what)
		if k != nil && (k.Value < lo || k.Value > hi) {
			c.errorf(e.position(), "%s must be in %d..%d, not %d", what, lo, hi, k.Value)
			k = nil
		}
		if k == nil {
			return 0
		}
		return int(k.Value)
	}
	digits, exponent := part(t.digits, "the number of digits", 1, 15), part(t.exponent, "the greatest exponent", 10, 308)
	if digits == 0 || exponent == 0 {
		return nil
	}
	return model.NewReal(digits, exponent)
}

func isReal(t *model.Type) bool { return t.Kind == model.Real }

// realConst makes a constant.
func (c *checker) realConst(r *big.Rat, pos model.Pos) model.Expr {
	x, _ := r.Float64()
	if math.IsInf(x, 0) {
		c.errorf(pos, "the number is too large")
		return nil
	}
	k := &model.ConstExpr{Value: model.RealBits(x), T: model.RealType, Pos: pos}
	c.exact[k] = r
	return k
}

// float makes x, a number, one that is computed with in floating point.
func (c *checker) float(x model.Expr) model.Expr {
	k, ok := x.(*model.ConstExpr)
	switch {
	case x.Type() == model.RealType:
		return x
	case isReal(x.Type()):
		return &model.RealExpr{Op: "decimal", X: x, Pos: x.Position()}
	case ok:
		return c.realConst(new(big.Rat).SetInt64(k.Value), k.Pos)
	}
	return &model.RealExpr{Op: "integer", X: x, Pos: x.Position()}
}

// round makes x a value of a type with digits.
func (c *checker) round(x model.Expr, t *model.Type) model.Expr {
	e := &model.RealExpr{Op: "round", X: c.float(x), T: t, Pos: x.Position()}
	if k, ok := e.X.(*model.ConstExpr); ok {
		if v, wrong := t.Nearest(model.RealOf(k.Value)); wrong == "" {
			return &model.ConstExpr{Value: v, T: t, Pos: k.Pos}
		}
	}
	return e
}

// copyReal returns statements for x := y, where y is a place. Under CMurphi an undefined variable, but no part of one, is copied.
func (c *checker) copyReal(x, y model.Expr, pos model.Pos) []model.Stmt {
	r, ok := y.(*model.Ref)
	part := ok && c.elements[r.Var]
	if x.Type().Same(y.Type()) && !part {
		return []model.Stmt{&model.Assign{LHS: x, RHS: y, Pos: pos}}
	}
	copy := []model.Stmt{&model.Assign{LHS: x, RHS: c.convert(y, x.Type()), Pos: pos}}
	if !ok || part || c.opt.Dialect != model.CMurphi {
		return copy
	}
	undefined := model.Clause{Cond: &model.IsUndefined{X: y, Pos: pos}, Body: []model.Stmt{&model.Reset{X: fresh(x), Pos: pos}}}
	return []model.Stmt{&model.If{Clauses: []model.Clause{undefined}, Else: copy, Pos: pos}}
}

// compute makes x op y; y may be nil.
func (c *checker) compute(op string, x, y model.Expr, pos model.Pos) model.Expr {
	e := &model.RealExpr{Op: op, X: c.float(x), Pos: pos}
	if y != nil {
		e.Y = c.float(y)
	}
	k, ok := e.X.(*model.ConstExpr)
	l, ok2 := e.Y.(*model.ConstExpr)
	if !ok || !ok2 && y != nil || e.Type() != model.RealType {
		return e
	}
	a, b, r := c.exact[k], c.exact[l], new(big.Rat)
	switch {
	case a != nil && op == "neg":
		return c.realConst(r.Neg(a), k.Pos)
	case a == nil || b == nil:
	case op == "+":
		return c.realConst(r.Add(a, b), k.Pos)
	case op == "-":
		return c.realConst(r.Sub(a, b), k.Pos)
	case op == "*":
		return c.realConst(r.Mul(a, b), k.Pos)
	case op == "/" && b.Sign() != 0:
		return c.realConst(r.Quo(a, b), k.Pos)
	}
	z := 0.0
	if l != nil {
		z = model.RealOf(l.Value)
	}
	z = model.RealCompute(op, model.RealOf(k.Value), z)
	if math.IsNaN(z) || math.IsInf(z, 0) {
		return e // it is an error where it is stored
	}
	return &model.ConstExpr{Value: model.RealBits(z), T: model.RealType, Pos: pos}
}

// mixes reports whether x op y is one of real numbers.
func mixes(op model.Op, x, y *model.Type) bool {
	ok := func(t *model.Type) bool { return t.Numeric() || isReal(t) }
	return (isReal(x) || isReal(y)) && ok(x) && ok(y) && op >= model.Eq && op <= model.Div
}

// realCall checks the call of a function of real numbers; ok is false if d is another call.
func (c *checker) realCall(d *designator) (x model.Expr, ok bool) {
	name := d.base.name
	if c.rational[name] {
		x := c.callExpr(d)
		if x != nil && (c.half != "" || c.pure == guardText) { // fraction may ask for the halves
			num, den := *d, *d
			num.base.name += "@num"
			den.base.name += "@den"
			c.halves[x] = [2]model.Expr{c.callExpr(&num), c.callExpr(&den)}
		}
		return x, true
	}
	n := model.RealFunctions[name]
	if n == 0 || c.find(name) != nil {
		return nil, false
	}
	if c.note != nil {
		c.note(front.Name{Text: name, At: front.Place{Pos: d.base.pos}, Kind: front.Func, Holds: c.holds(nil),
			About: func() string { return "function " + name + ", of real numbers" }})
	}
	if len(d.args) != n {
		c.errorf(d.base.pos, "%s has %d parameters, not %d", name, n, len(d.args))
		return nil, true
	}
	args := []model.Expr{nil, nil}
	for i, a := range d.args {
		if args[i] = c.expr(a); args[i] == nil {
			return nil, true
		}
		if t := args[i].Type(); !isReal(t) && !c.isType(args[i], model.IntType, a.position(), "the argument of "+name) {
			return nil, true
		}
	}
	return c.compute(name, args[0], args[1], d.base.pos), true
}

// mostWeight is the largest numerator and denominator.
const mostWeight = 1<<62 - 1

func weightType(pos model.Pos) typeExpr {
	literal := func(v int64) expr { return &numberLit{v, strconv.FormatInt(v, 10), pos} }
	return &rangeType{literal(-mostWeight), literal(mostWeight), pos}
}

// function checks a procedure or function, and both halves of an exact one, unless its numbers are too large for them.
func (c *checker) function(d *procDecl) {
	exact := d.result != nil && c.holdsReal(d.result) && !c.floating(d)
	errs := len(c.errs)
	c.procDecl(d)
	if !exact || len(c.errs) > errs || !isReal(c.m.Procs[len(c.m.Procs)-1].Result) {
		return
	}
	procs, note := len(c.m.Procs), c.note
	c.note = nil
	for _, c.half = range []string{"@num", "@den"} {
		f := *d
		f.name.name += c.half
		f.result = weightType(d.pos)
		c.procDecl(&f)
	}
	c.half, c.note = "", note
	if c.rational[d.name.name] = len(c.errs) == errs; len(c.errs) > errs {
		c.errs, c.m.Procs = c.errs[:errs], c.m.Procs[:procs]
	}
}

// floating reports whether a function has variables of real numbers, or uses any, or functions of such.
func (c *checker) floating(d *procDecl) bool {
	has := func(t *model.Type) bool { return t != nil && t.Has(isReal) }
	return slices.ContainsFunc(d.params, func(f *formalParam) bool { return c.holdsReal(f.typ) }) ||
		slices.ContainsFunc(d.decls, func(n node) bool { v, ok := n.(*varDecl); return ok && c.holdsReal(v.typ) }) ||
		slices.ContainsFunc(d.uses, func(u *designator) bool {
			switch s := c.find(u.base.name); {
			case u.call && u.base.name == d.name.name:
				return true
			case s == nil:
				return u.call && model.RealFunctions[u.base.name] > 0
			case s.v != nil:
				return has(s.v.Type)
			default:
				return s.proc != nil && has(s.proc.Result) && !c.rational[u.base.name]
			}
		})
}

// holdsReal reports whether a type is one of real numbers, or has parts that are.
func (c *checker) holdsReal(t typeExpr) bool {
	switch t := t.(type) {
	case *realType:
		return true
	case *nameType:
		s := c.find(t.id.name)
		return s != nil && s.typ != nil && s.typ.Has(isReal)
	case *arrayType:
		return c.holdsReal(t.elem)
	case *multisetType:
		return c.holdsReal(t.elem)
	case *recordType:
		return slices.ContainsFunc(t.fields, func(f *varDecl) bool { return c.holdsReal(f.typ) })
	}
	return false
}

// fraction makes two expressions of a real one, numerator and denominator; nil after an error.
func (c *checker) fraction(x model.Expr) (num, den model.Expr) {
	pos := x.Position()
	number := func(v int64) model.Expr { return &model.ConstExpr{Value: v, T: model.IntType, Pos: pos} }
	switch e := x.(type) {
	case *model.ConstExpr:
		r := c.exact[e]
		if r == nil || !r.Num().IsInt64() || !r.Denom().IsInt64() {
			c.errorf(pos, "the numerator or the denominator of this number does not fit in 64 bits")
			return nil, nil
		}
		return number(r.Num().Int64()), number(r.Denom().Int64())
	case *model.Cond:
		xn, xd := c.fraction(e.Then)
		yn, yd := c.fraction(e.Else)
		if xn == nil || yn == nil {
			return nil, nil
		}
		if den = xd; !same(xd, yd) {
			den = &model.Cond{If: fresh(e.If), Then: xd, Else: yd, Pos: pos}
		}
		return &model.Cond{If: e.If, Then: xn, Else: yn, Pos: pos}, den
	case *model.RealExpr:
		switch e.Op {
		case "integer":
			return e.X, number(1)
		case "decimal":
			if h, ok := c.halves[e.X]; ok && h[0] != nil && h[1] != nil {
				return c.combined(&model.RealExpr{Op: "/", X: c.float(h[0]), Y: c.float(h[1]), Pos: pos}, number)
			}
			return &model.RealExpr{Op: "numerator", X: e.X, Pos: pos}, &model.RealExpr{Op: "denominator", X: fresh(e.X), Pos: pos}
		case "neg", "+", "-", "*", "/":
			return c.combined(e, number)
		}
	}
	c.errorf(pos, "a probability is made of numbers and variables by + - * / and ?: alone: let a function of a real type return the value of this")
	return nil, nil
}

// combined is fraction for arithmetic.
func (c *checker) combined(e *model.RealExpr, number func(int64) model.Expr) (num, den model.Expr) {
	times := func(x, y model.Expr) model.Expr {
		switch {
		case same(x, number(1)):
			return y
		case same(y, number(1)):
			return x
		}
		return c.binary(model.Mul, fresh(x), fresh(y), e.Pos)
	}
	xn, xd := c.fraction(e.X)
	if xn == nil {
		return nil, nil
	}
	if e.Op == "neg" {
		return times(number(-1), xn), xd
	}
	yn, yd := c.fraction(e.Y)
	if yn == nil {
		return nil, nil
	}
	switch e.Op {
	case "*":
		return times(xn, yn), times(xd, yd)
	case "/":
		if mayBeZero(yd) { // a zero there is one of the denominator
			xn, xd = times(xn, yd), times(xd, yd)
		}
		return times(xn, yd), times(xd, yn)
	}
	if !same(xd, yd) {
		xn, yn, xd = times(xn, yd), times(yn, xd), times(xd, yd)
	}
	op := model.Add
	if e.Op == "-" {
		op = model.Sub
	}
	return c.binary(op, xn, yn, e.Pos), xd
}

// mayBeZero reports whether a denominator may be 0.
func mayBeZero(den model.Expr) bool {
	r, of := den.(*model.RealExpr)
	return !isConst(den) && !(of && r.Op == "denominator")
}

// same reports whether both are the same constant.
func same(x, y model.Expr) bool {
	k, ok := x.(*model.ConstExpr)
	l, ok2 := y.(*model.ConstExpr)
	return ok && ok2 && k.Value == l.Value
}

// fresh returns a copy of an expression.
func fresh(e model.Expr) model.Expr { return model.MapExpr(e, fresh) }

// ghosts declares the variables of Options.Weights.
func (c *checker) ghosts() {
	pos := model.Pos{Line: 1, Col: 1}
	for i := range c.weights {
		c.decl(&varDecl{[]ident{{"chance@" + strconv.Itoa(i), pos}}, weightType(pos)})
		c.weights[i] = c.m.Vars[i]
	}
}

// likelyGuard makes the guard of a rule of its probability x.
func (c *checker) likelyGuard(x model.Expr) model.Expr {
	num, den := c.fraction(x)
	if num == nil {
		return nil
	}
	zero := &model.ConstExpr{T: model.IntType, Pos: x.Position()}
	g := c.binary(model.Ne, num, zero, zero.Pos)
	if mayBeZero(den) {
		g = c.binary(model.Or, g, c.binary(model.Eq, den, zero, zero.Pos), zero.Pos)
	}
	return g
}

// weigh checks what makes a rule probabilistic. It returns the statements that store the probability.
func (c *checker) weigh(n *ruleNode, r *model.Rule, probable bool) (list []model.Stmt) {
	if !probable {
		if !n.start && c.drawn != nil {
			c.errorf(n.pos, "a rule in a distribution has a real number as its guard")
		}
		return nil
	}
	if n.priority != nil {
		c.errorf(n.pos, "a probabilistic rule has no priority")
	}
	for _, w := range c.around {
		if w.slot != nil {
			c.errorf(n.pos, "a probabilistic rule cannot stand in a choose")
		}
	}
	if r.Draw = c.drawn; r.Draw == nil {
		r.Draw = &model.Draw{Stored: c.opt.Weights}
	}
	if !c.opt.Weights {
		return nil
	}
	outer := c.pure
	c.pure = guardText
	x := c.expr(n.guard)
	c.pure = outer
	if x == nil {
		return nil
	}
	num, den := c.fraction(c.float(x))
	for i, y := range []model.Expr{num, den} {
		list = append(list, &model.Assign{LHS: &model.Ref{Var: c.weights[i], Pos: n.pos}, RHS: y, Pos: n.pos})
	}
	return list
}

// distribution checks the rules in a distribution.
func (c *checker) distribution(n *distributionNode) {
	if c.drawn != nil {
		c.errorf(n.pos, "a distribution cannot stand in another one")
	}
	c.draws++
	c.drawn = &model.Draw{Group: c.draws, Params: len(c.params), Stored: c.opt.Weights}
	for _, k := range n.rules {
		c.rule(k)
	}
	c.drawn = nil
}
