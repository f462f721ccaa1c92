package typing

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

// This file looks at each node of a unit by itself. Values of a class flow to places of
// that class only. A constant among them is a fixed point. A comparison with a constant
// by order cuts the class in two. Any other use of values as numbers breaks the symmetry.

const none = -1 // no class

// classOf returns the class of the values of a type; none for those of several, or of no
// class.
func classOf(t *model.Type) int {
	if t != nil && t.Classed() {
		return t.Class
	}
	return none
}

// classesOf returns the classes that values of a simple type may belong to.
func classesOf(t *model.Type) (cs []int) {
	for _, p := range t.Alternatives() {
		if c := classOf(p); c != none {
			cs = append(cs, c)
		}
	}
	return cs
}

// former looks at one unit.
type former struct {
	a *analysis
	u *unit
}

func (a *analysis) form(u *unit) {
	f := &former{a, u}
	for _, p := range u.params {
		f.domain(p.Var, p.Domain)
	}
	visit := func(n any) bool {
		if e, ok := n.(model.Expr); ok && a.tables != nil {
			if t := a.table(e); t != nil {
				u.tables = append(u.tables, t)
				return false
			}
		}
		f.node(n)
		return true
	}
	if u.cond != nil {
		model.InspectIf(u.cond, visit)
	}
	model.InspectIf(u.body, visit)
}

// fail says that nothing is kept of a class.
func (f *former) fail(class int, pos model.Pos, format string, args ...any) {
	if class != none {
		f.u.own[class] = append(f.u.own[class], Obstacle{Pos: pos, Reason: fmt.Sprintf(format, args...)})
	}
}

// split says that values of a class for which in holds are told apart from the others.
func (f *former) split(class int, pos model.Pos, reason string, in func(v int64) bool) {
	if class == none {
		return
	}
	if o, ok := f.a.splitting(class, pos, reason, in); ok {
		f.u.own[class] = append(f.u.own[class], o)
	}
}

func (a *analysis) splitting(class int, pos model.Pos, reason string, in func(v int64) bool) (Obstacle, bool) {
	t := a.m.Scalarsets[class]
	o := Obstacle{Pos: pos, Reason: reason, keeps: make([]bool, t.Card())}
	several := false
	for w := range o.keeps {
		o.keeps[w] = in(t.First + int64(w))
		several = several || o.keeps[w] != o.keeps[0]
	}
	return o, several
}

// fixed makes a value a fixed point.
func (f *former) fixed(class int, value int64, pos model.Pos, text string) {
	f.split(class, pos, "`"+text+"` sets a value apart", func(v int64) bool { return v == value })
}

// valueClass returns the class of the value of an expression; none for constants.
func valueClass(e model.Expr) int {
	switch e := e.(type) {
	case *model.ConstExpr:
		return none
	case *model.Cond:
		if c := valueClass(e.Then); c != none {
			return c
		}
		return valueClass(e.Else)
	case *model.Let:
		return valueClass(e.Body)
	case *model.Not, *model.Binary, *model.Quant, *model.IsUndefined, *model.Present, *model.IsMember, *model.RealExpr:
		return none
	}
	return classOf(e.Type())
}

// flow makes the value of e one that belongs to a class, or to none.
func (f *former) flow(class int, e model.Expr) {
	switch e := e.(type) {
	case *model.ConstExpr:
		if class != none {
			f.fixed(class, e.Value, e.Pos, model.Text(e))
		} else if c := classOf(e.T); c != none {
			f.fail(c, e.Pos, "`%s` is used as a number", model.Text(e))
		}
		return
	case *model.Cond:
		f.flow(class, e.Then)
		f.flow(class, e.Else)
		return
	case *model.Let:
		f.flow(class, e.Body)
		return
	}
	if c := valueClass(e); c != class {
		f.fail(c, e.Position(), "`%s` is used as a value of another type", model.Text(e))
		f.fail(class, e.Position(), "`%s` is not of the class it is used for", model.Text(e))
	}
}

