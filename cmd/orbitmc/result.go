package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/coverage"
	"orbitmc/internal/explicit"
	"orbitmc/internal/lists"
	"orbitmc/internal/stateless"
	"orbitmc/internal/task"
	"orbitmc/internal/trace"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/model/reference"
)

// show prints the merged result r of the engines and returns the exit code as
// an error.
func (se *session) show(r *mc.Result, engines []*mc.Result) error {
	stopped := r.Stopped
	if se.Polish(r); r.Stopped == stopped {
		r.Stopped = se.stopped(r, engines)
	}
	if err := se.cover(engines); err != nil {
		return err
	}
	warnings := se.Warnings(r)
	if se.c.Bool("json") {
		if err := se.showJSON(r, engines, warnings); err != nil {
			return err
		}
	} else {
		if err := se.showText(se.c.App.Writer, r, engines); err != nil {
			return err
		}
		for _, x := range warnings {
			fmt.Fprintf(se.c.App.ErrWriter, "%s%s: warning: %s\n", se.File, x.Place(), x.Text)
		}
		if se.c.String("progress") != "never" {
			se.showCost(se.c.App.ErrWriter, r.Stats.Certify)
		}
	}
	if err := se.saveFirst(r); err != nil {
		return err
	}
	if err := se.saveCoverage(); err != nil {
		return err
	}
	if r.Verdict() == mc.Unknown && se.bounded(r) {
		return nil
	}
	return exitOf(se.c, r.Verdict())
}

// bounded reports whether bmc ended at the bound the user gave, which is all
// that was asked for.
func (se *session) bounded(r *mc.Result) bool {
	return r.Engine == "bmc" && r.Stopped == mc.DepthBound
}

// stopped says in words why properties are undecided.
func (se *session) stopped(r *mc.Result, engines []*mc.Result) string {
	var reasons, each []string
	for _, e := range engines {
		if e.Stopped != "" {
			reasons = append(reasons, e.Stopped)
			each = append(each, e.Engine+": "+e.Stopped)
		}
	}
	switch {
	case r.Open() == 0 || len(reasons) == 0:
		return ""
	case r.Violated() && !se.c.Bool("all"):
		return mc.Violation
	case len(slices.Compact(reasons)) == 1:
		return reasons[0]
	}
	return strings.Join(each, "; ")
}

// firstWitness returns the first cover that is hit, or nil.
func firstWitness(r *mc.Result) *mc.PropResult {
	for i := range r.Props {
		if pr := &r.Props[i]; pr.Status == mc.Safe && pr.HasTrace() {
			return pr
		}
	}
	return nil
}

// saveFirst writes the files of --trace and --html.
func (se *session) saveFirst(r *mc.Result) error {
	pr := se.Problem.First(r)
	if pr == nil {
		pr = firstWitness(r)
	}
	if pr == nil {
		return nil
	}
	save := se.Save
	if se.c.Command.Name == "litmus" { // what it writes needs no options
		save = se.SaveTrace
	}
	err := writeOption(se.c, "trace", func(b *bufio.Writer) error { return save(b, pr, se.c.String("trace-style")) })
	if err != nil {
		return err
	}
	return savePage(se.c, func() (*trace.View, error) { return se.View(pr) })
}

// savePage writes the file of --html, if it is given.
func savePage(c *cli.Context, view func() (*trace.View, error)) error {
	return writeOption(c, "html", func(b *bufio.Writer) error {
		v, err := view()
		if err != nil {
			return err
		}
		return v.WriteHTML(b)
	})
}

func (se *session) showText(w io.Writer, r *mc.Result, engines []*mc.Result) error {
	if err := show(w, "verdicts", se.told(r, engines)); err != nil {
		return err
	}
	if pr := se.Problem.First(r); pr != nil {
		how := ""
		if se.walked(pr) {
			how = ", by random walk, not shortest"
		}
		fmt.Fprintf(w, "\ncounterexample to %q, %s%s:\n\n", se.Problem.Name(pr.Prop), task.Plural(pr.Depth, "step"), how)
		if pr.Trace != nil {
			err := show(w, "cause", struct {
				T      *session
				Cause  *reference.Cause
				Result *mc.PropResult
			}{se, reference.Why(se.Problem.Shown(), pr.Trace), pr})
			if err != nil {
				return err
			}
		}
		if err := se.WriteTrace(w, pr, se.shownStyle()); err != nil {
			return err
		}
	} else if pr := firstWitness(r); pr != nil && se.c.IsSet("prop") {
		fmt.Fprintf(w, "\nwitness of %q, %s:\n\n", se.Problem.Name(pr.Prop), task.Plural(pr.Depth, "step"))
		if err := se.WriteTrace(w, pr, se.shownStyle()); err != nil {
			return err
		}
	}
	return show(w, "outcome", se.told(r, engines))
}

