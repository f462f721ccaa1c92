//go:build linux

package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"orbitmc/benchmarks"
)

// write writes a file of the test and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func options(dir string) Options {
	return Options{Dir: dir, Supervisor: []string{self(), "bench-exec"}}
}

// TestEndings checks how programs end that behave in all ways, and that no
// process is left.
func TestEndings(t *testing.T) {
	type limits = benchmarks.Limits
	loose := limits{CPU: 20, Wall: 20, Memory: 1 << 30}
	cpu, wall, memory := loose, loose, loose
	cpu.CPU, wall.Wall, memory.Memory = 0.7, 0.7, 200<<20
	for _, x := range []struct {
		args   []string
		limits limits
		status benchmarks.Status
		note   string
		cpu    [2]float64 // from, to
		memory int64      // at least
	}{
		{args: []string{"say", "safe"}, limits: loose, status: benchmarks.OK, cpu: [2]float64{0, 0.3}},
		{args: []string{"rlimit"}, limits: loose, status: benchmarks.OK, cpu: [2]float64{0, 0.3}},
		{args: []string{"crash"}, limits: loose, status: benchmarks.Failed, note: "no verdict: exit status 2", cpu: [2]float64{0, 0.3}},
		{args: []string{"loop"}, limits: cpu, status: benchmarks.Timeout, note: "limit of cpu", cpu: [2]float64{0.7, 1.2}},
		{args: []string{"orphans", "loop"}, limits: cpu, status: benchmarks.Timeout, note: "limit of cpu", cpu: [2]float64{0.7, 1.2}},
		{args: []string{"four", "loop"}, limits: cpu, status: benchmarks.Timeout, note: "limit of cpu", cpu: [2]float64{0.7, 1.2}},
		{args: []string{"four", "burn"}, limits: loose, status: benchmarks.Failed, note: "no verdict: exit status 0", cpu: [2]float64{1.2, 2}},
		{args: []string{"sleep"}, limits: wall, status: benchmarks.Walltime, note: "limit of wall", cpu: [2]float64{0, 0.3}},
		{args: []string{"orphan", "sleep"}, limits: wall, status: benchmarks.Walltime, note: "limit of wall", cpu: [2]float64{0, 0.3}},
		{args: []string{"orphans", "sleep"}, limits: wall, status: benchmarks.Walltime, note: "limit of wall", cpu: [2]float64{0, 0.3}},
		{args: []string{"fork"}, limits: wall, status: benchmarks.Walltime, note: "limit of wall", cpu: [2]float64{0, 3}},
		{args: []string{"late"}, limits: loose, status: benchmarks.OK, cpu: [2]float64{0, 0.3}},
		{args: []string{"hog"}, limits: memory, status: benchmarks.Memout, note: "limit of memory", cpu: [2]float64{0, 3}, memory: 200 << 20},
		{args: []string{"orphan", "hog"}, limits: memory, status: benchmarks.Memout, note: "limit of memory", cpu: [2]float64{0, 3}, memory: 200 << 20},
		{args: []string{"grab"}, limits: memory, status: benchmarks.Memout, note: "the tool says that there is no memory left", cpu: [2]float64{0, 0.3}},
		{args: []string{"flood"}, limits: loose, status: benchmarks.Failed, note: "no verdict: exit status 7", cpu: [2]float64{0, 5}},
		{args: []string{"four", "hold"}, limits: memory, status: benchmarks.Memout, note: "limit of memory", cpu: [2]float64{0, 3}, memory: 200 << 20},
	} {
		t.Run(strings.Join(x.args, " "), func(t *testing.T) {
			dir := t.TempDir()
			model := write(t, dir, "model", "")
			s := load(t, write(t, dir, "suite.yaml", fmt.Sprintf(
				"configs: [{name: c, tool: test, args: [%s]}]\nmodels: [{path: model, limits: {cpu: %vs, wall: %vs, memory: %dKiB}}]\n",
				strings.Join(x.args, ", "), x.limits.CPU, x.limits.Wall, x.limits.Memory>>10)))
			rec, err := Run(t.Context(), s, options(filepath.Join(dir, "out")))
			if err != nil {
				t.Fatal(err)
			}
			r := rec.Runs[0]
			if len(rec.Runs) != 1 || r.Status != x.status || r.Note != x.note {
				t.Errorf("%v %q, want %v %q", r.Status, r.Note, x.status, x.note)
			}
			if r.CPU < x.cpu[0] || r.CPU > x.cpu[1] || r.Memory < x.memory || r.Memory > 500<<20 {
				t.Errorf("%v s of CPU, want %v; %d bytes, want %d and not much more", r.CPU, x.cpu, r.Memory, x.memory)
			}
			if left := marked(t, model); len(left) > 0 {
				t.Errorf("these are left: %v", left)
			}
		})
	}
}

