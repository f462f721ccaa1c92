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

func (gr *grouping) model() {
	for _, p := range gr.m.Procs {
		gr.proc = p
		gr.body(p.Body)
	}
	gr.proc = nil
	for i, rules := range [][]*model.Rule{gr.m.Starts, gr.m.Rules} {
		gr.start = i == 0
		for _, r := range rules {
			gr.params(r.Params)
			if r.Guard != nil {
				gr.expr(r.Guard)
			}
			gr.body(r.Body)
		}
	}
	for _, p := range gr.m.Assumptions {
		gr.params(p.Params)
		gr.expr(p.Expr)
	}
	gr.soft = true
	for _, p := range gr.m.Props {
		gr.params(p.Params)
		if p.Expr != nil {
			gr.expr(p.Expr)
		}
	}
}

func (gr *grouping) fresh() *node {
	n := &node{first: len(gr.all)}
	gr.all = append(gr.all, n)
	return n
}

// at returns the node of a use of type t; nil if t is no number and no enum.
func (gr *grouping) at(u model.Use, t *model.Type, pos model.Pos, name string) *node {
	switch {
	case t.Kind == model.Enum:
		u = model.Use{Type: t}
		name = t.String()
	case !t.Numeric():
		return nil
	}
	n, ok := gr.nodes[u]
	if !ok {
		n = gr.fresh()
		gr.nodes[u] = n
		if t.Kind == model.Enum {
			n.enum = t
		}
		if t.Kind != model.Integer {
			n.uses = []use{{Use: u, t: t, pos: pos, name: name, soft: gr.soft}}
		}
	}
	n = n.root()
	n.moved = n.moved || u.Var == nil || u.Var.Kind == model.StateVar
	return n
}

func (gr *grouping) variable(v *model.Var) *node {
	return gr.at(model.Use{Var: v}, v.Type, v.Pos, v.Name)
}

func (gr *grouping) result(p *model.Proc) *node {
	if p == nil || p.Result == nil {
		return nil
	}
	return gr.at(model.Use{Proc: p}, p.Result, p.Pos, p.Name)
}

// element returns the node of the elements of an array or multiset type.
func (gr *grouping) element(t *model.Type) *node {
	return gr.at(model.Use{Type: t}, t.Elem, t.Pos, "the elements of "+t.String())
}

func (gr *grouping) index(t *model.Type) *node {
	n := gr.at(model.Use{Type: t, Part: model.Index}, t.Index, t.Pos, "the indices of "+t.String())
	if n != nil {
		n.iterated = true
	}
	return n
}

func (gr *grouping) field(t *model.Type, i int) *node {
	f := t.Fields[i]
	return gr.at(model.Use{Type: t, Part: i}, f.Type, t.Pos, "the field "+f.Name)
}

