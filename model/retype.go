package model

import (
	"slices"

	"orbitmc/internal/lists"
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
	out.Types = lists.Map(m.Types, c.ofType)
	out.Vars = lists.Map(m.Vars, c.ofVar)
	for _, p := range m.Procs {
		c.procs[p] = &Proc{}
	}
	out.Procs = lists.Map(m.Procs, c.proc)
	out.Starts, out.Rules = lists.Map(m.Starts, c.rule), lists.Map(m.Rules, c.rule)
	out.Props, out.Assumptions = lists.Map(m.Props, c.prop), lists.Map(m.Assumptions, c.prop)
	out.Chances = lists.Map(m.Chances, func(q *Likelihood) *Likelihood {
		own := *q
		own.Atoms = lists.Map(q.Atoms, func(p *Property) *Property { return out.Props[p.Index] })
		return &own
	})
	return &out
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
	return lists.Memo(c.vars, v, func(v *Var) *Var {
		u := *v
		u.Type = c.at(Use{Var: v}, v.Type)
		return &u
	})
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
	q.Locals, q.Body = lists.Map(p.Locals, c.ofVar), lists.Map(p.Body, c.stmt)
	return q
}

func (c *copier) rule(r *Rule) *Rule {
	q := *r
	q.Params, q.Locals = lists.Map(r.Params, c.param), lists.Map(r.Locals, c.ofVar)
	q.Guard, q.Body = c.expr(r.Guard), lists.Map(r.Body, c.stmt)
	return &q
}

func (c *copier) prop(p *Property) *Property {
	q := *p
	q.Params, q.Expr = lists.Map(p.Params, c.param), c.expr(p.Expr)
	return &q
}

func (c *copier) param(p *Param) *Param {
	d := p.Domain
	d.From, d.To, d.By = c.expr(d.From), c.expr(d.To), c.expr(d.By)
	v := c.ofVar(p.Var)
	return &Param{Var: v, Domain: c.domain(v, d)}
}

// domain returns the domain of a variable, of which v is the copy; the bounds are copies.
func (c *copier) domain(v *Var, d Domain) Domain {
	if v.Type.Alike && v.Type.Kind == Range && d.ascending() {
		return Domain{Type: v.Type}
	}
	d.Type = c.ofType(d.Type)
	return d
}

func (c *copier) expr(e Expr) Expr {
	if e == nil {
		return nil
	}
	e = MapExpr(e, c.expr)
	c.node(e)
	return e
}

func (c *copier) stmt(s Stmt) Stmt {
	s = MapStmt(s, c.expr, func(b []Stmt) []Stmt { return lists.Map(b, c.stmt) })
	c.node(s)
	return s
}

// node replaces the variables, types and procedures that the copy of a node names.
func (c *copier) node(n any) {
	switch n := n.(type) {
	case *ConstExpr:
		n.T = c.ofType(n.T)
	case *Ref:
		n.Var = c.ofVar(n.Var)
	case *Convert:
		n.To = c.ofType(n.To)
	case *IsMember:
		n.T = c.ofType(n.T)
	case *Quant:
		n.Var = c.ofVar(n.Var)
		n.Domain = c.domain(n.Var, n.Domain)
	case *For:
		n.Var = c.ofVar(n.Var)
		n.Domain = c.domain(n.Var, n.Domain)
	case *Let:
		n.Var = c.ofVar(n.Var)
	case *Alias:
		n.Var = c.ofVar(n.Var)
	case *CallExpr:
		n.Proc = c.procs[n.Proc]
	case *Call:
		n.Proc = c.procs[n.Proc]
	}
}
