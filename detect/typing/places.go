package typing

import (
	"fmt"
	"maps"

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
			if v, x := model.Named(n); v != nil {
				bind(v, x)
			}
			if p, args := model.Called(n); p != nil {
				for i, f := range p.Params {
					bind(f.Var, args[i])
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
	for x := range model.Within(e) {
		if i, ok := x.(*model.IndexSel); ok && i.X.Type().Kind == model.Multiset {
			t.sets[i.X.Type()] = true
		}
	}
	v := model.Root(e)
	if v != nil && v.Kind != model.RefVar {
		t.roots[v] = true
	} else if from := a.targets[v]; from != nil {
		maps.Copy(t.roots, from.roots)
		maps.Copy(t.sets, from.sets)
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

// leafKeys returns the simple types that leaves of t have.
func leafKeys(t *model.Type) map[string]bool {
	keys := make(map[string]bool)
	for u := range t.All() {
		switch {
		case u.Numeric():
			keys[fmt.Sprint(u.Lo, "..", u.Hi)] = true
		case u.Simple():
			keys[fmt.Sprintf("%p", u)] = true
		}
	}
	return keys
}

// overlap reports whether places of two types may have a leaf in common.
func overlap(t, u *model.Type) bool {
	if t == u {
		return true
	}
	b := leafKeys(u)
	for k := range leafKeys(t) {
		if b[k] {
			return true
		}
	}
	return false
}