// TestBuildLimit: the limit of building is of the wall time of all its commands, and
// not of the run; without it each command has the limits of the run.
func TestBuildLimit(t *testing.T) {
	for _, x := range []struct {
		limits string
		args   string
		status benchmarks.Status
		note   string
		wall   float64 // of building, at least
	}{
		{"cpu: 20s, wall: 20s, build: 20s", "nap, say, safe", benchmarks.OK, "", 1},
		{"cpu: 0.1s, wall: 20s, build: 20s", "burn, say, safe", benchmarks.OK, "", 0.6},
		{"cpu: 20s, wall: 20s, build: 0.8s", "nap, say, safe", benchmarks.Walltime, "while building: limit of wall", 0.8},
		{"cpu: 20s, wall: 0.9s", "nap, say, safe", benchmarks.OK, "", 1},
		{"cpu: 20s, wall: 0.2s", "nap, say, safe", benchmarks.Walltime, "while building: limit of wall", 0.2},
		{"cpu: 20s, wall: 20s", "crash, say, safe", benchmarks.Failed, "while building: exit status 2", 0},
		{"cpu: 20s, wall: 0.9s, build: 20s", "nap, sleep", benchmarks.Walltime, "limit of wall", 1},
	} {
		dir := t.TempDir()
		write(t, dir, "model", "")
		s := load(t, write(t, dir, "suite.yaml",
			"limits: {"+x.limits+"}\nconfigs: [{name: c, tool: test, args: [building, "+x.args+"]}]\nmodels: [{path: model}]\n"))
		rec, err := Run(t.Context(), s, options(filepath.Join(dir, "out")))
		if err != nil {
			t.Fatal(err)
		}
		if r := rec.Runs[0]; r.Status != x.status || r.Note != x.note || r.BuildWall < x.wall {
			t.Errorf("%s, %s: %v %q, %v s of building; want %v %q, at least %v", x.limits, x.args, r.Status, r.Note, r.BuildWall, x.status, x.note, x.wall)
		}
	}
}

// TestCancel ends a batch from outside: the run under way is killed, and not
// recorded.
func TestCancel(t *testing.T) {
	dir := t.TempDir()
	model := write(t, dir, "model", "")
	s := load(t, write(t, dir, "suite.yaml",
		"configs: [{name: a, tool: test, args: [say, safe]}, {name: b, tool: test, args: [orphan, loop]}]\nmodels: [{path: model}]\n"))
	ctx, cancel := context.WithCancel(t.Context())
	opt := options(filepath.Join(dir, "out"))
	opt.Event = func(e Event) {
		if e.Run == nil && strings.Contains(e.Key, "|b|") {
			time.AfterFunc(300*time.Millisecond, cancel)
		}
	}
	if _, err := Run(ctx, s, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if left := marked(t, model); len(left) > 0 {
		t.Errorf("these are left: %v", left)
	}
	if lines := journalLines(t, opt.Dir); len(lines) != 1 {
		t.Errorf("%d runs are recorded, want 1", len(lines))
	}
}

func journalLines(t *testing.T, dir string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return slices.Collect(bytes.Lines(text))
}

// TestWrong checks the flags of wrong answers.
func TestWrong(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "model", "")
	write(t, dir, "other", "")
	write(t, dir, "third", "")
	s := load(t, write(t, dir, "suite.yaml", `
configs:
  - {name: a, tool: test, args: [say, safe]}
  - {name: b, tool: test, args: [say, safe]}
  - {name: c, tool: test, args: [say, unsafe]}
  - {name: d, tool: test, args: [say, unknown]}
models:
  - {path: model, expect: unsafe}
  - {path: other, repeats: 3}
  - {path: third, configs: [a, c]}
`))
	rec, err := Run(t.Context(), s, options(filepath.Join(dir, "out")))
	if err != nil {
		t.Fatal(err)
	}
	var wrong []string
	for _, r := range Wrong(rec) {
		wrong = append(wrong, r.Key)
	}
	want := []string{"model||a|0", "model||b|0", "other||c|0", "other||c|1", "other||c|2", "third||a|0", "third||c|0"}
	if !slices.Equal(wrong, want) {
		t.Errorf("wrong are %q, want %q", wrong, want)
	}
	var text strings.Builder
	if err := WriteSummary(&text, rec); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), "WRONG ANSWER"); n != len(want) {
		t.Errorf("the summary tells of %d wrong answers:\n%s", n, text.String())
	}
	if keys := s.Keys(); len(keys) != 4+12+2 || keys[0] != "model||a|0" || keys[4] != "other||a|0" || keys[5] != "other||a|1" {
		t.Errorf("runs %q", keys)
	}
}