// join makes one class of two.
func (gr *grouping) join(x, y *node) {
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
func (gr *grouping) joinTypes(t, u *model.Type) {
	if t == u || t.Kind != u.Kind {
		return
	}
	switch t.Kind {
	case model.Array, model.Multiset:
		if t.Kind == model.Array {
			gr.join(gr.index(t), gr.index(u))
		}
		gr.join(gr.element(t), gr.element(u))
		gr.joinTypes(t.Elem, u.Elem)
	case model.Record:
		for i := range t.Fields {
			gr.join(gr.field(t, i), gr.field(u, i))
			gr.joinTypes(t.Fields[i].Type, u.Fields[i].Type)
		}
	}
}

// note notes a fact about a class, unless it is one about a property.
func (gr *grouping) note(n *node, k factKind, value int64, pos model.Pos, text string) {
	if n != nil && !gr.soft && !gr.quiet {
		n = n.root()
		n.facts = append(n.facts, fact{k, value, pos, text, gr.start})
	}
}

// flow makes the value of e one of n, in what is said by text.
func (gr *grouping) flow(n *node, e model.Expr, pos model.Pos, text func() string) {
	if k, ok := e.(*model.ConstExpr); ok {
		if n != nil {
			gr.note(n, constant, k.Value, pos, text())
		}
		return
	}
	gr.join(n, gr.expr(e))
}

// equal makes the operands of e values of one class.
func (gr *grouping) equal(e *model.Binary) {
	text := func() string { return model.Text(e) }
	if _, ok := e.X.(*model.ConstExpr); ok {
		gr.flow(gr.expr(e.Y), e.X, e.Pos, text)
	} else {
		gr.flow(gr.expr(e.X), e.Y, e.Pos, text)
	}
}

// compare notes a comparison by order.
func (gr *grouping) compare(e *model.Binary) {
	x, y, op := e.ConstLast()
	n := gr.expr(x)
	if k, ok := y.(*model.ConstExpr); ok {
		at := k.Value
		if op == model.Le || op == model.Gt {
			at++
		}
		gr.note(n, cut, at, e.Pos, model.Text(e))
		return
	}
	gr.note(n, order, 0, e.Pos, model.Text(e))
	gr.note(gr.expr(y), order, 0, e.Pos, model.Text(e))
}

// other returns a class of its own for a number that is converted: perhaps that of other things, of which
// each has a number that is computed. What was handed over is a constant, unless it is tied.
func (gr *grouping) other(e *model.Convert) *node {
	y, x, l := gr.fresh(), e.X, link{times: 1}
	if k, ok := x.(*model.ConstExpr); ok {
		gr.note(y, handed, k.Value, e.Pos, model.Text(x))
		return y
	}
	if e.Loose {
		gr.expr(x)
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
		outer := gr.quiet
		gr.quiet = true
		gr.expr(x)
		gr.quiet = outer
		return y
	}
	if n := gr.expr(x); n != nil {
		gr.note(n, computed, 0, e.Pos, model.Text(e.X))
		gr.note(y, computed, 0, e.Pos, model.Text(e.X))
		l.x, l.y = n.root(), y
		gr.links = append(gr.links, l)
	}
	return y
}

// arithmetic notes that numbers are computed with, and returns the class of the
// result: that of an operand, in a ring.
func (gr *grouping) arithmetic(e *model.Binary) *node {
	kind := order
	_, isConst := e.Y.(*model.ConstExpr)
	if e.Op == model.Add || e.Op == model.Sub || e.Op == model.Mod && isConst {
		kind = sum
	}
	x, y := gr.expr(e.X), gr.expr(e.Y)
	gr.note(x, kind, 0, e.Pos, model.Text(e))
	gr.note(y, kind, 0, e.Pos, model.Text(e))
	switch {
	case kind == order:
		return nil
	case x != nil:
		return x.root()
	}
	return y
}

func (gr *grouping) params(ps []*model.Param) {
	for _, p := range ps {
		gr.domain(p.Var, p.Domain)
		if n := gr.variable(p.Var); n != nil && !gr.soft {
			n.moved = true
		}
	}
}

// domain is about a variable and what it ranges over.
func (gr *grouping) domain(v *model.Var, d model.Domain) {
	n := gr.variable(v)
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
		gr.note(gr.expr(e), order, 0, v.Pos, "the bounds of "+v.Name)
	}
	gr.note(n, order, 0, v.Pos, "the bounds of "+v.Name)
}

// bind gives the value of e, or its place, a name.
func (gr *grouping) bind(v *model.Var, e model.Expr, pos model.Pos) {
	gr.flow(gr.variable(v), e, pos, func() string { return v.Name + ": " + model.Text(e) })
	gr.joinTypes(v.Type, e.Type())
}

func (gr *grouping) call(p *model.Proc, args []model.Expr, pos model.Pos) {
	for i, f := range p.Params {
		gr.flow(gr.variable(f.Var), args[i], pos, func() string { return fmt.Sprintf("%s(…%s…)", p.Name, model.Text(args[i])) })
		gr.joinTypes(f.Var.Type, args[i].Type())
	}
}

