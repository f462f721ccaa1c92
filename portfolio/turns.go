package portfolio

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"orbitmc/sat"
)

// This file lets the engines on a netlist take turns on fewer cores than there are engines, as stride scheduling
// does (Waldspurger, Weihl: Stride scheduling, 1995): the next turn is that of the engine with the least work so far, by
// its share. Work is what its queries look at, the clauses that it adds, and the gates that explicit search simulates
// (sat.WithPause): counts that do not depend on time. An engine that comes later, as it waited for the symmetry, first
// makes up for the work of the others before. An engine pauses within its queries only: clauses that it writes
// between two queries count with the next query. Turns get longer with the run, as each one fills the caches anew.
//
// Bounded search has half the steps of each other engine, as what it has not found within many depths, or when others are
// as deep, it hardly ever finds first. It has more while it is deeper than all others: at the beginning twice their steps,
// as most of what it finds it finds early; and in a long run, while a single depth takes a good part of all its work,
// a little more than they have. In a run that is longer still it has as many if it is as deep as the others. In long runs
// it also makes up for what it had less before, so that it has done about half of all work if it is the one that decides.
// docs/decisions.md has what this costs.
//
// While evidence is checked, the engine keeps its turn, because the check most likely ends the run. On models explicit
// search has threads of its own, and engines run freely. The preparation runs freely, too: engines wait for it, and it
// waits for no engine.

const (
	slice    = 1 << 20 // steps of a turn, 6 ms
	part     = 16      // a turn is longer if slices are less than one part in so many of all steps
	early    = 3 << 23 // steps of bounded search at the beginning, 0.1 s
	long     = 1 << 28 // its steps from which on a run is long, 1.2 s
	longer   = 1 << 30 // and so long that depths hardly say who will be first, 5 s
	dearPart = 8       // a depth is dear if it takes one part in so many of all work

	// shares of bounded search, as parts of an equal one
	earlyShare  = 2.
	longShare   = 9. / 8
	longerShare = 1.
	otherShare  = 1. / 2
)

// turns are those of engines on some cores.
type turns struct {
	mu      sync.Mutex
	cores   int // free ones
	all     []*turn
	waiting []*turn
}

// turn is the part of one engine in turns. Only the goroutine of the engine calls it. A nil turn never waits.
type turn struct {
	of      *turns
	deepens bool // it is bounded search

	runs   bool          // it has a core
	next   chan struct{} // closed when it gets one
	passed float64       // steps so far, by share
	since  float64       // passed when its turn began

	depth          int   // the last one that was finished; others read it, with the lock
	steps, deepest int64 // so far; when that depth was finished
	last           int64 // steps of that depth
}

// take returns the turn of one more engine.
func (t *turns) take(deepens bool) *turn {
	if t == nil {
		return nil
	}
	x := &turn{of: t, deepens: deepens}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, x)
	return x
}

// with returns a context of the engine, whose queries take turns.
func (x *turn) with(ctx context.Context) context.Context {
	if x == nil {
		return ctx
	}
	return sat.WithPause(ctx, func(steps int64) { x.spend(ctx, steps) })
}

// deepened notes that a depth is finished.
func (x *turn) deepened(depth int) {
	if x == nil {
		return
	}
	x.of.mu.Lock()
	defer x.of.mu.Unlock()
	x.depth, x.last, x.deepest = depth, x.steps-x.deepest, x.steps
}

// ahead reports whether the engine is so many depths deeper than all others, at least.
func (x *turn) ahead(by int) bool {
	return !slices.ContainsFunc(x.of.all, func(y *turn) bool { return y != x && y.depth+by > x.depth })
}

// dear reports whether the last depth, or this one so far, takes a good part of all work.
func (x *turn) dear() bool { return max(x.last, x.steps-x.deepest) > x.steps/dearPart }

// pass counts new steps, which x.steps has already, by the share of the engine. It is called with the lock.
func (x *turn) pass(steps float64) {
	switch {
	case !x.deepens:
		x.passed += steps
	case x.steps < early && x.ahead(2):
		x.passed += steps / earlyShare
	case x.steps >= long && x.dear() && x.ahead(1):
		x.passed = float64(x.steps) / longShare
	case x.steps >= longer && x.dear() && x.ahead(0):
		x.passed = float64(x.steps) / longerShare
	default:
		x.passed += steps / otherShare
	}
}

// spend counts steps, and waits for the next turn if others are behind. It returns at once if ctx ends.
func (x *turn) spend(ctx context.Context, steps int64) {
	if x == nil {
		return
	}
	x.steps += steps
	t := x.of
	t.mu.Lock()
	x.pass(float64(steps))
	if x.runs {
		if x.passed < x.since+max(slice, x.since/part) || !slices.ContainsFunc(t.waiting, func(y *turn) bool { return y.passed < x.passed }) {
			t.mu.Unlock()
			return
		}
		x.runs = false
		t.cores++
	}
	next := make(chan struct{})
	x.next = next
	t.waiting = append(t.waiting, x)
	t.dispatch()
	t.mu.Unlock()
	select {
	case <-next:
	case <-ctx.Done():
	}
}

// dispatch gives free cores to those that are behind most.
func (t *turns) dispatch() {
	for t.cores > 0 && len(t.waiting) > 0 {
		x := slices.MinFunc(t.waiting, func(x, y *turn) int { return cmp.Compare(x.passed, y.passed) })
		t.waiting = slices.DeleteFunc(t.waiting, func(y *turn) bool { return y == x })
		x.runs, x.since = true, x.passed
		t.cores--
		close(x.next)
	}
}

// leave ends the turns of the engine.
func (x *turn) leave() {
	if x == nil {
		return
	}
	t := x.of
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = slices.DeleteFunc(t.waiting, func(y *turn) bool { return y == x })
	if x.runs {
		x.runs = false
		t.cores++
	}
	t.dispatch()
}
