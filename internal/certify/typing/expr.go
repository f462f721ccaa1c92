package typing

import "orbitmc/model"

// This file evaluates expressions.

func truth(b bool) cell {
	if b {
		return cell{known: true, value: 1}
	}
	return cell{known: true}
}

// eval evaluates an expression of simple type. raw says that its value may be undefined without an error.
func (in *interpreter) eval(e model.Expr, raw bool) cell {
	if in.steps++; in.steps > mostSteps {
		in.fail(e.Position(), "there is too much to run")
	}
	if in.err != nil {
		return cell{}
	}
	switch e := e.(type) {
	case *model.ConstExpr:
		return cell{known: true, value: e.Value}
	case *model.Ref:
		if b := in.env[e.Var]; b != nil && b.place == nil {
			return b.value
		}
		return in.load(in.region(e), raw)
	case *model.FieldSel, *model.IndexSel:
		return in.load(in.region(e), raw)
	case *model.Not:
		if c := in.eval(e.X, false); c.known {
			return truth(c.value == 0)
		}
		return cell{}
	case *model.Binary:
		return in.binary(e)
	case *model.Cond:
		return in.cond(e, raw)
	case *model.Quant:
		var stops any = e
		if e.Counts {
			stops = nil
			if test, ok := in.asValueTest(e.Var, e.Body); ok {
				if _, ok := in.operateOnValue(test, opLook); ok {
					return cell{}
				}
			}
		}
		in.quantified(e.Var, e.Domain, stops, e.Pos, func() { in.eval(e.Body, false) })
		return cell{}
	case *model.IsUndefined:
		return in.isUndefined(e)
	case *model.Present:
		in.present(e)
		return cell{}
	case *model.Convert:
		return in.convert(e, raw)
	case *model.IsMember:
		return in.isMember(e)
	case *model.RealExpr:
		// Its value is not known, also that of a sum: its terms have an order.
		model.Children(e, func(x model.Expr) { in.eval(x, false) }, nil)
		if e.Op == "round" || e.Op == "numerator" || e.Op == "denominator" {
			in.runtimeError()
		}
		return cell{}
	case *model.CallExpr:
		r, _ := in.call(e.Proc, e.Args, e.Pos)
		return in.load(r, raw)
	case *model.Let:
		in.bind(e.Var, e.X, e.Pos)
		if e.Var.Kind == model.RefVar && !model.Calls(e.X) && !model.Calls(e.Body) {
			in.env[e.Var].given = e.X
		}
		return in.eval(e.Body, raw)
	}
	in.fail(e.Position(), "an unknown expression")
	return cell{}
}

func (in *interpreter) binary(e *model.Binary) cell {
	if e.Op <= model.Implies {
		return in.connective(e)
	}
	raw := func(y model.Expr) bool { return e.Op <= model.Ne && in.m.Dialect.TestsUndefined(y) }
	a, b := in.eval(e.X, raw(e.X)), in.eval(e.Y, raw(e.Y))
	if a.lastTurn || b.lastTurn {
		in.readsLastTurn(e.Pos)
	}
	switch {
	case e.Op <= model.Ne && a.isConstant() && b.isConstant():
		return truth((a.value == b.value) == (e.Op == model.Eq))
	case e.Op >= model.Add && !fits(e):
		in.runtimeError()
	}
	return cell{}
}

// connective evaluates &, | and ->, whose left operand may decide.
func (in *interpreter) connective(e *model.Binary) cell {
	whole := e.Op != model.And // the value of e if an operand, the right one at the latest, decides it
	a := in.eval(e.X, false)
	if a.known {
		if decides := e.Op == model.Or; (a.value != 0) == decides {
			return truth(whole)
		}
		return in.eval(e.Y, false)
	}
	var b cell
	if p, ok := e.X.(*model.Present); ok && e.Op == model.And && !model.Calls(e.Y) { // the state stays, and the element with it
		in.there = append(in.there, p.X)
		defer func() { in.there = in.there[:len(in.there)-1] }()
	}
	in.maybe(func() { b = in.eval(e.Y, false) })
	if b.known && (b.value != 0) == whole {
		return truth(whole)
	}
	return cell{}
}