// expr returns the class of the value of e; nil for constants and what is no number
// and no enum.
func (gr *grouping) expr(e model.Expr) *node {
	switch e := e.(type) {
	case *model.Ref:
		return gr.variable(e.Var)
	case *model.FieldSel:
		gr.expr(e.X)
		return gr.field(e.X.Type(), e.Field)
	case *model.IndexSel:
		gr.expr(e.X)
		t := e.X.Type()
		gr.flow(gr.index(t), e.Index, e.Pos, func() string { return model.Text(e) })
		return gr.element(t)
	case *model.RealExpr:
		model.Children(e, func(x model.Expr) { gr.note(gr.expr(x), order, 0, e.Pos, model.Text(e)) }, nil)
	case *model.Binary:
		switch {
		case e.Op <= model.Implies:
			gr.expr(e.X)
			gr.expr(e.Y)
		case e.Op <= model.Ne:
			gr.equal(e)
		case e.Op < model.Add:
			gr.compare(e)
		default:
			return gr.arithmetic(e)
		}
	case *model.Cond:
		gr.expr(e.If)
		var n *node
		if t := e.Type(); t.Numeric() || t.Kind == model.Enum {
			n = gr.fresh()
		}
		for _, x := range []model.Expr{e.Then, e.Else} {
			gr.flow(n, x, e.Pos, func() string { return model.Text(e) })
		}
		if n != nil {
			return n.root()
		}
	case *model.Quant:
		gr.domain(e.Var, e.Domain)
		gr.expr(e.Body)
	case *model.Convert:
		if e.To.Numeric() {
			return gr.other(e)
		}
		if t := e.X.Type(); t.Kind == model.Enum {
			gr.flow(gr.at(model.Use{}, t, e.Pos, ""), e.X, e.Pos, func() string { return model.Text(e.X) })
		} else {
			gr.expr(e.X)
		}
		if e.To.Kind == model.Enum {
			return gr.at(model.Use{}, e.To, e.Pos, "")
		}
	case *model.CallExpr:
		gr.call(e.Proc, e.Args, e.Pos)
		return gr.result(e.Proc)
	case *model.Let:
		gr.bind(e.Var, e.X, e.Pos)
		return gr.expr(e.Body)
	default:
		model.Children(e, gr.visit, nil)
	}
	return nil
}

func (gr *grouping) visit(e model.Expr) { gr.expr(e) }

func (gr *grouping) body(body []model.Stmt) {
	for _, s := range body {
		gr.stmt(s)
	}
}

func (gr *grouping) stmt(s model.Stmt) {
	switch s := s.(type) {
	case *model.Assign:
		n := gr.expr(s.LHS)
		gr.flow(n, s.RHS, s.Pos, func() string { return model.Text(s.LHS) + " := " + model.Text(s.RHS) })
		gr.joinTypes(s.LHS.Type(), s.RHS.Type())
	case *model.For:
		gr.domain(s.Var, s.Domain)
		gr.body(s.Body)
	case *model.Reset:
		if n := gr.expr(s.X); s.Least {
			gr.clear(n, s.X.Type(), s)
		}
	case *model.Alias:
		gr.bind(s.Var, s.X, s.Pos)
		gr.body(s.Body)
	case *model.Call:
		gr.call(s.Proc, s.Args, s.Pos)
	case *model.Return:
		if s.X != nil {
			gr.flow(gr.result(gr.proc), s.X, s.Pos, func() string { return "return " + model.Text(s.X) })
		}
	case *model.Insert:
		gr.expr(s.Set)
		t := s.Set.Type()
		gr.flow(gr.element(t), s.X, s.Pos, func() string { return model.Text(s.X) })
		gr.joinTypes(t.Elem, s.X.Type())
	case *model.CoverStmt:
		gr.property(s.Cond)
	case *model.Put:
		if s.X != nil {
			gr.property(s.X)
		}
	default:
		model.Children(s, gr.visit, gr.body) // a step in which an assertion fails is none
	}
}

// property is about what a property looks at.
func (gr *grouping) property(e model.Expr) {
	outer := gr.soft
	gr.soft = true
	gr.expr(e)
	gr.soft = outer
}

// clear notes that variables of type t get their least value; n is the class of t.
func (gr *grouping) clear(n *node, t *model.Type, s *model.Reset) {
	switch t.Kind {
	case model.Array:
		gr.clear(gr.element(t), t.Elem, s)
	case model.Record:
		for i, f := range t.Fields {
			gr.clear(gr.field(t, i), f.Type, s)
		}
	case model.Range, model.Enum:
		gr.note(n, constant, t.Lo, s.Pos, "clear "+model.Text(s.X))
	}
}
