package infer

import (
	"cmp"
	"fmt"

	"orbitmc/model"
)

// This file joins uses that hold the same values. It also records the facts that a scalarset
// would not have: constants, order, sums, cuts.

// grouping is one run of Classes.
type grouping struct {
	m     *model.Model
	nodes map[model.Use]*node
	all   []*node
	soft  bool // in a property
	start bool // in a start state
	quiet bool // facts are not noted
	links []link
	proc  *model.Proc // around, or nil
}

func (a *grouping) model() {
	for _, p := range a.m.Procs {
		a.proc = p
		a.body(p.Body)
	}
	a.proc = nil
	for i, rules := range [][]*model.Rule{a.m.Starts, a.m.Rules} {
		a.start = i == 0
		for _, r := range rules {
			a.params(r.Params)
			if r.Guard != nil {
				a.expr(r.Guard)
			}
			a.body(r.Body)
		}
	}
	for _, p := range a.m.Assumptions {
		a.params(p.Params)
		a.expr(p.Expr)
	}
	a.soft = true
	for _, p := range a.m.Props {
		a.params(p.Params)
		if p.Expr != nil {
			a.expr(p.Expr)
		}
	}
}

func (a *grouping) fresh() *node {
	n := &node{first: len(a.all)}
	a.all = append(a.all, n)
	return n
}

// at returns the node of a use of type t; nil if t is no number and no enum.
func (a *grouping) at(u model.Use, t *model.Type, pos model.Pos, name string) *node {
	switch {
	case t.Kind == model.Enum:
		u = model.Use{Type: t}
		name = t.String()
	case !t.Numeric():
		return nil
	}
	n, ok := a.nodes[u]
	if !ok {
		n = a.fresh()
		a.nodes[u] = n
		if t.Kind == model.Enum {
			n.enum = t
		}
		if t.Kind != model.Integer {
			n.uses = []use{{Use: u, t: t, pos: pos, name: name, soft: a.soft}}
		}
	}
	n = n.root()
	n.moved = n.moved || u.Var == nil || u.Var.Kind == model.StateVar
	return n
}

func (a *grouping) variable(v *model.Var) *node {
	return a.at(model.Use{Var: v}, v.Type, v.Pos, v.Name)
}

func (a *grouping) result(p *model.Proc) *node {
	if p == nil || p.Result == nil {
		return nil
	}
	return a.at(model.Use{Proc: p}, p.Result, p.Pos, p.Name)
}

// element returns the node of the elements of an array or multiset type.
func (a *grouping) element(t *model.Type) *node {
	return a.at(model.Use{Type: t}, t.Elem, t.Pos, "the elements of "+t.String())
}

func (a *grouping) index(t *model.Type) *node {
	n := a.at(model.Use{Type: t, Part: model.Index}, t.Index, t.Pos, "the indices of "+t.String())
	if n != nil {
		n.iterated = true
	}
	return n
}

func (a *grouping) field(t *model.Type, i int) *node {
	f := t.Fields[i]
	return a.at(model.Use{Type: t, Part: i}, f.Type, t.Pos, "the field "+f.Name)
}

// join makes one class of two.
func (a *grouping) join(x, y *node) {
	if x == nil || y == nil {
		return
	}
	x, y = x.root(), y.root()
	if x == y {
		return
	}
	if y.first < x.first {
		x, y = y, x
	}
	y.parent = x
	x.uses, x.facts = append(x.uses, y.uses...), append(x.facts, y.facts...)
	x.iterated, x.moved, x.enum = x.iterated || y.iterated, x.moved || y.moved, cmp.Or(x.enum, y.enum)
	y.uses, y.facts = nil, nil
}

// joinTypes joins the parts of two types of one shape.
func (a *grouping) joinTypes(t, u *model.Type) {
	if t == u || t.Kind != u.Kind {
		return
	}
	switch t.Kind {
	case model.Array, model.Multiset:
		if t.Kind == model.Array {
			a.join(a.index(t), a.index(u))
		}
		a.join(a.element(t), a.element(u))
		a.joinTypes(t.Elem, u.Elem)
	case model.Record:
		for i := range t.Fields {
			a.join(a.field(t, i), a.field(u, i))
			a.joinTypes(t.Fields[i].Type, u.Fields[i].Type)
		}
	}
}

// note notes a fact about a class, unless it is one about a property.
func (a *grouping) note(n *node, k factKind, value int64, pos model.Pos, text string) {
	if n != nil && !a.soft && !a.quiet {
		n = n.root()
		n.facts = append(n.facts, fact{k, value, pos, text, a.start})
	}
}

