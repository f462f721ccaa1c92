package portfolio

import (
	"context"
	"math/big"
	"time"

	"orbitmc/mc"
	"orbitmc/task"
)

// This file lets explicit search begin before the symmetry of a model is known. Symmetry by
// typing takes milliseconds on most models; verified on circuits, it may take longer than the
// whole search. Explicit search begins with what is known after a head start. Once more
// symmetry is known it begins anew on the larger quotient. What it visited before is not used
// again: those states are no representatives. That costs at most the time of the preparation,
// once. While a task is prepared, explicit search has several threads, so that it gets half of
// two cores; then one, beside the other engines.

// upgrade is explicit search that goes over to larger quotients.
type upgrade struct {
	mc.Engine
	t *task.Task
	x *preparation
}

// outcome is what was found of the symmetry of the task.
type outcome struct {
	a   *task.Analysis
	err error
}

// headStart is how long explicit search waits for symmetry by typing.
const headStart = 100 * time.Millisecond

// run returns the problem of the search that ended, with its result.
func (u *upgrade) run(ctx context.Context, opt mc.Options) (*mc.Problem, *mc.Result, error) {
	plain, err := u.t.Plain(ctx)
	if err != nil {
		return nil, nil, err
	}
	a := plain
	known := make(chan outcome, 3) // what explicit search may go over to
	typed := make(chan struct{})
	go func() {
		a, err := u.t.Quick(ctx, plain)
		known <- outcome{a, err}
		close(typed)
		if a, err := u.t.Partly(ctx, plain.Problem.Props); a != nil && err == nil {
			known <- outcome{a, nil}
		}
	}()
	go func() {
		x := u.x
		<-x.done
		for next := x.next(); next != nil; next = x.next() {
			x = next
			<-x.done
		}
		if x.err == nil {
			known <- outcome{x.a, nil}
		}
	}()
	select {
	case <-typed:
	case <-time.After(headStart):
	case <-ctx.Done():
	}
	opt.Alone = u.x.done
	for {
		for len(known) > 0 {
			switch b := <-known; {
			case b.err != nil:
				return nil, nil, b.err
			case u.larger(b.a, a):
				a = b.a
			}
		}
		if a.Report == nil { // not of the preparation
			u.x.quick.Store(a)
		}
		r, next, err := u.until(ctx, a, known, opt)
		if err == nil && next == nil && r.Hidden { // the symmetry did not count
			u.t.Hide()
			if next, err = u.t.Quick(ctx, plain); task.CutShort(ctx, err) {
				return a.Problem, r, nil
			}
		}
		if next == nil {
			return a.Problem, r, err
		}
		a = next
	}
}

// until runs explicit search on a problem until it ends, or until there is a larger quotient.
// What it found before is kept if it is an answer.
func (u *upgrade) until(ctx context.Context, a *task.Analysis, known <-chan outcome, opt mc.Options) (*mc.Result, *task.Analysis, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type answer struct {
		r   *mc.Result
		err error
	}
	ended := make(chan answer, 1)
	go func() {
		var got answer
		defer func() { ended <- got }()
		defer task.Recover(&got.err)
		got.r, got.err = u.Engine.Run(ctx, a.Problem, opt)
	}()
	for {
		select {
		case got := <-ended:
			return got.r, nil, got.err
		case b := <-known:
			if b.err == nil && !u.larger(b.a, a) {
				continue
			}
			stop()
			if got := <-ended; got.err != nil || got.r.Open() == 0 || got.r.Violated() && !opt.All {
				return got.r, nil, got.err
			}
			return nil, b.a, b.err
		}
	}
}

// larger reports whether b has a larger quotient than a, one that counts.
func (u *upgrade) larger(b, a *task.Analysis) bool {
	if len(b.Problem.Strict) > 0 && u.t.Hides() {
		return false
	}
	if a.Problem.Partial != nil { // few rules break it, so it is more than any symmetry of all
		return false
	}
	return b.Problem.Partial != nil || OrbitSize(b.Problem).Cmp(OrbitSize(a.Problem)) > 0
}

// OrbitSize returns how many states explicit search identifies at most: the order of the group
// that permutes the values of each block and rotates rings.
func OrbitSize(p *mc.Problem) *big.Int {
	n := big.NewInt(1)
	for c, class := range p.Blocks {
		if p.Model.Scalarsets[c].Slots {
			continue
		}
		for _, b := range class {
			n.Mul(n, new(big.Int).MulRange(1, int64(len(b))))
		}
	}
	for _, r := range p.Rings {
		n.Mul(n, big.NewInt(int64(r.Order())))
	}
	return n
}
