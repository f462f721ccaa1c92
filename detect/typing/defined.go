package typing

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

// This file finds the leaves of states that are defined in every reachable state. Such a leaf
// is defined in every start state, and no statement may make it undefined. The start states are
// run. All elements of an array count as one leaf, so the set of these leaves is closed under
// permutations. A leaf of a multiset counts only where the slot holds an element.

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
	a.findCopied()
	for changed := true; changed; {
		before := len(a.known)
		for _, u := range a.units {
			if !u.start {
				u.inspect(a.undefines)
			}
		}
		changed = len(a.known) != before
	}
}

// findCopied gives keys to the locals that are made with a value: parameters by value, and names for values.
func (a *analysis) findCopied() {
	a.copied = make(map[*model.Var]string)
	local := func(v *model.Var) {
		if v.Kind == model.LocalVar {
			a.copied[v] = fmt.Sprint("local ", len(a.copied))
			leaves(v.Type, a.copied[v], func(key string) { a.known[key] = true })
		}
	}
	visit := func(n any) {
		if v, _ := model.Named(n); v != nil {
			local(v)
		}
	}
	for _, u := range a.units {
		if u.proc != nil {
			for _, f := range u.proc.Params {
				local(f.Var)
			}
		}
		u.inspect(visit)
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
// denote a local, which may be undefined.
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
			case model.BoundVar: // its value is defined
				return nil, false
			case model.RefVar:
				return a.keysOfVar(x.Var, suffix, open)
			case model.LocalVar:
				if key, ok := a.copied[x.Var]; ok {
					return []string{key + suffix}, false
				}
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
			if key, ok := a.copied[r]; ok || r.Kind == model.StateVar {
				if !ok {
					key = r.Name
				}
				leaves(r.Type, key, func(key string) { keys = append(keys, key) })
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

// drop drops the leaves of a place.
func (a *analysis) drop(x model.Expr) {
	keys, _ := a.keysOf(x)
	leaves(x.Type(), "", func(part string) { a.dropPart(keys, part) })
}

func (a *analysis) dropPart(keys []string, part string) {
	for _, k := range keys {
		delete(a.known, k+part)
		delete(a.known, k) // one of keysOfVar that names a leaf
	}
}

// copies drops what copying e, of any type, to a part of places may make undefined.
func (a *analysis) copies(keys []string, to string, e model.Expr) {
	leaves(e.Type(), "", func(part string) {
		if !a.definedPart(e, part) {
			a.dropPart(keys, to+part)
		}
	})
}

// definedPart reports whether a leaf of the value of e, or the value if part is "", is surely defined.
func (a *analysis) definedPart(e model.Expr, part string) bool {
	switch e := e.(type) {
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		keys, local := a.keysOf(e)
		return !local && !slices.ContainsFunc(keys, func(k string) bool { return !a.known[k+part] })
	case *model.Cond:
		return a.definedPart(e.Then, part) && a.definedPart(e.Else, part)
	case *model.Convert:
		return a.definedPart(e.X, part)
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
		if !s.LHS.Type().Simple() || s.CopiesUndefined(d) {
			keys, _ := a.keysOf(s.LHS)
			a.copies(keys, "", s.RHS)
		}
	case *model.Reset:
		if !s.Least {
			a.drop(s.X)
		}
	case *model.Insert:
		if !s.Set.Type().Elem.Simple() || s.CopiesUndefined(d) {
			keys, _ := a.keysOf(s.Set)
			a.copies(keys, "[]", s.X)
		}
	case *model.Let, *model.Alias:
		a.namesValue(model.Named(s))
	case *model.Call, *model.CallExpr:
		a.arguments(model.Called(s))
	}
}

// namesValue drops what is undefined in a local that names the value of an expression.
func (a *analysis) namesValue(v *model.Var, x model.Expr) {
	if v.Kind == model.LocalVar {
		a.undefines(&model.Assign{LHS: &model.Ref{Var: v}, RHS: x})
	}
}

func (a *analysis) arguments(p *model.Proc, args []model.Expr) {
	for i, f := range p.Params {
		if !f.ByRef && (!f.Var.Type.Simple() || f.CopiesUndefined(args[i], a.m.Dialect)) {
			a.copies([]string{a.copied[f.Var]}, "", args[i])
		}
	}
}
