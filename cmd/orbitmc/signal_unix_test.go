//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// start starts a search that would take hours and waits until it has looked
// at some depths.
func start(t *testing.T, stdout *os.File) *exec.Cmd {
	t.Helper()
	return startCommand(t, stdout, "bmc: depth 6,", "bmc", "../../benchmarks/murphi/german.m", "-D", "NODE_NUM=8")
}

// startCommand starts a command and waits for a line of its progress that begins so.
func startCommand(t *testing.T, stdout *os.File, line string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("orbitmc", append(args, "--progress", "always")...)
	cmd.Stdout = stdout
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	ready := make(chan bool)
	first := sync.OnceFunc(func() { close(ready) })
	go func() {
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), line) {
				first()
			}
		}
	}()
	select {
	case <-ready:
	case <-time.After(60 * time.Second):
		t.Fatal("no progress")
	}
	return cmd
}

// ended waits for the end, which is to come promptly.
func ended(t *testing.T, cmd *exec.Cmd) *os.ProcessState {
	t.Helper()
	done := make(chan error)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		var status *exec.ExitError
		if err != nil && !errors.As(err, &status) {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it goes on")
	}
	return cmd.ProcessState
}

func TestInterrupt(t *testing.T) {
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	cmd := start(t, out)
	cmd.Process.Signal(os.Interrupt)
	state := ended(t, cmd)
	if state.ExitCode() != 2 {
		t.Errorf("exit status %v", state)
	}
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  CtrlProp       invariant      undecided, no violation within ",
		"; stopped by interrupt\nnext: `orbitmc explore ",
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestInterruptedTable: the table of what was visited is printed, and nothing is never reached in it.
func TestInterruptedTable(t *testing.T) {
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	cmd := startCommand(t, out, "explicit: depth 1", "table", "../../benchmarks/murphi/mesi_net.m", "-D", "NODE_NUM=7")
	cmd.Process.Signal(os.Interrupt)
	state := ended(t, cmd)
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"not all there are (interrupted): ? was not seen", "GetS to Directory /IS (", "  ?"} {
		if state.ExitCode() != 2 || !bytes.Contains(text, []byte(want)) || bytes.Contains(text, []byte("  -")) {
			t.Errorf("%v, no %q in\n%s", state, want, text)
		}
	}
}

// TestSecondInterrupt keeps the tool from printing its partial result, by a
// pipe that is full: so it still runs when the second interrupt comes.
func TestSecondInterrupt(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	fd := int(w.Fd()) // which makes it blocking, so once and first
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	for err = nil; err == nil; { // to the last byte
		_, err = syscall.Write(fd, make([]byte, 1))
	}
	if err := syscall.SetNonblock(fd, false); err != nil {
		t.Fatal(err)
	}
	cmd := start(t, w)
	cmd.Process.Signal(os.Interrupt)
	done := make(chan error)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		t.Fatalf("the first interrupt ends it, with nowhere to print: %v", err)
	case <-time.After(2 * time.Second):
	}
	// One that comes before the first has been dealt with is lost, however long that takes: so one after the other.
	for ended := false; !ended; {
		cmd.Process.Signal(os.Interrupt)
		select {
		case <-done:
			ended = true
		case <-time.After(100 * time.Millisecond):
		}
	}
	if s := cmd.ProcessState.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != syscall.SIGINT {
		t.Errorf("it ends with %v", cmd.ProcessState)
	}
}
