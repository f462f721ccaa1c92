// Package portfolio runs engines on a task, side by side and within limits. The engines
// share lemmas, and the first one that decides everything ends the run. The evidence of
// each verdict is checked before a result is returned. The package also carries lemmas from
// small sizes of a model to larger ones.
//
//	engines.go      the table of engines
//	run.go          a run: from a task to an outcome
//	preparation.go  the life of a task: when engines begin, go over, or begin anew
//	race.go         engines side by side
//	schedule.go        who runs where there are fewer cores
//	upgrade.go      explicit search that goes over to the quotient
//	formulas.go     explicit search for formulas; netlist.go: of netlists
//	early.go        symbolic engines that begin before the symmetry is known
//	perorbit.go     one property of each orbit; its verdict for the others
//	carry.go        pdr with lemmas of smaller sizes
//	sweep.go        pdr at many sizes
//	every.go        proofs for every size, from the lemmas of small ones; every_*.go
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
	"runtime"
	"slices"
	"sync"

	"orbitmc/internal/task"
	"orbitmc/mc"
)

// Options say how engines run. The zero value is the default.
type Options struct {
	mc.Options
	Full      bool   // evidence is checked for every image under the symmetry, not for one of each orbit
	Gophersat bool   // evidence is checked by gophersat, not with proofs in LRAT
	Lemmas    string // a certificate whose clauses are checked and then assumed in each frame; "" is none
	Share     string // a folder, for lemmas of other processes; each is checked before use; "" is none

	Cores int // engines that run at the same time, as far as they share cores (schedule.go); 0: one for each core

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
	for ahead := (&lead{}); ; {
		out, err := run(ctx, t, engines, opt, ahead)
		if !errors.Is(err, mc.ErrSpurious) {
			return out, err
		}
		if err := t.Refine(); err != nil {
			return nil, err
		}
	}
}

func run(ctx context.Context, t *task.Task, engines []mc.Engine, opt Options, ahead *lead) (*Outcome, error) {
	engines, err := fitting(t, engines)
	if err != nil {
		return nil, err
	}
	if opt.Share != "" {
		if err := os.MkdirAll(opt.Share, 0o755); err != nil {
			return nil, err
		}
	}
	whole, initial := ctx, t.Problem
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.Restarts = opt.Lemmas == "" && !slices.ContainsFunc(engines, func(e mc.Engine) bool { return symbolic(e) && !kindOf(e.Name()).Strict })
	first := prepare(ctx, cancel, t, engines, opt)
	cores := cmp.Or(opt.Cores, runtime.GOMAXPROCS(0))
	each, about, err := race(whole, ctx, cancel, initial, first.racers(engines), opt.Options, cores, ahead)
	cancel()
	if errors.Is(err, mc.ErrSpurious) {
		first.join() // the task changes next
		return nil, err
	}
	last, proved := first, first.proved.Load()
	for next := last.replacement(); next != nil; next = last.replacement() {
		last = next
		proved = cmp.Or(last.proved.Load(), proved)
	}
	a, failed := last.join()
	if failed == nil && opt.Share != "" && a.Problem.System() != nil && whole.Err() == nil {
		if _, err := last.boards.at(a.Problem.System()).Exchange(whole, a.Problem, 0); err != nil { // what was posted last
			return nil, err
		}
	}
	out := &Outcome{Each: each, about: about}
	if err != nil && !errors.As(err, &out.Crash) {
		return nil, err
	}
	if err := last.conclude(ctx, out, a, failed, proved, first.typed.Load()); err != nil {
		return nil, err
	}
	if len(each) == 0 && out.Crash == nil {
		return nil, t.Problem.EncErr
	}
	out.Result, err = mc.Merge(initial, each...)
	return out, err
}

// fitting returns the engines that run on a task; the error says why there is none.
func fitting(t *task.Task, engines []mc.Engine) ([]mc.Engine, error) {
	if engines = Fit(t, engines); len(engines) == 0 {
		return nil, fmt.Errorf("%s: counting is for justice properties, and there are none", t.File)
	}
	return engines, nil
}

