package model

import "fmt"

// value compiles an expression of simple type whose undefined value may go on
// as it is, in the dialects that accepts says.
func (c *compiler) value(e Expr, accepts func(d Dialect) bool) evalFn {
	if accepts(c.p.Model.Dialect) {
		return c.raw(e)
	}
	return c.noted(e, c.note(accepts))
}

// note returns what a message says about the dialect that accepts what this one
// does not.
func (c *compiler) note(accepts func(d Dialect) bool) string {
	if other := 1 - c.p.Model.Dialect; accepts(other) {
		return " (accepted by --dialect " + other.String() + ")"
	}
	return ""
}

// raw compiles an expression of simple type that may have the value Undef: that
// of an undefined designator or result, or of one chosen by ?:.
func (c *compiler) raw(e Expr) evalFn {
	switch e := e.(type) {
	case *Ref, *FieldSel, *IndexSel:
		return c.load(e)
	case *Cond:
		return c.choose(e, c.raw(e.Then), c.raw(e.Else))
	case *Convert:
		return c.convert(e, c.raw(e.X))
	case *CallExpr:
		return c.callValue(e, true, "")
	case *Let:
		return let(c.bindName(e.Var, e.X), c.raw(e.Body))
	}
	return c.eval(e)
}

// noted compiles an expression of simple type like eval; if the value itself is
// undefined, the error has a note.
func (c *compiler) noted(e Expr, note string) evalFn {
	switch e := e.(type) {
	case *Ref, *FieldSel, *IndexSel:
		return c.read(e, note)
	case *Cond:
		return c.choose(e, c.noted(e.Then, note), c.noted(e.Else, note))
	case *Convert:
		return c.convert(e, c.noted(e.X, note))
	case *CallExpr:
		return c.callValue(e, false, note)
	}
	return c.eval(e)
}

// choose compiles ?: with compiled branches.
func (c *compiler) choose(e *Cond, then, els evalFn) evalFn {
	test := c.test(e.If)
	return func(f []int64) int64 {
		if test(f) {
			return then(f)
		}
		return els(f)
	}
}

// convert compiles a conversion of x, which may be Undef.
func (c *compiler) convert(e *Convert, x evalFn) evalFn {
	p, pos, from, to := c.p, e.Pos, e.X.Type(), e.To
	fail := func(v int64) { p.raise(pos, "%s is no value of %v", from.Format(v), to) }
	const most = 1 << 12 // entries of a table
	if from.Kind == Integer || from.Card() > most || c.looseNumber(e.X) {
		return func(f []int64) int64 {
			v := x(f)
			if v == Undef {
				return v
			}
			w, ok := from.Convert(to, v)
			if !ok {
				fail(v)
			}
			return w
		}
	}
	table := make([]int64, from.Card())
	lo, same := from.Lo, true
	for i := range table {
		w, ok := from.Convert(to, lo+int64(i))
		if table[i] = w; !ok {
			table[i] = Undef
		}
		same = same && table[i] == lo+int64(i)
	}
	if same {
		return x
	}
	return func(f []int64) int64 {
		v := x(f)
		if v == Undef {
			return v
		}
		w := table[v-lo]
		if w == Undef {
			fail(v)
		}
		return w
	}
}

// looseNumber reports whether e is a number that may be outside its type.
func (c *compiler) looseNumber(e Expr) bool {
	t := e.Type()
	return t.Kind == Range && !c.within(e, t.Lo, t.Hi)
}

// eval compiles an expression of simple type; a boolean is 0 or 1.
func (c *compiler) eval(e Expr) evalFn {
	if k, ok := constant(e); ok {
		return func([]int64) int64 { return k }
	}
	switch e := e.(type) {
	case *Ref, *FieldSel, *IndexSel, *Cond, *Convert, *CallExpr:
		return c.noted(e, "")
	case *Let:
		return let(c.bindName(e.Var, e.X), c.eval(e.Body))
	case *Quant:
		if e.Counts {
			return c.count(e)
		}
	case *Binary:
		if e.Op >= Add {
			return c.arith(e.Op, e.X, e.Y, e.Pos)
		}
	case *RealExpr:
		if e.Type() != BoolType {
			return c.real(e)
		}
	}
	test := c.test(e)
	return func(f []int64) int64 {
		if test(f) {
			return 1
		}
		return 0
	}
}

