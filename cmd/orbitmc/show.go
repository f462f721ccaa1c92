package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// traceStyles are the values of --trace-style, in the order of model.TraceStyle.
var traceStyles = []string{"plain", "cmurphi", "rumur"}

// show prints a result and returns the exit code as an error.
func (t *task) show(r *mc.Result) error {
	t.renumber(r)
	if file := t.c.String("trace"); file != "" {
		if err := t.saveTrace(file, r); err != nil {
			return err
		}
	}
	if t.c.Bool("json") {
		if err := t.showJSON(r); err != nil {
			return err
		}
	} else {
		t.showText(t.c.App.Writer, r)
	}
	switch {
	case r.Violated():
		return exitCode(exitViolated)
	case r.Open() > 0 && !t.bounded(r):
		return exitCode(exitUndecided)
	}
	return nil
}

// bounded reports whether the search ended at the bound the user gave, which
// is what was asked for.
func (t *task) bounded(r *mc.Result) bool {
	return t.c.Command.Name == "bmc" && r.Stopped == "bmc: depth bound"
}

// renumber renames the actors of each trace in order of first action, where
// the verified group of its property allows it.
func (t *task) renumber(r *mc.Result) {
	for i := range r.Props {
		pr := &r.Props[i]
		if pr.Trace == nil || len(t.problem.Groups) == 0 {
			continue
		}
		blocks := t.blocks(t.problem.Groups[pr.Prop])
		if u, err := model.RenumberActors(t.problem.Program, pr.Trace, blocks); err == nil {
			pr.Trace = u // it was replayed
		}
	}
}

func (t *task) saveTrace(file string, r *mc.Result) error {
	for _, pr := range r.Props {
		if pr.Trace == nil {
			continue
		}
		f, err := os.Create(file)
		if err != nil {
			return err
		}
		t.writeTrace(f, pr.Trace)
		return f.Close()
	}
	return nil
}

func (t *task) writeTrace(w io.Writer, trace *model.Trace) error {
	style := slices.Index(traceStyles, t.c.String("trace-style"))
	return model.WriteTrace(w, t.model, trace, model.TraceStyle(style))
}

// title names the model with its constants.
func (t *task) title() string {
	var cs []string
	for _, c := range t.model.Consts {
		cs = append(cs, fmt.Sprintf("%s=%s", c.Name, c.Type.Format(c.Value)))
	}
	if len(cs) == 0 {
		return t.file
	}
	return fmt.Sprintf("%s (%s)", t.file, strings.Join(cs, ", "))
}

func (t *task) showText(w io.Writer, r *mc.Result) {
	fmt.Fprintf(w, "%s\n\n", t.title())
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, pr := range r.Props {
		p := t.model.Props[pr.Prop]
		fmt.Fprintf(tw, "  %s\t%v\t%s\n", p.Name, p.Kind, verdictText(pr))
	}
	tw.Flush()
	for _, pr := range r.Props {
		if pr.Trace != nil {
			fmt.Fprintf(w, "\ncounterexample to %q, %s:\n\n", t.model.Props[pr.Prop].Name, plural(pr.Depth, "step"))
			t.writeTrace(w, pr.Trace)
			break
		}
	}
	fmt.Fprintf(w, "\n")
	t.receipt(w, r)
	fmt.Fprintf(w, "verdict: %v", r.Verdict())
	if r.Verdict() == mc.Unknown {
		bound := r.Props[0].Bound
		for _, pr := range r.Props {
			if pr.Status == mc.Unknown {
				bound = min(bound, pr.Bound)
			}
		}
		if bound >= 0 {
			fmt.Fprintf(w, ": no violation within %s (not a proof)", plural(bound, "step"))
		}
		if r.Stopped != "" {
			fmt.Fprintf(w, "; stopped by %s", r.Stopped)
		}
	}
	fmt.Fprintf(w, "\n")
	if hint := t.hint(r); hint != "" {
		fmt.Fprintf(w, "next: %s\n", hint)
	}
	if t.c.String("progress") != "never" {
		fmt.Fprintf(t.c.App.ErrWriter, "%.2f s, %.2f s of CPU, %s peak memory\n", time.Since(t.began).Seconds(), cpuSeconds(), size(maxRSS()))
	}
}

