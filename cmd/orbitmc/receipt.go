package main

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/internal/lists"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/stateless"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/ts"
)

// This file prints the receipt of a run: the symmetry that was verified, and which command to try
// next.

// executed says what a search by executions did, "" of others.
func executed(r *mc.Result) string {
	if r.Engine != stateless.Name {
		return ""
	}
	return portfolio.Executions(r.Stats)
}

// explored says what explicit search visited.
func (se *session) explored(r *mc.Result) string {
	s := r.Stats
	what := fmt.Sprintf("%d states", s.States)
	switch {
	case s.States == 0:
		return ""
	case se.Problem.Formulas != nil:
		return fmt.Sprintf("%s, each with one of the automaton of a formula, %d steps", what, s.Transitions)
	case se.Problem.Netlist != nil:
		return what + ", each with all values of the inputs that matter"
	case se.Broken != nil:
		what = fmt.Sprintf("%d annotated states", s.States)
	default:
		if n := se.orbitSize(); n.Cmp(big.NewInt(1)) > 0 && se.c.String("canon") != "none" {
			what = fmt.Sprintf("%d representatives of up to %v states each", s.States, n)
		}
	}
	return fmt.Sprintf("%s, %s fired", what, task.Plural(int(s.Transitions), "rule instance"))
}

// unrolled says what engines made of time frames.
func (se *session) unrolled(r *mc.Result) string {
	s := r.Stats
	if s.Frames == 0 || s.Variables == 0 || s.Cofactors > 0 {
		return ""
	}
	text := fmt.Sprintf("%s of %d latches unrolled, %d variables, %d clauses", task.Plural(s.Frames-1, "step"), s.Latches, s.Variables, s.Clauses)
	if s.Permutations > 0 {
		text += fmt.Sprintf("; of these %d and %d compare paths with their images under %s", s.RepVariables, s.RepClauses, task.Plural(s.Permutations, "permutation"))
	} else if r.Engine != "ind" && se.Report != nil && !se.Report.System.Trivial() {
		text += "; no path is compared with its images"
	}
	if s.Lemmas > 0 {
		text += fmt.Sprintf("; in each frame %s, checked by LRAT proofs", task.Plural(int(s.Lemmas), "lemma"))
	}
	return text
}

// carried says what became of lemmas of smaller sizes.
func (se *session) carried(s mc.Stats) string {
	if se.carrying == nil || s.Candidates == 0 {
		return ""
	}
	return se.carrying.Text(s)
}

// evidenceOf lists how verdicts were checked.
func evidenceOf(r *mc.Result) (all []string) {
	for _, pr := range r.Props {
		if pr.Evidence != "" {
			all = lists.With(all, fmt.Sprintf("%v by %s: %s", pr.Status, pr.Engine, pr.Evidence))
		}
	}
	return all
}

// reported reports whether symmetry was verified that all rules keep.
func (se *session) reported() bool { return se.Report != nil && !se.Report.System.Trivial() }

// brokenText says what a rule keeps, or some of its instances.
func brokenText(r task.BrokenRule) string {
	which := ""
	if r.Which != "" {
		which = ", " + r.Which
	}
	return fmt.Sprintf("rule %q at %v%s keeps %s", r.Rule.Name, r.Rule.Pos, which, strings.Join(r.Kept, "; "))
}

// lesser says of which properties the group is another one.
func (se *session) lesser() (all []string) {
	r, p := se.Report, se.Problem
	for i := range p.NumProps() {
		if g := r.ByProp[i]; len(p.Bads(i)) > 0 && g.Order().Cmp(r.System.Order()) != 0 {
			all = append(all, fmt.Sprintf("%v %q keeps %s", p.Kind(i), p.Name(i), groupText(g)))
		}
	}
	return all
}

// refuted says what was refuted, or is open: if first is set, all that is known of the first one, with --explain of all, and of the
// others the rule to blame.
func (se *session) refuted(first bool) (all []string) {
	explain := 0
	if first {
		explain = 1
	}
	if se.explains() {
		explain = len(se.Report.Refutations)
	}
	times, more := make(map[string]int), []string(nil)
	for i, f := range se.Report.Refutations {
		line, _, _ := strings.Cut(f.Text, "\n")
		text := f.Text
		if i >= explain {
			text = line
		}
		if _, of, ok := strings.Cut(line, " is no symmetry of "); ok && explain < len(se.Report.Refutations) {
			if times[of]++; times[of] > mostAlike {
				more = lists.With(more, of)
				continue
			}
		}
		is := "refuted: "
		if f.Undecided {
			is = "open: "
		}
		all = append(all, is+strings.ReplaceAll(text, "\n", "\n  "))
	}
	for _, of := range more {
		all = append(all, fmt.Sprintf("refuted: %d more are no symmetry of %s", times[of]-mostAlike, of))
	}
	return all
}

