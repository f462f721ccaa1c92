package explicit

import (
	"context"
	"fmt"
	"slices"

	"orbitmc/mc/evidence"
	"orbitmc/model"
)

type search struct {
	p       *model.Program
	m       *model.Machine
	opt     Options
	packer  *model.Packer
	canon   *canonicaliser // nil for None
	orbits  *canonicaliser // for traces of Sorted; nil if not needed yet
	set     *set
	buf     []byte          // the successor at hand, packed
	cur     model.State     // the state expanded last
	packed  []byte          // it, packed
	checks  []int           // declared properties to evaluate in every state
	hits    []int           // covers that are statements
	steps   *evidence.Steps // for the watch; nil if there is none
	told    uint32          // steps in it, those included whose targets are in the batch
	batch   batch
	fresh   model.State // scratch
	reads   []uint64    // by leaf: the checks that read it, as bits of their number modulo 64
	live    *live       // nil if no liveness property is wanted
	idle    []bool      // by rule: not enabled so far
	wanted  []bool      // by property
	runtime int
	dead    int // the deadlock property, or -1

	depth    int   // of the states being expanded
	expanded int64 // states
	fired    int64
	firedBy  []int64   // by rule
	stuck    int64     // deadlocked states
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
	state uint32
	step  *model.Choice
	v     *model.Violation
}

const never = int(^uint(0) >> 1)

