package portfolio

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/bmc"
	"orbitmc/internal/pace"
	"orbitmc/internal/task"
	"orbitmc/mc"
)

// exclusive is a netlist of two latches of which one is true at most, which is inductive.
const exclusive = `aag 11 2 2 0 7 1
2
4
6 14
8 20
22
10 7 3
12 11 9
14 12 5
16 9 5
18 17 7
20 18 3
22 6 8
`

// TestBriefInductor: on a netlist k-induction runs by default, on a model it does not. It ends with its limits.
func TestBriefInductor(t *testing.T) {
	netlist := filepath.Join(t.TempDir(), "exclusive.aag")
	if err := os.WriteFile(netlist, []byte(exclusive), 0o644); err != nil {
		t.Fatal(err)
	}
	const caught = "../../benchmarks/netlists/semaphore_tight_safe_8.aig" // needs a greater k
	for _, c := range []struct {
		file    string
		steps   int64
		status  mc.Status
		stopped string
	}{
		{netlist, briefSteps, mc.Safe, ""},
		{netlist, 1, mc.Unknown, mc.WorkLimit},
		{caught, briefSteps, mc.Unknown, "the bound on k"},
		{caught, 5000, mc.Unknown, mc.WorkLimit},
	} {
		tk, err := task.Open(t.Context(), c.file, task.Options{Symmetry: "off"})
		if err == nil {
			err = tk.Prepare(t.Context(), true)
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := (&brief{tk.NewSolver, c.steps, inductor}).Run(context.Background(), tk.Problem, mc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if pr := r.Props[0]; r.Engine != "ind" || pr.Status != c.status || r.Stopped != c.stopped {
			t.Errorf("%s with %d steps: %s: %v, stopped by %q", c.file, c.steps, r.Engine, pr.Status, r.Stopped)
		}
	}
	for file, want := range map[string]bool{netlist: true, "../../benchmarks/murphi/mutex_sem.m": false} {
		tk, err := task.Open(t.Context(), file, task.Options{})
		if err != nil {
			t.Fatal(err)
		}
		engines, err := Engines(tk, "all")
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(engines, func(e mc.Engine) bool { return e.Name() == "ind" }) != want {
			t.Errorf("%s: k-induction among the engines is not %v", file, want)
		}
	}
}

// TestBriefRenewed: the limit begins anew when something is proved.
func TestBriefRenewed(t *testing.T) {
	// Latch 2 is false, which is inductive; latches 4, 6 and 8 pass on what is false, so that the last is for k = 3.
	const file = "aag 4 0 4 0 0 2\n2 2\n4 4\n6 4\n8 6\n2\n8\n"
	name := filepath.Join(t.TempDir(), "two.aag")
	if err := os.WriteFile(name, []byte(strings.Replace(file, "\n4 4\n", "\n4 0\n", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	tk, err := task.Open(t.Context(), name, task.Options{Symmetry: "off"}) // clean-up would find the constants
	if err != nil {
		t.Fatal(err)
	}
	tk.Problem.WellFormed = true
	const most = 1 << 40
	l, limited, cancel := pace.NewLimit(t.Context(), most, mc.ErrWork)
	defer cancel()
	var first int64
	whole := &bmc.Inductor{NewSolver: counted(l, tk.NewSolver), MaxK: briefK, Proved: func() { first = most - l.Left() }}
	r, err := whole.Run(l.With(limited), tk.Problem, mc.Options{})
	if err != nil || r.Open() > 0 || first == 0 {
		t.Fatalf("%v, %d properties are open, the first steps are %d", err, r.Open(), first)
	}
	all := most - l.Left()
	enough := max(first, all-first)
	if r, err = (&brief{tk.NewSolver, enough, inductor}).Run(t.Context(), tk.Problem, mc.Options{}); err != nil || r.Open() > 0 || enough >= all {
		t.Errorf("with %d of %d steps, %d for the first property: %v, %d are open", enough, all, first, err, r.Open())
	}
}
