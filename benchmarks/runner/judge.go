package runner

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"text/tabwriter"

	"orbitmc/benchmarks"
	"orbitmc/internal/lists"
)

// isVerdict reports whether a verdict may be expected of a model or a graph.
func isVerdict(v string) bool { return v == "safe" || v == "unsafe" || orderText.MatchString(v) }

var orderText = regexp.MustCompile(`^order [1-9][0-9]*$`)

// contradicts reports whether a run is against what is expected.
func contradicts(r *benchmarks.Run) bool {
	return r.Solved() && r.Expected != "" && !benchmarks.Agree(r.Verdict, r.Expected)
}

// judge flags wrong answers: those against what is expected and, where nothing
// is, those against the majority of configurations on the same model and
// parameters. Without a majority all are flagged, as at least half are wrong.
func judge(runs []benchmarks.Run) {
	type vote struct{ config, verdict string }
	votes := make(map[string]map[vote]bool) // by case
	name := func(r *benchmarks.Run) string { return r.Model + "|" + r.Params }
	for i := range runs {
		r := &runs[i]
		r.Wrong = contradicts(r)
		if r.Solved() && r.Expected == "" {
			if votes[name(r)] == nil {
				votes[name(r)] = make(map[vote]bool)
			}
			votes[name(r)][vote{r.Config, r.Verdict}] = true
		}
	}
	for i := range runs {
		r := &runs[i]
		if !r.Solved() || r.Expected != "" {
			continue
		}
		mine, theirs := 0, 0
		for v := range votes[name(r)] {
			if !benchmarks.Agree(v.verdict, r.Verdict) {
				theirs++
				continue
			}
			both := false // v is rounded, and agrees with the others too
			for u := range votes[name(r)] {
				both = both || benchmarks.Agree(u.verdict, v.verdict) && !benchmarks.Agree(u.verdict, r.Verdict)
			}
			if !both {
				mine++
			}
		}
		if theirs > 0 && theirs >= mine {
			r.Wrong = true
			note := fmt.Sprintf("%d configurations say otherwise, %d the same", theirs, mine)
			if r.Note != "" {
				note = r.Note + "; " + note
			}
			r.Note = note
		}
	}
}

// Wrong returns the runs of a record with wrong answers.
func Wrong(rec *benchmarks.Record) []benchmarks.Run {
	return slices.DeleteFunc(slices.Clone(rec.Runs), func(r benchmarks.Run) bool { return !r.Wrong })
}

// WriteSummary prints a table with a line for each configuration, and below it
// the wrong answers.
func WriteSummary(w io.Writer, rec *benchmarks.Record) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "configuration\truns\tsolved\tsafe\tunsafe\tunknown\ttimeout\twalltime\tmemout\tfailed\tskipped\twrong\tCPU s\tbuild s\t\n")
	var configs []string
	for _, r := range rec.Runs {
		configs = lists.With(configs, r.Config)
	}
	for _, c := range configs {
		n := make(map[string]int)
		runs, cpu, build := 0, 0.0, 0.0
		for _, r := range rec.Runs {
			if r.Config != c {
				continue
			}
			runs++
			cpu, build = cpu+r.CPU, build+r.Build
			if r.Status == benchmarks.OK {
				n[r.Verdict]++
			} else {
				n[string(r.Status)]++
			}
			if r.Solved() {
				n["solved"]++
			}
			if r.Wrong {
				n["wrong"]++
			}
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.2f\t%.2f\t\n", c, runs, n["solved"], n["safe"], n["unsafe"], n["unknown"],
			n["timeout"], n["walltime"], n["memout"], n["failed"], n["skipped"], n["wrong"], cpu, build)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, r := range Wrong(rec) {
		expected := cmp.Or(r.Expected, "what the majority says")
		if _, err := fmt.Fprintf(w, "WRONG ANSWER: %s is %s, expected %s; see %s %s\n", r.Key, r.Verdict, expected, r.Log, r.Note); err != nil {
			return err
		}
	}
	return nil
}