// flow makes the value of e one of n, in what is said by text.
func (a *grouping) flow(n *node, e model.Expr, pos model.Pos, text func() string) {
	if k, ok := e.(*model.ConstExpr); ok {
		if n != nil {
			a.note(n, constant, k.Value, pos, text())
		}
		return
	}
	a.join(n, a.expr(e))
}

// equal makes the operands of e values of one class.
func (a *grouping) equal(e *model.Binary) {
	text := func() string { return model.Text(e) }
	if _, ok := e.X.(*model.ConstExpr); ok {
		a.flow(a.expr(e.Y), e.X, e.Pos, text)
	} else {
		a.flow(a.expr(e.X), e.Y, e.Pos, text)
	}
}

// compare notes a comparison by order.
func (a *grouping) compare(e *model.Binary) {
	x, y, op := e.ConstLast()
	n := a.expr(x)
	if k, ok := y.(*model.ConstExpr); ok {
		at := k.Value
		if op == model.Le || op == model.Gt {
			at++
		}
		a.note(n, cut, at, e.Pos, model.Text(e))
		return
	}
	a.note(n, order, 0, e.Pos, model.Text(e))
	a.note(a.expr(y), order, 0, e.Pos, model.Text(e))
}

// other returns a class of its own for a number that is converted: perhaps that of other things, of which
// each has a number that is computed. What was handed over is a constant, unless it is tied.
func (a *grouping) other(e *model.Convert) *node {
	y, x, l := a.fresh(), e.X, link{times: 1}
	if k, ok := x.(*model.ConstExpr); ok {
		a.note(y, handed, k.Value, e.Pos, model.Text(x))
		return y
	}
	if e.Loose {
		a.expr(x)
		return y
	}
	for {
		b, ok := x.(*model.Binary)
		if !ok {
			break
		}
		k, ok := b.Y.(*model.ConstExpr)
		if !ok || b.Op != model.Add && b.Op != model.Sub && b.Op != model.Mul {
			break
		}
		switch b.Op { // the number is times·x + plus
		case model.Add:
			l.plus += l.times * k.Value
		case model.Sub:
			l.plus -= l.times * k.Value
		default:
			l.times *= k.Value
		}
		x = b.X
	}
	if _, ok := x.(*model.Cond); ok { // one by one
		outer := a.quiet
		a.quiet = true
		a.expr(x)
		a.quiet = outer
		return y
	}
	if n := a.expr(x); n != nil {
		a.note(n, computed, 0, e.Pos, model.Text(e.X))
		a.note(y, computed, 0, e.Pos, model.Text(e.X))
		l.x, l.y = n.root(), y
		a.links = append(a.links, l)
	}
	return y
}

// arithmetic notes that numbers are computed with, and returns the class of the
// result: that of an operand, in a ring.
func (a *grouping) arithmetic(e *model.Binary) *node {
	kind := order
	_, isConst := e.Y.(*model.ConstExpr)
	if e.Op == model.Add || e.Op == model.Sub || e.Op == model.Mod && isConst {
		kind = sum
	}
	x, y := a.expr(e.X), a.expr(e.Y)
	a.note(x, kind, 0, e.Pos, model.Text(e))
	a.note(y, kind, 0, e.Pos, model.Text(e))
	switch {
	case kind == order:
		return nil
	case x != nil:
		return x.root()
	}
	return y
}

func (a *grouping) params(ps []*model.Param) {
	for _, p := range ps {
		a.domain(p.Var, p.Domain)
		if n := a.variable(p.Var); n != nil && !a.soft {
			n.moved = true
		}
	}
}

// domain is about a variable and what it ranges over.
func (a *grouping) domain(v *model.Var, d model.Domain) {
	n := a.variable(v)
	if n != nil {
		n.iterated = true
	}
	if d.From == nil {
		return
	}
	if by, ok := d.By.(*model.ConstExpr); d.Constant() && (d.By == nil || ok && by.Value == 1) {
		return
	}
	for _, e := range d.Bounds() {
		a.note(a.expr(e), order, 0, v.Pos, "the bounds of "+v.Name)
	}
	a.note(n, order, 0, v.Pos, "the bounds of "+v.Name)
}

// bind gives the value of e, or its place, a name.
func (a *grouping) bind(v *model.Var, e model.Expr, pos model.Pos) {
	a.flow(a.variable(v), e, pos, func() string { return v.Name + ": " + model.Text(e) })
	a.joinTypes(v.Type, e.Type())
}

func (a *grouping) call(p *model.Proc, args []model.Expr, pos model.Pos) {
	for i, f := range p.Params {
		a.flow(a.variable(f.Var), args[i], pos, func() string { return fmt.Sprintf("%s(…%s…)", p.Name, model.Text(args[i])) })
		a.joinTypes(f.Var.Type, args[i].Type())
	}
}

