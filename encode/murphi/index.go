// What the names in a model stand for, for editors. The checker notes each name as it
// declares it or finds it.

package murphi

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"orbitmc/internal/front"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Index says what the names in a model stand for, and what is wrong with it. Names behind a
// syntax error are not looked at.
func Index(file string, src []byte, opt Options) *front.Index {
	r := &reporter{file: file, src: strings.TrimPrefix(string(src), "\ufeff")}
	opt.PCTL = true
	x := &front.Index{Names: make([]front.Name, 0, len(src)/16)}
	if items := parseFile(string(src), opt.Dialect, r, false); len(r.errs) == 0 {
		m := checkFile(items, nil, opt, r, func(n front.Name) {
			n.At.File = file
			if n.Decl != (front.Place{}) {
				n.Decl.File = file
			}
			x.Names = append(x.Names, n)
		})
		if x.Whole = len(r.errs) == 0; x.Whole {
			for _, w := range m.Warnings {
				x.Problems = append(x.Problems, front.Problem{At: front.Place{File: file, Pos: w.Pos}, Text: w.Text, Warning: true})
			}
			for _, p := range m.Props {
				if p.Pos != (model.Pos{}) {
					x.Properties = append(x.Properties, front.Property{Name: p.Name, Pos: p.Pos})
				}
			}
			for _, rule := range m.Rules {
				x.Rules = append(x.Rules, front.Property{Name: rule.Name, Pos: rule.Pos})
			}
			for _, rule := range m.Starts {
				x.Rules = append(x.Rules, front.Property{Name: rule.Name, Pos: rule.Pos, What: "start state"})
			}
		}
	}
	for _, e := range r.errs {
		x.Problems = append(x.Problems, front.Problem{At: front.Place{File: file, Pos: e.Pos}, Text: e.Msg})
	}
	x.Blocks = r.blocks
	x.Sort()
	return x
}

// noteName notes that id stands for s.
func (c *checker) noteName(id ident, s *symbol) {
	if c.note == nil || id.pos == (model.Pos{}) {
		return
	}
	n := front.Name{Text: halves.Replace(id.name), At: front.Place{Pos: id.pos}, Kind: c.kind(s)}
	n.About = func() string { return halves.Replace(s.about(id.name, n.Kind)) }
	if s.pos != (model.Pos{}) {
		n.Decl = front.Place{Pos: s.pos}
	}
	t := s.typ
	switch {
	case s.v != nil:
		t = s.v.Type
	case s.value != nil:
		t = s.value.T
	case s.alias != nil:
		t = s.alias.Type()
	case s.proc != nil:
		t = s.proc.Result
	}
	if n.Holds = c.holds(t); s.proc == nil {
		n.Class = class(t)
	}
	c.note(n)
}

// holds returns what says where the fields of t, or of its elements, are declared.
func (c *checker) holds(t *model.Type) func() []front.Place {
	for t != nil && (t.Kind == model.Array || t.Kind == model.Multiset) {
		t = t.Elem
	}
	return func() []front.Place { return c.fieldAt[t] }
}

// noteField notes that the field i of a record stands at pos.
func (c *checker) noteField(t *model.Type, i int, pos model.Pos) {
	if c.note == nil {
		return
	}
	f := t.Fields[i]
	c.note(front.Name{Text: f.Name, At: front.Place{Pos: pos}, Decl: c.fieldAt[t][i], Kind: front.Field, Class: class(f.Type), Holds: c.holds(f.Type),
		About: func() string {
			of := ""
			if t.Name != "" {
				of = " of " + t.Name
			}
			return fmt.Sprintf("field %s : %v%s\n%s", f.Name, f.Type, of, size(f.Type))
		}})
}

// class names the type whose values may be interchangeable: t, or what an array t is indexed by.
func class(t *model.Type) string {
	for t != nil && (t.Kind == model.Array || t.Kind == model.Multiset) {
		if t.Index.Name != "" && !t.Index.Slots {
			return t.Index.Name
		}
		t = t.Elem
	}
	if t == nil || !t.Simple() || t.Kind == model.Bool || t.Kind == model.Integer {
		return ""
	}
	return t.Name
}

