package states

import (
	"context"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"time"
)

// Watch checks that a set of states is closed while the search that makes it goes
// on, in a goroutine of its own. It believes nothing that it is told; see Closure.
//
// The search calls Expanded again and again and then Close. Verify does what is
// left to do.
type Watch struct {
	p     *mc.Problem
	in    chan watched
	spare chan *evidence.Steps
	ended chan struct{}
	ctx   context.Context
	cores *mc.Cores
	limit int64
	k     *closureCheck
	err   error // a member is wrong

	// Members that were looked at, and those of them with steps that were not as told.
	checked, wrong int64
}

// watched is a call of Expanded.
type watched struct {
	view  evidence.View
	steps *evidence.Steps
}

// NewWatch returns a watch that works until ctx ends, on one of the cores. It keeps at most limit
// bytes of what instances do; 0 is mostMemo.
func NewWatch(ctx context.Context, p *mc.Problem, cores *mc.Cores, limit int64) *Watch {
	w := &Watch{p: p.Exact(), limit: limit, in: make(chan watched, 4), spare: make(chan *evidence.Steps, 8), ended: make(chan struct{}), ctx: ctx, cores: cores}
	go w.run()
	return w
}

// run checks what it is told.
func (w *Watch) run() {
	defer func() {
		if w.k != nil {
			w.checked, w.wrong = w.k.done, int64(len(w.k.later))
		}
		close(w.ended)
	}()
	told := int64(0)
	for b := range w.in {
		if w.err != nil || w.ctx.Err() != nil || b.steps.First != told {
			continue // or something was left out
		}
		told += int64(len(b.steps.Ends))
		w.check(b)
	}
}

// check looks at the members of a block.
func (w *Watch) check(b watched) {
	w.cores.Take(w.ctx, w.ahead())
	defer w.cores.Give()
	if w.k == nil {
		w.k = newClosureCheck(w.p)
		if w.k.memo != nil && w.limit > 0 {
			w.k.memo.most = min(w.k.memo.most, int(w.limit))
		}
	}
	if w.err = w.k.see(b.view); w.err != nil {
		return
	}
	n := int64(len(b.steps.Ends))
	const some = 256
	for at := int64(0); at < n && w.err == nil && w.ctx.Err() == nil; at += some {
		next := min(some, n-at)
		w.err = w.k.members(b.steps.First+at, int(next), b.steps)
		w.k.done += next
		w.cores.Pass(w.ctx, w.ahead())
	}
	select {
	case w.spare <- b.steps:
	default:
	}
}

// ahead reports whether there is nothing to check but the block at hand. That is then left for
// the times at which the search cannot use all cores, as at the end of a layer.
func (w *Watch) ahead() bool { return len(w.in) == 0 }

// Expanded tells of the next members. Theirs and all that their steps lead to are
// members of view, which stays as it is, and so do the steps, until they are returned. It
// may have to wait.
func (w *Watch) Expanded(view evidence.View, steps *evidence.Steps) (spare *evidence.Steps) {
	select {
	case w.in <- watched{view, steps}:
	case <-w.ctx.Done():
	}
	select {
	case spare = <-w.spare:
	default:
	}
	return spare
}

// Close says that there will be no more.
func (w *Watch) Close() { close(w.in) }

// end waits until all that was told is checked, or ctx ends. It returns nil if nothing
// was told, or if the watch does not stop soon then.
func (w *Watch) end(ctx context.Context) (*closureCheck, error) {
	select {
	case <-w.ended:
	case <-ctx.Done():
		select {
		case <-w.ended:
		case <-time.After(time.Second):
			return nil, ctx.Err()
		}
	}
	if w.err != nil {
		return nil, w.err
	}
	return w.k, ctx.Err()
}
