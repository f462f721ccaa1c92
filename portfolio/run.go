// Package portfolio runs engines on a task, side by side and within limits. The engines
// share lemmas, and the first one that decides everything ends the run. The evidence of
// each verdict is checked before a result is returned. The package also carries lemmas from
// small sizes of a model to larger ones.
//
//	engines.go      the table of engines
//	run.go          engines side by side
//	perorbit.go     one property of each orbit; its verdict for the others
//	carry.go        pdr with lemmas of smaller sizes
//	sweep.go        pdr at many sizes
//	certificate.go  certificates of outcomes, and their check
//	lemmas.go       the clauses of a certificate as lemmas
package portfolio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"orbitmc/mc"
	"orbitmc/mc/board"
	"orbitmc/mc/certify"
	"orbitmc/task"
)

// Options say how engines run. The zero value is the default.
type Options struct {
	mc.Options
	Full   bool   // evidence is checked for every image under the symmetry, not for one of each orbit
	Lemmas string // a certificate whose clauses are checked and then assumed in each frame; "" is none

	// Ready is called before the engines start. From then on the engines check the limits
	// themselves. nil does nothing.
	Ready func()
}

// Outcome is what engines found.
type Outcome struct {
	Result  *mc.Result   // of all engines together
	Each    []*mc.Result // by engine
	Engines []string     // by engine
	Problem *mc.Problem  // that they were given; nil if they did not start
	Lemmas  mc.Lemmas    // that they were given; nil if there are none
	Crash   *task.Panic  // a panic of one of them; what the others know is in Result
}

// Run prepares a task, runs engines on it side by side, and checks the evidence of their
// verdicts. If ctx ends early, the outcome has the verdicts found so far. An error is about
// the input or an engine.
func Run(ctx context.Context, t *task.Task, engines []mc.Engine, opt Options) (*Outcome, error) {
	symbolic := func(e mc.Engine) bool { return kindOf(e.Name()).Symbolic }
	if t.Problem.Netlist != nil {
		if engines = slices.DeleteFunc(engines, func(e mc.Engine) bool { return !symbolic(e) }); len(engines) == 0 {
			return nil, fmt.Errorf("%s: explicit search is for models, and this is a netlist; use bmc", t.File)
		}
	}
	encoded := slices.ContainsFunc(engines, symbolic)
	err := t.Prepare(ctx, encoded)
	if err == nil && encoded && (!onlyBMC(engines) || t.Problem.System() == nil || t.Problem.System().NumAnds() <= largeSystem) {
		err = t.ProveWellFormed(ctx)
	}
	if err != nil {
		if !task.CutShort(ctx, err) {
			return nil, err
		}
		r := mc.NewResult("", t.Problem)
		r.Stopped = mc.StopReason(ctx)
		return &Outcome{Result: r, Each: []*mc.Result{r}}, nil
	}
	p := t.Problem
	p.Full = opt.Full
	if p.System() == nil {
		if engines = slices.DeleteFunc(engines, symbolic); len(engines) == 0 {
			return nil, p.EncErr
		}
	}
	if len(engines) > 1 {
		opt.Options.Lemmas = &board.Board{}
	}
	if opt.Lemmas != "" {
		if opt.Options.Lemmas, err = lemmas(ctx, p, opt.Lemmas); err != nil {
			return nil, err
		}
	}
	if opt.Ready != nil {
		opt.Ready()
	}
	out := &Outcome{Problem: p, Lemmas: opt.Options.Lemmas}
	for _, e := range engines {
		out.Engines = append(out.Engines, e.Name())
	}
	out.Each, err = sideBySide(ctx, p, engines, opt.Options)
	if err != nil && !errors.As(err, &out.Crash) {
		return nil, err
	}
	out.Result, err = mc.Merge(p, out.Each...)
	return out, err
}

// largeSystem is the number of AND gates beyond which bounded model checking
// does without W: it is true in a run from reset anyway, and on the generated models
// of that size its proof and its clauses cost more than they save.
const largeSystem = 300_000

// onlyBMC reports whether bounded model checking is the only engine that reads the
// encoding.
func onlyBMC(es []mc.Engine) bool {
	return !slices.ContainsFunc(es, func(e mc.Engine) bool { return e.Name() != "bmc" && e.Name() != "explicit" })
}

// InternalError is the reason for undecided properties if an engine panicked.
const InternalError = "an internal error"

// sideBySide runs the engines concurrently until one decides all properties, and checks the
// evidence of each. If one panics, all are stopped; the results are those found so far, and
// the error is the panic.
func sideBySide(whole context.Context, p *mc.Problem, engines []mc.Engine, opt mc.Options) ([]*mc.Result, error) {
	ctx, cancel := context.WithCancel(whole)
	defer cancel()
	type answer struct {
		i   int
		r   *mc.Result
		err error
	}
	answers := make(chan answer, len(engines))
	for i, e := range engines {
		go func() {
			a := answer{i: i}
			defer func() { answers <- a }()
			defer task.Recover(&a.err)
			r, err := e.Run(ctx, p, opt)
			if a.err = err; err != nil && (r == nil || !errors.As(err, new(*task.Panic))) {
				return
			}
			ctx := ctx
			if whole.Err() != nil { // a moment for what was found until then
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(context.WithoutCancel(whole), task.Grace/2)
				defer cancel()
			}
			if err := certify.Verify(ctx, p, r); err != nil {
				a.err = err
				return
			}
			a.r = r
		}()
	}
	var crash *task.Panic
	results := make([]*mc.Result, len(engines))
	var late <-chan time.Time
	stopped := ctx.Done()
	for n := 0; n < len(engines); {
		select {
		case a := <-answers:
			n++
			var v *task.Panic
			if errors.As(a.err, &v) {
				crash = cmp.Or(crash, v)
				cancel()
			} else if a.err != nil {
				return nil, fmt.Errorf("%s: %w", engines[a.i].Name(), a.err)
			}
			if a.r == nil {
				a.r = mc.NewResult(engines[a.i].Name(), p)
				a.r.Stopped = InternalError
			}
			if results[a.i] = a.r; a.r.Open() == 0 || a.r.Violated() && !opt.All {
				cancel()
			}
		case <-stopped:
			stopped, late = nil, time.After(task.Grace)
		case <-late: // inside one endless step of the model
			n = len(engines)
		}
	}
	for i, r := range results {
		if r == nil {
			results[i] = mc.NewResult(engines[i].Name(), p)
			results[i].Stopped = mc.StopReason(ctx)
		}
		if crash != nil && whole.Err() == nil && results[i].Stopped == "interrupted" {
			results[i].Stopped = InternalError
		}
	}
	if crash != nil {
		return results, crash
	}
	return results, nil
}