func (c *checker) kind(s *symbol) front.Kind {
	formal := func() bool { _, is := c.proc.number[s.v]; return is }
	switch {
	case s.typ != nil:
		return front.Type
	case s.value != nil && s.value.T.Members != nil:
		return front.Member
	case s.value != nil:
		return front.Const
	case s.proc != nil:
		return front.Func
	case s.alias != nil:
		return front.Local
	case s.v == nil || s.v.Type == nil:
		return front.Other
	case s.v.Kind == model.StateVar:
		return front.Var
	case s.v.Kind == model.BoundVar, c.readOnly[s.v] == "a bound variable", c.proc != nil && formal():
		return front.Param
	}
	return front.Local
}

// about says what a name stands for: a line of the language, then what is known of it.
func (s *symbol) about(name string, kind front.Kind) string {
	switch {
	case s.typ != nil:
		return fmt.Sprintf("type %s : %s\n%s", name, written(s.typ), size(s.typ))
	case s.value != nil && s.value.T.Members != nil:
		return fmt.Sprintf("%s : %v", name, s.value.T)
	case s.value != nil:
		return fmt.Sprintf("const %s : %s", name, s.value.T.Format(s.value.Value))
	case s.proc != nil:
		return s.proc.head()
	case s.alias != nil:
		return fmt.Sprintf("alias %s : %v", name, s.alias.Type())
	case s.v == nil || s.v.Type == nil:
		return name
	}
	t := s.v.Type
	switch {
	case s.v.Kind == model.StateVar:
		return fmt.Sprintf("var %s : %v\n%s", name, t, size(t))
	case s.v.Kind == model.BoundVar:
		return fmt.Sprintf("%s : %v, bound", name, t)
	case kind == front.Param:
		return fmt.Sprintf("%s : %v, a parameter", name, t)
	}
	return fmt.Sprintf("%s : %v, local", name, t)
}

// head is the first line of a procedure.
func (p *proc) head() string {
	params := lists.Join(p.Params, "; ", func(f *model.Formal) string {
		text := fmt.Sprintf("%s : %v", f.Var.Name, f.Var.Type)
		if f.ByRef && !slices.Contains(p.values, f.Var) {
			text = "var " + text
		}
		return text
	})
	text := p.Name + "(" + params + ")"
	if p.Result != nil {
		return "function " + text + fmt.Sprintf(" : %v", p.Result)
	}
	return "procedure " + text
}

// written is a type as it could be declared, one level deep.
func written(t *model.Type) string {
	switch t.Kind {
	case model.Enum:
		return "enum {" + clip(strings.Join(t.Members, ", ")) + "}"
	case model.Union:
		return "union {" + lists.Join(t.Parts, ", ", (*model.Type).String) + "}"
	case model.Record:
		var b strings.Builder
		b.WriteString("record ")
		for _, f := range t.Fields {
			fmt.Fprintf(&b, "%s : %v; ", f.Name, f.Type)
		}
		return b.String() + "end"
	case model.Bool:
		return "boolean"
	}
	u := *t
	u.Name = ""
	return u.String()
}

// size says how much of a state a variable of a type takes.
func size(t *model.Type) string {
	n := stateBits(t)
	if t.Leaves == 1 {
		return fmt.Sprintf("%d bits of a state, undefined included", n)
	}
	return fmt.Sprintf("%d parts, %d bits of a state, undefined included", t.Leaves, n)
}

// stateBits is the size of a variable in a packed state, see model.Packer.
func stateBits(t *model.Type) int {
	switch t.Kind {
	case model.Array:
		return int(t.Index.Card()) * stateBits(t.Elem)
	case model.Multiset:
		return int(t.Index.Card()) * (1 + stateBits(t.Elem))
	case model.Record:
		return lists.Sum(t.Fields, func(f model.Field) int { return stateBits(f.Type) })
	}
	return bits.Len64(uint64(t.Card()))
}