func (c *compiler) arith(op Op, ex, ey Expr, pos Pos) evalFn {
	p, x, y := c.p, c.eval(ex), c.eval(ey)
	if op == Add {
		return func(f []int64) int64 {
			a, b := x(f), y(f)
			r := a + b
			if (r > a) != (b > 0) || r == Undef {
				p.badArith(pos, Add, a, b)
			}
			return r
		}
	}
	return func(f []int64) int64 {
		a, b := x(f), y(f)
		r, ok := Arith(op, a, b)
		if !ok {
			p.badArith(pos, op, a, b)
		}
		return r
	}
}

func (p *Program) badArith(pos Pos, op Op, a, b int64) {
	if b == 0 && (op == Div || op == Mod) {
		p.raise(pos, "division by zero")
	}
	p.raise(pos, "%d %v %d does not fit into 64 bits", a, op, b)
}

// test compiles a boolean expression.
func (c *compiler) test(e Expr) testFn {
	switch e := e.(type) {
	case *ConstExpr:
		v := e.Value != 0
		return func([]int64) bool { return v }
	case *Ref, *FieldSel, *IndexSel:
		read := c.read(e, "")
		return func(f []int64) bool { return read(f) != 0 }
	case *CallExpr:
		value := c.callValue(e, false, "")
		return func(f []int64) bool { return value(f) != 0 }
	case *Let:
		return let(c.bindName(e.Var, e.X), c.test(e.Body))
	case *Present:
		at := c.locate(c.slotAddress(e.X))
		return func(f []int64) bool { return f[at(f)] != Undef }
	case *IsMember:
		return c.isMember(e)
	case *RealExpr:
		x, y, op := c.eval(e.X), c.eval(e.Y), realComparisons[e.Op]
		return func(f []int64) bool { return op(RealOf(x(f)), RealOf(y(f))) }
	case *Not:
		x := c.test(e.X)
		return func(f []int64) bool { return !x(f) }
	case *Cond:
		test, then, els := c.test(e.If), c.test(e.Then), c.test(e.Else)
		return func(f []int64) bool {
			if test(f) {
				return then(f)
			}
			return els(f)
		}
	case *IsUndefined:
		load := c.load(e.X)
		return func(f []int64) bool { return load(f) == Undef }
	case *Quant:
		return c.quant(e.All, c.p.strict[e], e.Var, e.Domain, func() testFn { return c.test(e.Body) })
	case *Binary:
		switch e.Op {
		case And, Or, Implies:
			x, y := c.test(e.X), c.test(e.Y)
			switch e.Op {
			case And:
				return func(f []int64) bool { return x(f) && y(f) }
			case Or:
				return func(f []int64) bool { return x(f) || y(f) }
			}
			return func(f []int64) bool { return !x(f) || y(f) }
		case Eq, Ne:
			return c.equal(e)
		case Lt, Le, Gt, Ge:
			x, y := c.eval(e.X), c.eval(e.Y)
			switch e.Op {
			case Lt:
				return func(f []int64) bool { return x(f) < y(f) }
			case Le:
				return func(f []int64) bool { return x(f) <= y(f) }
			case Gt:
				return func(f []int64) bool { return x(f) > y(f) }
			}
			return func(f []int64) bool { return x(f) >= y(f) }
		}
	}
	panic(fmt.Sprintf("model: %v: not a boolean expression", e.Position()))
}

// equal compiles = and !=.
func (c *compiler) equal(e *Binary) testFn {
	ex, ey, eq := e.X, e.Y, e.Op == Eq
	if _, ok := constant(ex); ok {
		ex, ey = ey, ex
	}
	if k, ok := constant(ey); ok {
		return c.equalConst(ex, eq, k)
	}
	x, y := c.operand(ex), c.operand(ey)
	if eq {
		return func(f []int64) bool { return x(f) == y(f) }
	}
	return func(f []int64) bool { return x(f) != y(f) }
}

// operand compiles an operand of = or !=, or what is switched on.
func (c *compiler) operand(e Expr) evalFn {
	return c.value(e, func(d Dialect) bool { return d.TestsUndefined(e) })
}

// equalConst compiles the test of e against a constant: without calls if e is a
// leaf with one of the two common kinds of address that must be defined.
func (c *compiler) equalConst(e Expr, eq bool, k int64) testFn {
	tests := func(d Dialect) bool { return d.TestsUndefined(e) }
	if !Designator(e) || c.boundSlot(e) >= 0 || tests(c.p.Model.Dialect) {
		x := c.operand(e)
		return func(f []int64) bool { return (x(f) == k) == eq }
	}
	a, p, pos, note := c.address(e), c.p, e.Position(), c.note(tests)
	if base := a.base; len(a.terms) == 0 {
		return func(f []int64) bool {
			v := f[base]
			if v == Undef {
				p.undefined(pos, &a, base, note)
			}
			return (v == k) == eq
		}
	}
	if base, slot, stride, ok := a.row(); ok {
		return func(f []int64) bool {
			i := base + int(f[slot])*stride
			v := f[i]
			if v == Undef {
				p.undefined(pos, &a, i, note)
			}
			return (v == k) == eq
		}
	}
	at := c.locate(a)
	return func(f []int64) bool {
		i := at(f)
		v := f[i]
		if v == Undef {
			p.undefined(pos, &a, i, note)
		}
		return (v == k) == eq
	}
}