// told is what texts about a result are made of.
type told struct {
	T       *session
	R       *mc.Result
	Engines []*mc.Result
	Seed    uint64
}

func (se *session) told(r *mc.Result, engines []*mc.Result) told {
	return told{se, r, engines, se.c.Uint64("seed")}
}

// outcome is the verdict, and why there is none.
func (se *session) outcome(r *mc.Result) string {
	text := r.Verdict().String()
	if r.Verdict() != mc.Unknown {
		return text
	}
	if k := se.known(r); k >= 0 {
		text += fmt.Sprintf(", no violation within %s (not a proof)", task.Plural(k, "step"))
	}
	switch {
	case r.Unchecked != "" && r.Open() == 0:
		text += fmt.Sprintf(", as %s is not checked", r.Unchecked)
	case r.Stopped == stateless.Complete:
		text += fmt.Sprintf(", %s; no states were stored that could be checked, so it is not certified", r.Stopped)
	case r.Stopped == explicit.Reduced:
		text += fmt.Sprintf(", %s; its states are not closed under steps, so it is not certified", r.Stopped)
	case r.Stopped != "" && !se.bounded(r):
		text += "; stopped by " + stopNoun(r.Stopped)
	}
	return text
}

// since says which step wrote a leaf that decides a property; 0 is the start, a negative one is not known.
func (se *session) since(pr *mc.PropResult, step int) string {
	switch {
	case step < 0:
		return ""
	case step == 0:
		return ", since the start state"
	}
	m, ch := se.Problem.Shown(), pr.Trace.Steps[step-1].Choice
	return fmt.Sprintf(", since step %d: %s, line %d", step, m.FormatChoice(ch), m.Rules[ch.Rule].Pos.Line)
}

// reached says how far each of several engines came, if properties are undecided.
func (se *session) reached(r *mc.Result, engines []*mc.Result) (all []string) {
	if r.Open() == 0 || len(engines) < 2 || r.Violated() && !se.c.Bool("all") {
		return nil
	}
	phase := se.bar.last()
	for _, e := range engines {
		text := "no depth finished"
		switch k := se.known(e); {
		case k >= 0:
			text = "no violation within " + task.Plural(k, "step")
		case !begun(e) && phase != "":
			text = "not begun; it was waiting for: " + phase
		case !begun(e):
			text = "not begun"
		}
		all = append(all, e.Engine+": "+text)
	}
	return all
}

// begun reports whether an engine did anything.
func begun(r *mc.Result) bool { return r.Stats != (mc.Stats{}) || r.Open() < len(r.Props) }

// stopNoun turns a reason to stop into what follows "stopped by".
func stopNoun(reason string) string { return strings.ReplaceAll(reason, mc.Interrupted, "interrupt") }

// known returns the depth up to which no undecided property is violated, -1 if
// nothing is known of one. Covers and liveness are violated at no depth.
func (se *session) known(r *mc.Result) int {
	k := -1
	for _, pr := range r.Props {
		if kind := se.Problem.Kind(pr.Prop); kind == model.Cover || kind.Graph() {
			continue
		}
		if pr.Status == mc.Unknown && (k < 0 || pr.Bound < k) {
			if k = pr.Bound; k < 0 {
				break
			}
		}
	}
	return k
}

func verdictText(pr mc.PropResult, kind model.PropertyKind) string {
	cover := kind == model.Cover
	switch {
	case cover && pr.Status == mc.Safe:
		return fmt.Sprintf("covered after %s (%s)", task.Plural(pr.Depth, "step"), pr.Engine)
	case cover && pr.Status == mc.Unsafe:
		return fmt.Sprintf("NEVER COVERED (%s)", pr.Engine)
	case cover && pr.Bound >= 0:
		return fmt.Sprintf("undecided, not covered within %s (%s)", task.Plural(pr.Bound, "step"), pr.Engine)
	case pr.Status == mc.Unsafe:
		return fmt.Sprintf("VIOLATED after %s (%s)", task.Plural(pr.Depth, "step"), pr.Engine)
	case pr.Status == mc.Safe:
		return fmt.Sprintf("holds (%s)", pr.Engine)
	case pr.Bound >= 0:
		return fmt.Sprintf("undecided, no violation within %s (%s)", task.Plural(pr.Bound, "step"), pr.Engine)
	}
	return "undecided"
}

