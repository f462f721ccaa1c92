package param

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"orbitmc/internal/lists"
)

// This file writes conditions in SMT-LIB 2.6: one check-sat for each, named by echo, whose answer
// is unsat. Sorts are uninterpreted, and pointers total functions, so this evidence needs neither
// the cutoff nor the code that grounds. Counts are integers, with what Theorem C of docs/theory/every-n.md
// says of them.

// WriteSMT writes all conditions. The invariant is that of all conjuncts.
func (c *Conditions) WriteSMT(out io.Writer) error {
	w := &smtWriter{Writer: bufio.NewWriter(out), c: c, sorts: make([]string, len(c.Sorts))}
	w.declare()
	said := false
	for _, k := range c.Ordered() {
		if !k.Alone && !said {
			w.invariants()
			said = true
		}
		w.condition(k)
	}
	return w.Flush()
}

// Ordered returns the conditions in the order of WriteSMT: those about start states come first.
func (c *Conditions) Ordered() []*Condition {
	alone := func(k *Condition) bool { return k.Alone }
	return slices.Concat(lists.Where(c.all, alone), slices.DeleteFunc(slices.Clone(c.all), alone))
}

func (w *smtWriter) invariants() {
	for _, j := range w.c.Conjuncts {
		w.shared = nil
		fmt.Fprintf(w, "; %q\n(assert %s)\n", j.Prop.Name, w.formula(j.F))
	}
}

type smtWriter struct {
	*bufio.Writer
	c      *Conditions
	sorts  []string
	shared map[Formula]string // names of parts of the condition at hand
	ints   map[Term]bool      // integers that are declared for all conditions
	parts  int
}

