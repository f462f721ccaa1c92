package typing

import (
	"fmt"

	"orbitmc/model"
)

// This file finds out what variables by reference may stand for: the state variables
// and locals they are parts of, over all calls, and the multisets whose elements.

// target is what a RefVar may stand for a part of.
type target struct {
	roots map[*model.Var]bool
	sets  map[*model.Type]bool // multiset types of which it may be in an element
	binds []model.Expr
}

// findTargets fills in targets, by a fixed point over all that is passed.
func (a *analysis) findTargets() {
	a.targets = make(map[*model.Var]*target)
	bind := func(v *model.Var, e model.Expr) {
		if v.Kind != model.RefVar {
			return
		}
		t := a.targets[v]
		if t == nil {
			t = &target{roots: make(map[*model.Var]bool), sets: make(map[*model.Type]bool)}
			a.targets[v] = t
		}
		t.binds = append(t.binds, e)
	}
	for _, u := range a.units {
		visit := func(n any) {
			switch n := n.(type) {
			case *model.Let:
				bind(n.Var, n.X)
			case *model.Alias:
				bind(n.Var, n.X)
			case *model.Call:
				for i, f := range n.Proc.Params {
					bind(f.Var, n.Args[i])
				}
			case *model.CallExpr:
				for i, f := range n.Proc.Params {
					bind(f.Var, n.Args[i])
				}
			}
		}
		u.inspect(visit)
	}
	for changed := true; changed; {
		changed = false
		for _, t := range a.targets {
			before := len(t.roots) + len(t.sets)
			for _, e := range t.binds {
				a.spread(t, e)
			}
			changed = changed || len(t.roots)+len(t.sets) != before
		}
	}
}

func (a *analysis) spread(t *target, e model.Expr) {
	for {
		switch x := e.(type) {
		case *model.FieldSel:
			e = x.X
			continue
		case *model.IndexSel:
			if s := x.X.Type(); s.Kind == model.Multiset {
				t.sets[s] = true
			}
			e = x.X
			continue
		case *model.Ref:
			if x.Var.Kind != model.RefVar {
				t.roots[x.Var] = true
			} else if from := a.targets[x.Var]; from != nil {
				for v := range from.roots {
					t.roots[v] = true
				}
				for s := range from.sets {
					t.sets[s] = true
				}
			}
		}
		return
	}
}

// meet reports whether two variables may have a place in common.
func (a *analysis) meet(v, w *model.Var) bool {
	if v == w {
		return true
	}
	t, u := a.targets[v], a.targets[w]
	switch {
	case v.Kind == model.RefVar && w.Kind == model.RefVar:
		for x := range t.all() {
			if u.all()[x] {
				return true
			}
		}
		return false
	case v.Kind == model.RefVar:
		return t.all()[w]
	case w.Kind == model.RefVar:
		return u.all()[v]
	}
	return false
}

func (t *target) all() map[*model.Var]bool {
	if t == nil {
		return nil // never bound: never run
	}
	return t.roots
}

// leafKeys adds the simple types that leaves of t have.
func leafKeys(t *model.Type, keys map[string]bool) {
	switch t.Kind {
	case model.Array:
		leafKeys(t.Elem, keys)
	case model.Multiset:
		leafKeys(t.Elem, keys)
	case model.Record:
		for _, f := range t.Fields {
			leafKeys(f.Type, keys)
		}
	case model.Range, model.Integer:
		keys[fmt.Sprint(t.Lo, "..", t.Hi)] = true
	default:
		keys[fmt.Sprintf("%p", t)] = true
	}
}

// overlap reports whether places of two types may have a leaf in common.
func overlap(t, u *model.Type) bool {
	if t == u {
		return true
	}
	a, b := make(map[string]bool), make(map[string]bool)
	leafKeys(t, a)
	leafKeys(u, b)
	for k := range a {
		if b[k] {
			return true
		}
	}
	return false
}
