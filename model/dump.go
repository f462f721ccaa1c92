package model

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"orbitmc/internal/lists"
)

// Dump writes the model as text: deterministic, one declaration or statement
// per line, every operator in parentheses except that a tree of one & or |
// counts as one. It is for tests and for looking at what a front end made, not
// for reading back.
func (m *Model) Dump(w io.Writer) error {
	d := &dumper{w: bufio.NewWriter(w)}
	d.line("model %s, dialect %v, deadlock %v", m.File, m.Dialect, m.Deadlock)
	if m.LoopMax != 0 {
		d.line("loop-max %d", m.LoopMax)
	}
	for _, c := range m.Consts {
		d.line("const %s : %s = %s", c.Name, typeRef(c.Type), constText(c.Type, c.Value))
	}
	for i, t := range m.Scalarsets {
		switch {
		case t.Slots:
			d.line("slots %d : 0..%d", i, t.Hi)
		case t.Alike:
			d.line("alike %d %s : %s..%s", i, t, t.Format(t.Lo), t.Format(t.Hi))
		default:
			d.line("scalarset %d %s : 1..%d", i, typeRef(t), t.Hi+1)
		}
	}
	for _, t := range m.Types {
		d.line("type %s : %s", t.Name, typeText(t))
	}
	for _, v := range m.Vars {
		d.line("var %d %s : %s", v.Offset, v.Name, typeRef(v.Type))
	}
	d.line("leaves %d", m.Leaves())
	for _, p := range m.Procs {
		d.proc(p)
	}
	for _, r := range m.Starts {
		d.rule("start", r)
	}
	for _, r := range m.Rules {
		d.rule("rule", r)
	}
	for _, p := range m.Props {
		s := fmt.Sprintf("prop %d %v %q%s", p.Index, p.Kind, p.Name, paramsText(p.Params))
		if p.Expr != nil {
			s += " " + exprText(p.Expr)
		}
		if p.Tree != nil {
			s += " " + p.Tree.Formula.String()
		}
		d.line("%s", s)
	}
	for _, p := range m.Assumptions {
		d.line("assume %q%s %s", p.Name, paramsText(p.Params), exprText(p.Expr))
	}
	return d.w.Flush()
}

type dumper struct {
	w      *bufio.Writer
	indent int
}

func (d *dumper) line(format string, args ...any) {
	d.w.WriteString(strings.Repeat("  ", d.indent))
	fmt.Fprintf(d.w, format, args...)
	d.w.WriteByte('\n')
}

func (d *dumper) rule(what string, r *Rule) {
	d.line("%s %d %q%s", what, r.Index, r.Name, paramsText(r.Params))
	d.indent++
	if r.Guard != nil {
		d.line("guard %s", exprText(r.Guard))
	}
	for _, v := range r.Locals {
		d.line("local %s : %s", v.Name, typeRef(v.Type))
	}
	d.stmts(r.Body)
	d.indent--
}

func (d *dumper) proc(p *Proc) {
	params := make([]string, len(p.Params))
	for i, f := range p.Params {
		if f.ByRef {
			params[i] = "var "
		}
		params[i] += f.Var.Name + " : " + typeRef(f.Var.Type)
	}
	head := fmt.Sprintf("procedure %d %s(%s)", p.Index, p.Name, strings.Join(params, "; "))
	if p.Result != nil {
		head += " : " + typeRef(p.Result)
	}
	d.line("%s", head)
	d.indent++
	for _, v := range p.Locals {
		d.line("local %s : %s", v.Name, typeRef(v.Type))
	}
	d.stmts(p.Body)
	d.indent--
}

// block writes statements one level deeper under a heading.
func (d *dumper) block(body []Stmt, format string, args ...any) {
	d.line(format, args...)
	d.indent++
	d.stmts(body)
	d.indent--
}

func (d *dumper) stmts(list []Stmt) {
	for _, s := range list {
		d.stmt(s)
	}
}

func (d *dumper) stmt(s Stmt) {
	switch s := s.(type) {
	case *Assign:
		d.line("%s := %s", exprText(s.LHS), exprText(s.RHS))
	case *If:
		for i, c := range s.Clauses {
			word := "if"
			if i > 0 {
				word = "elsif"
			}
			d.block(c.Body, "%s %s", word, exprText(c.Cond))
		}
		if len(s.Else) > 0 {
			d.block(s.Else, "else")
		}
	case *Switch:
		d.line("switch %s", exprText(s.X))
		for _, c := range s.Cases {
			d.block(c.Body, "case %s", lists.Join(c.Values, ", ", exprText))
		}
		if len(s.Else) > 0 {
			d.block(s.Else, "else")
		}
	case *For:
		d.block(s.Body, "for %s", boundText(s.Var, s.Domain))
	case *Undefine:
		d.line("undefine %s", exprText(s.X))
	case *Clear:
		d.line("clear %s", exprText(s.X))
	case *While:
		d.block(s.Body, "while %s", exprText(s.Cond))
	case *Alias:
		d.block(s.Body, "%s", nameText(s.Var, s.X))
	case *Call:
		d.line("%s", callText(s.Proc, s.Args))
	case *Return:
		if s.X == nil {
			d.line("return")
		} else {
			d.line("return %s", exprText(s.X))
		}
	case *Insert:
		d.line("insert %s into %s", exprText(s.X), exprText(s.Set))
	case *Remove:
		d.line("remove %s", exprText(s.X))
	case *Assume:
		d.line("assume %s", exprText(s.Cond))
	case *CoverStmt:
		d.line("cover %s (prop %d)", exprText(s.Cond), s.Prop)
	case *Assert:
		if s.Cond == nil {
			d.line("error %q (prop %d)", s.Message, s.Prop)
		} else {
			d.line("assert %s %q (prop %d)", exprText(s.Cond), s.Message, s.Prop)
		}
	case *Put:
		if s.X == nil {
			d.line("put %q", s.Text)
		} else {
			d.line("put %s", exprText(s.X))
		}
	default:
		d.line("%T", s)
	}
}