// name makes a symbol of any text.
func name(text string) string {
	return "|" + strings.NewReplacer("|", "/", `\`, "/").Replace(text) + "|"
}

func (w *smtWriter) declare() {
	c := w.c
	fmt.Fprintf(w, "; Conditions that %s keeps its properties, for all sizes of free classes.\n(set-info :smt-lib-version 2.6)\n(set-logic ALL)\n", c.Model.File)
	for i, s := range c.Sorts {
		w.sorts[i] = name(fmt.Sprintf("%s #%d", s.Name, i)) // two classes may have one name
		fmt.Fprintf(w, "(declare-sort %s 0)\n", w.sorts[i])
		var some []string
		for k := range s.Least {
			some = append(some, name(fmt.Sprintf("%s #%d %d", s.Name, i, k+1)))
			fmt.Fprintf(w, "(declare-const %s %s)\n", some[k], w.sorts[i])
		}
		if len(some) > 1 {
			fmt.Fprintf(w, "(assert (distinct %s))\n", strings.Join(some, " "))
		}
	}
	for i, k := range c.Names {
		fmt.Fprintf(w, "(declare-const %s %s)\n", w.variable(k.Term), w.sorts[k.Sort])
		for _, l := range c.Names[:i] {
			if l.Sort == k.Sort {
				fmt.Fprintf(w, "(assert (distinct %s %s))\n", w.variable(l.Term), w.variable(k.Term))
			}
		}
	}
	done := make(map[int]bool)
	for _, f := range c.Families {
		n := tags(f)
		if n > 2 && !done[n] {
			done[n] = true
			fmt.Fprintf(w, "(declare-datatypes ((V%d 0)) ((", n)
			for i := range n {
				fmt.Fprintf(w, "(V%d.%d)", n, i)
			}
			fmt.Fprintln(w, ")))")
		}
		args := lists.Map(f.Args, func(s int) string { return w.sorts[s] })
		if n > 1 {
			typ := "Bool"
			if n > 2 {
				typ = fmt.Sprintf("V%d", n)
			}
			fmt.Fprintf(w, "(declare-fun %s (%s) %s)\n", w.tag(f), strings.Join(args, " "), typ)
		}
		for i, o := range f.Opts {
			switch {
			case o.Sort >= 0:
				fmt.Fprintf(w, "(declare-fun %s (%s) %s)\n", w.pointer(f, i), strings.Join(args, " "), w.sorts[o.Sort])
			case o.Sort == Ints:
				fmt.Fprintf(w, "(declare-fun %s (%s) Int)\n", w.pointer(f, i), strings.Join(args, " "))
			}
		}
	}
	w.ints = make(map[Term]bool)
	seen := make(map[Formula]bool)
	for _, f := range c.facts {
		c.integersIn(f, seen, w.ints)
	}
	for _, j := range c.Conjuncts {
		c.integersIn(j.F, seen, w.ints)
	}
	w.integers(w.ints)
}

// integers declares symbols and counts.
func (w *smtWriter) integers(in map[Term]bool) {
	for _, t := range slices.Sorted(maps.Keys(in)) {
		if fam, _, _ := w.c.Applied(t); fam == nil {
			fmt.Fprintf(w, "(declare-const %s Int)\n", w.integer(t))
		}
	}
}

// integer names a symbol or a count.
func (w *smtWriter) integer(t Term) string {
	switch n := &w.c.terms[t]; {
	case n.height > 0:
		return fmt.Sprintf("|count %d|", t)
	case w.c.isOpen(t):
		return name("constant " + n.symbol)
	}
	return fmt.Sprintf("|number %d|", t)
}

// sum writes a linear term.
func (w *smtWriter) sum(t Term) string {
	k, parts := w.c.Addends(t)
	out := []string{"(+", number10(k)}
	for _, p := range parts {
		x := ""
		if fam, opt, args := w.c.Applied(p.T); fam != nil {
			x = w.apply(w.pointer(fam, opt), args)
		} else {
			x = w.integer(p.T)
		}
		out = append(out, fmt.Sprintf("(* %s %s)", number10(p.Coef), x))
	}
	return strings.Join(out, " ") + ")"
}

func number10(n int64) string {
	if n < 0 {
		return fmt.Sprintf("(- %d)", -n)
	}
	return fmt.Sprint(n)
}

// tags returns how many cases there are of what a family holds.
func tags(f *Family) int {
	if f.Defined {
		return len(f.Opts)
	}
	return len(f.Opts) + 1
}

func (w *smtWriter) tag(f *Family) string              { return name(f.String()) }
func (w *smtWriter) pointer(f *Family, opt int) string { return name(fmt.Sprintf("%v @%d", f, opt)) }

func (w *smtWriter) condition(k *Condition) {
	fmt.Fprintf(w, "(push 1)\n(echo %q)\n", strings.ReplaceAll(w.c.Name(k), `"`, "'"))
	for _, p := range k.Params {
		fmt.Fprintf(w, "(declare-const %s %s)\n", w.variable(p), w.sorts[w.c.Sort(p)])
	}
	in := make(map[Term]bool)
	w.c.integersIn(k.F, make(map[Formula]bool), in)
	maps.DeleteFunc(in, func(t Term, _ bool) bool { return w.ints[t] })
	w.integers(in)
	w.shared = make(map[Formula]string)
	w.c.sharedIn([]Formula{k.F}, k.Params, func(f Formula) {
		text := w.formula(f)
		w.parts++
		w.shared[f] = fmt.Sprintf("|part %d|", w.parts)
		fmt.Fprintf(w, "(define-fun %s () Bool %s)\n", w.shared[f], text)
	})
	fmt.Fprintf(w, "(assert %s)\n(set-info :status unsat)\n(check-sat)\n(pop 1)\n", w.formula(k.F))
}

// sharedIn calls each for the parts of formulas, without negations, that occur more than once and have no variables but
// params: for a part before what it occurs in.
func (c *Conditions) sharedIn(fs []Formula, params []Term, each func(Formula)) {
	uses, done := make(map[Formula]int), make(map[Formula]bool)
	var count, define func(f Formula)
	count = func(f Formula) {
		f &^= 1
		if uses[f]++; uses[f] == 1 {
			for _, k := range c.Node(f).Kids {
				count(k)
			}
		}
	}
	define = func(f Formula) {
		f &^= 1
		n := c.Node(f)
		if done[f] || len(n.Kids) == 0 {
			return
		}
		done[f] = true
		for _, k := range n.Kids {
			define(k)
		}
		if uses[f] > 1 && c.closed(n, params) {
			each(f)
		}
	}
	for _, f := range fs {
		count(f)
	}
	for _, f := range fs {
		define(f)
	}
}

func (w *smtWriter) variable(t Term) string {
	n := &w.c.terms[t]
	if n.name < 0 {
		return fmt.Sprintf("x%d.%d", n.sort, -n.name)
	}
	return fmt.Sprintf("p.%d", n.name) // no family has such a name
}

func (w *smtWriter) term(t Term) string {
	fam, opt, args := w.c.Applied(t)
	if fam == nil {
		return w.variable(t)
	}
	return w.apply(w.pointer(fam, opt), args)
}

func (w *smtWriter) apply(f string, args []Term) string {
	if len(args) == 0 {
		return f
	}
	parts := append([]string{f}, lists.Map(args, w.term)...)
	return "(" + strings.Join(parts, " ") + ")"
}

func (w *smtWriter) formula(f Formula) string {
	if f.Negated() {
		if f == False {
			return "false"
		}
		return "(not " + w.formula(f.Not()) + ")"
	}
	if s := w.shared[f]; s != "" {
		return s
	}
	n := w.c.Node(f)
	switch n.Kind {
	case And:
		var b strings.Builder
		b.WriteString("(and")
		for _, k := range n.Kids {
			b.WriteString(" " + w.formula(k))
		}
		return b.String() + ")"
	case All:
		return fmt.Sprintf("(forall ((%s %s)) %s)", w.variable(n.Var), w.sorts[w.c.Sort(n.Var)], w.formula(n.Kids[0]))
	case Is:
		at := w.apply(w.tag(n.Fam), n.Args)
		if t := tags(n.Fam); t > 2 {
			return fmt.Sprintf("(= %s V%d.%d)", at, t, n.Opt)
		}
		return at
	case Equal:
		return fmt.Sprintf("(= %s %s)", w.term(n.Args[0]), w.term(n.Args[1]))
	case AtMost:
		return fmt.Sprintf("(<= %s 0)", w.sum(n.Args[0]))
	}
	return "true"
}
