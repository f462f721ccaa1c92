package litmus

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file guesses a mapping. A store is a rule that writes what it chooses to a place of a core; a load reads that place where
// the state beside it is called as those are that hold the data.

var (
	holding  = regexp.MustCompile(`(?i)(^|_|^P)(M|O|E|S|modified|owned|exclusive|shared|dirty)$`)
	writable = regexp.MustCompile(`(?i)(^|_|^P)(M|modified|dirty)$`)
	ghost    = regexp.MustCompile(`(?i)last|aux|ghost|prev|curr|cache|msg|message`)
	atHome   = regexp.MustCompile(`(?i)mem|home|dir`)
)

// Guess returns the text of a mapping; "" and why there is none.
func Guess(m *model.Model) (text string, err error) {
	type store struct {
		rule  *model.Rule
		core  *model.Var
		until bool
	}
	var stores []store
	var others []string
	var data, core, value string
	var record model.Expr // around the data
	for _, r := range m.Rules {
		for _, c := range r.Params {
			for _, v := range r.Params {
				ct, vt := c.Var.Type, v.Var.Type
				if ct == vt || ct.Name == "" || vt.Name == "" || ct.Slots || vt.Slots || core != "" && (ct.Name != core || vt.Name != value) {
					continue
				}
				eachAssign(r, func(a *model.Assign, to model.Expr) {
					text, ok := textOf(to, c.Var)
					if x, is := a.RHS.(*model.Ref); !is || x.Var != v.Var || !ok || data != "" && text != data {
						return
					}
					data, core, value = text, ct.Name, vt.Name
					if f, is := to.(*model.FieldSel); is {
						record = f.X
					}
					if len(stores) == 0 || stores[len(stores)-1].rule != r {
						stores = append(stores, store{rule: r, core: c.Var})
					}
				})
			}
		}
	}
	if stores == nil {
		return "", fmt.Errorf("no rule is seen to store: one with a core and a value as parameters that writes the value to a place of the core")
	}
	state, holds, writes := stateOf(m, record, core)
	if holds == nil {
		return "", fmt.Errorf("no state of %s is called as if it held data: M, O, E, S, Modified …", core)
	}
	for i := range stores {
		eachAssign(stores[i].rule, func(a *model.Assign, to model.Expr) {
			text, _ := textOf(to, stores[i].core)
			if x, ok := a.RHS.(*model.ConstExpr); ok && text == state && !slices.Contains(holds, x.T.Format(x.Value)) {
				stores[i].until = true
			}
		})
	}
	for _, r := range m.Rules {
		for _, c := range r.Params {
			var stores *model.Assign // of a value that is no copy
			keeps := true
			eachAssign(r, func(a *model.Assign, to model.Expr) {
				text, _ := textOf(to, c.Var)
				x, fixed := a.RHS.(*model.ConstExpr)
				if text == data && !model.Designator(a.RHS) {
					stores = a
				}
				keeps = keeps && !(fixed && text == state && !slices.Contains(holds, x.T.Format(x.Value)))
			})
			if c.Var.Type.Name == core && stores != nil && keeps {
				return "", fmt.Errorf("rule %q at %v writes a value to %s that is no copy of one: no instruction stores it", r.Name, stores.Pos, data)
			}
		}
	}
	initial := initialOf(m, value, core)
	if initial == "" {
		return "", fmt.Errorf("no variable of type %s is seen to be the memory", value)
	}
	var b strings.Builder
	in := func(text, name string) string { return strings.ReplaceAll(text, "[]", "["+name+"]") }
	is := func(states []string, name string) string {
		return lists.Join(states, " | ", func(s string) string { return in(state, name) + " = " + s })
	}
	p := stores[0].core.Name
	fmt.Fprintf(&b, "core %s\nvalue %s\ninitial %s\nload for %s when %s gives %s\n", core, value, initial, p, is(holds, p), in(data, p))
	for _, s := range stores {
		fmt.Fprintf(&b, "store rule %q for %s puts %s", s.rule.Name, s.core.Name, s.rule.Params[slices.IndexFunc(s.rule.Params, func(q *model.Param) bool { return q.Var.Type.Name == value })].Var.Name)
		if s.until && writes != nil {
			b.WriteString(" until " + is(writes, s.core.Name))
		}
		b.WriteByte('\n')
	}
	for _, r := range m.Rules {
		chooses := slices.ContainsFunc(r.Params, func(q *model.Param) bool { return q.Var.Type.Name == value && uses(r, q.Var) })
		if chooses && !slices.ContainsFunc(stores, func(s store) bool { return s.rule == r }) && !slices.Contains(others, r.Name) {
			others = append(others, r.Name)
			fmt.Fprintf(&b, "without rule %q\n", r.Name)
		}
	}
	return b.String(), nil
}

