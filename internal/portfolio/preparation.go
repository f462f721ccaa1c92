package portfolio

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"orbitmc/internal/board"
	"orbitmc/internal/pace"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/ts"
)

// This file makes a task ready for engines, in the background. The stages of a task, and the engines that begin
// at each of them:
//
//	stage         reached by                engines that begin           field
//	parsed        task.Open
//	typed         Task.Plain, Task.Quick    explicit search              typed
//	encoded       Task.Analyse              bmc                          encoded
//	well-formed   Task.Analyse              others that are symbolic     wellFormed
//	prepared      Task.Analyse              those that have not begun    done, analysis
//	replaced      Task.Hide, Task.Analyse   all, anew                    restarts
//
// A prepared task has its symmetry. An engine that began before that does one of three things:
//
//   - it goes on, and takes the symmetry while it runs (early.go: bmc, klive);
//   - it goes over to the smaller quotient (upgrade.go: explicit search);
//   - it begins anew, unless it has an answer (early.go: pdr).
//
// Some symmetry counts only as long as no quantifier hides an error (docs/theory/symmetry.md). Engines use it until
// they find a hidden error: explicit search says so in its result, and symbolic engines get
// mc.ErrHidden with a path. Then another preparation without such symmetry replaces this one. All
// engines begin anew on it: what one has found hidden, the others would find as well.

// preparation is a task that is made ready for engines in the background. An engine may wait for its end, or
// begin at an earlier stage.
type preparation struct {
	task    *task.Task
	initial *mc.Problem // of the task, before it is prepared

	done     chan struct{}  // closed at the end; analysis, lemmas and err are set then
	analysis *task.Analysis // of the task that is prepared
	err      error          // why it is not

	lemmas   *board.Board // of a certificate, for all engines (--lemmas); nil is none
	boards   *boards      // for lemmas that engines exchange; nil is none
	verified *mc.Verified // for all checks of evidence

	encoded, wellFormed *awaited      // problems of these stages; nil if no engine begins there
	patience            time.Duration // how long engines that would begin anew wait for the end instead

	pace     *pace.Pace  // keeps the search for symmetry in step with bmc; nil is none
	lead     int64       // steps that this search may take before the first one of bmc
	wentOver atomic.Bool // bmc goes on with the encoding that has the symmetry
	restarts restarts

	// What engines began with. Evidence may be about it.
	typed  atomic.Pointer[task.Analysis] // that explicit search runs on; nil until it begins
	proved atomic.Pointer[mc.Problem]    // that an engine has a proof about, and that is not of analysis; nil is none
}

// awaited is a problem that is known at some stage of a preparation.
type awaited struct {
	ready chan struct{} // closed when p is known
	p     *mc.Problem   // with a system, without symmetry
}

func newAwaited() *awaited { return &awaited{ready: make(chan struct{})} }

// problem returns the problem; nil if there is none, or none yet.
func (a *awaited) problem() *mc.Problem {
	if a == nil || !isClosed(a.ready) {
		return nil
	}
	return a.p
}

// isClosed reports whether a channel is closed on which nothing is sent.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// prepare begins to prepare a task, until ctx ends. If it fails it ends ctx by cancel.
func prepare(ctx context.Context, cancel func(), t *task.Task, engines []mc.Engine, opt Options) *preparation {
	x := &preparation{task: t, initial: t.Problem, done: make(chan struct{}), verified: new(mc.Verified), patience: patience, lead: firstSteps}
	// Lemmas do not help bmc on netlists, and pdr looks long for them (docs/decisions.md).
	beside := len(engines) > 1 && !t.Problem.IsNetlist()
	if opt.Lemmas == "" && (beside || opt.Share != "") {
		x.boards = &boards{of: make(map[*ts.System]*board.Board), share: opt.Share}
	}
	if inStep := paced(t, engines); opt.Lemmas == "" && (len(engines) > 1 || inStep) {
		x.encoded, x.wellFormed = newAwaited(), newAwaited()
		if inStep {
			x.pace = pace.New()
		}
	}
	within, stop := context.WithCancel(ctx)
	x.restarts.stop = stop
	x.restarts.prepare = func() *preparation { return prepare(ctx, cancel, t, engines, opt) }
	go func() {
		defer close(x.done)
		defer stop()
		defer task.Recover(&x.err)
		switch x.err = x.analyse(within, engines, opt); {
		case x.err != nil && x.replacement() != nil: // it was stopped
		case x.err != nil:
			cancel()
		case opt.Ready != nil:
			opt.Ready()
		}
	}()
	return x
}

