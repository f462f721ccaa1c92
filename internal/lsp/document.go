package lsp

import (
	"cmp"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"orbitmc/encode/murphi"
	"orbitmc/encode/promela"
	"orbitmc/internal/front"
	"orbitmc/internal/litmus"
	"orbitmc/internal/networks"
	"orbitmc/internal/table"
	"orbitmc/model"
)

// document is a source that is open in the editor.
type document struct {
	uri     string
	file    string
	program bool // Promela, not Murphi
	version int
	text    string
	lines   []string
	index   *front.Index // of the text
	good    *front.Index // the last one that was whole; nil: none was
	whole   string       // the text of good
	answers []diagnostic // of properties that were checked in this text
	found   *finding     // symmetry, of this text; nil: nobody asked
}

func fileOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path)
}

// uriOf returns the URI of a file, that of the document itself if it is its file.
func (d *document) uriOf(file string) string {
	if file == d.file {
		return d.uri
	}
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// set changes the text, and reads it.
func (d *document) set(text string, version int, s settings) {
	d.text, d.version, d.answers, d.found = text, version, nil, nil
	d.lines = strings.Split(text, "\n")
	d.index = d.read(text, s)
	if d.index.Whole {
		d.good, d.whole = d.index, text
	}
}

func (d *document) read(text string, s settings) *front.Index {
	if d.program {
		return promela.Index(d.file, []byte(text), promela.Options{Defines: s.defines()})
	}
	return murphi.Index(d.file, []byte(text), murphi.Options{Consts: s.defines(), Dialect: d.dialect(s)})
}

// lens is a command about a place of a model.
type lens struct {
	title, command string
	at             model.Pos
	argument       []any
}

// lenses are the checks of properties, the tables of controllers and the networks of a Murphi model, at their variables, and its
// litmus tests, at a rule that stores.
func (d *document) lenses(s settings) (all []lens) {
	if !d.index.Whole {
		return nil
	}
	for _, q := range d.index.Properties {
		all = append(all, lens{"Check " + q.Name, checkCommand, q.Pos, []any{q.Name}})
	}
	if d.program {
		return all
	}
	m, err := murphi.Parse(d.file, []byte(d.text), murphi.Options{Consts: s.defines(), Dialect: d.dialect(s)})
	if err != nil {
		return all
	}
	add := func(title, command, variable, argument string) {
		for _, v := range m.Vars {
			if v.Name == variable[:strings.IndexAny(variable+".", "[.")] {
				all = append(all, lens{title + argument, command, v.Pos, []any{argument}})
			}
		}
	}
	rows, _ := table.Rows(m)
	for _, row := range rows {
		add("Table of ", tableCommand, row, row)
	}
	for _, network := range networks.Networks(m) {
		for _, variable := range strings.Fields(network) {
			if !strings.Contains(network, "][") { // what its indices mean cannot be told
				add("Virtual networks for ", networksCommand, variable, network)
			}
		}
	}
	text, err := litmus.Embedded(d.file, d.text)
	if err == nil && text == "" {
		text, err = litmus.Guess(m)
	}
	if err != nil {
		return all
	}
	mapping, err := litmus.ParseMapping(d.file, text)
	if err != nil {
		return all
	}
	for _, r := range m.Rules {
		if slices.ContainsFunc(mapping.Accesses, func(a litmus.Access) bool { return a.Kind == litmus.Store && a.Rule == r.Name }) {
			return append(all, lens{"Litmus tests", litmusCommand, r.Pos, nil})
		}
	}
	return all
}

// defines returns the constants that are set.
func (s settings) defines() map[string]string {
	defines := make(map[string]string)
	for _, x := range s.Defines {
		name, value, _ := strings.Cut(x, "=")
		defines[name] = value
	}
	return defines
}

func (d *document) dialect(s settings) model.Dialect {
	if s.Dialect == "rumur" {
		return model.Rumur
	}
	return model.CMurphi
}

// names returns the index for questions about names: of the text or, while that has an error, the
// last whole one, whose places may be off.
func (d *document) names() *front.Index {
	return cmp.Or(d.good, d.index)
}

// known returns where an offset of the text is for names(); what was edited is before it.
func (d *document) known(at int) front.Place {
	text := d.text[:at]
	if before, ok := strings.CutSuffix(d.whole, d.text[at:]); ok {
		text = before
	}
	return front.Place{File: d.file, Pos: model.Pos{Line: strings.Count(text, "\n") + 1, Col: len(text) - strings.LastIndexByte(text, '\n')}}
}

// line returns line n, from 0, "" if there is none.
func (d *document) line(n int) string {
	if n < 0 || n >= len(d.lines) {
		return ""
	}
	return strings.TrimSuffix(d.lines[n], "\r")
}

// position converts a place in the source.
func (d *document) position(p model.Pos) position {
	line := d.line(p.Line - 1)
	return position{Line: p.Line - 1, Character: units(line[:min(len(line), max(0, p.Col-1))])}
}

// units is the length of a text in UTF-16 code units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// pos converts a position of the editor.
func (d *document) pos(p position) model.Pos {
	line, n := d.line(p.Line), 0
	for i, r := range line {
		if n >= p.Character {
			return model.Pos{Line: p.Line + 1, Col: i + 1}
		}
		n += utf16.RuneLen(r)
	}
	return model.Pos{Line: p.Line + 1, Col: len(line) + 1}
}

// offset returns how many bytes of the text are before a position of the editor.
func (d *document) offset(p position) int {
	if p.Line >= len(d.lines) {
		return len(d.text)
	}
	n := 0
	for _, l := range d.lines[:p.Line] {
		n += len(l) + 1
	}
	return n + d.pos(p).Col - 1
}

func (d *document) place(p position) front.Place {
	return front.Place{File: d.file, Pos: d.pos(p)}
}

// span returns the place of a text of n bytes.
func (d *document) span(p model.Pos, n int) span {
	return span{d.position(p), d.position(model.Pos{Line: p.Line, Col: p.Col + n})}
}

// location is a place of a name; the columns of another file than the document's are in bytes.
func (d *document) location(n front.Name, at front.Place) location {
	return location{d.uriOf(at.File), d.span(at.Pos, len(n.Text))}
}

// word returns the place of the word or sign at p.
func (d *document) word(p model.Pos) span {
	line := d.line(p.Line - 1)
	at := min(len(line), max(0, p.Col-1))
	n := 0
	for at+n < len(line) && isWord(line[at+n]) {
		n++
	}
	if n == 0 && at < len(line) {
		_, n = utf8.DecodeRuneInString(line[at:])
	}
	return d.span(p, n)
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// diagnostics returns what is wrong with the text, and what is known of its properties. What
// is wrong in an included file stands at the beginning.
func (d *document) diagnostics() []diagnostic {
	all := []diagnostic{}
	for _, p := range d.index.Problems {
		x := diagnostic{Severity: severityError, Source: "orbitmc", Message: p.Text}
		if p.Warning {
			x.Severity = severityWarning
		}
		if p.At.File == d.file && p.At.Pos != (model.Pos{}) {
			x.Range = d.word(p.At.Pos)
		} else if p.At.File != d.file {
			x.Message = p.At.File + ":" + p.At.Pos.String() + ": " + p.Text
		}
		all = append(all, x)
	}
	return append(all, d.answers...)
}

// indented returns the edits that indent the text.
func (d *document) indented(unit string, s settings) ([]textEdit, error) {
	var out []byte
	var err error
	if d.program {
		out, err = promela.Indent(d.file, []byte(d.text), unit)
	} else {
		out, err = murphi.Indent(d.file, []byte(d.text), unit, d.dialect(s))
	}
	if err != nil {
		return nil, err
	}
	edits := []textEdit{}
	for i, l := range strings.Split(string(out), "\n") {
		if l != d.lines[i] {
			edits = append(edits, textEdit{span{position{Line: i}, position{Line: i, Character: units(d.lines[i])}}, l})
		}
	}
	return edits, nil
}