// conclude gives the task and the outcome the analysis that the results are about. failed says why there is none of the
// preparation; the others are those of adopt and adoptUnprepared.
func (pr *preparation) conclude(ctx context.Context, out *Outcome, a *task.Analysis, failed error, proved *mc.Problem, typed *task.Analysis) error {
	if typed != nil { // the states that are counted are those of explicit search, whichever engine decides
		defer func() { pr.task.Broken = typed.Broken }()
	}
	switch {
	case failed == nil && pr.declined(a):
		pr.adoptBegun(out)
	case failed == nil && (proved == nil || proved.System() == a.Problem.System()):
		pr.adopt(out, a, typed)
	default:
		return pr.adoptUnprepared(ctx, out, failed, proved, typed)
	}
	return nil
}

// adopt makes the analysis of a preparation that of the task. typed is the analysis that explicit search ran on;
// nil if it did not run.
func (pr *preparation) adopt(out *Outcome, a *task.Analysis, typed *task.Analysis) {
	pr.task.Analysis = *a
	out.Problem, out.Lemmas = a.Problem, pr.lemmasOf(a.Problem)
	if typed == nil {
		return
	}
	explored := slices.ContainsFunc(out.Each, func(r *mc.Result) bool { return !kindOf(r.Engine).Symbolic && decides(r) })
	if a.Report == nil || explored && strict(a.Problem) {
		pr.task.Typed = typed.Typed
	}
}

// adoptBegun is adopt where bmc declined the symmetry: it ran on what it began with.
func (pr *preparation) adoptBegun(out *Outcome) {
	pr.task.Problem = pr.encoded.problem()
	pr.task.Partial = "what there is needs an encoding in which no quantifier stops early, and bmc went on with the one it had"
	out.Problem, out.Lemmas = pr.task.Problem, pr.lemmasOf(pr.task.Problem)
}

// adoptUnprepared is adopt where the preparation failed, or has another system than the one that an engine has a
// proof about. The error is that of the preparation, if nothing else is known.
func (pr *preparation) adoptUnprepared(ctx context.Context, out *Outcome, failed error, proved *mc.Problem, typed *task.Analysis) error {
	t := pr.task
	crashed := errors.As(failed, &out.Crash)
	switch {
	case proved != nil:
		t.Problem = proved // the evidence needs the encoding
		out.Problem, out.Lemmas = proved, pr.lemmasOf(proved)
		if typed != nil {
			t.Typed = typed.Typed
		}
	case !crashed && !task.CutShort(ctx, failed) && !slices.ContainsFunc(out.Each, decides):
		return failed // otherwise it may have failed because the run was over
	case typed != nil:
		t.Analysis = *typed
	case pr.encoded.problem() != nil:
		if t.Problem = pr.encoded.problem(); pr.pace != nil {
			t.Partial = "bmc ended before the search for it, which has a small part of the time"
		}
	}
	return nil
}

// racers returns the engines with what they wait for.
func (pr *preparation) racers(engines []mc.Engine) []racer {
	var all []racer
	for _, e := range engines {
		r := racer{e.Name(), func(ctx context.Context, opt mc.Options) (*mc.Problem, *mc.Result, error) {
			return pr.run(ctx, e, opt)
		}}
		switch {
		case !symbolic(e) && pr.initial.Formulas != nil:
			r.run = pr.formulas(e)
		case !symbolic(e) && pr.initial.Netlist != nil:
			r.run = pr.enumerating(e, len(engines) > 1).run
		case !symbolic(e) && len(engines) > 1:
			r.run = (&upgradingEngine{e, pr}).run
		case kindOf(e.Name()).Early && pr.encoded != nil:
			r.run = (&earlyEngine{e, pr}).run
		}
		all = append(all, r)
	}
	return all
}

// decides reports whether a result has a verdict on any property.
func decides(r *mc.Result) bool { return r.Open() < len(r.Props) }

// isAnswer reports whether a result ends a run: it decides all properties, or one is violated and that is enough.
func isAnswer(r *mc.Result, opt mc.Options) bool { return r.Open() == 0 || r.Violated() && !opt.All }
