package benchmarks

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"orbitmc/encode/promela"
	"orbitmc/explicit"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/portfolio"
	"orbitmc/prog"
	"orbitmc/task"
)

// TestPhilosophers compares states and steps of the philosophers with the figures of SPIN,
// and the representatives under the verified rotations with the number of orbits.
func TestPhilosophers(t *testing.T) {
	for n, want := range map[int][2]int64{2: {17, 18}, 3: {75, 123}, 4: {321, 708}, 5: {1363, 3765}} {
		p, err := promela.ReadFile("promela/philosophers.pml", promela.Options{Defines: map[string]string{"N": fmt.Sprint(n)}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := explicit.Run(context.Background(), model.Compile(p.Model), explicit.Options{All: true})
		if err != nil || !r.Complete {
			t.Fatal(err, r.Reason)
		}
		got := p.Counts(r.States, r.FiredBy, r.Deadlocks)
		if want := (prog.Counts{States: want[0], Transitions: want[1] + 1, Errors: 1}); got != want {
			t.Errorf("N=%d: got %v, want %v", n, got, want)
		}
	}
	for n, want := range map[int]int64{3: 27, 8: 13006} {
		if got := programRun(t, "promela/philosophers.pml", "explicit", "auto", n, 0); got.Stats.States != want {
			t.Errorf("N=%d: %d representatives, want %d", n, got.Stats.States, want)
		}
	}
}

// programRun decides a program with one engine, in at most k steps if k is positive.
func programRun(t *testing.T, file, engine, sym string, n, k int) *mc.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	opt := task.Options{Symmetry: sym}
	if n > 0 {
		opt.Defines = []string{fmt.Sprintf("N=%d", n)}
	}
	tk, err := task.Open(ctx, file, opt)
	if err != nil {
		t.Fatal(err)
	}
	engines, err := portfolio.Engines(tk, engine)
	if err != nil {
		t.Fatal(err)
	}
	var how portfolio.Options
	how.All, how.MaxDepth, how.Bounded = true, k, k > 0
	out, err := portfolio.Run(ctx, tk, engines, how)
	if err != nil {
		t.Fatal(err)
	}
	return out.Result
}

// TestPrograms decides our programs with several engines, with and without symmetry. The
// verdicts must agree, and so must the depths of bounded and of explicit search.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("promela/*.pml")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		truth := programRun(t, file, "explicit", "off", 2, 0)
		for _, c := range []struct {
			engine, sym string
			k           int
		}{{"explicit", "auto", 0}, {"pdr", "auto", 0}, {"bmc", "auto", 8}, {"bmc", "off", 8}} {
			r := programRun(t, file, c.engine, c.sym, 2, c.k)
			for i, pr := range r.Props {
				want := truth.Props[i]
				switch {
				case want.Status == mc.Unknown:
					t.Errorf("%s: property %d is undecided by explicit search", file, i)
				case c.engine == "bmc" && (want.Status == mc.Safe || want.Depth > c.k):
					if pr.Status == mc.Unsafe {
						t.Errorf("%s, %v: property %d is violated, and explicit search says %v", file, c, i, want.Status)
					}
				case pr.Status != want.Status || c.engine != "pdr" && pr.Status == mc.Unsafe && pr.Depth != want.Depth:
					t.Errorf("%s, %v: property %d: %v at depth %d; explicit search says %v at %d", file, c, i, pr.Status, pr.Depth, want.Status, want.Depth)
				}
			}
		}
	}
}
