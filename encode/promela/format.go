package promela

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/fault"
	"orbitmc/internal/lists"
)

// Printing a program as source, in one layout. Macros and inlines are expanded, for and
// select are the loops that they stand for, variables are declared at the beginning of
// their process, and sends and receives of structs name the fields. Comments are lost, and so is what has no effect: xr,
// xs, show, types that are not used.

// Format returns the program src in the standard layout. It has the same states and steps, and SPIN
// numbers its statements in the same way. The error, if any, is an *Error; what only building of
// automata finds is not checked.
func Format(file string, src []byte, opt Options) (out []byte, err error) {
	defer fault.Catch[*Error](&err)
	f := parse(preprocess(&source{file, string(src)}, opt, unnoted), false, nil, false)
	p := &printer{types: map[*typedef]bool{}}
	p.file(f)
	return []byte(p.b.String()), nil
}

type printer struct {
	b      strings.Builder
	indent int
	option bool              // the next line begins an option
	types  map[*typedef]bool // that are printed
}

// line writes a line made of the parts.
func (p *printer) line(parts ...string) {
	if p.option {
		p.b.WriteString(strings.Repeat("  ", p.indent-1) + ":: ")
		p.option = false
	} else {
		p.b.WriteString(strings.Repeat("  ", p.indent))
	}
	for _, s := range parts {
		p.b.WriteString(s)
	}
	p.b.WriteByte('\n')
}

func (p *printer) file(f *file) {
	p.messages(f.messages)
	p.structs(f.globals)
	for _, q := range f.procs {
		p.structs(q.locals)
	}
	for _, d := range f.pools {
		p.structs([]*sym{{typ: typ{base: bStruct, of: d}}})
		if d.pool > 0 {
			p.line(fmt.Sprintf("heap %s[%d];", d.name, d.pool))
		}
	}
	for _, s := range f.globals {
		if !s.in {
			p.line(declaration(s), ";")
		}
	}
	for i, q := range f.procs {
		p.claims(f, i)
		p.proctype(q)
	}
	p.claims(f, len(f.procs))
}

// messages writes the names of mtypes. Numbers count down in a declaration.
func (p *printer) messages(all []*sym) {
	var sets []string
	names := map[string][]string{}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *sym) int { return cmp.Compare(b.val, a.val) })
	for _, s := range all {
		set := s.typ.set
		if names[set] == nil {
			sets = append(sets, set)
		}
		names[set] = append(names[set], s.name)
	}
	slices.Sort(sets)
	for _, set := range sets {
		p.line(typ{base: bMtype, set: set}.name(), " = { ", strings.Join(names[set], ", "), " };")
	}
}

// structs writes the struct types of variables, each behind those of its fields.
func (p *printer) structs(vars []*sym) {
	for _, s := range vars {
		d := s.typ.of
		if d == nil || p.types[d] || s.typ.sync != "" {
			continue
		}
		p.types[d] = true
		p.structs(d.fields)
		p.line("typedef ", d.name, " {")
		p.indent++
		for i, f := range d.fields {
			p.line(declaration(f), semicolon(i < len(d.fields)-1))
		}
		p.indent--
		p.line("}")
	}
}

// semicolon is what separates a statement from the next one, if there is one.
func semicolon(more bool) string {
	if more {
		return ";"
	}
	return ""
}

func (t typ) name() string {
	if t.sync != "" {
		return t.sync
	}
	switch t.base {
	case bStruct:
		return t.of.name
	case bRef:
		return t.of.name + " &"
	case bMtype:
		if t.set != "" {
			return "mtype:" + t.set
		}
	}
	return [...]string{bBit: "bit", bByte: "byte", bShort: "short", bInt: "int", bUnsigned: "unsigned", bMtype: "mtype", bChan: "chan"}[t.base]
}

