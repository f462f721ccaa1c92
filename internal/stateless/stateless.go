// Package stateless searches a program by its executions. No state is stored, so a state is
// visited as often as it is reached: what keeps the search small is that executions are left out
// which differ from others in the order of independent steps only, or by a symmetry.
// docs/theory/stateless.md has the proofs.
//
//	stateless.go   the engine: options, results
//	search.go      the search, depth first
//	persistent.go  persistent sets: processes that the others cannot disturb
//	symmetry.go    steps that a permutation, which keeps the state, maps to others
//
// Package events has sleep sets, and backtracking points where steps are found to race. Package prog says
// what steps touch and which processes take them. Permutations come verified with the problem. All runs
// must end, or be cut off at a depth.
package stateless

import (
	"context"
	"fmt"
	"time"

	"orbitmc/internal/prog"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// Reduction says which orders of independent steps are left out.
type Reduction uint8

// Reductions. Each but None uses sleep sets.
const (
	None       Reduction = iota // all orders are explored
	Sleep                       // sleep sets
	Persistent                  // and persistent sets, from what processes may touch later
	DPOR                        // and backtracking points, from what they did touch
)

// Reductions lists the names of the reductions.
func Reductions() []string { return []string{"none", "sleep", "persistent", "dpor"} }

// Complete is why a search stopped that has explored all there is. Without stored states
// that leaves no evidence, so it decides nothing.
const Complete = "explored completely"

// Name is the name of the engine.
const Name = "stateless"

// Engine is the search as an mc.Engine. It finds violations, and proves nothing.
type Engine struct {
	Program   *prog.Program // of which the problem is
	Reduction Reduction
	Visible   bool // steps that touch nothing shared are parts of those before, and not counted
	Twins     bool // processes whose residual code is the same are interchangeable

	broken string            // a double of a rule, in tests
	ends   func(model.State) // is told the last state of each execution, in tests
}

// Name returns "stateless".
func (e *Engine) Name() string { return Name }

// Run implements mc.Engine. An error says why the program cannot be searched so.
func (e *Engine) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	s, err := newSearch(ctx, e, p, opt)
	if err != nil {
		return nil, err
	}
	s.run()
	r := mc.NewResult(e.Name(), p)
	r.Stats = s.told()
	r.Hidden = s.m.Hid()
	switch {
	case ctx.Err() != nil:
		r.Stopped = mc.StopReason(ctx)
	case s.over:
		r.Stopped = mc.Violation
	case s.cut:
		r.Stopped = mc.DepthBound
	default:
		r.Stopped, r.Stats.Explored = Complete, 1
	}
	for i := range r.Props {
		pr := &r.Props[i]
		pr.Engine, pr.Time = e.Name(), time.Since(s.began)
		if t := s.found[pr.Prop]; t != nil {
			if err := traces.Replay(p.Program, t); err != nil {
				return nil, fmt.Errorf("internal error: %w", err)
			}
			pr.Status, pr.Depth, pr.Trace = mc.ByTrace(p.Kind(pr.Prop)), t.Depth(p.Model), t
		}
	}
	return r, nil
}

// Check reports why a program cannot be searched by executions; bounded says that they are
// cut off at a depth.
func Check(p *prog.Program, m *model.Model, bounded bool) (*prog.Steps, error) {
	for _, q := range m.Props {
		if q.Kind == model.Invariant || q.Kind == model.Cover || q.Kind == model.Liveness {
			return nil, fmt.Errorf("%s: %v %q is about states, and executions in which independent steps are exchanged go through other states", m.File, q.Kind, q.Name)
		}
	}
	if p.DSPIN {
		return nil, fmt.Errorf("%s: executions of a program with references, semaphores, mutexes or conditions are not searched: which object new takes, and whom signal wakes, would be orders of steps of their own", m.File)
	}
	steps, err := prog.NewSteps(p, m)
	if err != nil {
		return nil, err
	}
	if l := steps.Cycle(); l != nil && !bounded {
		return nil, fmt.Errorf("%s:%v: a process may come back here, so executions need not end; -k N cuts them off", l.File, l.Pos)
	}
	return steps, nil
}
