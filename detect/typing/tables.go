package typing

import (
	"regexp"
	"slices"

	"orbitmc/model"
	"orbitmc/model/reference"
)

// This file looks at expressions that depend on bound variables alone, such as
// `Class(i) < Class(j)` for a function that compares its argument with constants. By form such an
// expression depends on the order of all values; its results may distinguish fewer values. So it is
// evaluated for all values of its variables. In a rule, parameters have given values: `i < j`
// distinguishes the values below i from those above.

// mostEntries is how many values a table has at most.
const mostEntries = 1 << 16

// table has the values of an expression for all values of its variables, the last fastest.
type table struct {
	e      model.Expr
	vars   []*model.Var
	values []int64
}

type tabulator struct {
	walker *reference.Walker
	closed map[*model.Proc]bool // functions that depend on their arguments only
}

func newTabulator(m *model.Model) *tabulator {
	return &tabulator{walker: reference.NewWalker(m), closed: make(map[*model.Proc]bool)}
}

// table returns the table of e; nil if it has none, or is so simple that its form says all.
func (a *analysis) table(e model.Expr) *table {
	switch e.(type) {
	case *model.Ref, *model.ConstExpr:
		return nil
	}
	b := a.tables
	t := &table{e: e}
	if !b.static(e, t) || len(t.vars) == 0 || e.Type() == nil || !e.Type().Simple() || e.Type().Kind == model.Union {
		return nil
	}
	classed, size := false, int64(1)
	for _, v := range t.vars {
		if v.Type.Kind == model.Integer || v.Type.Kind == model.Union || v.Type.Slots || v.Type.Card() > mostEntries {
			return nil
		}
		if size *= v.Type.Card(); size > mostEntries {
			return nil
		}
		classed = classed || v.Type.Classed()
	}
	if !classed {
		return nil
	}
	at := make([]int64, len(t.vars))
	for i := range size {
		for k, v := range slices.Backward(t.vars) {
			at[k] = v.Type.Lo + i%v.Type.Card()
			i /= v.Type.Card()
		}
		v, ok := b.walker.Static(e, t.vars, at)
		if !ok {
			return nil
		}
		t.values = append(t.values, v)
	}
	return t
}

// named is a call of which an argument has a name: `(let p : P = q in F(p))`.
var named = regexp.MustCompile(`\(let (\w+) : \w+ = (\w+) in (\w+)\((\w+)\)\)`)

// text returns the source of an expression, with arguments in the place of their names.
func text(e model.Expr) string {
	return named.ReplaceAllStringFunc(model.Text(e), func(s string) string {
		if m := named.FindStringSubmatch(s); m[1] == m[4] {
			return m[3] + "(" + m[2] + ")"
		}
		return s
	})
}

// static reports whether an expression depends on bound variables only, and notes those that
// are free in it.
func (ta *tabulator) static(e model.Expr, t *table) bool {
	ok, bound := true, make(map[*model.Var]bool)
	model.Inspect(e, func(n any) {
		switch n := n.(type) {
		case *model.ConstExpr, *model.Not, *model.Binary, *model.Cond, *model.Convert, *model.IsMember:
		case *model.Ref:
			switch {
			case bound[n.Var] || slices.Contains(t.vars, n.Var):
			case n.Var.Kind == model.BoundVar:
				t.vars = append(t.vars, n.Var)
			default:
				ok = false
			}
		case *model.Quant:
			bound[model.Bound(n)] = true
		case *model.Let:
			bound[n.Var] = true
			ok = ok && n.Var.Type.Simple()
		case *model.CallExpr:
			ok = ok && n.Proc.Result != nil && ta.isClosed(n.Proc)
		default:
			ok = false
		}
	})
	return ok
}

// isClosed reports whether a function depends on its arguments only and does nothing else but
// return a value.
func (ta *tabulator) isClosed(p *model.Proc) bool {
	if ok, known := ta.closed[p]; known {
		return ok
	}
	ta.closed[p] = false // while it is looked at: no recursion
	ok := true
	byRef := make(map[*model.Var]bool) // they may be read
	for _, f := range p.Params {
		ok = ok && f.Var.Type.Simple()
		byRef[f.Var] = f.ByRef
	}
	writes := func(e model.Expr) {
		if r, is := e.(*model.Ref); is && byRef[r.Var] {
			ok = false
		}
	}
	model.Inspect(p.Body, func(n any) {
		writes(model.Written(n))
		switch n := n.(type) {
		case *model.Ref:
			ok = ok && n.Var.Kind != model.StateVar
		case *model.CallExpr:
			ok = ok && ta.isClosed(n.Proc)
		case *model.Alias: // its name may be written
			writes(n.X)
		case *model.Call, *model.Assert, *model.Assume, *model.CoverStmt, *model.Put, *model.Insert, *model.Remove:
			ok = false
		}
	})
	ta.closed[p] = ok
	return ok
}

func (t *table) at(values []int64) int64 {
	i := int64(0)
	for k, v := range t.vars {
		i = i*v.Type.Card() + values[k] - v.Type.Lo
	}
	return t.values[i]
}

// swap exchanges two values of a class.
type swap struct {
	class int
	v, w  int64 // numbers in the class
}

// of returns the image of a value of type t; ok is false if it is none of its values.
func (s swap) of(t *model.Type, x int64) (y int64, ok bool) {
	if !t.Classed() || t.Class != s.class {
		return x, true
	}
	switch x - t.First {
	case s.v:
		x = t.First + s.w
	case s.w:
		x = t.First + s.v
	}
	return x, t.Lo <= x && x <= t.Hi
}

// keeps reports whether an exchange maps the values of a table to those at the images, where the
// variables in given have these values.
func (t *table) keeps(s swap, given map[*model.Var]int64) bool {
	at, image := make([]int64, len(t.vars)), make([]int64, len(t.vars))
	var try func(k int) bool
	try = func(k int) bool {
		if k == len(at) {
			want, ok := s.of(t.e.Type(), t.at(at))
			return ok && t.at(image) == want
		}
		typ := t.vars[k].Type
		lo, hi := typ.Lo, typ.Hi
		if x, ok := given[t.vars[k]]; ok {
			lo, hi = x, x
		}
		for x := lo; x <= hi; x++ {
			y, ok := s.of(typ, x)
			if !ok {
				return false
			}
			if at[k], image[k] = x, y; !try(k + 1) {
				return false
			}
		}
		return true
	}
	return try(0)
}
