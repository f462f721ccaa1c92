package main

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"orbitmc/explicit"
	"orbitmc/mc"
	"orbitmc/sat"
)

// broken is an engine that panics, once the others have found something to show if it
// waits for them.
type broken struct {
	mc.Engine
	wait <-chan struct{}
}

func (b broken) Run(_ context.Context, _ *mc.Problem, opt mc.Options) (*mc.Result, error) {
	if b.wait != nil {
		<-b.wait
	}
	var none []*mc.Result
	return none[opt.MaxDepth], nil
}

// reached is explicit search to depth 3 that then waits to be stopped.
type reached struct {
	mc.Engine
	done chan<- struct{}
}

func (e reached) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	opt.MaxDepth, opt.Bounded = 3, true
	r, err := e.Engine.Run(ctx, p, opt)
	close(e.done)
	<-ctx.Done()
	if r != nil {
		r.Stopped = mc.StopReason(ctx)
	}
	return r, err
}

// panickySource panics in what runs in a goroutine before the engines.
type panickySource struct{ source }

func (panickySource) analyse(context.Context, []int, bool) (*analysis, error) { panic("in analyse") }

// internal checks what is printed of a panic.
func internal(t *testing.T, code int, stderr, message, at string) {
	t.Helper()
	if code != exitUsage {
		t.Errorf("exit status %d, want %d", code, exitUsage)
	}
	if !strings.Contains(stderr, "internal error: "+message) || !strings.Contains(stderr, "\n  at "+at) || strings.Contains(stderr, "goroutine ") {
		t.Errorf("stderr:\n%s\nwant %q at %s", stderr, message, at)
	}
	if n := strings.Count(stderr, "\n  from "); n < 1 || n >= maxPlaces {
		t.Errorf("%d places:\n%s", n, stderr)
	}
}

// TestPanics: wherever there is a panic the exit status is 1 and not that of an
// undecided property, the place is printed, and what is known by then.
func TestPanics(t *testing.T) {
	const german, bug, netlist = "../../benchmarks/murphi/german.m", "../../benchmarks/murphi/german_bug2.m", "../../benchmarks/netlists/semaphore_tight_4.aig"
	with := func(f func(*task, []mc.Engine) []mc.Engine, args ...string) (int, string, string) {
		doubles = f
		defer func() { doubles = nil }()
		return orbitmc(append(args, "--progress", "never")...)
	}

	t.Run("command", func(t *testing.T) {
		code, out, errs := with(func(*task, []mc.Engine) []mc.Engine { panic("in the command") }, "bmc", german)
		internal(t, code, errs, "in the command", "orbitmc/panic_test.go:")
		if out != "" {
			t.Errorf("stdout:\n%s", out)
		}
	})
	t.Run("engine", func(t *testing.T) {
		code, out, errs := with(func(_ *task, es []mc.Engine) []mc.Engine { return []mc.Engine{broken{Engine: es[0]}} }, "pdr", german)
		internal(t, code, errs, "runtime error: index out of range [0] with length 0", "orbitmc/panic_test.go:")
		if !strings.HasSuffix(out, "verdict: unknown; stopped by an internal error\n") {
			t.Errorf("stdout:\n%s", out)
		}
	})
	// What the other engine knows is printed: a depth, and a violation.
	for _, all := range []bool{false, true} {
		beside := func(_ *task, es []mc.Engine) []mc.Engine {
			done := make(chan struct{})
			return []mc.Engine{broken{es[0], done}, reached{&explicit.Engine{}, done}}
		}
		t.Run("beside", func(t *testing.T) {
			args := []string{"check", bug, "--json"}
			if all {
				args = []string{"check", "testdata/panic.m", "--json", "--all"}
			}
			code, out, errs := with(beside, args...)
			internal(t, code, errs, "runtime error", "orbitmc/panic_test.go:")
			var r struct {
				Verdict, Stopped string
				First            string `json:"first_violation"`
				Properties       []struct{ Bound, Depth *int }
			}
			if err := json.Unmarshal([]byte(out), &r); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			p := r.Properties[0]
			switch {
			case !all && (r.Verdict != "unknown" || p.Bound == nil || *p.Bound != 3),
				all && (r.Verdict != "unsafe" || r.First != "low" || p.Depth == nil || *p.Depth != 2),
				r.Stopped != internalError:
				t.Errorf("%s", out)
			}
		})
	}
	t.Run("preparation", func(t *testing.T) {
		code, _, errs := with(func(t *task, es []mc.Engine) []mc.Engine {
			t.source = panickySource{t.source}
			return es
		}, "bmc", german)
		internal(t, code, errs, "in analyse", "orbitmc/panic_test.go:")
	})
	t.Run("smaller size", func(t *testing.T) {
		code, out, errs := with(func(t *task, es []mc.Engine) []mc.Engine {
			k := newPDR(t).(*carrying)
			k.s, k.size = nil, 100 // so that it is tried at once
			return []mc.Engine{k}
		}, "pdr", german, "-D", "NODE_NUM=5")
		internal(t, code, errs, "runtime error: invalid memory address or nil pointer dereference", "orbitmc/")
		if !strings.Contains(out, "verdict: safe\n") {
			t.Errorf("stdout:\n%s", out)
		}
	})
	// Solvers that panic: in the detection of symmetry, and in a sweep after some sizes.
	before := maps.Clone(solvers)
	defer func() { solvers = before }()
	made := 0
	solvers = maps.Clone(before)
	solvers["cdcl"] = func() sat.Solver {
		if made--; made == 0 {
			panic("in a solver")
		}
		return before["cdcl"]()
	}
	t.Run("detection", func(t *testing.T) {
		made = 1
		code, _, errs := orbitmc("bmc", netlist, "-k", "1")
		internal(t, code, errs, "in a solver", "orbitmc/panic_test.go:")
	})
	t.Run("sweep", func(t *testing.T) {
		made = 0
		args := []string{"sweep", german, "-D", "NODE_NUM=2..6", "-D", "DATA_NUM=1"}
		if code, _, errs := orbitmc(args...); code != exitHolds {
			t.Fatalf("exit status %d\n%s", code, errs)
		}
		made = -made // the last one of these
		code, out, errs := orbitmc(args...)
		internal(t, code, errs, "in a solver", "orbitmc/panic_test.go:")
		if !strings.Contains(out, " 3  safe") || strings.Contains(out, " 6  safe") {
			t.Errorf("stdout:\n%s", out)
		}
	})
}
