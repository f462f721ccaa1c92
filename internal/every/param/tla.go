package param

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file writes a model in TLA+ (Lamport, Specifying Systems, 2002): what is translated for every size, as a
// module. A free class is a constant set, a family of leaves a variable, and a rule an action. What has no value is
// Undefined. The invariants are operators, and theorems say what is to be proved of them.

// WriteTLA writes the module of this name, with the lines for a configuration of TLC in a comment at its end.
func (c *Conditions) WriteTLA(out io.Writer, module string) error {
	return c.writeModule(out, &tlaSyntax, func(m *moduleWriter) {
		w := &tlaWriter{m}
		w.dialect = w
		w.module(module)
	})
}

var tlaSyntax = syntax{
	language: "TLA+",
	words: `ASSUME ASSUMPTION AXIOM BOOLEAN CASE CHOOSE CONSTANT CONSTANTS DOMAIN ELSE ENABLED EXCEPT EXTENDS FALSE IF IN
INSTANCE LET LOCAL MODULE OTHER STRING SUBSET THEN THEOREM TRUE UNCHANGED UNION VARIABLE VARIABLES WITH BY DEF DEFS PROOF
HAVE HIDE NEW OBVIOUS OMITTED ONLY PICK PROVE QED STATE SUFFICES x y TAKE TEMPORAL USE WITNESS ACTION LAMBDA LEMMA PROPOSITION
COROLLARY Int Nat Cardinality IsFiniteSet Undefined vars TypeOK Init Next Spec Invariant NoError NoDeadlock`,
	join: [2]string{` /\ `, ` \/ `}, equal: [2]string{" = ", " # "}, truth: [2]string{"TRUE", "FALSE"},
	bind: [2]string{`\A `, `\E `}, in: [2]string{` \in `, " : "}, choice: "IF %s THEN %s ELSE %s", definition: "%s == %s",
}

type tlaWriter struct{ *moduleWriter }

func (w *tlaWriter) symbol(text string, _ bool) string {
	s := letters(text)
	if strings.HasPrefix(s, "WF_") || strings.HasPrefix(s, "SF_") {
		s = "n" + s
	}
	return s
}

