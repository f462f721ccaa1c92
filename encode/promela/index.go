package promela

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"orbitmc/internal/fault"
	"orbitmc/internal/front"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file says what the names in a program stand for, for editors. The preprocessor and the
// parser note each name as they read it. Names that only the expansion of a macro writes are
// left out.

// noting is told that a name stands at a place, where it is declared, and what it is; s is nil if it is no variable.
type noting func(kind front.Kind, text string, at, decl place, s *sym, about func() string)

func unnoted(front.Kind, string, place, place, *sym, func() string) {}

// Index says what the names in a program stand for, and what is wrong with it: all processes with an error, the first
// one of each. Names behind an error in a process are left out up to the next one, and behind another error all.
func Index(file string, src []byte, opt Options) *front.Index {
	x := &front.Index{}
	lines := map[*source][]string{}
	note := func(kind front.Kind, text string, at, decl place, s *sym, about func() string) {
		if at.src == nil || decl.src == nil {
			return
		}
		if lines[at.src] == nil {
			lines[at.src] = strings.Split(at.src.text, "\n")
		}
		if l := lines[at.src][at.pos.Line-1]; !strings.HasPrefix(l[min(len(l), at.pos.Col-1):], text) {
			return // it comes from a macro
		}
		x.Names = append(x.Names, front.Name{Text: text, At: at.known(), Decl: decl.known(), Kind: kind, About: about, Holds: s.holds})
	}
	var wrong []*Error
	err := func() (err error) {
		defer fault.Catch[*Error](&err)
		f := parseNoting(preprocess(&source{file, string(src)}, opt, note), opt, note, &wrong)
		x.Blocks = f.blocks
		l := compile(file, f)
		for _, p := range l.m.Props {
			if p.Pos != (model.Pos{}) {
				x.Properties = append(x.Properties, front.Property{Name: p.Name, Pos: p.Pos})
			}
		}
		for _, c := range l.p.Claims {
			if c.Kind == "ltl" {
				x.Properties = append(x.Properties, front.Property{Name: c.Name, Pos: c.Pos, Formula: true})
			}
		}
		for _, q := range f.procs {
			if q.name == "init" {
				x.Rules = append(x.Rules, front.Property{Name: q.name, Pos: q.at.pos, What: "process"})
			}
		}
		return nil
	}()
	if x.Whole = err == nil; err != nil {
		if last := err.(*Error); !slices.Contains(wrong, last) {
			wrong = append(wrong, last)
		}
		for _, e := range wrong {
			x.Problems = append(x.Problems, front.Problem{At: front.Place{File: cmp.Or(e.File, file), Pos: e.Pos}, Text: e.Msg})
		}
	}
	x.Sort()
	return x
}

// known says that what is declared in the text from a place to the last token is known there only.
func (p *parser) known(from place) {
	if to := p.last.at; from.src != nil && from.src == to.src {
		to.pos.Col++
		p.file.blocks = append(p.file.blocks, front.Block{From: from.known(), To: to.pos})
	}
}

// holds returns where the fields of a variable are declared.
func (s *sym) holds() []front.Place {
	if s == nil || s.typ.of == nil {
		return nil
	}
	return lists.Map(s.typ.of.fields, func(f *sym) front.Place { return f.at.known() })
}

func (p place) known() front.Place {
	if p.src == nil {
		return front.Place{}
	}
	return front.Place{File: p.src.name, Pos: p.pos}
}

// words is a type as messages name it.
func (t typ) words() string {
	if t.base == bUnsigned {
		return fmt.Sprintf("unsigned of %d bits", t.bits)
	}
	return t.name()
}

// stateBits is how much of a state a value of the type takes at most; analysis of the values
// may find that it takes less.
func (t typ) stateBits() int {
	if t.base == bStruct {
		return lists.Sum(t.of.fields, func(f *sym) int { return f.n * f.typ.stateBits() })
	}
	lo, hi := t.span()
	return bits.Len64(uint64(hi - lo))
}

