package lsp

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"orbitmc/encode/murphi"
	"orbitmc/encode/promela"
	"orbitmc/internal/front"
)

// This file answers what an editor shows of a whole source: its outline, its folds, what a word may be completed to.

// The kinds of symbols and of completions, in numbers of the protocol.
const (
	symbolClass    = 5
	symbolFunction = 12
	symbolVariable = 13
	symbolConstant = 14
	symbolEvent    = 24

	completionFunction = 3
	completionField    = 5
	completionVariable = 6
	completionClass    = 7
	completionKeyword  = 14
	completionSnippet  = 15
	completionMember   = 20
	completionConstant = 21
)

// kinds has by the kind of a name that of a symbol, 0 if it is none of the outline, that of a completion, and that of a token.
var kinds = [...]struct {
	symbol, completion int
	token              string
}{
	front.Other: {0, completionVariable, ""}, front.Type: {symbolClass, completionClass, "type"}, front.Const: {symbolConstant, completionConstant, "variable"},
	front.Member: {0, completionMember, "enumMember"}, front.Var: {symbolVariable, completionVariable, "variable"}, front.Local: {0, completionVariable, "variable"},
	front.Param: {0, completionVariable, "parameter"}, front.Field: {0, completionField, "property"}, front.Func: {symbolFunction, completionFunction, "function"},
	front.Label: {0, completionVariable, "label"},
}

// headOf returns the first line of what is said of a name.
func headOf(n front.Name) string {
	head, _, _ := strings.Cut(n.About(), "\n")
	return head
}

// symbols lists what is declared, and the rules and properties, in the order of their places.
func (d *document) symbols() []symbol {
	all := []symbol{}
	for _, n := range d.names().Names {
		kind := kinds[n.Kind].symbol
		if d.program && n.Kind == front.Member {
			kind = symbolConstant // the names of messages are declared like constants
		}
		if n.At == n.Decl && n.At.File == d.file && kind != 0 {
			at := d.span(n.At.Pos, len(n.Text))
			all = append(all, symbol{n.Text, headOf(n), kind, at, at})
		}
	}
	add := func(of []front.Property, what string, kind int) {
		for _, q := range of {
			at := d.word(q.Pos)
			all = append(all, symbol{cmp.Or(q.Name, q.What, what), cmp.Or(q.What, what), kind, at, at})
		}
	}
	add(d.names().Properties, "property", symbolEvent)
	add(d.names().Rules, "rule", symbolFunction)
	slices.SortStableFunc(all, func(a, b symbol) int { return a.Range.Start.compare(b.Range.Start) })
	return all
}

func (s *Server) documentSymbol(d *document, _ documentParams) (any, error) {
	return d.symbols(), nil
}

// workspaceSymbol looks in all open sources for names that contain a text.
func (s *Server) workspaceSymbol(p queryParams) any {
	all := []foundSymbol{}
	var uris []string
	for uri := range s.docs {
		uris = append(uris, uri)
	}
	slices.Sort(uris)
	for _, uri := range uris {
		for _, x := range s.docs[uri].symbols() {
			if strings.Contains(strings.ToLower(x.Name), strings.ToLower(p.Query)) {
				all = append(all, foundSymbol{x.Name, x.Kind, location{uri, x.Range}})
			}
		}
	}
	return all
}

func (s *Server) documentHighlight(d *document, p positionParams) (any, error) {
	all := []highlight{}
	if n, ok := d.names().At(d.place(p.Position)); ok {
		for _, u := range d.names().Of(n.Decl) {
			if u.At.File == d.file {
				all = append(all, highlight{d.span(u.At.Pos, len(u.Text))})
			}
		}
	}
	return all, nil
}

// prepareRename says what would be renamed; nil: nothing can be.
func (s *Server) prepareRename(d *document, p positionParams) (any, error) {
	n, ok := d.names().At(d.place(p.Position))
	if !ok || n.Decl == (front.Place{}) || n.Decl.File != d.file {
		return nil, nil
	}
	return d.span(n.At.Pos, len(n.Text)), nil
}

