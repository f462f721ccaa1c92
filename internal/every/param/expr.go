package param

import (
	"slices"

	"orbitmc/model"
)

// This file evaluates expressions on a symbolic state.

// defined evaluates an expression of simple type; an undefined value is an error.
func (ru *run) defined(e model.Expr) value {
	v := ru.eval(e)
	if u := v.undef(); u != False {
		ru.fail(ru.runtime, u)
		v = v.defined()
	}
	return v
}

// maybe evaluates an expression of simple type; an undefined value is an error unless allowed.
func (ru *run) maybe(e model.Expr, allowed bool) value {
	if allowed {
		return ru.eval(e)
	}
	return ru.defined(e)
}

// operand evaluates an operand of = or !=, or what is switched on.
func (ru *run) operand(e model.Expr) value {
	return ru.maybe(e, ru.m.Dialect.TestsUndefined(e))
}

func (ru *run) ofBool(f Formula) value {
	var v value
	v = ru.add(v, f, single{kind: constant, c: Const{Type: model.BoolType, N: 1}})
	return ru.add(v, f.Not(), single{kind: constant, c: Const{Type: model.BoolType, N: 0}})
}

func number(n int64) single { return single{kind: constant, c: Const{N: n}} }

// eval evaluates an expression of simple type, which may be undefined.
func (ru *run) eval(e model.Expr) value {
	switch e := e.(type) {
	case *model.ConstExpr:
		return value{{True, ru.constant(e)}}
	case *model.Ref:
		if b, ok := ru.env[e.Var]; ok && b.val != nil {
			return b.val
		}
		return ru.load(ru.place(e), e.Pos)
	case *model.FieldSel, *model.IndexSel:
		return ru.load(ru.place(e), e.Position())
	case *model.CallExpr:
		return ru.load(ru.place(e), e.Pos)
	case *model.Let:
		var v value
		ru.name(e.Var, e.X, e.Pos, func() { v = ru.eval(e.Body) })
		return v
	case *model.Cond:
		c := ru.bool(e.If)
		var then, els value
		ru.within(c, func() { then = ru.eval(e.Then) })
		ru.within(c.Not(), func() { els = ru.eval(e.Else) })
		return ru.under(ru.under(nil, c, then), c.Not(), els)
	case *model.Convert:
		return ru.convert(e)
	case *model.RealExpr:
		refuse(e.Pos, "real numbers are not proved for every size")
	case *model.Quant:
		if e.Counts {
			refuse(e.Pos, "counting is not proved for every size")
		}
	case *model.Binary:
		if e.Op >= model.Add {
			a := ru.defined(e.X)
			return ru.arith(e.Op, a, ru.defined(e.Y), e.Pos)
		}
	}
	return ru.ofBool(ru.bool(e))
}

// constant returns what a constant is; it must be no component.
func (ru *run) constant(e *model.ConstExpr) single {
	switch {
	case ru.sort(e.T) >= 0:
		refuse(e.Pos, "%s is a particular component of a free class", e.T.Format(e.Value))
	case e.T.Kind == model.Union:
		refuse(e.Pos, "a constant of a union is not proved for every size")
	case e.T.Numeric() && e.Size.Const != "" && e.SizedBy == "":
		return ru.ofNumber(ru.size(e.Size))
	case e.T.Numeric():
		return single{kind: constant, c: Const{N: e.Value, Last: e.SizedBy, Size: e.Size}}
	}
	return single{kind: constant, c: Const{Type: e.T, N: e.Value}}
}

// convert changes the type of a value of a union, or of a part of one.
func (ru *run) convert(e *model.Convert) value {
	v := ru.eval(e.X)
	typed := ru.valuesOf(e.To, e.Pos)
	if typed.integers() {
		refuse(e.Pos, "%v is no part of a union that is proved for every size", e.To)
	}
	var out value
	none := False
	for _, c := range v {
		if c.kind == undefined {
			out = ru.add(out, c.cond, c.single)
		} else if _, ok := ru.optionFor(typed, c.single, e.Pos); ok || e.To.Kind == model.Integer && c.kind == constant && c.c.Type == nil {
			out = ru.add(out, c.cond, c.single)
		} else {
			none = ru.Or(none, c.cond)
		}
	}
	ru.fail(ru.runtime, none)
	return out
}

// numbers refuses a value that is a component where a number is needed.
func (ru *run) numbers(v value, pos model.Pos) {
	for _, c := range v {
		if c.kind == component {
			refuse(pos, "%s of a free class is used as a number", ru.sorts[c.class].Name)
		}
	}
}

