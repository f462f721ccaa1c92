package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"orbitmc/mc"
	"orbitmc/model"
)

// show prints the merged result r of the engines and returns the exit code as
// an error.
func (t *task) show(r *mc.Result, engines []*mc.Result) error {
	t.polish(r)
	r.Stopped = t.stopped(r, engines)
	warnings := t.warnings(r)
	if t.c.Bool("json") {
		if err := t.showJSON(r, warnings); err != nil {
			return err
		}
	} else {
		if err := t.showText(t.c.App.Writer, r); err != nil {
			return err
		}
		for _, x := range warnings {
			fmt.Fprintf(t.c.App.ErrWriter, "%s%s: warning: %s\n", t.file, x.place(), x.Text)
		}
		if t.c.String("progress") != "never" {
			t.showCost(t.c.App.ErrWriter)
		}
	}
	if file := t.c.String("trace"); file != "" {
		if err := t.saveFirst(file, r); err != nil {
			return err
		}
	}
	hwmcc := t.c.String("exit-style") == "hwmcc"
	switch {
	case r.Violated():
		return exitCode(exitViolated)
	case hwmcc && r.Verdict() == mc.Safe:
		return exitCode(exitHWMCCSafe)
	case !hwmcc && r.Open() > 0 && !t.bounded(r):
		return exitCode(exitUndecided)
	}
	return nil
}

// bounded reports whether bmc ended at the bound the user gave, which is all
// that was asked for, except of justice.
func (t *task) bounded(r *mc.Result) bool {
	return t.c.Command.Name == "bmc" && r.Stopped == "depth bound" && !slices.ContainsFunc(r.Props, t.justice)
}

// justice reports whether a property is one that no engine decides.
func (t *task) justice(pr mc.PropResult) bool {
	return t.problem.Netlist != nil && t.problem.Kind(pr.Prop) == model.Liveness
}

