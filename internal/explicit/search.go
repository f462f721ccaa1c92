package explicit

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// search is a search by several workers. It is itself that of its first worker, which
// does what is done once only.
type search struct {
	*worker
	aims
	p        *model.Program
	ctx      context.Context // of run
	packer   *model.Packer
	workers  []*worker
	chunks   []*chunk       // of the round at hand
	span     int            // states in a chunk
	orbits   *canonicaliser // for traces if representatives are several; nil if not needed yet
	set      *set
	strict   *model.Program       // what the workers run under Options.Strict; else nil
	states   *row                 // by number, packed; those that are expanded may be gone
	compact  *compact             // nil: the set holds states
	stubborn *stubborn            // nil: all instances are fired
	sets     []int32              // by state: one more than the instance that its stubborn set is closed from; 0: all are fired
	ordered  bool                 // sets is kept
	disk     *disk                // nil: the set is in memory
	batch    *logView             // of a task: the states that it expands; else nil
	create   func() (file, error) // makes files that do not stay
	saves    *checkpoint          // nil: none are written
	resumed  bool                 // from a checkpoint
	steps    *evidence.Steps      // for the watch; nil if there is none
	reads    []uint64             // by leaf: the checks that read it, see bitsOf
	bitsOf   []uint64             // by check: its bits, or those of its parts
	parts    []model.Part         // of the checks, if all are divided
	broken   atomic.Bool          // a part did not hold in some state
	ctl      *ctlCheck            // nil if no property about the graph of all steps is wanted

	lo, hi   int       // the layer of states being expanded
	next     int       // the first of them that is not
	expanded int64     // states
	reported time.Time // when progress was last reported
	heaviest int       // bytes of successors in a chunk so far
	fired    int64
	walked   int64 // what fired was when there were random walks
	frontier bool  // new states are looked for
	forecast forecast
	reason   Reason
	complete bool
}

func newSearch(p *model.Program, opt Options) (*search, error) {
	m := p.Model
	looks, err := newAims(m, opt)
	if err != nil {
		return nil, err
	}
	s := &search{aims: looks, p: p, packer: model.NewPacker(m), frontier: true}
	s.span = max(1, min(chunkStates, chunkBytes/max(1, s.packer.Size())))
	s.create = func() (file, error) { return scratchFile(opt.Spill) }
	switch {
	case opt.Canon == First:
		if err := s.keepFirst(); err != nil {
			return nil, err
		}
	case opt.HashBits > 0:
		if err := s.hashCompact(); err != nil {
			return nil, err
		}
	default:
		s.set = newSet(s.packer.Size())
		if s.set.size >= largeState {
			s.set.plants = firstTree
		}
		s.states = &s.set.row
	}
	if len(opt.Strict) > 0 {
		s.strict = model.CompileStrict(m, opt.Strict)
	}
	var lives []*model.Property
	for i, q := range m.Props {
		if s.wanted[i] && q.Kind.Graph() && s.compact == nil && !opt.Stubborn {
			lives = append(lives, q)
		}
	}
	s.findReads()
	if opt.Stubborn {
		if opt.Partial != nil {
			return nil, fmt.Errorf("explicit: adaptive search does not go with stubborn sets")
		}
		var err error
		if s.stubborn, err = newStubborn(p, s.reads); err != nil {
			return nil, err
		}
		s.ordered = opt.Own == nil && s.strict == nil
	}
	for range max(1, opt.Threads) {
		w, err := newWorker(s)
		if err != nil {
			return nil, err
		}
		s.workers = append(s.workers, w)
	}
	s.worker = s.workers[0]
	if c := s.worker.canon; c != nil && c.comps != nil && s.disk == nil && s.compact == nil && s.set.size >= sortedState {
		s.set.plants = firstTree
	}
	if lives != nil {
		s.ctl = newCTL(s, lives)
	}
	if _, ok := evidence.PermBytes(m); opt.Watch != nil && ok && s.compact == nil && !opt.Stubborn {
		s.steps = &evidence.Steps{Orbits: s.worker.stabiliser != nil && s.ctl == nil}
	}
	if opt.Canon == None && s.strict == nil && s.stubborn == nil && opt.Checkpoint == "" {
		s.divide()
	}
	if opt.Checkpoint != "" {
		if err := s.openCheckpoint(); err != nil {
			s.unlock()
			return nil, err
		}
	}
	return s, nil
}

