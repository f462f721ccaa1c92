package param

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"orbitmc/internal/lists"
)

// This file holds what the writers of TLA+ and Ivy share: names, formulas, and what a step does.

// syntax is how a language writes formulas. Of a pair, the second one is for what is negated.
type syntax struct {
	language           string
	words              string // that are no names
	join, equal, truth [2]string
	bind               [2]string
	in                 [2]string // between a variable and its sort, and behind the last one
	choice             string    // of a condition, what holds with it, and what without it
	definition         string
}

// dialect is what languages write in different forms.
type dialect interface {
	symbol(text string, bound bool) string          // an identifier made of text, for a bound variable or anything else
	pointer(f *Family, opt int, args []Term) string // where it leads
	is(n *Node, not int) string
}

// moduleWriter writes a module.
type moduleWriter struct {
	*bufio.Writer
	*syntax
	dialect
	c     *Conditions
	taken map[string]bool // names of the module
	names map[any]string  // by sort, family, step, conjunct, or variable of the operator at hand
	parts map[Formula]string
}

// writeModule lets write write a module.
func (c *Conditions) writeModule(out io.Writer, s *syntax, write func(*moduleWriter)) (err error) {
	defer func() {
		if r, ok := recover().(*Refusal); ok {
			r.File = c.Model.File
			err = r
		}
	}()
	if c.integers {
		return fmt.Errorf("%s: counts and numbers that are left open are not written in %s", c.Model.File, s.language)
	}
	w := &moduleWriter{Writer: bufio.NewWriter(out), syntax: s, c: c, taken: make(map[string]bool), names: make(map[any]string)}
	for _, word := range strings.Fields(s.words) {
		w.taken[word] = true
	}
	write(w)
	return w.Flush()
}

// name gives x a name of the module that is made of text.
func (w *moduleWriter) name(x any, text string) string {
	s := w.unused(w.symbol(text, false))
	w.taken[s], w.names[x] = true, s
	return s
}

var other = regexp.MustCompile(`\W+`)

// letters makes of any text what identifiers have: letters, digits and _, and a letter first.
func letters(text string) string {
	s := strings.ReplaceAll(strings.TrimSpace(other.ReplaceAllString(text, " ")), " ", "_")
	if s == "" || s[0] < 'A' {
		s = "n" + s
	}
	return s
}

var classIndex = regexp.MustCompile(`\[#\d+\]`)

// nameState names sorts, components and families.
func (w *moduleWriter) nameState() {
	for i, s := range w.c.Sorts {
		w.name(i, cmp.Or(s.Type, s.Name))
	}
	for _, n := range w.c.Names {
		text := fmt.Sprintf("%s_%d", w.names[n.Sort], n.N)
		if n.Last {
			text = w.names[n.Sort] + "_last"
		}
		w.name(n.Term, text)
	}
	for _, f := range w.c.Families {
		w.name(f, classIndex.ReplaceAllString(f.Name, ""))
	}
}

// elements names as many components of a sort as there are at least: those that have names, and others.
func (w *moduleWriter) elements(sort int) []string {
	var out []string
	for _, n := range w.c.Names {
		if n.Sort == sort {
			out = append(out, w.names[n.Term])
		}
	}
	for k := 1; len(out) < w.c.Sorts[sort].Least; k++ {
		out = append(out, w.name([2]int{sort, k}, fmt.Sprintf("%s%d", strings.ToLower(w.names[sort]), k)))
	}
	return out
}

// begin gives names to the parameters of a step, and to the parts that formulas share and that have no other variables. It
// returns what defines these, and forgets those of what was written before.
func (w *moduleWriter) begin(s *Step, fs ...Formula) (defined []string) {
	w.parts = make(map[Formula]string)
	maps.DeleteFunc(w.names, func(of any, _ string) bool {
		t, variable := of.(Term)
		return variable && !w.c.named(t)
	})
	for _, t := range s.Params {
		text := fmt.Sprintf("p%d", t)
		for i, a := range s.args {
			if a.kind == component && a.t == t {
				text = s.rule.Params[i].Var.Name
			}
		}
		w.variable(t, text, false)
	}
	w.c.sharedIn(fs, s.Params, func(f Formula) {
		text, name := w.formula(f), w.unused(w.symbol(fmt.Sprintf("part%d", len(w.parts)+1), false))
		w.parts[f] = name
		defined = append(defined, fmt.Sprintf(w.definition, name, text))
	})
	return defined
}