func (ru *run) arith(op model.Op, v, w value, pos model.Pos) value {
	ru.numbers(v, pos)
	ru.numbers(w, pos)
	var out value
	bad := False
	for _, a := range v {
		for _, b := range w {
			cond := ru.And(a.cond, b.cond)
			if cond == False {
				continue
			}
			if a.fixed() && b.fixed() {
				n, ok := model.Arith(op, a.c.N, b.c.N)
				if !ok {
					bad = ru.Or(bad, cond)
					continue
				}
				out = ru.add(out, cond, number(n))
			} else {
				out = ru.add(out, cond, ru.linear(op, a.single, b.single, pos))
			}
		}
	}
	if len(out) > maxCases {
		refuse(pos, "a number with more than %d values is not proved for every size", maxCases)
	}
	ru.fail(ru.runtime, bad)
	return out
}

// fixed reports whether a value is a number that is the same at every size.
func (s single) fixed() bool { return s.kind == constant && s.c.Type == nil && s.c.Size.Const == "" }

// linear returns a op b, if it is a sum.
func (ru *run) linear(op model.Op, a, b single, pos model.Pos) single {
	m, _ := ru.number(a)
	n, _ := ru.number(b)
	var t Term
	switch {
	case op == model.Add:
		t = ru.Sum(0, Addend{1, m}, Addend{1, n})
	case op == model.Sub:
		t = ru.Sum(0, Addend{1, m}, Addend{-1, n})
	case op == model.Mul && a.fixed():
		t = ru.Sum(0, Addend{a.c.N, n})
	case op == model.Mul && b.fixed():
		t = ru.Sum(0, Addend{b.c.N, m})
	default:
		refuse(pos, "of numbers that depend on a size only sums are proved for every size")
	}
	if _, parts := ru.Addends(t); len(parts) > maxParts {
		refuse(pos, "a sum of more than %d numbers is not proved for every size", maxParts)
	}
	return ru.ofNumber(t)
}

// bool evaluates a boolean expression.
func (ru *run) bool(e model.Expr) Formula {
	switch e := e.(type) {
	case *model.Not:
		return ru.bool(e.X).Not()
	case *model.IsUndefined:
		if r, ok := e.X.(*model.Ref); ok && r.Var.Kind == model.BoundVar {
			return False
		}
		return ru.load(ru.place(e.X), e.Pos).undef()
	case *model.IsMember:
		return ru.isMember(e)
	case *model.Cond:
		c := ru.bool(e.If)
		var then, els Formula
		ru.within(c, func() { then = ru.bool(e.Then) })
		ru.within(c.Not(), func() { els = ru.bool(e.Else) })
		return ru.Ite(c, then, els)
	case *model.Quant:
		return ru.quant(e.All, e.Var, e.Domain, e.Pos, func() Formula { return ru.bool(e.Body) })
	case *model.Present:
		refuse(e.Pos, "multisets are not proved for every size")
	case *model.Binary:
		switch e.Op {
		case model.And, model.Or, model.Implies:
			a := ru.bool(e.X)
			if e.Op == model.Implies {
				a = a.Not()
			}
			reached := a
			if e.Op != model.And {
				reached = a.Not()
			}
			var b Formula
			ru.within(reached, func() { b = ru.bool(e.Y) })
			if e.Op == model.And {
				return ru.And(a, b)
			}
			return ru.Or(a, b)
		case model.Eq, model.Ne:
			v := ru.operand(e.X)
			w := ru.operand(e.Y)
			f := ru.equal(v, w, e.Pos)
			if e.Op == model.Ne {
				f = f.Not()
			}
			return f
		case model.Lt, model.Le, model.Gt, model.Ge:
			v := ru.defined(e.X)
			return ru.ordered(e.Op, v, ru.defined(e.Y), e.Pos)
		}
	case *model.ConstExpr:
		if e.Value != 0 {
			return True
		}
		return False
	}
	f := False
	for _, c := range ru.defined(e) {
		if c.kind == constant && c.c.N != 0 {
			f = ru.Or(f, c.cond)
		}
	}
	return f
}

// equal says that two values are equal. A number that is compared with a component must be one.
func (ru *run) equal(v, w value, pos model.Pos) Formula {
	class := func(v value) int {
		if i := slices.IndexFunc(v, func(c valueCase) bool { return c.kind == component }); i >= 0 {
			return v[i].class
		}
		return -1
	}
	s := max(class(v), class(w))
	if s >= 0 {
		v, w = ru.named(v, s, pos), ru.named(w, s, pos)
		for _, c := range slices.Concat(v, w) {
			if t, ok := ru.number(c.single); ok {
				refuse(pos, "%s is compared with a component of %s", ru.text(t), ru.sorts[s].Name)
			}
		}
	}
	return ru.same(v, w)
}