type jsonProperty struct {
	Name     string  `json:"name"`
	Kind     string  `json:"kind"`
	Verdict  string  `json:"verdict" enum:"safe unsafe unknown"`
	Engine   string  `json:"engine,omitempty"`
	Depth    *int    `json:"depth,omitempty"`
	Bound    *int    `json:"bound,omitempty"`
	TimeS    float64 `json:"time_s"`
	Evidence string  `json:"evidence,omitempty"`

	Cause *jsonCause  `json:"cause,omitempty"` // of a violated invariant
	Trace *trace.JSON `json:"trace,omitempty"` // that shows the verdict
	// LeftOut says why there is no trace although one shows the verdict: it is in no file but that of --trace.
	LeftOut string `json:"trace_left_out,omitempty"`
}

type jsonCause struct {
	Instance map[string]string `json:"instance,omitempty"` // values of quantified variables
	Leaves   []jsonLeaf        `json:"leaves,omitempty"`   // that decide it
}

type jsonLeaf struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Step  *int   `json:"step,omitempty"` // that wrote it; 0 is the start state
}

func causeJSON(c *reference.Cause) *jsonCause {
	if c == nil {
		return nil
	}
	out := &jsonCause{Instance: make(map[string]string)}
	for _, b := range c.Instance {
		out.Instance[b.Var.Name] = b.Var.Type.Format(b.Value)
	}
	for _, r := range c.Reads {
		j := jsonLeaf{Name: r.Name, Value: r.Value}
		if r.Step >= 0 {
			j.Step = &r.Step
		}
		out.Leaves = append(out.Leaves, j)
	}
	return out
}

type jsonSymmetry struct {
	Order      string `json:"order"`
	Generators int    `json:"generators"`
	Declared   int    `json:"declared"`
	Inferred   int    `json:"inferred"`
	Detected   int    `json:"detected"`
	Verified   int    `json:"verified"`
	Refuted    int    `json:"refuted"`
	Unproved   int    `json:"unproved,omitempty"` // neither verified nor refuted

	MovesStarts bool `json:"moves_starts,omitempty"` // it does not keep the start states, with which explicit search begins as they are

	Broken   *jsonBroken `json:"broken,omitempty"`    // what adaptive search uses
	NotShown []string    `json:"not_shown,omitempty"` // what first keeps the text from showing the symmetry of a class
}

// jsonBroken is symmetry that some rules break.
type jsonBroken struct {
	Order string     `json:"order"` // of the group that a rule keeps which breaks nothing
	Kept  string     `json:"kept"`  // order of the group that all rules keep
	Rules []jsonRule `json:"rules"` // those that break it
}

// jsonRule is a rule, or some of its instances, that breaks symmetry.
type jsonRule struct {
	Rule      string   `json:"rule"`
	Pos       string   `json:"pos"`
	Instances string   `json:"instances,omitempty"`
	Keeps     []string `json:"keeps"` // by class, cells of values and rings
	Because   []string `json:"because,omitempty"`
}

func brokenJSON(b *task.Broken) *jsonBroken {
	if b == nil {
		return nil
	}
	out := &jsonBroken{Order: b.Order.String(), Kept: b.Kept.String()}
	for _, r := range b.Rules {
		because := lists.Map(r.Why, func(y model.Split) string { return fmt.Sprintf("%v: %s", y.Pos, y.Text) })
		out.Rules = append(out.Rules, jsonRule{r.Rule.Name, r.Rule.Pos.String(), r.Which, r.Kept, because})
	}
	return out
}

type jsonStats struct {
	mc.Stats
	CPU      float64 `json:"cpu_s"`
	Parse    float64 `json:"parse_s"`
	Encode   float64 `json:"encode_s"`
	Symmetry float64 `json:"symmetry_s"`   // time to find and verify it
	WellForm float64 `json:"wellformed_s"` // time to prove W
	MaxRSS   int64   `json:"max_rss_bytes"`
	Seed     uint64  `json:"seed"`

	Annotated bool `json:"annotated,omitempty"` // the states are annotated with what is left of the symmetry: adaptive search
}

// jsonEngine is how far one of several engines came.
type jsonEngine struct {
	Name    string `json:"name"`
	Begun   bool   `json:"begun"`
	Bound   *int   `json:"bound,omitempty"` // steps within which no undecided property is violated
	Stopped string `json:"stopped,omitempty"`
}

type jsonResult struct {
	Model      string           `json:"model"`
	Verdict    string           `json:"verdict" enum:"safe unsafe unknown"`
	Stopped    string           `json:"stopped,omitempty"`
	First      string           `json:"first_violation,omitempty"` // the property whose counterexample text shows and --trace keeps
	Properties []jsonProperty   `json:"properties"`
	Engines    []jsonEngine     `json:"engines,omitempty"` // if several ran and properties are undecided
	Symmetry   jsonSymmetry     `json:"symmetry"`
	Warnings   []task.Warning   `json:"warnings,omitempty"`
	Coverage   *coverage.Report `json:"coverage,omitempty"`
	Stats      jsonStats        `json:"stats"`
}

