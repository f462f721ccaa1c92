// Package explore runs a Go test under every schedule, from within the test:
//
//	func TestQueue(t *testing.T) {
//		explore.Test(t, func(t *testing.T) { ... })
//	}
//
// It is what `orbitmc go` does, with the same engine; docs/go.md says what is explored.
package explore

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"orbitmc/gotest"
)

// Test runs f under every schedule. Under go test it builds the package again, with a scheduler of its own, and runs the
// test that calls it there; f does not run in this process. It fails the test if there is a violation, or if not all
// schedules were explored, and says why. It looks for data races if there is a C compiler.
func Test(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	ctx := context.Background()
	if at, ok := t.Deadline(); ok {
		var cancel func()
		ctx, cancel = context.WithDeadline(ctx, at)
		defer cancel()
	}
	_, err := exec.LookPath("gcc")
	r, err := gotest.Run(ctx, gotest.Options{Patterns: []string{"."}, Run: t.Name(), Exact: true, Race: err == nil})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for i := range r.Tests {
		r.Tests[i].WriteText(&text, r.Timers, r.Race)
	}
	t.Log(text.String())
	if r.Verdict != gotest.Explored {
		t.FailNow()
	}
}