func verdictText(pr mc.PropResult) string {
	switch {
	case pr.Status == mc.Unsafe:
		return fmt.Sprintf("VIOLATED after %s (%s; %s)", plural(pr.Depth, "step"), pr.Engine, pr.Evidence)
	case pr.Status == mc.Safe:
		return fmt.Sprintf("holds (%s; %s)", pr.Engine, pr.Evidence)
	case pr.Bound >= 0:
		return fmt.Sprintf("undecided, no violation within %s (%s)", plural(pr.Bound, "step"), pr.Engine)
	}
	return "undecided"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// hint says which command to try next.
func (t *task) hint(r *mc.Result) string {
	if r.Verdict() != mc.Unknown {
		return ""
	}
	var small []string
	for _, y := range t.model.Scalarsets {
		if y.Card() > 2 {
			small = append(small, y.String())
		}
	}
	switch {
	case len(small) > 0:
		return fmt.Sprintf("fewer components (-D, for %s) let `orbitmc explore` finish; `orbitmc bmc %s -k N` searches deeper for bugs", strings.Join(small, ", "), t.file)
	case len(t.model.Scalarsets) == 0:
		return fmt.Sprintf("`orbitmc explore %s --mem SIZE` with more memory; interchangeable components declared as a scalarset would be exploited", t.file)
	}
	return fmt.Sprintf("`orbitmc explore %s --mem SIZE` with more memory or time", t.file)
}

// receipt says which symmetry was used, how it was verified, and what it cost.
func (t *task) receipt(w io.Writer, r *mc.Result) {
	switch {
	case t.sym == "off":
		fmt.Fprintf(w, "symmetry: off\n")
	case len(t.model.Scalarsets) == 0:
		fmt.Fprintf(w, "symmetry: none declared\n")
	case t.report == nil:
		fmt.Fprintf(w, "symmetry: not used, as it cannot be verified: %v\n", t.problem.EncErr)
	default:
		rep := t.report
		fmt.Fprintf(w, "symmetry: %s, verified: %d checks by structure, %d by SAT, %d refuted\n",
			groupText(rep.System), rep.VerifiedStructurally, rep.VerifiedBySAT, rep.Refuted)
		for _, i := range t.problem.Props {
			if g := rep.ByProp[i]; g.Order().Cmp(rep.System.Order()) != 0 {
				fmt.Fprintf(w, "  %q is checked under %s only\n", t.model.Props[i].Name, groupText(g))
			}
		}
		for _, f := range rep.Refutations {
			fmt.Fprintf(w, "  refuted: %s\n", strings.ReplaceAll(f.Text, "\n", "\n    "))
		}
	}
	s := r.Stats
	if s.States > 0 {
		what := "states"
		if len(t.problem.Blocks) > 0 && t.c.String("canon") != "none" {
			what = "representatives"
		}
		fmt.Fprintf(w, "explicit: %d %s, %d rule instances fired\n", s.States, what, s.Transitions)
	}
	if s.Frames > 0 {
		fmt.Fprintf(w, "bmc: %d latches, %d frames, %d variables, %d clauses\n", s.Latches, s.Frames, s.Variables, s.Clauses)
	}
	fmt.Fprintf(w, "seed: %d\n", t.c.Uint64("seed"))
}

// groupText describes a group: "Sym(NODE, 8) x Sym(DATA, 2), order 80640".
func groupText(y *ts.Symmetry) string {
	if y.Trivial() {
		return "the trivial group"
	}
	var parts []string
	for _, b := range y.Blocks {
		parts = append(parts, fmt.Sprintf("Sym(%s, %d)", b.Name, len(b.Elems)))
	}
	return fmt.Sprintf("%s, order %v", strings.Join(parts, " x "), y.Order())
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
	CPU    float64 `json:"cpu_s"`
	MaxRSS int64   `json:"max_rss_bytes"`
	Seed   uint64  `json:"seed"`
}

func (t *task) symmetryJSON() jsonSymmetry {
	y := jsonSymmetry{Order: "1"}
	if t.report != nil {
		y.Order = t.report.System.Order().String()
		y.Generators = len(t.report.System.Generators())
		y.Declared = t.declared()
		y.Verified = t.report.VerifiedStructurally + t.report.VerifiedBySAT
		y.Refuted = t.report.Refuted
	}
	return y
}

// declared returns how many generators the scalarsets of the model stand for.
func (t *task) declared() int {
	n := 0
	for _, y := range t.model.Scalarsets {
		n += int(y.Card()) - 1
	}
	return n
}

func (t *task) showJSON(r *mc.Result) error {
	out := struct {
		Model      string         `json:"model"`
		Verdict    string         `json:"verdict"`
		Stopped    string         `json:"stopped,omitempty"`
		Properties []jsonProperty `json:"properties"`
		Symmetry   jsonSymmetry   `json:"symmetry"`
		Stats      jsonStats      `json:"stats"`
	}{Model: t.file, Verdict: r.Verdict().String(), Stopped: r.Stopped, Symmetry: t.symmetryJSON(),
		Stats: jsonStats{r.Stats, cpuSeconds(), maxRSS(), t.c.Uint64("seed")}}
	for _, pr := range r.Props {
		p := t.model.Props[pr.Prop]
		j := jsonProperty{Name: p.Name, Kind: p.Kind.String(), Verdict: pr.Status.String(),
			Engine: pr.Engine, TimeS: pr.Time.Seconds(), Evidence: pr.Evidence}
		switch {
		case pr.Status == mc.Unsafe:
			j.Depth = &pr.Depth
		case pr.Status == mc.Unknown && pr.Bound >= 0:
			j.Bound = &pr.Bound
		}
		out.Properties = append(out.Properties, j)
	}
	e := json.NewEncoder(t.c.App.Writer)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// cpuSeconds returns the CPU time of this process, user and system.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// maxRSS returns the peak resident memory in bytes.
func maxRSS() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Maxrss << 10
}
