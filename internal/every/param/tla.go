package param

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file writes a model in TLA+ (Lamport, Specifying Systems, 2002): what is translated for every size, as a
// module. A free class is a constant set, a family of leaves a variable, and a rule an action. What has no value is
// Undefined. The invariants are operators, and theorems say what is to be proved of them.

// WriteTLA writes the module of this name, with the lines for a configuration of TLC in a comment at its end.
func (c *Conditions) WriteTLA(out io.Writer, module string) (err error) {
	defer func() {
		if r, ok := recover().(*Refusal); ok {
			r.File = c.Model.File
			err = r
		}
	}()
	if c.integers {
		return fmt.Errorf("%s: counts and numbers that are left open are not written in TLA+", c.Model.File)
	}
	w := &tlaWriter{Writer: bufio.NewWriter(out), c: c, taken: make(map[string]bool), names: make(map[any]string)}
	for _, word := range strings.Fields(tlaWords) {
		w.taken[word] = true
	}
	w.module(module)
	return w.Flush()
}

const tlaWords = `ASSUME ASSUMPTION AXIOM BOOLEAN CASE CHOOSE CONSTANT CONSTANTS DOMAIN ELSE ENABLED EXCEPT EXTENDS FALSE IF IN
INSTANCE LET LOCAL MODULE OTHER STRING SUBSET THEN THEOREM TRUE UNCHANGED UNION VARIABLE VARIABLES WITH BY DEF DEFS PROOF
HAVE HIDE NEW OBVIOUS OMITTED ONLY PICK PROVE QED STATE SUFFICES x y TAKE TEMPORAL USE WITNESS ACTION LAMBDA LEMMA PROPOSITION
COROLLARY Int Nat Cardinality IsFiniteSet Undefined vars TypeOK Init Next Spec Invariant NoError NoDeadlock`

var classIndex = regexp.MustCompile(`\[#\d+\]`)

type tlaWriter struct {
	*bufio.Writer
	c     *Conditions
	taken map[string]bool // names of the module
	names map[any]string  // by sort, family, step, conjunct, or variable of the operator at hand
	parts map[Formula]string
}

// name gives x a name of the module that is made of text.
func (w *tlaWriter) name(x any, text string) string {
	s := tlaName(text)
	for w.taken[s] {
		s += "_"
	}
	w.taken[s], w.names[x] = true, s
	return s
}

// tlaName makes an identifier of any text.
func tlaName(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
	s := strings.Join(words, "_")
	if !strings.ContainsFunc(s, unicode.IsLetter) || unicode.IsDigit(rune(s[0])) || strings.HasPrefix(s, "WF_") || strings.HasPrefix(s, "SF_") {
		s = "n" + s
	}
	return s
}