func (w *tlaWriter) module(module string) {
	c := w.c
	fmt.Fprintf(w, "---- MODULE %s ----\n\\* %s, for every size: each rule is an action. A step in which a rule errs is none; see NoError.\n", w.symbol(module, false), c.Model.File)
	fmt.Fprintln(w, "EXTENDS Integers, FiniteSets")
	w.nameState()
	constants := []string{"Undefined"}
	var about []string
	for i, s := range c.Sorts {
		constants = append(constants, w.names[i])
		about = append(about, fmt.Sprintf("IsFiniteSet(%s) /\\ Cardinality(%s) >= %d", w.names[i], w.names[i], s.Least))
	}
	for i, n := range c.Names {
		at := w.names[n.Term]
		constants = append(constants, at)
		about = append(about, fmt.Sprintf("%s \\in %s", at, w.names[n.Sort]))
		for _, m := range c.Names[:i] {
			if m.Sort == n.Sort {
				about = append(about, at+" # "+w.names[m.Term])
			}
		}
	}
	fmt.Fprintf(w, "CONSTANTS %s\n", strings.Join(constants, ", "))
	for _, a := range about {
		fmt.Fprintf(w, "ASSUME %s\n", a)
	}
	for i := range c.Sorts {
		set := w.names[i]
		fmt.Fprintf(w, "%s(x) == IF x \\in %s THEN x ELSE CHOOSE y \\in %s : TRUE\n", w.name(someOf(i), "Some"+set), set, set)
	}
	all := lists.Map(c.Families, func(f *Family) string { return w.names[f] })
	fmt.Fprintf(w, "\nVARIABLES %s\nvars == <<%s>>\n\nTypeOK ==\n", strings.Join(all, ", "), strings.Join(all, ", "))
	for _, f := range c.Families {
		sets := []string{}
		var set []string
		for _, o := range f.Opts {
			if o.Sort >= 0 {
				sets = append(sets, w.names[o.Sort])
			} else {
				set = append(set, tlaConst(o.Const))
			}
		}
		if !f.Defined {
			set = append(set, "Undefined")
		}
		if set != nil {
			sets = append(sets, "{"+strings.Join(set, ", ")+"}")
		}
		fmt.Fprintf(w, "  /\\ %s \\in %s\n", w.names[f], w.function("[%s -> %s]", f, strings.Join(sets, " \\cup ")))
	}

	checked, assumed := []string{"TypeOK"}, [2]string{}
	for i := range c.Conjuncts {
		k := &c.Conjuncts[i]
		name := w.name(k, k.Prop.Name)
		fmt.Fprintf(w, "\n\\* %s:%v\n%s ==\n%s", c.Model.File, k.Prop.Pos, name, w.define(new(Step), k.F))
		if checked = append(checked, name); k.Assumed { // no step leads to other states
			assumed[0], assumed[1] = assumed[0]+"  /\\ "+name+"\n", assumed[1]+"  /\\ "+name+"'\n"
		}
	}
	for i, steps := range [][]*Step{c.Starts, c.Rules} {
		for _, s := range steps {
			name := w.name(s, s.Name)
			fmt.Fprintf(w, "\n\\* %s:%v\n%s%s ==\n%s", c.Model.File, s.Pos, name, w.params(s), w.step(s))
		}
		any := lists.Map(steps, func(s *Step) string { return w.quantified(1, s) + w.names[s] + w.params(s) })
		fmt.Fprintf(w, "\n%s ==\n  /\\ \\/ %s\n%s", []string{"Init", "Next"}[i], strings.Join(any, "\n     \\/ "), assumed[i])
	}
	fmt.Fprintln(w, "\nSpec == Init /\\ [][Next]_vars")

	fmt.Fprintf(w, "\nInvariant ==\n")
	for _, k := range checked {
		fmt.Fprintf(w, "  /\\ %s\n", k)
	}
	fmt.Fprintf(w, "\nTHEOREM Init => Invariant\nTHEOREM Invariant /\\ [Next]_vars => Invariant'\n")
	if w.errors() {
		checked = append(checked, "NoError")
	}
	if c.Stuck != False {
		checked = append(checked, "NoDeadlock")
		fmt.Fprintf(w, "\nNoDeadlock ==\n%sTHEOREM Invariant => NoDeadlock\n", w.define(new(Step), c.Stuck.Not()))
	}
	fmt.Fprintf(w, "\n%s\n(* A configuration of TLC:\nSPECIFICATION Spec\nCHECK_DEADLOCK FALSE\nINVARIANTS %s\nCONSTANTS\n  Undefined = Undefined\n", strings.Repeat("=", 40), strings.Join(checked, " "))
	for i := range c.Sorts {
		fmt.Fprintf(w, "  %s = {%s}\n", w.names[i], strings.Join(w.elements(i), ", "))
	}
	for _, n := range c.Names {
		fmt.Fprintf(w, "  %s = %s\n", w.names[n.Term], w.names[n.Term])
	}
	fmt.Fprintln(w, "*)")
}

// errors writes that no rule errs, and no assertion fails. It reports whether there is anything to say.
func (w *tlaWriter) errors() bool {
	var none []string
	for _, s := range w.c.Rules {
		if err := w.c.Or(s.Errs...); err != False {
			name := w.name(errsOf{s}, w.names[s]+"_errs")
			fmt.Fprintf(w, "\n%s%s ==\n%s", name, w.params(s), w.define(s, err))
			none = append(none, w.quantified(0, s)+"~"+name+w.params(s))
		}
	}
	if none == nil {
		return false
	}
	fmt.Fprintf(w, "\nNoError ==\n  /\\ %s\nTHEOREM Invariant => NoError\n", strings.Join(none, "\n  /\\ "))
	return true
}

