// Aliases. A name for a place that is fixed, because all indices in it are
// constants or bound variables that cannot be wrong, is replaced by the place; a
// name for a constant by the constant. The others are bound where they stand:
// around rules once before the guard and once more before the body.

package murphi

import (
	"slices"

	"orbitmc/model"
)

// aliases declares the names in the current scope and returns those that must
// be bound.
func (c *checker) aliases(binds []binding) (around []alias, ok bool) {
	ok = true
	for _, b := range binds {
		x := c.expr(b.x)
		if x == nil {
			c.declare(b.id, &symbol{})
			ok = false
			continue
		}
		if k, isConst := x.(*model.ConstExpr); isConst {
			c.declare(b.id, &symbol{value: k, exact: c.exact[k]})
			continue
		}
		if model.Designator(x) && c.settled(x) {
			c.declare(b.id, &symbol{alias: x})
			continue
		}
		v := &model.Var{Name: b.id.name, Kind: model.LocalVar, Type: x.Type(), Pos: b.id.pos}
		if model.Designator(x) {
			v.Kind = model.RefVar
			c.roots[v] = model.Root(x)
			c.elements[v] = true
		} else {
			c.readOnly[v] = "an alias for a value"
		}
		c.declare(b.id, &symbol{v: v})
		around = append(around, alias{v, x, b.id.pos})
	}
	return around, ok
}

func (c *checker) aliasStmt(s *aliasStmt) []model.Stmt {
	c.open()
	defer c.close()
	var around []alias
	ok := true
	for _, b := range s.binds {
		// A later name may hide an earlier one.
		c.open()
		defer c.close()
		a, good := c.aliases([]binding{b})
		around, ok = append(around, a...), ok && good
	}
	body := c.stmts(s.body)
	if !ok {
		return nil
	}
	return inAliases(around, body)
}

// isPlace reports whether x is a designator of a variable that is not bound.
func isPlace(x model.Expr) bool {
	return model.Designator(x) && model.Root(x).Kind != model.BoundVar
}

// settled reports whether the designator x denotes one place whenever it is
// evaluated, and without an error.
func (c *checker) settled(x model.Expr) bool {
	for y := range model.Within(x) {
		e, ok := y.(*model.IndexSel)
		if !ok {
			continue
		}
		t := e.X.Type()
		if t.Kind == model.Multiset && !c.chosen(e) || t.Kind != model.Multiset && !lies(e.Index, t.Index) {
			return false
		}
	}
	return true
}

// lies reports whether x is a constant or bound variable that always lies in t.
func lies(x model.Expr, t *model.Type) bool {
	switch x := x.(type) {
	case *model.ConstExpr:
		return t.Lo <= x.Value && x.Value <= t.Hi
	case *model.Ref:
		u := x.Var.Type
		return x.Var.Kind == model.BoundVar && u.Kind != model.Integer && t.Lo <= u.Lo && u.Hi <= t.Hi
	case *model.Convert:
		return x.To.Kind == model.Union && lies(x.X, x.X.Type())
	}
	return false
}

// chosen reports whether x is the element that a choose around the current rules
// stands for: where its rules are looked at, it is there. The other indices in x are for settled.
func (c *checker) chosen(x *model.IndexSel) bool {
	i, ok := x.Index.(*model.Ref)
	return ok && !c.inBody && slices.ContainsFunc(c.around, func(w wrap) bool {
		return w.slot != nil && w.slot.Index.(*model.Ref).Var == i.Var && model.SamePlace(w.slot.X, x.X)
	})
}

// relocate returns the settled designator x as one used at pos. No error can come
// from within it, so the positions there do not matter.
func relocate(x model.Expr, pos model.Pos) model.Expr {
	switch x := x.(type) {
	case *model.Ref:
		return &model.Ref{Var: x.Var, Pos: pos}
	case *model.FieldSel:
		return &model.FieldSel{X: x.X, Field: x.Field, Pos: pos}
	case *model.IndexSel:
		return &model.IndexSel{X: x.X, Index: x.Index, Pos: pos}
	}
	panic("murphi: no designator")
}