// mostAlike is the most refutations for one reason that are shown one by one; detect --explain shows all.
const mostAlike = 3

// whyNone says why there is no report on symmetry.
func (se *session) whyNone() string {
	switch {
	case se.Symmetry == "off":
		return "off"
	case se.Partial != "":
		return "none found, as " + se.Partial
	case (se.Problem.Netlist == nil && se.Symmetry != "detected" || se.Symmetry == "declared") && se.Declared()+se.Inferred() == 0:
		if task.ProgramOf(se.Task) != nil {
			return "none found"
		}
		return "none declared"
	case se.Problem.Model != nil && se.Problem.Model.LooksBack(se.Problem.Props):
		return "not used, as a formula looks back"
	case se.TextOnly:
		return "not used, and none is shown by the text"
	case se.Problem.EncErr != nil:
		return fmt.Sprintf("not used, as it cannot be verified: %v", se.Problem.EncErr)
	case se.Symmetry == "detected" && se.Problem.Model != nil && se.Problem.Enc == nil:
		return "that of the encoding is of no use to explicit search"
	}
	return "not verified before the run ended"
}

// groupText describes a group: "Sym(NODE, 8) x Sym(DATA, 2), order 80640".
// Factors that have no type to be called by are counted: "Sym(8) x Sym(2)^5".
func groupText(y *ts.Symmetry) string {
	if y.Trivial() {
		return "none"
	}
	var parts []string
	times := make(map[string]int)
	add := func(part string) {
		if times[part]++; times[part] == 1 {
			parts = append(parts, part)
		}
	}
	for _, b := range y.Blocks {
		if b.Class < 0 {
			add(fmt.Sprintf("Sym(%d)", len(b.Elems)))
		} else {
			add(fmt.Sprintf("Sym(%s, %d)", b.Name, len(b.Elems)))
		}
	}
	for _, g := range y.Groups {
		if g.Class < 0 {
			add(fmt.Sprintf("%s(order %v)", g.Kind, g.Order))
		} else {
			add(fmt.Sprintf("%s(%s, order %v)", g.Kind, g.Name, g.Order))
		}
	}
	for i, part := range parts {
		if n := times[part]; n > 1 {
			parts[i] = fmt.Sprintf("%s^%d", part, n)
		}
	}
	return fmt.Sprintf("%s, order %v", strings.Join(parts, " x "), y.Order())
}

// orbitSize returns how many states an orbit has at most: the order of the
// group that permutes the values of each block and rotates rings. The slots of a multiset have one
// order in all states.
func (se *session) orbitSize() *big.Int {
	if se.Typed != nil {
		return se.Typed.Order
	}
	return portfolio.OrbitSize(se.Problem)
}

// walked reports whether a random walk of explicit search found a violation, which then may have a shorter counterexample.
// A cover that is never hit has none.
func (se *session) walked(pr *mc.PropResult) bool {
	return pr != nil && pr.Engine == "explicit" && pr.Trace != nil && pr.Depth > pr.Bound+1 && se.c.Command.Name == "check"
}