func (se *session) symmetryJSON() jsonSymmetry {
	y := jsonSymmetry{Order: "1", Declared: se.Declared(), Inferred: se.Inferred(), Broken: brokenJSON(se.Broken), NotShown: se.NotShown(), MovesStarts: se.MovesStarts()}
	if all := se.Structures[-1]; all != nil {
		y.Detected = len(all.Generators)
	}
	if se.Typed != nil {
		y.Order, y.Generators, y.Verified = se.Typed.Order.String(), se.Typed.Swaps, se.Typed.Swaps
	}
	if se.Report != nil {
		y.Order = se.Report.System.Order().String()
		y.Generators = len(se.Report.System.Generators())
		y.Verified = se.Report.VerifiedStructurally + se.Report.VerifiedBySAT
		y.Refuted, y.Unproved = se.Report.Refuted, se.Report.Unproved
	}
	return y
}

func (se *session) showJSON(r *mc.Result, engines []*mc.Result, warnings []task.Warning) error {
	out := jsonResult{Model: se.File, Verdict: r.Verdict().String(), Stopped: r.Stopped, Symmetry: se.symmetryJSON(), Warnings: warnings,
		Stats: jsonStats{Stats: r.Stats, CPU: task.CPUSeconds(), MaxRSS: task.MaxRSS(), Seed: se.c.Uint64("seed"),
			Parse: se.ParseTime.Seconds(), Encode: se.EncodeTime.Seconds(), WellForm: se.WellFormedTime.Seconds()}}
	if r.Unchecked != "" && r.Open() == 0 && !r.Violated() {
		out.Stopped = r.Unchecked + " is not checked"
	}
	if se.Typed != nil {
		out.Stats.Symmetry = se.Typed.Time.Seconds()
	}
	if se.Report != nil {
		out.Stats.Symmetry = se.Report.Time.Seconds()
	}
	if se.Broken != nil {
		out.Stats.Annotated = r.Stats.States > 0
		out.Stats.Symmetry += se.Broken.Time.Seconds()
	}
	out.Coverage = se.covered
	if first := se.Problem.First(r); first != nil {
		out.First = se.Problem.Name(first.Prop)
	}
	var err error
	if out.Properties, err = se.propertiesJSON(r); err != nil {
		return err
	}
	if r.Open() > 0 && len(engines) > 1 {
		for _, e := range engines {
			j := jsonEngine{Name: e.Engine, Begun: begun(e), Stopped: e.Stopped}
			if k := se.known(e); k >= 0 {
				j.Bound = &k
			}
			out.Engines = append(out.Engines, j)
		}
	}
	return printJSON(se.c.App.Writer, out)
}

// largeTrace is how many steps times parts of a state a trace in JSON may have.
const largeTrace = 5_000_000

func (se *session) propertiesJSON(r *mc.Result) ([]jsonProperty, error) {
	out := []jsonProperty{}
	for _, pr := range r.Props {
		j := jsonProperty{Name: se.Problem.Name(pr.Prop), Kind: se.Problem.Kind(pr.Prop).String(), Verdict: pr.Status.String(),
			Engine: pr.Engine, TimeS: pr.Time.Seconds(), Evidence: pr.Evidence}
		switch {
		case pr.HasTrace():
			j.Depth = &pr.Depth
			if pr.Trace != nil {
				j.Cause = causeJSON(reference.Why(se.Problem.Shown(), pr.Trace))
			}
			if pr.Depth*se.parts() > largeTrace {
				j.LeftOut = fmt.Sprintf("it has %d steps of states with %d parts; --trace FILE writes it", pr.Depth, se.parts())
				break
			}
			v, err := se.View(&pr)
			if err != nil {
				return nil, err
			}
			j.Trace = v.JSON()
		case pr.Status == mc.Unknown && pr.Bound >= 0:
			j.Bound = &pr.Bound
		}
		out = append(out, j)
	}
	return out, nil
}

// parts counts what a state consists of.
func (se *session) parts() int {
	if se.Problem.Model != nil {
		return se.Problem.Model.Leaves()
	}
	if se.Problem.Netlist == nil {
		return se.Problem.Formulas.Model.Leaves()
	}
	return len(se.Problem.Netlist.Latches)
}

// shownStyle returns the style of traces as they are printed: what is for other tools goes into the file of --trace, if there
// is one, and for people there is text.
func (se *session) shownStyle() string {
	style := se.c.String("trace-style")
	if se.c.IsSet("trace") && slices.Contains([]string{"spin", "aiger", "btor2", "vcd"}, style) {
		return "plain"
	}
	return style
}
