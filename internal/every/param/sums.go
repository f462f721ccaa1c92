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
func (ru *run) increment(s *model.Assign) (base *model.Var, path string, k int64) {
	b, ok := s.RHS.(*model.Binary)
	if !ok || b.Op != model.Add {
		return nil, "", 0
	}
	c, ok := b.Y.(*model.ConstExpr)
	if !ok || c.Value <= 0 && !ru.rules.falling || c.Value > maxCases || c.Size.Const != "" {
		return nil, "", 0
	}
	base, path = fieldOf(s.LHS)
	if other, p := fieldOf(b.X); base == nil || other != base || p != path {
		return nil, "", 0
	}
	return base, path, c.Value
}

// summedIn returns what the body of a loop adds to, and does nothing else with.
func (ru *run) summedIn(s *model.For) (out []*summed) {
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
			base, path, _ := ru.increment(n)
			if base == nil {
				return
			}
			if found[base] == nil {
				found[base] = &summed{base: base, path: path, loop: ru.loops + 1}
				order = append(order, base)
			}
			mixed[base] = mixed[base] || found[base].path != path
			uses[base] -= 2
		}
	})
	for _, base := range order {
		inst := ru.holder(base)
		if uses[base] != 0 && !ru.rules.read || mixed[base] || inst == nil || ru.summedAt(base) != nil {
			continue
		}
		if base.Kind == model.StateVar && calls {
			continue // they may use it
		}
		// It must have no other name.
		if slices.ContainsFunc(order, func(v *model.Var) bool { return v != base && ru.names(v, inst) }) {
			continue
		}
		other := false
		for v := range uses {
			other = other || v != base && ru.names(v, inst)
		}
		if !other {
			found[base].inst = inst
			out = append(out, found[base])
		}
	}
	return out
}

// names reports whether a variable is a name of a part of another one.
func (ru *run) names(v *model.Var, inst *instance) bool {
	b := ru.env[v]
	return b.inst == inst || slices.ContainsFunc(b.at, func(p place) bool { return p.inst == inst })
}

// holder returns the instance of a variable that is no other name; nil if it is one.
func (ru *run) holder(v *model.Var) *instance {
	switch v.Kind {
	case model.StateVar:
		return ru.stateOf(v)
	case model.LocalVar:
		return ru.env[v].inst
	}
	return nil
}

// summedAt returns what is noted of a variable to which iterations add.
func (ru *run) summedAt(base *model.Var) *summed {
	for _, s := range ru.sums {
		if s.base == base && (s.inst == ru.holder(base) || ru.rules.callee) {
			return s
		}
	}
	return nil
}

// adds notes a statement that adds to what is summed, and reports whether it is one.
func (ru *run) adds(s *model.Assign) bool {
	base, _, k := ru.increment(s)
	if base == nil {
		return false
	}
	to := ru.summedAt(base)
	if to == nil {
		return false
	}
	if to.loop != ru.loops {
		refuse(s.Pos, "%s sums over choices of several components, which is not proved for every size", base.Name)
	}
	to.adds = append(to.adds, add{ru.live(), k, s})
	return true
}

// finish writes what is summed after a loop over v.
func (ru *run) finish(s *summed, v Term) {
	for _, a := range s.adds {
		if a.guard == False {
			continue
		}
		parts := []Formula{a.guard}
		if n := ru.Node(a.guard); n.Kind == And && !a.guard.Negated() {
			parts = n.Kids
		}
		var each, once []Formula
		for _, f := range parts {
			if slices.Contains(ru.Node(f).Free, v) {
				each = append(each, f)
			} else {
				once = append(once, f)
			}
		}
		ru.within(ru.And(once...), func() {
			pos := a.to.Pos
			dst := ru.place(a.to.LHS)
			old := ru.load(dst, pos)
			if u := old.undef(); u != False {
				ru.fail(ru.runtime, ru.And(u, ru.Exists(v, ru.And(each...))))
			}
			sum := ru.arith(model.Add, old.defined(), value{{True, ru.ofNumber(ru.Sum(0, Addend{a.k, ru.Count(v, ru.And(each...))}))}}, pos)
			ru.storeAll(dst, ru.fit(ru.under(sum, True, old.onlyUndefined()), a.to.LHS.Type(), true, pos), pos)
		})
	}
}