// reportInterval is the time between two reports of progress.
const reportInterval = 200 * time.Millisecond

func (s *search) run(ctx context.Context) {
	s.ctx, s.forecast.began = ctx, time.Now()
	s.opt.Cores.Take(ctx, false)
	defer s.opt.Cores.Give()
	if !s.resumed {
		s.start(ctx)
	}
	for s.hides(); s.reason == ""; {
		if s.next == s.lo { // a layer begins
			s.hi = s.set.n
			s.forecast.layers = append(s.forecast.layers, s.hi-s.lo)
			if s.lo == s.hi {
				if s.finish(ctx); s.reason == "" {
					return
				}
				break
			}
		}
		s.frontier = s.goesOn()
		if s.next == s.lo && !s.frontier && !s.pending() {
			s.hi = s.lo
		}
		if !s.frontier {
			s.steps = nil
		}
		if s.expandLayer(ctx); s.reason != "" {
			break
		}
		s.layerEnds(ctx)
		if s.hides(); s.reason != "" { // before the layer is kept
			return
		}
		s.reason = s.layerDone()
		s.depth++
		s.lo, s.next = s.hi, s.hi
		if s.disk != nil && s.reason == "" {
			s.keep(false)
		}
	}
	if ctx.Err() != nil && s.reason == reasonOf(ctx) && s.disk == nil && s.next > 0 {
		s.keep(true)
	}
}

// expandLayer expands the states of the layer that are left.
func (s *search) expandLayer(ctx context.Context) {
	for s.next < s.hi {
		s.round(ctx)
		if s.hides(); s.reason != "" {
			return
		}
		if s.compact != nil {
			s.states.drop(s.next)
		}
		s.progress(s.stats)
		if s.disk == nil { // otherwise what is collected of the layer is not kept
			s.keep(false)
		}
	}
}

// progress tells how far the search is, from time to time.
func (s *search) progress(stats func() Stats) {
	if s.opt.Progress != nil && time.Since(s.reported) >= reportInterval {
		s.reported = time.Now()
		s.opt.Progress(stats())
	}
}

// keep writes a checkpoint, if there are any and it is time or force is set.
func (s *search) keep(force bool) {
	if err := s.save(force); err != nil {
		s.stop(err)
	}
}

// finish ends a search that has visited all states.
func (s *search) finish(ctx context.Context) {
	s.done = max(s.depth-1, 0)
	if s.steps != nil {
		s.flush(s.set.n)
	}
	if s.ctl != nil {
		if s.reason = s.ctl.decide(ctx); s.reason != "" {
			return
		}
	}
	switch {
	case s.compact != nil && s.compact.first:
		s.reason = firstStates
		return
	case s.compact != nil:
		s.reason = hashCompaction
		return
	case s.stubborn != nil && !s.ordered:
		s.reason = stubbornReduced
		return
	}
	for s.disk != nil && len(s.disk.known) > 1 { // the check looks all steps up
		if s.disk.join() != nil {
			break
		}
	}
	s.complete = true
}

// start looks at the start states: they are what leads from nowhere to depth 0.
func (s *search) start(ctx context.Context) {
	s.depth = -1
	c := s.begin(0, noParent)
	s.out = c
	end := func() bool {
		c.ends = append(c.ends, len(c.hashes))
		s.commit(c)
		base := c.base + len(c.hashes)
		c.reset(noParent)
		c.base = base
		return s.reason == ""
	}
	s.m.Starts(func(ch model.Choice, st model.State, v *model.Violation) bool {
		s.covered(0, noParent, ch)
		if v != nil {
			s.note(finding{State: noParent, From: noParent, Violation: v}, &ch)
			return true
		}
		s.buf = s.packer.Pack(s.buf[:0], st)
		s.put(st, nil, ^uint64(0))
		return len(c.hashes) < 1<<10 || end()
	})
	end()
	s.layerEnds(ctx)
	s.depth = 0
}