// TestJobs runs as many at a time as the cores allow, each on cores of its own.
// TestVotes: exact and rounded orders of a group count as one answer.
func TestVotes(t *testing.T) {
	const exact, rounded = "order 43893964800", "order 4.389396480000e10"
	for _, x := range []struct {
		verdicts []string
		wrong    string
	}{
		{[]string{exact, rounded, exact}, "..."},
		{[]string{exact, rounded, "order 43893964801"}, "W.W"}, // the rounded one may be either
		{[]string{exact, "order 8", rounded}, ".W."},
		{[]string{exact, "order 8"}, "WW"},
		{[]string{exact, "order 43893964801", exact}, ".W."},
	} {
		var runs []benchmarks.Run
		for i, v := range x.verdicts {
			runs = append(runs, benchmarks.Run{Model: "g", Config: fmt.Sprint(i), Status: benchmarks.OK, Verdict: v})
		}
		judge(runs)
		got := ""
		for _, r := range runs {
			if r.Wrong {
				got += "W"
			} else {
				got += "."
			}
		}
		if got != x.wrong {
			t.Errorf("%q: wrong are %s, want %s", x.verdicts, got, x.wrong)
		}
	}
}

func TestJobs(t *testing.T) {
	free, err := cores()
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= min(len(free), 3); n++ {
		dir := t.TempDir()
		write(t, dir, "model", "")
		s := load(t, write(t, dir, "suite.yaml", fmt.Sprintf(
			"cores: %d\nconfigs: [{name: c, tool: test, args: [cores, %q]}]\nmodels: [{path: model, repeats: 6}]\n", n, fmt.Sprint(n))))
		opt := options(filepath.Join(dir, "out"))
		opt.Jobs = min(len(free)/n, 3)
		running, most := 0, 0
		opt.Event = func(e Event) {
			if e.Run == nil {
				running++
				most = max(most, running)
			} else {
				running--
			}
		}
		rec, err := Run(t.Context(), s, opt)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rec.Runs {
			if r.Key != s.Keys()[i] || r.Verdict != "safe" {
				t.Errorf("%d cores: run %d is %+v", n, i, r)
			}
		}
		if most != opt.Jobs || len(rec.Runs) != 6 || rec.Cores != n {
			t.Errorf("%d cores: %d of %d runs at a time on %d cores, want %d", n, most, len(rec.Runs), rec.Cores, opt.Jobs)
		}
		opt.Jobs = len(free)/n + 1
		if _, err := Run(t.Context(), s, opt); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("cores of each: %d; but there are only %d cores", n, len(free))) {
			t.Errorf("%d cores, %d jobs: error %v", n, opt.Jobs, err)
		}
	}
}

// TestContinue checks what a batch may be continued with.
func TestContinue(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "model", "")
	text := "configs: [{name: c, tool: test, args: [say, safe]}]\nmodels: [{path: model, repeats: 3}]\n"
	suite := write(t, dir, "suite.yaml", text)
	opt := options(filepath.Join(dir, "out"))
	first, err := Run(t.Context(), load(t, suite), opt)
	if err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(opt.Dir, "journal.jsonl")
	lines := journalLines(t, opt.Dir)
	write(t, opt.Dir, "journal.jsonl", string(lines[0])+string(lines[1][:len(lines[1])/2]))
	second, err := Run(t.Context(), load(t, suite), opt)
	if err != nil {
		t.Fatal(err)
	}
	again := journalLines(t, opt.Dir)
	if len(again) != 3 || !bytes.Equal(again[0], lines[0]) || len(second.Runs) != 3 || !second.Began.Equal(first.Began) {
		t.Errorf("continued from one run and a half: %q", again)
	}
	for i, r := range second.Runs {
		if r.Key != fmt.Sprintf("model||c|%d", i) || r.Verdict != "safe" {
			t.Errorf("run %d is %+v", i, r)
		}
	}

	refused := func(what string, opt Options, want string) {
		t.Helper()
		if _, err := Run(t.Context(), load(t, suite), opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", what, err, want)
		}
	}
	write(t, dir, "suite.yaml", text+"# changed\n")
	refused("another suite", opt, "its suite, or a model of it, differs")
	write(t, dir, "suite.yaml", text)
	write(t, dir, "model", "changed")
	refused("another model", opt, "its suite, or a model of it, differs")
	write(t, dir, "model", "")
	other := opt
	other.Commit = "abc"
	refused("another commit", other, "orbitmc is of another commit")
	many := opt
	many.Jobs = 10_000
	refused("too many jobs", many, "runs at a time: 10000, cores of each: 1; but there are only")

	f, err := os.Open(journal)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	refused("a batch that runs", opt, "another batch is running there")
	f.Close()
	write(t, opt.Dir, "journal.jsonl", "garbage\n"+string(lines[0]))
	refused("garbage", opt, "journal.jsonl:1:")
}

