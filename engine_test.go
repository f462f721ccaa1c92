package orbitmc_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc"
	"orbitmc/mc"
	"orbitmc/model"
)

// walker is an engine in a page: it walks at random through a model, and reports the
// invariants that it sees violated.
type walker struct {
	walks, steps int
	lies         bool // it reports a violation that there is none of
}

func (w *walker) Name() string { return "walk" }

func (w *walker) Run(ctx context.Context, p *orbitmc.Problem, opt orbitmc.EngineOptions) (*orbitmc.EngineResult, error) {
	r := mc.NewResult(w.Name(), p)
	r.Stopped = "walks are over"
	rng := rand.New(rand.NewPCG(1, 1))
	m := p.Program.NewMachine()
	for range w.walks {
		var trace model.Trace
		m.Starts(func(ch model.Choice, s model.State, v *model.Violation) bool {
			trace = model.Trace{Start: ch.Clone(), StartState: slices.Clone(s)} // valid during the call only
			return v != nil
		})
		at := trace.StartState
		for range w.steps {
			if ctx.Err() != nil {
				return r, nil
			}
			var next []model.TraceStep
			m.Successors(at, func(ch model.Choice, s model.State, v *model.Violation) bool {
				if v == nil {
					next = append(next, model.TraceStep{Choice: ch.Clone(), State: slices.Clone(s)})
				}
				return true
			})
			if len(next) == 0 {
				break
			}
			step := next[rng.IntN(len(next))]
			trace.Steps, at = append(trace.Steps, step), step.State
			for i := range r.Props {
				pr := &r.Props[i]
				if pr.Status != orbitmc.Unknown || p.Kind(pr.Prop) != model.Invariant {
					continue
				}
				if v := m.Violated(at, pr.Prop); v != nil || w.lies {
					found := trace
					found.Steps, found.Prop, found.Violation = slices.Clone(trace.Steps), pr.Prop, v
					pr.Status, pr.Engine, pr.Trace, pr.Depth = orbitmc.Unsafe, w.Name(), &found, len(found.Steps)
				}
			}
		}
	}
	return r, nil
}

// TestOwnEngine: an engine of a user runs like ours, its traces are replayed before they
// are believed, and one that lies is found out.
func TestOwnEngine(t *testing.T) {
	ctx := context.Background()
	m, err := orbitmc.Open(ctx, "benchmarks/murphi/mutex_sem_bug.m", orbitmc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Check(ctx, orbitmc.Search{Engines: []orbitmc.Engine{&walker{walks: 100, steps: 20}}})
	if err != nil {
		t.Fatal(err)
	}
	p := r.Properties[0]
	if r.Verdict != orbitmc.Unsafe || p.Name != "Mutex" || p.Engine != "walk" || !strings.Contains(p.Evidence, "replayed") {
		t.Errorf("%v, %+v", r.Verdict, p)
	}
	var text strings.Builder
	if err := r.WriteTrace(&text, "plain"); err != nil || !strings.Contains(text.String(), `violated: invariant "Mutex"`) {
		t.Errorf("%v: %s", err, text.String())
	}
	if err := r.WriteTrace(&text, "bogus"); err == nil || !strings.Contains(err.Error(), `no style "bogus"`) {
		t.Errorf("a style that is none: %v", err)
	}
	if _, err := r.Trace("runtime-error"); err != orbitmc.ErrNothing {
		t.Errorf("a trace of what is not violated: %v", err)
	}
	if _, err := r.Trace("Mutexx"); err == nil || err == orbitmc.ErrNothing {
		t.Errorf("a trace of what is no property: %v", err)
	}
	if _, err = m.Check(ctx, orbitmc.Search{Engines: []orbitmc.Engine{&walker{walks: 1, steps: 1, lies: true}}}); err == nil {
		t.Error("a trace without a violation is believed")
	}
}