// about says what a variable is; kind is "" for a global one.
func (s *sym) about(kind string) string {
	if s.constant {
		return fmt.Sprintf("%s %s : message number %d", s.typ.words(), s.name, s.val)
	}
	text := s.typ.words() + " " + s.name
	if s.array {
		text += fmt.Sprintf("[%d]", s.n)
	}
	switch {
	case kind != "":
		return text + ", " + kind
	case s.proc != nil:
		text += ", of " + s.proc.name
		if s.param {
			text += ", a parameter"
		}
	}
	if s.ch != nil {
		return text + fmt.Sprintf("\n%d slots of {%s}", s.ch.slots, lists.Join(s.ch.fields, ", ", typ.words))
	}
	if s.typ.base == bChan {
		return text
	}
	return text + fmt.Sprintf("\nat most %d bits of a state", s.n*s.typ.stateBits())
}

func (s *sym) kind() front.Kind {
	switch {
	case s.constant:
		return front.Member
	case s.param:
		return front.Param
	case s.proc != nil:
		return front.Local
	}
	return front.Var
}

func (p *parser) noteSym(at place, s *sym) {
	p.note(s.kind(), s.name, at, s.at, s, func() string { return s.about("") })
}

// noteField notes a field of a struct, which knows nothing of it.
func (p *parser) noteField(at place, s *sym) {
	p.note(front.Field, s.name, at, s.at, s, func() string { return s.about("a field") })
}

// noteDecl notes the declaration of a variable, or in a list of a parameter or field.
func (p *parser) noteDecl(s *sym, list bool) {
	kind := front.Var
	switch {
	case list && p.proc == nil:
		p.noteField(s.at, s)
		return
	case list:
		kind = front.Param
	case p.proc != nil:
		kind = front.Local
	}
	p.note(kind, s.name, s.at, s.at, s, func() string { return s.about("") })
}

// listed writes declarations as they stand in a head.
func listed(syms []*sym) string {
	return lists.Join(syms, "; ", func(s *sym) string { return s.typ.words() + " " + s.name })
}

func (p *parser) noteProc(at place, q *proctype) {
	p.note(front.Func, q.name, at, q.at, nil, func() string {
		text := "proctype " + q.name + "(" + listed(q.params) + ")"
		if q.active > 0 {
			text = fmt.Sprintf("active [%d] %s", q.active, text)
		}
		return text
	})
}

func (p *parser) noteType(at place, d *typedef) {
	p.note(front.Type, d.name, at, d.at, nil, func() string { return "typedef " + d.name + " { " + listed(d.fields) + " }" })
}

func (p *parser) noteInline(at place, name string, in *inline) {
	p.note(front.Func, name, at, in.at, nil, func() string { return "inline " + name + "(" + strings.Join(in.params, ", ") + ")" })
}

// noteLabel notes a label, or a goto to it. Labels of one name in several blocks of a process
// are one.
func (p *parser) noteLabel(at place, name string, declared bool) {
	q := p.proc
	if q == nil {
		return
	}
	if q.labelAt == nil {
		q.labelAt, q.gotoAt = map[string]place{}, map[string][]place{}
	}
	about := func() string { return "label " + name + " of " + q.name }
	decl, seen := q.labelAt[name]
	if declared && !seen {
		decl, seen = at, true
		q.labelAt[name] = at
		for _, g := range q.gotoAt[name] {
			p.note(front.Label, name, g, at, nil, about)
		}
	}
	if !seen {
		q.gotoAt[name] = append(q.gotoAt[name], at)
		return
	}
	p.note(front.Label, name, at, decl, nil, about)
}

func (p *preprocessor) noteMacro(t token, m *macro) {
	if m.given {
		return
	}
	kind := front.Const
	if m.takes {
		kind = front.Func
	}
	p.note(kind, t.text, t.at, m.at, nil, func() string {
		params := ""
		if m.takes {
			params = "(" + strings.Join(m.params, ", ") + ")"
		}
		return "#define " + t.text + params + " " + texts(m.body)
	})
}
