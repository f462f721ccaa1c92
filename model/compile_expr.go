package model

import "fmt"

// address is where a designator lives in the frame: at base plus the sum of
// its terms.
type address struct {
	base  int
	terms []term
	text  string // for messages: the designator with its variable indices elided
	leaf  bool   // part of a state variable
}

// term is (index - lo) * stride for an index that is not constant.
type term struct {
	index   evalFn
	lo, hi  int64
	stride  int
	checked bool // the index may lie outside lo..hi
	slot    int  // where the index is kept if it is a bound variable, else -1
	pos     Pos
}

// row returns base, slot and stride of the common address that is base plus
// stride times a bound variable.
func (a *address) row() (base, slot, stride int, ok bool) {
	if len(a.terms) != 1 || a.terms[0].checked || a.terms[0].slot < 0 {
		return 0, 0, 0, false
	}
	t := &a.terms[0]
	return a.base - int(t.lo)*t.stride, t.slot, t.stride, true
}

// raise panics with a run-time error.
func (p *Program) raise(pos Pos, format string, args ...any) {
	panic(&fault{p.runtime, pos, fmt.Sprintf(format, args...)})
}

// address resolves a designator.
func (c *compiler) address(e Expr) address {
	switch e := e.(type) {
	case *Ref:
		if e.Var.Kind == StateVar {
			return address{base: e.Var.Offset, text: e.Var.Name, leaf: true}
		}
		s, ok := c.slots[e.Var]
		if !ok {
			panic(fmt.Sprintf("model: %v: variable %s is not in scope", e.Pos, e.Var.Name))
		}
		return address{base: s, text: e.Var.Name}
	case *FieldSel:
		a := c.address(e.X)
		f := e.X.Type().Fields[e.Field]
		a.base += f.Offset
		a.text += "." + f.Name
		return a
	case *IndexSel:
		a := c.address(e.X)
		t := e.X.Type()
		lo, hi, stride := t.Index.Lo, t.Index.Hi, t.Elem.Leaves
		if k, ok := constant(e.Index); ok && k >= lo && k <= hi {
			a.base += int(k-lo) * stride
			a.text += "[" + t.Index.Format(k) + "]"
			return a
		}
		a.text += "[…]"
		a.terms = append(a.terms[:len(a.terms):len(a.terms)], term{
			index: c.eval(e.Index), lo: lo, hi: hi, stride: stride,
			checked: !c.within(e.Index, lo, hi), slot: c.boundSlot(e.Index), pos: e.Pos,
		})
		return a
	}
	panic(fmt.Sprintf("model: %v: not a designator", e.Position()))
}

// boundSlot returns the slot of a bound variable, and -1 for another expression.
func (c *compiler) boundSlot(e Expr) int {
	if r, ok := e.(*Ref); ok && r.Var.Kind == BoundVar {
		return c.slots[r.Var]
	}
	return -1
}

// within reports whether the value of e, once it is defined, is surely in
// lo..hi.
func (c *compiler) within(e Expr, lo, hi int64) bool {
	if k, ok := constant(e); ok {
		return lo <= k && k <= hi
	}
	if r, ok := e.(*Ref); ok && r.Var.Kind == BoundVar {
		b, ok := c.bounds[r.Var]
		return ok && lo <= b[0] && b[1] <= hi
	}
	t := e.Type()
	return designator(e) && t.Kind != Integer && lo <= t.Lo && t.Hi <= hi
}

func designator(e Expr) bool {
	switch e.(type) {
	case *Ref, *FieldSel, *IndexSel:
		return true
	}
	return false
}

// locate returns the function from frame to offset of an address with terms.
func (c *compiler) locate(a address) func(f []int64) int {
	p := c.p
	if base, slot, stride, ok := a.row(); ok {
		return func(f []int64) int { return base + int(f[slot])*stride }
	}
	if len(a.terms) == 1 {
		t, base := a.terms[0], a.base
		index, stride, lo := t.index, t.stride, t.lo
		if !t.checked {
			base -= int(lo) * stride
			return func(f []int64) int { return base + int(index(f))*stride }
		}
		return func(f []int64) int {
			i := index(f)
			if i < lo || i > t.hi {
				p.badIndex(t, a, i)
			}
			return base + int(i-lo)*stride
		}
	}
	return func(f []int64) int {
		at := a.base
		for k := range a.terms {
			t := &a.terms[k]
			i := t.index(f)
			if t.checked && (i < t.lo || i > t.hi) {
				p.badIndex(*t, a, i)
			}
			at += int(i-t.lo) * t.stride
		}
		return at
	}
}

func (p *Program) badIndex(t term, a address, i int64) {
	p.raise(t.pos, "index %d of %s is outside %d..%d", i, a.text, t.lo, t.hi)
}

// undefined raises the error of reading the undefined frame entry at.
func (p *Program) undefined(pos Pos, a *address, at int) {
	name := a.text
	if a.leaf {
		name = p.leaves[at].Name
	}
	p.raise(pos, "%s is undefined", name)
}

// load reads a designator of simple type as it is, undefined or not.
func (c *compiler) load(e Expr) evalFn {
	a := c.address(e)
	if base := a.base; len(a.terms) == 0 {
		return func(f []int64) int64 { return f[base] }
	}
	at := c.locate(a)
	return func(f []int64) int64 { return f[at(f)] }
}

