package portfolio

import (
	"context"
	"math/big"
	"time"

	"orbitmc/internal/task"
	"orbitmc/mc"
)

// This file lets explicit search begin before the symmetry of a model is known. Typing takes
// milliseconds on most models; the verification on circuits may take longer than the whole
// search. Explicit search begins with the symmetry that is known after a head start. Once more
// symmetry is known, it begins anew on the smaller quotient. The states that it visited before
// are no representatives there, and are dropped. Beginning anew costs at most the time of the
// preparation, once. While a task is prepared, explicit search has several threads, and so half
// of two cores; then it has one, beside the other engines.

// upgradingEngine is explicit search that goes over to smaller quotients.
type upgradingEngine struct {
	mc.Engine
	x *preparation
}

// finding is a problem that explicit search may go over to, or why there is none.
type finding struct {
	analysis *task.Analysis
	err      error
}

// headStart is how long explicit search waits for symmetry by typing.
const headStart = 100 * time.Millisecond

// run returns the problem of the search that ended, with its result.
func (u *upgradingEngine) run(ctx context.Context, opt mc.Options) (*mc.Problem, *mc.Result, error) {
	t := u.x.task
	plain, err := t.Plain(ctx)
	if err != nil {
		return nil, nil, err
	}
	found, typed := u.find(ctx, plain)
	select {
	case <-typed:
	case <-time.After(headStart):
	case <-ctx.Done():
	}
	a := plain
	opt.Alone = u.x.done
	for {
		for len(found) > 0 {
			switch b := <-found; {
			case b.err != nil:
				return nil, nil, b.err
			case u.hasMore(b.analysis, a):
				a = b.analysis
			}
		}
		if a.Report == nil { // not of the preparation
			u.x.typed.Store(a)
		}
		r, next, err := u.explore(ctx, a, found, opt)
		if err == nil && next == nil && r.Hidden { // the symmetry did not count
			t.Hide()
			if next, err = t.Quick(ctx, plain); task.CutShort(ctx, err) {
				return a.Problem, r, nil
			}
		}
		if next == nil {
			return a.Problem, r, err
		}
		a = next
	}
}

// find looks for symmetry in the background: by typing, whose end closes typed, then rule by rule, and in the
// preparation.
func (u *upgradingEngine) find(ctx context.Context, plain *task.Analysis) (found chan finding, typed chan struct{}) {
	found, typed = make(chan finding, 3), make(chan struct{}) // all are sent, even if the search has ended
	go func() {
		a, err := u.x.task.Quick(ctx, plain)
		found <- finding{a, err}
		close(typed)
		if a, err := u.x.task.Partly(ctx, plain.Problem.Props); a != nil && err == nil {
			found <- finding{a, nil}
		}
	}()
	go func() {
		x := u.x
		<-x.done
		for next := x.replacement(); next != nil; next = x.replacement() {
			x = next
			<-x.done
		}
		if x.err == nil {
			found <- finding{x.analysis, nil}
		}
	}()
	return found, typed
}

// explore runs explicit search on a problem until it ends, or until more symmetry is found, whose
// analysis it then returns. What the search found before is kept if it is an answer.
func (u *upgradingEngine) explore(ctx context.Context, a *task.Analysis, found <-chan finding, opt mc.Options) (*mc.Result, *task.Analysis, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type end struct {
		r   *mc.Result
		err error
	}
	ended := make(chan end, 1)
	go func() {
		var got end
		defer func() { ended <- got }()
		defer task.Recover(&got.err)
		got.r, got.err = u.Engine.Run(ctx, a.Problem, opt)
	}()
	for {
		select {
		case got := <-ended:
			return got.r, nil, got.err
		case b := <-found:
			if b.err == nil && !u.hasMore(b.analysis, a) {
				continue
			}
			stop()
			if got := <-ended; got.err != nil || isAnswer(got.r, opt) {
				return got.r, nil, got.err
			}
			return nil, b.analysis, b.err
		}
	}
}

// hasMore reports whether b has more symmetry than a, and may be used.
func (u *upgradingEngine) hasMore(b, a *task.Analysis) bool {
	if len(b.Problem.Strict) > 0 && u.x.task.Hides() {
		return false
	}
	if a.Problem.Partial != nil { // few rules break partial symmetry, so it is more than that of all rules
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
