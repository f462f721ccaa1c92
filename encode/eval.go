package encode

import (
	"cmp"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/model"
)

// exec runs expressions and statements symbolically. It mirrors the
// interpreter of package model construct by construct: each expression is
// evaluated under a path condition pc, and each run-time error is recorded
// together with the condition under which it is the first.
type exec struct {
	arith
	m       *model.Model
	layouts []layout             // of the leaves: those of the state, then of the locals
	old     func(leaf int) code  // content before the body
	store   *store               // what the body wrote
	bound   map[*model.Var]value // ruleset parameters, quantifier and for variables
	locals  map[*model.Var]int   // first leaf
	errs    map[int][]aig.Lit    // by property: when it is violated first
	failed  map[int]aig.Lit      // by property: whether it was violated so far
}

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

func (x *exec) refuse(pos model.Pos, format string, args ...any) {
	panic(unsupported{pos, fmt.Sprintf(format, args...)})
}

// fail records that property prop is violated where cond holds, unless another
// property was violated before: a body stops at its first error.
func (x *exec) fail(prop int, cond aig.Lit) {
	if cond == aig.False {
		return
	}
	for _, q := range sortedKeys(x.failed) {
		if q != prop {
			cond = x.g.And(cond, x.failed[q].Not())
		}
	}
	x.errs[prop] = append(x.errs[prop], cond)
	x.failed[prop] = x.g.Or(cond, x.orFalse(x.failed, prop))
}

func (x *exec) orFalse(m map[int]aig.Lit, k int) aig.Lit {
	if l, ok := m[k]; ok {
		return l
	}
	return aig.False
}

// runtime records a run-time error.
func (x *exec) runtime(cond aig.Lit) { x.fail(x.m.Runtime().Index, cond) }

// anyFailed returns whether any error occurred so far.
func (x *exec) anyFailed() aig.Lit {
	var ls []aig.Lit
	for _, q := range sortedKeys(x.failed) {
		ls = append(ls, x.failed[q])
	}
	return x.g.OrN(ls)
}

// place is a leaf that a designator may denote, with the condition that it does.
type place struct {
	cond aig.Lit
	leaf int
}

// places evaluates a designator to the first leaves of what it may denote; the
// conditions exclude each other.
func (x *exec) places(e model.Expr, pc aig.Lit) []place {
	switch e := e.(type) {
	case *model.Ref:
		if e.Var.Kind == model.LocalVar {
			return []place{{aig.True, x.locals[e.Var]}}
		}
		return []place{{aig.True, e.Var.Offset}}
	case *model.FieldSel:
		ps := x.places(e.X, pc)
		for i := range ps {
			ps[i].leaf += e.X.Type().Fields[e.Field].Offset
		}
		return ps
	case *model.IndexSel:
		bases := x.places(e.X, pc)
		index := x.need(e.Index, pc)
		t := e.X.Type()
		lo, hi := t.Index.Lo, t.Index.Hi
		if index.hot == nil {
			x.runtime(x.g.And(pc, x.outside(index, lo, hi)))
			lo, hi = max(lo, index.lo), min(hi, index.hi)
		}
		var ps []place
		for v := lo; v <= hi; v++ {
			is := x.is(index, v)
			if is == aig.False {
				continue
			}
			for _, b := range bases {
				ps = append(ps, place{x.g.And(b.cond, is), b.leaf + int(v-t.Index.Lo)*t.Elem.Leaves})
			}
		}
		if ps == nil { // surely out of range, or undefined: any leaf will do
			ps = append(ps, place{aig.False, bases[0].leaf})
		}
		return ps
	}
	panic(fmt.Sprintf("encode: %T is no designator", e))
}

// outside returns the condition that a defined number is not in lo..hi.
func (x *exec) outside(v value, lo, hi int64) aig.Lit {
	return x.g.Or(x.less(v, constant(lo)), x.less(constant(hi), v))
}

