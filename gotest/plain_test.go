package gotest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// leaks looks for goroutines that are left, as leak checks do: again and again, for half a second.
const leaks = `package %s

import (
	"os"
	"runtime"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	code := m.Run()
	for range [50]int{} {
		if code != 0 || runtime.NumGoroutine() == 1 {
			os.Exit(code)
		}
		time.Sleep(10 * time.Millisecond)
	}
	println("goroutines are left")
	os.Exit(3)
}
`

// TestGoKerPlain runs all kernels of ORBITMC_GOKER as Go does, until the mistake shows: 1,000 times with a look for
// goroutines that are left, and 100 times with the race detector. Each run is a process, of 15 s at most. Rows go to the
// file ORBITMC_PLAIN: kernel, number of the first run that shows the mistake, and how; 0 and "-" if none. Kernels that are
// in it are not run again. What is left behind counts where the kernel is one that blocks.
func TestGoKerPlain(t *testing.T) {
	checkout, to := os.Getenv("ORBITMC_GOKER"), os.Getenv("ORBITMC_PLAIN")
	if checkout == "" || to == "" {
		t.Skip("ORBITMC_GOKER or ORBITMC_PLAIN is not set")
	}
	kernels, err := filepath.Glob(filepath.Join(checkout, "gobench", "goker", "*", "*", "*"))
	if err != nil || len(kernels) != 103 {
		t.Fatalf("%d kernels, %v", len(kernels), err)
	}
	had, _ := os.ReadFile(to)
	for _, kernel := range kernels {
		name, _ := filepath.Rel(filepath.Join(checkout, "gobench", "goker"), kernel)
		if strings.Contains(string(had), name+"\t") {
			continue
		}
		row := name
		for _, race := range []bool{false, true} {
			binary, err := plain(t, kernel, race)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			runs := 1000
			if race {
				runs = 100
			}
			at, how := show(binary, runs, strings.HasPrefix(name, "blocking"))
			row += fmt.Sprintf("\t%d\t%s", at, how)
		}
		f, err := os.OpenFile(to, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(f, row)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// plain builds a kernel.
func plain(t *testing.T, kernel string, race bool) (string, error) {
	dir := t.TempDir()
	files, err := filepath.Glob(filepath.Join(kernel, "*.go"))
	if err != nil {
		return "", err
	}
	name := "main"
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		if _, rest, ok := strings.Cut("\n"+string(text), "\npackage "); ok {
			name = strings.Fields(rest)[0]
		}
		write(t, dir, map[string]string{filepath.Base(f): string(text)})
	}
	write(t, dir, map[string]string{"go.mod": "module kernel\n\ngo 1.13\n"})
	args := []string{"test", "-c", "-vet=off", "-o", "kernel.test"}
	if race {
		args = append(args, "-race")
	} else {
		write(t, dir, map[string]string{"leaks_test.go": fmt.Sprintf(leaks, name)})
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return filepath.Join(dir, "kernel.test"), nil
}

// show runs a binary, several times at once, until a run shows a mistake.
func show(binary string, runs int, blocking bool) (at int, how string) {
	const together = 8
	found := make([]string, runs)
	for from := 0; from < runs; from += together {
		var wg sync.WaitGroup
		for i := from; i < min(from+together, runs); i++ {
			wg.Go(func() { found[i] = once(binary, blocking) })
		}
		wg.Wait()
		for i := from; i < min(from+together, runs); i++ {
			if found[i] != "" {
				return i + 1, found[i]
			}
		}
	}
	return 0, "-"
}

func once(binary string, blocking bool) string {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.timeout=0")
	cmd.Dir = filepath.Dir(binary)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	var status *exec.ExitError
	switch text := string(out); {
	case ctx.Err() != nil:
		return "timeout"
	case err == nil:
		return ""
	case strings.Contains(text, "DATA RACE"):
		return "race"
	case strings.Contains(text, "goroutines are left"):
		if blocking {
			return "leak"
		}
		return ""
	case strings.Contains(text, "all goroutines are asleep"):
		return "deadlock"
	case strings.Contains(text, "panic: "), strings.Contains(text, "fatal error: "):
		return "panic"
	case errors.As(err, &status):
		return "failure"
	}
	return err.Error()
}
