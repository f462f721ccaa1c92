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

	"orbitmc/cluster"
	"orbitmc/cluster/clustertest"
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

// TestOnSlurm runs check on a Slurm of its own; with ORBITMC_LONG=1 also to a timeout, and sweep.
func TestOnSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a cluster")
	}
	outer := cluster.PollTime
	cluster.PollTime = 200 * time.Millisecond
	defer func() { cluster.PollTime = outer }()
	self, err := exec.LookPath("orbitmc")
	if err != nil {
		t.Fatal(err)
	}
	program = func() (string, error) { return self, nil } // the test is not orbitmc
	defer func() { program = os.Executable }()
	c := clustertest.Start(t)
	c.Daemon("slurmd", "-D")
	dir := t.TempDir()
	const models = "../../benchmarks/murphi/"
	n := 0
	run := func(want int, args ...string) string {
		t.Helper()
		n++
		began := time.Now()
		code, stdout, stderr := orbitmc(append(args, "--on", "slurm", "--out", filepath.Join(dir, fmt.Sprint(n)))...)
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
	if os.Getenv("ORBITMC_LONG") == "" {
		return
	}
	var result jsonResult
	text = run(2, "check", models+"german.m", "--engine", "bmc", "--prop", "CtrlProp", "--timeout", "3s", "--json")
	if err := json.Unmarshal([]byte(text), &result); err != nil || result.Verdict != "unknown" || len(result.Properties) != 1 {
		t.Errorf("%v %s", err, text)
	}
	var swept jsonSweep
	text = run(0, "sweep", models+"german.m", "-D", "NODE_NUM=3..4", "-D", "DATA_NUM=1", "--json")
	if err := json.Unmarshal([]byte(text), &swept); err != nil || len(swept.Runs) != 2 || swept.Runs[0].N != 3 || swept.Runs[1].N != 4 || swept.Runs[1].Verdict != "safe" {
		t.Errorf("%v %s", err, text)
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