// content returns what a leaf holds now.
func (x *exec) content(leaf int) code {
	e, ok := x.store.lookup(leaf)
	if !ok {
		return x.old(leaf)
	}
	if e.w == aig.True {
		return e.v
	}
	return x.muxCode(e.w, e.v, x.old(leaf))
}

// read returns the content of leaf number k after each place.
func (x *exec) read(ps []place, k int) code {
	if len(ps) == 1 && ps[0].cond == aig.True {
		return x.content(ps[0].leaf + k)
	}
	n := x.layouts[ps[0].leaf+k].n
	c := code{bits: make([]aig.Lit, n)}
	terms := make([][]aig.Lit, n)
	defs := make([]aig.Lit, 0, len(ps))
	allDefined := true
	for _, p := range ps {
		d := x.content(p.leaf + k)
		for i, b := range d.bits {
			terms[i] = append(terms[i], x.g.And(p.cond, b))
		}
		defs = append(defs, x.g.And(p.cond, d.def))
		allDefined = allDefined && d.def == aig.True
	}
	for i := range c.bits {
		c.bits[i] = x.g.OrN(terms[i])
	}
	c.def = aig.True // an index error is recorded already
	if !allDefined {
		c.def = x.g.OrN(defs)
	}
	return c
}

// designator evaluates a designator of simple type, which may be undefined.
func (x *exec) designator(e model.Expr, pc aig.Lit) value {
	if r, ok := e.(*model.Ref); ok && r.Var.Kind == model.BoundVar {
		return x.bound[r.Var]
	}
	ps := x.places(e, pc)
	return x.layouts[ps[0].leaf].toValue(x.read(ps, 0))
}

// need evaluates an expression of simple type; an undefined result is a
// run-time error.
func (x *exec) need(e model.Expr, pc aig.Lit) value {
	v := x.eval(e, pc)
	x.runtime(x.g.And(pc, v.def.Not()))
	v.def = aig.True
	return v
}

// needLit evaluates a boolean expression.
func (x *exec) needLit(e model.Expr, pc aig.Lit) aig.Lit { return x.lit(x.need(e, pc)) }

// eval evaluates an expression of simple type. Designators, and ?: between
// them, can be undefined without error; all other operators need defined
// operands, but for = and != on scalarsets under CMurphi.
func (x *exec) eval(e model.Expr, pc aig.Lit) value {
	switch e := e.(type) {
	case *model.ConstExpr:
		checkBounds(e.Pos, "the constant", e.Value, e.Value)
		return constant(e.Value)
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		return x.designator(e, pc)
	case *model.Unary:
		v := x.need(e.X, pc)
		if e.Op == model.Not {
			return boolean(x.lit(v).Not())
		}
		return x.arithmetic(model.Sub, constant(0), v, e.Pos, pc)
	case *model.Binary:
		return x.binary(e, pc)
	case *model.Cond:
		c := x.needLit(e.If, pc)
		v := x.eval(e.Then, x.g.And(pc, c))
		w := x.eval(e.Else, x.g.And(pc, c.Not()))
		return x.mux(c, v, w)
	case *model.Quant:
		return x.quantifier(e, pc)
	case *model.IsUndefined:
		return boolean(x.designator(e.X, pc).def.Not())
	}
	panic(fmt.Sprintf("encode: unknown expression %T", e))
}

func (x *exec) binary(e *model.Binary, pc aig.Lit) value {
	g := x.g
	switch e.Op {
	case model.And:
		l := x.needLit(e.X, pc)
		return boolean(g.And(l, x.needLit(e.Y, g.And(pc, l))))
	case model.Or:
		l := x.needLit(e.X, pc)
		return boolean(g.Or(l, x.needLit(e.Y, g.And(pc, l.Not()))))
	case model.Implies:
		l := x.needLit(e.X, pc)
		return boolean(g.Implies(l, x.needLit(e.Y, g.And(pc, l))))
	case model.Eq, model.Ne:
		var eq aig.Lit
		if e.X.Type().Kind == model.Scalarset && x.m.Dialect == model.CMurphi {
			// CMurphi compares undefined as one more value.
			v, w := x.eval(e.X, pc), x.eval(e.Y, pc)
			eq = g.Or(x.eq(v, w), g.And(v.def.Not(), w.def.Not()))
		} else {
			eq = x.eq(x.need(e.X, pc), x.need(e.Y, pc))
		}
		return boolean(eq.NotIf(e.Op == model.Ne))
	}
	v, w := x.need(e.X, pc), x.need(e.Y, pc)
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
	return x.arithmetic(e.Op, v, w, e.Pos, pc)
}

