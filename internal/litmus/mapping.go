package litmus

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"orbitmc/internal/front"
	"orbitmc/model"
)

// Mapping says where a model performs the loads and stores of its cores, in lines such as
//
//	core    Proc
//	value   Value
//	initial HomeNode.val
//	load    for p when Procs[p].state = M | Procs[p].state = S gives Procs[p].val
//	store   rule "store" for p puts v
//
// A load without a rule happens where its condition holds, and changes nothing else. What a rule gives or puts is evaluated where
// it begins. A model that has an index of addresses says 'address Addr', and which one it is, by 'at a' behind 'for p'. In the
// file of a model the lines begin with --@ litmus.
type Mapping struct {
	File, Core, Value, Address string // Address is a type; "": the model is about one
	Initial                    string // the value of an address at first
	Index                      string // the name of the address in Initial, if there is one
	Accesses                   []Access
	Without                    []string // rules that are left out

	src string
	pos map[string]model.Pos // of what is declared
}

// Access is a line that says how an instruction is performed.
type Access struct {
	Kind     Kind
	Rule     string // "": a step of its own
	Core, At string // names
	When     string
	Data     string
	Until    string // "": it is performed at once
	Pos      model.Pos
}

const prefix = "--@ litmus"

var (
	embedded = regexp.MustCompile(`--\s*@\s*litmus`)
	opaque   = regexp.MustCompile(`(?s)"[^"\n]*"|--[^\n]*|/\*.*?(?:\*/|\z)`) // strings and comments
)

// Embedded returns the mapping in the text of a model, one line each, as a text in which they have their lines; "" if there is none.
// It refuses lines of one that would not count.
func Embedded(file, src string) (string, error) {
	var b strings.Builder
	found, n := false, 0
	for _, at := range opaque.FindAllStringIndex(src, -1) {
		if src[at[0]] == '/' && embedded.MatchString(src[at[0]:at[1]]) {
			pos := model.Pos{Line: 1 + strings.Count(src[:at[0]], "\n"), Col: at[0] - strings.LastIndex(src[:at[0]], "\n")}
			return "", front.ErrorAt(file, src, pos, "in this comment are lines of a mapping, which do not count: begin them otherwise")
		}
	}
	for line := range strings.Lines(src) {
		n++
		if at := embedded.FindStringIndex(line); at != nil {
			rest := line[at[1]:]
			if line[at[0]:at[1]] != prefix || strings.TrimSpace(line[:at[0]]) != "" || strings.TrimLeft(rest, " \t") == rest {
				return "", front.ErrorAt(file, src, model.Pos{Line: n, Col: at[0] + 1}, "a line of the mapping begins with '"+prefix+" '")
			}
			found = true
			b.WriteString(strings.Repeat(" ", at[1]) + strings.TrimRight(rest, "\r\n"))
		}
		b.WriteByte('\n')
	}
	if !found {
		return "", nil
	}
	return b.String(), nil
}

var access = regexp.MustCompile(`^(load|store|fence)(?:\s+rule\s+"([^"]+)")?\s+for\s+(\w+)(?:\s+at\s+(\w+))?(?:\s+when\s+(.*?))?(?:\s+(gives|puts)\s+(.*?))?(?:\s+until\s+(.*))?$`)

var without = regexp.MustCompile(`^without\s+rule\s+"([^"]+)"$`)

