// Unions and multisets. The operations on multisets become loops and counts over
// its slots that look at those that hold an element.

package murphi

import (
	"slices"

	"orbitmc/model"
)

// unionType makes the union of scalarsets and enums.
func (c *checker) unionType(t *unionType) *model.Type {
	u := &model.Type{Kind: model.Union, Hi: -1, Leaves: 1}
	ok := true
	for _, p := range t.parts {
		part := c.typ(p)
		if part == nil {
			ok = false
			continue
		}
		if part.Kind != model.Scalarset && part.Kind != model.Enum {
			c.errorf(p.position(), "a union is made of scalarsets and enums, not of %v", part)
			ok = false
			continue
		}
		if slices.Contains(u.Parts, part) {
			c.errorf(p.position(), "%v occurs twice in the union", part)
			ok = false
			continue
		}
		u.Parts = append(u.Parts, part)
		if u.Hi += part.Card(); u.Hi > maxLeaves {
			c.errorf(p.position(), "the union has more than %d values", maxLeaves)
			return nil
		}
	}
	if !ok {
		return nil
	}
	if len(u.Parts) == 0 {
		c.errorf(t.pos, "a union needs at least one type")
		return nil
	}
	return u
}

// related reports whether one of t and u is a union and the other a part of it.
func related(t, u *model.Type) bool {
	return slices.Contains(t.Parts, u) || slices.Contains(u.Parts, t)
}

// assignable reports whether values of type u may be assigned to type t.
func (c *checker) assignable(t, u *model.Type) bool {
	return c.sameShape(t, u) || related(t, u) || isReal(t) && (isReal(u) || u.Numeric())
}

// convert makes x, which is assignable to t, one of type t as far as unions and real numbers go.
func (c *checker) convert(x model.Expr, t *model.Type) model.Expr {
	switch {
	case t == model.RealType:
		return c.float(x)
	case isReal(t):
		return c.round(x, t)
	case !related(x.Type(), t):
		return x
	}
	return &model.Convert{X: x, To: t, Pos: x.Position()}
}

// unite converts x or y so that both are of the union, if one is.
func (c *checker) unite(x, y model.Expr) (model.Expr, model.Expr) {
	if x.Type().Kind == model.Union {
		return x, c.convert(y, x.Type())
	}
	return c.convert(x, y.Type()), y
}

func (c *checker) isMember(e *isMemberExpr) model.Expr {
	x, t := c.expr(e.x), c.typ(e.typ)
	if x == nil || t == nil {
		return nil
	}
	if t.Kind != model.Scalarset && t.Kind != model.Enum {
		c.errorf(e.typ.position(), "ismember needs a scalarset or an enum, not %v", t)
		return nil
	}
	if u := x.Type(); u != t && !(u.Kind == model.Union && related(u, t)) {
		c.errorf(e.x.position(), "values of type %v are never members of %v", u, t)
		return nil
	}
	return &model.IsMember{X: x, T: t, Pos: e.pos}
}

// multisetType makes a multiset type and its slot type.
func (c *checker) multisetType(t *multisetType) *model.Type {
	n := c.sizeOf(t.size, "a multiset", t.pos)
	elem := c.typ(t.elem)
	if n == nil || elem == nil {
		return nil
	}
	if n.Value*int64(1+elem.Leaves) > maxLeaves {
		c.errorf(t.pos, "the multiset has more than %d simple parts", maxLeaves)
		return nil
	}
	slots := &model.Type{Kind: model.Scalarset, Slots: true, Hi: n.Value - 1, Class: len(c.m.Scalarsets), Pos: t.pos, Leaves: 1}
	c.m.Scalarsets = append(c.m.Scalarsets, slots)
	u := &model.Type{Kind: model.Multiset, Index: slots, Elem: elem, Leaves: int(n.Value) * (1 + elem.Leaves)}
	c.depth[u] = c.depth[elem] + 1
	return c.shallow(u, t.pos)
}

// multiset checks a designator that must be a multiset; nil after an error.
func (c *checker) multiset(x model.Expr, pos model.Pos) model.Expr {
	if x == nil {
		return nil
	}
	if t := x.Type(); t.Kind != model.Multiset {
		c.errorf(pos, "a multiset is needed, not type %v", t)
		return nil
	}
	return x
}

// slot declares name as a slot of the multiset set.
func (c *checker) slot(name ident, set model.Expr) *model.IndexSel {
	v := &model.Var{Name: name.name, Kind: model.BoundVar, Type: set.Type().Index, Pos: name.pos}
	c.declare(name, &symbol{v: v})
	return &model.IndexSel{X: set, Index: &model.Ref{Var: v, Pos: name.pos}, Pos: name.pos}
}