func newSearch(p *model.Program, opt Options) (*search, error) {
	m := p.Model
	s := &search{p: p, m: p.NewMachine(), opt: opt, packer: model.NewPacker(m), cur: slices.Repeat(model.State{model.Undef}, m.Leaves()),
		idle: slices.Repeat([]bool{true}, len(m.Rules)), firedBy: make([]int64, len(m.Rules)), wanted: make([]bool, len(m.Props)), found: make([]finding, len(m.Props)),
		runtime: m.Runtime().Index, dead: -1, done: -1, limit: never, frontier: true}
	s.m.Delivered()
	s.set = newSet(s.packer.Size())
	s.packed = make([]byte, s.packer.Size()) // 0 is undefined
	if opt.Canon != None {
		c, err := newCanonicaliser(p, s.packer, opt.Blocks, opt.Rings, opt.Canon == Exact)
		if err != nil {
			return nil, err
		}
		s.canon = c
	}
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
	s.fresh, s.reads = make(model.State, m.Leaves()), make([]uint64, m.Leaves())
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
	lo := uint32(0)
	s.m.Starts(func(ch model.Choice, st model.State, v *model.Violation) bool {
		s.covered(0, noParent, ch)
		if v != nil {
			s.report(finding{0, noParent, clone(ch), v})
			return true
		}
		s.buf = s.packer.Pack(s.buf[:0], st)
		_, ok := s.visit(st, noParent, 0)
		return ok
	})
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
		for i := lo; i < hi; i++ {
			if s.expanded&1023 == 0 {
				if err := ctx.Err(); err != nil {
					s.reason = err.Error()
					return
				}
				if s.opt.Progress != nil && s.expanded&65535 == 0 {
					s.opt.Progress(s.stats())
				}
			}
			if s.expand(i); s.reason != "" {
				return
			}
			if s.steps != nil {
				s.toldAll(i)
			}
			if len(s.batch.tags) >= batched {
				s.drain()
			}
			if s.reason != "" {
				return
			}
		}
		if s.drain(); s.reason != "" {
			return
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

func clone(ch model.Choice) *model.Choice {
	c := ch.Clone()
	return &c
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

// covered reports the covers that the instance at hand hit, a step from state i.
func (s *search) covered(depth int, i uint32, ch model.Choice) {
	for _, prop := range s.hits {
		if s.m.Hit(prop) {
			s.report(finding{depth, i, clone(ch), &model.Violation{Prop: prop, Message: "covered"}})
		}
	}
}

// report notes a finding unless the property has one as early.
func (s *search) report(f finding) {
	prop := f.v.Prop
	if !s.wanted[prop] || s.opt.Bounded && f.depth > s.opt.MaxDepth {
		return
	}
	if old := s.found[prop].depth; old >= 0 && old <= f.depth {
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

// visit adds a state reached at this depth, packed in buf unless there is canon,
// to the set and, if it is new, checks the invariants in it. It returns its number; ok is false if there is no room
// for it. If canon is not nil it then holds the permutation to that state.
func (s *search) visit(st model.State, parent uint32, depth int) (i uint32, ok bool) {
	b := s.buf
	if s.canon != nil {
		b = s.canon.canon(st)
	}
	i, known, ok := s.add(b, hash(b), parent)
	if known || !ok {
		return i, ok
	}
	s.check(st, i, depth, ^uint64(0))
	if s.live != nil {
		s.live.visit(i, st)
	}
	return i, true
}

// add adds a packed state to the set, unless it is known. ok is false if there is no
// room for it.
func (s *search) add(b []byte, tag, parent uint32) (i uint32, known, ok bool) {
	i, known, slot := s.set.find(b, tag)
	if known {
		return i, true, true
	}
	if used, more := s.memory(); s.opt.MemLimit > 0 && used+more > s.opt.MemLimit || s.set.n >= maxStates {
		s.reason = "out of memory"
		return 0, false, false
	}
	return s.set.insert(b, slot, tag, parent), false, true
}

// check evaluates declared properties in state number i, those of which changed has
// the bit.
func (s *search) check(st model.State, i uint32, depth int, changed uint64) {
	for k, prop := range s.checks {
		if changed>>(k&63)&1 == 0 {
			continue
		}
		if v := s.finds(st, prop); v != nil {
			s.report(finding{depth, i, nil, v})
		}
	}
}

// batch are successors that are not looked up yet.
type batch struct {
	states  []byte   // packed, one after the other
	tags    []uint32 // hashes
	parents []uint32
	changed []uint64 // the checks that may not have the result that they have in the parent
}

var zeros [model.PackedPad]byte

// batched is how many successors are looked up together.
const batched = 256

// put puts the packed successor b, which differs in these leaves from its parent, into
// the batch.
func (s *search) put(b []byte, parent uint32, changed []int) {
	q := &s.batch
	reads := uint64(0)
	for _, leaf := range changed {
		reads |= s.reads[leaf]
	}
	q.states = append(q.states, b...)
	q.tags = append(q.tags, hash(b))
	q.parents = append(q.parents, parent)
	q.changed = append(q.changed, reads)
}

// drain looks the batch up. What a property reads that is the same as in the parent
// needs no look: there it was looked at, at a lesser depth.
func (s *search) drain() {
	q := &s.batch
	s.set.fetch(q.tags)
	for k, tag := range q.tags {
		b := q.states[k*s.set.size : (k+1)*s.set.size]
		i, known, ok := s.add(b, tag, q.parents[k])
		if !ok {
			break
		}
		if s.steps != nil {
			s.steps.Targets = append(s.steps.Targets, i)
		}
		if !known && q.changed[k] != 0 {
			s.packer.Unpack(b, s.fresh)
			s.check(s.fresh, i, s.depth+1, q.changed[k])
		}
	}
	q.states, q.tags, q.parents, q.changed = q.states[:0], q.tags[:0], q.parents[:0], q.changed[:0]
}

// finds evaluates a declared property: it returns what is violated, or the hit
// of a cover. Of a liveness property only an error shows.
func (s *search) finds(st model.State, prop int) *model.Violation {
	switch q := s.p.Model.Props[prop]; q.Kind {
	case model.Invariant:
		return s.m.Violated(st, prop)
	case model.Cover:
		ok, v := s.m.Holds(st, prop, nil)
		if ok && v == nil {
			v = &model.Violation{Prop: prop, Message: "covered"}
		}
		return v
	default:
		for _, inst := range instances(q) {
			if _, v := s.m.Holds(st, prop, inst); v != nil {
				return v
			}
		}
		return nil
	}
}

// expand fires all rule instances in state i.
func (s *search) expand(i uint32) {
	s.expanded++
	b := s.set.at(i)
	s.packer.Update(s.cur, s.packed, b)
	s.packed = b
	stuck := true // no step or error counts against a deadlock
	stuttering := s.p.Model.Deadlock == model.Stuttering
	if s.live != nil {
		s.live.expand()
	}
	s.m.Successors(s.cur, func(ch model.Choice, next model.State, v *model.Violation) bool {
		if v == nil || !v.InGuard {
			s.idle[ch.Rule] = false
		}
		s.covered(s.depth+1, i, ch)
		if v != nil {
			stuck = false
			depth := s.depth + 1
			if v.InGuard {
				if s.p.Model.Dialect == model.CMurphi {
					depth = s.depth
				}
			} else {
				s.fired++
				s.firedBy[ch.Rule]++
			}
			if s.wanted[v.Prop] {
				s.report(finding{depth, i, clone(ch), v})
			}
			return true
		}
		s.fired++
		s.firedBy[ch.Rule]++
		changed := s.m.Changed()
		self := len(changed) == 0
		if !self || !stuttering {
			stuck = false
		}
		if self || !s.frontier {
			return true
		}
		s.buf = append(s.buf[:0], b...)
		s.packer.Repack(s.buf, s.cur, next, changed)
		if s.live != nil {
			to, ok := s.visit(next, i, s.depth+1)
			if ok {
				s.live.edge(to)
			}
			return ok
		}
		to := s.buf
		if s.canon != nil {
			s.buf = append(s.buf, zeros[:]...)
			to = s.canon.canonPacked(next, s.buf)
		}
		s.put(to, i, changed)
		if s.steps != nil {
			s.tell()
		}
		return true
	})
	if stuck && s.dead >= 0 && s.reason == "" && !s.m.LeftOut() {
		s.stuck++
		s.report(finding{s.depth, i, nil, &model.Violation{Prop: s.dead, Message: "deadlock"}})
	}
}

func (s *search) result() (*Result, error) {
	st := s.stats()
	r := &Result{Complete: s.complete, Depth: s.done, States: st.States, Fired: s.fired, FiredBy: s.firedBy, Deadlocks: s.stuck, Memory: st.Memory, Reason: s.reason}
	if s.complete {
		r.Visited = &closure{s.set, s.packer, s.canon, make(model.State, s.p.Model.Leaves())}
		for rule, idle := range s.idle {
			if idle {
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
