package runner

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"orbitmc/benchmarks"
	"orbitmc/internal/lists"
)

// journal is the file that a batch is continued from: a run is in it, on a line
// of its own, or it did not happen.
type journal struct {
	file *os.File
	runs []benchmarks.Run // that were in it
}

// openJournal opens the journal of a directory. A new one gets the description
// of the batch beside it; to one there is, the batch must be the same. A last
// line without an end is dropped. The journal is locked: one batch at a time.
func openJournal(dir string, rec *benchmarks.Record) (*journal, error) {
	f, err := os.OpenFile(filepath.Join(dir, "journal.jsonl"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	j := &journal{file: f}
	if err := lock(f); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: another batch is running there: %w", dir, err), j.close())
	}
	if err := j.load(dir, rec); err != nil {
		return nil, errors.Join(err, j.close())
	}
	return j, nil
}

func (j *journal) load(dir string, rec *benchmarks.Record) error {
	text, err := os.ReadFile(j.file.Name())
	if err != nil {
		return err
	}
	description := filepath.Join(dir, "machine.json")
	old, err := os.ReadFile(description)
	if errors.Is(err, os.ErrNotExist) && len(text) == 0 {
		return writeJSON(description, rec)
	} else if err != nil {
		return err
	}
	var before benchmarks.Record
	if err := json.Unmarshal(old, &before); err != nil {
		return fmt.Errorf("%s: %w", description, err)
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	line := 0
	for l := range bytes.Lines(text[:whole]) {
		line++
		var r benchmarks.Run
		if err := json.Unmarshal(l, &r); err != nil {
			return fmt.Errorf("%s:%d: %w", j.file.Name(), line, err)
		}
		r.Upgrade()
		j.runs = append(j.runs, r)
	}
	if err := sameBatch(&before, rec, j.runs); err != nil {
		return fmt.Errorf("%s holds another batch: %w; choose another directory", dir, err)
	}
	rec.Began, rec.Command = before.Began, before.Command
	if err := writeJSON(description, rec); err != nil {
		return err
	}
	if err := j.file.Truncate(int64(whole)); err != nil {
		return err
	}
	_, err = j.file.Seek(int64(whole), 0)
	return err
}

// sameBatch compares what makes the runs of a batch comparable with those to come. The
// commit, and the version of a tool, count if a run depended on them. So peers may run once,
// and this program at a later commit.
func sameBatch(before, now *benchmarks.Record, runs []benchmarks.Run) error {
	ours, used := false, make(map[string]bool)
	for _, r := range runs {
		ours, used[r.Tool] = ours || tools[r.Tool].ours, true
	}
	commit := func(rec *benchmarks.Record) string {
		if !ours {
			return ""
		}
		return rec.Commit
	}
	versions := func(rec *benchmarks.Record) string {
		return fmt.Sprint(slices.DeleteFunc(slices.Clone(rec.Versions), func(v benchmarks.Version) bool { return !used[v.Name] }))
	}
	for _, x := range []struct{ what, before, now string }{
		{"its suite, or a model of it, differs", before.Digest, now.Digest},
		{"orbitmc is of another commit", commit(before), commit(now)},
		{"limits are enforced in another way", before.Enforcer, now.Enforcer},
		{"it is of another machine", fmt.Sprint(before.Machine), fmt.Sprint(now.Machine)},
		{"tools have other versions", versions(before), versions(now)},
		{"--jobs differs", fmt.Sprint(before.Jobs), fmt.Sprint(now.Jobs)},
	} {
		if x.before != x.now {
			return fmt.Errorf("%s (%s there, %s now)", x.what, x.before, x.now)
		}
	}
	return nil
}

// add appends a run, safely on disk when it returns.
func (j *journal) add(r *benchmarks.Run) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return err
	}
	return j.file.Sync()
}

func (j *journal) close() error { return j.file.Close() }

func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// writeJSON replaces a file at once.
func writeJSON(file string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return replace(file, append(text, '\n'))
}

func replace(file string, text []byte) error {
	if err := os.WriteFile(file+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// writeTables writes the complete record as runs.json and its runs as runs.csv.
func writeTables(dir string, rec *benchmarks.Record) error {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	w.Write([]string{"model", "family", "params", "n", "config", "tool", "repeat", "status", "verdict", "depth", "expected", "wrong",
		"cpu_s", "wall_s", "build_s", "build_wall_s", "rss_bytes", "exit", "log", "stats", "note"})
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	for _, r := range rec.Runs {
		stats := lists.Map(slices.Sorted(maps.Keys(r.Stats)), func(name string) string { return name + "=" + number(r.Stats[name]) })
		w.Write([]string{r.Model, r.Family, r.Params, fmt.Sprint(r.N), r.Config, r.Tool, fmt.Sprint(r.Repeat), string(r.Status), r.Verdict,
			fmt.Sprint(r.Depth), r.Expected, fmt.Sprint(r.Wrong), number(r.CPU), number(r.Wall), number(r.Build), number(r.BuildWall), fmt.Sprint(r.Memory),
			fmt.Sprint(r.Exit), r.Log, strings.Join(stats, " "), r.Note})
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return err
	}
	if err := replace(filepath.Join(dir, "runs.csv"), text.Bytes()); err != nil {
		return err
	}
	return writeJSON(filepath.Join(dir, "runs.json"), rec)
}