// isMember compiles ismember; what is undefined is a member of nothing, if it is
// no error.
func (c *compiler) isMember(e *IsMember) testFn {
	from, to, x := e.X.Type(), e.T, c.operand(e.X)
	return func(f []int64) bool {
		v := x(f)
		if v == Undef {
			return false
		}
		_, ok := from.Convert(to, v)
		return ok
	}
}

// quant compiles forall (all) or exists.
func (c *compiler) quant(all, strict bool, v *Var, d Domain, body func() testFn) testFn {
	slot := c.bind(v, d)
	test := body()
	if strict {
		return c.strict(all, slot, d, test)
	}
	if s, ok := d.constSpan(); ok {
		return func(f []int64) bool {
			x := s.lo
			for i := uint64(0); i < s.n; i++ {
				f[slot] = x
				if test(f) != all {
					return !all
				}
				x += s.by
			}
			return all
		}
	}
	values := c.domain(d)
	return func(f []int64) bool {
		s := values(f)
		for i := uint64(0); i < s.n; i++ {
			f[slot] = s.at(i)
			if test(f) != all {
				return !all
			}
		}
		return all
	}
}

// strict compiles a quantifier of which all operands are evaluated.
func (c *compiler) strict(all bool, slot int, d Domain, test testFn) testFn {
	p, values := c.p, c.domain(d)
	return func(f []int64) bool {
		s, decided := values(f), false
		var err *fault
		for i := uint64(0); i < s.n; i++ {
			f[slot] = s.at(i)
			if ok, flt := p.attempt(test, f); flt == nil {
				decided = decided || ok != all
			} else if err == nil {
				err = flt
			}
		}
		switch {
		case err != nil && decided:
			panic(&fault{prop: hidden, pos: err.pos, msg: err.msg})
		case err != nil:
			panic(err)
		}
		return decided != all
	}
}

// attempt evaluates a test, and returns the error if it errs.
func (p *Program) attempt(test testFn, f []int64) (ok bool, flt *fault) {
	depth := f[p.depth]
	defer func() {
		if r := recover(); r != nil {
			if flt = p.caught(r, f); flt.prop == hidden {
				panic(flt)
			}
			f[p.depth] = depth
		}
	}()
	return test(f), nil
}

// quantified compiles e for all, or for any, values of the parameters.
func (c *compiler) quantified(all, strict bool, params []*Param, e Expr) testFn {
	if len(params) == 0 {
		return c.test(e)
	}
	q := params[0]
	return c.quant(all, strict, q.Var, q.Domain, func() testFn { return c.quantified(all, strict, params[1:], e) })
}

// count compiles the number of values for which something holds.
func (c *compiler) count(e *Quant) evalFn {
	values := c.domain(e.Domain)
	slot := c.bind(e.Var, e.Domain)
	test := c.test(e.Body)
	return func(f []int64) int64 {
		s, n := values(f), int64(0)
		for i := uint64(0); i < s.n; i++ {
			f[slot] = s.at(i)
			if test(f) {
				n++
			}
		}
		return n
	}
}

// domain compiles the bounds of a domain; they are evaluated in the order
// from, to, by, and a step of 0 is an error.
func (c *compiler) domain(d Domain) func(f []int64) span {
	if s, ok := d.constSpan(); ok {
		return func([]int64) span { return s }
	}
	p, from, to := c.p, c.eval(d.From), c.eval(d.To)
	rumur := p.Model.Dialect == Rumur
	if d.By == nil {
		return func(f []int64) span {
			a, b := from(f), to(f)
			if rumur && b < a {
				return newSpan(a, b, -1)
			}
			return newSpan(a, b, 1)
		}
	}
	by, pos := c.eval(d.By), d.By.Position()
	return func(f []int64) span {
		a, b, step := from(f), to(f), by(f)
		if step == 0 {
			p.raise(pos, "step of 0")
		}
		if rumur && (b > a && step < 0 || b < a && step > 0) {
			p.raise(pos, "step of %d leads away from %d", step, b)
		}
		return newSpan(a, b, step)
	}
}
