//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"orbitmc/internal/testkit/clustertest"
)

// TestLitmusOnSlurm: tests as tasks have the output of one machine, whichever task is ended while it waits or runs. A command
// that goes on where another one was killed asks only for what is undecided.
func TestLitmusOnSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a cluster")
	}
	p := newProgram()
	p.poll = 200 * time.Millisecond
	p.path = func() (string, error) { return exec.LookPath("orbitmc") } // the test is not orbitmc
	c := clustertest.Start(t)
	dir := t.TempDir()
	one := filepath.Join(dir, "one.litmus")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(one, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("litmus one\nP0: x = 1; r0 = x\nexists (0:r0=0)")
	same := func(again string, args ...string) {
		t.Helper()
		var files [2][]string
		var texts [2]string
		out := filepath.Join(dir, "out")
		for i, more := range [][]string{nil, {"--on", "slurm", "--out", out}} {
			files[i] = []string{filepath.Join(dir, "trace"), filepath.Join(dir, "page")}
			code, stdout, stderr := p.call(slices.Concat([]string{"litmus"}, args, []string{"--engine", "explicit", "--trace", files[i][0], "--html", files[i][1]}, more)...)
			if texts[i] = stdout; code == exitUsage {
				t.Fatalf("%v: %d %s", args, code, stderr)
			}
			for k, f := range files[i] {
				text, _ := os.ReadFile(f)
				files[i][k] = string(text)
				os.Remove(f)
			}
			if i == 1 && !regexp.MustCompile("^"+again+"$").MatchString(stderr) {
				t.Errorf("%v: asked again:\n%s\nwant %s", args, stderr, again)
			}
		}
		if texts[0] != texts[1] || files[0][0] != files[1][0] || (files[0][1] == "") != (files[1][1] == "") {
			t.Errorf("%v: on a cluster\n%s\n%s\non one machine\n%s\n%s", args, texts[1], files[1][0], texts[0], files[0][0])
		}
	}
	const models = "../../benchmarks/murphi/"
	tests := []string{models + "moesi_bug.m", "-D", "DATA_NUM=3", "-D", "NODE_NUM=3", "CoRR", "WRC", one, "MP", "CoRR"}
	// A command is killed, and its tasks stay in the queue; the node comes later. One task of the next command is ended while it
	// waits, and one while it runs.
	killed := exec.Command("orbitmc", slices.Concat([]string{"litmus"}, tests, []string{"--engine", "explicit", "--on", "slurm", "--out", filepath.Join(dir, "out")})...)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	c.Wait("four tasks", func() bool { return len(c.Tasks()) == 4 })
	killed.Process.Kill()
	killed.Wait()
	old, _, _ := strings.Cut(c.Tasks()[0], "_")
	clustertest.Cancel(t, old)
	ended := make(chan int)
	go func() {
		n := 0
		for deadline := time.Now().Add(time.Minute); n < 2 && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			tasks := c.Tasks()
			for _, x := range tasks {
				name, state, _ := strings.Cut(x, " ")
				if n == 0 && len(tasks) == 4 && strings.HasSuffix(name, "_0") || n == 1 && state == "RUNNING" {
					if exec.Command("scancel", name).Run() == nil {
						n++
					}
					if n == 1 {
						c.Daemon("slurmd", "-D")
					}
					break
				}
			}
		}
		ended <- n
	}()
	same(`(?s)(?:.*: lost, submitted again\n){1,2}.*CoRR: unsafe\n.*`, tests...)
	if n := <-ended; n != 2 {
		t.Errorf("%d tasks were ended", n)
	}
	if left := c.Tasks(); len(left) > 0 {
		c.Wait("empty queue", func() bool { return len(c.Tasks()) == 0 })
	}
	// All is decided: no task is needed. With another test, that one.
	same("", append(tests, "--json")...)
	write("litmus one\nP0: x = 1; r0 = x\nexists (0:r0=1)")
	same(regexp.QuoteMeta(one+": unsafe\n"), append(tests, "--json")...)
	same(`(?:[\w+]+: safe\n)+`, models+"moesi.m")
	if code, _, stderr := p.call("litmus", models+"moesi.m", "MP", "--on", "slurm"); code != exitUsage || !strings.Contains(stderr, noFolder) {
		t.Errorf("without a folder: %d %s", code, stderr)
	}
}