// TestPeersFirst makes a record in pieces: the runs of a peer at one commit, those of this
// program at another one. Then the commit counts.
func TestPeersFirst(t *testing.T) {
	peer := tools["test"]
	peer.ours = false
	tools["peer"] = peer
	t.Cleanup(func() { delete(tools, "peer") })
	dir := t.TempDir()
	write(t, dir, "a", "")
	write(t, dir, "b", "")
	suite := write(t, dir, "suite.yaml",
		"configs: [{name: check, tool: test, args: [say, safe]}, {name: peer, tool: peer, args: [say, safe]}]\nmodels: [{path: [a, b]}]\n")
	opt := options(filepath.Join(dir, "out"))
	piece := func(commit, only string) (*benchmarks.Record, error) {
		s := load(t, suite)
		if err := s.Only(regexp.MustCompile(only)); err != nil {
			t.Fatal(err)
		}
		opt.Commit = commit
		return Run(t.Context(), s, opt)
	}
	first, err := piece("old", `\|peer\|`)
	if err != nil {
		t.Fatal(err)
	}
	lines := journalLines(t, opt.Dir)
	rec, err := piece("new", `^a\|.*\|check\|`)
	if err != nil {
		t.Fatal(err)
	}
	if rec.Commit != "new" || len(first.Runs) != 2 || len(rec.Runs) != 3 || !rec.Began.Equal(first.Began) {
		t.Errorf("after the first piece %+v, after the second one %+v", first, rec)
	}
	if _, err := piece("newer", ""); err == nil || !strings.Contains(err.Error(), "orbitmc is of another commit (new there, newer now)") {
		t.Errorf("continued at another commit: error %v", err)
	}
	if rec, err = piece("new", ""); err != nil {
		t.Fatal(err)
	}
	again := journalLines(t, opt.Dir)
	if len(again) != 4 || len(rec.Runs) != 4 || !bytes.Equal(again[0], lines[0]) || !bytes.Equal(again[1], lines[1]) {
		t.Errorf("the whole record: %+v, journal %q", rec, again)
	}
	for i, r := range rec.Runs {
		if r.Key != load(t, suite).Keys()[i] || r.Verdict != "safe" {
			t.Errorf("run %d is %+v", i, r)
		}
	}
	var described benchmarks.Record
	if text, err := os.ReadFile(filepath.Join(opt.Dir, "machine.json")); err != nil {
		t.Error(err)
	} else if err := json.Unmarshal(text, &described); err != nil || described.Commit != "new" {
		t.Errorf("machine.json: %v, %+v", err, described)
	}

	// A tool of another version does not continue its own runs.
	peer.find = func(*Options) (string, string, error) { return self(), "2", nil }
	tools["peer"] = peer
	if _, err := piece("new", ""); err == nil || !strings.Contains(err.Error(), "tools have other versions ([{peer 1} {test 1}] there, [{peer 2} {test 1}] now)") {
		t.Errorf("another version of a peer: error %v", err)
	}
}