// stopped says in words why properties are undecided.
func (t *task) stopped(r *mc.Result, engines []*mc.Result) string {
	var reasons, each []string
	for _, e := range engines {
		if e.Stopped != "" {
			reasons = append(reasons, e.Stopped)
			each = append(each, e.Engine+": "+e.Stopped)
		}
	}
	decidable := func(pr mc.PropResult) bool { return pr.Status == mc.Unknown && !t.justice(pr) }
	switch {
	case r.Open() == 0 || len(reasons) == 0:
		return ""
	case !slices.ContainsFunc(r.Props, decidable):
		return onlyJustice
	case r.Violated() && !t.c.Bool("all"):
		return "a property is violated"
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

func (t *task) saveFirst(file string, r *mc.Result) error {
	pr := t.problem.First(r)
	if pr == nil {
		pr = firstWitness(r)
	}
	if pr == nil {
		return nil
	}
	return writeFile(file, func(b *bufio.Writer) error { return t.saveTrace(b, pr) })
}

func (t *task) showText(w io.Writer, r *mc.Result) error {
	fmt.Fprintf(w, "%s\n\n", t.title())
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, pr := range r.Props {
		kind := t.problem.Kind(pr.Prop)
		fmt.Fprintf(tw, "  %s\t%v\t%s\n", t.problem.Name(pr.Prop), kind, verdictText(pr, kind))
	}
	tw.Flush()
	if pr := t.problem.First(r); pr != nil {
		fmt.Fprintf(w, "\ncounterexample to %q, %s:\n\n", t.problem.Name(pr.Prop), plural(pr.Depth, "step"))
		if err := t.writeTrace(w, pr); err != nil {
			return err
		}
	} else if pr := firstWitness(r); pr != nil && t.c.IsSet("prop") {
		fmt.Fprintf(w, "\nwitness of %q, %s:\n\n", t.problem.Name(pr.Prop), plural(pr.Depth, "step"))
		if err := t.writeTrace(w, pr); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	t.receipt(w, r)
	fmt.Fprintf(w, "verdict: %v", r.Verdict())
	if r.Verdict() == mc.Unknown {
		if k := t.known(r); k >= 0 {
			fmt.Fprintf(w, ", no violation within %s (not a proof)", plural(k, "step"))
		}
		switch {
		case r.Stopped == onlyJustice:
			fmt.Fprintf(w, "; open is only %s", onlyJustice)
		case r.Stopped != "" && !t.bounded(r):
			fmt.Fprintf(w, "; stopped by %s", stopNoun(r.Stopped))
		}
	}
	fmt.Fprintln(w)
	if hint := t.hint(r); hint != "" {
		fmt.Fprintf(w, "next: %s\n", hint)
	}
	return nil
}

// onlyJustice is why properties are undecided when all others are decided.
const onlyJustice = "justice, which no engine decides"

// stopNoun turns a reason to stop into what follows "stopped by".
func stopNoun(reason string) string { return strings.ReplaceAll(reason, "interrupted", "interrupt") }

// known returns the depth up to which no undecided property is violated, -1 if
// nothing is known of one. Covers and liveness are violated at no depth.
func (t *task) known(r *mc.Result) int {
	k := -1
	for _, pr := range r.Props {
		if kind := t.problem.Kind(pr.Prop); kind == model.Cover || kind == model.Liveness {
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
		return fmt.Sprintf("covered after %s (%s)", plural(pr.Depth, "step"), pr.Engine)
	case cover && pr.Status == mc.Unsafe:
		return fmt.Sprintf("NEVER COVERED (%s)", pr.Engine)
	case cover && pr.Bound >= 0:
		return fmt.Sprintf("undecided, not covered within %s (%s)", plural(pr.Bound, "step"), pr.Engine)
	case pr.Status == mc.Unsafe:
		return fmt.Sprintf("VIOLATED after %s (%s)", plural(pr.Depth, "step"), pr.Engine)
	case pr.Status == mc.Safe:
		return fmt.Sprintf("holds (%s)", pr.Engine)
	case pr.Bound >= 0:
		return fmt.Sprintf("undecided, no violation within %s (%s)", plural(pr.Bound, "step"), pr.Engine)
	}
	return "undecided"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, ok := strings.CutSuffix(what, "y"); ok {
		what = stem + "ie"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

type jsonProperty struct {
	Name     string  `json:"name"`
	Kind     string  `json:"kind"`
	Verdict  string  `json:"verdict"`
	Engine   string  `json:"engine,omitempty"`
	Depth    *int    `json:"depth,omitempty"`
	Bound    *int    `json:"bound,omitempty"`
	TimeS    float64 `json:"time_s"`
	Evidence string  `json:"evidence,omitempty"`
}

type jsonSymmetry struct {
	Order      string `json:"order"`
	Generators int    `json:"generators"`
	Declared   int    `json:"declared"`
	Inferred   int    `json:"inferred"`
	Detected   int    `json:"detected"`
	Verified   int    `json:"verified"`
	Refuted    int    `json:"refuted"`
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
}

func (t *task) symmetryJSON() jsonSymmetry {
	y := jsonSymmetry{Order: "1", Declared: t.declared(), Inferred: t.inferred()}
	if all := t.structures[-1]; all != nil {
		y.Detected = len(all.Generators)
	}
	if t.report != nil {
		y.Order = t.report.System.Order().String()
		y.Generators = len(t.report.System.Generators())
		y.Verified = t.report.VerifiedStructurally + t.report.VerifiedBySAT
		y.Refuted = t.report.Refuted
	}
	return y
}

func (t *task) showJSON(r *mc.Result, warnings []warning) error {
	out := struct {
		Model      string         `json:"model"`
		Verdict    string         `json:"verdict"`
		Stopped    string         `json:"stopped,omitempty"`
		First      string         `json:"first_violation,omitempty"` // the property whose counterexample text shows and --trace keeps
		Properties []jsonProperty `json:"properties"`
		Symmetry   jsonSymmetry   `json:"symmetry"`
		Warnings   []warning      `json:"warnings,omitempty"`
		Stats      jsonStats      `json:"stats"`
	}{Model: t.file, Verdict: r.Verdict().String(), Stopped: r.Stopped, Symmetry: t.symmetryJSON(), Warnings: warnings,
		Stats: jsonStats{Stats: r.Stats, CPU: cpuSeconds(), MaxRSS: maxRSS(), Seed: t.c.Uint64("seed"),
			Parse: t.parseTime.Seconds(), Encode: t.encodeTime.Seconds(), WellForm: t.wellFormedTime.Seconds()}}
	if t.report != nil {
		out.Stats.Symmetry = t.report.Time.Seconds()
	}
	if first := t.problem.First(r); first != nil {
		out.First = t.problem.Name(first.Prop)
	}
	out.Properties = t.propertiesJSON(r)
	return printJSON(t.c.App.Writer, out)
}

func (t *task) propertiesJSON(r *mc.Result) []jsonProperty {
	var out []jsonProperty
	for _, pr := range r.Props {
		j := jsonProperty{Name: t.problem.Name(pr.Prop), Kind: t.problem.Kind(pr.Prop).String(), Verdict: pr.Status.String(),
			Engine: pr.Engine, TimeS: pr.Time.Seconds(), Evidence: pr.Evidence}
		switch {
		case pr.HasTrace():
			j.Depth = &pr.Depth
		case pr.Status == mc.Unknown && pr.Bound >= 0:
			j.Bound = &pr.Bound
		}
		out = append(out, j)
	}
	return out
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