// errsOf is the operator that a step errs.
type errsOf struct{ *Step }

func (w *tlaWriter) params(s *Step) string {
	w.begin(s)
	return list(lists.Map(s.Params, w.term))
}

func (w *tlaWriter) quantified(some int, s *Step) string {
	if w.begin(s); len(s.Params) == 0 {
		return ""
	}
	return w.bind[some] + strings.Join(w.variables(s.Params), ", ") + w.in[1]
}

// define writes that a formula holds.
func (w *tlaWriter) define(s *Step, f Formula) string {
	return operator(w.begin(s, f), []string{w.formula(f)})
}

// operator writes the body of an operator.
func operator(defined, holds []string) string {
	text := ""
	if defined != nil {
		text = "    LET " + strings.Join(defined, "\n        ") + "\n    IN\n"
	}
	return text + "    /\\ " + strings.Join(holds, "\n    /\\ ") + "\n"
}

// step writes a rule or a start state.
func (w *tlaWriter) step(s *Step) string {
	defined, holds, writes, kept := w.effects(s)
	lines := append(lists.Map(holds, w.formula), lists.Map(writes, func(e effect) string { return w.after(s, e) })...)
	if kept != nil {
		lines = append(lines, "UNCHANGED <<"+strings.Join(lists.Map(kept, func(f *Family) string { return w.names[f] }), ", ")+">>")
	}
	return operator(defined, lines)
}

// after writes what a family holds after a step that writes it.
func (w *tlaWriter) after(s *Step, e effect) string {
	name, at, vars := w.names[e.fam]+"'", w.at(e.fam, e.args), ""
	for i, t := range e.args {
		vars += fmt.Sprintf("[%s \\in %s |-> ", w.term(t), w.names[e.fam.Args[i]])
	}
	if s.run.start {
		name, at = w.names[e.fam], "Undefined"
	}
	return name + " = " + vars + w.cases(e.out, w.single, at) + strings.Repeat("]", len(e.args))
}

// function writes the sort of a family's values around what it holds.
func (w *tlaWriter) function(format string, f *Family, values string) string {
	for _, s := range slices.Backward(f.Args) {
		values = fmt.Sprintf(format, w.names[s], values)
	}
	return values
}

func (w *tlaWriter) single(s single) string {
	switch s.kind {
	case constant:
		return tlaConst(s.c)
	case component:
		return w.term(s.t)
	}
	return "Undefined"
}

func tlaConst(c Const) string {
	switch {
	case c.Type == nil:
		return fmt.Sprint(c.N)
	case c.Type == model.BoolType:
		return strings.ToUpper(fmt.Sprint(c.N != 0))
	}
	return fmt.Sprintf("%q", c.String())
}

// at writes what a family holds. A formula does not depend on what a pointer that leads nowhere would lead to, but may
// follow it: TLC needs some component.
func (w *tlaWriter) at(f *Family, args []Term) string {
	s := w.names[f]
	for i, a := range args {
		if by, _, _ := w.c.Applied(a); by != nil && (!by.Defined || len(by.Opts) > 1) {
			s += fmt.Sprintf("[%s(%s)]", w.names[someOf(f.Args[i])], w.term(a))
		} else {
			s += "[" + w.term(a) + "]"
		}
	}
	return s
}

// someOf is the operator that makes a component of a sort of any value.
type someOf int

func (w *tlaWriter) pointer(f *Family, _ int, args []Term) string { return w.at(f, args) }

func (w *tlaWriter) is(n *Node, not int) string {
	at, o := w.at(n.Fam, n.Args), n.Fam.Opts[n.Opt]
	switch {
	case o.Sort < 0 && o.Const.Type == model.BoolType && n.Fam.Defined:
		return [2]string{"", "~"}[not] + at // Is(0) is the negation of Is(1)
	case o.Sort < 0:
		return at + w.equal[not] + tlaConst(o.Const)
	}
	return at + [2]string{" \\in ", " \\notin "}[not] + w.names[o.Sort]
}
