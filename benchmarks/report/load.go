// Package report reads the records of batches and says what they show: tables
// and plots as one HTML page, as Markdown and as files, and the comparison of
// two batches.
//
// The unit that is scored is an instance, a model with its parameters. Repeats
// of a configuration on an instance are merged into one result: solved if every
// repeat is, with the median of their times and the largest of their memories.
// All output is a function of the record: no clock, no randomness but seeded.
package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orbitmc/benchmarks"
)

// Load reads the batch in a directory: machine.json, and the runs from runs.json
// if it has them all, else from journal.jsonl. Only runs.json flags answers that
// the other tools contradict. A run that occurs twice counts as it was last
// written. The runs come back sorted by family, model, parameters,
// configuration and repeat. The notes are what a reader of the report should
// know: that the batch is not complete, that the last line of the journal was
// cut off and dropped. Results of BenchExec, a file or the files in a directory, are a batch, too.
func Load(dir string) (rec *benchmarks.Record, notes []string, err error) {
	if files := bxFiles(dir); len(files) > 0 {
		return loadBenchExec(files)
	}
	text, err := os.ReadFile(filepath.Join(dir, "machine.json"))
	if err != nil {
		return nil, nil, fmt.Errorf("reading the batch in %s: %w", dir, err)
	}
	rec = new(benchmarks.Record)
	if err := json.Unmarshal(text, rec); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", filepath.Join(dir, "machine.json"), err)
	}
	var final, journal []benchmarks.Run
	if text, err = readIfThere(filepath.Join(dir, "runs.json")); err == nil && text != nil {
		final, err = parseRuns(filepath.Join(dir, "runs.json"), text)
	}
	if err != nil {
		return nil, nil, err
	}
	if text, err = readIfThere(filepath.Join(dir, "journal.jsonl")); err == nil && text != nil {
		journal, notes, err = parseJournal(filepath.Join(dir, "journal.jsonl"), text)
	}
	if err != nil {
		return nil, nil, err
	}
	final, journal = lastOfEach(final), lastOfEach(journal)
	if rec.Runs = final; !covers(final, journal) {
		rec.Runs = journal
		notes = append(notes, "the batch is not complete: the journal has runs that runs.json lacks")
	}
	if n := len(rec.Runs); n < rec.Planned {
		notes = append(notes, fmt.Sprintf("the batch has %d of the %d runs of its suite", n, rec.Planned))
	}
	if len(rec.Runs) == 0 {
		return nil, nil, fmt.Errorf("%s: the batch has no runs", dir)
	}
	slices.SortStableFunc(rec.Runs, compareRuns)
	return rec, notes, nil
}

// readIfThere returns nil for a file that does not exist.
func readIfThere(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// covers reports whether every key of the second list is in the first.
func covers(all, some []benchmarks.Run) bool {
	have := make(map[string]bool)
	for i := range all {
		have[all[i].Key] = true
	}
	return !slices.ContainsFunc(some, func(r benchmarks.Run) bool { return !have[r.Key] })
}

// parseJournal reads one run a line. A last line without line feed that does
// not parse was cut off by a kill.
func parseJournal(name string, text []byte) (runs []benchmarks.Run, notes []string, err error) {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r benchmarks.Run
		if err := json.Unmarshal(line, &r); err != nil {
			if !bytes.HasSuffix(line, []byte("\n")) {
				return runs, append(notes, fmt.Sprintf("line %d of the journal is cut off and was dropped", number)), nil
			}
			return nil, nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		runs = append(runs, r)
	}
	return runs, nil, nil
}

// parseRuns reads a list of runs, or a record with one.
func parseRuns(name string, text []byte) ([]benchmarks.Run, error) {
	var whole benchmarks.Record
	into := any(&whole)
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		into = &whole.Runs
	}
	if err := json.Unmarshal(text, into); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return whole.Runs, nil
}

func lastOfEach(runs []benchmarks.Run) []benchmarks.Run {
	at := make(map[string]int)
	var out []benchmarks.Run
	for _, r := range runs {
		r.Upgrade()
		if i, ok := at[r.Key]; ok {
			out[i] = r
			continue
		}
		at[r.Key] = len(out)
		out = append(out, r)
	}
	return out
}

func compareRuns(a, b benchmarks.Run) int {
	return cmp.Or(
		strings.Compare(a.Family, b.Family), strings.Compare(a.Model, b.Model),
		compareNatural(a.Params, b.Params), compareNatural(a.Config, b.Config), a.Repeat-b.Repeat, strings.Compare(a.Key, b.Key),
	)
}

// compareNatural orders texts with the numbers in them by value: N=4 before N=10.
func compareNatural(a, b string) int {
	for a != "" && b != "" {
		da, db := digits(a), digits(b)
		if da > 0 && db > 0 {
			x, y := strings.TrimLeft(a[:da], "0"), strings.TrimLeft(b[:db], "0")
			if c := cmp.Or(len(x)-len(y), strings.Compare(x, y)); c != 0 {
				return c
			}
			a, b = a[da:], b[db:]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

// digits returns the number of leading decimal digits.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
