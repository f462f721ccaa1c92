package param

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file writes a model in Ivy (Padon and others: Ivy: Safety verification by interactive generalization, PLDI
// 2016), for ivy_check. A free class is a type, a rule an action, and a conjunct an invariant. A family of leaves is a
// relation, or a function that says which option it holds, and one for each option that is a component. Ivy assigns one
// family after the other; what it still reads of one that is assigned is kept in a local variable.

// WriteIvy writes the model with what is to be checked.
func (c *Conditions) WriteIvy(out io.Writer) error {
	return c.writeModule(out, &ivySyntax, func(m *moduleWriter) {
		w := &ivyWriter{moduleWriter: m, types: make(map[any]string)}
		w.dialect = w
		w.module()
	})
}

var ivySyntax = syntax{
	language: "Ivy",
	words: `action after alias apply around assert assume attribute autoinstance axiom before bool call class common concept
conjecture constructor debug decreases defergoal definition delegate derived destructor else ensure ensures entry
eventually execute exists explicit export extract false field finite for forall forget fresh from function ghost global
globally if implement implementation import in include individual init instance instantiate int interpret invariant isa
isolate let local macro match maximizing method minimizing mixin mixord modifies module named nat null object of old
parameter params private process progress proof property relation rely require requires returns scenario schema set
showgoals some specification spoil state struct subclass tactic template temporal theorem this thunk trigger true trusted
type unfold unprovable update using var variant while whenfirst whenlast whennext whenprev wire with no_deadlock`,
	join: [2]string{" & ", " | "}, equal: [2]string{" = ", " ~= "}, truth: [2]string{"true", "false"},
	bind: [2]string{"forall ", "exists "}, in: [2]string{":", ". "}, choice: "(%[2]s if %[1]s else %[3]s)", definition: "var %s := %s",
}

type ivyWriter struct {
	*moduleWriter
	types map[any]string // by symbol; and the names of enumerations, by their values
}

type (
	ivySymbol struct { // of a family: which option it holds, or where an option leads
		fam *Family
		opt int // -1: the former
	}
	ivyValue struct{ typ, text string } // of an enumeration
)

var underscores = regexp.MustCompile(`_+`)

// symbol avoids what means something in names of Ivy: __ stands for some value, and new_ and old_ for the state after and
// before. No name ends with _: x_ is what x was before the step.
func (w *ivyWriter) symbol(text string, bound bool) string {
	s := strings.Trim(underscores.ReplaceAllString(letters(text), "_"), "_")
	if bound {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	rest := strings.TrimLeftFunc(s, unicode.IsUpper)
	s = strings.ToLower(s[:len(s)-len(rest)]) + rest
	if strings.HasPrefix(s, "new_") || strings.HasPrefix(s, "old_") {
		s = "n" + s
	}
	return s
}

func (w *ivyWriter) module() {
	c := w.c
	fmt.Fprintf(w, "#lang ivy1.7\n# %s, for every size: each rule is an action that first asserts that it does not err; x_ is what x was before.\n"+
		"# Not all conditions need be of the fragment that Ivy decides; without this line it says so.\nattribute complete = fo\n\n", c.Model.File)
	w.nameState()
	for i := range c.Sorts {
		fmt.Fprintf(w, "type %s\n", w.names[i])
		all := w.elements(i)
		for k, e := range all {
			fmt.Fprintf(w, "individual %s:%s\n", e, w.names[i])
			for _, d := range all[:k] {
				fmt.Fprintf(w, "axiom %s ~= %s\n", d, e)
			}
		}
	}
	for _, f := range c.Families {
		w.family(f)
	}
	var starts []string
	for i, s := range c.Starts {
		lines := w.step(s)
		for _, p := range s.Params {
			lines = slices.Insert(lines, 0, "var "+w.variables([]Term{p})[0])
		}
		some := []string{"if * ", ""}[(i+1)/len(c.Starts)]
		starts = append(starts, some+"{\n    "+strings.Join(lines, ";\n    ")+"\n}")
	}
	fmt.Fprintf(w, "\nafter init {\n%s\n}\n", strings.Join(starts, " else "))
	for _, s := range c.Rules {
		lines := w.step(s)
		w.action(w.name(s, s.Name)+list(w.variables(s.Params)), fmt.Sprintf("%s:%v", c.Model.File, s.Pos), lines)
	}
	if c.Stuck != False {
		w.action("no_deadlock", "some rule leads to another state", append(w.begin(new(Step), c.Stuck), "assert "+w.formula(c.Stuck.Not())))
	}
	for i := range c.Conjuncts {
		k := &c.Conjuncts[i]
		w.begin(new(Step))
		fmt.Fprintf(w, "\n# %s:%v\ninvariant [%s] %s\n", c.Model.File, k.Prop.Pos, w.name(k, k.Prop.Name), w.formula(k.F))
	}
}

func (w *ivyWriter) action(name, about string, lines []string) {
	word, _, _ := strings.Cut(name, "(")
	fmt.Fprintf(w, "\n# %s\naction %s = {\n    %s\n}\nexport %s\n", about, name, strings.Join(lines, ";\n    "), word)
}

// truth reports whether a family holds true or false.
func truth(f *Family) bool {
	return f.Defined && len(f.Opts) == 2 && f.Opts[0].Const.Type == model.BoolType
}

// symbols returns what a family is written as.
func symbols(f *Family) (out []ivySymbol) {
	if tags(f) > 1 {
		out = append(out, ivySymbol{f, -1})
	}
	for i, o := range f.Opts {
		if o.Sort >= 0 {
			out = append(out, ivySymbol{f, i})
		}
	}
	return out
}

// family declares a family, and an enumeration if there is none so far for what it may hold.
func (w *ivyWriter) family(f *Family) {
	all := lists.Map(f.Opts, func(o Option) string { return w.text(o.Sort, o.Const) })
	if !f.Defined {
		all = append(all, "undefined")
	}
	key := strings.Join(all, ",")
	if truth(f) {
		w.types[key] = "bool"
	}
	if w.types[key] == "" && len(all) > 1 {
		text := w.names[f] + "_value"
		if t := f.Opts[0].Const.Type; t != nil && t.Name != "" {
			text = t.Name
		}
		w.types[key] = w.name(key, text)
		values := lists.Map(all, func(v string) string { return w.name(ivyValue{w.types[key], v}, v) })
		fmt.Fprintf(w, "type %s = {%s}\n", w.types[key], strings.Join(values, ", "))
	}
	var args []string
	for i, s := range f.Args {
		args = append(args, fmt.Sprintf("A%d:%s", i+1, w.names[s]))
	}
	for _, x := range symbols(f) {
		w.names[x], w.types[x] = w.names[f], w.types[key]
		if x.opt >= 0 {
			w.types[x] = w.names[f.Opts[x.opt].Sort]
		}
		if x.opt >= 0 && len(all) > 1 {
			w.name(x, w.names[f]+"_"+w.types[x])
		}
		fmt.Fprintf(w, "function %s%s:%s\n", w.names[x], list(args), w.types[x])
	}
}

// text says what a family may hold: a constant, or some component of a sort.
func (w *ivyWriter) text(sort int, c Const) string {
	if sort < 0 {
		return c.String()
	}
	return "some " + w.names[sort]
}

// value writes it.
func (w *ivyWriter) value(f *Family, text string) string {
	if truth(f) {
		return text
	}
	return w.names[ivyValue{w.types[ivySymbol{f, -1}], text}]
}

// step writes what a step does.
func (w *ivyWriter) step(s *Step) []string {
	lines, _, writes, _ := w.effects(s)
	must := func(word string, f Formula) {
		if f != True {
			lines = append(lines, word+" "+w.formula(f))
		}
	}
	must("assert", w.c.Or(s.Errs...).Not())
	must("assume", s.Guard)
	type assignment struct{ name, args, typed, text string }
	var all []assignment
	for _, e := range writes {
		for _, x := range symbols(e.fam) {
			a := assignment{w.names[x], list(lists.Map(e.args, w.term)), list(w.variables(e.args)) + ":" + w.types[x], ""}
			if a.text = w.becomes(s, e, x, a.name+a.args); a.text != a.name+a.args {
				all = append(all, a)
			}
		}
	}
	for i, a := range all {
		word, later := regexp.MustCompile(`\b`+a.name+`\b`), all[i+1:]
		if slices.ContainsFunc(later, func(b assignment) bool { return word.MatchString(b.text) }) {
			lines = append(lines, fmt.Sprintf("var %s_%s", a.name, a.typed), fmt.Sprintf("%s_%s := %s%s", a.name, a.args, a.name, a.args))
		}
		for k, b := range later {
			later[k].text = word.ReplaceAllString(b.text, a.name+"_")
		}
		lines = append(lines, a.name+a.args+" := "+a.text)
	}
	for j, k := range w.c.Conjuncts {
		if k.Assumed && !s.run.start && w.c.After(s, j) != k.F {
			w.parts = nil // these are about the state before
			_, err := s.run.encoder.newRun(false).judge(k.Prop)
			must("assert", err.Not())
			must("assume", k.F)
		}
	}
	return lines
}

// becomes writes what a family, or where a pointer leads, is after a step; same is what it was.
func (w *ivyWriter) becomes(s *Step, e effect, x ivySymbol, same string) string {
	if x.opt >= 0 {
		to := lists.Where(e.out, func(c valueCase) bool { return c.kind == component && c.class == e.fam.Opts[x.opt].Sort })
		return w.cases(to, func(s single) string { return w.term(s.t) }, same)
	}
	if s.run.start {
		same = w.value(e.fam, "undefined")
	}
	return w.cases(e.out, func(s single) string {
		if s.kind == undefined {
			return w.value(e.fam, "undefined")
		}
		return w.value(e.fam, w.text(map[bool]int{true: -1, false: s.class}[s.kind == constant], s.c))
	}, same)
}

func (w *ivyWriter) pointer(f *Family, opt int, args []Term) string {
	return w.names[ivySymbol{f, opt}] + list(lists.Map(args, w.term))
}

func (w *ivyWriter) is(n *Node, not int) string {
	at := w.pointer(n.Fam, -1, n.Args)
	if truth(n.Fam) {
		return [2]string{"", "~"}[not] + at // Is(0) is the negation of Is(1)
	}
	o := n.Fam.Opts[n.Opt]
	return at + w.equal[not] + w.value(n.Fam, w.text(o.Sort, o.Const))
}
