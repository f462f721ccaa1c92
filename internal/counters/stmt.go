package counters

import "orbitmc/model"

// This file translates statements. A rule keeps the leaves of the components that it names in
// records of its own; the counters count the others.

func (t *translator) stmts(list []model.Stmt, e *env) []model.Stmt {
	var all []model.Stmt
	for _, s := range list {
		all = append(all, t.stmt(s, e)...)
	}
	return all
}

func one(s model.Stmt) []model.Stmt { return []model.Stmt{s} }

func (t *translator) stmt(s model.Stmt, e *env) []model.Stmt {
	switch s := s.(type) {
	case *model.Assign:
		t.mayWrite(s.LHS, e)
		if e.sums[s] && e.times != nil && !t.countOnce {
			x := s.RHS.(*model.Binary)
			term := &model.Binary{Op: model.Mul, X: t.expr(x.Y, e), Y: e.times, Pos: x.Pos}
			return one(&model.Assign{LHS: t.expr(s.LHS, e), RHS: &model.Binary{Op: x.Op, X: t.expr(x.X, e), Y: term, Pos: x.Pos}, Pos: s.Pos})
		}
		return one(&model.Assign{LHS: t.expr(s.LHS, e), RHS: t.expr(s.RHS, e), Pos: s.Pos})
	case *model.If:
		return t.ifs(s, e)
	case *model.For:
		if t.isC(s.Var.Type) {
			return t.loop(s, e)
		}
		in, v := e.bind(s.Var)
		return one(&model.For{Var: v, Domain: t.domain(s.Domain, e), Body: t.stmts(s.Body, in), Pos: s.Pos})
	case *model.Reset:
		x := s.X
		if v, all := t.wholly(x, e); all {
			return t.each(v, x, e, func(x model.Expr) model.Stmt {
				return model.MapStmt(s, func(model.Expr) model.Expr { return x }, nil)
			})
		}
		t.mayWrite(x, e)
	case *model.Alias:
		if in := t.name(s.Var, s.X, e); in != nil {
			return t.stmts(s.Body, in)
		}
		in, v := e.bind(s.Var)
		return one(&model.Alias{Var: v, X: t.expr(s.X, e), Body: t.stmts(s.Body, in), Pos: s.Pos})
	case *model.Call:
		return one(&model.Call{Proc: t.callee(s.Proc, s.Pos), Args: t.args(s.Proc, s.Args, e), Pos: s.Pos})
	case *model.Return:
		if e.finish == nil {
			t.fail(s.Pos, "return inside a loop over %v", t.Class)
		}
		return append(e.finish(), &model.Return{X: t.expr(s.X, e), Pos: s.Pos})
	case *model.Put:
		if s.X == nil {
			return nil
		}
		if t.isC(s.X.Type()) {
			t.object(s.X, e) // it prints a component, which has no number here
			return nil
		}
	}
	expr := func(x model.Expr) model.Expr { return t.expr(x, e) }
	return one(model.MapStmt(s, expr, func(b []model.Stmt) []model.Stmt { return t.stmts(b, e) }))
}

// ifs leaves out the clauses that are known not to hold.
func (t *translator) ifs(s *model.If, e *env) []model.Stmt {
	own := &model.If{Pos: s.Pos}
	for _, c := range s.Clauses {
		cond := t.expr(c.Cond, e)
		v, known := constant(cond)
		if known && v == 0 {
			continue
		}
		body := t.stmts(c.Body, e)
		if known {
			if len(own.Clauses) == 0 {
				return body
			}
			own.Else = body
			return one(own)
		}
		own.Clauses = append(own.Clauses, model.Clause{Cond: cond, Body: body})
	}
	own.Else = t.stmts(s.Else, e)
	if len(own.Clauses) == 0 {
		return own.Else
	}
	return one(own)
}

// mayWrite refuses to write to what is no leaf of a component with a record.
func (t *translator) mayWrite(x model.Expr, e *env) {
	if t.rootOf(x, e) != nil && t.owner(x, e).rec == nil {
		t.fail(x.Position(), "%s, of a component, is written here", model.Text(x))
	}
}

// wholly reports whether a designator is a state variable with an element for each component.
func (t *translator) wholly(x model.Expr, e *env) (*model.Var, bool) {
	r, ok := t.expand(x, e).(*model.Ref)
	if !ok || t.rootOf(r, e) == nil {
		return nil, false
	}
	return r.Var, r.Var.Type.Kind == model.Array && t.isC(r.Var.Type.Index)
}

// each translates what a statement does to all elements of a state variable.
func (t *translator) each(v *model.Var, x model.Expr, e *env, do func(x model.Expr) model.Stmt) []model.Stmt {
	c := &model.Var{Name: "c", Kind: model.BoundVar, Type: v.Type.Index}
	elem := &model.IndexSel{X: &model.Ref{Var: v, Pos: x.Position()}, Index: &model.Ref{Var: c}, Pos: x.Position()}
	return t.loop(&model.For{Var: c, Domain: model.Domain{Type: c.Type}, Body: one(do(elem)), Pos: x.Position()}, e)
}