func (in *interpreter) cond(e *model.Cond, raw bool) cell {
	if c := in.eval(e.If, false); c.known {
		if c.value != 0 {
			return in.eval(e.Then, raw)
		}
		return in.eval(e.Else, raw)
	}
	var a, b cell
	in.oneOf(
		func() (ended bool) { a = in.eval(e.Then, raw); return false },
		func() (ended bool) { b = in.eval(e.Else, raw); return false })
	return a.join(b)
}

func (in *interpreter) isUndefined(e *model.IsUndefined) cell {
	c := in.load(in.region(e.X), true)
	if c.defined != mayBeUndefined {
		return truth(c.defined == isUndefined)
	}
	if c.lastTurn {
		in.readsLastTurn(e.Pos)
	}
	return cell{}
}

func (in *interpreter) isMember(e *model.IsMember) cell {
	c := in.eval(e.X, in.m.Dialect.TestsUndefined(e.X))
	if c.isConstant() {
		_, ok := e.X.Type().Convert(e.T, c.value)
		return truth(ok)
	}
	if c.lastTurn {
		in.readsLastTurn(e.Pos)
	}
	return cell{}
}

// conversion is the value of a symbol in another type. Equal values stay equal.
type conversion struct {
	symbol int
	to     *model.Type
}

func (in *interpreter) convert(e *model.Convert, raw bool) cell {
	c := in.eval(e.X, raw)
	if e.To != e.X.Type() && e.To.Kind != model.Union {
		in.runtimeError()
	}
	switch {
	case c.known:
		if k, ok := e.X.Type().Convert(e.To, c.value); ok {
			c.value = k
		} else {
			c.known = false
		}
	case c.symbol != 0:
		key := conversion{c.symbol, e.To}
		if in.conversions[key] == 0 {
			in.conversions[key] = in.newSymbol()
		}
		c.symbol = in.conversions[key]
	}
	return c
}

// fits reports whether the result of arithmetic, by the types of its operands, is a number of the interpreter.
func fits(e *model.Binary) bool {
	if e.Op == model.Div || e.Op == model.Mod {
		if c, ok := e.Y.(*model.ConstExpr); ok && c.Value != 0 {
			_, _, ok = bounds(e.X)
			return ok
		}
	}
	_, _, ok := bounds(e)
	return ok
}

// bounds returns the least and the greatest value that a number may have, by its type; ok is false
// if they may be too large for a sum to be computed.
func bounds(e model.Expr) (lo, hi int64, ok bool) {
	const far = 1 << 40
	switch e := e.(type) {
	case *model.ConstExpr:
		return e.Value, e.Value, -far < e.Value && e.Value < far
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		t := e.Type()
		return t.Lo, t.Hi, t.Kind == model.Range && -far < t.Lo && t.Hi < far
	case *model.Quant:
		return 0, 1 << 20, e.Counts && e.Domain.From == nil && e.Domain.Type.Card() <= 1<<20
	case *model.Binary:
		a, b, ok1 := bounds(e.X)
		c, d, ok2 := bounds(e.Y)
		if !ok1 || !ok2 || a < -1<<30 || b > 1<<30 || c < -1<<30 || d > 1<<30 {
			return 0, 0, false
		}
		switch e.Op {
		case model.Add:
			return a + c, b + d, true
		case model.Sub:
			return a - d, b - c, true
		}
	}
	return 0, 0, false
}

// checkRange notes the error of a value of e that is outside of a range.
func (in *interpreter) checkRange(e model.Expr, c cell, t *model.Type) {
	if t.Kind != model.Range || c.known && t.Lo <= c.value && c.value <= t.Hi {
		return
	}
	if lo, hi, ok := bounds(e); !ok || lo < t.Lo || hi > t.Hi {
		in.runtimeError()
	}
}
