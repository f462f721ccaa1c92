package param

import (
	"slices"

	"orbitmc/model"
)

// This file runs loops over a free class that count: D := D + k, for a positive number k, is all
// that the body has of D. Then the value of D after the loop is that before it plus k for each
// component whose iteration gets there. Values in between are not larger, so D leaves its range
// in the loop iff it is outside of it at the end.

// summed is a designator to which the iterations of a loop add.
type summed struct {
	base *model.Var
	inst *instance // base in the call at hand: one further in has its own
	path string    // fields of it
	loop int       // how many loops are around the statements that add
	adds []add
}

// add is a statement that adds in an iteration, and when it is reached.
type add struct {
	guard Formula
	k     int64
	to    *model.Assign
}

// fieldOf returns the variable and the fields that a designator without indices is.
func fieldOf(e model.Expr) (base *model.Var, path string) {
	switch e := e.(type) {
	case *model.Ref:
		return e.Var, ""
	case *model.FieldSel:
		if base, path = fieldOf(e.X); base != nil {
			return base, path + "." + e.X.Type().Fields[e.Field].Name
		}
	}
	return nil, ""
}

// increment returns the parts of D := D + k.
func (x *run) increment(s *model.Assign) (base *model.Var, path string, k int64) {
	b, ok := s.RHS.(*model.Binary)
	if !ok || b.Op != model.Add {
		return nil, "", 0
	}
	c, ok := b.Y.(*model.ConstExpr)
	if !ok || c.Value <= 0 && !x.rules.falling || c.Value > maxCases || c.Size.Const != "" {
		return nil, "", 0
	}
	base, path = fieldOf(s.LHS)
	if other, p := fieldOf(b.X); base == nil || other != base || p != path {
		return nil, "", 0
	}
	return base, path, c.Value
}

// summedIn returns what the body of a loop adds to, and does nothing else with.
func (x *run) summedIn(s *model.For) (out []*summed) {
	uses := make(map[*model.Var]int)
	var order []*model.Var
	calls := false
	found := make(map[*model.Var]*summed)
	mixed := make(map[*model.Var]bool)
	model.Inspect(s.Body, func(n any) {
		switch n := n.(type) {
		case *model.Ref:
			uses[n.Var]++
		case *model.CallExpr, *model.Call:
			calls = true
		case *model.Assign:
			base, path, _ := x.increment(n)
			if base == nil {
				return
			}
			if found[base] == nil {
				found[base] = &summed{base: base, path: path, loop: x.loops + 1}
				order = append(order, base)
			}
			mixed[base] = mixed[base] || found[base].path != path
			uses[base] -= 2
		}
	})
	for _, base := range order {
		inst := x.holder(base)
		if uses[base] != 0 && !x.rules.read || mixed[base] || inst == nil || x.summedAt(base) != nil {
			continue
		}
		if base.Kind == model.StateVar && calls {
			continue // they may use it
		}
		// It must have no other name.
		if slices.ContainsFunc(order, func(v *model.Var) bool { return v != base && x.names(v, inst) }) {
			continue
		}
		other := false
		for v := range uses {
			other = other || v != base && x.names(v, inst)
		}
		if !other {
			found[base].inst = inst
			out = append(out, found[base])
		}
	}
	return out
}

// names reports whether a variable is a name of a part of another one.
func (x *run) names(v *model.Var, inst *instance) bool {
	b := x.env[v]
	return b.inst == inst || slices.ContainsFunc(b.at, func(p place) bool { return p.inst == inst })
}

// holder returns the instance of a variable that is no other name; nil if it is one.
func (x *run) holder(v *model.Var) *instance {
	switch v.Kind {
	case model.StateVar:
		return x.stateOf(v)
	case model.LocalVar:
		return x.env[v].inst
	}
	return nil
}

// summedAt returns what is noted of a variable to which iterations add.
func (x *run) summedAt(base *model.Var) *summed {
	for _, s := range x.sums {
		if s.base == base && (s.inst == x.holder(base) || x.rules.callee) {
			return s
		}
	}
	return nil
}

// adds notes a statement that adds to what is summed, and reports whether it is one.
func (x *run) adds(s *model.Assign) bool {
	base, _, k := x.increment(s)
	if base == nil {
		return false
	}
	to := x.summedAt(base)
	if to == nil {
		return false
	}
	if to.loop != x.loops {
		refuse(s.Pos, "%s sums over choices of several components, which is not proved for every size", base.Name)
	}
	to.adds = append(to.adds, add{x.live(), k, s})
	return true
}

// finish writes what is summed after a loop over v.
func (x *run) finish(s *summed, v Term) {
	for _, a := range s.adds {
		if a.guard == False {
			continue
		}
		parts := []Formula{a.guard}
		if n := x.Node(a.guard); n.Kind == And && !a.guard.Negated() {
			parts = n.Kids
		}
		var each, once []Formula
		for _, f := range parts {
			if slices.Contains(x.Node(f).Free, v) {
				each = append(each, f)
			} else {
				once = append(once, f)
			}
		}
		x.within(x.And(once...), func() {
			pos := a.to.Pos
			dst := x.place(a.to.LHS)
			old := x.load(dst, pos)
			if u := old.undef(); u != False {
				x.fail(x.runtime, x.And(u, x.Exists(v, x.And(each...))))
			}
			sum := x.arith(model.Add, old.defined(), value{{True, x.ofNumber(x.Sum(0, Addend{a.k, x.Count(v, x.And(each...))}))}}, pos)
			x.storeAll(dst, x.fit(x.under(sum, True, old.onlyUndefined()), a.to.LHS.Type(), true, pos), pos)
		})
	}
}
