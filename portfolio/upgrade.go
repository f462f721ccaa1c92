package portfolio

import (
	"context"
	"math/big"

	"orbitmc/mc"
	"orbitmc/task"
)

// This file lets explicit search begin before the symmetry of a model is verified on
// circuits, which may take longer than the whole search. It begins with the symmetry that
// the text of the model shows, or without any. Once more symmetry is verified it begins
// anew on the larger quotient. What the first search visited is not used again: its states are
// no representatives. That costs at most the time of the preparation, once.

// upgrade is explicit search that goes over to a larger quotient.
type upgrade struct {
	mc.Engine
	t *task.Task
	x *preparation
}

// run returns the problem of the search that ended, with its result.
func (u *upgrade) run(ctx context.Context, opt mc.Options) (*mc.Problem, *mc.Result, error) {
	a, err := u.t.Quick(ctx)
	if err != nil {
		return nil, nil, err
	}
	u.x.quick.Store(a)
	first, stop := context.WithCancel(ctx)
	defer stop()
	type answer struct {
		p   *mc.Problem
		r   *mc.Result
		err error
	}
	ended := make(chan answer, 1)
	go func() {
		var got answer
		defer func() { ended <- got }()
		defer task.Recover(&got.err)
		got.p = a.Problem
		if got.r, got.err = u.Engine.Run(first, got.p, opt); got.err != nil || !got.r.Hidden {
			return
		}
		u.t.Hide()
		b, err := u.t.Quick(first)
		if err != nil {
			if first.Err() == nil {
				got.err = err
			}
			return
		}
		u.x.quick.Store(b)
		got.p = b.Problem
		got.r, got.err = u.Engine.Run(first, got.p, opt)
	}()
	select {
	case got := <-ended:
		return got.p, got.r, got.err
	case <-u.x.done:
	}
	if u.x.err != nil || OrbitSize(u.x.a.Problem).Cmp(OrbitSize(u.x.quick.Load().Problem)) <= 0 {
		got := <-ended
		return got.p, got.r, got.err
	}
	stop()
	if got := <-ended; got.err != nil || got.r.Open() == 0 || got.r.Violated() && !opt.All {
		return got.p, got.r, got.err
	}
	r, err := u.Engine.Run(ctx, u.x.a.Problem, opt)
	return u.x.a.Problem, r, err
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