// named returns v with its numbers as components of a class of numbers.
func (ru *run) named(v value, sort int, pos model.Pos) value {
	if !ru.sorts[sort].Numbers {
		return v
	}
	var out value
	for _, c := range v {
		if c.kind == constant && c.c.Type == nil {
			c.single = single{kind: component, class: sort, t: ru.component(sort, c.c, pos)}
		}
		out = ru.add(out, c.cond, c.single)
	}
	return out
}

// component returns the component that a number is at every size. It is refused if it is none at
// some size, or if at some size it is one that has another name, too.
func (e *encoder) component(sort int, c Const, pos model.Pos) Term {
	s := &e.sorts[sort]
	last := s.Lo + int64(s.Least) - 1 // at the least size
	if c.Last != "" && c.Last != s.Constant || c.Last == "" && (c.N < s.Lo || c.N > last) {
		refuse(pos, "%v is no component of a free class at some size, %s", c, s.Name)
	}
	for _, k := range e.names {
		switch {
		case k.Sort != sort:
		case k.Last == (c.Last != "") && (k.Last || k.N == c.N):
			return k.Term
		case k.Last != (c.Last != "") && (k.N == last || c.N == last && c.Last == ""):
			refuse(pos, "%d is the last component of %s at one size and not at another", last, s.Name)
		}
	}
	k := Named{Sort: sort, Last: c.Last != "", Term: e.Fresh(sort)}
	if !k.Last {
		k.N = c.N
	}
	e.names = append(e.names, k)
	return k.Term
}

func (ru *run) ordered(op model.Op, v, w value, pos model.Pos) Formula {
	ru.numbers(v, pos)
	ru.numbers(w, pos)
	f := False
	for _, a := range v {
		for _, b := range w {
			m, ok := ru.number(a.single)
			n, too := ru.number(b.single)
			if !ok || !too {
				continue
			}
			var is Formula
			switch op {
			case model.Lt:
				is = ru.LessEq(n, m).Not()
			case model.Le:
				is = ru.LessEq(m, n)
			case model.Gt:
				is = ru.LessEq(m, n).Not()
			default:
				is = ru.LessEq(n, m)
			}
			f = ru.Or(f, ru.And(a.cond, b.cond, is))
		}
	}
	return f
}

// isMember evaluates ismember; what is undefined belongs to nothing.
func (ru *run) isMember(e *model.IsMember) Formula {
	typed := ru.valuesOf(e.T, e.Pos)
	f := False
	for _, c := range ru.operand(e.X) {
		if c.kind == undefined {
			continue
		}
		if _, ok := ru.optionFor(typed, c.single, e.Pos); ok {
			f = ru.Or(f, c.cond)
		}
	}
	return f
}

// each runs f for each value of a domain; for a free class once, with a variable.
func (ru *run) each(v *model.Var, d model.Domain, pos model.Pos, f func(t Term, free bool)) {
	for _, o := range ru.domain(d, pos) {
		if o.Sort < 0 {
			ru.bind(v, bound(single{kind: constant, c: o.Const}), func() { f(0, false) })
			continue
		}
		t := ru.Fresh(o.Sort)
		ru.bind(v, bound(single{kind: component, class: o.Sort, t: t}), func() { f(t, true) })
	}
}

// quant evaluates forall (all) or exists. The order of values, and that a quantifier stops
// early, are ignored: more may err than does.
func (ru *run) quant(all bool, v *model.Var, d model.Domain, pos model.Pos, body func() Formula) Formula {
	f := True
	frozen := ru.frozen
	ru.frozen = ru.instances + 1
	ru.each(v, d, pos, func(t Term, free bool) {
		var g Formula
		if free {
			ru.forAny(t, func() { g = body() })
		} else {
			g = body()
		}
		if !all {
			g = g.Not()
		}
		if free {
			g = ru.All(t, g)
		}
		f = ru.And(f, g)
	})
	ru.frozen = frozen
	if !all {
		return f.Not()
	}
	return f
}

// domain returns the values of a domain.
func (ru *run) domain(d model.Domain, pos model.Pos) []Option {
	if d.From == nil {
		return ru.enumerated(d.Type, pos).opts
	}
	for _, e := range []model.Expr{d.From, d.To, d.By} {
		if !constantExpr(e) {
			refuse(pos, "bounds that are not constant are not proved for every size")
		}
	}
	var out []Option
	if d.Size() > maxCases {
		refuse(pos, "more than %d values are not proved for every size", maxCases)
	}
	for _, n := range d.Values() {
		out = append(out, Option{Sort: -1, Const: Const{N: n}})
	}
	return out
}

func constantExpr(e model.Expr) bool {
	switch e := e.(type) {
	case nil:
		return true
	case *model.ConstExpr:
		return e.Size.Const == ""
	}
	return false
}