// ParseMapping reads a mapping.
func ParseMapping(file, src string) (*Mapping, error) {
	m := &Mapping{File: file, src: src, pos: map[string]model.Pos{}}
	for i, text := range strings.Split(src, "\n") {
		text, _, _ = strings.Cut(text, "--")
		line := strings.TrimSpace(text)
		if line == "" {
			continue
		}
		pos := model.Pos{Line: i + 1, Col: strings.Index(text, line) + 1}
		word, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		if a := without.FindStringSubmatch(line); a != nil {
			m.Without = append(m.Without, a[1])
			m.pos["without "+a[1]] = pos
			continue
		}
		if !whole(line) {
			return nil, m.fail(pos, "expected expressions whose parentheses belong together, without ;")
		}
		declares := map[string]*string{"core": &m.Core, "value": &m.Value, "address": &m.Address, "initial": &m.Initial}[word]
		switch a := access.FindStringSubmatch(line); {
		case declares != nil && *declares != "":
			return nil, m.fail(pos, "there are two lines '%s …'", word)
		case declares != nil && rest != "":
			*declares, m.pos[word] = rest, pos
		case a == nil:
			return nil, m.fail(pos, "%s", "expected 'core TYPE', 'value TYPE', 'address NAME: TYPE', 'initial EXPR', 'without rule \"NAME\"', or an access: load, store or fence, then [rule \"NAME\"] for NAME [at NAME] [when CONDITION], then 'gives EXPR' of a load, 'puts EXPR' of a store"+front.DidYouMean(word, []string{"core", "value", "address", "initial", "load", "store", "fence", "without"}))
		default:
			x := Access{Kind: map[string]Kind{"load": Load, "store": Store, "fence": Fence}[a[1]], Rule: a[2], Core: a[3], At: a[4], When: a[5], Data: a[7], Until: a[8], Pos: pos}
			if want := []string{"gives", "puts", ""}[x.Kind]; a[6] != want {
				return nil, m.fail(pos, "a %s has %s", a[1], map[string]string{"gives": "'gives EXPR' at its end", "puts": "'puts EXPR' at its end", "": "neither 'gives' nor 'puts'"}[want])
			}
			if x.Until != "" && x.Kind != Store {
				return nil, m.fail(pos, "'until' is for stores")
			}
			if x.Rule == "" && (x.Kind != Load || x.When == "") {
				return nil, m.fail(pos, "a load has a rule or a condition, a store and a fence have a rule")
			}
			m.Accesses = append(m.Accesses, x)
		}
	}
	for _, w := range []string{"core", "value", "initial"} {
		if _, ok := m.pos[w]; !ok {
			return nil, m.fail(model.Pos{Line: 1, Col: 1}, "there is no line '%s …'", w)
		}
	}
	if name, typ, ok := strings.Cut(m.Address, ":"); ok {
		m.Index, m.Address = strings.TrimSpace(name), strings.TrimSpace(typ)
	} else if m.Address != "" {
		return nil, m.fail(m.pos["address"], "expected 'address NAME: TYPE'")
	}
	for k, w := range []string{"load", "store"} {
		if !slices.ContainsFunc(m.Accesses, func(a Access) bool { return a.Kind == Kind(k) }) {
			return nil, m.fail(model.Pos{Line: 1, Col: 1}, "no line says where a %s is performed", w)
		}
	}
	for i, a := range m.Accesses {
		if (a.At != "") != (m.Address != "") && (a.Kind != Fence || m.Address == "") {
			return nil, m.fail(a.Pos, "'at NAME' goes with a line 'address NAME: TYPE', and the other way around")
		}
		for _, b := range m.Accesses[:i] {
			if a.Rule == b.Rule && a.Rule != "" && (a.Kind == Store) != (b.Kind == Store) {
				return nil, m.fail(a.Pos, "rule %q is a store, and no store", a.Rule)
			}
			if a.Until != "" && b.Until != "" && (a.Until != b.Until || a.Core != b.Core || a.At != b.At) {
				return nil, m.fail(a.Pos, "another line ends with 'until' and says otherwise when a store is performed")
			}
		}
	}
	return m, nil
}

// whole reports whether what stands in a line is whole expressions, as far as one can tell without reading them.
func whole(line string) bool {
	open, quoted := 0, false
	for _, c := range line {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			open++
		case c == ')':
			open--
		}
		if open < 0 || c == ';' && !quoted {
			return false
		}
	}
	return open == 0
}

func (m *Mapping) fail(pos model.Pos, format string, args ...any) error {
	return front.ErrorAt(m.File, m.src, pos, fmt.Sprintf(format, args...))
}
