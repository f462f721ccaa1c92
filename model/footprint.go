package model

import "slices"

// What rules write and properties read: leaves of a state, at least those that
// matter. The interpreter looks for differences only where a body may have written,
// and search evaluates a property again only where something it reads has changed.

// region is a part of a state that a designator stands for: n leaves from base on,
// plus the ruleset parameter at a frame entry, if slot is not 0, times stride.
type region struct {
	base, slot, stride, n int
}

// at returns the first leaf of the region, given the frame.
func (r *region) at(f []int64) int {
	if r.slot == 0 {
		return r.base
	}
	return r.base + int(f[r.slot])*r.stride
}

// overlaps reports whether the region may, for some values of parameters, share
// leaves with a multiset of a state of n leaves.
func (r *region) overlaps(n int, set setRegion) bool {
	lo, hi := r.base, r.base+r.n
	if r.slot != 0 {
		lo, hi = 0, n
	}
	return lo < set.base+set.slots*set.stride && set.base < hi
}

// manyRegions is how many a body may write without being looked at as a whole.
const manyRegions = 32

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

// writes returns the regions that a body, whose parameters are frame entries from lo
// to hi, may write. ok is false if that is not known, or much of the state.
func (c *compiler) writes(body []Stmt, lo, hi int) (all []region, ok bool) {
	ok = true
	names := map[*Var]Expr{} // what aliases and var parameters stand for
	var visit func(n any)
	write := func(e Expr) {
		v := root(e)
		for v.Kind == RefVar && names[v] != nil && designator(names[v]) {
			v = root(names[v])
		}
		if v.Kind == LocalVar {
			return
		}
		r, _, known := c.regionOf(e, names, lo, hi)
		if !known {
			ok = false
			return
		}
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	call := func(callee *Proc, args []Expr) {
		q := c.p.procs[callee.Index]
		if !q.effect || !ok {
			return
		}
		if q.group != 0 || len(all) > manyRegions {
			ok = false
			return
		}
		for i, a := range callee.Params {
			if a.ByRef {
				names[a.Var] = args[i]
			}
		}
		Inspect(callee.Body, visit)
	}
	visit = func(n any) {
		switch n := n.(type) {
		case *Assign:
			write(n.LHS)
		case *Undefine:
			write(n.X)
		case *Clear:
			write(n.X)
		case *Insert:
			write(n.Set)
		case *Remove:
			write(n.X)
		case *Alias:
			names[n.Var] = n.X
		case *Call:
			call(n.Proc, n.Args)
		case *CallExpr:
			call(n.Proc, n.Args)
		}
	}
	Inspect(body, visit)
	total := 0
	for _, r := range all {
		total += r.n
	}
	return all, ok && 2*total <= c.p.n
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
