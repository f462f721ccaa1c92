package typing

import (
	"fmt"

	"orbitmc/model"
)

// This file finds the leaves of states that are defined in every reachable state: those
// that are so in every start state, found by running these, and that no statement may
// make undefined. All elements of an array count as one, so the set is closed under
// permutations. Those of a multiset count where the slot holds an element.

// mostStarts is how many start states are run at most; beyond it nothing is known.
const mostStarts = 4096

func (a *analysis) findDefined() {
	a.known = make(map[string]bool)
	total := uint64(0)
	for _, r := range a.m.Starts {
		n := uint64(1)
		for _, p := range r.Params {
			if n *= p.Domain.Size(); n > mostStarts {
				return
			}
		}
		if total += n; total > mostStarts {
			return
		}
	}
	for _, v := range a.m.Vars {
		leaves(v.Type, v.Name, func(key string) { a.known[key] = true })
	}
	model.Compile(a.m).NewMachine().Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
		if s != nil {
			for _, v := range a.m.Vars {
				a.look(s[v.Offset:], v.Type, v.Name)
			}
		}
		return true
	})
	for changed := true; changed; {
		before := len(a.known)
		for _, u := range a.units {
			if u.rule == nil || u.rule.Index >= len(a.m.Starts) || a.m.Starts[u.rule.Index] != u.rule {
				model.Inspect(u.body, a.undefines)
			}
		}
		changed = len(a.known) != before
	}
}

// leaves calls f for the keys of the leaves of a type.
func leaves(t *model.Type, key string, f func(key string)) {
	switch t.Kind {
	case model.Array, model.Multiset:
		leaves(t.Elem, key+"[]", f)
	case model.Record:
		for i, x := range t.Fields {
			leaves(x.Type, fmt.Sprint(key, ".", i), f)
		}
	default:
		f(key)
	}
}

// look drops what is undefined in a start state.
func (a *analysis) look(s model.State, t *model.Type, key string) {
	switch t.Kind {
	case model.Array:
		for i := range int(t.Index.Card()) {
			a.look(s[i*t.Elem.Leaves:], t.Elem, key+"[]")
		}
	case model.Multiset:
		for i := range int(t.Index.Card()) {
			if at := i * (1 + t.Elem.Leaves); s[at] != model.Undef {
				a.look(s[at+1:], t.Elem, key+"[]")
			}
		}
	case model.Record:
		for i, x := range t.Fields {
			a.look(s[x.Offset:], x.Type, fmt.Sprint(key, ".", i))
		}
	default:
		if s[0] == model.Undef {
			delete(a.known, key)
		}
	}
}

// keysOf returns the keys that a designator may denote in a state; local says that it may
// denote something else.
func (a *analysis) keysOf(e model.Expr) (keys []string, local bool) {
	return a.keys(e, "", make(map[*model.Var]bool))
}

func (a *analysis) keys(e model.Expr, suffix string, open map[*model.Var]bool) (keys []string, local bool) {
	for {
		switch x := e.(type) {
		case *model.FieldSel:
			suffix = fmt.Sprint(".", x.Field) + suffix
			e = x.X
			continue
		case *model.IndexSel:
			suffix = "[]" + suffix
			e = x.X
			continue
		case *model.Ref:
			switch x.Var.Kind {
			case model.StateVar:
				return []string{x.Var.Name + suffix}, false
			case model.RefVar:
				return a.keysOfVar(x.Var, suffix, open)
			}
		}
		return nil, true
	}
}

func (a *analysis) keysOfVar(v *model.Var, suffix string, open map[*model.Var]bool) (keys []string, local bool) {
	t := a.targets[v]
	if t == nil {
		return nil, false
	}
	if open[v] { // recursion: any part of the variables
		for r := range t.roots {
			if r.Kind == model.StateVar {
				leaves(r.Type, r.Name, func(key string) { keys = append(keys, key) })
			}
		}
		return keys, true
	}
	open[v] = true
	defer delete(open, v)
	for _, b := range t.binds {
		ks, l := a.keys(b, suffix, open)
		keys, local = append(keys, ks...), local || l
	}
	return keys, local
}

// drop drops the leaves of a place of type t.
func (a *analysis) drop(x model.Expr) {
	keys, _ := a.keysOf(x)
	for _, k := range keys {
		leaves(x.Type(), k, func(key string) { delete(a.known, key) })
		delete(a.known, k)
	}
}

// defined reports whether the value of e, or each leaf of it, is surely defined.
func (a *analysis) defined(e model.Expr) bool {
	switch e := e.(type) {
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		if r, ok := e.(*model.Ref); ok && r.Var.Kind == model.BoundVar {
			return true
		}
		keys, local := a.keysOf(e)
		ok := !local
		for _, k := range keys {
			leaves(e.Type(), k, func(key string) { ok = ok && a.known[key] })
		}
		return ok
	case *model.Cond:
		return a.defined(e.Then) && a.defined(e.Else)
	case *model.Convert:
		return a.defined(e.X)
	case *model.CallExpr, *model.Let:
		return false
	}
	return true
}

// undefines drops what a statement may make undefined.
func (a *analysis) undefines(n any) {
	d := a.m.Dialect
	switch s := n.(type) {
	case *model.Assign:
		if s.LHS.Type().Simple() && !s.CopiesUndefined(d) || a.defined(s.RHS) {
			return
		}
		a.drop(s.LHS)
	case *model.Undefine:
		a.drop(s.X)
	case *model.Insert:
		t := s.Set.Type().Elem
		if t.Simple() && !s.CopiesUndefined(d) || a.defined(s.X) {
			return
		}
		keys, _ := a.keysOf(s.Set)
		for _, k := range keys {
			leaves(t, k+"[]", func(key string) { delete(a.known, key) })
		}
	}
}
