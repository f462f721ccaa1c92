package portfolio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"orbitmc/internal/certify"
	"orbitmc/internal/certify/states"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
)

// This file runs engines side by side and has the evidence of each checked. The first verified
// answer ends the race.

// memoLimit is how many bytes the check of a search with a limit of memory may keep: an eighth of the
// limit, at least 32 MiB. 0 is no limit.
func memoLimit(limit int64) int64 {
	if limit == 0 {
		return 0
	}
	return max(limit/8, 32<<20)
}

// racer is an engine in a race.
type racer struct {
	name string
	// run returns what the engine found, and the problem that this is about. The result is
	// nil if the engine cannot run.
	run func(ctx context.Context, opt mc.Options) (*mc.Problem, *mc.Result, error)
}

// answer is what a racer found.
type answer struct {
	i     int         // of the racer
	p     *mc.Problem // that r is about
	r     *mc.Result  // checked; nil if there is none
	unfit bool        // the engine cannot run
	err   error
}

// race runs engines concurrently until one decides everything it is asked for, and
// checks what each of them claims. Then it ends ctx, which is part of whole, by cancel. If
// one panics all are stopped; the results are what is known then, and the error is that
// panic. Engines that cannot run have no result. On a netlist they share cores if there are fewer (schedule.go).
// about tells the problem of each result of an engine.
func race(whole, ctx context.Context, cancel func(), initial *mc.Problem, racers []racer, opt mc.Options, cores int, lead *lead) (each []*mc.Result, about map[*mc.Result]*mc.Problem, err error) {
	opt.Watch = func(ctx context.Context, p *mc.Problem, cores *mc.Cores) evidence.Watch {
		if p.Counters != nil { // the check is about another model
			return nil
		}
		return states.NewWatch(ctx, p, cores, memoLimit(opt.MemLimit))
	}
	var shared *scheduler
	if initial.IsNetlist() && cores < len(racers) {
		shared = &scheduler{cores: cores}
	}
	answers := make(chan answer, len(racers))
	for i, e := range racers {
		own := shared.take(kindOf(e.name).Deepens)
		lead.give(own)
		go func() {
			a := answer{i: i}
			defer func() { answers <- a }()
			defer own.leave()
			defer task.Recover(&a.err)
			a.find(whole, ctx, e, opt, own)
		}()
	}
	var crash *task.Panic
	results := make([]*mc.Result, len(racers))
	unfit := make([]bool, len(racers))
	about = make(map[*mc.Result]*mc.Problem)
	decided := false
	var late <-chan time.Time
	stopped := ctx.Done()
	for n := 0; n < len(racers); {
		select {
		case a := <-answers:
			n++
			unfit[a.i] = a.unfit
			if a.r != nil {
				about[a.r] = a.p
			}
			var v *task.Panic
			switch {
			case errors.As(a.err, &v):
				crash = cmp.Or(crash, v)
				cancel()
				if a.r == nil {
					a.r = mc.NewResult(racers[a.i].name, initial)
					a.r.Stopped = InternalError
				}
			case errors.Is(a.err, mc.ErrSpurious) && decided: // it says nothing any more
			case a.err != nil:
				lead.note()
				return nil, nil, fmt.Errorf("%s: %w", racers[a.i].name, a.err)
			}
			if results[a.i] = a.r; a.r != nil && isAnswer(a.r, opt) {
				decided = true
				cancel()
			}
		case <-stopped:
			stopped, late = nil, time.After(task.Grace)
		case <-late: // inside one endless step of the model
			n = len(racers)
		}
	}
	for i, r := range results {
		if unfit[i] {
			continue
		}
		if r == nil {
			r = mc.NewResult(racers[i].name, initial)
			r.Stopped = mc.StopReason(ctx)
		}
		if crash != nil && whole.Err() == nil && r.Stopped == mc.Interrupted {
			r.Stopped = InternalError
		}
		each = append(each, r)
	}
	if crash != nil {
		err = crash
	}
	return each, about, err
}

// find runs an engine and checks its evidence. If ctx ends the run, there is no result and no error.
func (a *answer) find(whole, ctx context.Context, e racer, opt mc.Options, own *client) {
	if event := opt.Event; own != nil {
		opt.Event = func(e mc.Event) {
			own.deepened(e.Depth)
			own.spend(ctx, perDepth)
			if event != nil {
				event(e)
			}
		}
	}
	p, r, err := e.run(own.with(ctx), opt)
	switch {
	case task.CutShort(ctx, err):
		return
	case err != nil && (r == nil || !errors.As(err, new(*task.Panic))):
		a.err = err
		return
	case r == nil:
		a.unfit = true
		return
	}
	a.err = err
	own.spend(ctx, 0)       // it keeps this core until it ends
	if whole.Err() != nil { // a moment for what was found until then
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(whole), task.Grace/2)
		defer cancel()
	}
	if err := certify.Verify(ctx, p, r); err != nil {
		a.err = err
		return
	}
	a.p, a.r = p, r
}

// alone runs one engine on a problem that is ready, and checks what it claims.
func alone(whole context.Context, p *mc.Problem, e mc.Engine, opt mc.Options) (*mc.Result, error) {
	ctx, cancel := context.WithCancel(whole)
	defer cancel()
	each, _, err := race(whole, ctx, cancel, p, []racer{{e.Name(), func(ctx context.Context, opt mc.Options) (*mc.Problem, *mc.Result, error) {
		r, err := e.Run(ctx, p, opt)
		return p, r, err
	}}}, opt, 1, &lead{})
	if err != nil {
		return nil, err
	}
	return each[0], nil
}

// InternalError is why properties are undecided when an engine panicked.
const InternalError = "an internal error"
