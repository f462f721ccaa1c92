package model

import "slices"

// What surely is no error: expressions whose leaves may be undefined, or surely are not, and whose indices
// are in range.

// certain finds expressions whose evaluation is surely no error.
type certain struct {
	p       *Program
	there   []Expr            // slots that hold an element
	bounds  map[*Var][2]int64 // of bound variables
	defined []bool            // by leaf: it always is; nil if that is not known
}

// certain knows of the parameters of a rule.
func (p *Program) certain(params []*Param) *certain {
	c := &certain{p: p, bounds: map[*Var][2]int64{}}
	for _, q := range params {
		c.bind(q.Var, q.Domain)
	}
	return c
}

// bind notes the values of a bound variable; they may be unknown.
func (c *certain) bind(v *Var, d Domain) { noteBounds(c.bounds, v, d) }

// noteBounds notes the least and the greatest value of a bound variable, if its domain is constant.
func noteBounds(bounds map[*Var][2]int64, v *Var, d Domain) {
	delete(bounds, v)
	if s, ok := d.constSpan(); ok && s.n > 0 {
		lo, hi := s.bounds()
		bounds[v] = [2]int64{lo, hi}
	}
}

// holds reports whether e surely is no error.
func (c *certain) holds(e Expr) bool {
	switch e := e.(type) {
	case *IsUndefined:
		return c.place(e.X)
	case *Present:
		return c.slot(e.X)
	case *IsMember:
		return c.operand(e.X)
	case *Not:
		return c.holds(e.X)
	case *Quant:
		return c.body(e.Var, e.Domain, e.Body)
	case *Binary:
		switch e.Op {
		case And:
			n := len(c.there)
			ok := c.holds(e.X)
			for _, x := range Conjuncts(e.X) {
				c.found(x)
			}
			ok = ok && c.holds(e.Y)
			c.there = c.there[:n]
			return ok
		case Or, Implies:
			return c.holds(e.X) && c.holds(e.Y)
		case Eq, Ne, Lt, Le, Gt, Ge:
			equal := e.Op == Eq || e.Op == Ne
			return (equal || c.number(e.X)) && c.operand(e.X) && (equal || c.number(e.Y)) && c.operand(e.Y)
		}
	}
	return c.number(e)
}

// found notes that e, a conjunct, is true.
func (c *certain) found(e Expr) {
	if s, ok := e.(*Present); ok {
		c.there = append(c.there, s.X)
	}
}

func (c *certain) body(v *Var, d Domain, e Expr) bool {
	s, ok := d.constSpan()
	if !ok || s.n == 0 {
		return ok
	}
	c.bind(v, d)
	return c.holds(e)
}

// operand reports whether x may be compared, even if it is undefined.
func (c *certain) operand(x Expr) bool {
	if c.number(x) {
		return true
	}
	from := source(x)
	if from != x && x.Type().Kind != Union {
		return false // a conversion may fail
	}
	if y, ok := from.(*Ref); ok && y.Var.Kind == BoundVar {
		return from == x || c.within(from, from.Type())
	}
	return Designator(from) && c.p.Model.Dialect.TestsUndefined(x) && c.place(from)
}

// number reports whether x surely has a value.
func (c *certain) number(x Expr) bool {
	switch y := x.(type) {
	case *Quant:
		return y.Counts && c.body(y.Var, y.Domain, y.Body)
	case *Ref:
		if y.Var.Kind == BoundVar {
			return true
		}
	}
	_, _, ok := c.span(x)
	return ok
}

// span returns the least and greatest value that x may have; ok is false if it may be an error
// or is not known.
func (c *certain) span(x Expr) (lo, hi int64, ok bool) {
	if k, ok := constant(x); ok {
		return k, k, true
	}
	switch x := x.(type) {
	case *Ref, *FieldSel, *IndexSel:
		if r, is := x.(*Ref); is && r.Var.Kind == BoundVar {
			b, ok := c.bounds[r.Var]
			return b[0], b[1], ok
		}
		return x.Type().Lo, x.Type().Hi, x.Type().Simple() && c.always(x)
	case *Binary:
		if x.Op < Add {
			return 0, 0, false
		}
		a, b, ok := c.span(x.X)
		d, e, ok2 := c.span(x.Y)
		if !ok || !ok2 || max(-a, b, -d, e) > 1<<30 {
			return 0, 0, false
		}
		switch x.Op {
		case Add:
			return a + d, b + e, true
		case Sub:
			return a - e, b - d, true
		case Mod:
			if d > 0 && a >= 0 {
				return 0, min(b, e-1), true
			}
		}
	}
	return 0, 0, false
}

// always reports whether all leaves that a designator may stand for are always defined.
func (c *certain) always(x Expr) bool {
	all := c.defined != nil && c.place(x)
	p, ok := PlaceOf(x, nil, func(Expr) (int64, bool) { return 0, false })
	for i := range p.Dims {
		d := &p.Dims[i]
		if lo, hi, ok := c.span(d.Index); all && ok {
			p.At, d.Card = p.At+int(lo-d.Lo)*d.Stride, int(hi-lo)+1
		}
	}
	p.Leaves(func(leaf int) { all = all && c.defined[leaf] })
	return all && ok
}

// place reports whether no index in a designator may be wrong.
func (c *certain) place(x Expr) bool {
	switch x := x.(type) {
	case *Ref:
		return x.Var.Kind == StateVar
	case *FieldSel:
		return c.place(x.X)
	case *IndexSel:
		if x.X.Type().Kind == Multiset && !slices.ContainsFunc(c.there, func(y Expr) bool { return SamePlace(x, y) }) {
			return false
		}
		return c.slot(x)
	}
	return false
}

// slot is place for a slot that may be free.
func (c *certain) slot(x *IndexSel) bool { return c.place(x.X) && c.within(x.Index, x.X.Type().Index) }

// within reports whether an index surely lies in t.
func (c *certain) within(x Expr, t *Type) bool {
	if to, ok := x.(*Convert); ok && to.To.Kind == Union {
		return c.within(to.X, to.X.Type())
	}
	lo, hi, ok := c.span(x)
	return ok && t.Lo <= lo && hi <= t.Hi
}