// variable returns the name of a variable in the operator at hand, made of text if it has none.
func (w *moduleWriter) variable(t Term, text string, bound bool) string {
	s, ok := w.names[t]
	if !ok {
		s = w.unused(w.symbol(text, bound))
		w.names[t] = s
	}
	return s
}

// unused makes a name one that neither the module has nor a variable of the operator at hand.
func (w *moduleWriter) unused(text string) string {
	s := text
	for k := 2; ; k++ {
		used := w.taken[s]
		for of, n := range w.names {
			_, variable := of.(Term)
			used = used || variable && n == s
		}
		if !used {
			return s
		}
		s = fmt.Sprint(text, k)
	}
}

// variables writes variables with their sorts.
func (w *moduleWriter) variables(ts []Term) []string {
	return lists.Map(ts, func(t Term) string { return w.term(t) + w.in[0] + w.names[w.c.Sort(t)] })
}

func (w *moduleWriter) term(t Term) string {
	if fam, opt, args := w.c.Applied(t); fam != nil {
		return w.pointer(fam, opt, args)
	}
	n := &w.c.terms[t]
	if n.name < 0 {
		return w.variable(t, fmt.Sprintf("i%d", -n.name), true)
	}
	return w.variable(t, fmt.Sprintf("x%d", n.name), true)
}

func (w *moduleWriter) formula(f Formula) string {
	if s, ok := w.parts[f&^1]; ok {
		if f.Negated() {
			return "~" + s
		}
		return s
	}
	n, not := w.c.Node(f), int(f&1)
	kids := n.Kids
	if not > 0 {
		kids = lists.Map(kids, Formula.Not)
	}
	switch n.Kind {
	case And:
		return "(" + strings.Join(lists.Map(kids, w.formula), w.join[not]) + ")"
	case All:
		return "(" + w.bind[not] + w.variables([]Term{n.Var})[0] + w.in[1] + w.formula(kids[0]) + ")"
	case Is:
		return w.is(n, not)
	case Equal:
		return w.term(n.Args[0]) + w.equal[not] + w.term(n.Args[1])
	}
	return w.truth[not]
}

// effect is what a family holds after a step that writes it. The cases exclude each other; where none of them
// holds it is what it was.
type effect struct {
	fam  *Family
	args []Term
	out  value
}

// effects begins a step. It returns definitions, what holds where the step is taken, what it writes, and what it leaves as it is.
func (w *moduleWriter) effects(s *Step) (defined []string, holds []Formula, writes []effect, kept []*Family) {
	holds = lists.Where([]Formula{s.Guard, w.c.Or(s.Errs...).Not()}, func(f Formula) bool { return f != True })
	known, all := w.c.conjuncts(w.c.And(holds...)), slices.Clone(holds)
	for _, f := range w.c.Families {
		if !s.run.start && len(s.run.writes[f]) == 0 {
			kept = append(kept, f)
			continue
		}
		args := lists.Map(f.Args, w.c.Fresh)
		out, _, _ := s.run.written(f, args, s.Pos)
		for i, c := range out {
			out[i].cond = w.c.And(lists.Where(w.c.conjuncts(c.cond), func(k Formula) bool { return !slices.Contains(known, k) })...)
			all = append(all, out[i].cond)
		}
		writes = append(writes, effect{f, args, out})
	}
	defined = w.begin(s, all...)
	bound := make(map[any]string) // the same names in each family
	for _, e := range writes {
		for i, t := range e.args {
			bound[t] = w.unused(w.symbol(fmt.Sprintf("a%d", i+1), true))
		}
	}
	maps.Copy(w.names, bound)
	return defined, holds, writes, kept
}

// cases writes a value, or what is there if no case holds.
func (w *moduleWriter) cases(out value, write func(single) string, none string) string {
	if n := len(out) - 1; n >= 0 && w.c.Or(lists.Map(out, func(c valueCase) Formula { return c.cond })...) == True {
		none, out = write(out[n].single), out[:n]
	}
	for _, c := range slices.Backward(out) {
		none = fmt.Sprintf(w.choice, w.formula(c.cond), write(c.single), none)
	}
	return none
}

// list writes arguments, or nothing if there are none.
func list(of []string) string {
	if of == nil {
		return ""
	}
	return "(" + strings.Join(of, ", ") + ")"
}
