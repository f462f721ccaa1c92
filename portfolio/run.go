// Package portfolio runs engines on a task, side by side and within limits. The engines
// share lemmas, and the first one that decides everything ends the run. The evidence of
// each verdict is checked before a result is returned. The package also carries lemmas from
// small sizes of a model to larger ones.
//
//	engines.go      the table of engines
//	run.go          the course of a run: what engines wait for, and what they leave
//	race.go         engines side by side
//	upgrade.go      explicit search that goes over to the quotient
//	early.go        symbolic engines that begin before the symmetry is known
//	anew.go         engines that begin anew, as their symmetry does not count
//	perorbit.go     one property of each orbit; its verdict for the others
//	carry.go        pdr with lemmas of smaller sizes
//	sweep.go        pdr at many sizes
//	every.go        proofs for every size, from the lemmas of small ones
//	meter.go        how much work such a proof may take where nobody asked for it
//	certificate.go  certificates of outcomes, and their check
//	lemmas.go       the clauses of a certificate as lemmas
package portfolio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"orbitmc/detect/pace"
	"orbitmc/mc"
	"orbitmc/mc/board"
	"orbitmc/task"
	"orbitmc/ts"
)

// Options say how engines run. The zero value is the default.
type Options struct {
	mc.Options
	Full      bool   // evidence is checked for every image under the symmetry, not for one of each orbit
	Gophersat bool   // evidence is checked by gophersat, not with proofs in LRAT
	Lemmas    string // a certificate whose clauses are checked and then assumed in each frame; "" is none
	Share     string // a folder, for lemmas of other processes; each is checked before use; "" is none

	// Ready is called when the task is prepared. From then on the engines check the limits
	// themselves. nil does nothing.
	Ready func()
}

// Outcome is what engines found.
type Outcome struct {
	Result  *mc.Result   // of all engines together
	Each    []*mc.Result // of those that ran, or were to run when ctx ended
	Problem *mc.Problem  // that the task was prepared to; nil if it was not
	Lemmas  mc.Lemmas    // that engines were given; nil if there are none
	Crash   *task.Panic  // a panic of an engine; what the others know is in Result

	about map[*mc.Result]*mc.Problem // the problems of Each, where they are known
}

// Run prepares a task and runs engines on it side by side. Explicit search beside other
// engines begins at once, while the task is prepared for them. The evidence of each verdict is
// checked. If ctx ends early, the outcome has the verdicts found so far. An error is about
// the input or an engine.
func Run(ctx context.Context, t *task.Task, engines []mc.Engine, opt Options) (*Outcome, error) {
	if opt.Ready != nil {
		opt.Ready = sync.OnceFunc(opt.Ready)
	}
	for {
		out, err := run(ctx, t, slices.Clone(engines), opt)
		if !errors.Is(err, mc.ErrSpurious) {
			return out, err
		}
		if err := t.Refine(); err != nil {
			return nil, err
		}
	}
}

