package rename

import (
	"fmt"

	"orbitmc/model"
)

// Expressions and statements in the graph. The depth of each, below its rule or property, is
// in its colour: edges have no direction, and an expression must not be taken for one of
// its operands.

// operands returns the operands of & or |, whatever way they are nested.
func operands(op model.Op, e model.Expr) []model.Expr {
	if b, ok := e.(*model.Binary); ok && b.Op == op {
		return append(operands(op, b.X), operands(op, b.Y)...)
	}
	return []model.Expr{e}
}

func (x *modelGraph) expr(e model.Expr, depth int) int {
	if x.n > maxModelGraph {
		return 0
	}
	node := func(format string, args ...any) int {
		return x.vertex("%d "+format, append([]any{depth}, args...)...)
	}
	under := func(at int, role string, e model.Expr) int {
		if e != nil {
			x.link(at, role, x.expr(e, depth+1))
		}
		return at
	}
	switch e := e.(type) {
	case *model.ConstExpr:
		if v, ok := x.value(e.T, e.Value); ok {
			at := node("constant")
			x.link(at, "value", v)
			return at
		}
		return node("constant %d %d", e.T.Kind, e.Value)
	case *model.Ref:
		at := node("reference")
		x.link(at, "variable", x.variable(e.Var))
		return at
	case *model.FieldSel:
		at := node("field")
		x.typ(e.X.Type())
		x.link(at, "name", x.fields[fieldKey{e.X.Type(), e.Field}])
		return under(at, "of", e.X)
	case *model.IndexSel:
		return under(under(node("element"), "of", e.X), "index", e.Index)
	case *model.Unary:
		return under(node("unary %d", e.Op), "of", e.X)
	case *model.Binary:
		at := node("binary %d", e.Op)
		switch e.Op {
		case model.And, model.Or:
			for _, o := range operands(e.Op, e) {
				under(at, "operand", o)
			}
			return at
		case model.Eq, model.Ne, model.Add, model.Mul, model.BitAnd, model.BitOr, model.BitXor:
			return under(under(at, "operand", e.X), "operand", e.Y)
		}
		return under(under(at, "left", e.X), "right", e.Y)
	case *model.Cond:
		return under(under(under(node("conditional"), "if", e.If), "then", e.Then), "else", e.Else)
	case *model.Quant:
		at := node("quantifier %v", e.All)
		x.link(at, "variable", x.variable(e.Var))
		x.domain(at, "domain", e.Domain, depth+1)
		return under(at, "body", e.Body)
	case *model.Count:
		at := node("count")
		x.link(at, "variable", x.variable(e.Var))
		x.domain(at, "domain", e.Domain, depth+1)
		return under(at, "body", e.Body)
	case *model.IsUndefined:
		return under(node("undefined"), "of", e.X)
	case *model.Present:
		return under(node("present"), "of", e.X)
	case *model.Convert:
		at := node("convert")
		x.link(at, "type", x.typ(e.To))
		return under(at, "of", e.X)
	case *model.IsMember:
		at := node("member")
		x.link(at, "type", x.typ(e.T))
		return under(at, "of", e.X)
	case *model.CallExpr:
		at := node("call")
		x.link(at, "procedure", x.proc(e.Proc))
		for i, a := range e.Args {
			under(at, fmt.Sprint("argument ", i), a)
		}
		return at
	case *model.Let:
		at := node("let")
		x.link(at, "variable", x.variable(e.Var))
		return under(under(at, "of", e.X), "body", e.Body)
	}
	panic(fmt.Sprintf("detect: an expression %T", e))
}

func (x *modelGraph) list(parent int, role string, ss []model.Stmt, depth int) {
	for _, s := range ss {
		if v, ok := x.stmt(s, depth); ok {
			x.link(parent, role, v)
		}
	}
}

// stmt returns the vertex of a statement, if it has an effect.
func (x *modelGraph) stmt(s model.Stmt, depth int) (vertex int, ok bool) {
	node := func(format string, args ...any) int {
		return x.vertex("%d "+format, append([]any{depth}, args...)...)
	}
	under := func(at int, role string, e model.Expr) {
		if e != nil {
			x.link(at, role, x.expr(e, depth+1))
		}
	}
	switch s := s.(type) {
	case *model.Assign:
		vertex = node("assign")
		under(vertex, "to", s.LHS)
		under(vertex, "value", s.RHS)
	case *model.If:
		vertex = node("if")
		for _, c := range s.Clauses {
			v := node("clause")
			under(v, "condition", c.Cond)
			x.list(v, "body", c.Body, depth+1)
			x.link(vertex, "clause", v)
		}
		x.list(vertex, "else", s.Else, depth+1)
	case *model.Switch:
		vertex = node("switch")
		under(vertex, "on", s.X)
		for _, c := range s.Cases {
			v := node("case")
			for _, e := range c.Values {
				under(v, "value", e)
			}
			x.list(v, "body", c.Body, depth+1)
			x.link(vertex, "case", v)
		}
		x.list(vertex, "else", s.Else, depth+1)
	case *model.For:
		vertex = node("for")
		x.link(vertex, "variable", x.variable(s.Var))
		x.domain(vertex, "domain", s.Domain, depth+1)
		x.list(vertex, "body", s.Body, depth+1)
	case *model.Undefine:
		vertex = node("undefine")
		under(vertex, "of", s.X)
	case *model.Clear:
		vertex = node("clear")
		under(vertex, "of", s.X)
	case *model.While:
		vertex = node("while")
		under(vertex, "condition", s.Cond)
		x.list(vertex, "body", s.Body, depth+1)
	case *model.Alias:
		vertex = node("alias")
		x.link(vertex, "variable", x.variable(s.Var))
		under(vertex, "of", s.X)
		x.list(vertex, "body", s.Body, depth+1)
	case *model.Call:
		vertex = node("call")
		x.link(vertex, "procedure", x.proc(s.Proc))
		for i, a := range s.Args {
			under(vertex, fmt.Sprint("argument ", i), a)
		}
	case *model.Return:
		vertex = node("return")
		under(vertex, "value", s.X)
	case *model.Insert:
		vertex = node("insert")
		under(vertex, "to", s.Set)
		under(vertex, "value", s.X)
	case *model.Remove:
		vertex = node("remove")
		under(vertex, "slot", s.X)
	case *model.Assume:
		vertex = node("assume")
		under(vertex, "condition", s.Cond)
	case *model.CoverStmt:
		vertex = node("cover")
		under(vertex, "condition", s.Cond)
	case *model.Assert:
		vertex = node("assert")
		under(vertex, "condition", s.Cond)
	case *model.Put:
		return 0, false
	default:
		panic(fmt.Sprintf("detect: a statement %T", s))
	}
	return vertex, true
}
