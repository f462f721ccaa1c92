//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pipe makes a named pipe, and returns what is closed once somebody reads it.
func pipe(t *testing.T, name, text string, leaveOpen bool) (reading chan struct{}) {
	t.Helper()
	os.Remove(name)
	if err := syscall.Mkfifo(name, 0o666); err != nil {
		t.Skip(err)
	}
	reading = make(chan struct{})
	go func() {
		w, err := os.OpenFile(name, os.O_WRONLY, 0) // waits for a reader
		if err != nil {
			return
		}
		close(reading)
		w.WriteString(text)
		if leaveOpen {
			<-t.Context().Done()
		}
		w.Close()
	}()
	t.Cleanup(func() { // let it go if nobody came
		if r, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
			r.Close()
		}
	})
	return reading
}

func textOf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPipes: a command reads each of its files once, so it prints of pipes what it prints of files.
func TestPipes(t *testing.T) {
	const (
		mutex   = "../../benchmarks/murphi/mutex_sem.m"
		program = "#include \"inc\"\nbyte x;\nactive [2] proctype P() { byte t; t = x; x = t + STEP; assert(x != 1 || _pid == 0) }\n"
		inc     = "#define STEP 1\n"
	)
	dir := t.TempDir()
	model, trace := filepath.Join(dir, "model"), filepath.Join(dir, "trace")
	netlist := "\ufeff1 sort bitvec 1\n2 zero 1\n3 state 1\n4 init 1 3 2\n5 next 1 3 -3\n6 bad 3\n"
	for _, c := range []struct {
		text string
		args string // MODEL and TRACE are the files
	}{
		{textOf(t, mutex), "check MODEL --engine pdr -D N=4"}, // and every behind it
		{textOf(t, mutex), "every MODEL"},
		{textOf(t, mutex), "sweep MODEL -D N=2..4"},
		{textOf(t, mutex), "pdr MODEL -D N=5"}, // with lemmas of smaller sizes
		{textOf(t, mutex), "explore MODEL"},
		{textOf(t, mutex), "detect MODEL --explain"},
		{textOf(t, mutex), "bmc MODEL -k 3"},
		{textOf(t, mutex), "replay MODEL TRACE"},
		{textOf(t, mutex), "certify MODEL TRACE"},
		{program, "explore MODEL --store none"},
		{program, "explore MODEL --trace-style spin"},
		{netlist, "bmc MODEL --trace-style btor2"},
	} {
		args := strings.Fields(strings.NewReplacer("MODEL", model, "TRACE", trace).Replace(c.args))
		run := func(put func(name, text string)) string {
			put(model, c.text)
			put(trace, "no trace\n")
			if c.text == program {
				put(filepath.Join(dir, "inc"), inc)
			}
			cmd := exec.CommandContext(t.Context(), "orbitmc", args...)
			late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
			defer late.Stop()
			out, err := cmd.Output()
			if err != nil && cmd.ProcessState.ExitCode() != exitViolated {
				t.Errorf("%s: %v", c.args, err)
			}
			return string(out)
		}
		want := run(func(name, text string) {
			os.Remove(name)
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		})
		if got := run(func(name, text string) { pipe(t, name, text, false) }); got != want || want == "" {
			t.Errorf("%s: of a pipe it prints\n%s\nof a file\n%s", c.args, got, want)
		}
	}
}

// TestInterruptedReading: a signal ends a command that reads a pipe.
func TestInterruptedReading(t *testing.T) {
	dir := t.TempDir()
	model, other := filepath.Join(dir, "model"), filepath.Join(dir, "out.aig")
	german := "../../benchmarks/murphi/german.m"
	for _, args := range []string{
		"check MODEL", "check MODEL --trace-style vcd", "bmc MODEL", "induct MODEL", "pdr MODEL --carry", "reach MODEL", "every MODEL", "sweep MODEL -D N=2..3",
		"explore MODEL", "explore MODEL --store none", "detect MODEL", "rep MODEL", "hwmcc MODEL FILE FILE", "quotient MODEL -o FILE", "convert MODEL -o FILE",
		"replay MODEL FILE", "replay GERMAN MODEL", "certify MODEL FILE", "certify GERMAN MODEL", "induct GERMAN --lemmas MODEL",
	} {
		if err := os.WriteFile(other, []byte("orbitmc-certificate 1\nend\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		reading := pipe(t, model, "", true)
		var stderr strings.Builder
		cmd := exec.Command("orbitmc", strings.Fields(strings.NewReplacer("MODEL", model, "FILE", other, "GERMAN", german).Replace(args))...)
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-reading:
		case <-time.After(time.Minute):
			t.Errorf("%s: it does not read", args)
		}
		cmd.Process.Signal(syscall.SIGTERM)
		if state := ended(t, cmd); state.ExitCode() != exitUndecided {
			t.Errorf("%s: it ends with %v\n%s", args, state, stderr.String())
		}
	}
}
