package portfolio

import (
	"context"
	"errors"
	"slices"
	"time"

	"orbitmc/bmc"
	"orbitmc/internal/task"
	"orbitmc/mc"
)

// This file lets symbolic engines begin beside the search for symmetry and its verification.
//
// Bounded model checking begins when there is a system. It takes the symmetry between two
// depths (mc.Options.Later). The other engines wait until states are known to be well-formed, and
// a little longer (patience), as most models have their symmetry by then; k-induction does not. They begin anew when
// symmetry is found later, or when verdicts can be carried to images of properties. What they found
// before is kept if it is an answer. So beginning anew costs at most the time of the
// preparation, once. All engines begin anew if the preparation ends with another system.
//
// The evidence of an engine that began without symmetry is a trace, or a proof whose group is
// trivial. It is checked on the problem that the engine began with.
//
// A run of one engine waits for the symmetry. So its counterexample does not depend on when
// the symmetry comes. Bounded model checking does not wait, as the search for symmetry may take minutes.
// This search goes on between two depths, in steps: firstSteps, and one for every
// stepsPerStep of bmc. So the depth at which symmetry comes depends on counts and not on time. A step of
// bmc takes about 0.2 µs, one of the search for symmetry 0.2 to 0.6 µs, so this search mostly costs less than a tenth
// of the run and 0.3 s. docs/decisions.md has the exceptions.
//
// Then bmc of a model begins on the encoding without inferred classes. It goes over to one that has more symmetry if
// that is known before the first depth and quantifiers may hide errors in it, or later if it is likely to pay
// (bmc.Worth).

const (
	firstSteps   = 1 << 19
	stepsPerStep = 32
)

// paced reports whether bmc is to run beside the search for symmetry in step with it: it decides itself when symmetry
// pays, and neither an encoding nor what it counts is asked for.
func paced(t *task.Task, engines []mc.Engine) bool {
	if len(engines) != 1 || engines[0].Name() != "bmc" || t.Symmetry == "off" {
		return false
	}
	if !slices.ContainsFunc(t.Problem.Props, func(prop int) bool { return mc.HasTrace(t.Problem.Kind(prop)) }) {
		return false // it ends before the first depth
	}
	if t.Problem.IsNetlist() {
		return t.Symmetry != "declared"
	}
	c, ok := bare(engines[0]).(*bmc.Checker)
	return (!ok || c.Rep == bmc.RepAuto) && t.Symmetry != "detected" && t.Encoding == "" && t.Problem.Counters == nil
}

// patience is how long engines that would begin anew wait for the symmetry.
const patience = 2 * time.Second

// earlyEngine is a symbolic engine that begins before the symmetry is known.
type earlyEngine struct {
	mc.Engine
	x *preparation
}

// run returns the problem of the search that ended, with its result.
func (e *earlyEngine) run(ctx context.Context, opt mc.Options) (*mc.Problem, *mc.Result, error) {
	p := e.begin(ctx)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if p == nil {
		return e.x.run(ctx, e.Engine, opt)
	}
	within, stop := context.WithCancel(ctx)
	defer stop()
	begun := p
	go func() {
		select {
		case <-e.x.done:
			if !e.goesOn(begun) {
				stop()
			}
		case <-within.Done():
		}
	}()
	own := opt
	own.Lemmas = e.x.lemmasOf(p)
	if e.takesSymmetry() {
		own.Later = func(w mc.Work) *mc.Problem {
			if e.x.pace != nil {
				e.x.pace.Grant(e.x.lead+w.Steps/stepsPerStep, e.x.done)
			}
			q := e.prepared(p)
			if q == nil && e.x.pace != nil {
				if q = e.other(w, begun); q != nil && q != begun {
					e.x.wentOver.Store(true)
					p = q
				}
			}
			return q
		}
	}
	r, err := e.Engine.Run(within, p, own)
	if errors.Is(err, mc.ErrHidden) {
		return (&earlyEngine{e.Engine, e.x.replace()}).run(ctx, opt)
	}
	stopped := ctx.Err() == nil && within.Err() != nil
	if stopped && (task.CutShort(within, err) || err == nil && !isAnswer(r, opt)) {
		return e.x.run(ctx, e.Engine, opt)
	}
	if e.x.isDone() && errors.As(e.x.err, new(*task.Panic)) { // it may have come too late to stop the engine
		return nil, nil, e.x.err
	}
	if err == nil && hasProof(r) {
		e.x.proved.CompareAndSwap(nil, p)
	}
	return p, r, err
}

// takesSymmetry reports whether the engine takes the symmetry while it runs, and so does not begin anew.
func (e *earlyEngine) takesSymmetry() bool { return kindOf(e.Name()).Later }

// brief reports whether the engine is done so soon that it neither waits for the symmetry nor begins anew with it.
func (e *earlyEngine) brief() bool {
	_, is := bare(e.Engine).(*brief)
	return is
}

// begin waits for a problem to begin with, and returns it; nil if the preparation was faster.
func (e *earlyEngine) begin(ctx context.Context) *mc.Problem {
	x := e.x
	switch {
	case kindOf(e.Name()).Justice: // it needs W, and finds the symmetry of its own systems
		return x.await(ctx, x.wellFormed)
	case e.takesSymmetry():
		return x.await(ctx, x.encoded)
	case e.brief():
		return x.await(ctx, x.wellFormed)
	}
	x.await(ctx, x.wellFormed)
	select {
	case <-x.done:
	case <-time.After(x.patience):
	case <-ctx.Done():
	}
	if x.isDone() {
		return nil
	}
	return x.wellFormed.problem()
}

// prepared returns the problem p with what the preparation found of it; nil if it has not ended yet, or
// if the engine is to begin anew.
func (e *earlyEngine) prepared(p *mc.Problem) *mc.Problem {
	if !e.x.isDone() || e.x.err != nil {
		return nil
	}
	q := e.x.analysis.Problem
	if q.System() != p.System() || len(q.Images) > 0 && !e.takesSymmetry() {
		return nil
	}
	return q
}

// other returns the problem that the preparation ended with if bmc is to go over to its system after some work; nil if
// not yet, and the one that bmc began with if never. A system in which quantifiers hide errors is taken before the first
// depth, or never: it has errors of lesser depths that bmc did not look for.
func (e *earlyEngine) other(w mc.Work, begun *mc.Problem) *mc.Problem {
	if !e.x.isDone() || e.x.err != nil {
		return nil
	}
	switch q := e.x.analysis.Problem; {
	case q.System() == nil:
		return begun
	case strict(q) && w.Depth == 0, !strict(q) && bmc.Worth(q, w.Hard):
		return q
	case strict(q), !bmc.Worth(q, q.Props):
		return begun
	}
	return nil
}

// goesOn reports whether the engine goes on with a problem after the preparation: it takes the
// symmetry, or there is none.
func (e *earlyEngine) goesOn(p *mc.Problem) bool {
	if e.brief() {
		return e.x.err == nil && e.x.analysis.Problem.System() == p.System()
	}
	q := e.prepared(p)
	if q == nil || e.takesSymmetry() {
		return q != nil || e.x.pace != nil
	}
	return !slices.ContainsFunc(q.Props, func(prop int) bool { return !q.Group(prop).Trivial() })
}