// declaration writes the declaration of a variable.
func declaration(s *sym) string {
	out := s.typ.name() + " " + s.name
	if s.typ.base == bRef {
		out = s.typ.name() + s.name
	}
	if s.typ.base == bUnsigned {
		out += fmt.Sprintf(" : %d", s.typ.bits)
	}
	if s.array {
		out += fmt.Sprintf("[%d]", s.n)
	}
	switch {
	case s.ch != nil:
		out += fmt.Sprintf(" = [%d] of { %s }", s.ch.slots, lists.Join(s.ch.fields, ", ", typ.name))
	case s.list != nil:
		out += " = { " + lists.Join(s.list, ", ", func(v int64) string { return fmt.Sprint(v) }) + " }"
	case s.init != nil:
		out += " = " + show(s.init)
	}
	return out
}

// claims writes the claims that stand before a proctype.
func (p *printer) claims(f *file, before int) {
	for _, c := range f.claims {
		if c.before != before {
			continue
		}
		head := c.kind
		if c.name != c.kind {
			head += " " + c.name
		}
		p.line(head, " {")
		for i, t := range c.text {
			switch {
			case i > 0 && t.nl:
				p.b.WriteByte('\n')
			case i > 0 && (t.gap || letterOrDigit(c.text[i-1].text) && letterOrDigit(t.text)):
				p.b.WriteByte(' ')
			}
			p.b.WriteString(t.text)
		}
		p.b.WriteByte('\n')
		p.line("}")
	}
}

func letterOrDigit(word string) bool {
	return word != "" && (letter(word[len(word)-1]) || digit(word[len(word)-1]))
}

func (p *printer) proctype(q *proctype) {
	distinct(q.locals)
	p.line()
	if q.name == "init" {
		p.line("init {")
	} else {
		head := "proctype " + q.name
		if q.active > 0 {
			head = fmt.Sprintf("active [%d] ", q.active) + head
		}
		head += "(" + lists.Join(q.params, "; ", declaration) + ")"
		if q.provided != nil {
			head += " provided (" + show(q.provided) + ")"
		}
		p.line(head, " {")
	}
	p.indent++
	for _, s := range q.locals {
		if !s.param && !s.in {
			p.line(declaration(s), ";")
		}
	}
	p.sequence(q.body)
	p.indent--
	p.line("}")
}

// distinct gives variables of blocks names of their own.
func distinct(locals []*sym) {
	used := lists.SetOf(locals, func(s *sym) string { return s.name })
	seen := map[string]bool{}
	for _, s := range locals {
		name := s.name
		for n := 2; seen[name] || name != s.name && used[name]; n++ {
			name = fmt.Sprintf("%s_%d", s.name, n)
		}
		seen[name] = true
		s.name = name
	}
}

// sequence writes statements, one a line.
func (p *printer) sequence(all []*stmt) {
	for i, s := range all {
		p.statement(s, semicolon(i < len(all)-1))
	}
}

// block writes statements in braces.
func (p *printer) block(head string, all []*stmt, tail string) {
	p.line(head, "{")
	p.indent++
	p.sequence(all)
	p.indent--
	p.line("}", tail)
}

func (p *printer) statement(s *stmt, end string) {
	switch s.kind {
	case sIf, sDo:
		words := map[stKind][2]string{sIf: {"if", "fi"}, sDo: {"do", "od"}}[s.kind]
		p.line(words[0])
		for _, opt := range s.subs {
			p.indent++
			p.option = true
			p.sequence(opt)
			p.indent--
		}
		p.line(words[1], end)
	case sAtomic:
		p.block("atomic ", s.subs[0], end)
	case sDstep:
		p.block("d_step ", s.subs[0], end)
	case sBlock:
		if s.text != "" { // wait
			p.line(s.subs[0][0].words(), end)
			break
		}
		p.block("", s.subs[0], end)
	case sLabel:
		p.line(s.name, ":")
		p.statement(s.subs[0][0], end)
	case sUnless:
		if s.bare { // the end of a line would end it
			p.statement(s.subs[0][0], " unless {")
		} else {
			p.block("", s.subs[0], " unless {")
		}
		p.indent++
		p.sequence(s.subs[1])
		p.indent--
		p.line("}", end)
	default:
		p.line(s.words(), end)
	}
}
