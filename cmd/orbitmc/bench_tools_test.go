//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"orbitmc/benchmarks"
	"orbitmc/benchmarks/report"
)

// semaphore is mutual exclusion by a semaphore, in the language of Cubicle.
const semaphore = `type state = Idle | Trying | Critical
var Free : bool
array State[proc] : state
init (p) { State[p] = Idle && Free = True }
unsafe (p q) { State[p] = Critical && State[q] = Critical }
transition try (p) requires { State[p] = Idle } { State[p] := Trying; }
transition enter (p) requires { State[p] = Trying && Free = True } { State[p] := Critical; Free := False; }
transition leave (p) requires { State[p] = Critical } { State[p] := Idle; Free := True; }
`

// TestBenchTools runs Cubicle, and z3 on the conditions of every, as tools of a suite: verdicts, counters,
// and what they do not take. Those that are not installed are skipped.
func TestBenchTools(t *testing.T) {
	models, err := filepath.Abs("../../benchmarks/murphi")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	murphi, err := os.ReadFile(filepath.Join(models, "mutex_sem.m"))
	if err != nil {
		t.Fatal(err)
	}
	put("mutex.m", string(murphi))
	put("mutex.cub", semaphore)
	put("bug.cub", strings.Replace(semaphore, "&& Free = True } { State[p] := Critical", "} { State[p] := Critical", 1))
	put("wrong.cub", "type state = \n")
	put("alone.m", string(murphi))
	put("suite.yaml", `
limits: {cpu: 30s, wall: 60s}
configs:
  - {name: cubicle, tool: cubicle}
  - {name: brab, tool: cubicle, args: [-brab, "2"]}
  - {name: z3, tool: z3, args: ["-T:20"]}
models:
  - {path: [mutex.m, mutex.cub], expect: safe}
  - {path: bug.cub, expect: unsafe}
  - {path: [wrong.cub, alone.m]}
  - {path: `+models+`/mutex_sem_bug.m}
  - {path: `+models+`/dining.m}
`)
	cmd := exec.Command("orbitmc", "bench", "run", "suite.yaml", "--out", "out", "--progress", "never")
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	rec, _, err := report.Load(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	installed := make(map[string]bool)
	for _, v := range rec.Versions {
		t.Logf("%s: %s", v.Name, v.Version)
		installed[v.Name] = true
	}
	want := map[string]string{
		"mutex.m cubicle": "safe", "mutex.m brab": "safe", "mutex.m z3": "safe", "alone.m z3": "safe",
		"mutex.cub cubicle": "safe", "mutex.cub brab": "safe", "bug.cub cubicle": "unsafe", "bug.cub brab": "unsafe",
		"wrong.cub cubicle": "failed no verdict: exit status 2", "wrong.cub brab": "failed no verdict: exit status 2",
		"alone.m cubicle": "skipped no model of Cubicle is beside it", "alone.m brab": "skipped no model of Cubicle is beside it",
		"mutex_sem_bug.m z3": "skipped violated at N=2, and at no smaller size that was tried",
		"dining.m z3":        "skipped not proved for every size: .*",
	}
	for _, r := range rec.Runs {
		name := filepath.Base(r.Model) + " " + r.Config
		got := r.Verdict
		if r.Status != benchmarks.OK {
			got = string(r.Status) + " " + r.Note
		}
		expected := want[name]
		switch {
		case !installed[r.Tool]:
			expected = "skipped .* is not installed"
		case expected == "" && r.Tool == "z3":
			expected = "skipped not a Murphi model"
		case expected == "":
			expected = "skipped no model of Cubicle is beside it"
		}
		if !regexp.MustCompile("^(?:" + expected + ")$").MatchString(got) {
			t.Errorf("%s: %s, want %s", name, got, expected)
		}
		if r.Verdict != "unknown" && (r.Tool == "z3" && (r.Stats["conditions"] < 3 || r.Build <= 0) || r.Tool == "cubicle" && r.Stats["nodes"] < 1) {
			t.Errorf("%s: %v, %v s of building", name, r.Stats, r.Build)
		}
	}
}
