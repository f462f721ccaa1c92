// Statements.

package murphi

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

func (c *checker) stmts(list []stmt) []model.Stmt {
	var out []model.Stmt
	for _, s := range list {
		switch s := s.(type) {
		case *assignStmt:
			out = append(out, c.assign(s)...)
		case *aliasStmt:
			out = append(out, c.aliasStmt(s)...)
		default:
			if t := c.stmt(s); t != nil {
				out = append(out, t)
			}
		}
	}
	return out
}

// stmt checks a statement other than an assignment or alias; nil after an
// error.
func (c *checker) stmt(s stmt) model.Stmt {
	switch s := s.(type) {
	case *undefineStmt:
		if x := c.target(s.x, "undefined"); x != nil {
			return &model.Reset{X: x, Pos: s.pos}
		}
	case *ifStmt:
		t := &model.If{Pos: s.pos}
		outer := c.dead
		for _, cl := range s.clauses {
			cond := c.typed(cl.cond, model.BoolType, "the condition")
			before := c.dead
			if settles(cond, 0) {
				c.dead++
			}
			t.Clauses = append(t.Clauses, model.Clause{Cond: cond, Body: c.stmts(cl.body)})
			c.dead = before
			if settles(cond, 1) {
				c.dead++
			}
		}
		t.Else = c.stmts(s.els)
		c.dead = outer
		return t
	case *switchStmt:
		return c.switchStmt(s)
	case *forStmt:
		return c.forStmt(s)
	case *clearStmt:
		if x := c.target(s.x, "cleared"); x != nil {
			return &model.Reset{X: x, Least: true, Pos: s.pos}
		}
	case *whileStmt:
		cond := c.typed(s.cond, model.BoolType, "the condition")
		return &model.While{Cond: cond, Body: c.stmts(s.body), Pos: s.pos}
	case *callStmt:
		return c.callStmt(s)
	case *returnStmt:
		return c.returnStmt(s)
	case *addStmt:
		return c.addStmt(s)
	case *removeStmt:
		return c.removeStmt(s)
	case *removePredStmt:
		return c.removePredStmt(s)
	case *assertStmt:
		return c.assertStmt(s)
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

// settles reports whether the condition x, which may be nil, has a constant operand that
// makes it the truth value v whatever the others are.
func settles(x model.Expr, v int64) bool {
	switch x := x.(type) {
	case *model.ConstExpr:
		return x.Value == v
	case *model.Binary:
		return (x.Op == model.And && v == 0 || x.Op == model.Or && v == 1) && (settles(x.X, v) || settles(x.Y, v))
	}
	return false
}

// fits is called if x becomes a value of type t when what is done. It warns if x is a constant
// out of its range.
func (c *checker) fits(x model.Expr, t *model.Type, what string) {
	c.greatest(x, t)
	c.number(x)
	if k, ok := x.(*model.ConstExpr); ok && k.Size.Const == "" && c.dead == 0 && t.Kind == model.Range && !(t.Lo <= k.Value && k.Value <= t.Hi) {
		c.m.Warnings = append(c.m.Warnings, model.Warning{Pos: k.Pos, Text: fmt.Sprintf("%d is outside the range %d..%d: %s always fails", k.Value, t.Lo, t.Hi, what)})
	}
}

// assertStmt checks an assert, error, assume or cover statement.
func (c *checker) assertStmt(s *assertStmt) model.Stmt {
	var cond model.Expr
	switch s.word {
	case "assert":
		cond = c.typed(s.cond, model.BoolType, "the asserted condition")
	case "assume", "cover":
		cond = c.pureTyped(s.cond, propertyKinds[s.word].what)
		what := map[kind]string{"assume": "has an assume statement", "cover": "has a cover statement"}[s.word]
		c.effect(&effect{what: what, pos: s.pos})
	}
	if cond == nil && s.word != "error" {
		return nil // or a liveness property, reported by the parser
	}
	p := &model.Property{Name: s.msg, Pos: s.pos}
	switch s.word {
	case "assume":
		return &model.Assume{Cond: cond, Pos: s.pos}
	case "cover":
		p.Kind = model.Cover
		t := &model.CoverStmt{Cond: cond, Pos: s.pos}
		c.stated = append(c.stated, stated{p, &t.Prop})
		return t
	}
	if p.Kind = model.Assertion; cond == nil {
		p.Kind = model.ErrorStmt
	}
	t := &model.Assert{Cond: cond, Message: s.msg, Pos: s.pos}
	c.stated = append(c.stated, stated{p, &t.Prop})
	return t
}

// target resolves the designator of something to be changed.
func (c *checker) target(d *designator, done string) model.Expr {
	x := c.designator(d)
	switch x.(type) {
	case nil:
		return nil
	case *model.ConstExpr:
		c.errorf(d.base.pos, "%s is a constant and cannot be %s", clip(d.base.name), done)
		return nil
	case *model.CallExpr, *model.Let:
		c.errorf(d.base.pos, "the value of %s cannot be %s", clip(d.base.name), done)
		return nil
	}
	v := c.root(model.Root(x))
	if v.Kind == model.BoundVar {
		c.errorf(d.base.pos, "%s is a bound variable and cannot be %s: take a variable", clip(v.Name), done)
		return nil
	}
	if what := c.readOnly[v]; what != "" {
		c.errorf(d.base.pos, "%s is %s and cannot be %s", clip(v.Name), what, done)
		return nil
	}
	if done != "passed to a var parameter" {
		c.effectOn(x, &effect{what: changesText + clip(v.Name), pos: d.base.pos})
	}
	return x
}

// assign checks an assignment, which may be lowered to several statements.
func (c *checker) assign(s *assignStmt) []model.Stmt {
	x := c.target(s.lhs, "assigned")
	if c.isUndefined(s.rhs) {
		if x == nil {
			return nil
		}
		return []model.Stmt{&model.Reset{X: x, Pos: s.pos}}
	}
	return c.assignExpr(x, s.rhs, s.pos)
}

// assignExpr checks x := e. A whole array or record is assigned in both branches
// of ?:, as that has simple values only. x may be nil.
func (c *checker) assignExpr(x model.Expr, e expr, pos model.Pos) []model.Stmt {
	if d, ok := e.(*condExpr); ok && x != nil && !x.Type().Simple() {
		cond := c.typed(d.cond, model.BoolType, "the condition of ?:")
		then, els := c.assignExpr(x, d.then, pos), c.assignExpr(x, d.els, pos)
		return []model.Stmt{&model.If{Clauses: []model.Clause{{Cond: cond, Body: then}}, Else: els, Pos: pos}}
	}
	y := c.expr(e)
	if x == nil || y == nil {
		return nil
	}
	t, u := x.Type(), y.Type()
	if !c.assignable(t, u) {
		c.errorf(pos, "a value of type %v cannot be assigned to type %v%s", u, t, valuesOf(t, u))
		return nil
	}
	if model.Designator(y) && isReal(u) && u != model.RealType {
		return c.copyReal(x, y, pos)
	}
	if r, ok := y.(*model.Ref); ok && c.elements[r.Var] && c.readsPart(u, t) {
		y = read(y)
	}
	c.fits(y, t, "the assignment")
	if t == u || t.Simple() {
		return []model.Stmt{&model.Assign{LHS: x, RHS: c.convert(y, t), Pos: pos}}
	}
	if !c.lower(t, pos) {
		return nil
	}
	around := c.fix(&x, &y)
	return inAliases(around, copyParts(x, y, pos))
}

func (c *checker) switchStmt(s *switchStmt) model.Stmt {
	x := c.expr(s.x)
	if x != nil && !c.simple(x, s.x.position(), "the switch value") {
		x = nil
	}
	if x != nil && isReal(x.Type()) {
		c.errorf(s.x.position(), "the switch value must not be a real number")
		x = nil
	}
	ok := x != nil
	var values [][]model.Expr
	var bodies [][]model.Stmt
	for _, sc := range s.cases {
		var k []model.Expr
		for _, v := range sc.values {
			y := c.expr(v)
			ok = ok && y != nil
			if x != nil && y != nil {
				t, u := x.Type(), y.Type()
				if !t.Same(u) && !(t.Kind == model.Union && related(t, u)) {
					c.errorf(v.position(), "the case is of type %v and the switch value of type %v", u, t)
				} else {
					y = c.convert(y, t)
				}
			}
			k = append(k, y)
		}
		values, bodies = append(values, k), append(bodies, c.stmts(sc.body))
	}
	els := c.stmts(s.els)
	if !ok {
		return nil
	}
	return model.NewSwitch(x, values, bodies, els, s.pos)
}

// readsPart reports whether x := y, where x is of the simple type t and y a field
// or element of type u, reads y: a variable is copied undefined by CMurphi, but
// not everything else.
func (c *checker) readsPart(u, t *model.Type) bool {
	switch u.Kind {
	case model.Range, model.Bool:
		return c.opt.Dialect == model.CMurphi
	case model.Enum:
		return c.opt.Dialect == model.CMurphi && t.Kind == model.Union
	}
	return false
}

// copies declares variables for those bound ones that may be assigned, and returns
// the assignments that begin the body they are for. Only Rumur has that: what is
// assigned is a copy, and the loop goes on as if nothing was.
func (c *checker) copies(written []ident) (body []model.Stmt) {
	if c.opt.Dialect != model.Rumur {
		return nil
	}
	for _, id := range written {
		s := c.find(id.name)
		if s == nil || s.v == nil || s.v.Kind != model.BoundVar || s.v.Type.Kind == model.Integer || s.v.Type.Slots || c.scope.names[id.name] != nil {
			continue
		}
		v := &model.Var{Name: id.name, Kind: model.LocalVar, Type: s.v.Type, Pos: id.pos}
		c.locals = append(c.locals, v)
		body = append(body, &model.Assign{LHS: &model.Ref{Var: v, Pos: id.pos}, RHS: &model.Ref{Var: s.v, Pos: id.pos}, Pos: id.pos})
		c.declare(id, &symbol{v: v})
	}
	return body
}

// forStmt checks a loop; several quantifiers nest, the first outermost.
func (c *checker) forStmt(s *forStmt) model.Stmt {
	c.open()
	defer c.close()
	bounds, ok := c.quantifiers(s.quants)
	c.open()
	defer c.close()
	body := c.copies(s.written)
	body = append(body, c.stmts(s.body)...)
	if !ok {
		return nil
	}
	for _, b := range slices.Backward(bounds) {
		loop := &model.For{Var: b.Var, Domain: b.Domain, Body: inAliases(b.inner, body), Pos: s.pos}
		body = inAliases(b.outer, []model.Stmt{loop})
	}
	return body[0]
}
