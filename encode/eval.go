package encode

import (
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// unsupported is a construct the encoding refuses; thrown as a panic inside
// the package and returned as an error by Model.
type unsupported struct {
	pos model.Pos
	msg string
}

// checkBounds refuses numbers that exceed maxMagnitude.
func checkBounds(pos model.Pos, what string, lo, hi int64) {
	if tooLarge(lo, hi) {
		panic(unsupported{pos, what + " exceeds 62 bits: the symbolic encoding does not support that"})
	}
}

func refuse(pos model.Pos, format string, args ...any) {
	panic(unsupported{pos, fmt.Sprintf(format, args...)})
}

// place is a leaf that a designator may denote, with the condition that it does.
type place struct {
	cond aig.Lit
	leaf int
}

// places evaluates a designator to the first leaves of what it may denote; the
// conditions exclude each other.
func (x *exec) places(e model.Expr) []place {
	switch e := e.(type) {
	case *model.Ref:
		if e.Var.Kind == model.StateVar {
			x.inside = nil
			return []place{{aig.True, e.Var.Offset}}
		}
		ps, ok := x.where[e.Var]
		if !ok {
			panic(fmt.Sprintf("encode: %v: %s is not in scope", e.Pos, e.Var.Name))
		}
		if x.inside = x.names[e.Var].set; x.stale(e.Var) {
			refuse(e.Pos, slotOrder)
		}
		return slices.Clone(ps)
	case *model.FieldSel:
		ps := x.places(e.X)
		for i := range ps {
			ps[i].leaf += e.X.Type().Fields[e.Field].Offset
		}
		return ps
	case *model.IndexSel:
		ps := x.elements(e)
		if e.X.Type().Kind == model.Multiset {
			x.runtime(x.present(ps).Not())
			for i := range ps {
				ps[i].leaf++
			}
		}
		return ps
	}
	panic(fmt.Sprintf("encode: %T is no designator", e))
}

// elements evaluates the selection of an element of an array, or of a slot of a
// multiset, which may be free.
func (x *exec) elements(e *model.IndexSel) []place {
	bases := x.places(e.X)
	inside := x.inside
	index := x.need(e.Index)
	x.inside = inside
	t := e.X.Type()
	lo, hi, stride := t.Index.Lo, t.Index.Hi, t.Elem.Leaves
	if t.Kind == model.Multiset {
		x.element(e, bases)
		x.inside = bases
		stride++
	}
	x.runtime(x.outside(index, lo, hi))
	lo, hi = max(lo, index.lo), min(hi, index.hi)
	var ps []place
	for v := lo; v <= hi; v++ {
		is := x.is(index, v)
		if is == aig.False {
			continue
		}
		for _, b := range bases {
			if on := x.g.And(b.cond, is); on != aig.False {
				ps = append(ps, place{on, b.leaf + int(v-t.Index.Lo)*stride})
			}
		}
	}
	if ps == nil { // surely out of range, or undefined: any leaf will do
		ps = append(ps, place{aig.False, bases[0].leaf})
	}
	return ps
}

// present returns the condition that slots hold an element.
func (x *exec) present(slots []place) aig.Lit {
	ls := lists.Map(slots, func(p place) aig.Lit { return x.g.And(p.cond, x.content(p.leaf).def) })
	return x.g.OrN(ls)
}

// outside returns the condition that a defined number is not in lo..hi.
func (x *exec) outside(v value, lo, hi int64) aig.Lit {
	return x.g.Or(x.less(v, constant(lo)), x.less(constant(hi), v))
}

// readAt returns the content of leaf number k after each place.
func (x *exec) readAt(ps []place, k int) *code {
	if len(ps) == 1 {
		return x.content(ps[0].leaf + k)
	}
	cs := make([]*code, len(ps))
	same, defined := true, true
	for i, p := range ps {
		cs[i] = x.content(p.leaf + k)
		same = same && cs[i] == cs[0]
		defined = defined && cs[i].def == aig.True
	}
	if same {
		return cs[0]
	}
	c := &code{bits: make([]aig.Lit, len(cs[0].bits)), def: aig.True, lo: cs[0].lo, hi: cs[0].hi} // an index error is recorded already
	terms := make([]aig.Lit, len(ps))
	for b := range c.bits {
		for i, p := range ps {
			terms[i] = x.g.And(p.cond, cs[i].bits[b])
		}
		c.bits[b] = x.g.OrN(terms)
	}
	for i, p := range ps {
		terms[i] = x.g.And(p.cond, cs[i].def)
		c.lo, c.hi = min(c.lo, cs[i].lo), max(c.hi, cs[i].hi)
	}
	if !defined {
		c.def = x.g.OrN(terms)
	}
	return c
}

// designator evaluates a designator of simple type, which may be undefined.
func (x *exec) designator(e model.Expr) value {
	if r, ok := e.(*model.Ref); ok {
		if v, ok := x.bound[r.Var]; ok {
			return v
		}
	}
	ps := x.places(e)
	return x.lay[ps[0].leaf].toValue(x.readAt(ps, 0))
}

// whole evaluates an expression that is not simple, to all its leaves.
func (x *exec) whole(e model.Expr) func() []*code {
	switch e := e.(type) {
	case *model.CallExpr:
		_, cs := x.call(e.Proc, e.Args, e.Pos)
		return func() []*code { return cs }
	case *model.Let:
		defer x.name(e.Var, e.X)()
		return x.whole(e.Body)
	}
	ps, n := x.places(e), e.Type().Leaves
	return func() []*code {
		return lists.Make(n, func(k int) *code { return x.readAt(ps, k) })
	}
}

// need evaluates an expression of simple type; an undefined result is a
// run-time error.
func (x *exec) need(e model.Expr) value {
	v := x.eval(e)
	x.runtime(v.def.Not())
	v.def = aig.True
	return v
}

// needUnless is need, but for values that may be undefined.
func (x *exec) needUnless(may bool, e model.Expr) value {
	if may {
		return x.eval(e)
	}
	return x.need(e)
}

// needLit evaluates a boolean expression.
func (x *exec) needLit(e model.Expr) aig.Lit { return x.lit(x.need(e)) }

// eval evaluates an expression of simple type. Designators, results of
// functions, and ?: between them can be undefined without error; all other
// operators need defined operands, but for what CMurphi does not check.
func (x *exec) eval(e model.Expr) value {
	switch e := e.(type) {
	case *model.ConstExpr:
		checkBounds(e.Pos, "the constant", e.Value, e.Value)
		return constant(e.Value)
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		return x.designator(e)
	case *model.Unary:
		v := x.need(e.X)
		switch e.Op {
		case model.Not:
			return boolean(x.lit(v).Not())
		case model.BitNot:
			return x.arithmetic(model.Sub, constant(-1), v, e.Pos)
		}
		return x.arithmetic(model.Sub, constant(0), v, e.Pos)
	case *model.Binary:
		return x.binary(e)
	case *model.Cond:
		c := x.needLit(e.If)
		var vs []value
		x.split([]aig.Lit{c, c.Not()}, func(i int) { vs = append(vs, x.eval([]model.Expr{e.Then, e.Else}[i])) })
		switch len(vs) {
		case 0: // the path ended
			v, _ := x.anything(e.Type())
			return v
		case 1: // the other one is not possible
			return vs[0]
		}
		return x.mux(c, vs[0], vs[1])
	case *model.Quant:
		return x.quantifier(e)
	case *model.Count:
		return x.count(e)
	case *model.IsUndefined:
		return boolean(x.designator(e.X).def.Not())
	case *model.Present:
		x.introduce(e.X)
		return boolean(x.present(x.elements(e.X)))
	case *model.Convert:
		return x.convert(x.eval(e.X), e.X.Type(), e.To)
	case *model.IsMember:
		v := x.needUnless(x.m.Dialect.TestsUndefined(e.X), e.X)
		return boolean(x.g.And(v.def, x.isMember(v, e.X.Type(), e.T)))
	case *model.CallExpr:
		v, _ := x.call(e.Proc, e.Args, e.Pos)
		return v
	case *model.Let:
		defer x.name(e.Var, e.X)()
		return x.eval(e.Body)
	}
	panic(fmt.Sprintf("encode: unknown expression %T", e))
}

func (x *exec) binary(e *model.Binary) value {
	g := x.g
	switch e.Op {
	case model.And, model.Or, model.Implies:
		l := x.needLit(e.X)
		more := l.NotIf(e.Op == model.Or)
		r := aig.False.NotIf(e.Op != model.And) // where it is not evaluated it does not matter
		x.when(more, func() { r = x.needLit(e.Y) })
		switch e.Op {
		case model.And:
			return boolean(g.And(l, r))
		case model.Or:
			return boolean(g.Or(l, r))
		}
		return boolean(g.Implies(l, r))
	case model.Eq, model.Ne:
		x.compared(e)
		v := x.needUnless(x.m.Dialect.TestsUndefined(e.X), e.X)
		w := x.needUnless(x.m.Dialect.TestsUndefined(e.Y), e.Y)
		eq := x.g.AndN([]aig.Lit{v.def, w.def, x.eq(v, w)})
		if v.hot != nil { // which is false when either is undefined
			eq = x.eq(v, w)
		}
		eq = g.Or(eq, g.And(v.def.Not(), w.def.Not()))
		return boolean(eq.NotIf(e.Op == model.Ne))
	}
	v, w := x.need(e.X), x.need(e.Y)
	switch e.Op {
	case model.Lt:
		return boolean(x.less(v, w))
	case model.Gt:
		return boolean(x.less(w, v))
	case model.Le:
		return boolean(x.less(w, v).Not())
	case model.Ge:
		return boolean(x.less(v, w).Not())
	}
	return x.arithmetic(e.Op, v, w, e.Pos)
}

func (x *exec) arithmetic(op model.Op, v, w value, pos model.Pos) value {
	switch op {
	case model.Div, model.Mod:
		x.runtime(x.is(w, 0))
		if b, ok := w.constVal(); ok {
			if b == 0 {
				return constant(0)
			}
			if a, ok := v.constVal(); ok {
				if op == model.Div {
					return constant(a / b)
				}
				return constant(a % b)
			}
		}
		quo, rem := x.divide(v, w)
		if op == model.Div {
			return quo
		}
		return rem
	case model.BitAnd, model.BitOr, model.BitXor:
		return x.bitwise(op, v, w)
	case model.Shl, model.Shr:
		r, ok := x.shifted(v, w, op == model.Shr)
		if !ok {
			refuse(pos, "the result of %q can exceed 62 bits: the symbolic encoding does not support that", op)
		}
		return r
	}
	lo, hi, ok := bounds(op, v, w)
	if !ok {
		refuse(pos, "the result of %q can exceed 62 bits: the symbolic encoding does not support that", op)
	}
	switch op {
	case model.Add:
		return x.add(v, w, lo, hi)
	case model.Sub:
		return x.sub(v, w, lo, hi)
	}
	return x.mul(v, w, lo, hi)
}

// bounds returns the interval of the result of Add, Sub or Mul; ok is false
// when a bound exceeds maxMagnitude.
func bounds(op model.Op, v, w value) (lo, hi int64, ok bool) {
	switch op {
	case model.Add:
		lo, hi = v.lo+w.lo, v.hi+w.hi
	case model.Sub:
		lo, hi = v.lo-w.hi, v.hi-w.lo
	default:
		ps := [4]int64{}
		for i, p := range [4][2]int64{{v.lo, w.lo}, {v.lo, w.hi}, {v.hi, w.lo}, {v.hi, w.hi}} {
			if p[0] != 0 && abs(p[1]) > maxMagnitude/abs(p[0]) {
				return 0, 0, false
			}
			ps[i] = p[0] * p[1]
		}
		lo, hi = slices.Min(ps[:]), slices.Max(ps[:])
	}
	return lo, hi, !tooLarge(lo, hi)
}

func abs(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}

// quantifier evaluates forall and exists. It stops at the first deciding
// element: the body of a later one is evaluated under the condition that the
// earlier ones did not decide. The result itself stays an n-ary gate.
func (x *exec) quantifier(e *model.Quant) value {
	if x.strict[e] {
		o := x.strictly(e.All)
		x.each(e.Var, e.Domain, func(active aig.Lit) { o.add(active, e.Body) })
		return boolean(o.value())
	}
	var terms []aig.Lit
	open := aig.True
	x.each(e.Var, e.Domain, func(active aig.Lit) {
		l := aig.True
		x.when(x.g.And(open, active), func() { l = x.needLit(e.Body) })
		if e.All {
			l = x.g.Implies(active, l)
		} else {
			l = x.g.And(active, l).Not()
		}
		terms = append(terms, l)
		open = x.g.And(open, l)
	})
	return boolean(x.g.AndN(terms).NotIf(!e.All))
}

// count adds up the elements for which the body holds.
func (x *exec) count(e *model.Count) value {
	sum := constant(0)
	x.turns(e.Var, e.Domain, e.Pos, func(active aig.Lit) {
		l := aig.False
		x.when(active, func() { l = x.needLit(e.Body) })
		one := boolean(x.g.And(active, l))
		sum = x.add(sum, one, sum.lo+one.lo, sum.hi+one.hi)
	})
	return sum
}

// each calls f for every value v may take in its domain, in order, with the
// condition that it does take it; v is bound meanwhile.
func (x *exec) each(v *model.Var, d model.Domain, f func(active aig.Lit)) {
	defer keep(x.bound, v)()
	with := func(val value, active aig.Lit) {
		if x.dead() {
			return
		}
		if active != aig.False {
			x.bound[v] = val
			f(active)
		}
	}
	if d.From == nil {
		for k := d.Type.Lo; k <= d.Type.Hi; k++ {
			with(constantOf(v, k), aig.True)
		}
		return
	}
	from, to, by := x.need(d.From), x.need(d.To), constant(1)
	if d.By != nil {
		by = x.need(d.By)
	}
	step, ok := by.constVal()
	if !ok {
		refuse(d.By.Position(), "the symbolic encoding needs a constant step")
	}
	if step == 0 {
		x.runtime(aig.True)
		return
	}
	if x.m.Dialect == model.Rumur && !(isConstant(d.From) && isConstant(d.To) && (d.By == nil || isConstant(d.By))) {
		// Without a step it counts down if that leads to the other bound; a step
		// that leads away from it is an error.
		switch {
		case d.By == nil:
			x.progression(d, from, to, 1, with)
			step = -1
			if down := x.less(to, from); down != aig.True {
				up := with
				with = func(v value, active aig.Lit) { up(v, x.g.And(down, active)) }
			}
		case step > 0:
			x.runtime(x.less(to, from))
		default:
			x.runtime(x.less(from, to))
		}
	}
	x.progression(d, from, to, step, with)
}

// progression calls f for from, from+step, … up to to, or down to it.
func (x *exec) progression(d model.Domain, from, to value, step int64, f func(v value, active aig.Lit)) {
	start, fixed := from.constVal()
	switch {
	case fixed && step > 0:
		for k := start; k <= to.hi; k += step {
			f(constant(k), x.less(to, constant(k)).Not())
		}
	case fixed:
		for k := start; k >= to.lo; k += step {
			f(constant(k), x.less(constant(k), to).Not())
		}
	case step == 1:
		for k := from.lo; k <= to.hi; k++ {
			f(constant(k), x.outsideOf(constant(k), from, to).Not())
		}
	case step == -1:
		for k := from.hi; k >= to.lo; k-- {
			f(constant(k), x.outsideOf(constant(k), to, from).Not())
		}
	default:
		refuse(d.From.Position(), "the symbolic encoding needs a constant first value or a step of 1 or -1")
	}
}

// isConstant reports whether e is made of constants alone.
func isConstant(e model.Expr) bool {
	switch e := e.(type) {
	case *model.ConstExpr:
		return true
	case *model.Unary:
		return isConstant(e.X)
	case *model.Binary:
		return e.Op >= model.Add && isConstant(e.X) && isConstant(e.Y)
	}
	return false
}

// outsideOf returns k < lo | k > hi.
func (x *exec) outsideOf(k, lo, hi value) aig.Lit {
	return x.g.Or(x.less(k, lo), x.less(hi, k))
}

// constantOf is the value n of the bound variable v.
func constantOf(v *model.Var, n int64) value {
	if abstract(v.Type) {
		return hotConstant(n, int(v.Type.Card()))
	}
	checkBounds(v.Pos, v.Name, n, n)
	return constant(n)
}
