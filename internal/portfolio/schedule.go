package portfolio

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"orbitmc/sat"
)

// This file lets the engines on a netlist share fewer cores than there are engines, as stride scheduling
// does (Waldspurger, Weihl: Stride scheduling, 1995): the next quantum is that of the engine with the least work so far, by
// its share. Work is what its queries look at, the clauses that it adds, and the gates that explicit search simulates
// (sat.WithPause), and a little for each depth: counts that do not depend on time. An engine that comes later, as it waited for the symmetry, first
// makes up for the work of the others before. An engine pauses within its queries and behind each depth: clauses that it writes
// between two queries count with the next query. A depth counts because it may take no query: where bads become
// constants, bounded search would go on for ever alone. Quanta get longer with the run, as each one fills the caches anew.
//
// Bounded search has half the steps of each other engine, as what it has not found within many depths, or when others are
// as deep, it hardly ever finds first. It has more while it is deeper than all others: at the beginning twice their steps,
// as most of what it finds it finds early; and in a long run, while a single depth takes a good part of all its work,
// a little more than they have. In a run that is longer still it has as many if it is as deep as the others. In long runs
// it also makes up for what it had less before, so that it has done about half of all work if it is the one that decides.
// docs/decisions.md has what this costs.
//
// While evidence is checked, the engine keeps its core, because the check most likely ends the run. On models explicit
// search has threads of its own, and engines run freely. The preparation runs freely, too: engines wait for it, and it
// waits for no engine.

const (
	slice    = 1 << 20 // steps of a quantum, 6 ms
	perDepth = 1 << 11 // steps of a depth beside its queries
	part     = 16      // a quantum is longer if slices are less than one part in so many of all steps
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

// scheduler is what engines on some cores share.
type scheduler struct {
	mu      sync.Mutex
	cores   int // free ones
	all     []*client
	waiting []*client
}

// client is one engine. Only its goroutine calls it. A nil client never waits.
type client struct {
	of      *scheduler
	deepens bool // it is bounded search

	runs   bool          // it has a core
	next   chan struct{} // closed when it gets one
	passed float64       // steps so far, by share, less lead
	lead   float64       // see lead
	since  float64       // passed when its quantum began

	depth          int   // the last one that was finished; others read it, with the lock
	steps, deepest int64 // so far; when that depth was finished
	last           int64 // steps of that depth
}

// take returns one more engine.
func (s *scheduler) take(deepens bool) *client {
	if s == nil {
		return nil
	}
	e := &client{of: s, deepens: deepens}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, e)
	return e
}

// lead is what bounded search may do before the other engines when they begin anew because of a counterexample that is none
// of the file: what it did until then, as the next counterexample most likely is none, too, and ends what they do.
type lead struct {
	of    *client // bounded search; nil: there is none
	steps float64 // by share
}

// give has an engine begin ahead, if it is bounded search.
func (l *lead) give(e *client) {
	if e != nil && e.deepens {
		l.of, e.passed, e.lead = e, -l.steps, l.steps
	}
}

// note notes what was done when the engines end.
func (l *lead) note() {
	if e := l.of; e != nil {
		e.of.mu.Lock()
		defer e.of.mu.Unlock()
		l.steps = max(l.steps, e.lead+e.passed)
	}
}

// with returns a context of the engine, whose queries wait for cores.
func (c *client) with(ctx context.Context) context.Context {
	if c == nil {
		return ctx
	}
	return sat.WithPause(ctx, func(steps int64) { c.spend(ctx, steps) })
}

// deepened notes that a depth is finished.
func (c *client) deepened(depth int) {
	if c == nil {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.depth, c.last, c.deepest = depth, c.steps-c.deepest, c.steps
}

// ahead reports whether the engine is so many depths deeper than all others, at least.
func (c *client) ahead(by int) bool {
	return !slices.ContainsFunc(c.of.all, func(y *client) bool { return y != c && y.depth+by > c.depth })
}

// dear reports whether the last depth, or this one so far, takes a good part of all work.
func (c *client) dear() bool { return max(c.last, c.steps-c.deepest) > c.steps/dearPart }

// pass counts new steps, which c.steps has already, by the share of the engine. It is called with the lock.
func (c *client) pass(steps float64) {
	switch {
	case !c.deepens:
		c.passed += steps
	case c.steps < early && c.ahead(2):
		c.passed += steps / earlyShare
	case c.steps >= long && c.dear() && c.ahead(1):
		c.passed = float64(c.steps)/longShare - c.lead
	case c.steps >= longer && c.dear() && c.ahead(0):
		c.passed = float64(c.steps)/longerShare - c.lead
	default:
		c.passed += steps / otherShare
	}
}

// spend counts steps, and waits for the next quantum if others are behind. It returns at once if ctx ends.
func (c *client) spend(ctx context.Context, steps int64) {
	if c == nil {
		return
	}
	c.steps += steps
	s := c.of
	s.mu.Lock()
	c.pass(float64(steps))
	if c.runs {
		if c.passed < c.since+max(slice, c.since/part) || !slices.ContainsFunc(s.waiting, func(y *client) bool { return y.passed < c.passed }) {
			s.mu.Unlock()
			return
		}
		c.runs = false
		s.cores++
	}
	next := make(chan struct{})
	c.next = next
	s.waiting = append(s.waiting, c)
	s.dispatch()
	s.mu.Unlock()
	select {
	case <-next:
	case <-ctx.Done():
	}
}

// dispatch gives free cores to those that are behind most.
func (s *scheduler) dispatch() {
	for s.cores > 0 && len(s.waiting) > 0 {
		e := slices.MinFunc(s.waiting, func(e, y *client) int { return cmp.Compare(e.passed, y.passed) })
		s.waiting = slices.DeleteFunc(s.waiting, func(y *client) bool { return y == e })
		e.runs, e.since = true, e.passed
		s.cores--
		close(e.next)
	}
}

// leave gives up the core of the engine.
func (c *client) leave() {
	if c == nil {
		return
	}
	s := c.of
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = slices.DeleteFunc(s.waiting, func(y *client) bool { return y == c })
	if c.runs {
		c.runs = false
		s.cores++
	}
	s.dispatch()
}