func (w *tlaWriter) module(module string) {
	c := w.c
	fmt.Fprintf(w, "---- MODULE %s ----\n\\* %s, for every size: each rule is an action. A step in which a rule errs is none; see NoError.\n", tlaName(module), c.Model.File)
	fmt.Fprintln(w, "EXTENDS Integers, FiniteSets")
	constants := []string{"Undefined"}
	var about []string
	for i, s := range c.Sorts {
		set := w.name(i, cmp.Or(s.Type, s.Name))
		constants = append(constants, set)
		about = append(about, fmt.Sprintf("IsFiniteSet(%s) /\\ Cardinality(%s) >= %d", set, set, s.Least))
	}
	for i, n := range c.Names {
		text := fmt.Sprintf("%s_%d", w.names[n.Sort], n.N)
		if n.Last {
			text = w.names[n.Sort] + "_last"
		}
		at := w.name(n.Term, text)
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
	all := lists.Map(c.Families, func(f *Family) string { return w.name(f, classIndex.ReplaceAllString(f.Name, "")) })
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
		fmt.Fprintf(w, "\n\\* %s:%v\n%s ==\n%s", c.Model.File, k.Prop.Pos, name, w.operator(nil, []Formula{k.F}, nil))
		if checked = append(checked, name); k.Assumed { // no step leads to other states
			assumed[0], assumed[1] = assumed[0]+"  /\\ "+name+"\n", assumed[1]+"  /\\ "+name+"'\n"
		}
	}
	for i, steps := range [][]*Step{c.Starts, c.Rules} {
		for _, s := range steps {
			name := w.name(s, s.Name)
			fmt.Fprintf(w, "\n\\* %s:%v\n%s%s ==\n%s", c.Model.File, s.Pos, name, w.params(s), w.step(s))
		}
		var any []string
		for _, s := range steps {
			any = append(any, w.quantified("\\E", s)+w.names[s]+w.params(s))
		}
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
		fmt.Fprintf(w, "\nNoDeadlock ==\n%sTHEOREM Invariant => NoDeadlock\n", w.operator(nil, []Formula{c.Stuck.Not()}, nil))
	}
	fmt.Fprintf(w, "\n%s\n(* A configuration of TLC:\nSPECIFICATION Spec\nCHECK_DEADLOCK FALSE\nINVARIANTS %s\nCONSTANTS\n  Undefined = Undefined\n", strings.Repeat("=", 40), strings.Join(checked, " "))
	for i, s := range c.Sorts {
		elements := []string{}
		for _, n := range c.Names {
			if n.Sort == i {
				elements = append(elements, w.names[n.Term])
			}
		}
		for k := 1; len(elements) < s.Least; k++ {
			elements = append(elements, fmt.Sprintf("%s%d", strings.ToLower(w.names[i]), k))
		}
		fmt.Fprintf(w, "  %s = {%s}\n", w.names[i], strings.Join(elements, ", "))
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
			fmt.Fprintf(w, "\n%s%s ==\n%s", name, w.params(s), w.operator(s, []Formula{err}, nil))
			none = append(none, w.quantified("\\A", s)+"~"+name+w.params(s))
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

// begin gives names to the parameters of a step, and forgets the parts of what was written before.
func (w *tlaWriter) begin(s *Step) {
	w.parts = make(map[Formula]string)
	for k := range w.names {
		if t, ok := k.(Term); ok && !slices.ContainsFunc(w.c.Names, func(n Named) bool { return n.Term == t }) {
			delete(w.names, k)
		}
	}
	if s == nil {
		return
	}
	for _, t := range s.Params {
		text := fmt.Sprintf("p%d", t)
		for i, a := range s.args {
			if a.kind == component && a.t == t {
				text = s.rule.Params[i].Var.Name
			}
		}
		w.variable(t, text)
	}
}

// variable returns the name of a variable in the operator at hand, made of text if it has none.
func (w *tlaWriter) variable(t Term, text string) string {
	s, ok := w.names[t]
	if !ok {
		s = w.unused(tlaName(text))
		w.names[t] = s
	}
	return s
}

// unused makes a name one that neither the module has nor a variable of the operator at hand.
func (w *tlaWriter) unused(s string) string {
	for {
		used := w.taken[s]
		for k, n := range w.names {
			_, variable := k.(Term)
			used = used || variable && n == s
		}
		if !used {
			return s
		}
		s += "_"
	}
}

func (w *tlaWriter) params(s *Step) string {
	w.begin(s)
	if len(s.Params) == 0 {
		return ""
	}
	return "(" + strings.Join(lists.Map(s.Params, w.term), ", ") + ")"
}

func (w *tlaWriter) quantified(op string, s *Step) string {
	w.begin(s)
	if len(s.Params) == 0 {
		return ""
	}
	bound := lists.Map(s.Params, func(t Term) string { return w.term(t) + " \\in " + w.names[w.c.Sort(t)] })
	return op + " " + strings.Join(bound, ", ") + " : "
}

// operator writes the body of an operator: formulas that hold, and more, in which other formulas occur.
func (w *tlaWriter) operator(s *Step, holds, others []Formula, more ...func() string) string {
	w.begin(s)
	var params []Term
	if s != nil {
		params = s.Params
	}
	var b strings.Builder
	let := "    LET "
	w.c.sharedIn(slices.Concat(holds, others), params, func(f Formula) {
		text, name := w.formula(f), w.unused(fmt.Sprintf("part%d", len(w.parts)+1))
		w.parts[f] = name
		fmt.Fprintf(&b, "%s%s == %s\n", let, name, text)
		let = "        "
	})
	if len(w.parts) > 0 {
		b.WriteString("    IN\n")
	}
	for _, f := range holds {
		fmt.Fprintf(&b, "    /\\ %s\n", w.formula(f))
	}
	for _, m := range more {
		fmt.Fprintf(&b, "    /\\ %s\n", m())
	}
	return b.String()
}

// step writes a rule or a start state.
func (w *tlaWriter) step(s *Step) string {
	holds := lists.Where([]Formula{s.Guard, w.c.Or(s.Errs...).Not()}, func(f Formula) bool { return f != True })
	known := w.c.conjuncts(w.c.And(holds...))
	var unchanged []string
	var others []Formula
	var writes []func() string
	for _, f := range w.c.Families {
		if !s.run.start && len(s.run.writes[f]) == 0 {
			unchanged = append(unchanged, w.names[f])
			continue
		}
		args := lists.Map(f.Args, w.c.Fresh)
		out, _, _ := s.run.written(f, args, s.Pos)
		for i, c := range out {
			out[i].cond = w.c.And(lists.Where(w.c.conjuncts(c.cond), func(k Formula) bool { return !slices.Contains(known, k) })...)
			others = append(others, out[i].cond)
		}
		writes = append(writes, func() string { return w.after(s, f, args, out) })
	}
	if unchanged != nil {
		writes = append(writes, func() string { return "UNCHANGED <<" + strings.Join(unchanged, ", ") + ">>" })
	}
	return w.operator(s, holds, others, writes...)
}

// after writes what a family holds after a step that writes it: the cases exclude each other.
func (w *tlaWriter) after(s *Step, f *Family, args []Term, out value) string {
	at := w.names[f]
	var vars []string
	for i, t := range args {
		v := w.variable(t, fmt.Sprintf("a%d", i+1))
		vars = append(vars, fmt.Sprintf("[%s \\in %s |-> ", v, w.names[f.Args[i]]))
		at += "[" + v + "]"
	}
	last := at
	if s.run.start {
		last = "Undefined"
	}
	text := ""
	if rest := w.c.Or(lists.Map(out, func(c valueCase) Formula { return c.cond })...); rest == True {
		last, out = w.single(out[len(out)-1].single), out[:len(out)-1]
	}
	for _, c := range out {
		text += fmt.Sprintf("IF %s THEN %s ELSE ", w.formula(c.cond), w.single(c.single))
	}
	name := w.names[f]
	if !s.run.start {
		name += "'"
	}
	for _, t := range args {
		delete(w.names, t)
	}
	return name + " = " + strings.Join(vars, "") + text + last + strings.Repeat("]", len(vars))
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

func (w *tlaWriter) term(t Term) string {
	fam, _, args := w.c.Applied(t)
	if fam != nil {
		return w.at(fam, args)
	}
	n := &w.c.terms[t]
	if n.name < 0 {
		return w.variable(t, fmt.Sprintf("i%d", -n.name))
	}
	return w.variable(t, fmt.Sprintf("x%d", n.name))
}

func (w *tlaWriter) formula(f Formula) string {
	if s, ok := w.parts[f&^1]; ok {
		if f.Negated() {
			return "~" + s
		}
		return s
	}
	n := w.c.Node(f)
	not := f.Negated()
	choose := func(yes, no string) string {
		if not {
			return no
		}
		return yes
	}
	switch n.Kind {
	case And:
		return "(" + strings.Join(lists.Map(n.Kids, func(k Formula) string {
			if not {
				k = k.Not()
			}
			return w.formula(k)
		}), choose(" /\\ ", " \\/ ")) + ")"
	case All:
		body := n.Kids[0]
		if not {
			body = body.Not()
		}
		return fmt.Sprintf("(%s %s \\in %s : %s)", choose("\\A", "\\E"), w.term(n.Var), w.names[w.c.Sort(n.Var)], w.formula(body))
	case Is:
		at, o := w.at(n.Fam, n.Args), n.Fam.Opts[n.Opt]
		switch {
		case o.Sort < 0 && o.Const.Type == model.BoolType && n.Fam.Defined:
			return choose("", "~") + at // Is(0) is the negation of Is(1)
		case o.Sort < 0:
			return at + choose(" = ", " # ") + tlaConst(o.Const)
		}
		return at + choose(" \\in ", " \\notin ") + w.names[o.Sort]
	case Equal:
		return w.term(n.Args[0]) + choose(" = ", " # ") + w.term(n.Args[1])
	}
	return choose("TRUE", "FALSE")
}
