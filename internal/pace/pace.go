// Package pace lets work go on beside other work, in slices that do not depend on time. Both
// count their steps. The one that leads grants the other a number of steps and waits until they are
// taken or the work ends. So what is known of the work at any step of the leader is the same in
// every run.
//
// A step takes about as long as a propagation of a SAT solver, 0.2 µs.
package pace

import "context"

// Pace is what a piece of work in another goroutine may take.
type Pace struct {
	grants chan int64
	parked chan struct{} // the work has taken the steps of the last grant

	// Of the work.
	spent, granted int64 // steps, in all
	owes           bool  // someone waits for parked
}

// New returns a pace that grants nothing yet.
func New() *Pace { return &Pace{grants: make(chan int64), parked: make(chan struct{})} }

type key struct{}

// work is what has a pace, until its context ends.
type work struct {
	*Pace
	ended <-chan struct{}
}

// With returns a context of the work. Only one goroutine may spend steps at a time.
func (p *Pace) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, work{p, ctx.Done()})
}

// Without returns a context of work beside that of ctx, with no pace.
func Without(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, work{}) }

// Grant lets the work go on until it has taken n steps in all, and waits until it has, or until
// done is closed, which the end of the work must do. A number below that of the last grant grants
// nothing.
func (p *Pace) Grant(n int64, done <-chan struct{}) {
	select {
	case p.grants <- n:
	case <-done:
		return
	}
	select {
	case <-p.parked:
	case <-done:
	}
}

// Of reports whether the work of ctx has a pace.
func Of(ctx context.Context) bool { return of(ctx).Pace != nil }

func of(ctx context.Context) work {
	w, _ := ctx.Value(key{}).(work)
	return w
}

// Spend counts steps that the work of ctx has taken, and waits until they are granted or the work is to end. If
// only the limit of a part of it ends, by steps, it waits all the same: otherwise the work would now and then go on
// before the leader, and now and then after. Steps count for the limit of ctx, too. Without a pace and a limit it does
// nothing.
func Spend(ctx context.Context, steps int) {
	LimitOf(ctx).Spend(int64(steps))
	p := of(ctx)
	if p.Pace == nil {
		return
	}
	p.spent += int64(steps)
	for p.spent > p.granted {
		if p.owes {
			select {
			case p.parked <- struct{}{}:
			case <-p.ended:
				return
			}
			p.owes = false
		}
		select {
		case n := <-p.grants:
			p.granted, p.owes = max(n, p.granted), true
		case <-p.ended:
			return
		}
	}
}