// raw compiles an expression of simple type that may have the value Undef: that
// of an undefined designator, or of one chosen by ?:.
func (c *compiler) raw(e Expr) evalFn {
	if designator(e) {
		return c.load(e)
	}
	k, ok := e.(*Cond)
	if !ok {
		return c.eval(e)
	}
	test, then, els := c.test(k.If), c.raw(k.Then), c.raw(k.Else)
	return func(f []int64) int64 {
		if test(f) {
			return then(f)
		}
		return els(f)
	}
}

// read reads a designator of simple type; undefined is an error.
func (c *compiler) read(e Expr) evalFn {
	a, p, pos := c.address(e), c.p, e.Position()
	if len(a.terms) == 0 {
		base := a.base
		if r, ok := e.(*Ref); ok && r.Var.Kind == BoundVar {
			return func(f []int64) int64 { return f[base] }
		}
		return func(f []int64) int64 {
			v := f[base]
			if v == Undef {
				p.undefined(pos, &a, base)
			}
			return v
		}
	}
	if base, slot, stride, ok := a.row(); ok {
		return func(f []int64) int64 {
			i := base + int(f[slot])*stride
			v := f[i]
			if v == Undef {
				p.undefined(pos, &a, i)
			}
			return v
		}
	}
	at := c.locate(a)
	return func(f []int64) int64 {
		i := at(f)
		v := f[i]
		if v == Undef {
			p.undefined(pos, &a, i)
		}
		return v
	}
}

// eval compiles an expression of simple type; a boolean is 0 or 1.
func (c *compiler) eval(e Expr) evalFn {
	if k, ok := constant(e); ok {
		return func([]int64) int64 { return k }
	}
	switch e := e.(type) {
	case *Ref, *FieldSel, *IndexSel:
		return c.read(e)
	case *Cond:
		test, then, els := c.test(e.If), c.eval(e.Then), c.eval(e.Else)
		return func(f []int64) int64 {
			if test(f) {
				return then(f)
			}
			return els(f)
		}
	case *Unary:
		if e.Op == Neg {
			return c.arith(Sub, &ConstExpr{T: IntType, Pos: e.Pos}, e.X, e.Pos)
		}
	case *Binary:
		if e.Op >= Add {
			return c.arith(e.Op, e.X, e.Y, e.Pos)
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
		r, ok := arith(op, a, b)
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
		read := c.read(e)
		return func(f []int64) bool { return read(f) != 0 }
	case *Unary:
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
		return c.quant(e.All, e.Var, e.Domain, func() testFn { return c.test(e.Body) })
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
	operand := c.eval
	if c.p.Model.Dialect == CMurphi && e.X.Type().Kind == Scalarset {
		operand = c.raw
	}
	ex, ey := e.X, e.Y
	if _, ok := constant(ex); ok {
		ex, ey = ey, ex
	}
	x := operand(ex)
	if k, ok := constant(ey); ok {
		if test := c.equalConst(ex, e.Op == Eq, k); test != nil {
			return test
		}
		if e.Op == Eq {
			return func(f []int64) bool { return x(f) == k }
		}
		return func(f []int64) bool { return x(f) != k }
	}
	y := operand(ey)
	if e.Op == Eq {
		return func(f []int64) bool { return x(f) == y(f) }
	}
	return func(f []int64) bool { return x(f) != y(f) }
}

// equalConst compiles the test of a leaf that must be defined against a
// constant without calls, for the two common kinds of address; otherwise it
// returns nil.
func (c *compiler) equalConst(e Expr, eq bool, k int64) testFn {
	if !designator(e) || c.boundSlot(e) >= 0 || c.p.Model.Dialect == CMurphi && e.Type().Kind == Scalarset {
		return nil
	}
	a, p, pos := c.address(e), c.p, e.Position()
	if base := a.base; len(a.terms) == 0 {
		return func(f []int64) bool {
			v := f[base]
			if v == Undef {
				p.undefined(pos, &a, base)
			}
			return (v == k) == eq
		}
	}
	base, slot, stride, ok := a.row()
	if !ok {
		return nil
	}
	return func(f []int64) bool {
		i := base + int(f[slot])*stride
		v := f[i]
		if v == Undef {
			p.undefined(pos, &a, i)
		}
		return (v == k) == eq
	}
}

// quant compiles forall (all) or exists.
func (c *compiler) quant(all bool, v *Var, d Domain, body func() testFn) testFn {
	slot := c.bind(v, d)
	test := body()
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

// forall compiles e quantified over parameters.
func (c *compiler) forall(params []*Param, e Expr) testFn {
	if len(params) == 0 {
		return c.test(e)
	}
	q := params[0]
	return c.quant(true, q.Var, q.Domain, func() testFn { return c.forall(params[1:], e) })
}

// domain compiles the bounds of a domain; they are evaluated in the order
// from, to, by, and a step of 0 is an error.
func (c *compiler) domain(d Domain) func(f []int64) span {
	if s, ok := d.constSpan(); ok {
		return func([]int64) span { return s }
	}
	p, from, to := c.p, c.eval(d.From), c.eval(d.To)
	by, pos := func([]int64) int64 { return 1 }, d.From.Position()
	if d.By != nil {
		by, pos = c.eval(d.By), d.By.Position()
	}
	return func(f []int64) span {
		a, b, step := from(f), to(f), by(f)
		if step == 0 {
			p.raise(pos, "step of 0")
		}
		return newSpan(a, b, step)
	}
}
