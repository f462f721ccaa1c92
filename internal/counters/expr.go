package counters

import (
	"cmp"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file translates expressions.

// expr translates an expression that is no component.
func (t *translator) expr(x model.Expr, e *env) model.Expr {
	switch x := x.(type) {
	case nil:
		return nil
	case *model.ConstExpr:
		if t.isC(x.T) {
			t.fail(x.Pos, "%v is used as a value", x.T.Format(x.Value))
		}
		return x
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		return t.read(x, e)
	case *model.Not:
		return not(t.expr(x.X, e))
	case *model.Binary:
		return t.binary(x, e)
	case *model.Quant:
		return t.quant(x, e)
	case *model.RealExpr:
		t.fail(x.Pos, "real numbers are not supported")
		return x
	case *model.IsUndefined:
		return t.isUndefined(x, e)
	case *model.Convert:
		if t.mentions(x.To) || t.mentions(x.X.Type()) {
			t.fail(x.Pos, "a component of %v becomes a value of another type", t.Class)
		}
	case *model.IsMember:
		if t.mentions(x.X.Type()) {
			t.fail(x.Pos, "a component of %v becomes a value of another type", t.Class)
		}
	case *model.CallExpr:
		return &model.CallExpr{Proc: t.callee(x.Proc, x.Pos), Args: t.args(x.Proc, x.Args, e), Pos: x.Pos}
	case *model.Let:
		if in := t.name(x.Var, x.X, e); in != nil {
			return t.expr(x.Body, in)
		}
		in, v := e.bind(x.Var)
		return &model.Let{Var: v, X: t.expr(x.X, e), Body: t.expr(x.Body, in), Pos: x.Pos}
	}
	return model.MapExpr(x, func(y model.Expr) model.Expr { return t.expr(y, e) })
}

// name returns e with the name of a component, or of a leaf of one; nil for all else.
func (t *translator) name(v *model.Var, x model.Expr, e *env) *env {
	if t.isC(x.Type()) {
		return e.with(v, t.object(x, e))
	}
	if v.Kind != model.RefVar || t.rootOf(x, e) == nil {
		return nil
	}
	in := e.clone()
	in.alias[v] = t.expand(x, e)
	model.Inspect(in.alias[v], func(n any) {
		if i, ok := n.(*model.IndexSel); ok && !fixed(i.Index) {
			t.fail(i.Pos, "%s names a leaf of a component by an index that may change", v.Name)
		}
	})
	return in
}

// fixed reports whether an index stays as it is.
func fixed(x model.Expr) bool {
	switch x := x.(type) {
	case *model.ConstExpr:
		return true
	case *model.Ref:
		return x.Var.Kind == model.BoundVar
	case *model.Convert:
		return fixed(x.X)
	}
	return false
}

// expand replaces the name at the root of a designator by what it stands for.
func (t *translator) expand(x model.Expr, e *env) model.Expr {
	switch y := x.(type) {
	case *model.Ref:
		if a := e.alias[y.Var]; a != nil {
			return a
		}
	case *model.FieldSel:
		return &model.FieldSel{X: t.expand(y.X, e), Field: y.Field, Pos: y.Pos}
	case *model.IndexSel:
		return &model.IndexSel{X: t.expand(y.X, e), Index: y.Index, Pos: y.Pos}
	}
	return x
}

// rootOf returns the state variable with leaves of components that a designator is rooted in; nil: none.
func (t *translator) rootOf(x model.Expr, e *env) *model.Var {
	v := model.Root(t.expand(x, e))
	if _, ok := t.self[v]; ok {
		return v
	}
	return nil
}

// owner returns the component that a designator of a leaf of one belongs to.
func (t *translator) owner(x model.Expr, e *env) *object {
	for y := t.expand(x, e); ; {
		switch z := y.(type) {
		case *model.IndexSel:
			if t.isC(z.X.Type().Index) {
				return t.object(z.Index, e)
			}
			y = z.X
		case *model.FieldSel:
			y = z.X
		default:
			t.fail(x.Position(), "%s is used as a whole, for all components of %v", model.Text(x), t.Class)
		}
	}
}

// read translates a designator.
func (t *translator) read(x model.Expr, e *env) model.Expr {
	if t.rootOf(x, e) != nil {
		o := t.owner(x, e)
		if o.rec != nil {
			return t.within(t.expand(x, e), o.rec, e)
		}
		if !x.Type().Simple() {
			t.fail(x.Position(), "%s is read as a whole, and is no leaf", model.Text(x))
		}
		first, chain := t.within2(t.expand(x, e))
		return t.pick(t.record.Fields[first].Type, chain, t.record.Fields[first].Offset, o, e)
	}
	switch x := x.(type) {
	case *model.Ref:
		if e.objs[x.Var] != nil || t.isC(x.Var.Type) {
			t.fail(x.Pos, "%s, a component of %v, is used as a value", x.Var.Name, t.Class)
		}
		return &model.Ref{Var: t.variable(x.Var, e), Pos: x.Pos}
	case *model.FieldSel:
		return &model.FieldSel{X: t.read(x.X, e), Field: x.Field, Pos: x.Pos}
	case *model.IndexSel:
		if t.isC(x.X.Type().Index) {
			t.fail(x.Pos, "%s is indexed by %v, and is no state variable", model.Text(x.X), t.Class)
		}
		return &model.IndexSel{X: t.expr(x.X, e), Index: t.expr(x.Index, e), Pos: x.Pos}
	}
	return t.expr(x, e)
}

// variable returns what a variable has become.
func (t *translator) variable(v *model.Var, e *env) *model.Var {
	if own := e.vars[v]; own != nil {
		return own
	}
	return cmp.Or(t.vars[v], v) // a constant array or the like does not exist: variables of procedures
}

// within translates a designator of a leaf, or more, of a component with a record.
func (t *translator) within(x model.Expr, rec model.Expr, e *env) model.Expr {
	switch x := x.(type) {
	case *model.Ref:
		return &model.FieldSel{X: rec, Field: t.self[x.Var], Pos: x.Pos}
	case *model.FieldSel:
		return &model.FieldSel{X: t.within(x.X, rec, e), Field: x.Field, Pos: x.Pos}
	case *model.IndexSel:
		if t.isC(x.X.Type().Index) {
			return t.within(x.X, rec, e)
		}
		return &model.IndexSel{X: t.within(x.X, rec, e), Index: t.expr(x.Index, e), Pos: x.Pos}
	}
	return x
}

// within2 returns the field of the record that a designator is in, and the selectors behind that, outermost
// first.
func (t *translator) within2(x model.Expr) (field int, chain []model.Expr) {
	switch x := x.(type) {
	case *model.FieldSel:
		field, chain = t.within2(x.X)
		return field, append(chain, x)
	case *model.IndexSel:
		if field, chain = t.within2(x.X); !t.isC(x.X.Type().Index) {
			chain = append(chain, x)
		}
		return field, chain
	}
	return t.self[x.(*model.Ref).Var], nil
}

// pick returns the value of the leaf of a component without a record that selectors lead to, from
// number at on.
func (t *translator) pick(u *model.Type, chain []model.Expr, at int, o *object, e *env) model.Expr {
	if len(chain) == 0 {
		return t.value(t.dims[at], o.vals[at])
	}
	switch x := chain[0].(type) {
	case *model.FieldSel:
		f := u.Fields[x.Field]
		return t.pick(f.Type, chain[1:], at+f.Offset, o, e)
	case *model.IndexSel:
		if v, ok := x.Index.(*model.ConstExpr); ok && v.Value >= u.Index.Lo && v.Value <= u.Index.Hi {
			return t.pick(u.Elem, chain[1:], at+int(v.Value-u.Index.Lo)*u.Elem.Leaves, o, e)
		}
		if !t.total(x.Index, e) || !within(x.Index, u.Index) {
			t.fail(x.Pos, "this index of a leaf of a component may err")
		}
		i := t.expr(x.Index, e)
		last := t.pick(u.Elem, chain[1:], at+int(u.Index.Hi-u.Index.Lo)*u.Elem.Leaves, o, e)
		for v := u.Index.Hi - 1; v >= u.Index.Lo; v-- {
			one := t.pick(u.Elem, chain[1:], at+int(v-u.Index.Lo)*u.Elem.Leaves, o, e)
			last = &model.Cond{If: &model.Binary{Op: model.Eq, X: i, Y: constOf(u.Index, v)}, Then: one, Else: last}
		}
		return last
	}
	return nil
}

// leafOf returns the dim that a designator of a component without a record is, if its indices are constants.
func (t *translator) leafOf(x model.Expr, e *env) (d *dim, ok bool) {
	field, chain := t.within2(t.expand(x, e))
	u, at := t.record.Fields[field].Type, t.record.Fields[field].Offset
	for _, s := range chain {
		switch s := s.(type) {
		case *model.FieldSel:
			at += u.Fields[s.Field].Offset
			u = u.Fields[s.Field].Type
		case *model.IndexSel:
			v, ok := s.Index.(*model.ConstExpr)
			if !ok || v.Value < u.Index.Lo || v.Value > u.Index.Hi {
				return nil, false
			}
			at += int(v.Value-u.Index.Lo) * u.Elem.Leaves
			u = u.Elem
		}
	}
	return t.dims[at], true
}

func (t *translator) isUndefined(x *model.IsUndefined, e *env) model.Expr {
	var o *object
	if t.rootOf(x.X, e) != nil {
		o = t.owner(x.X, e)
	}
	if o == nil || o.rec != nil {
		return &model.IsUndefined{X: t.expr(x.X, e), Pos: x.Pos}
	}
	d, ok := t.leafOf(x.X, e)
	switch {
	case !ok:
		t.fail(x.Pos, "isundefined of an element whose index is no constant")
	case d.none == nil:
		return truth(false)
	}
	return t.isNone(d, o.vals[d.leaf])
}

func (t *translator) binary(x *model.Binary, e *env) model.Expr {
	if t.isC(x.X.Type()) || t.isC(x.Y.Type()) {
		if x.Op != model.Eq && x.Op != model.Ne {
			t.fail(x.Pos, "components of %v are compared by order, or computed with", t.Class)
		}
		return truth(equal(t.object(x.X, e), t.object(x.Y, e)) == (x.Op == model.Eq))
	}
	a, b := t.expr(x.X, e), t.expr(x.Y, e)
	switch x.Op {
	case model.And:
		return and(a, b)
	case model.Or:
		return or(a, b)
	case model.Implies:
		if v, ok := constant(a); ok {
			if v == 0 {
				return truth(true)
			}
			return b
		}
	}
	return &model.Binary{Op: x.Op, X: a, Y: b, Pos: x.Pos}
}

// domain translates a domain that is not over components.
func (t *translator) domain(d model.Domain, e *env) model.Domain {
	return model.Domain{Type: d.Type, From: t.expr(d.From, e), To: t.expr(d.To, e), By: t.expr(d.By, e)}
}

// quant translates a quantifier. Of components, all that are known have an operand of their own, and
// each local state has one for the others in it.
func (t *translator) quant(x *model.Quant, e *env) model.Expr {
	if !t.isC(x.Var.Type) {
		in, v := e.bind(x.Var)
		return &model.Quant{All: x.All, Counts: x.Counts, Var: v, Domain: t.domain(x.Domain, e), Body: t.expr(x.Body, in), Pos: x.Pos}
	}
	if x.Counts {
		t.fail(x.Pos, "a count over %v", t.Class) // the language counts elements of multisets only
	}
	names, others := t.ranges(x.Var, x.Domain, x.Pos)
	t.mustBeTotal(x.Body, e, "this quantifier over "+t.Class.String())
	join := or
	if x.All {
		join = and
	}
	var all model.Expr = truth(x.All)
	for _, o := range t.known(names, others, e) {
		all = join(all, t.expr(x.Body, e.with(x.Var, o)))
	}
	if !others {
		return all
	}
	if e.rest != nil {
		if len(e.scope) < t.n() {
			all = join(all, t.expr(x.Body, e.with(x.Var, &object{value: -1, rec: e.rest})))
		}
		return all
	}
	o, vars := t.some(x.Var.Name)
	is, body := t.occupied(o.vals, e), t.expr(x.Body, e.with(x.Var, o))
	if v, ok := constant(body); ok && (v == 1) == x.All {
		return all
	}
	if x.All {
		body = or(not(is), body)
	} else {
		body = and(is, body)
	}
	for _, v := range slices.Backward(vars) {
		body = &model.Quant{All: x.All, Var: v, Domain: model.Domain{Type: v.Type}, Body: body, Pos: x.Pos}
	}
	return join(all, body)
}

// args translates arguments.
func (t *translator) args(p *model.Proc, args []model.Expr, e *env) []model.Expr {
	var all []model.Expr
	for i, a := range args {
		if t.rootOf(a, e) != nil {
			if o := t.owner(a, e); o.rec == nil {
				d, ok := t.leafOf(a, e)
				if p.Params[i].ByRef || !ok || d.none != nil {
					t.fail(a.Position(), "%s, of a component, is an argument here that may be undefined or is passed by reference", model.Text(a))
				}
			}
		}
		all = append(all, t.expr(a, e))
	}
	return all
}

// callee returns the copy of a procedure, which must not be about components.
func (t *translator) callee(p *model.Proc, pos model.Pos) *model.Proc {
	own := t.procs[p]
	if own == nil {
		t.fail(pos, "%s is about components of %v; procedures are not taken apart", p.Name, t.Class)
	}
	return own
}

// proc copies a procedure that is not about components.
func (t *translator) proc(p *model.Proc) {
	about := func(u *model.Type) bool { return u != nil && t.mentions(u) }
	head := func(p *model.Proc) bool {
		return about(p.Result) || slices.ContainsFunc(p.Params, func(f *model.Formal) bool { return about(f.Var.Type) }) ||
			slices.ContainsFunc(p.Locals, func(v *model.Var) bool { return about(v.Type) })
	}
	bad := head(p)
	model.InspectCalls(p.Body, func(n any) {
		if r, ok := n.(*model.Ref); ok {
			_, own := t.self[r.Var]
			bad = bad || own || about(r.Var.Type)
		}
		if v := model.Bound(n); v != nil {
			bad = bad || about(v.Type)
		}
		if q, _ := model.Called(n); q != nil {
			bad = bad || head(q)
		}
	})
	if bad {
		return
	}
	own := lists.Memo(t.procs, p, func(*model.Proc) *model.Proc { return &model.Proc{} })
	*own = model.Proc{Name: p.Name, Index: len(t.Model.Procs), Result: p.Result, Pos: p.Pos}
	t.Model.Procs = append(t.Model.Procs, own)
	e := newEnv()
	e.finish = func() []model.Stmt { return nil }
	for _, f := range p.Params {
		v := *f.Var
		e.vars[f.Var] = &v
		own.Params = append(own.Params, &model.Formal{Var: &v, ByRef: f.ByRef})
	}
	own.Locals = t.copies(p.Locals, e)
	t.later = append(t.later, func() { own.Body = t.stmts(p.Body, e) })
}

// copies returns copies of local variables, which e knows from then on.
func (t *translator) copies(locals []*model.Var, e *env) []*model.Var {
	var all []*model.Var
	for _, v := range locals {
		if t.mentions(v.Type) {
			t.fail(v.Pos, "%s stores a value of %v, or is indexed by it", v.Name, t.Class)
		}
		own := *v
		e.vars[v] = &own
		all = append(all, &own)
	}
	return all
}