// number makes the value of e one that is computed with or compared by order.
func (f *former) number(e model.Expr, in model.Expr) {
	if c := valueClass(e); c != none {
		f.fail(c, in.Position(), "`%s` computes with values of the class, or knows their order", model.Text(in))
	}
}

// whole compares two types that are copied part by part, or one of which stands for a
// place of the other.
func (f *former) whole(t, u *model.Type, pos model.Pos) {
	if t == u {
		return
	}
	same := t.Kind == u.Kind
	switch {
	case !same:
	case t.Simple():
		same = classOf(t) == classOf(u) && (t.Kind != model.Union || t == u) && (classOf(t) == none || t.First == u.First)
	case t.Kind == model.Array:
		f.whole(t.Index, u.Index, pos)
		f.whole(t.Elem, u.Elem, pos)
	case t.Kind == model.Multiset:
		same = false
	case len(t.Fields) == len(u.Fields):
		for i := range t.Fields {
			f.whole(t.Fields[i].Type, u.Fields[i].Type, pos)
		}
	default:
		same = false
	}
	if same {
		return
	}
	if t.Simple() && u.Simple() && classOf(t) == none && classOf(u) == none && t.Kind != model.Union && u.Kind != model.Union {
		return
	}
	for c := range f.a.m.Scalarsets {
		f.fail(c, pos, "types %v and %v are mixed", t, u)
	}
}

// bind passes the value, or the place, of e to a variable.
func (f *former) bind(t *model.Type, e model.Expr) {
	if t.Simple() && t.Kind != model.Union && e.Type().Kind != model.Union {
		f.flow(classOf(t), e)
	} else {
		f.whole(t, e.Type(), e.Position())
	}
}

func (f *former) domain(v *model.Var, d model.Domain) {
	c := classOf(v.Type)
	if d.From == nil {
		if v.Type != d.Type {
			f.whole(v.Type, d.Type, v.Pos)
		}
		f.ranges(d.Type, v.Pos)
		return
	}
	for _, e := range d.Bounds() {
		f.number(e, e)
	}
	switch {
	case c == none:
	case !d.Constant():
		f.fail(c, v.Pos, "the bounds of %s are not constant", v.Name)
	default:
		values := d.Values()
		f.split(c, v.Pos, "the bounds of "+v.Name, func(x int64) bool { return slices.Contains(values, x) })
	}
}

// ranges splits the class of a range that has some of its values only.
func (f *former) ranges(t *model.Type, pos model.Pos) {
	if o, ok := f.a.rangeOf(t, pos); ok {
		f.u.own[t.Class] = append(f.u.own[t.Class], o)
	}
}

func (a *analysis) rangeOf(t *model.Type, pos model.Pos) (Obstacle, bool) {
	if t == nil || t.Kind != model.Range || !t.Alike {
		return Obstacle{}, false
	}
	return a.splitting(t.Class, pos, "the range "+t.String(), func(v int64) bool { return t.Lo <= v && v <= t.Hi })
}

// typeRanges returns what the ranges of state variables, parameters and locals split.
func (a *analysis) typeRanges() map[int][]Obstacle {
	out := make(map[int][]Obstacle)
	seen := make(map[*model.Type]bool)
	var visit func(t *model.Type, pos model.Pos)
	visit = func(t *model.Type, pos model.Pos) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		if o, ok := a.rangeOf(t, pos); ok {
			out[t.Class] = append(out[t.Class], o)
		}
		visit(t.Index, pos)
		visit(t.Elem, pos)
		for _, p := range t.Parts {
			visit(p, pos)
		}
		for _, x := range t.Fields {
			visit(x.Type, pos)
		}
	}
	vars := func(vs []*model.Var) {
		for _, v := range vs {
			visit(v.Type, v.Pos)
		}
	}
	vars(a.m.Vars)
	for _, p := range a.m.Procs {
		for _, f := range p.Params {
			visit(f.Var.Type, f.Var.Pos)
		}
		vars(p.Locals)
		visit(p.Result, p.Pos)
	}
	for _, rs := range [][]*model.Rule{a.m.Starts, a.m.Rules} {
		for _, r := range rs {
			for _, p := range r.Params {
				visit(p.Var.Type, p.Var.Pos)
			}
			vars(r.Locals)
		}
	}
	return out
}

