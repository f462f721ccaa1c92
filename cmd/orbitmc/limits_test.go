//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// loops writes a netlist of n latches that keep their value.
func loops(t *testing.T, n int) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "aig %d 0 %d 0 0 1\n", n, n)
	for i := range n {
		fmt.Fprintf(&b, "%d\n", 2*(i+1))
	}
	fmt.Fprintf(&b, "%d\n", 2*n)
	file := filepath.Join(t.TempDir(), "loops.aig")
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// objectOf runs the tool, which is to end with a status, and returns the object it prints.
func objectOf(t *testing.T, status int, args ...string) (out struct {
	Stopped string
	Verdict string
	Stats   struct {
		MaxRSS int64 `json:"max_rss_bytes"`
	}
}) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "orbitmc", append(args, "--json")...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() != status || err == nil && status != 0 {
		t.Fatalf("%v: %v", args, err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v: %v: %q", args, err, text)
	}
	return out
}

// A netlist with a million latches is not held in 20 MiB. It takes 2.4 GB without a limit. How much
// of it is read before the limit is seen depends on how busy the machine is, so one of three
// runs must show it.
func TestMemoryLimitOfReading(t *testing.T) {
	file := loops(t, 1_000_000)
	for _, command := range []string{"check", "pdr"} {
		least := int64(math.MaxInt64)
		for try := 0; try < 3 && least > 150<<20; try++ {
			out := objectOf(t, exitUndecided, command, file, "--mem", "20MiB", "--timeout", "50s")
			if out.Stopped != "memory limit" {
				t.Errorf("%s: %+v", command, out)
			}
			least = min(least, out.Stats.MaxRSS)
		}
		if least > 150<<20 {
			t.Errorf("%s: %d bytes", command, least)
		}
	}
}

// A file that never ends is read for as long as the limit says.
func TestTimeLimitOfReading(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"endless.m", "endless.aag", "endless.dimacs"} {
		file := filepath.Join(dir, name)
		if err := syscall.Mkfifo(file, 0o666); err != nil {
			t.Skip(err)
		}
		w, err := os.OpenFile(file, os.O_RDWR, 0) // so that readers wait
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		commands := []string{"check", "detect", "rep", "quotient"}
		switch filepath.Ext(name) {
		case ".m":
			commands = append(commands, "explore")
		case ".dimacs":
			commands = []string{"detect"}
		}
		for _, command := range commands {
			args := []string{command, file, "--timeout", "50ms"}
			if command == "quotient" {
				args = append(args, "-o", filepath.Join(dir, "q.aig"))
			}
			out := objectOf(t, exitUndecided, args...)
			if out.Stopped != "time limit" {
				t.Errorf("%v: %+v", args, out)
			}
		}
	}
}
