//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"orbitmc/internal/cluster"
	"orbitmc/internal/testkit/clustertest"
	"orbitmc/internal/testkit/nightly"
)

// TestShare: a second process takes the lemmas of the first one, and needs less search.
func TestShare(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "lemmas")
	check := func(prop string) (result jsonResult) {
		out, err := exec.Command("orbitmc", "check", "../../benchmarks/murphi/german.m", "-D", "NODE_NUM=3", "-D", "DATA_NUM=1", "--engine", "pdr", "--prop", prop,
			"--share", folder, "--json", "--progress", "never").Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &result); err != nil || result.Verdict != "safe" {
			t.Fatalf("%v %s", err, out)
		}
		return result
	}
	first := check("CtrlProp")
	files, _ := filepath.Glob(filepath.Join(folder, "*.lemmas"))
	if len(files) == 0 {
		t.Fatal("the first process leaves no lemmas")
	}
	second := check("CtrlProp")
	if first.Stats.Candidates != 0 || second.Stats.Carried == 0 || second.Stats.Orbits >= first.Stats.Orbits {
		t.Errorf("the first has %+v, the second %+v", first.Stats.Stats, second.Stats.Stats)
	}
	if other := check("DataProp"); other.Stats.Carried == 0 {
		t.Errorf("for another property %+v", other.Stats.Stats)
	}
}

// TestShareSizes: a process takes the lemmas of another one that proved another size. every and sweep exchange them, too.
func TestShareSizes(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "lemmas")
	run := func(out any, args ...string) {
		t.Helper()
		text, err := exec.Command("orbitmc", append(args, "../../benchmarks/murphi/mesi_snoop.m", "--share", folder, "--json", "--progress", "never")...).Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, out); err != nil {
			t.Fatalf("%v %s", err, text)
		}
	}
	var first, second, alone jsonSweep
	run(&first, "sweep", "-D", "NODE_NUM=4..4")
	if len(first.Runs) != 2 || first.Runs[0].N != 3 || first.Runs[0].Stats.Candidates != 0 {
		t.Errorf("the first has %+v", first)
	}
	run(&second, "sweep", "-D", "NODE_NUM=6..6")
	if len(second.Runs) != 1 || second.Runs[0].Verdict != "safe" || second.Runs[0].Stats.Carried == 0 || second.Runs[0].Stats.Orbits != 0 {
		t.Errorf("the second has %+v", second)
	}
	var every jsonEvery
	run(&every, "every", "-D", "NODE_NUM=3..", "--only", "NODE_NUM")
	if every.Verdict != "safe" || len(every.Least) != 1 || every.Runs[0].N != 3 || every.Runs[0].Stats.Carried == 0 || every.Runs[0].Stats.Orbits != 0 {
		t.Errorf("every has %+v", every)
	}
	folder = filepath.Join(t.TempDir(), "others")
	run(&alone, "sweep", "-D", "NODE_NUM=6..6")
	if len(alone.Runs) != 2 {
		t.Errorf("without lemmas %+v", alone)
	}
}