func (x *exec) arithmetic(op model.Op, v, w value, pos model.Pos, pc aig.Lit) value {
	if op == model.Div || op == model.Mod {
		x.runtime(x.g.And(pc, x.is(w, 0)))
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
	}
	lo, hi, ok := bounds(op, v, w)
	if !ok {
		x.refuse(pos, "the result of %q can exceed 62 bits: the symbolic encoding does not support that", op)
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
func (x *exec) quantifier(e *model.Quant, pc aig.Lit) value {
	var terms []aig.Lit
	x.each(e.Var, e.Domain, pc, func(active aig.Lit) {
		l := x.needLit(e.Body, x.g.And(pc, active))
		if e.All {
			l = x.g.Implies(active, l)
		} else {
			l = x.g.And(active, l).Not()
		}
		terms = append(terms, l)
		pc = x.g.And(pc, l)
	})
	return boolean(x.g.AndN(terms).NotIf(!e.All))
}

// each calls f for every value v may take in its domain, in order, with the
// condition that it does take it; v is bound meanwhile.
func (x *exec) each(v *model.Var, d model.Domain, pc aig.Lit, f func(active aig.Lit)) {
	with := func(val value, active aig.Lit) {
		if active != aig.False {
			x.bound[v] = val
			f(active)
			delete(x.bound, v)
		}
	}
	if d.From == nil {
		for k := d.Type.Lo; k <= d.Type.Hi; k++ {
			with(constantOf(v, k), aig.True)
		}
		return
	}
	from, to, by := x.need(d.From, pc), x.need(d.To, pc), constant(1)
	if d.By != nil {
		by = x.need(d.By, pc)
	}
	step, ok := by.constVal()
	start, fixed := from.constVal()
	switch {
	case !ok:
		x.refuse(d.By.Position(), "the symbolic encoding needs a constant step")
	case step == 0:
		x.refuse(d.By.Position(), "the step is 0")
	case fixed && step > 0:
		for k := start; k <= to.hi; k += step {
			with(constant(k), x.less(to, constant(k)).Not())
		}
	case fixed:
		for k := start; k >= to.lo; k += step {
			with(constant(k), x.less(constant(k), to).Not())
		}
	case step == 1:
		for k := from.lo; k <= to.hi; k++ {
			with(constant(k), x.outsideOf(constant(k), from, to).Not())
		}
	case step == -1:
		for k := from.hi; k >= to.lo; k-- {
			with(constant(k), x.outsideOf(constant(k), to, from).Not())
		}
	default:
		x.refuse(d.From.Position(), "the symbolic encoding needs a constant first value or a step of 1 or -1")
	}
}

// outsideOf returns k < lo | k > hi.
func (x *exec) outsideOf(k, lo, hi value) aig.Lit {
	return x.g.Or(x.less(k, lo), x.less(hi, k))
}

// constantOf is the value n of the bound variable v.
func constantOf(v *model.Var, n int64) value {
	if v.Type.Kind == model.Scalarset {
		return hotConstant(n, int(v.Type.Card()))
	}
	checkBounds(v.Pos, v.Name, n, n)
	return constant(n)
}

// sortedKeys returns the keys of all maps in increasing order.
func sortedKeys[K cmp.Ordered, V any](ms ...map[K]V) []K {
	var keys []K
	for _, m := range ms {
		for k := range m {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
