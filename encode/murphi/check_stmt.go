// Statements.

package murphi

import "orbitmc/model"

func (c *checker) stmts(list []stmt) []model.Stmt {
	var out []model.Stmt
	for _, s := range list {
		if a, ok := s.(*assignStmt); ok {
			out = append(out, c.assign(a)...)
		} else if t := c.stmt(s); t != nil {
			out = append(out, t)
		}
	}
	return out
}

// stmt checks a statement other than an assignment; nil after an error.
func (c *checker) stmt(s stmt) model.Stmt {
	switch s := s.(type) {
	case *undefineStmt:
		if x := c.target(s.x, "undefined"); x != nil {
			return &model.Undefine{X: x, Pos: s.pos}
		}
	case *ifStmt:
		t := &model.If{Pos: s.pos}
		for _, cl := range s.clauses {
			cond := c.typed(cl.cond, model.BoolType, "the condition")
			t.Clauses = append(t.Clauses, model.Clause{Cond: cond, Body: c.stmts(cl.body)})
		}
		t.Else = c.stmts(s.els)
		return t
	case *switchStmt:
		return c.switchStmt(s)
	case *forStmt:
		return c.forStmt(s)
	case *assertStmt:
		t := &model.Assert{Message: s.msg, Pos: s.pos}
		if s.cond != nil {
			if t.Cond = c.typed(s.cond, model.BoolType, "the asserted condition"); t.Cond == nil {
				return nil
			}
		}
		c.asserts = append(c.asserts, t)
		return t
	case *putStmt:
		t := &model.Put{Text: s.text, Pos: s.pos}
		if s.x != nil {
			if t.X = c.expr(s.x); t.X == nil {
				return nil
			}
		}
		return t
	default:
		panic("murphi: unknown statement")
	}
	return nil
}

// target resolves the designator of something to be assigned.
func (c *checker) target(d *designator, done string) model.Expr {
	x := c.designator(d)
	if x == nil {
		return nil
	}
	if _, ok := x.(*model.ConstExpr); ok {
		c.errorf(d.base.pos, "%s is a constant and cannot be %s", clip(d.base.name), done)
		return nil
	}
	if v := base(x); v.Kind == model.BoundVar {
		c.errorf(d.base.pos, "%s is a bound variable and cannot be %s", clip(v.Name), done)
		return nil
	}
	return x
}

// base returns the variable of a designator.
func base(x model.Expr) *model.Var {
	for {
		switch e := x.(type) {
		case *model.Ref:
			return e.Var
		case *model.FieldSel:
			x = e.X
		case *model.IndexSel:
			x = e.X
		}
	}
}

// assign checks an assignment, which may be lowered to several statements.
func (c *checker) assign(s *assignStmt) []model.Stmt {
	x := c.target(s.lhs, "assigned")
	if s.rhs == nil {
		if x == nil {
			return nil
		}
		return []model.Stmt{&model.Undefine{X: x, Pos: s.pos}}
	}
	y := c.expr(s.rhs)
	if x == nil || y == nil {
		return nil
	}
	t, u := x.Type(), y.Type()
	if !c.sameShape(t, u) {
		c.errorf(s.pos, "a value of type %v cannot be assigned to type %v", u, t)
		return nil
	}
	if t == u || t.Simple() {
		return []model.Stmt{&model.Assign{LHS: x, RHS: y, Pos: s.pos}}
	}
	if !fixed(x) || !fixed(y) {
		c.errorf(s.pos, "types %v and %v are declared separately", t, u)
		return nil
	}
	if !c.lower(t, s.pos) {
		return nil
	}
	return copyParts(x, y, s.pos)
}

func (c *checker) switchStmt(s *switchStmt) model.Stmt {
	x := c.expr(s.x)
	if x != nil && !c.simple(x, s.x.position(), "the switch value") {
		x = nil
	}
	t := &model.Switch{X: x, Pos: s.pos}
	for _, sc := range s.cases {
		var k model.Case
		for _, v := range sc.values {
			y := c.expr(v)
			if x != nil && y != nil && !x.Type().Same(y.Type()) {
				c.errorf(v.position(), "the case is of type %v and the switch value of type %v", y.Type(), x.Type())
			}
			k.Values = append(k.Values, y)
		}
		k.Body = c.stmts(sc.body)
		t.Cases = append(t.Cases, k)
	}
	t.Else = c.stmts(s.els)
	return t
}

// forStmt checks a loop; several quantifiers nest, the first outermost.
func (c *checker) forStmt(s *forStmt) model.Stmt {
	c.open()
	defer c.close()
	var params []*model.Param
	ok := true
	for _, q := range s.quants {
		p := c.quantifier(q, false)
		ok = ok && p != nil
		params = append(params, p)
	}
	body := c.stmts(s.body)
	if !ok {
		return nil
	}
	for i := len(params) - 1; i >= 0; i-- {
		body = []model.Stmt{&model.For{Var: params[i].Var, Domain: params[i].Domain, Body: body, Pos: s.pos}}
	}
	return body[0]
}