// isThere is the test that the slot x holds an element and cond holds; a nil
// cond counts as true.
func (c *checker) isThere(x *model.IndexSel, cond model.Expr) model.Expr {
	p := &model.Present{X: x, Pos: x.Pos}
	if k, ok := cond.(*model.ConstExpr); cond == nil || ok && k.Value == 1 {
		return p
	}
	return c.binary(model.And, p, cond, x.Pos)
}

// slots checks what a name over the slots of a multiset and a condition have in
// common. If the place of the multiset is not fixed, around gives it a name.
func (c *checker) slots(name ident, set model.Expr, cond expr, what string) (at *model.IndexSel, test model.Expr, around []alias) {
	if !fixed(set) {
		around = []alias{c.aliasPlace(&set)}
	}
	c.open()
	defer c.close()
	at = c.slot(name, set)
	x := c.typed(cond, model.BoolType, what)
	if x == nil {
		return nil, nil, nil
	}
	return at, c.isThere(at, x), around
}

func (c *checker) count(e *countExpr) model.Expr {
	set := c.multiset(c.designator(e.set), e.set.base.pos)
	if set == nil {
		return nil
	}
	var made []alias
	if !model.Designator(set) {
		made = []alias{c.store("set", &set)}
	}
	at, test, around := c.slots(e.name, set, e.cond, "the condition of multisetcount")
	if test == nil {
		return nil
	}
	v := at.Index.(*model.Ref).Var
	return inLets(append(made, around...), &model.Quant{Counts: true, Var: v, Domain: model.Domain{Type: v.Type}, Body: test, Pos: e.pos})
}

// store gives the value *x the name and puts the name there.
func (c *checker) store(name string, x *model.Expr) alias {
	y := *x
	v := &model.Var{Name: name, Kind: model.LocalVar, Type: y.Type(), Pos: y.Position()}
	c.readOnly[v] = "a value"
	*x = &model.Ref{Var: v, Pos: y.Position()}
	return alias{v, y, y.Position()}
}

func (c *checker) addStmt(s *addStmt) model.Stmt {
	x := c.expr(s.x)
	set := c.multiset(c.target(s.set, "changed"), s.set.base.pos)
	if x == nil || set == nil {
		return nil
	}
	t := set.Type().Elem
	if !c.assignable(t, x.Type()) || !t.Simple() && !c.samePart(t, x.Type()) {
		c.errorf(s.x.position(), "the multiset holds elements of type %v, not %v", t, x.Type())
		return nil
	}
	c.fits(x, t, "multisetadd")
	return &model.Insert{Set: set, X: c.convert(x, t), Pos: s.pos}
}

func (c *checker) removeStmt(s *removeStmt) model.Stmt {
	if d, ok := s.slot.(*designator); ok && len(s.set.sels) == 0 && len(d.sels) == 0 {
		if a, b := c.find(d.base.name), c.find(s.set.base.name); a != nil && b != nil && a.v != nil && a.v.Type.Kind == model.Multiset && b.v != nil && b.v.Kind == model.BoundVar {
			c.errorf(d.base.pos, "multisetremove has the element first: multisetremove(%s, %s)", clip(s.set.base.name), clip(d.base.name))
			return nil
		}
	}
	i := c.expr(s.slot)
	set := c.multiset(c.target(s.set, "changed"), s.set.base.pos)
	if i == nil || set == nil {
		return nil
	}
	if t := set.Type(); i.Type() != t.Index {
		c.errorf(s.slot.position(), "multisetremove needs the name of an element of this multiset type, bound by choose, multisetcount or multisetremovepred")
		return nil
	}
	return &model.Remove{X: &model.IndexSel{X: set, Index: i, Pos: s.pos}, Pos: s.pos}
}

func (c *checker) removePredStmt(s *removePredStmt) model.Stmt {
	set := c.multiset(c.target(s.set, "changed"), s.set.base.pos)
	if set == nil {
		return nil
	}
	at, test, around := c.slots(s.name, set, s.cond, "the condition of multisetremovepred")
	if test == nil {
		return nil
	}
	v := at.Index.(*model.Ref).Var
	body := []model.Stmt{&model.If{
		Clauses: []model.Clause{{Cond: test, Body: []model.Stmt{&model.Remove{X: at, Pos: s.pos}}}},
		Pos:     s.pos,
	}}
	return inAliases(around, []model.Stmt{&model.For{Var: v, Domain: model.Domain{Type: v.Type}, Body: body, Pos: s.pos}})[0]
}
