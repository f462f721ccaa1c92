package portfolio

import (
	"context"
	"errors"
	"slices"
	"time"

	"orbitmc/mc"
	"orbitmc/task"
)

// This file lets symbolic engines begin beside the search for symmetry and its verification.
//
// Bounded model checking begins when there is a system. It takes the symmetry between two
// depths (mc.Options.Later). The other engines wait until states are known to be well-formed, and
// a little longer (patience), as most models have their symmetry by then. They begin anew when
// symmetry is found later, or when verdicts can be carried to images of properties. What they found
// before is kept if it is an answer. So beginning anew costs at most the time of the
// preparation, once. All engines begin anew if the preparation ends with another system.
//
// The evidence of an engine that began without symmetry is a trace, or a proof whose group is
// trivial. It is checked on the problem that the engine began with.
//
// A run of one engine waits for the symmetry. So its counterexample does not depend on when
// the symmetry comes. Bounded model checking of a netlist does not wait, as the search for symmetry
// may take minutes there. This search goes on between two depths, in steps: firstSteps, and one for every
// stepsPerStep of bmc. So the depth at which symmetry comes depends on counts and not on time, and the
// search for symmetry costs a tenth of the run and 0.2 s at most.

// See above; a step is 0.2 µs.
const (
	firstSteps   = 1 << 20
	stepsPerStep = 10
)

// paced reports whether bmc is to run beside the search for symmetry in step with it.
func paced(t *task.Task, engines []mc.Engine) bool {
	return len(engines) == 1 && engines[0].Name() == "bmc" && t.Problem.Netlist != nil && t.Symmetry != "off" && t.Symmetry != "declared"
}

// patience is how long engines that would begin anew wait for the symmetry.
const patience = 2 * time.Second

// begun is a problem that engines may begin with before its symmetry is known.
type begun struct {
	ready chan struct{} // closed when p is known
	p     *mc.Problem   // with a system, without symmetry
}

// problem returns the problem; nil if there is none, or none yet.
func (b *begun) problem() *mc.Problem {
	if b == nil {
		return nil
	}
	select {
	case <-b.ready:
		return b.p
	default:
		return nil
	}
}

// early is an engine that begins before the symmetry is known.
type early struct {
	mc.Engine
	t *task.Task
	x *preparation
}

// run returns the problem of the search that ended, with its result.
func (e *early) run(ctx context.Context, opt mc.Options) (*mc.Problem, *mc.Result, error) {
	p := e.first(ctx)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if p == nil {
		return e.x.run(ctx, e.t, e.Engine, opt)
	}
	within, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-e.x.done:
			if !e.goesOn(p) {
				stop()
			}
		case <-within.Done():
		}
	}()
	own := opt
	own.Lemmas = e.x.lemmasOf(p)
	if e.takes() {
		own.Later = func(steps int64) *mc.Problem {
			if e.x.pace != nil {
				e.x.pace.Grant(e.x.first+steps/stepsPerStep, e.x.done)
			}
			return e.later(p)
		}
	}
	r, err := e.Engine.Run(within, p, own)
	if errors.Is(err, mc.ErrHidden) {
		return (&early{e.Engine, e.t, e.x.begin(e.t)}).run(ctx, opt)
	}
	if ctx.Err() == nil && within.Err() != nil && (task.CutShort(within, err) || err == nil && r.Open() > 0 && (opt.All || !r.Violated())) {
		return e.x.run(ctx, e.t, e.Engine, opt)
	}
	select {
	case <-e.x.done:
		if errors.As(e.x.err, new(*task.Panic)) { // it may have come too late to stop the engine
			return nil, nil, e.x.err
		}
	default:
	}
	if err == nil && hasProof(r) {
		e.x.proved.CompareAndSwap(nil, p)
	}
	return p, r, err
}

// hasProof reports whether a result has evidence that is about a system.
func hasProof(r *mc.Result) bool {
	return slices.ContainsFunc(r.Props, func(pr mc.PropResult) bool { return pr.Proof != nil || pr.Reaching != nil })
}

// takes reports whether the engine takes the symmetry while it runs, and so does not begin anew.
func (e *early) takes() bool { return kindOf(e.Name()).Later }

// first waits for a problem to begin with, and returns it; nil if the preparation was faster.
func (e *early) first(ctx context.Context) *mc.Problem {
	if kindOf(e.Name()).Justice { // it needs W, and finds the symmetry of its own systems
		select {
		case <-e.x.formed.ready:
		case <-e.x.done:
		case <-ctx.Done():
		}
		return e.x.formed.problem()
	}
	if e.takes() {
		select {
		case <-e.x.encoded.ready:
		case <-e.x.done:
		case <-ctx.Done():
		}
		return e.x.encoded.problem()
	}
	select {
	case <-e.x.formed.ready:
	case <-e.x.done:
	case <-ctx.Done():
	}
	select {
	case <-e.x.done:
	case <-time.After(e.x.patience):
	case <-ctx.Done():
	}
	select {
	case <-e.x.done:
		return nil
	default:
		return e.x.formed.problem()
	}
}

// later returns what became known of a problem; nil if that is nothing yet, or if the engine
// is to begin anew.
func (e *early) later(p *mc.Problem) *mc.Problem {
	select {
	case <-e.x.done:
		if e.x.err == nil && e.x.a.Problem.System() == p.System() && (e.takes() || len(e.x.a.Problem.Images) == 0) {
			return e.x.a.Problem
		}
	default:
	}
	return nil
}

// goesOn reports whether the engine goes on with a problem after the preparation: it takes the
// symmetry, or there is none.
func (e *early) goesOn(p *mc.Problem) bool {
	q := e.later(p)
	if q == nil || e.takes() {
		return q != nil
	}
	for _, prop := range q.Props {
		if !q.Group(prop).Trivial() {
			return false
		}
	}
	return true
}
