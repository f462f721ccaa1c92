package model

import (
	"fmt"
	"strconv"
	"strings"

	"orbitmc/internal/lists"
)

// Expressions as text, all operators in parentheses except that a tree of one & or | counts as one.

// Text returns e in Murphi's syntax, all operators but the outermost in parentheses.
func Text(e Expr) string {
	if e, ok := e.(*Binary); ok && e.sign() == "" {
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
	case *Not:
		return "!" + exprText(e.X)
	case *Binary:
		if s := e.sign(); s != "" {
			return s + exprText(e.Y)
		}
		return "(" + operandsText(e) + ")"
	case *Cond:
		return "(" + exprText(e.If) + " ? " + exprText(e.Then) + " : " + exprText(e.Else) + ")"
	case *Quant:
		word := "exists "
		if e.All {
			word = "forall "
		} else if e.Counts {
			word = "count "
		}
		return word + boundText(e.Var, e.Domain) + " do " + exprText(e.Body) + " end"
	case *IsUndefined:
		return "isundefined(" + exprText(e.X) + ")"
	case *Present:
		return "present(" + exprText(e.X) + ")"
	case *Convert:
		return typeRef(e.To) + "(" + exprText(e.X) + ")"
	case *RealExpr:
		switch {
		case e.Op == "integer" || e.Op == "decimal" || e.Op == "round":
			return exprText(e.X)
		case e.Op == "neg":
			return "-" + exprText(e.X)
		case e.Y == nil:
			return e.Op + "(" + exprText(e.X) + ")"
		case RealFunctions[e.Op] > 0:
			return e.Op + "(" + exprText(e.X) + ", " + exprText(e.Y) + ")"
		}
		return "(" + exprText(e.X) + " " + e.Op + " " + exprText(e.Y) + ")"
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
	case Real:
		return fmt.Sprintf("real(%d, %d)", t.Digits, t.Exponent)
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

// FormatChoice returns the source spelling of a rule instance, as in
// `rule "send" (i=NODE_1, d=2)`.
func (m *Model) FormatChoice(ch Choice) string { return spell("rule", m.Rules[ch.Rule], ch) }

// FormatStart returns the source spelling of a start state instance, as in
// `startstate "init" (i=NODE_1)`.
func (m *Model) FormatStart(ch Choice) string {
	return spell("startstate", m.Starts[ch.Rule], ch)
}

func spell(kind string, r *Rule, ch Choice) string {
	return SpellChoice(kind, r, func(i int) string { return r.Params[i].Var.Type.Format(ch.Params[i]) })
}

// SpellChoice spells an instance, with texts of its parameters.
func SpellChoice(kind string, r *Rule, value func(i int) string) string {
	s := fmt.Sprintf("%s %q", kind, r.PlainName(kind))
	if len(r.Params) == 0 {
		return s
	}
	var ps []string
	for i, q := range r.Params {
		ps = append(ps, q.Var.Name+"="+value(i))
	}
	return s + " (" + strings.Join(ps, ", ") + ")"
}

// PlainName returns what we call a rule or start state: those without a name by
// their line.
func (r *Rule) PlainName(kind string) string {
	if r.Name != "" {
		return r.Name
	}
	return fmt.Sprintf("%s@%d", kind, r.Pos.Line)
}
