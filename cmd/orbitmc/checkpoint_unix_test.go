//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"orbitmc/internal/testkit/nightly"
)

// TestKilled: a search that is killed several times ends with the output of one that was
// not, with any number of threads, in memory and from disk. While it lives, it is alone.
func TestKilled(t *testing.T) {
	args, memory := []string{"explore", "../../benchmarks/murphi/flash_bug.m", "-D", "NODE_NUM=3", "--all"}, "2MiB"
	if nightly.On() { // six times the states, most of them on disk
		args, memory = append(args, "--sym", "off"), "8MiB"
	}
	run := func(more ...string) *exec.Cmd { return exec.Command("orbitmc", append(args, more...)...) }
	want, err := run().Output()
	if status := new(exec.ExitError); !errors.As(err, &status) || status.ExitCode() != exitViolated || !bytes.Contains(want, []byte("step 5:")) {
		t.Fatalf("%v\n%s", err, want)
	}
	for _, more := range [][]string{{"--threads", "1"}, {"--threads", "2"}, {"--threads", "4", "--mem", memory, "--spill", t.TempDir()}} {
		dir := t.TempDir()
		more = append(more, "--checkpoint", dir)
		for range nightly.Or(1, 60) {
			cmd := run(more...)
			began := modified(dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			for began == modified(dir) && len(ended) == 0 {
				time.Sleep(5 * time.Millisecond)
			}
			cmd.Process.Signal(syscall.SIGSTOP)
			_, err := run(more...).Output()
			if status := new(exec.ExitError); !errors.As(err, &status) || status.ExitCode() != 1 || !bytes.Contains(status.Stderr, []byte("another search uses it")) {
				t.Errorf("%v: two searches at a time: %v", more, err)
			}
			cmd.Process.Kill()
			<-ended
			if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGKILL {
				t.Errorf("%v: it was not killed: %v", more, cmd.ProcessState)
			}
		}
		got, err := run(more...).Output()
		if status := new(exec.ExitError); !errors.As(err, &status) || status.ExitCode() != exitViolated || !bytes.Equal(got, want) {
			t.Errorf("%v: %v\n%s\nwant\n%s", more, err, got, want)
		}
	}
}

// modified says when a checkpoint was written.
func modified(dir string) (at time.Time) {
	files, _ := filepath.Glob(filepath.Join(dir, "*", "progress"))
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			at = info.ModTime()
		}
	}
	return at
}
