package main

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"orbitmc/internal/explicit"
	"orbitmc/internal/portfolio"
	"orbitmc/mc"
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

// reached is explicit search to depth 3 that then waits to be stopped. It may run again.
type reached struct {
	mc.Engine
	done func()
}

func (re reached) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	opt.MaxDepth, opt.Bounded = 3, true
	r, err := re.Engine.Run(ctx, p, opt)
	re.done()
	<-ctx.Done()
	if r != nil {
		r.Stopped = mc.StopReason(ctx)
	}
	return r, err
}

// internal checks what is printed of a panic.
func internal(t *testing.T, code int, stderr, message, at string) {
	t.Helper()
	if code != exitUsage {
		t.Errorf("exit status %d, want %d", code, exitUsage)
	}
	if !strings.Contains(stderr, "internal error: "+message) || !strings.Contains(stderr, "\n  at "+at) || strings.Contains(stderr, "goroutine ") {
		t.Errorf("stderr:\n%s\nwant %q at %s", stderr, message, at)
	}
	if n := strings.Count(stderr, "\n  from "); n < 1 || n >= 8 {
		t.Errorf("%d places:\n%s", n, stderr)
	}
}

// TestPanics: wherever there is a panic the exit status is 1 and not that of an
// undecided property, the place is printed, and what is known by then.
func TestPanics(t *testing.T) {
	const german, bug, netlist = "../../benchmarks/murphi/german.m", "../../benchmarks/murphi/german_bug2.m", "../../benchmarks/netlists/semaphore_tight_4.aig"
	with := func(f func(*session, []mc.Engine) []mc.Engine, args ...string) (int, string, string) {
		p := newProgram()
		p.engines = f
		return p.call(append(args, "--progress", "never")...)
	}

	t.Run("command", func(t *testing.T) {
		code, out, errs := with(func(*session, []mc.Engine) []mc.Engine { panic("in the command") }, "bmc", german)
		internal(t, code, errs, "in the command", "orbitmc/panic_test.go:")
		if out != "" {
			t.Errorf("stdout:\n%s", out)
		}
	})
	t.Run("engine", func(t *testing.T) {
		code, out, errs := with(func(_ *session, es []mc.Engine) []mc.Engine { return []mc.Engine{broken{Engine: es[0]}} }, "pdr", german)
		internal(t, code, errs, "runtime error: index out of range [0] with length 0", "orbitmc/panic_test.go:")
		if !strings.HasSuffix(out, "verdict: unknown; stopped by an internal error\n") {
			t.Errorf("stdout:\n%s", out)
		}
	})
	// What the other engine knows is printed: a depth, and a violation.
	for _, all := range []bool{false, true} {
		beside := func(_ *session, es []mc.Engine) []mc.Engine {
			done := make(chan struct{})
			return []mc.Engine{broken{es[0], done}, reached{&explicit.Engine{}, sync.OnceFunc(func() { close(done) })}}
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
				r.Stopped != portfolio.InternalError:
				t.Errorf("%s", out)
			}
		})
	}
	t.Run("preparation", func(t *testing.T) {
		code, _, errs := with(func(t *session, es []mc.Engine) []mc.Engine {
			t.Phase = func(what string) { panic("while " + what) }
			return es
		}, "bmc", german)
		internal(t, code, errs, "while encoding", "orbitmc/panic_test.go:")
	})
	// bmc of a netlist runs beside the detection, whose phase has no name.
	for engine, phase := range map[string]string{"pdr": "detecting symmetry", "bmc": ""} {
		t.Run("detection beside "+engine, func(t *testing.T) {
			code, _, errs := with(func(t *session, es []mc.Engine) []mc.Engine {
				t.Phase = func(what string) {
					if what == phase {
						panic("in detection")
					}
				}
				return es
			}, engine, netlist, "-k", "1")
			internal(t, code, errs, "in detection", "orbitmc/panic_test.go:")
		})
	}
}
