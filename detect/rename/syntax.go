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

// level is the graph at a depth below a rule or property.
type level struct {
	*modelGraph
	depth int
}

// node makes the vertex of an expression or statement.
func (l level) node(format string, args ...any) int {
	return l.vertex("%d "+format, append([]any{l.depth}, args...)...)
}

// under gives a vertex an expression in some role, if there is one, and returns the vertex.
func (l level) under(at int, role string, e model.Expr) int {
	if e == nil {
		return at
	}
	return l.link(at, role, l.expr(e, l.depth+1))
}

func (l level) args(at int, args []model.Expr) int {
	for i, a := range args {
		l.under(at, fmt.Sprint("argument ", i), a)
	}
	return at
}

func (x *modelGraph) expr(e model.Expr, depth int) int {
	if x.n > maxModelGraph {
		return 0
	}
	l := level{x, depth}
	switch e := e.(type) {
	case *model.ConstExpr:
		if v, ok := x.value(e.T, e.Value); ok {
			return x.link(l.node("constant"), "value", v)
		}
		return l.node("constant %d %d", e.T.Kind, e.Value)
	case *model.Ref:
		return x.link(l.node("reference"), "variable", x.variable(e.Var))
	case *model.FieldSel:
		at := l.node("field")
		x.typ(e.X.Type())
		x.link(at, "name", x.fields[fieldKey{e.X.Type(), e.Field}])
		return l.under(at, "of", e.X)
	case *model.IndexSel:
		return l.under(l.under(l.node("element"), "of", e.X), "index", e.Index)
	case *model.Unary:
		return l.under(l.node("unary %d", e.Op), "of", e.X)
	case *model.Binary:
		at := l.node("binary %d", e.Op)
		switch e.Op {
		case model.And, model.Or:
			for _, o := range operands(e.Op, e) {
				l.under(at, "operand", o)
			}
			return at
		case model.Eq, model.Ne, model.Add, model.Mul, model.BitAnd, model.BitOr, model.BitXor:
			return l.under(l.under(at, "operand", e.X), "operand", e.Y)
		}
		return l.under(l.under(at, "left", e.X), "right", e.Y)
	case *model.Cond:
		return l.under(l.under(l.under(l.node("conditional"), "if", e.If), "then", e.Then), "else", e.Else)
	case *model.Quant:
		at := x.link(l.node("quantifier %v", e.All), "variable", x.variable(e.Var))
		return l.under(x.domain(at, "domain", e.Domain, depth+1), "body", e.Body)
	case *model.Count:
		at := x.link(l.node("count"), "variable", x.variable(e.Var))
		return l.under(x.domain(at, "domain", e.Domain, depth+1), "body", e.Body)
	case *model.IsUndefined:
		return l.under(l.node("undefined"), "of", e.X)
	case *model.Present:
		return l.under(l.node("present"), "of", e.X)
	case *model.Convert:
		return l.under(x.link(l.node("convert"), "type", x.typ(e.To)), "of", e.X)
	case *model.IsMember:
		return l.under(x.link(l.node("member"), "type", x.typ(e.T)), "of", e.X)
	case *model.CallExpr:
		return l.args(x.link(l.node("call"), "procedure", x.proc(e.Proc)), e.Args)
	case *model.Let:
		at := x.link(l.node("let"), "variable", x.variable(e.Var))
		return l.under(l.under(at, "of", e.X), "body", e.Body)
	}
	panic(fmt.Sprintf("detect: an expression %T", e))
}

// list gives a vertex the statements that have an effect in some role, and returns the vertex.
func (x *modelGraph) list(parent int, role string, ss []model.Stmt, depth int) int {
	for _, s := range ss {
		if _, put := s.(*model.Put); !put {
			x.link(parent, role, x.stmt(s, depth))
		}
	}
	return parent
}

func (x *modelGraph) stmt(s model.Stmt, depth int) int {
	l := level{x, depth}
	switch s := s.(type) {
	case *model.Assign:
		return l.under(l.under(l.node("assign"), "to", s.LHS), "value", s.RHS)
	case *model.If:
		at := l.node("if")
		for _, c := range s.Clauses {
			v := l.under(l.node("clause"), "condition", c.Cond)
			x.link(at, "clause", x.list(v, "body", c.Body, depth+1))
		}
		return x.list(at, "else", s.Else, depth+1)
	case *model.Switch:
		at := l.under(l.node("switch"), "on", s.X)
		for _, c := range s.Cases {
			v := l.node("case")
			for _, e := range c.Values {
				l.under(v, "value", e)
			}
			x.link(at, "case", x.list(v, "body", c.Body, depth+1))
		}
		return x.list(at, "else", s.Else, depth+1)
	case *model.For:
		at := x.link(l.node("for"), "variable", x.variable(s.Var))
		return x.list(x.domain(at, "domain", s.Domain, depth+1), "body", s.Body, depth+1)
	case *model.Undefine:
		return l.under(l.node("undefine"), "of", s.X)
	case *model.Clear:
		return l.under(l.node("clear"), "of", s.X)
	case *model.While:
		return x.list(l.under(l.node("while"), "condition", s.Cond), "body", s.Body, depth+1)
	case *model.Alias:
		at := x.link(l.node("alias"), "variable", x.variable(s.Var))
		return x.list(l.under(at, "of", s.X), "body", s.Body, depth+1)
	case *model.Call:
		return l.args(x.link(l.node("call"), "procedure", x.proc(s.Proc)), s.Args)
	case *model.Return:
		return l.under(l.node("return"), "value", s.X)
	case *model.Insert:
		return l.under(l.under(l.node("insert"), "to", s.Set), "value", s.X)
	case *model.Remove:
		return l.under(l.node("remove"), "slot", s.X)
	case *model.Assume:
		return l.under(l.node("assume"), "condition", s.Cond)
	case *model.CoverStmt:
		return l.under(l.node("cover"), "condition", s.Cond)
	case *model.Assert:
		return l.under(l.node("assert"), "condition", s.Cond)
	}
	panic(fmt.Sprintf("detect: a statement %T", s))
}