// foldingRange folds a line with the deeper ones behind it.
func (s *Server) foldingRange(d *document, _ documentParams) (any, error) {
	depth := func(l string) int { return len(l) - len(strings.TrimLeft(l, " \t")) }
	all := []fold{}
	var open []int // lines, each deeper than those before
	last := -1     // that is not empty
	for i, l := range d.lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		for len(open) > 0 && depth(d.lines[open[len(open)-1]]) >= depth(l) {
			if at := open[len(open)-1]; last > at {
				all = append(all, fold{at, last})
			}
			open = open[:len(open)-1]
		}
		open, last = append(open, i), i
	}
	for _, at := range slices.Backward(open) {
		if last > at {
			all = append(all, fold{at, last})
		}
	}
	slices.SortFunc(all, func(a, b fold) int { return a.StartLine - b.StartLine })
	return all, nil
}

// skeletons are what begins parts of a model; $1 is where the cursor comes first.
var skeletons = [][2]string{
	{"ruleset", "ruleset ${1:p} : ${2:TYPE} do\n  rule \"${3:name}\"\n    ${4:condition}\n  ==>\n  begin\n    $0\n  end;\nend;"},
	{"rule", "rule \"${1:name}\"\n  ${2:condition}\n==>\nbegin\n  $0\nend;"},
	{"startstate", "startstate \"${1:name}\"\nbegin\n  $0\nend;"},
	{"invariant", "invariant \"${1:name}\"\n  $0;"},
	{"function", "function ${1:name}(${2:x} : ${3:TYPE}) : ${4:TYPE};\nbegin\n  $0\nend;"},
	{"for", "for ${1:p} : ${2:TYPE} do\n  $0\nend;"},
}

// completion lists what a word may become: behind a dot the fields, else names, words of the language and skeletons.
func (s *Server) completion(d *document, p positionParams) (any, error) {
	at := d.pos(p.Position)
	before := d.line(p.Position.Line)[:at.Col-1]
	word := len(before)
	for word > 0 && isWord(before[word-1]) {
		word--
	}
	fields := strings.HasSuffix(before[:word], ".") && !strings.HasSuffix(before[:word], "..")
	all := []completion{}
	seen := make(map[string]bool)
	offer := func(c completion) {
		if !seen[c.Label] {
			seen[c.Label] = true
			all = append(all, c)
		}
	}
	names := d.visible(d.known(d.offset(p.Position)))
	of, resolved := holds(strings.TrimSuffix(before[:word], "."), names)
	for _, n := range names {
		if fields == (n.Kind == front.Field) && (!fields || !resolved || slices.Contains(of, n.Decl)) {
			offer(completion{Label: n.Text, Kind: kinds[n.Kind].completion, Detail: headOf(n)})
		}
	}
	slices.Reverse(all)
	if fields {
		return all, nil
	}
	words := murphi.Keywords()
	if d.program {
		words = promela.Keywords()
	} else {
		for _, x := range skeletons {
			offer(completion{Label: x[0], Kind: completionSnippet, Detail: fmt.Sprintf("%s …", x[0]), InsertText: x[1], InsertTextFormat: 2})
		}
	}
	for _, w := range words {
		offer(completion{Label: w, Kind: completionKeyword})
	}
	return all, nil
}

// visible returns all fields and what else may be named at a place, what is declared last first.
func (d *document) visible(at front.Place) (all []front.Name) {
	seen := make(map[front.Place]bool)
	for _, n := range d.names().Names {
		if seen[n.Decl] && n.Decl.File != "" {
			continue
		}
		seen[n.Decl] = true
		if d.program && n.Kind == front.Const || d.names().Known(n, at) { // no block ends a macro
			all = append(all, n)
		}
	}
	slices.Reverse(all)
	return all
}

var (
	brackets   = regexp.MustCompile(`\[[^][]*\]|\([^()]*\)`)
	designator = regexp.MustCompile(`\w+\s*(\.\s*\w+\s*)*$`)
)

// holds returns the fields of what a line ends with, and whether that is known.
func holds(line string, names []front.Name) (of []front.Place, ok bool) {
	for brackets.MatchString(line) {
		line = brackets.ReplaceAllString(line, "")
	}
	for i, name := range strings.Split(designator.FindString(line), ".") {
		k := slices.IndexFunc(names, func(n front.Name) bool {
			return n.Text == strings.TrimSpace(name) && (i > 0) == (n.Kind == front.Field) && (i == 0 || slices.Contains(of, n.Decl))
		})
		if k < 0 || names[k].Holds == nil {
			return nil, false
		}
		of = names[k].Holds()
	}
	return of, true
}
