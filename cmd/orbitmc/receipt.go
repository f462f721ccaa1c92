package main

import (
	"fmt"
	"io"
	"math/big"
	"strings"

	"orbitmc/encode/murphi"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// receipt says which symmetry was used, how it was verified, what it saved and
// what it cost. What a run took in time is not said here: the same run prints
// the same receipt.
func (t *task) receipt(w io.Writer, r *mc.Result) {
	switch {
	case t.sym == "off":
		fmt.Fprintf(w, "symmetry: off\n")
	case t.report == nil && len(t.scalarsets()) == 0:
		fmt.Fprintf(w, "symmetry: none declared\n")
	case t.problem.EncErr != nil:
		fmt.Fprintf(w, "symmetry: not used, as it cannot be verified: %v\n", t.problem.EncErr)
	case t.report == nil:
		fmt.Fprintf(w, "symmetry: not verified yet\n")
	default:
		t.showGroups(w, 0)
	}
	s := r.Stats
	if s.States > 0 {
		what := fmt.Sprintf("%d states", s.States)
		if n := t.orbitSize(); n.Cmp(big.NewInt(1)) > 0 && t.c.String("canon") != "none" {
			what = fmt.Sprintf("%d representatives of up to %v states each", s.States, n)
		}
		fmt.Fprintf(w, "explicit: %s, %s fired\n", what, plural(int(s.Transitions), "rule instance"))
	}
	if s.Frames > 0 {
		fmt.Fprintf(w, "bmc: %s of %d latches unrolled, %d variables, %d clauses", plural(s.Frames-1, "step"), s.Latches, s.Variables, s.Clauses)
		if s.Permutations > 0 {
			fmt.Fprintf(w, "; of these %d and %d compare paths with their images under %s", s.RepVariables, s.RepClauses, plural(s.Permutations, "permutation"))
		}
		fmt.Fprintln(w)
	}
	if s.Cofactors > 0 {
		fmt.Fprintf(w, "cofactor: %s, %d AND nodes in %s, %d in what is left of them\n", plural(s.Enumerations, "enumeration"), s.CofactorAnds, plural(s.Cofactors, "set"), s.SetAnds)
	}
	seen := make(map[string]bool)
	for _, pr := range r.Props {
		if e := fmt.Sprintf("evidence: %v by %s: %s\n", pr.Status, pr.Engine, pr.Evidence); pr.Evidence != "" && !seen[e] {
			seen[e] = true
			io.WriteString(w, e)
		}
	}
	fmt.Fprintf(w, "seed: %d\n", t.c.Uint64("seed"))
}

// showGroups prints the verified groups and what was refuted: all that is known
// of the first few, explain of them, and of the others the rule to blame.
func (t *task) showGroups(w io.Writer, explain int) {
	r := t.report
	fmt.Fprintf(w, "symmetry: %s; verified: %d checks by structure, %d by SAT; refuted: %d\n",
		groupText(r.System), r.VerifiedStructurally, r.VerifiedBySAT, r.Refuted)
	for i, p := range t.model.Props {
		if g := r.ByProp[i]; g.Order().Cmp(r.System.Order()) != 0 {
			fmt.Fprintf(w, "  %v %q keeps only %s\n", p.Kind, p.Name, groupText(g))
		}
	}
	for i, f := range r.Refutations {
		text := f.Text
		if i >= explain {
			text, _, _ = strings.Cut(text, "\n")
		}
		fmt.Fprintf(w, "  refuted: %s\n", strings.ReplaceAll(text, "\n", "\n  "))
	}
}

// groupText describes a group: "Sym(NODE, 8) x Sym(DATA, 2), order 80640".
func groupText(y *ts.Symmetry) string {
	if y.Trivial() {
		return "none"
	}
	var parts []string
	for _, b := range y.Blocks {
		parts = append(parts, fmt.Sprintf("Sym(%s, %d)", b.Name, len(b.Elems)))
	}
	for _, g := range y.Groups {
		parts = append(parts, fmt.Sprintf("%s(%s, order %v)", g.Kind, g.Name, g.Order))
	}
	return fmt.Sprintf("%s, order %v", strings.Join(parts, " x "), y.Order())
}

// orbitSize returns how many states an orbit has at most: the order of the
// group that permutes the values of each block. The slots of a multiset have one
// order in all states.
func (t *task) orbitSize() *big.Int {
	n := big.NewInt(1)
	for c, class := range t.problem.Blocks {
		if t.model.Scalarsets[c].Slots {
			continue
		}
		for _, b := range class {
			n.Mul(n, new(big.Int).MulRange(1, int64(len(b))))
		}
	}
	return n
}

// hint says which command to try next, as long as there are open questions.
func (t *task) hint(r *mc.Result) string {
	name := t.c.Command.Name
	switch {
	case r.Open() == 0 || t.c.Bool("all") && r.Violated():
		return ""
	case r.Violated():
		return fmt.Sprintf("`%s` goes on with the properties still undecided", t.again("check", "--all"))
	case t.sym == "off" && len(t.scalarsets()) > 0:
		return "leave out --sym off, to use the symmetry of the model"
	case name == "explore" && t.c.String("canon") == "none" && len(t.problem.Blocks) > 0:
		return fmt.Sprintf("`%s` identifies symmetric states", t.again("explore"))
	}
	var ways []string
	switch k := t.known(r); {
	case t.problem.EncErr != nil:
	case name == "bmc" && t.c.IsSet("k"):
		ways = append(ways, fmt.Sprintf("`%s` looks deeper for a bug", t.again("bmc", "-k", fmt.Sprint(2*max(k, 5)))))
	case name == "explore":
		ways = append(ways, fmt.Sprintf("`%s` looks deeper for a bug", t.again("bmc")))
	}
	if name == "bmc" || t.c.IsSet("k") {
		ways = append(ways, fmt.Sprintf("`%s` proves it if the states are few enough", t.again("explore")))
	}
	if c, v := t.smaller(); c != "" {
		ways = append(ways, fmt.Sprintf("`%s` tries the same with fewer components", t.again("explore", "-D", fmt.Sprintf("%s=%d", c, v))))
	}
	if strings.Contains(r.Stopped, "limit") && name != "bmc" {
		ways = append(ways, fmt.Sprintf("`%s` with more time or memory", t.again(name)))
	}
	if len(t.scalarsets()) == 0 {
		ways = append(ways, "interchangeable components, declared as a scalarset, would be exploited")
	}
	if len(ways) == 0 {
		ways = append(ways, fmt.Sprintf("`%s` with more time", t.again(name)))
	}
	return strings.Join(ways, "\n      ")
}

// again returns a command line for another run on the same model.
func (t *task) again(command string, options ...string) string {
	words := []string{"orbitmc", command, t.file}
	for _, d := range t.c.StringSlice("D") {
		if len(options) > 0 && options[0] == "-D" && strings.HasPrefix(options[1], strings.SplitAfter(d, "=")[0]) {
			continue // set anew
		}
		words = append(words, "-D", d)
	}
	for _, name := range []string{"dialect", "deadlock", "loop-max"} {
		if t.c.IsSet(name) {
			words = append(words, "--"+name, fmt.Sprint(t.c.Value(name)))
		}
	}
	for _, p := range t.c.StringSlice("prop") {
		words = append(words, "--prop", p)
	}
	words = append(words, options...)
	for i, w := range words {
		if strings.ContainsAny(w, " \t'\"$&|;<>()*?!\\`") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// smaller returns a constant that sets the size of a scalarset, and its value
// less one; "" if there is none.
func (t *task) smaller() (name string, value int64) {
	for class, y := range t.model.Scalarsets {
		for _, c := range t.model.Consts {
			if y.Slots || y.Card() <= 2 || c.Value != y.Card() || c.Type.Kind != model.Integer {
				continue
			}
			opt := t.options
			opt.Consts = map[string]string{c.Name: fmt.Sprint(c.Value - 1)}
			for k, v := range t.options.Consts {
				if k != c.Name {
					opt.Consts[k] = v
				}
			}
			m, err := murphi.ReadFile(t.file, opt)
			if err == nil && len(m.Scalarsets) == len(t.model.Scalarsets) && m.Scalarsets[class].Card() == y.Card()-1 {
				return c.Name, c.Value - 1
			}
		}
	}
	return "", 0
}
