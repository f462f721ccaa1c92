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
func (ex *exec) places(e model.Expr) []place {
	switch e := e.(type) {
	case *model.Ref:
		if e.Var.Kind == model.StateVar {
			ex.inside = nil
			return []place{{aig.True, e.Var.Offset}}
		}
		ps, ok := ex.where[e.Var]
		if !ok {
			panic(fmt.Sprintf("encode: %v: %s is not in scope", e.Pos, e.Var.Name))
		}
		if ex.inside = ex.names[e.Var].set; ex.stale(e.Var) {
			refuse(e.Pos, slotOrder)
		}
		return slices.Clone(ps)
	case *model.FieldSel:
		ps := ex.places(e.X)
		for i := range ps {
			ps[i].leaf += e.X.Type().Fields[e.Field].Offset
		}
		return ps
	case *model.IndexSel:
		ps := ex.elements(e)
		if e.X.Type().Kind == model.Multiset {
			ex.runtime(ex.present(ps).Not())
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
func (ex *exec) elements(e *model.IndexSel) []place {
	bases := ex.places(e.X)
	inside := ex.inside
	index := ex.need(e.Index)
	ex.inside = inside
	t := e.X.Type()
	lo, hi, stride := t.Index.Lo, t.Index.Hi, t.Elem.Leaves
	if t.Kind == model.Multiset {
		ex.element(e, bases)
		ex.inside = bases
		stride++
	}
	ex.runtime(ex.outside(index, lo, hi))
	lo, hi = max(lo, index.lo), min(hi, index.hi)
	var ps []place
	for v := lo; v <= hi; v++ {
		is := ex.is(index, v)
		if is == aig.False {
			continue
		}
		for _, b := range bases {
			if on := ex.g.And(b.cond, is); on != aig.False {
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
func (ex *exec) present(slots []place) aig.Lit {
	ls := lists.Map(slots, func(p place) aig.Lit { return ex.g.And(p.cond, ex.content(p.leaf).def) })
	return ex.g.OrN(ls)
}

// outside returns the condition that a defined number is not in lo..hi.
func (ex *exec) outside(v value, lo, hi int64) aig.Lit {
	return ex.g.Or(ex.less(v, constant(lo)), ex.less(constant(hi), v))
}

// readAt returns the content of leaf number k after each place.
func (ex *exec) readAt(ps []place, k int) *code {
	if len(ps) == 1 {
		return ex.content(ps[0].leaf + k)
	}
	cs := make([]*code, len(ps))
	same, defined := true, true
	for i, p := range ps {
		cs[i] = ex.content(p.leaf + k)
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
			terms[i] = ex.g.And(p.cond, cs[i].bits[b])
		}
		c.bits[b] = ex.g.OrN(terms)
	}
	for i, p := range ps {
		terms[i] = ex.g.And(p.cond, cs[i].def)
		c.lo, c.hi = min(c.lo, cs[i].lo), max(c.hi, cs[i].hi)
	}
	if !defined {
		c.def = ex.g.OrN(terms)
	}
	return c
}

// designator evaluates a designator of simple type, which may be undefined.
func (ex *exec) designator(e model.Expr) value {
	if r, ok := e.(*model.Ref); ok {
		if v, ok := ex.bound[r.Var]; ok {
			return v
		}
	}
	ps := ex.places(e)
	return ex.lay[ps[0].leaf].toValue(ex.readAt(ps, 0))
}

// whole evaluates an expression that is not simple, to all its leaves.
func (ex *exec) whole(e model.Expr) func() []*code {
	switch e := e.(type) {
	case *model.CallExpr:
		_, cs := ex.call(e.Proc, e.Args, e.Pos)
		return func() []*code { return cs }
	case *model.Let:
		defer ex.name(e.Var, e.X)()
		return ex.whole(e.Body)
	}
	ps, n := ex.places(e), e.Type().Leaves
	return func() []*code {
		return lists.Make(n, func(k int) *code { return ex.readAt(ps, k) })
	}
}

// need evaluates an expression of simple type; an undefined result is a
// run-time error.
func (ex *exec) need(e model.Expr) value {
	v := ex.eval(e)
	ex.runtime(v.def.Not())
	v.def = aig.True
	return v
}

// needUnless is need, but for values that may be undefined.
func (ex *exec) needUnless(may bool, e model.Expr) value {
	if may {
		return ex.eval(e)
	}
	return ex.need(e)
}

// needLit evaluates a boolean expression.
func (ex *exec) needLit(e model.Expr) aig.Lit { return ex.lit(ex.need(e)) }

// eval evaluates an expression of simple type. Designators, results of
// functions, and ?: between them can be undefined without error; all other
// operators need defined operands, but for what CMurphi does not check.
func (ex *exec) eval(e model.Expr) value {
	switch e := e.(type) {
	case *model.ConstExpr:
		checkBounds(e.Pos, "the constant", e.Value, e.Value)
		return constant(e.Value)
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		return ex.designator(e)
	case *model.Not:
		return boolean(ex.needLit(e.X).Not())
	case *model.Binary:
		return ex.binary(e)
	case *model.Cond:
		c := ex.needLit(e.If)
		var vs []value
		ex.split([]aig.Lit{c, c.Not()}, func(i int) { vs = append(vs, ex.eval([]model.Expr{e.Then, e.Else}[i])) })
		switch len(vs) {
		case 0: // the path ended
			v, _ := ex.anything(e.Type())
			return v
		case 1: // the other one is not possible
			return vs[0]
		}
		return ex.mux(c, vs[0], vs[1])
	case *model.Quant:
		return ex.quantifier(e)
	case *model.IsUndefined:
		return boolean(ex.designator(e.X).def.Not())
	case *model.Present:
		ex.introduce(e.X)
		return boolean(ex.present(ex.elements(e.X)))
	case *model.Convert:
		return ex.convert(ex.eval(e.X), e.X.Type(), e.To)
	case *model.RealExpr:
		refuse(e.Pos, "real numbers: the symbolic encoding does not support them")
	case *model.IsMember:
		v := ex.needUnless(ex.m.Dialect.TestsUndefined(e.X), e.X)
		return boolean(ex.g.And(v.def, ex.isMember(v, e.X.Type(), e.T)))
	case *model.CallExpr:
		v, _ := ex.call(e.Proc, e.Args, e.Pos)
		return v
	case *model.Let:
		defer ex.name(e.Var, e.X)()
		return ex.eval(e.Body)
	}
	panic(fmt.Sprintf("encode: unknown expression %T", e))
}

func (ex *exec) binary(e *model.Binary) value {
	g := ex.g
	switch e.Op {
	case model.And, model.Or, model.Implies:
		l := ex.needLit(e.X)
		more := l.NotIf(e.Op == model.Or)
		r := aig.False.NotIf(e.Op != model.And) // where it is not evaluated it does not matter
		ex.when(more, func() { r = ex.needLit(e.Y) })
		switch e.Op {
		case model.And:
			return boolean(g.And(l, r))
		case model.Or:
			return boolean(g.Or(l, r))
		}
		return boolean(g.Implies(l, r))
	case model.Eq, model.Ne:
		ex.compared(e)
		v := ex.needUnless(ex.m.Dialect.TestsUndefined(e.X), e.X)
		w := ex.needUnless(ex.m.Dialect.TestsUndefined(e.Y), e.Y)
		eq := ex.g.AndN([]aig.Lit{v.def, w.def, ex.eq(v, w)})
		if v.hot != nil { // which is false when either is undefined
			eq = ex.eq(v, w)
		}
		eq = g.Or(eq, g.And(v.def.Not(), w.def.Not()))
		return boolean(eq.NotIf(e.Op == model.Ne))
	}
	v, w := ex.need(e.X), ex.need(e.Y)
	switch e.Op {
	case model.Lt:
		return boolean(ex.less(v, w))
	case model.Gt:
		return boolean(ex.less(w, v))
	case model.Le:
		return boolean(ex.less(w, v).Not())
	case model.Ge:
		return boolean(ex.less(v, w).Not())
	}
	return ex.arithmetic(e.Op, v, w, e.Pos)
}

func (ex *exec) arithmetic(op model.Op, v, w value, pos model.Pos) value {
	switch op {
	case model.Div, model.Mod:
		ex.runtime(ex.is(w, 0))
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
		quo, rem := ex.divide(v, w)
		if op == model.Div {
			return quo
		}
		return rem
	case model.BitAnd, model.BitOr, model.BitXor:
		return ex.bitwise(op, v, w)
	case model.Shl, model.Shr:
		r, ok := ex.shifted(v, w, op == model.Shr)
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
		return ex.add(v, w, lo, hi)
	case model.Sub:
		return ex.sub(v, w, lo, hi)
	}
	return ex.mul(v, w, lo, hi)
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
func (ex *exec) quantifier(e *model.Quant) value {
	if e.Counts {
		return ex.count(e)
	}
	if ex.strict[e] {
		o := ex.strictly(e.All)
		ex.each(e.Var, e.Domain, func(active aig.Lit) { o.add(active, e.Body) })
		return boolean(o.value())
	}
	var terms []aig.Lit
	open := aig.True
	ex.each(e.Var, e.Domain, func(active aig.Lit) {
		l := aig.True
		ex.when(ex.g.And(open, active), func() { l = ex.needLit(e.Body) })
		if e.All {
			l = ex.g.Implies(active, l)
		} else {
			l = ex.g.And(active, l).Not()
		}
		terms = append(terms, l)
		open = ex.g.And(open, l)
	})
	return boolean(ex.g.AndN(terms).NotIf(!e.All))
}

// count adds up the elements for which the body holds.
func (ex *exec) count(e *model.Quant) value {
	sum := constant(0)
	ex.turns(e.Var, e.Domain, e.Pos, func(active aig.Lit) {
		l := aig.False
		ex.when(active, func() { l = ex.needLit(e.Body) })
		one := boolean(ex.g.And(active, l))
		sum = ex.add(sum, one, sum.lo+one.lo, sum.hi+one.hi)
	})
	return sum
}

// each calls f for every value v may take in its domain, in order, with the
// condition that it does take it; v is bound meanwhile.
func (ex *exec) each(v *model.Var, d model.Domain, f func(active aig.Lit)) {
	defer keep(ex.bound, v)()
	with := func(val value, active aig.Lit) {
		if ex.dead() {
			return
		}
		if active != aig.False {
			ex.bound[v] = val
			f(active)
		}
	}
	if d.From == nil {
		for k := d.Type.Lo; k <= d.Type.Hi; k++ {
			with(constantOf(v, k), aig.True)
		}
		return
	}
	from, to, by := ex.need(d.From), ex.need(d.To), constant(1)
	if d.By != nil {
		by = ex.need(d.By)
	}
	step, ok := by.constVal()
	if !ok {
		refuse(d.By.Position(), "the symbolic encoding needs a constant step")
	}
	if step == 0 {
		ex.runtime(aig.True)
		return
	}
	if ex.m.Dialect == model.Rumur && !(isConstant(d.From) && isConstant(d.To) && (d.By == nil || isConstant(d.By))) {
		// Without a step it counts down if that leads to the other bound; a step
		// that leads away from it is an error.
		switch {
		case d.By == nil:
			ex.progression(d, from, to, 1, with)
			step = -1
			if down := ex.less(to, from); down != aig.True {
				up := with
				with = func(v value, active aig.Lit) { up(v, ex.g.And(down, active)) }
			}
		case step > 0:
			ex.runtime(ex.less(to, from))
		default:
			ex.runtime(ex.less(from, to))
		}
	}
	ex.progression(d, from, to, step, with)
}

// progression calls f for from, from+step, … up to to, or down to it.
func (ex *exec) progression(d model.Domain, from, to value, step int64, f func(v value, active aig.Lit)) {
	start, fixed := from.constVal()
	switch {
	case fixed && step > 0:
		for k := start; k <= to.hi; k += step {
			f(constant(k), ex.less(to, constant(k)).Not())
		}
	case fixed:
		for k := start; k >= to.lo; k += step {
			f(constant(k), ex.less(constant(k), to).Not())
		}
	case step == 1:
		for k := from.lo; k <= to.hi; k++ {
			f(constant(k), ex.outsideOf(constant(k), from, to).Not())
		}
	case step == -1:
		for k := from.hi; k >= to.lo; k-- {
			f(constant(k), ex.outsideOf(constant(k), to, from).Not())
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
	case *model.Binary:
		return e.Op >= model.Add && isConstant(e.X) && isConstant(e.Y)
	}
	return false
}

// outsideOf returns k < lo | k > hi.
func (ex *exec) outsideOf(k, lo, hi value) aig.Lit {
	return ex.g.Or(ex.less(k, lo), ex.less(hi, k))
}

// constantOf is the value n of the bound variable v.
func constantOf(v *model.Var, n int64) value {
	if abstract(v.Type) {
		return hotConstant(n, int(v.Type.Card()))
	}
	checkBounds(v.Pos, v.Name, n, n)
	return constant(n)
}
