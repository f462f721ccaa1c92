package explicit

import (
	"context"
	"fmt"
	"math"

	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// search is a search by several workers. It is itself that of its first worker, which
// does what is done once only.
type search struct {
	*worker
	p       *model.Program
	opt     Options
	packer  *model.Packer
	workers []*worker
	chunks  []*chunk       // of the round at hand
	span    int            // states in a chunk
	orbits  *canonicaliser // for traces of Sorted; nil if not needed yet
	set     *set
	checks  []int           // declared properties to evaluate in every state
	hits    []int           // covers that are statements
	steps   *evidence.Steps // for the watch; nil if there is none
	reads   []uint64        // by leaf: the checks that read it, as bits of their number modulo 64
	live    *live           // nil if no liveness property is wanted
	wanted  []bool          // by property
	runtime int
	dead    int // the deadlock property, or -1

	depth    int   // of the states being expanded
	expanded int64 // states
	reported int64 // of them, when progress is to be reported next
	heaviest int   // bytes of successors in a chunk so far
	fired    int64
	done     int       // depth to which the search is complete
	found    []finding // by property
	limit    int       // least depth of a violation; violations below it do not matter unless opt.All
	frontier bool      // new states are looked for
	reason   string
	complete bool
}

// finding is a violation, or a hit of a cover: in state number state, or, if step
// is not nil, by that instance of a rule fired there or, if there is no state, of
// a start state.
type finding struct {
	depth int // -1: none
	state int
	step  *model.Choice
	v     *model.Violation
}

const never = int(^uint(0) >> 1)

func newSearch(p *model.Program, opt Options) (*search, error) {
	m := p.Model
	s := &search{p: p, opt: opt, packer: model.NewPacker(m), wanted: make([]bool, len(m.Props)), found: make([]finding, len(m.Props)),
		runtime: m.Runtime().Index, dead: -1, done: -1, limit: never, frontier: true}
	s.set = newSet(s.packer.Size())
	s.span = max(1, min(chunkStates, chunkBytes/max(1, s.set.size)))
	for range max(1, opt.Threads) {
		w, err := newWorker(s)
		if err != nil {
			return nil, err
		}
		s.workers = append(s.workers, w)
	}
	s.worker = s.workers[0]
	for i := range s.wanted {
		s.wanted[i] = opt.Props == nil
		s.found[i].depth = -1
	}
	for _, i := range opt.Props {
		if i < 0 || i >= len(m.Props) {
			return nil, fmt.Errorf("explicit: there is no property %d", i)
		}
		s.wanted[i] = true
	}
	var lives []*model.Property
	for i, q := range m.Props {
		// What is not wanted may still raise a run-time error.
		if q.Expr != nil && (s.wanted[s.runtime] || s.wanted[i] && q.Kind != model.Liveness) {
			s.checks = append(s.checks, i)
		}
		switch {
		case !s.wanted[i]:
		case q.Kind == model.Cover && q.Expr == nil:
			s.hits = append(s.hits, i)
		case q.Kind == model.Liveness:
			lives = append(lives, q)
		}
	}
	if lives != nil {
		s.live = newLive(s, lives)
	}
	s.reads = make([]uint64, m.Leaves())
	for k, prop := range s.checks {
		leaves := p.Reads(prop)
		for i := range s.reads {
			if leaves == nil || leaves[i] {
				s.reads[i] |= 1 << (k & 63)
			}
		}
	}
	if _, ok := evidence.PermBytes(m); opt.Watch != nil && ok && s.live == nil {
		s.steps = &evidence.Steps{}
	}
	if d := m.DeadlockProp(); d != nil && s.wanted[d.Index] {
		s.dead = d.Index
	}
	return s, nil
}

func (s *search) run(ctx context.Context) {
	s.start()
	lo := 0
	for s.reason == "" {
		hi := s.set.n
		if lo == hi {
			s.done = max(s.depth-1, 0)
			if s.live != nil {
				if s.reason = s.live.decide(ctx); s.reason != "" {
					return
				}
			}
			s.complete = true
			if s.steps != nil {
				s.flush(hi)
			}
			return
		}
		s.frontier = s.goesOn()
		if !s.frontier && !s.pending() {
			hi = lo
		}
		if !s.frontier {
			s.steps = nil
		}
		for at := lo; at < hi; {
			if at = s.round(ctx, at, hi); s.reason != "" {
				return
			}
			if s.opt.Progress != nil && s.expanded >= s.reported {
				s.reported = s.expanded + 1<<16
				s.opt.Progress(s.stats())
			}
		}
		s.done = s.depth
		switch {
		case !s.opt.All && s.limit <= s.depth:
			s.reason = "violation found"
		case s.allFound():
			s.reason = "every property is violated"
		case s.opt.Bounded && s.depth >= s.opt.MaxDepth:
			s.reason = "depth bound"
		}
		s.depth++
		lo = hi
	}
}

// start looks at the start states: they are what leads from nowhere to depth 0.
func (s *search) start() {
	s.depth = -1
	c := s.begin(0, noParent)
	s.out = c
	end := func() bool {
		c.ends = append(c.ends, len(c.hashes))
		s.commit(c)
		c.reset(noParent)
		return s.reason == ""
	}
	s.m.Starts(func(ch model.Choice, st model.State, v *model.Violation) bool {
		s.covered(0, noParent, ch)
		if v != nil {
			s.note(finding{0, noParent, nil, v}, &ch)
			return true
		}
		s.buf = s.packer.Pack(s.buf[:0], st)
		s.put(st, ^uint64(0))
		return len(c.hashes) < 1<<10 || end()
	})
	end()
	s.depth = 0
}

// commit takes the successors of a chunk into the set, in order, and reports what was
// found.
func (s *search) commit(c *chunk) {
	found := c.found
	var k int
	for n, end := range c.ends {
		from := c.first + n
		if s.live != nil && from != noParent {
			s.live.expand()
		}
		for ; k < end; k++ {
			for ; len(found) > 0 && found[0].at <= k; found = found[1:] {
				s.report(found[0].finding)
			}
			if !s.frontier || s.reason != "" {
				break
			}
			to, ok := s.take(c, k, from)
			if ok && from != noParent {
				s.edge(c, k, to)
			}
		}
		if s.steps != nil && s.reason == "" && from != noParent {
			s.steps.Ends = append(s.steps.Ends, uint32(len(s.steps.Targets)))
			if len(s.steps.Ends) == watched {
				s.flush(from + 1)
			}
		}
		k = end
	}
	for _, f := range found {
		s.report(f.finding)
	}
	if c.first != noParent {
		s.expanded += int64(len(c.ends))
		s.fired += c.fired
	}
}

// take returns the number of successor k of a chunk, a step from state number from. ok is
// false if there is no room for it.
func (s *search) take(c *chunk, k, from int) (i int, ok bool) {
	b, h, slot := c.state(k, s.set.size), c.hashes[k], 0
	looked := len(c.places) > 0
	if looked {
		if slot = ^c.places[k]; slot < 0 {
			return c.places[k], true
		}
		i, ok = s.set.settled(slot)
	} else {
		if k%fetched == 0 {
			s.sum += s.set.fetch(c.hashes[k:min(k+fetched, len(c.hashes))])
		}
		i, ok, slot = s.set.find(b, h)
	}
	if ok {
		return i, true
	}
	if s.opt.MemLimit > 0 {
		if used, more := s.memory(); used+more > s.opt.MemLimit {
			s.reason = "out of memory"
			return 0, false
		}
	}
	if s.set.n == maxStates || s.live != nil && s.set.n == maxLive {
		s.reason = "too many states"
		return 0, false
	}
	i = s.set.insert(b, slot, h, from)
	if looked {
		for ; len(c.checked) > 0 && c.checked[0].at <= k; c.checked = c.checked[1:] {
			c.checked[0].state = i
			s.report(c.checked[0].finding)
		}
	} else {
		s.check(c, k, func(v *model.Violation) { s.report(finding{s.depth + 1, i, nil, v}) })
	}
	if s.live != nil {
		s.live.visit(i)
	}
	return i, true
}

// edge notes that successor k of a chunk is state number to.
func (s *search) edge(c *chunk, k, to int) {
	if s.live == nil && s.steps == nil {
		return
	}
	n := len(c.perms) / len(c.hashes)
	perm := c.perms[k*n : (k+1)*n]
	switch {
	case s.live != nil:
		s.live.edge(to, perm)
	case to > math.MaxUint32: // more than can be told
		s.steps = nil
	default:
		s.steps.Targets = append(s.steps.Targets, uint32(to))
		s.steps.Perms = append(s.steps.Perms, perm...)
	}
}

func (s *search) stats() Stats {
	mem, _ := s.memory()
	return Stats{s.depth, int64(s.set.n), s.expanded, s.fired, mem}
}

// memory returns the bytes in use, and what one more state may add.
func (s *search) memory() (used, next int64) {
	used, next = s.set.memory()
	if s.live != nil {
		n, m := s.live.memory()
		used, next = used+n, next+m
	}
	return used, next
}

// allFound reports whether there is nothing left to look for: every wanted
// property is known to be violated, or covered, at a depth at which it cannot be
// beaten.
func (s *search) allFound() bool {
	for i, f := range s.found {
		if s.wanted[i] && (f.depth < 0 || f.depth > s.depth) {
			return false
		}
	}
	return true
}

// pending reports whether expanding the states at the present depth may show
// that a property is violated at that very depth: deadlock, or the run-time
// error property by an error in a guard under CMurphi.
func (s *search) pending() bool {
	open := func(prop int) bool {
		return s.wanted[prop] && (s.found[prop].depth < 0 || s.found[prop].depth > s.depth)
	}
	return s.dead >= 0 && open(s.dead) || s.p.Model.Dialect == model.CMurphi && open(s.runtime)
}

// news reports whether a finding is about a wanted property that has none as early.
func (s *search) news(f finding) bool {
	prop := f.v.Prop
	old := s.found[prop].depth
	return s.wanted[prop] && !(s.opt.Bounded && f.depth > s.opt.MaxDepth) && (old < 0 || old > f.depth)
}

// report notes a finding unless the property has one as early.
func (s *search) report(f finding) {
	prop := f.v.Prop
	if !s.news(f) {
		return
	}
	s.found[prop] = f
	if f.depth < s.limit && s.p.Model.Props[prop].Kind != model.Cover {
		s.limit = f.depth
		if s.frontier = s.goesOn(); !s.frontier {
			s.steps = nil
		}
	}
}

// goesOn reports whether states and violations beyond the present depth matter.
func (s *search) goesOn() bool {
	return (s.opt.All || s.limit > s.depth) && !(s.opt.Bounded && s.depth >= s.opt.MaxDepth)
}

func (s *search) result() (*Result, error) {
	st := s.stats()
	r := &Result{Complete: s.complete, Depth: s.done, States: st.States, Fired: s.fired, Memory: st.Memory, Reason: s.reason}
	if s.complete {
		r.Visited = &closure{s.set, s.packer, s.canon, make(model.State, s.p.Model.Leaves())}
		r.FiredBy = make([]int64, len(s.p.Model.Rules))
		for _, w := range s.workers {
			for rule, n := range w.fired {
				r.FiredBy[rule] += n
			}
			r.Deadlocks += w.stuck
		}
		for rule, n := range r.FiredBy {
			if n == 0 {
				r.Idle = append(r.Idle, rule)
			}
		}
		if s.live != nil {
			r.Layers = s.live.evidence()
		}
	}
	for prop, f := range s.found {
		cover := s.p.Model.Props[prop].Kind == model.Cover
		if f.depth < 0 || !cover && !s.opt.All && !s.complete && f.depth > s.limit {
			continue
		}
		t, err := s.trace(prop, f)
		if err != nil {
			return nil, err
		}
		if found := (Found{prop, f.depth, t}); cover {
			r.Covered = append(r.Covered, found)
		} else {
			r.Violations = append(r.Violations, found)
		}
	}
	return r, nil
}
