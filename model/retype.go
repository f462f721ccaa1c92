package model

import (
	"fmt"
	"slices"
)

// This file copies a model and gives some of its ranges and enums other types,
// which have the same values and a class of Model.Scalarsets beside them: see
// Type.Alike. The copy means what the model means, state by state and step by step.

// Use is a place in a model that has a simple type of its own: a variable, the
// result of a function, or a part of a type. Exactly one of Var, Proc and Type is
// not nil.
type Use struct {
	Var  *Var
	Proc *Proc // its result

	// Array: part 0 is the element, Index the index. Multiset: part 0 is the
	// element. Record: the fields. Enum: part 0 is the enum itself, which all uses of
	// it share.
	Type *Type
	Part int
}

// Index is the part of an array type that is its index type.
const Index = -1

// Retype returns a copy of m with more classes, in which the use of a range or enum
// that typ maps to another type has that one: one that is Alike, of one of the
// classes. Domains that are given by their bounds become those of the type of their
// variable. What has no other type shares its types with m.
func Retype(m *Model, classes []*Type, typ map[Use]*Type) *Model {
	c := &copier{typ: typ, types: make(map[*Type]*Type), vars: make(map[*Var]*Var), procs: make(map[*Proc]*Proc)}
	out := *m
	out.Ties = nil // they are about the types of m
	out.Scalarsets = slices.Concat(m.Scalarsets, classes)
	out.Consts = slices.Clone(m.Consts)
	for i := range out.Consts {
		out.Consts[i].Type = c.ofType(out.Consts[i].Type)
	}
	out.Types = each(m.Types, c.ofType)
	out.Vars = each(m.Vars, c.ofVar)
	for _, p := range m.Procs {
		c.procs[p] = &Proc{}
	}
	out.Procs = each(m.Procs, c.proc)
	out.Starts, out.Rules = each(m.Starts, c.rule), each(m.Rules, c.rule)
	out.Props, out.Assumptions = each(m.Props, c.prop), each(m.Assumptions, c.prop)
	return &out
}

// each returns what f makes of the elements of xs; nil stays nil.
func each[T any](xs []T, f func(T) T) []T {
	xs = slices.Clone(xs)
	for i := range xs {
		xs[i] = f(xs[i])
	}
	return xs
}

type copier struct {
	typ   map[Use]*Type
	types map[*Type]*Type
	vars  map[*Var]*Var
	procs map[*Proc]*Proc
}

// at returns the type of a use.
func (c *copier) at(u Use, t *Type) *Type {
	if to, ok := c.typ[u]; ok && t.Numeric() {
		return to
	}
	return c.ofType(t)
}

// ofType returns the copy of a type, which is t itself unless something in it has
// another type.
func (c *copier) ofType(t *Type) *Type {
	if t == nil {
		return nil
	}
	if u, ok := c.types[t]; ok {
		return u
	}
	u := *t
	changed := false
	part := func(i int, p *Type) *Type {
		to := c.at(Use{Type: t, Part: i}, p)
		changed = changed || to != p
		return to
	}
	to := t
	switch t.Kind {
	case Enum:
		if e, ok := c.typ[Use{Type: t}]; ok {
			to = e
		}
	case Array:
		u.Index, u.Elem = part(Index, t.Index), part(0, t.Elem)
	case Multiset:
		u.Elem = part(0, t.Elem)
	case Record:
		u.Fields = slices.Clone(t.Fields)
		for i := range u.Fields {
			u.Fields[i].Type = part(i, t.Fields[i].Type)
		}
	case Union:
		u.Parts = slices.Clone(t.Parts)
		for i := range u.Parts {
			u.Parts[i] = part(i, t.Parts[i])
		}
	}
	if changed {
		to = &u
	}
	c.types[t] = to
	return to
}

func (c *copier) ofVar(v *Var) *Var {
	if v == nil {
		return nil
	}
	u, ok := c.vars[v]
	if !ok {
		copied := *v
		u = &copied
		u.Type = c.at(Use{Var: v}, v.Type)
		c.vars[v] = u
	}
	return u
}

func (c *copier) proc(p *Proc) *Proc {
	q := c.procs[p]
	*q = *p
	q.Params = slices.Clone(p.Params)
	for i, f := range q.Params {
		q.Params[i] = &Formal{Var: c.ofVar(f.Var), ByRef: f.ByRef}
	}
	if p.Result != nil {
		q.Result = c.at(Use{Proc: p}, p.Result)
	}
	q.Locals, q.Body = each(p.Locals, c.ofVar), each(p.Body, c.stmt)
	return q
}

func (c *copier) rule(r *Rule) *Rule {
	q := *r
	q.Params, q.Locals = each(r.Params, c.param), each(r.Locals, c.ofVar)
	q.Guard, q.Body = c.expr(r.Guard), each(r.Body, c.stmt)
	return &q
}

