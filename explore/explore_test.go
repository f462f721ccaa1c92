package explore

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = `package ex

import (
	"sync"
	"testing"

	"orbitmc/explore"
)

func locks(a, b *sync.Mutex) { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() }

func TestBad(t *testing.T) {
	explore.Test(t, func(t *testing.T) {
		var a, b sync.Mutex
		go locks(&a, &b)
		locks(&b, &a)
	})
}

func TestGood(t *testing.T) {
	t.Run("part", func(t *testing.T) {
		explore.Test(t, func(t *testing.T) {
			var a, b sync.Mutex
			go locks(&a, &b)
			locks(&a, &b)
		})
	})
}
`

// TestPlain runs tests that call Test by plain go test, in a module of its own.
func TestPlain(t *testing.T) {
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": strings.Replace(string(mod), "module orbitmc", "module ex", 1) + "\nrequire orbitmc v0.0.0\n\nreplace orbitmc => " + root + "\n",
		"go.sum": string(sum), "ex_test.go": module,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-mod=mod", "-v", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	for _, want := range []string{"--- FAIL: TestBad", "deadlock: no goroutine can go on", "--- PASS: TestGood/part", "no violation in all schedules"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q: %v\n%s", want, err, out)
		}
	}
}