// nameText writes the binding of a name to a place or a value.
func nameText(v *Var, x Expr) string {
	if v.Kind == RefVar {
		return "alias " + v.Name + " : " + exprText(x)
	}
	return fmt.Sprintf("let %s : %s = %s", v.Name, typeRef(v.Type), exprText(x))
}

func callText(p *Proc, args []Expr) string {
	return p.Name + "(" + lists.Join(args, ", ", exprText) + ")"
}

func paramsText(ps []*Param) string {
	if len(ps) == 0 {
		return ""
	}
	return " [" + lists.Join(ps, "; ", func(p *Param) string { return boundText(p.Var, p.Domain) }) + "]"
}

func boundText(v *Var, d Domain) string {
	if d.From == nil {
		return v.Name + " : " + typeRef(d.Type)
	}
	s := fmt.Sprintf("%s := %s to %s", v.Name, exprText(d.From), exprText(d.To))
	if d.By != nil {
		s += " by " + exprText(d.By)
	}
	return s
}

// typeRef returns the name of a type, or its structure if it has none.
func typeRef(t *Type) string {
	if t.Name != "" {
		return t.Name
	}
	return typeText(t)
}

// typeText returns the structure of a type down to the next names.
func typeText(t *Type) string {
	switch t.Kind {
	case Range:
		return fmt.Sprintf("%d..%d", t.Lo, t.Hi)
	case Scalarset:
		if t.Slots {
			return fmt.Sprintf("slots %d", t.Class)
		}
		return fmt.Sprintf("scalarset(%d)", t.Hi+1)
	case Enum:
		return "enum {" + strings.Join(t.Members, ", ") + "}"
	case Union:
		return "union {" + lists.Join(t.Parts, ", ", typeRef) + "}"
	case Multiset:
		return fmt.Sprintf("multiset [%d] of %s", t.Index.Card(), typeRef(t.Elem))
	case Array:
		return fmt.Sprintf("array [%s] of %s", typeRef(t.Index), typeRef(t.Elem))
	case Record:
		return "record {" + lists.Join(t.Fields, ";", func(f Field) string {
			return fmt.Sprintf(" %d %s : %s", f.Offset, f.Name, typeRef(f.Type))
		}) + " }"
	}
	return t.Name
}

func constText(t *Type, v int64) string {
	if t.Numeric() {
		return strconv.FormatInt(v, 10)
	}
	return t.Format(v)
}

// Text returns e in Murphi's syntax, all operators but the outermost in parentheses.
func Text(e Expr) string {
	if e, ok := e.(*Binary); ok {
		return operandsText(e)
	}
	return exprText(e)
}

func exprText(e Expr) string {
	switch e := e.(type) {
	case *ConstExpr:
		return constText(e.T, e.Value)
	case *Ref:
		return e.Var.Name
	case *FieldSel:
		return exprText(e.X) + "." + e.X.Type().Fields[e.Field].Name
	case *IndexSel:
		return exprText(e.X) + "[" + exprText(e.Index) + "]"
	case *Unary:
		return e.Op.String() + exprText(e.X)
	case *Binary:
		return "(" + operandsText(e) + ")"
	case *Cond:
		return "(" + exprText(e.If) + " ? " + exprText(e.Then) + " : " + exprText(e.Else) + ")"
	case *Quant:
		word := "exists "
		if e.All {
			word = "forall "
		}
		return word + boundText(e.Var, e.Domain) + " do " + exprText(e.Body) + " end"
	case *IsUndefined:
		return "isundefined(" + exprText(e.X) + ")"
	case *Count:
		return "count " + boundText(e.Var, e.Domain) + " do " + exprText(e.Body) + " end"
	case *Present:
		return "present(" + exprText(e.X) + ")"
	case *Convert:
		return typeRef(e.To) + "(" + exprText(e.X) + ")"
	case *IsMember:
		return "ismember(" + exprText(e.X) + ", " + typeRef(e.T) + ")"
	case *CallExpr:
		return callText(e.Proc, e.Args)
	case *Let:
		return "(" + nameText(e.Var, e.X) + " in " + exprText(e.Body) + ")"
	}
	return fmt.Sprintf("%T", e)
}

// operandsText writes a Binary without parentheses around it, nor around
// operands of the same operator if that is & or |.
func operandsText(e *Binary) string {
	operand := func(x Expr) string {
		if y, ok := x.(*Binary); ok && y.Op == e.Op && (e.Op == And || e.Op == Or) {
			return operandsText(y)
		}
		return exprText(x)
	}
	return operand(e.X) + " " + e.Op.String() + " " + operand(e.Y)
}