// analyse takes the task through all stages.
func (pr *preparation) analyse(ctx context.Context, engines []mc.Engine, opt Options) (err error) {
	encode := slices.ContainsFunc(engines, symbolic)
	var early func(p *mc.Problem)
	if pr.encoded != nil {
		early = func(p *mc.Problem) {
			p.Full, p.Gophersat, p.Verified = opt.Full, opt.Gophersat, pr.verified
			for _, b := range []*awaited{pr.encoded, pr.wellFormed} {
				if b.problem() == nil && (b == pr.encoded || p.WellFormed) {
					b.p = p
					close(b.ready)
				}
			}
		}
	}
	if pr.pace != nil {
		ctx = pr.pace.With(ctx)
	}
	if pr.analysis, err = pr.task.Analyse(ctx, encode, early); err != nil {
		return err
	}
	p := pr.analysis.Problem
	p.Full, p.Gophersat, p.Verified = opt.Full, opt.Gophersat, pr.verified
	if sys := p.System(); encode && sys != nil && (!onlyBMC(engines) || sys.NumAnds() <= task.LargeSystem) {
		if err := pr.task.ProveWellFormed(ctx, pr.analysis); err != nil {
			return err
		}
	}
	if opt.Lemmas != "" {
		src, err := pr.task.Files.Read(opt.Lemmas)
		if err != nil {
			return err
		}
		pr.lemmas, err = lemmas(ctx, p, opt.Lemmas, src)
		return err
	}
	return nil
}

// onlyBMC reports whether bounded model checking is the only engine that reads the
// encoding.
func onlyBMC(es []mc.Engine) bool {
	return !slices.ContainsFunc(es, func(e mc.Engine) bool { return e.Name() != "bmc" && e.Name() != "explicit" })
}

// isDone reports whether the preparation has ended.
func (pr *preparation) isDone() bool { return isClosed(pr.done) }

// await waits for a stage, and returns its problem; nil if the preparation or ctx ended before.
func (pr *preparation) await(ctx context.Context, stage *awaited) *mc.Problem {
	select {
	case <-stage.ready:
	case <-pr.done:
	case <-ctx.Done():
	}
	return stage.problem()
}

// join waits for the end of the preparation, whose context has ended, but not for long.
func (pr *preparation) join() (*task.Analysis, error) {
	select {
	case <-pr.done:
		return pr.analysis, pr.err
	case <-time.After(task.Grace):
		return nil, context.Canceled
	}
}

// run runs an engine on the task once it is prepared. The result is nil if the engine
// cannot run, as the preparation failed or there is no encoding. The error may be a panic of
// the preparation.
func (pr *preparation) run(ctx context.Context, e mc.Engine, opt mc.Options) (*mc.Problem, *mc.Result, error) {
	select {
	case <-pr.done:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	if next := pr.replacement(); next != nil {
		return next.run(ctx, e, opt)
	}
	if pr.err != nil {
		if errors.As(pr.err, new(*task.Panic)) || task.CutShort(ctx, pr.err) {
			return nil, nil, pr.err
		}
		return nil, nil, nil
	}
	p := pr.analysis.Problem
	if symbolic(e) && p.System() == nil {
		return p, nil, nil
	}
	own := opt
	own.Lemmas = pr.lemmasOf(p)
	r, err := e.Run(ctx, p, own)
	switch {
	case errors.Is(err, mc.ErrHidden) || err == nil && r.Hidden:
		return pr.replace().run(ctx, e, opt)
	case err == nil && strict(p) && hasProof(r):
		pr.proved.CompareAndSwap(nil, p)
	}
	return p, r, err
}

// declined reports whether bmc did without the symmetry of an encoding in which quantifiers hide errors: then nobody
// looked for those, on which this symmetry rests.
func (pr *preparation) declined(a *task.Analysis) bool {
	return pr.pace != nil && strict(a.Problem) && !pr.wentOver.Load()
}

// strict reports whether a problem has an encoding that counts only where no error is hidden.
func strict(p *mc.Problem) bool { return p.Enc != nil && p.Enc.Strict != nil }

// hasProof reports whether a result has evidence that is about a system.
func hasProof(r *mc.Result) bool {
	return slices.ContainsFunc(r.Props, func(pr mc.PropResult) bool { return pr.Proof != nil || pr.Reaching != nil })
}

// restarts is the replacement of a preparation, once an error was hidden.
type restarts struct {
	mu      sync.Mutex
	stop    func()              // ends the preparation that is replaced
	prepare func() *preparation // begins another one
	by      *preparation        // nil: the symmetry counts, so far
}

// replace returns the preparation in place of pr, and begins it if need be.
func (pr *preparation) replace() *preparation {
	r := &pr.restarts
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by == nil {
		pr.task.Hide()
		r.by = r.prepare()
		r.stop()
	}
	return r.by
}

// replacement returns the preparation in place of pr; nil if there is none.
func (pr *preparation) replacement() *preparation {
	pr.restarts.mu.Lock()
	defer pr.restarts.mu.Unlock()
	return pr.restarts.by
}

// lemmasOf returns the lemmas for engines that run on a problem; nil is none.
func (pr *preparation) lemmasOf(p *mc.Problem) mc.Lemmas {
	switch {
	case pr.lemmas != nil:
		return pr.lemmas
	case pr.boards != nil:
		return pr.boards.at(p.System())
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
