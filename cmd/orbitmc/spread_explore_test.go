//go:build linux

package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"orbitmc/internal/testkit/clustertest"
	"orbitmc/internal/testkit/nightly"
)

var (
	ofParts   = regexp.MustCompile(`, in \d+ parts`)
	partTimes = regexp.MustCompile(`"bytes": \d+,\s*|("(\w+_s|max_rss_bytes)"): [0-9.e-]+`) // memory of the visited set, and times
)

// TestExploreOnSlurm: a search in parts has the output of one on one machine, whichever of its tasks are ended while
// they wait or run, and so has a command that goes on where another one was interrupted.
func TestExploreOnSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a cluster")
	}
	p := newProgram()
	p.poll, p.small = 200*time.Millisecond, 0
	p.path = func() (string, error) { return exec.LookPath("orbitmc") } // the test is not orbitmc
	c := clustertest.Start(t)
	c.Daemon("slurmd", "-D")
	ended := 0 // not with seed 0
	same := func(seed uint64, parts string, args ...string) {
		t.Helper()
		args = append([]string{"explore"}, args...)
		code, want, _ := orbitmc(args...)
		rng := rand.New(rand.NewPCG(seed, 1))
		stop := make(chan struct{})
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			for seed > 0 {
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(1+rng.IntN(6000)) * time.Millisecond):
				}
				if tasks := c.Tasks(); len(tasks) > 0 {
					name, _, _ := strings.Cut(tasks[rng.IntN(len(tasks))], " ")
					exec.Command("scancel", "--signal=KILL", name).Run() // it may have ended
					exec.Command("scancel", name).Run()
					ended++
				}
			}
		}()
		began := time.Now()
		args = append(args, "--on", "slurm", "--parts", parts, "--out", filepath.Join(t.TempDir(), "out"))
		if seed > 0 { // interrupted once
			if got, _, stderr := p.call(append(args, "--timeout", "4s")...); got != exitUndecided && got != code {
				t.Errorf("%v: interrupted: %d %s", args, got, stderr)
			}
		}
		got, stdout, stderr := p.call(args...)
		for got == exitUsage && strings.Contains(stderr, "was lost 3 times") { // then the same command goes on
			got, stdout, stderr = p.call(args...)
		}
		close(stop)
		<-gone
		if stdout = ofParts.ReplaceAllString(stdout, ""); got != code || stdout != want {
			t.Errorf("%v: %d\n%s\n%s\non one machine %d\n%s", args, got, stdout, stderr, code, want)
		}
		t.Logf("%v: %v", args, time.Since(began))
	}
	const models = "../../benchmarks/murphi/"
	for seed := range uint64(nightly.Or(3, 30)) {
		if seed%2 == 0 {
			same(seed, "2", models+"mutex_sem.m")
		} else {
			same(seed, "3", models+"readers_writers_bug.m")
		}
	}
	if ended == 0 {
		t.Errorf("no task was ended")
	}
}

// TestInParts: the output for models of our own is that of one machine, for any number of parts. No task is on a
// cluster here.
func TestInParts(t *testing.T) {
	p := newProgram()
	p.small = 1 << 60
	files, _ := filepath.Glob("../../benchmarks/murphi/*.m")
	more, _ := filepath.Glob("../../benchmarks/promela/*.pml")
	same := 0
	for i, file := range append(files, more...) {
		if !nightly.On() && i%6 > 0 {
			continue
		}
		args := []string{"explore", file, "-k", "9", "--no-ltl", "--progress", "never"}
		code, want, _ := orbitmc(args...)
		if strings.Contains(want, "  liveness  ") {
			continue
		}
		parts := []string{"1", "2", "3", "8"}[i%4]
		got, stdout, stderr := p.call(append(args, "--on", "slurm", "--parts", parts, "--out", filepath.Join(t.TempDir(), "out"))...)
		stdout, _, _ = strings.Cut(ofParts.ReplaceAllString(stdout, ""), "\nnext: ")
		want, _, _ = strings.Cut(want, "\nnext: ") // another way to go on
		if got != code || strings.TrimSpace(stdout) != strings.TrimSpace(want) {
			t.Errorf("%v: %d\n%s\n%s\non one machine %d\n%s", args, got, stdout, stderr, code, want)
		}
		same++
	}
	if same < 8 {
		t.Errorf("%d models", same)
	}
	// Symmetry that an error refutes.
	file := filepath.Join(t.TempDir(), "hidden.m")
	if err := os.WriteFile(file, []byte(`type P: scalarset(4); var a: array [P] of 0..1; u: array [P] of boolean; done: boolean; t: P;
startstate for p: P do a[p] := 0; undefine u[p]; end; done := false; end;
ruleset p: P do rule "on" a[p] = 0 & !done ==> a[p] := 1; u[p] := true; end; end;
ruleset p: P do rule "off" a[p] = 1 ==> a[p] := 0; undefine u[p]; end; end;
rule "x" exists p: P do u[p] end ==> done := true; end;`), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"explore", file, "--all", "--on", "slurm", "--out", filepath.Join(t.TempDir(), "out")}
	if code, _, stderr := p.call(args...); code != exitUsage || !strings.Contains(stderr, "a quantifier hides an error") {
		t.Errorf("%d %s", code, stderr)
	}
	code, want, _ := orbitmc("explore", file, "--all", "--sym", "off")
	args[len(args)-1] += "2"
	if got, stdout, stderr := p.call(append(args, "--sym", "off")...); got != code || ofParts.ReplaceAllString(stdout, "") != want {
		t.Errorf("%d %s %s\nwant %s", got, stdout, stderr, want)
	}
}

// TestPartsKilled: a search in parts that is killed again and again ends with the output of one that was not.
func TestPartsKilled(t *testing.T) {
	args := []string{"explore", "../../benchmarks/murphi/german.m", "-D", "NODE_NUM=3", "--json"}
	output := func(more ...string) []byte {
		out, err := exec.Command("orbitmc", append(args, more...)...).Output()
		if err != nil {
			t.Fatalf("%v %s", err, out)
		}
		return ofParts.ReplaceAll(partTimes.ReplaceAll(out, []byte("$1")), nil)
	}
	want := output()
	dir := filepath.Join(t.TempDir(), "out")
	more := []string{"--on", "slurm", "--parts", "3", "--out", dir}
	for range nightly.Or(5, 60) {
		cmd := exec.Command("orbitmc", append(args, more...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(1500)) * time.Millisecond)
		cmd.Process.Signal(syscall.SIGKILL)
		cmd.Wait()
	}
	got := output(more...)
	if !bytes.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "search")); err != nil || !bytes.Contains(text, []byte(`"Complete":true`)) {
		t.Errorf("%v %.300s", err, text)
	}
	// A folder is for one search.
	code, _, stderr := orbitmc(append([]string{"explore", "../../benchmarks/murphi/german.m", "-D", "NODE_NUM=2"}, more...)...)
	if code != exitUsage || !strings.Contains(stderr, "a search of another model") {
		t.Errorf("another model: %d %s", code, stderr)
	}
}
