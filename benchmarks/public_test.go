package benchmarks_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"orbitmc/bmc"
	"orbitmc/encode/murphi"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// This file runs public models, which are not part of this repository: those of
// the tables whose outcomes are known, and all small ones against the oracle.

// publicModels returns the folder of the public models.
func publicModels(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		d := filepath.Join(dir, "shared", "models")
		if _, err := os.Stat(filepath.Join(d, "murphi_truth.tsv")); err == nil {
			return d
		}
	}
	t.Skip("the public models are not here")
	return ""
}

// readTable reads tab-separated values with a header.
func readTable(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	var head []string
	for sc.Scan() {
		cols := strings.Split(sc.Text(), "\t")
		if head == nil {
			head = cols
			continue
		}
		row := make(map[string]string)
		for i, c := range cols {
			row[head[i]] = c
		}
		rows = append(rows, row)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestPublicFailures: bounded model checking finds the violations that the tools
// report, at their depth: fired lines less one for the start state. Models too
// large for that in a test are left to TestTruth of package explicit.
func TestPublicFailures(t *testing.T) {
	dir := publicModels(t)
	var sum tally
	for _, row := range readTable(t, filepath.Join(dir, "murphi_truth.tsv")) {
		paths, err := filepath.Glob(filepath.Join(dir, "murphi", "*", row["name"]+".m"))
		lines, bad := strconv.Atoi(row["error_depth"])
		if err != nil || len(paths) != 1 || bad != nil || !strings.HasPrefix(row["expected_verdict"], "FAIL") {
			continue
		}
		m, err := murphi.ReadFile(paths[0], murphi.Options{})
		if err != nil {
			if strings.Contains(err.Error(), "not supported") {
				continue
			}
			t.Error(err)
			continue
		}
		if m.Leaves() > 100 {
			t.Logf("%s: %d leaves, left to explicit search", row["name"], m.Leaves())
			continue
		}
		p, _, err := assemble(m, nil)
		if err != nil {
			t.Errorf("%s: %v", row["name"], err)
			continue
		}
		want := lines - 1
		for mode := bmc.RepPath; mode <= bmc.RepOff; mode++ {
			r, err := run(&bmc.Checker{Rep: mode, NewSolver: newSolver}, p, mc.Options{MaxDepth: want + 1}, &sum)
			if err != nil {
				t.Fatalf("%s: %v", row["name"], err)
			}
			first := -1
			for _, pr := range r.Props {
				if pr.Status == mc.Unsafe {
					first = pr.Depth
				}
			}
			if first != want {
				t.Errorf("%s: rep %v: violated at depth %d, want %d (%s)", row["name"], mode, first, want, row["expected_verdict"])
			}
		}
	}
	t.Log(sum.runs, "runs")
	if sum.runs < 6 {
		t.Errorf("only %d runs", sum.runs)
	}
}

// TestPublicModels holds all engines to the oracle on the public models that are
// small enough for it. Every fourth model of at most 60 leaves is read in one of three ways
// (dialect and deadlock), which go round by its place in the list. With ORBITMC_LONG=1
// models of at most 200 leaves are read in all three; larger ones take too long to
// assemble.
func TestPublicModels(t *testing.T) {
	leaves, violations, left := 60, 25, 0
	if nightly.On() {
		leaves, violations = 200, 200
	}
	dir := publicModels(t)
	files, err := filepath.Glob(filepath.Join(dir, "murphi", "*", "*.m"))
	if err != nil {
		t.Fatal(err)
	}
	var sum tally
	for i, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(3) {
			x := sample{seed: seed, limit: limit, opt: murphi.Options{Dialect: model.Dialect(seed % 2), Deadlock: model.DeadlockMode(seed)}}
			m, err := murphi.Parse(f, src, x.opt)
			if err != nil || m.Leaves() > 200 {
				continue
			}
			if !nightly.On() && (i%4 != 1 || int(seed) != i/4%3 || m.Leaves() > leaves) {
				left++
				continue
			}
			if !search(m, limit).full {
				continue
			}
			if err := x.check(string(src), &sum); err != nil {
				t.Errorf("%s, dialect %v, deadlock %v: %v", filepath.Base(f), x.opt.Dialect, x.opt.Deadlock, err)
			}
		}
	}
	t.Logf("%+v; left to ORBITMC_LONG=1: %d pairs of a model and a way to read it", sum, left)
	if sum.models < violations || sum.violations < violations {
		t.Errorf("too few public models: %+v", sum)
	}
}