// layerEnds finds the new states of a layer, if they are not known yet.
func (s *search) layerEnds(ctx context.Context) {
	if s.disk == nil || s.disk.parts > 0 || s.reason != "" {
		return
	}
	if err := s.settle(ctx); err != nil {
		s.stop(err)
	}
}

// commit takes the successors of a chunk into the set, in order, and reports what was
// found.
func (s *search) commit(c *chunk) {
	found := c.found
	var k int
	for n, end := range c.ends {
		from := c.first + n
		for ; k < end; k++ {
			for ; len(found) > 0 && found[0].at <= k; found = found[1:] {
				s.report(found[0].finding)
			}
			if !s.frontier || s.reason != "" {
				break
			}
			to, ok := s.take(c, k, from)
			if ok && from != noParent {
				s.edge(c, k, from, to)
			}
		}
		if s.reason == "" && from != noParent {
			s.edgesEnd(from, c.still[n])
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
	b, h, slot := s.key(c, k), c.hashes[k], 0
	looked := len(c.places) > 0
	if looked {
		if slot = ^c.places[k]; slot < 0 {
			return c.places[k], true
		}
	}
	if s.disk != nil {
		if err := s.disk.put(b, from, c.base+k); err != nil {
			s.stop(err)
		}
		return 0, false
	}
	if looked {
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
			if s.ctl.forget() {
				return s.take(c, k, from)
			}
			if s.opt.Spill == "" || s.ctl != nil || s.compact != nil {
				s.reason = outOfMemory
				return 0, false
			}
			if err := s.spill(); err != nil {
				s.stop(err)
				return 0, false
			}
			return s.take(c, k, from)
		}
	}
	if s.set.n == maxStates || s.set.tree != nil && s.set.tree.full() {
		s.reason = tooManyStates
		return 0, false
	}
	i = s.set.insert(b, slot, h, from)
	if s.compact != nil {
		s.states.append(c.state(k, s.states.size))
	}
	if looked {
		for ; len(c.checked) > 0 && c.checked[0].at <= k; c.checked = c.checked[1:] {
			f := c.checked[0].finding
			f.State, f.From, f.At = i, from, 2*(c.base+k)+1
			s.report(f)
		}
	} else {
		s.check(c, k, func(v *model.Violation) {
			s.report(finding{Depth: s.depth + 1, State: i, Violation: v, From: from, At: 2*(c.base+k) + 1})
		})
	}
	if s.ctl != nil {
		s.ctl.visit(i, c.state(k, s.states.size))
	}
	return i, true
}

// edge notes that successor k of a chunk, a step from state number from, is state number to.
func (s *search) edge(c *chunk, k, from, to int) {
	if s.ctl == nil && s.steps == nil {
		return
	}
	n := len(c.perms) / len(c.hashes)
	perm := c.perms[k*n : (k+1)*n]
	if s.ctl != nil {
		s.ctl.edge(from, to, perm[n-s.ctl.told:])
		perm = perm[:n-s.ctl.told]
	}
	switch {
	case s.steps == nil:
	case to > math.MaxUint32: // more than can be told
		s.steps = nil
	default:
		s.steps.Targets = append(s.steps.Targets, uint32(to))
		s.steps.Perms = append(s.steps.Perms, perm...)
	}
}

func (s *search) stats() Stats {
	mem, _ := s.memory()
	st := Stats{Depth: s.depth, States: int64(s.set.n), Expanded: s.expanded, Fired: s.fired, Memory: mem}
	if d := time.Since(s.forecast.began).Seconds(); d > 0 && !s.resumed { // else layers are not known
		st.PerSecond, st.Part = float64(s.set.n)/d, s.forecast.part(s.set.n)
	}
	return st
}

// memory returns the bytes in use, and what one more state may add.
func (s *search) memory() (used, next int64) {
	if s.disk != nil {
		used, _ = s.set.parents.memory()
		return used + int64(s.disk.memory), 0
	}
	used, next = s.set.memory()
	used += 4 * int64(len(s.sets))
	if s.ctl != nil {
		n, m := s.ctl.memory()
		used, next = used+n, next+m
	}
	if s.compact != nil {
		n, m := s.states.memory()
		used, next = used+n, next+m
	}
	return used, next
}

// idleRules returns, by rule, whether it was never enabled so far.
func (s *search) idleRules() []bool {
	idle := slices.Clone(s.idle)
	for _, w := range s.workers {
		for rule := range idle {
			idle[rule] = idle[rule] && w.idle[rule]
		}
	}
	return idle
}

// pending reports whether expanding the states at the present depth may show
// that a property is violated at that very depth: deadlock, or by an error in a guard
// under CMurphi.
func (s *search) pending() bool {
	open := func(prop int) bool {
		return s.wanted[prop] && (s.found[prop].Depth < 0 || s.found[prop].Depth > s.depth)
	}
	return s.dead >= 0 && open(s.dead) || s.p.Model.Dialect == model.CMurphi &&
		slices.ContainsFunc(s.p.Model.Props, func(q *model.Property) bool { return isError(q.Kind) && open(q.Index) })
}

// report notes a finding unless the property has one as early.
func (s *search) report(f finding) {
	if !s.news(f) {
		return
	}
	s.record(f)
	if s.frontier = s.frontier && s.goesOn(); !s.frontier {
		s.steps = nil
	}
}

// bound returns the depth to which all is known: none, if states may be missing.
func (s *search) bound() int {
	if s.compact != nil || s.stubborn != nil {
		return -1
	}
	return s.done
}

// hid reports whether a quantifier of Options.Strict hid an error. Then nothing that the
// search found counts.
func (s *search) hid() bool {
	return s.strict != nil && slices.ContainsFunc(s.workers, func(w *worker) bool { return w.m.Hid() })
}

// hides ends the search if an error is hidden.
func (s *search) hides() {
	if s.hid() {
		s.reason = errorHidden
	}
}

func (s *search) result() (*Result, error) {
	st := s.stats()
	if s.hid() {
		s.hides()
		return &Result{Depth: -1, States: st.States, Fired: s.fired, Memory: st.Memory, Reason: s.reason, Hidden: true}, nil
	}
	if s.strict != nil { // traces are about the model as it is
		s.worker.use(s.p)
	}
	r := &Result{Complete: s.complete, Depth: s.bound(), States: st.States, Fired: s.fired, Memory: st.Memory, Reason: s.reason}
	if s.compact != nil && !s.compact.first {
		r.Omission = s.compact.omission(st.States)
	}
	c := &closure{set: s.set, disk: s.disk, packer: s.packer, canon: s.canon}
	if s.opt.Whole && s.disk == nil && s.compact == nil {
		r.Seen = c
	}
	if s.complete {
		if s.disk != nil {
			c.view = s.disk.log.view()
		}
		r.Visited = c
		if s.saves != nil && s.saveStates() == nil { // the sum is of all states
			c.kept = &kept{file: filepath.Join(s.saves.dir, "checked"), states: s.set.n, sum: s.saves.sum}
		}
		if !s.resumed && s.compact == nil && s.stubborn == nil {
			r.FiredBy = make([]int64, len(s.p.Model.Rules))
			raised := make([]bool, len(s.props))
			for _, w := range s.workers {
				for rule, n := range w.fired {
					r.FiredBy[rule] += n
				}
				for prop, is := range w.raised {
					raised[prop] = raised[prop] || is
				}
				r.Deadlocks += w.stuck
			}
			r.Raised = append([]int{}, numbers(raised)...)
		}
		if s.stubborn == nil {
			r.Idle = numbers(s.idleRules())
		} else {
			r.Visited = &orderedClosure{c, s.worker.reduced, s.sets}
		}
		if s.ctl != nil {
			r.Layers = s.ctl.evidence()
		}
	}
	err := s.tell(r, s.trace)
	for i := 0; i < len(r.Violations) && err == nil && s.ctl != nil; i++ {
		s.ctl.explain(r.Violations[i].Trace)
	}
	return r, err
}
