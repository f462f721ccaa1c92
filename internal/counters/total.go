package counters

import (
	"math"
	"slices"

	"orbitmc/model"
)

// This file tells which expressions never err. A quantifier stops at the first value that decides,
// and components have no order in the new model: so if a value errs and another one decides, what
// happens would depend on the order. If no value errs, it does not.

// mustBeTotal refuses an expression over components that may err.
func (t *translator) mustBeTotal(x model.Expr, e *env, what string) {
	if bad := t.partialAt(x, e); bad != nil && !t.variant.partial {
		t.fail(bad.Position(), "%s may err, as %s may: what happens then depends on the order of components", what, model.Text(bad))
	}
}

func (t *translator) total(x model.Expr, e *env) bool { return t.partialAt(x, e) == nil }

// partialAt returns a part of x that may err, or x itself; nil: x never does. Variables that the
// environment does not know are bound in x.
func (t *translator) partialAt(x model.Expr, e *env) model.Expr {
	first := func(xs ...model.Expr) model.Expr {
		for _, y := range xs {
			if bad := t.partialAt(y, e); bad != nil {
				return bad
			}
		}
		return nil
	}
	switch x := x.(type) {
	case *model.ConstExpr:
		return nil
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		y := t.expand(x, e)
		if t.undefinedAt(y) {
			return x
		}
		return t.place1(y, e)
	case *model.IsUndefined:
		return t.place1(t.expand(x.X, e), e)
	case *model.IsMember:
		return t.operand(x.X, e)
	case *model.Not:
		return first(x.X)
	case *model.Binary:
		switch x.Op {
		case model.Eq, model.Ne:
			if bad := t.operand(x.X, e); bad != nil {
				return bad
			}
			return t.operand(x.Y, e)
		case model.Div, model.Mod:
			if c, ok := x.Y.(*model.ConstExpr); !ok || c.Value == 0 {
				return x
			}
			return first(x.X)
		case model.Shl, model.Shr:
			return x
		case model.Add, model.Sub, model.Mul, model.BitAnd, model.BitOr, model.BitXor:
			if _, _, ok := bounds(x); !ok {
				return x
			}
		}
		return first(x.X, x.Y)
	case *model.Cond:
		return first(x.If, x.Then, x.Else)
	case *model.Quant:
		if !x.Domain.Constant() {
			return x
		}
		return first(x.Body)
	case *model.Convert:
		if x.To.Kind == model.Union && slices.Contains(x.To.Parts, x.X.Type()) {
			return first(x.X)
		}
	}
	return x
}

// operand is partialAt for an operand of a comparison, which under CMurphi may be undefined.
func (t *translator) operand(x model.Expr, e *env) model.Expr {
	if model.Designator(x) && t.Concrete.Dialect.TestsUndefined(x) {
		return t.place1(t.expand(x, e), e)
	}
	return t.partialAt(x, e)
}

// place1 is partialAt for the indices of a designator.
func (t *translator) place1(x model.Expr, e *env) model.Expr {
	switch x := x.(type) {
	case *model.FieldSel:
		return t.place1(x.X, e)
	case *model.IndexSel:
		if x.X.Type().Kind == model.Multiset {
			return x
		}
		if bad := t.place1(x.X, e); bad != nil {
			return bad
		}
		if t.isC(x.X.Type().Index) {
			return nil // object sees to that
		}
		if !within(x.Index, x.X.Type().Index) {
			return x
		}
		return t.partialAt(x.Index, e)
	}
	return nil
}

// undefinedAt reports whether a designator, with names expanded, may be undefined.
func (t *translator) undefinedAt(x model.Expr) bool {
	if r, ok := x.(*model.Ref); ok && r.Var.Kind == model.BoundVar {
		return false
	}
	path := pathTo(x)
	return path == "" || t.may(path)
}

// within reports whether an index is of the index type, by its type.
func within(x model.Expr, u *model.Type) bool {
	if u.Numeric() {
		lo, hi, ok := bounds(x)
		return ok && u.Lo <= lo && hi <= u.Hi
	}
	return x.Type() == u
}

// small bounds values that are computed with.
const small = math.MaxInt32

// bounds returns what the values of a number are between.
func bounds(x model.Expr) (lo, hi int64, ok bool) {
	switch x := x.(type) {
	case *model.ConstExpr:
		return x.Value, x.Value, true
	case *model.Quant:
		return 0, small, x.Counts
	case *model.Cond:
		a, b, ok1 := bounds(x.Then)
		c, d, ok2 := bounds(x.Else)
		return min(a, c), max(b, d), ok1 && ok2
	case *model.Binary:
		a, b, ok1 := bounds(x.X)
		c, d, ok2 := bounds(x.Y)
		if !ok1 || !ok2 || a < -small || b > small || c < -small || d > small {
			return 0, 0, false
		}
		switch x.Op {
		case model.Add:
			return a + c, b + d, true
		case model.Sub:
			return a - d, b - c, true
		case model.Mul:
			return min(a*c, a*d, b*c, b*d), max(a*c, a*d, b*c, b*d), true
		case model.Mod, model.Div:
			return min(a, -b, 0), max(b, -a, 0), true
		case model.BitAnd, model.BitOr, model.BitXor:
			if a < 0 || c < 0 {
				return -small - 1, small, true
			}
			return 0, 2*max(b, d) + 1, true
		}
		return 0, 0, false
	}
	if u := x.Type(); u.Kind == model.Range && u.Lo >= -small && u.Hi <= small && model.Designator(x) {
		if r, ok := x.(*model.Ref); !ok || r.Var.Kind != model.LocalVar {
			return u.Lo, u.Hi, true
		}
	}
	return 0, 0, false
}