// TestOnSlurm runs check and sweep on a Slurm of its own; with ORBITMC_LONG=1 also to a timeout, and where there is no proof for every size.
func TestOnSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a cluster")
	}
	p := newProgram()
	p.poll = 200 * time.Millisecond
	p.path = func() (string, error) { return exec.LookPath("orbitmc") } // the test is not orbitmc
	c := clustertest.Start(t)
	c.Daemon("slurmd", "-D")
	dir := t.TempDir()
	const models = "../../benchmarks/murphi/"
	n := 0
	run := func(want int, args ...string) string {
		t.Helper()
		n++
		began := time.Now()
		code, stdout, stderr := p.call(append(args, "--on", "slurm", "--out", filepath.Join(dir, fmt.Sprint(n)))...)
		if code != want {
			t.Fatalf("%v: %d, want %d\n%s%s", args, code, want, stdout, stderr)
		}
		t.Logf("%v: %v", args, time.Since(began))
		if left := c.Tasks(); len(left) > 0 {
			c.Wait("empty queue", func() bool { return len(c.Tasks()) == 0 })
		}
		return stdout
	}
	// bmc alone would never end: an answer ends the other tasks.
	text := run(0, "check", models+"german.m", "-D", "NODE_NUM=2", "-D", "DATA_NUM=1")
	if !regexp.MustCompile(`(?m)^  CtrlProp +invariant +safe \(pdr|explicit\)$`).MatchString(text) || !strings.Contains(text, "verdict: safe\n") {
		t.Errorf("%s", text)
	}
	// The counterexample is one that replay accepts.
	trace := filepath.Join(dir, "trace")
	text = run(10, "check", models+"mesi_snoop_bug.m", "--prop", "DataProp", "--seeds", "2", "--trace", trace, "--engine", "bmc")
	if !regexp.MustCompile(`(?m)^  DataProp +invariant +unsafe after 8 steps \(bmc\)$`).MatchString(text) || !strings.Contains(text, "\nstep 8: ") {
		t.Errorf("%s", text)
	}
	if code, stdout, _ := orbitmc("replay", models+"mesi_snoop_bug.m", trace); code != 0 {
		t.Errorf("the trace: %s", stdout)
	}
	if code, _, stderr := orbitmc("check", models+"german.m", "--on", "slurm", "--out", filepath.Join(dir, "1")); code != 1 || !strings.Contains(stderr, "want an empty folder") {
		t.Errorf("a folder twice: %d %s", code, stderr)
	}
	// The proof for every size ends the tasks of the sizes.
	var swept jsonSweep
	text = run(0, "sweep", models+"mutex_sem.m", "-D", "N=3..40", "--json")
	if err := json.Unmarshal([]byte(text), &swept); err != nil || swept.Every == nil || swept.Every.Verdict != "safe" || swept.Every.Least["N"] != 3 || len(swept.Runs) > 30 {
		t.Errorf("%v %s", err, text)
	}
	if !nightly.On() {
		return
	}
	text = run(0, "sweep", models+"german.m", "-D", "NODE_NUM=3..4", "-D", "DATA_NUM=1")
	if !regexp.MustCompile(`(?m)^       3  safe  (?s:.*)^proved for every NODE_NUM ≥ 3, with DATA_NUM=1$`).MatchString(text) {
		t.Errorf("%s", text)
	}
	text = run(10, "sweep", models+"german_bug2.m", "-D", "NODE_NUM=2..3", "-D", "DATA_NUM=1")
	if !regexp.MustCompile(`(?m)^       2  unsafe .*\n       3  unsafe `).MatchString(text) || strings.Contains(text, "proved for every NODE_NUM") {
		t.Errorf("%s", text)
	}
	// The others go on without a spare task.
	lost := 0
	jobs := &cluster.Jobs{Dir: filepath.Join(dir, "jobs"), Where: dir, Cores: 1, Poll: p.poll, Lost: func(*cluster.Task) { lost++ }}
	failing := func(spare bool) error {
		return jobs.Run(t.Context(), []*cluster.Task{{Name: "failing", Args: []string{"false"}, Stdout: filepath.Join(dir, "failing"), Spare: spare,
			Fresh: func() error { return nil }, Ended: func() (bool, error) { return false, nil }}})
	}
	if err := failing(true); err != nil || lost != 2 {
		t.Errorf("a spare task: %v, lost %d times", err, lost)
	}
	if err := failing(false); err == nil || !strings.Contains(err.Error(), "failing was lost 3 times") {
		t.Errorf("another task: %v", err)
	}
}

// TestSameNames: a task is about all that its property's name says, so names must differ.
func TestSameNames(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "same.aag")
	if err := os.WriteFile(file, []byte("aag 2 1 1 0 0 2\n2\n4 2\n0\n4\nb0 same\nb1 same\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := orbitmc("check", file, "--on", "slurm", "--out", filepath.Join(dir, "out"))
	if code != 1 || !strings.Contains(stderr, `several are called "same"`) {
		t.Errorf("%d %s", code, stderr)
	}
}