// expr returns the class of the value of e; nil for constants and what is no number
// and no enum.
func (a *grouping) expr(e model.Expr) *node {
	switch e := e.(type) {
	case *model.Ref:
		return a.variable(e.Var)
	case *model.FieldSel:
		a.expr(e.X)
		return a.field(e.X.Type(), e.Field)
	case *model.IndexSel:
		a.expr(e.X)
		t := e.X.Type()
		a.flow(a.index(t), e.Index, e.Pos, func() string { return model.Text(e) })
		return a.element(t)
	case *model.Unary:
		n := a.expr(e.X)
		if e.Op != model.Not {
			a.note(n, order, 0, e.Pos, model.Text(e))
		}
	case *model.Binary:
		switch {
		case e.Op <= model.Implies:
			a.expr(e.X)
			a.expr(e.Y)
		case e.Op <= model.Ne:
			a.equal(e)
		case e.Op < model.Add:
			a.compare(e)
		default:
			return a.arithmetic(e)
		}
	case *model.Cond:
		a.expr(e.If)
		var n *node
		if t := e.Type(); t.Numeric() || t.Kind == model.Enum {
			n = a.fresh()
		}
		for _, x := range []model.Expr{e.Then, e.Else} {
			a.flow(n, x, e.Pos, func() string { return model.Text(e) })
		}
		if n != nil {
			return n.root()
		}
	case *model.Quant:
		a.domain(e.Var, e.Domain)
		a.expr(e.Body)
	case *model.Count:
		a.domain(e.Var, e.Domain)
		a.expr(e.Body)
	case *model.Convert:
		if e.To.Numeric() {
			return a.other(e)
		}
		if t := e.X.Type(); t.Kind == model.Enum {
			a.flow(a.at(model.Use{}, t, e.Pos, ""), e.X, e.Pos, func() string { return model.Text(e.X) })
		} else {
			a.expr(e.X)
		}
		if e.To.Kind == model.Enum {
			return a.at(model.Use{}, e.To, e.Pos, "")
		}
	case *model.CallExpr:
		a.call(e.Proc, e.Args, e.Pos)
		return a.result(e.Proc)
	case *model.Let:
		a.bind(e.Var, e.X, e.Pos)
		return a.expr(e.Body)
	default:
		model.Children(e, a.visit, nil)
	}
	return nil
}

func (a *grouping) visit(e model.Expr) { a.expr(e) }

func (a *grouping) body(body []model.Stmt) {
	for _, s := range body {
		a.stmt(s)
	}
}

func (a *grouping) stmt(s model.Stmt) {
	switch s := s.(type) {
	case *model.Assign:
		n := a.expr(s.LHS)
		a.flow(n, s.RHS, s.Pos, func() string { return model.Text(s.LHS) + " := " + model.Text(s.RHS) })
		a.joinTypes(s.LHS.Type(), s.RHS.Type())
	case *model.Switch:
		n := a.expr(s.X)
		for _, c := range s.Cases {
			for _, e := range c.Values {
				a.flow(n, e, e.Position(), func() string { return "case " + model.Text(e) })
			}
			a.body(c.Body)
		}
		a.body(s.Else)
	case *model.For:
		a.domain(s.Var, s.Domain)
		a.body(s.Body)
	case *model.Clear:
		a.clear(a.expr(s.X), s.X.Type(), s)
	case *model.Alias:
		a.bind(s.Var, s.X, s.Pos)
		a.body(s.Body)
	case *model.Call:
		a.call(s.Proc, s.Args, s.Pos)
	case *model.Return:
		if s.X != nil {
			a.flow(a.result(a.proc), s.X, s.Pos, func() string { return "return " + model.Text(s.X) })
		}
	case *model.Insert:
		a.expr(s.Set)
		t := s.Set.Type()
		a.flow(a.element(t), s.X, s.Pos, func() string { return model.Text(s.X) })
		a.joinTypes(t.Elem, s.X.Type())
	case *model.CoverStmt:
		a.property(s.Cond)
	case *model.Put:
		if s.X != nil {
			a.property(s.X)
		}
	default:
		model.Children(s, a.visit, a.body) // a step in which an assertion fails is none
	}
}

// property is about what a property looks at.
func (a *grouping) property(e model.Expr) {
	outer := a.soft
	a.soft = true
	a.expr(e)
	a.soft = outer
}

// clear notes that variables of type t get their least value; n is the class of t.
func (a *grouping) clear(n *node, t *model.Type, s *model.Clear) {
	switch t.Kind {
	case model.Array:
		a.clear(a.element(t), t.Elem, s)
	case model.Record:
		for i, f := range t.Fields {
			a.clear(a.field(t, i), f.Type, s)
		}
	case model.Range, model.Enum:
		a.note(n, constant, t.Lo, s.Pos, "clear "+model.Text(s.X))
	}
}
