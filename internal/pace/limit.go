package pace

import (
	"context"
	"time"

	"orbitmc/sat"
)

// This file ends work after a number of steps. Such an end does not depend on the machine, as
// one after a time would.

// step is how long a step takes, roughly.
const step = 200 * time.Nanosecond

// Limit is how many steps a piece of work may take. A nil limit is none. It is not safe for
// concurrent use.
type Limit struct {
	left  int64
	end   context.CancelCauseFunc
	cause error
	outer *Limit // which the steps count for, too
}

// NewLimit returns a limit, and a context that ends with it, for a cause. The work must call
// cancel when it is done.
func NewLimit(ctx context.Context, steps int64, cause error) (l *Limit, limited context.Context, cancel context.CancelFunc) {
	limited, end := context.WithCancelCause(ctx)
	return &Limit{steps, end, cause, LimitOf(ctx)}, limited, func() { end(nil) }
}

type limitKey struct{}

// With returns a context whose work counts for the limit.
func (l *Limit) With(ctx context.Context) context.Context {
	if l == nil {
		return ctx
	}
	return context.WithValue(ctx, limitKey{}, l)
}

// LimitOf returns the limit that the work of ctx counts for, the innermost one; nil is none.
func LimitOf(ctx context.Context) *Limit {
	l, _ := ctx.Value(limitKey{}).(*Limit)
	return l
}

// Within returns a context that ends after some time, or where the work of ctx has a limit,
// after as many steps as take that time.
func Within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if LimitOf(ctx) == nil {
		return context.WithTimeout(ctx, d)
	}
	l, ctx, cancel := NewLimit(ctx, int64(d/step), nil)
	return l.With(ctx), cancel
}

// Spend counts steps.
func (l *Limit) Spend(steps int64) {
	for ; l != nil; l = l.outer {
		if l.left -= steps; l.left < 0 {
			l.end(l.cause)
		}
	}
}

// Renew allows so many steps from now on, at least.
func (l *Limit) Renew(steps int64) { l.left = max(l.left, steps) }

// Left returns how many steps are left; below 0 the work has ended.
func (l *Limit) Left() int64 { return l.left }

// Over reports whether the limit ended the work.
func (l *Limit) Over() bool { return l != nil && l.left < 0 }

// least returns how many steps are left of a limit and those around it.
func (l *Limit) least() int64 {
	n := l.left
	for ; l != nil; l = l.outer {
		n = min(n, l.left)
	}
	return n
}

// Counted returns a solver that counts its work for a limit, if that is nil for the one of the
// context of each query, and its pace: a literal that it is given is a step, and so is a propagation. A query ends
// with the limit, if the solver knows limits itself (sat.Limiter).
func Counted(s sat.Solver, l *Limit) sat.Solver {
	c := &counted{Solver: s, limit: l}
	if f, ok := s.(sat.Focuser); ok {
		return &focused{c, f}
	}
	return c
}

type counted struct {
	sat.Solver
	limit *Limit
	given int64 // literals since the last query
}

func (c *counted) Add(clause ...sat.Lit) {
	c.given += int64(len(clause))
	c.Solver.Add(clause...)
}

func (c *counted) AddTo(g sat.Group, clause ...sat.Lit) {
	c.given += int64(len(clause))
	c.Solver.AddTo(g, clause...)
}

func (c *counted) Solve(ctx context.Context, assumptions ...sat.Lit) sat.Status {
	l, spend := c.limit, c.limit.Spend
	if l == nil {
		l, spend = LimitOf(ctx), func(steps int64) { Spend(ctx, int(steps)) }
	}
	if l == nil { // then a pace is not told, either: nothing could end a query
		return c.Solver.Solve(ctx, assumptions...)
	}
	spend(c.given + int64(len(assumptions)))
	c.given = 0
	if limiter, ok := c.Solver.(sat.Limiter); ok {
		limiter.Limit(max(0, l.least()) + 1)
		defer limiter.Limit(0)
	}
	before := c.Stats().Propagations
	answer := c.Solver.Solve(ctx, assumptions...)
	spend(c.Stats().Propagations - before)
	return answer
}

type focused struct {
	*counted
	f sat.Focuser
}

func (f *focused) Focus(vars, rest []sat.Lit) {
	f.given += int64(len(vars))
	f.f.Focus(vars, rest)
}
