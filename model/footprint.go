package model

// What rules write and properties read: leaves of a state, at least those that
// matter. The interpreter looks for differences only where a body may have written,
// and search evaluates a property again only where something it reads has changed.

// region is a part of a state that a designator stands for: n leaves from base on,
// plus the ruleset parameter at a frame entry, if slot is not 0, times stride.
type region struct {
	base, slot, stride, n int
}

// regionOf returns a region that holds what e stands for. Parameters are frame entries
// from lo to hi; other indices widen the region. ok is false if e is no part of the
// state.
func (c *compiler) regionOf(e Expr, names map[*Var]Expr, lo, hi int) (r region, exact, ok bool) {
	switch e := e.(type) {
	case *Ref:
		if x := names[e.Var]; x != nil {
			return c.regionOf(x, names, lo, hi)
		}
		return region{base: e.Var.Offset, n: e.Var.Type.Leaves}, true, e.Var.Kind == StateVar
	case *FieldSel:
		r, exact, ok = c.regionOf(e.X, names, lo, hi)
		if exact {
			f := e.X.Type().Fields[e.Field]
			r.base, r.n = r.base+f.Offset, f.Type.Leaves
		}
		return r, exact, ok
	case *IndexSel:
		r, exact, ok = c.regionOf(e.X, names, lo, hi)
		t := e.X.Type()
		if !exact || t.Kind == Multiset {
			return r, false, ok // elements move when the slots are sorted
		}
		k, known := constant(e.Index)
		slot := c.boundSlot(e.Index)
		switch {
		case known && k >= t.Index.Lo && k <= t.Index.Hi:
			r.base += int(k-t.Index.Lo) * t.Elem.Leaves
		case slot >= lo && slot < hi && r.slot == 0 && c.within(e.Index, t.Index.Lo, t.Index.Hi):
			r.slot, r.stride = slot, t.Elem.Leaves
			r.base -= int(t.Index.Lo) * r.stride
		default:
			return r, false, ok
		}
		r.n = t.Elem.Leaves
		return r, true, ok
	}
	return r, false, false
}

// Reads returns the leaves that the expression of a declared property may read, by
// leaf, or nil if that may be any.
func (p *Program) Reads(prop int) []bool {
	reads := make([]bool, p.n)
	inner := map[Expr]bool{}
	c := p.newCompiler(0)
	ok := true
	Inspect(p.Model.Props[prop].Expr, func(n any) {
		e, is := n.(Expr)
		if !is {
			return
		}
		switch e := e.(type) {
		case *CallExpr:
			ok = false
		case *FieldSel:
			inner[e.X] = true
		case *IndexSel:
			inner[e.X] = true
		}
		if !designator(e) || inner[e] {
			return
		}
		if r, _, in := c.regionOf(e, nil, 0, 0); in {
			for i := range r.n {
				reads[r.base+i] = true
			}
		}
	})
	if !ok {
		return nil
	}
	return reads
}