// TestOnly does the runs that an expression matches, and later the others.
func TestOnly(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "ab", "")
	write(t, dir, "b", "")
	suite := write(t, dir, "suite.yaml", "configs: [{name: c, tool: test, args: [say, safe]}]\nmodels: [{path: [ab, b]}]\n")
	opt := options(filepath.Join(dir, "out"))
	totals := ""
	opt.Event = func(e Event) { totals += fmt.Sprintf("%d/%d ", e.Done, e.Total) }
	for _, x := range []struct{ only, keys, record, totals string }{
		{"^b", "[b||c|0]", "[b||c|0]", "0/1 1/1 "},
		{"^b", "[b||c|0]", "[b||c|0]", ""},
		{"a", "[ab||c|0]", "[ab||c|0 b||c|0]", "1/2 2/2 "},
		{"", "[ab||c|0 b||c|0]", "[ab||c|0 b||c|0]", ""},
		{`b\|.*\|0$`, "[ab||c|0 b||c|0]", "[ab||c|0 b||c|0]", ""},
	} {
		s := load(t, suite)
		if err := s.Only(regexp.MustCompile(x.only)); err != nil {
			t.Fatal(err)
		}
		totals = ""
		rec, err := Run(t.Context(), s, opt)
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, r := range rec.Runs {
			keys = append(keys, r.Key)
		}
		if got := fmt.Sprint(keys); fmt.Sprint(s.Keys()) != x.keys || got != x.record || totals != x.totals || rec.Planned != 2 {
			t.Errorf("%q: runs %q, record %s of %d, progress %s; want %+v", x.only, s.Keys(), got, rec.Planned, totals, x)
		}
	}
	if err := load(t, suite).Only(regexp.MustCompile("d")); err == nil || !strings.Contains(err.Error(), `no run matches "d"`) {
		t.Errorf("nothing matches: error %v", err)
	}
}

// TestKill kills the program in the middle of the suite for every change, and
// continues: the record is complete, no run is there twice, and nothing of the
// killed batch runs on. A suite with a wrong expectation ends with status 3.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	orbitmc := filepath.Join(dir, "orbitmc")
	if out, err := exec.Command("go", "build", "-o", orbitmc, "orbitmc/cmd/orbitmc").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const suite = "../suites/smoke.yaml"
	total := len(load(t, suite).Keys())
	out := filepath.Join(dir, "out")
	cmd := exec.Command(orbitmc, "bench", "run", suite, "--out", out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); len(journalLines(t, out)) < total/2; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the batch does not get on")
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	var left []string
	for range 200 { // the supervisor learns of it by the end of a pipe
		if left = marked(t, orbitmc); len(left) == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if len(left) > 0 {
		t.Errorf("these are left: %v", left)
	}
	before := journalLines(t, out)
	if len(before) >= total {
		t.Fatalf("it was killed too late, after %d runs of %d", len(before), total)
	}
	// Options may stand anywhere.
	text, err := exec.Command(orbitmc, "bench", "--out", out, "run", "--progress=never", suite).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	after := journalLines(t, out)
	if !slices.EqualFunc(before, after[:min(len(before), len(after))], bytes.Equal) {
		t.Error("what was recorded before changed")
	}
	runs, err := os.ReadFile(filepath.Join(out, "runs.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rec benchmarks.Record
	if err := json.Unmarshal(runs, &rec); err != nil {
		t.Fatal(err)
	}
	keys := load(t, suite).Keys()
	if len(rec.Runs) != total || len(after) != total {
		t.Fatalf("%d runs in the record, %d in the journal, want %d", len(rec.Runs), len(after), total)
	}
	for i, r := range rec.Runs {
		if r.Key != keys[i] || !r.Solved() || r.Verdict != r.Expected || r.Note != "" || r.CPU <= 0 || r.Memory <= 0 {
			t.Errorf("run %d, %s: %+v", i, keys[i], r)
		}
	}
	table, err := os.ReadFile(filepath.Join(out, "runs.csv"))
	if err != nil || bytes.Count(table, []byte("\n")) != total+1 {
		t.Errorf("runs.csv: %v\n%s", err, table)
	}

	write(t, dir, "model.m", "var x: boolean;\nstartstate x := false; end;\nrule x := !x; end;\ninvariant \"low\" !x;\n")
	wrong := write(t, dir, "wrong.yaml", "configs: [{name: c, tool: orbitmc}]\nmodels: [{path: model.m, expect: safe}]\n")
	text, err = exec.Command(orbitmc, "bench", "run", "--out", filepath.Join(dir, "wrong"), wrong).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 || !strings.Contains(string(text), "WRONG ANSWER: model.m||c|0 is unsafe, expected safe") {
		t.Errorf("a wrong answer ends with %v\n%s", err, text)
	}
}