func run(ctx context.Context, t *task.Task, engines []mc.Engine, opt Options) (*Outcome, error) {
	if t.Problem.Netlist != nil {
		if engines = slices.DeleteFunc(engines, func(e mc.Engine) bool { return !symbolic(e) }); len(engines) == 0 {
			return nil, fmt.Errorf("%s: explicit search is for models, and this is a netlist; use bmc", t.File)
		}
	}
	whole, initial := ctx, t.Problem
	if t.Problem.Lassos == nil {
		if engines = slices.DeleteFunc(engines, func(e mc.Engine) bool { return kindOf(e.Name()).Justice }); len(engines) == 0 {
			return nil, fmt.Errorf("%s: counting is for justice properties, and there are none", t.File)
		}
	}
	if opt.Share != "" {
		if err := os.MkdirAll(opt.Share, 0o755); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.Restarts = opt.Lemmas == "" && !slices.ContainsFunc(engines, func(e mc.Engine) bool { return symbolic(e) && !kindOf(e.Name()).Strict })
	x := prepare(ctx, cancel, t, engines, opt)
	racers, about := noted(x.racers(t, engines))
	each, err := race(whole, ctx, cancel, initial, racers, opt.Options)
	cancel()
	if errors.Is(err, mc.ErrSpurious) {
		x.join() // the task changes next
		return nil, err
	}
	quick, proved := x.quick.Load(), x.proved.Load()
	for next := x.next(); next != nil; next = x.next() {
		x = next
		proved = cmp.Or(x.proved.Load(), proved)
	}
	a, failed := x.join()
	if failed == nil && opt.Share != "" && a.Problem.System() != nil && whole.Err() == nil {
		if _, err := x.boards.at(a.Problem.System()).Exchange(whole, a.Problem, 0); err != nil { // what was posted last
			return nil, err
		}
	}
	out := &Outcome{Each: each, about: about()}
	switch {
	case err != nil && !errors.As(err, &out.Crash):
		return nil, err
	case proved != nil && (failed != nil || proved.System() != a.Problem.System()):
		t.Problem = proved // the evidence needs the encoding
		out.Problem, out.Lemmas = t.Problem, x.lemmasOf(t.Problem)
		errors.As(failed, &out.Crash)
		if quick != nil {
			t.Typed = quick.Typed
		}
	case failed == nil:
		t.Analysis = *a
		out.Problem, out.Lemmas = a.Problem, x.lemmasOf(a.Problem)
		if quick != nil {
			explored := slices.ContainsFunc(each, func(r *mc.Result) bool { return !kindOf(r.Engine).Symbolic && decides(r) })
			if a.Report == nil || explored && strict(a.Problem) {
				t.Typed = quick.Typed
			}
			if explored {
				t.Broken = quick.Broken
			}
		}
	case !errors.As(failed, &out.Crash) && !task.CutShort(ctx, failed) && !slices.ContainsFunc(each, decides):
		return nil, failed // otherwise it may have failed because the run was over
	default:
		if quick != nil {
			t.Analysis = *quick
		} else if p := x.encoded.problem(); p != nil {
			if t.Problem = p; x.pace != nil {
				t.Partial = "the search gives detection a tenth of its work"
			}
		}
	}
	if len(each) == 0 && out.Crash == nil {
		return nil, t.Problem.EncErr
	}
	out.Result, err = mc.Merge(initial, each...)
	return out, err
}

// decides reports whether a result has a verdict on any property.
func decides(r *mc.Result) bool { return r.Open() < len(r.Props) }

// symbolic reports whether an engine reads the encoding.
func symbolic(e mc.Engine) bool { return kindOf(e.Name()).Symbolic }

// preparation is a task that is made ready for engines in the background.
type preparation struct {
	done   chan struct{} // closed when the rest is known
	a      *task.Analysis
	lemmas *board.Board // of a certificate, for the engines; nil is none
	boards *boards      // for lemmas of the engines; nil is none
	err    error

	pace            *pace.Pace                 // of the search for symmetry beside bmc; nil is none
	first           int64                      // steps that this search may take in front
	encoded, formed *begun                     // formed: and W is proved; nil if no engine begins early
	patience        time.Duration              // how long engines wait that would begin anew
	proved          atomic.Pointer[mc.Problem] // that an engine began with and has proofs about; nil is none

	quick atomic.Pointer[task.Analysis] // that explicit search began with; nil until it did
	anew  anew
}

// prepare begins to prepare a task, until ctx ends. If it fails it ends ctx.
func prepare(ctx context.Context, cancel func(), t *task.Task, engines []mc.Engine, opt Options) *preparation {
	x := &preparation{done: make(chan struct{}), patience: patience, first: firstSteps}
	if opt.Lemmas == "" && (len(engines) > 1 || opt.Share != "") {
		x.boards = &boards{of: make(map[*ts.System]*board.Board), share: opt.Share}
	}
	switch {
	case opt.Lemmas != "":
	case len(engines) > 1:
		x.encoded, x.formed = &begun{ready: make(chan struct{})}, &begun{ready: make(chan struct{})}
	case paced(t, engines):
		x.pace = pace.New()
		x.encoded, x.formed = &begun{ready: make(chan struct{})}, &begun{ready: make(chan struct{})}
	}
	within, stop := context.WithCancel(ctx)
	x.anew.stop = stop
	x.anew.prepare = func() *preparation { return prepare(ctx, cancel, t, engines, opt) }
	go func() {
		defer close(x.done)
		defer stop()
		defer task.Recover(&x.err)
		switch x.err = x.prepare(within, t, engines, opt); {
		case x.err != nil && x.next() != nil: // it was stopped
		case x.err != nil:
			cancel()
		case opt.Ready != nil:
			opt.Ready()
		}
	}()
	return x
}

func (x *preparation) prepare(ctx context.Context, t *task.Task, engines []mc.Engine, opt Options) (err error) {
	encoded := slices.ContainsFunc(engines, symbolic)
	var early func(p *mc.Problem)
	if x.encoded != nil {
		early = func(p *mc.Problem) {
			p.Full, p.Gophersat = opt.Full, opt.Gophersat
			for _, b := range []*begun{x.encoded, x.formed} {
				if b.problem() == nil && (b == x.encoded || p.WellFormed) {
					b.p = p
					close(b.ready)
				}
			}
		}
	}
	if x.pace != nil {
		ctx = x.pace.With(ctx)
	}
	if x.a, err = t.Analyse(ctx, encoded, early); err != nil {
		return err
	}
	p := x.a.Problem
	p.Full, p.Gophersat = opt.Full, opt.Gophersat
	if sys := p.System(); encoded && sys != nil && (!onlyBMC(engines) || sys.NumAnds() <= task.LargeSystem) {
		if err := t.ProveWellFormed(ctx, x.a); err != nil {
			return err
		}
	}
	if opt.Lemmas != "" {
		x.lemmas, err = lemmas(ctx, p, opt.Lemmas)
	}
	return err
}

// lemmasOf returns the lemmas for engines that run on a problem; nil is none.
func (x *preparation) lemmasOf(p *mc.Problem) mc.Lemmas {
	switch {
	case x.lemmas != nil:
		return x.lemmas
	case x.boards != nil:
		return x.boards.at(p.System())
	}
	return nil
}

// boards has a board for each system: a lemma is about the latches of one.
type boards struct {
	mu    sync.Mutex
	of    map[*ts.System]*board.Board
	share string // a folder; "": with no other process
}

func (b *boards) at(sys *ts.System) *board.Board {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of[sys] == nil {
		b.of[sys] = &board.Board{}
		if b.share != "" {
			b.of[sys].Share(b.share)
		}
	}
	return b.of[sys]
}

// join waits for the end of the preparation, whose context has ended, but not for long.
func (x *preparation) join() (*task.Analysis, error) {
	select {
	case <-x.done:
		return x.a, x.err
	case <-time.After(task.Grace):
		return nil, context.Canceled
	}
}

// racers returns the engines with what they wait for.
func (x *preparation) racers(t *task.Task, engines []mc.Engine) []racer {
	var all []racer
	for _, e := range engines {
		r := racer{e.Name(), func(ctx context.Context, opt mc.Options) (*mc.Problem, *mc.Result, error) {
			return x.run(ctx, t, e, opt)
		}}
		switch {
		case !symbolic(e) && len(engines) > 1:
			r.run = (&upgrade{e, t, x}).run
		case kindOf(e.Name()).Early && x.encoded != nil:
			r.run = (&early{e, t, x}).run
		}
		all = append(all, r)
	}
	return all
}

// run runs an engine on the task once it is prepared. The result is nil if the engine
// cannot run, as the preparation failed or there is no encoding. The error may be a panic of
// the preparation.
func (x *preparation) run(ctx context.Context, t *task.Task, e mc.Engine, opt mc.Options) (*mc.Problem, *mc.Result, error) {
	select {
	case <-x.done:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	if next := x.next(); next != nil {
		return next.run(ctx, t, e, opt)
	}
	if x.err != nil {
		if errors.As(x.err, new(*task.Panic)) || task.CutShort(ctx, x.err) {
			return nil, nil, x.err
		}
		return nil, nil, nil
	}
	p := x.a.Problem
	if symbolic(e) && p.System() == nil {
		return p, nil, nil
	}
	own := opt
	own.Lemmas = x.lemmasOf(p)
	r, err := e.Run(ctx, p, own)
	switch {
	case errors.Is(err, mc.ErrHidden) || err == nil && r.Hidden:
		return x.begin(t).run(ctx, t, e, opt)
	case err == nil && strict(p) && hasProof(r):
		x.proved.CompareAndSwap(nil, p)
	}
	return p, r, err
}

// onlyBMC reports whether bounded model checking is the only engine that reads the
// encoding.
func onlyBMC(es []mc.Engine) bool {
	return !slices.ContainsFunc(es, func(e mc.Engine) bool { return e.Name() != "bmc" && e.Name() != "explicit" })
}
