package runner

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"orbitmc/benchmarks"
)

// contradicts reports whether a run is against what is expected.
func contradicts(r *benchmarks.Run) bool {
	return r.Solved() && r.Expected != "" && r.Verdict != r.Expected
}

// judge flags wrong answers: those against what is expected and, where nothing
// is, those against the majority of configurations on the same model and
// parameters. Without a majority all are flagged, as at least half are wrong.
func judge(runs []benchmarks.Run) {
	votes := make(map[string]map[string]bool) // by case: configuration and verdict
	name := func(r *benchmarks.Run) string { return r.Model + "|" + r.Params }
	for i := range runs {
		r := &runs[i]
		r.Wrong = contradicts(r)
		if r.Solved() && r.Expected == "" {
			if votes[name(r)] == nil {
				votes[name(r)] = make(map[string]bool)
			}
			votes[name(r)][r.Config+"|"+r.Verdict] = true
		}
	}
	for i := range runs {
		r := &runs[i]
		if !r.Solved() || r.Expected != "" {
			continue
		}
		mine, theirs := 0, 0
		for v := range votes[name(r)] {
			if strings.HasSuffix(v, "|"+r.Verdict) {
				mine++
			} else {
				theirs++
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
	fmt.Fprintf(tw, "configuration\truns\tsolved\tsafe\tunsafe\tunknown\ttimeout\tmemout\tfailed\tskipped\twrong\tCPU s\tbuild s\t\n")
	var configs []string
	for _, r := range rec.Runs {
		if !slices.Contains(configs, r.Config) {
			configs = append(configs, r.Config)
		}
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
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.2f\t%.2f\t\n", c, runs, n["solved"], n["safe"], n["unsafe"], n["unknown"],
			n["timeout"], n["memout"], n["failed"], n["skipped"], n["wrong"], cpu, build)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, r := range Wrong(rec) {
		expected := r.Expected
		if expected == "" {
			expected = "what the majority says"
		}
		if _, err := fmt.Fprintf(w, "WRONG ANSWER: %s is %s, expected %s; see %s %s\n", r.Key, r.Verdict, expected, r.Log, r.Note); err != nil {
			return err
		}
	}
	return nil
}
