package murphitest

import (
	"fmt"
	"strconv"
	"strings"

	"orbitmc/model"
)

// Dump returns a model as text: deterministic, one declaration or statement
// per line, every operator in parentheses except that a tree of one & or |
// counts as one. It is for looking at what a front end made, not for reading back.
func Dump(m *model.Model) string {
	d := &dumper{}
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
	return d.w.String()
}

type dumper struct {
	w      strings.Builder
	indent int
}

func (d *dumper) line(format string, args ...any) {
	d.w.WriteString(strings.Repeat("  ", d.indent))
	fmt.Fprintf(&d.w, format, args...)
	d.w.WriteByte('\n')
}

func (d *dumper) rule(what string, r *model.Rule) {
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

func (d *dumper) proc(p *model.Proc) {
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
func (d *dumper) block(body []model.Stmt, format string, args ...any) {
	d.line(format, args...)
	d.indent++
	d.stmts(body)
	d.indent--
}

func (d *dumper) stmts(list []model.Stmt) {
	for _, s := range list {
		d.stmt(s)
	}
}

func (d *dumper) stmt(s model.Stmt) {
	switch s := s.(type) {
	case *model.Assign:
		d.line("%s := %s", exprText(s.LHS), exprText(s.RHS))
	case *model.If:
		if s.Switch != nil {
			d.line("switch %s", exprText(s.Switch.X))
		}
		for i, c := range s.Clauses {
			word := "if"
			if i > 0 {
				word = "elsif"
			}
			if s.Switch == nil {
				d.block(c.Body, "%s %s", word, exprText(c.Cond))
			} else if vs := s.Switch.Values[i]; len(vs) > 0 {
				d.block(c.Body, "case %s", exprsText(vs))
			}
		}
		if len(s.Else) > 0 {
			d.block(s.Else, "else")
		}
	case *model.For:
		d.block(s.Body, "for %s", boundText(s.Var, s.Domain))
	case *model.Reset:
		word := "undefine"
		if s.Least {
			word = "clear"
		}
		d.line("%s %s", word, exprText(s.X))
	case *model.While:
		d.block(s.Body, "while %s", exprText(s.Cond))
	case *model.Alias:
		if s.Var.Kind == model.RefVar {
			d.block(s.Body, "alias %s : %s", s.Var.Name, exprText(s.X))
		} else {
			d.block(s.Body, "let %s : %s = %s", s.Var.Name, typeRef(s.Var.Type), exprText(s.X))
		}
	case *model.Call:
		d.line("%s(%s)", s.Proc.Name, exprsText(s.Args))
	case *model.Return:
		if s.X == nil {
			d.line("return")
		} else {
			d.line("return %s", exprText(s.X))
		}
	case *model.Insert:
		d.line("insert %s into %s", exprText(s.X), exprText(s.Set))
	case *model.Remove:
		d.line("remove %s", exprText(s.X))
	case *model.Assume:
		d.line("assume %s", exprText(s.Cond))
	case *model.CoverStmt:
		d.line("cover %s (prop %d)", exprText(s.Cond), s.Prop)
	case *model.Assert:
		if s.Cond == nil {
			d.line("error %q (prop %d)", s.Message, s.Prop)
		} else {
			d.line("assert %s %q (prop %d)", exprText(s.Cond), s.Message, s.Prop)
		}
	case *model.Put:
		if s.X == nil {
			d.line("put %q", s.Text)
		} else {
			d.line("put %s", exprText(s.X))
		}
	default:
		d.line("%T", s)
	}
}

func paramsText(ps []*model.Param) string {
	if len(ps) == 0 {
		return ""
	}
	var all []string
	for _, p := range ps {
		all = append(all, boundText(p.Var, p.Domain))
	}
	return " [" + strings.Join(all, "; ") + "]"
}

func boundText(v *model.Var, d model.Domain) string {
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
func typeRef(t *model.Type) string {
	if t.Name != "" {
		return t.Name
	}
	return typeText(t)
}

// typeText returns the structure of a type down to the next names.
func typeText(t *model.Type) string {
	switch t.Kind {
	case model.Range:
		return fmt.Sprintf("%d..%d", t.Lo, t.Hi)
	case model.Real:
		return fmt.Sprintf("real(%d, %d)", t.Digits, t.Exponent)
	case model.Scalarset:
		if t.Slots {
			return fmt.Sprintf("slots %d", t.Class)
		}
		return fmt.Sprintf("scalarset(%d)", t.Hi+1)
	case model.Enum:
		return "enum {" + strings.Join(t.Members, ", ") + "}"
	case model.Union:
		var parts []string
		for _, p := range t.Parts {
			parts = append(parts, typeRef(p))
		}
		return "union {" + strings.Join(parts, ", ") + "}"
	case model.Multiset:
		return fmt.Sprintf("multiset [%d] of %s", t.Index.Card(), typeRef(t.Elem))
	case model.Array:
		return fmt.Sprintf("array [%s] of %s", typeRef(t.Index), typeRef(t.Elem))
	case model.Record:
		var fields []string
		for _, f := range t.Fields {
			fields = append(fields, fmt.Sprintf(" %d %s : %s", f.Offset, f.Name, typeRef(f.Type)))
		}
		return "record {" + strings.Join(fields, ";") + " }"
	}
	return t.Name
}

func constText(t *model.Type, v int64) string {
	if t.Numeric() {
		return strconv.FormatInt(v, 10)
	}
	return t.Format(v)
}

func exprsText(es []model.Expr) string {
	var all []string
	for _, e := range es {
		all = append(all, exprText(e))
	}
	return strings.Join(all, ", ")
}

func exprText(e model.Expr) string {
	if _, ok := e.(*model.Binary); ok {
		return "(" + model.Text(e) + ")"
	}
	return model.Text(e)
}