// hint says which command to try next, as long as properties are undecided.
func (se *session) hint(r *mc.Result) string {
	switch {
	case r.Unchecked != "" && r.Open() == 0 && !r.Violated():
		_, name, _ := strings.Cut(r.Unchecked, " ")
		return fmt.Sprintf("`%s` decides it; --no-ltl leaves it out", se.again("check", "--ltl", name))
	case r.Open() == 0 || se.c.Bool("all") && r.Violated() || strings.Contains(r.Stopped, portfolio.InternalError):
		return ""
	case r.Violated():
		way := fmt.Sprintf("`%s` goes on with the properties still undecided", se.again("check", "--all"))
		if se.walked(se.Problem.First(r)) {
			way += fmt.Sprintf("\n      `%s` looks for a shorter counterexample: this one was found by a random walk", se.again("explore"))
		}
		return way
	case se.goesOn() != "":
		return fmt.Sprintf("`%s` goes on", se.goesOn())
	case se.Symmetry == "off" && (se.Declared() > 0 || se.Problem.Netlist != nil):
		return "leave out --sym off, to use the symmetry of the file"
	case r.Engine == "explicit" && se.c.String("canon") == "none" && len(se.Problem.Blocks) > 0:
		return fmt.Sprintf("`%s` identifies symmetric states", se.again("explore"))
	}
	if strings.Contains(r.Stopped, certify.CheckUnfinished) {
		if dir := se.c.String("checkpoint"); dir != "" {
			return fmt.Sprintf("`%s` goes on with the check", se.again("explore", "--checkpoint", dir))
		}
		return fmt.Sprintf("`%s` with more time; with --checkpoint DIR a later run goes on with the check", se.again(se.c.Command.Name))
	}
	if strings.Contains(r.Stopped, task.NoRoom) {
		return "a program that runs fewer processes, or runs them earlier, has room for all of them"
	}
	var ways []string
	if r.Stopped == stateless.Complete || r.Stopped == explicit.Reduced {
		return fmt.Sprintf("`%s` proves it, with all steps and stored states", se.again("explore"))
	}
	switch k := se.known(r); {
	case se.Problem.EncErr != nil:
	case r.Engine == "bmc" && se.c.IsSet("k") && !strings.Contains(r.Stopped, "limit"):
		ways = append(ways, fmt.Sprintf("`%s` looks deeper for a bug", se.again("bmc", "-k", fmt.Sprint(2*max(k, 5)))))
	case r.Engine == "explicit" && se.Language(se.File) != "Promela" && len(se.Trees) == 0:
		ways = append(ways, fmt.Sprintf("`%s` looks deeper for a bug", se.again("bmc")))
	case r.Engine == "ind" && !se.c.Bool("show-cti") && strings.Contains(r.Stopped, "bound on k"):
		ways = append(ways, fmt.Sprintf("`%s` shows what keeps it from being inductive", se.again("induct", "--show-cti")))
	}
	ways = append(ways, se.ways(r)...)
	if len(ways) == 0 {
		ways = append(ways, fmt.Sprintf("`%s` with more time", se.again(se.c.Command.Name)))
	}
	return strings.Join(ways, "\n      ")
}

// ways lists command lines that may decide what is open, of a model.
func (se *session) ways(r *mc.Result) []string {
	if se.Problem.Model == nil {
		return nil
	}
	var ways []string
	if r.Engine == "bmc" || se.c.IsSet("k") {
		ways = append(ways, fmt.Sprintf("`%s` proves it if the states are few enough", se.again("explore")))
	}
	if c, v := se.Smaller(); c != "" {
		ways = append(ways, fmt.Sprintf("`%s` tries the same with fewer components", se.again("explore", "-D", fmt.Sprintf("%s=%d", c, v))))
	}
	if strings.Contains(r.Stopped, "limit") {
		ways = append(ways, fmt.Sprintf("`%s` with more time or memory", se.again(se.c.Command.Name)))
	}
	if task.ProgramOf(se.Task) == nil && se.Declared()+se.Inferred() == 0 && !se.reported() && se.Broken == nil {
		ways = append(ways, "interchangeable components, declared as a scalarset, would be exploited")
	}
	return ways
}

// again returns a command line for another run on the same model.
func (se *session) again(command string, options ...string) string {
	words := []string{"orbitmc", command, se.File}
	for _, d := range se.c.StringSlice("D") {
		if len(options) > 0 && options[0] == "-D" && strings.HasPrefix(options[1], strings.SplitAfter(d, "=")[0]) {
			continue // set anew
		}
		words = append(words, "-D", d)
	}
	for _, name := range []string{"dialect", "deadlock", "loop-max", "abstract"} {
		if se.c.IsSet(name) {
			words = append(words, "--"+name, fmt.Sprint(se.c.Value(name)))
		}
	}
	for _, name := range []string{"prop", "lemma", "ltl", "ctl", "fair"} {
		for _, p := range se.c.StringSlice(name) {
			words = append(words, "--"+name, p)
		}
	}
	return task.ShellCommand(append(words, options...)...)
}

// orbits lists the names of properties that are images of each other, by orbits of
// more than one; the first is the one that is decided.
func (se *session) orbits(quote bool) [][]string {
	name := se.Problem.Name
	if quote {
		name = func(p int) string { return fmt.Sprintf("%q", se.Problem.Name(p)) }
	}
	var all [][]string
	at := make(map[int]int) // by first property
	for _, p := range slices.Sorted(maps.Keys(se.Report.Images)) {
		of := se.Report.Images[p].Of
		k := lists.Number(at, of)
		if k == len(all) {
			all = append(all, []string{name(of)})
		}
		all[k] = append(all[k], name(p))
	}
	return all
}