func (f *former) args(p *model.Proc, args []model.Expr) {
	f.u.calls = append(f.u.calls, p)
	for i, q := range p.Params {
		f.bind(q.Var.Type, args[i])
	}
}

// node looks at one node; model.Inspect gets at those below it.
func (f *former) node(n any) {
	if e, ok := n.(model.Expr); ok {
		if _, ok := e.(*model.ConstExpr); !ok {
			f.ranges(e.Type(), e.Position())
		}
	}
	switch n := n.(type) {
	case *model.ConstExpr:
		if c := classOf(n.T); c != none {
			f.fixed(c, n.Value, n.Pos, model.Text(n))
		}
	case *model.IndexSel:
		if t := n.X.Type(); t.Kind == model.Array {
			f.bind(t.Index, n.Index)
		}
	case *model.Binary:
		f.binary(n)
	case *model.RealExpr:
		model.Children(n, func(x model.Expr) { f.number(x, n) }, nil)
	case *model.Cond:
		if c := valueClass(n); c != none {
			f.flow(c, n)
		}
	case *model.Quant:
		f.domain(n.Var, n.Domain)
	case *model.For:
		f.domain(n.Var, n.Domain)
	case *model.Convert:
		t, u := n.X.Type(), n.To
		if t != u && !slices.Contains(t.Parts, u) && !slices.Contains(u.Parts, t) {
			for _, c := range append(classesOf(t), classesOf(u)...) {
				f.fail(c, n.Pos, "`%s` is converted to another type", model.Text(n.X))
			}
		}
	case *model.CallExpr, *model.Call:
		f.args(model.Called(n))
	case *model.Let, *model.Alias:
		v, x := model.Named(n)
		f.bind(v.Type, x)
	case *model.Assign:
		f.bind(n.LHS.Type(), n.RHS)
	case *model.Insert:
		f.bind(n.Set.Type().Elem, n.X)
	case *model.Return:
		if n.X != nil && f.u.proc != nil {
			f.bind(f.u.proc.Result, n.X)
		}
	case *model.Reset:
		if n.Least {
			f.clear(n.X.Type(), n)
		}
	}
}

// equal makes the operands values of one class.
func (f *former) equal(x, y model.Expr) {
	if _, ok := x.(*model.ConstExpr); ok {
		x, y = y, x
	}
	if x.Type().Kind == model.Union || y.Type().Kind == model.Union {
		f.whole(x.Type(), y.Type(), y.Position())
		return
	}
	f.flow(valueClass(x), y)
	if valueClass(x) != none { // of both sides of ?: in x
		f.flow(valueClass(x), x)
	}
}

func (f *former) binary(e *model.Binary) {
	switch {
	case e.Op <= model.Implies:
	case e.Op <= model.Ne:
		f.equal(e.X, e.Y)
	case e.Op < model.Add:
		x, y, op := e.ConstLast()
		k, ok := y.(*model.ConstExpr)
		if _, plain := x.(*model.Cond); !ok || plain {
			f.number(x, e)
			f.number(y, e)
			return
		}
		f.split(valueClass(x), e.Pos, "`"+model.Text(e)+"` knows the order", func(v int64) bool { return model.Compare(op, v, k.Value) })
	default:
		f.number(e.X, e)
		f.number(e.Y, e)
	}
}

// clear makes the least values of the leaves of t fixed points.
func (f *former) clear(t *model.Type, s *model.Reset) {
	switch t.Kind {
	case model.Array:
		f.clear(t.Elem, s)
	case model.Record:
		for _, x := range t.Fields {
			f.clear(x.Type, s)
		}
	case model.Multiset:
	case model.Union:
		p, w := t.Part(0)
		f.fixed(classOf(p), w, s.Pos, "clear "+model.Text(s.X))
	default:
		f.fixed(classOf(t), t.Lo, s.Pos, "clear "+model.Text(s.X))
	}
}
