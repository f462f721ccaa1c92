// Types.

package murphi

import (
	"math/bits"

	"orbitmc/internal/front"
	"orbitmc/model"
)

// typ resolves an anonymous type or a name.
func (c *checker) typ(t typeExpr) *model.Type { return c.namedType(t, "") }

// namedType resolves a type that gets the given name, if it has none yet. A new
// name for a range makes a second type: its values are another kind of thing.
func (c *checker) namedType(t typeExpr, name string) *model.Type {
	var u *model.Type
	switch t := t.(type) {
	case *nameType:
		s := c.lookup(t.id, isType)
		if s == nil {
			return nil
		}
		if s.typ == nil {
			if s.value != nil || s.v != nil || s.proc != nil || s.alias != nil {
				c.errorf(t.id.pos, "%s is not a type", clip(t.id.name))
			}
			return nil
		}
		if name == "" || s.typ.Kind != model.Range {
			return s.typ
		}
		u = &model.Type{Kind: model.Range, Lo: s.typ.Lo, Hi: s.typ.Hi, SizedBy: s.typ.SizedBy, Top: s.typ.Top, Leaves: 1}
	case *rangeType:
		u = c.rangeType(t)
	case *enumType:
		u = &model.Type{Kind: model.Enum, Hi: int64(len(t.members)) - 1, Leaves: 1}
		if len(t.members) == 0 {
			c.errorf(t.pos, "an enum needs at least one member")
			return nil
		}
		for i, id := range t.members {
			u.Members = append(u.Members, id.name)
			c.declare(id, &symbol{value: &model.ConstExpr{Value: int64(i), T: u}})
		}
	case *scalarsetType:
		u = c.scalarset(t)
	case *unionType:
		u = c.unionType(t)
	case *multisetType:
		u = c.multisetType(t)
	case *arrayType:
		u = c.arrayType(t)
	case *recordType:
		u = c.recordType(t)
	case *realType:
		u = c.realType(t)
	}
	if u == nil {
		return nil
	}
	u.Pos = t.position()
	u.Name = name
	if name != "" {
		c.m.Types = append(c.m.Types, u)
	}
	return u
}

// rangeType makes a range. Under Rumur members of an enum may bound it, which
// stand for their numbers.
func (c *checker) rangeType(r *rangeType) *model.Type {
	bound := func(e expr) *model.ConstExpr {
		k := c.constant(e, "a range bound")
		if k != nil && !k.T.Numeric() && !(c.opt.Dialect == model.Rumur && k.T.Kind == model.Enum) {
			c.errorf(e.position(), "a range bound must be a number, not of type %v", k.T)
			return nil
		}
		return k
	}
	size := ""
	lo := bound(r.from)
	if lo != nil && (lo.Value == 0 || lo.Value == 1) {
		size = c.sizedBy(r.to, 1-lo.Value)
	}
	hi := c.opaque(size, func() *model.ConstExpr { return bound(r.to) })
	if lo == nil || hi == nil {
		return nil
	}
	if hi.Value < lo.Value {
		c.errorf(r.pos, "the range %d..%d is empty", lo.Value, hi.Value)
		return nil
	}
	if n := hi.Value - lo.Value + 1; n <= 0 {
		c.errorf(r.pos, "the range %d..%d is too large", lo.Value, hi.Value)
		return nil
	}
	t := &model.Type{Kind: model.Range, Lo: lo.Value, Hi: hi.Value, SizedBy: size, Leaves: 1}
	if size != "" {
		t.Top = model.Size{Const: size, Plus: lo.Value - 1}
	} else if top, open := c.sized[hi]; open {
		t.Top = top
		delete(c.sized, hi)
	}
	return t
}

func (c *checker) scalarset(t *scalarsetType) *model.Type {
	size := c.sizedBy(t.size, 0)
	n := c.opaque(size, func() *model.ConstExpr { return c.sizeOf(t.size, "a scalarset", t.pos) })
	if n == nil {
		return nil
	}
	u := &model.Type{Kind: model.Scalarset, Hi: n.Value - 1, Class: len(c.m.Scalarsets), SizedBy: size, Leaves: 1}
	c.m.Scalarsets = append(c.m.Scalarsets, u)
	return u
}

// sizeOf checks the size of what stands at pos.
func (c *checker) sizeOf(e expr, what string, pos model.Pos) *model.ConstExpr {
	n := c.constNumber(e, "the size of "+what)
	if n != nil && (n.Value < 1 || n.Value > maxLeaves) {
		c.errorf(pos, "the size of %s must be in 1..%d, not %d", what, maxLeaves, n.Value)
		return nil
	}
	return n
}

func (c *checker) arrayType(t *arrayType) *model.Type {
	index := c.typ(t.index)
	elem := c.typ(t.elem)
	if index == nil || elem == nil {
		return nil
	}
	if !index.Simple() || isReal(index) {
		c.errorf(t.index.position(), "an array cannot be indexed by %v", index)
		return nil
	}
	hi, n := bits.Mul64(uint64(index.Card()), uint64(elem.Leaves))
	if hi != 0 || n > maxLeaves {
		c.errorf(t.pos, "the array has more than %d simple parts", maxLeaves)
		return nil
	}
	u := &model.Type{Kind: model.Array, Index: index, Elem: elem, Leaves: int(n)}
	c.depth[u] = c.depth[elem] + 1
	return c.shallow(u, t.pos)
}

// shallow returns t, or nil after reporting that its types nest too deeply.
func (c *checker) shallow(t *model.Type, pos model.Pos) *model.Type {
	if c.depth[t] > maxNesting {
		c.errorf(pos, "types nested more than %d deep", maxNesting)
		return nil
	}
	return t
}

func (c *checker) recordType(t *recordType) *model.Type {
	u := &model.Type{Kind: model.Record}
	index := make(map[string]int)
	ok := true
	for _, d := range t.fields {
		ft := c.typ(d.typ)
		if ft == nil {
			ok = false
			continue
		}
		for _, id := range d.names {
			if _, dup := index[id.name]; dup {
				c.errorf(id.pos, "the record has two fields %s", clip(id.name))
				ok = false
				continue
			}
			index[id.name] = len(u.Fields)
			c.fieldAt[u] = append(c.fieldAt[u], front.Place{File: c.file, Pos: id.pos})
			u.Fields = append(u.Fields, model.Field{Name: id.name, Type: ft, Offset: u.Leaves})
			if u.Leaves += ft.Leaves; u.Leaves > maxLeaves {
				c.errorf(id.pos, "the record has more than %d simple parts", maxLeaves)
				return nil
			}
		}
	}
	if !ok {
		return nil
	}
	if len(u.Fields) == 0 {
		c.errorf(t.pos, "a record needs at least one field")
		return nil
	}
	for _, f := range u.Fields {
		c.depth[u] = max(c.depth[u], c.depth[f.Type]+1)
	}
	c.fields[u] = index
	for i, at := range c.fieldAt[u] {
		c.noteField(u, i, at.Pos)
	}
	return c.shallow(u, t.pos)
}