func (c *copier) prop(p *Property) *Property {
	q := *p
	q.Params, q.Expr = each(p.Params, c.param), c.expr(p.Expr)
	return &q
}

func (c *copier) param(p *Param) *Param {
	v := c.ofVar(p.Var)
	return &Param{Var: v, Domain: c.domain(v, p.Domain)}
}

// domain copies the domain of a variable, of which v is the copy.
func (c *copier) domain(v *Var, d Domain) Domain {
	if v.Type.Alike && v.Type.Kind == Range && d.ascending() {
		return Domain{Type: v.Type}
	}
	return Domain{Type: c.ofType(d.Type), From: c.expr(d.From), To: c.expr(d.To), By: c.expr(d.By)}
}

func (c *copier) expr(e Expr) Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *ConstExpr:
		return &ConstExpr{e.Value, c.ofType(e.T), e.Pos, e.SizedBy, e.Size}
	case *Ref:
		return &Ref{c.ofVar(e.Var), e.Pos}
	case *FieldSel:
		return &FieldSel{c.expr(e.X), e.Field, e.Pos}
	case *IndexSel:
		return c.indexSel(e)
	case *Unary:
		return &Unary{e.Op, c.expr(e.X), e.Pos}
	case *Binary:
		return &Binary{e.Op, c.expr(e.X), c.expr(e.Y), e.Pos}
	case *Cond:
		return &Cond{c.expr(e.If), c.expr(e.Then), c.expr(e.Else), e.Pos}
	case *Quant:
		v := c.ofVar(e.Var)
		return &Quant{e.All, v, c.domain(v, e.Domain), c.expr(e.Body), e.Pos}
	case *Count:
		v := c.ofVar(e.Var)
		return &Count{v, c.domain(v, e.Domain), c.expr(e.Body), e.Pos}
	case *IsUndefined:
		return &IsUndefined{c.expr(e.X), e.Pos}
	case *Present:
		return &Present{c.indexSel(e.X), e.Pos}
	case *Convert:
		return &Convert{c.expr(e.X), c.ofType(e.To), e.Loose, e.Pos}
	case *IsMember:
		return &IsMember{c.expr(e.X), c.ofType(e.T), e.Pos}
	case *CallExpr:
		return &CallExpr{c.procs[e.Proc], each(e.Args, c.expr), e.Pos}
	case *Let:
		return &Let{c.ofVar(e.Var), c.expr(e.X), c.expr(e.Body), e.Pos}
	}
	panic(fmt.Sprintf("model: unknown expression %T", e))
}

func (c *copier) indexSel(e *IndexSel) *IndexSel {
	return &IndexSel{c.expr(e.X), c.expr(e.Index), e.Pos}
}

func (c *copier) stmt(s Stmt) Stmt {
	body := func(b []Stmt) []Stmt { return each(b, c.stmt) }
	switch s := s.(type) {
	case *Assign:
		return &Assign{c.expr(s.LHS), c.expr(s.RHS), s.Pos}
	case *If:
		clauses := each(s.Clauses, func(k Clause) Clause { return Clause{c.expr(k.Cond), body(k.Body)} })
		return &If{clauses, body(s.Else), s.Pos}
	case *Switch:
		cases := each(s.Cases, func(k Case) Case { return Case{each(k.Values, c.expr), body(k.Body)} })
		return &Switch{c.expr(s.X), cases, body(s.Else), s.Pos}
	case *For:
		v := c.ofVar(s.Var)
		return &For{v, c.domain(v, s.Domain), body(s.Body), s.Pos}
	case *Undefine:
		return &Undefine{c.expr(s.X), s.Pos}
	case *Clear:
		return &Clear{c.expr(s.X), s.Pos}
	case *While:
		return &While{c.expr(s.Cond), body(s.Body), s.Pos}
	case *Alias:
		return &Alias{c.ofVar(s.Var), c.expr(s.X), body(s.Body), s.Pos}
	case *Call:
		return &Call{c.procs[s.Proc], each(s.Args, c.expr), s.Pos}
	case *Return:
		return &Return{c.expr(s.X), s.Pos}
	case *Insert:
		return &Insert{c.expr(s.Set), c.expr(s.X), s.Pos}
	case *Remove:
		return &Remove{c.indexSel(s.X), s.Pos}
	case *Assume:
		return &Assume{c.expr(s.Cond), s.Pos}
	case *CoverStmt:
		return &CoverStmt{c.expr(s.Cond), s.Prop, s.Pos}
	case *Assert:
		return &Assert{c.expr(s.Cond), s.Message, s.Prop, s.Pos}
	case *Put:
		return &Put{s.Text, c.expr(s.X), s.Pos}
	}
	panic(fmt.Sprintf("model: unknown statement %T", s))
}