// eachAssign calls f with the assignments of a rule, and what they assign to without aliases.
func eachAssign(r *model.Rule, f func(a *model.Assign, to model.Expr)) {
	named := map[*model.Var]model.Expr{}
	for _, s := range r.Body {
		model.Inspect(s, func(n any) {
			switch n := n.(type) {
			case *model.Alias:
				named[n.Var] = model.Substitute(n.X, named)
			case *model.Assign:
				f(n, model.Substitute(n.LHS, named))
			}
		})
	}
}

// textOf writes a place of a core, with [] for the index that names it.
func textOf(x model.Expr, core *model.Var) (string, bool) {
	switch x := x.(type) {
	case *model.Ref:
		return x.Var.Name, x.Var.Kind == model.StateVar
	case *model.FieldSel:
		text, ok := textOf(x.X, core)
		return text + "." + x.X.Type().Fields[x.Field].Name, ok
	case *model.IndexSel:
		index := x.Index
		if c, ok := index.(*model.Convert); ok {
			index = c.X
		}
		ref, is := index.(*model.Ref)
		text, ok := textOf(x.X, core)
		return text + "[]", ok && is && ref.Var == core && !strings.Contains(text, "[]")
	}
	return "", false
}

// stateOf finds the state of a core: a field beside the data, or an array; which of its values hold data, and may be written.
func stateOf(m *model.Model, record model.Expr, core string) (text string, holds, writes []string) {
	try := func(t string, x *model.Type) {
		if x.Kind != model.Enum || holds != nil {
			return
		}
		for v := x.Lo; v <= x.Hi; v++ {
			if name := x.Format(v); holding.MatchString(name) {
				if holds = append(holds, name); writable.MatchString(name) {
					writes = append(writes, name)
				}
			}
		}
		text = t
	}
	if record != nil {
		var around string
		model.InspectIf(record, func(n any) bool {
			if r, ok := n.(*model.Ref); ok && r.Var.Kind == model.StateVar {
				around = r.Var.Name + "[]"
			}
			return true
		})
		for _, f := range record.Type().Fields {
			try(around+"."+f.Name, f.Type)
		}
	}
	for _, v := range m.Vars {
		if v.Type.Kind == model.Array && v.Type.Index.Name == core {
			try(v.Name+"[]", v.Type.Elem)
		}
	}
	return text, holds, writes
}

// initialOf finds the memory: a place of the type of values that belongs to no core.
func initialOf(m *model.Model, value, core string) (best string) {
	for _, v := range m.Vars {
		places := map[string]*model.Type{v.Name: v.Type}
		if v.Type.Kind == model.Record {
			for _, f := range v.Type.Fields {
				places[v.Name+"."+f.Name] = f.Type
			}
		}
		for _, f := range append([]model.Field{{}}, v.Type.Fields...) {
			name := strings.TrimSuffix(v.Name+"."+f.Name, ".")
			if t := places[name]; t != nil && t.Name == value && !ghost.MatchString(name) && (best == "" || atHome.MatchString(name) && !atHome.MatchString(best)) {
				best = name
			}
		}
	}
	return best
}
