// Lowering of whole arrays and records to their parts, where Murphi knows an
// operation on wholes and package model does not: comparison, and copying
// between two types of the same structure that were declared separately.
//
// Rumur compares and copies wholes as bits. So an undefined part equals only
// an undefined part, without an error, and copying carries it over.

package murphi

import "orbitmc/model"

// maxParts limits the parts that lowering writes out for one model, and how often
// what stands around rules is repeated in them.
const maxParts = 1 << 20

// lower reports whether the parts of t may still be written out.
func (c *checker) lower(t *model.Type, pos model.Pos) bool {
	n := maxParts - c.parts
	countParts(t, &n)
	c.parts = maxParts - n
	if n < 0 {
		c.errorf(pos, "comparing and copying whole records takes more than %d parts", maxParts)
		return false
	}
	return true
}

// repeat reports whether what stands around the rules at hand may be written
// into one more of them.
func (c *checker) repeat(pos model.Pos) bool {
	if c.parts += len(c.around); c.parts > maxParts {
		c.errorf(pos, "what aliases and choose around rules repeat in them has more than %d parts", maxParts)
		return false
	}
	return true
}

// countParts takes the parts of t from n, until n is negative.
func countParts(t *model.Type, n *int) {
	for t.Kind == model.Array {
		t = t.Elem
	}
	*n--
	for i := 0; i < len(t.Fields) && *n >= 0; i++ {
		countParts(t.Fields[i].Type, n)
	}
}

// sameShape reports whether values of t and u may be compared and assigned:
// simple types by model.Type.Same, others part by part.
func (c *checker) sameShape(t, u *model.Type) bool {
	if t.Same(u) {
		return true
	}
	if t.Kind != u.Kind || t.Simple() || t.Kind == model.Multiset || t.Leaves != u.Leaves || len(t.Fields) != len(u.Fields) {
		return false
	}
	key := [2]*model.Type{t, u}
	same, ok := c.same[key]
	if ok {
		return same
	}
	same = true
	if t.Kind == model.Array {
		same = c.samePart(t.Index, u.Index) && c.samePart(t.Elem, u.Elem)
	}
	for i := 0; same && i < len(t.Fields); i++ {
		f, g := t.Fields[i], u.Fields[i]
		same = f.Name == g.Name && c.samePart(f.Type, g.Type)
	}
	c.same[key] = same
	return same
}

// samePart is sameShape, except that ranges must have the same bounds, at every size.
func (c *checker) samePart(t, u *model.Type) bool {
	return c.sameShape(t, u) && (t.Kind != model.Range || t.Lo == u.Lo && t.Hi == u.Hi && t.Top == u.Top)
}

// equalParts returns an expression for x = y, designators of the same shape.
func (c *checker) equalParts(x, y model.Expr, pos model.Pos) model.Expr {
	t := x.Type()
	switch t.Kind {
	case model.Array:
		v, i := indexVar(t, pos)
		body := c.equalParts(&model.IndexSel{X: x, Index: i, Pos: pos}, &model.IndexSel{X: y, Index: i, Pos: pos}, pos)
		return &model.Quant{All: true, Var: v, Domain: model.Domain{Type: t.Index}, Body: body, Pos: pos}
	case model.Record:
		var xs []model.Expr
		var at []model.Pos
		for i := range t.Fields {
			xs = append(xs, c.equalParts(&model.FieldSel{X: x, Field: i, Pos: pos}, &model.FieldSel{X: y, Field: i, Pos: pos}, pos))
			at = append(at, pos)
		}
		return c.balance(model.And, xs, at)
	}
	isX, isY := &model.IsUndefined{X: x, Pos: pos}, &model.IsUndefined{X: y, Pos: pos}
	same := &model.Binary{Op: model.Eq, X: x, Y: y, Pos: pos}
	return &model.Cond{
		If: isX, Then: isY, Pos: pos,
		Else: &model.Binary{Op: model.And, X: &model.Not{X: isY, Pos: pos}, Y: same, Pos: pos},
	}
}

// fix gives names to what x and y, arrays or records, denote, unless it is the
// same whenever it is evaluated.
func (c *checker) fix(xs ...*model.Expr) (around []alias) {
	for _, x := range xs {
		switch {
		case !model.Designator(*x):
			around = append(around, c.store("value", x))
		case !fixed(*x):
			around = append(around, c.aliasPlace(x))
		}
	}
	return around
}

// copyParts returns statements for x := y, designators of the same shape but of
// separate types. The indices in them are evaluated again for each part, so
// they must be fixed.
func copyParts(x, y model.Expr, pos model.Pos) []model.Stmt {
	t := x.Type()
	switch t.Kind {
	case model.Array:
		v, i := indexVar(t, pos)
		body := copyParts(&model.IndexSel{X: x, Index: i, Pos: pos}, &model.IndexSel{X: y, Index: i, Pos: pos}, pos)
		return []model.Stmt{&model.For{Var: v, Domain: model.Domain{Type: t.Index}, Body: body, Pos: pos}}
	case model.Record:
		var out []model.Stmt
		for i := range t.Fields {
			out = append(out, copyParts(&model.FieldSel{X: x, Field: i, Pos: pos}, &model.FieldSel{X: y, Field: i, Pos: pos}, pos)...)
		}
		return out
	case model.Multiset:
		return []model.Stmt{&model.Assign{LHS: x, RHS: y, Pos: pos}}
	}
	return []model.Stmt{&model.If{
		Clauses: []model.Clause{{Cond: &model.IsUndefined{X: y, Pos: pos}, Body: []model.Stmt{&model.Reset{X: x, Pos: pos}}}},
		Else:    []model.Stmt{&model.Assign{LHS: x, RHS: y, Pos: pos}},
		Pos:     pos,
	}}
}

// indexVar makes a bound variable that runs over the index of the array type t.
func indexVar(t *model.Type, pos model.Pos) (*model.Var, model.Expr) {
	v := &model.Var{Name: "index", Kind: model.BoundVar, Type: t.Index, Pos: pos}
	return v, &model.Ref{Var: v, Pos: pos}
}

// fixed reports whether all indices in the designator x are constants or bound
// variables.
func fixed(x model.Expr) bool {
	for y := range model.Within(x) {
		e, ok := y.(*model.IndexSel)
		if !ok || isConst(e.Index) {
			continue
		}
		if i, ok := e.Index.(*model.Ref); !ok || i.Var.Kind != model.BoundVar {
			return false
		}
	}
	return true
}
