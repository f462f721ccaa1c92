package portfolio

import (
	"context"

	"orbitmc/mc"
	"orbitmc/task"
)

// This file lets bounded model checking begin when the model is encoded, beside the verification
// of its symmetry. It takes the symmetry between two depths (mc.Options.Later). If the model is
// encoded in another way in the end, the search begins anew.
//
// A run of one engine waits for the symmetry. So its counterexample does not depend on when
// the symmetry comes.

// early is an engine that begins before the symmetry is known.
type early struct {
	mc.Engine
	t *task.Task
	x *preparation
}

// run returns the problem of the search that ended, with its result.
func (e *early) run(ctx context.Context, opt mc.Options) (*mc.Problem, *mc.Result, error) {
	select {
	case <-e.x.encoded:
	case <-e.x.done:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	p := e.x.begun()
	if p == nil {
		return e.x.run(ctx, e.t, e.Engine, opt)
	}
	within, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-e.x.done:
			if e.later(p) == nil {
				stop()
			}
		case <-within.Done():
		}
	}()
	own := opt
	own.Lemmas = e.x.lemmas
	own.Later = func() *mc.Problem { return e.later(p) }
	r, err := e.Engine.Run(within, p, own)
	if ctx.Err() == nil && within.Err() != nil && (task.CutShort(within, err) || err == nil && r.Open() > 0 && !r.Violated()) {
		return e.x.run(ctx, e.t, e.Engine, opt)
	}
	return p, r, err
}

// later returns what became known of a problem; nil if that is nothing yet, or if the problem
// for engines has another system.
func (e *early) later(p *mc.Problem) *mc.Problem {
	select {
	case <-e.x.done:
		if e.x.err == nil && e.x.a.Problem.System() == p.System() {
			return e.x.a.Problem
		}
	default:
	}
	return nil
}

// begun returns the problem that engines begin with before the symmetry is known; nil if
// there is none, or none yet.
func (x *preparation) begun() *mc.Problem {
	select {
	case <-x.encoded:
		return x.early
	default:
		return nil
	}
}
