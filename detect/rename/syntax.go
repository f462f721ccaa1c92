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

// parts gives a vertex what is directly below a node, each part in a role of its own, and returns the vertex.
func (l level) parts(at int, n any) int {
	k := 0
	model.Children(n, func(e model.Expr) {
		l.under(at, fmt.Sprint("operand ", k), e)
		k++
	}, func(body []model.Stmt) { l.list(at, "body", body, l.depth+1) })
	return at
}

func (m *modelGraph) expr(e model.Expr, depth int) int {
	if m.b.N() > maxModelGraph {
		return 0
	}
	l := level{m, depth}
	switch e := e.(type) {
	case *model.ConstExpr:
		if v, ok := m.value(e.T, e.Value); ok {
			return m.link(l.node("constant"), "value", v)
		}
		return l.node("constant %d %d", e.T.Kind, e.Value)
	case *model.Ref:
		return m.link(l.node("reference"), "variable", m.variable(e.Var))
	case *model.FieldSel:
		at := l.node("field")
		m.typ(e.X.Type())
		m.link(at, "name", m.fields[fieldKey{e.X.Type(), e.Field}])
		return l.under(at, "of", e.X)
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
		return l.parts(at, e)
	case *model.Quant:
		at := m.link(l.node("quantifier %v %v", e.All, e.Counts), "variable", m.variable(e.Var))
		return l.under(m.domain(at, "domain", e.Domain, depth+1), "body", e.Body)
	case *model.Convert:
		return l.parts(m.link(l.node("convert"), "type", m.typ(e.To)), e)
	case *model.RealExpr:
		return l.parts(l.node("real %s", e.Op), e)
	case *model.IsMember:
		return l.parts(m.link(l.node("member"), "type", m.typ(e.T)), e)
	case *model.CallExpr:
		return l.parts(m.link(l.node("call"), "procedure", m.proc(e.Proc)), e)
	case *model.Let:
		return l.parts(m.link(l.node("let"), "variable", m.variable(e.Var)), e)
	}
	return l.parts(l.node("%T", e), e)
}

// list gives a vertex the statements that have an effect in some role, and returns the vertex.
func (m *modelGraph) list(parent int, role string, ss []model.Stmt, depth int) int {
	for _, s := range ss {
		if _, put := s.(*model.Put); !put {
			m.link(parent, role, m.stmt(s, depth))
		}
	}
	return parent
}

func (m *modelGraph) stmt(s model.Stmt, depth int) int {
	l := level{m, depth}
	switch s := s.(type) {
	case *model.If:
		at := l.node("if")
		for _, c := range s.Clauses {
			v := l.under(l.node("clause"), "condition", c.Cond)
			m.link(at, "clause", m.list(v, "body", c.Body, depth+1))
		}
		return m.list(at, "else", s.Else, depth+1)
	case *model.For:
		at := m.link(l.node("for"), "variable", m.variable(s.Var))
		return m.list(m.domain(at, "domain", s.Domain, depth+1), "body", s.Body, depth+1)
	case *model.Reset:
		return l.parts(l.node("reset %v", s.Least), s)
	case *model.Alias:
		return l.parts(m.link(l.node("alias"), "variable", m.variable(s.Var)), s)
	case *model.Call:
		return l.parts(m.link(l.node("call"), "procedure", m.proc(s.Proc)), s)
	}
	return l.parts(l.node("%T", s), s)
}
