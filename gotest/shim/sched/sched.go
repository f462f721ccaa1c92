// Package sched runs a Go function under one schedule after the other. It is compiled into the programs
// under test, whose operations on channels, locks, atomics and time call it. One goroutine runs at a time: in
// front of each operation it chooses who goes on, and hands over.
//
//	sched.go   goroutines, hand-over, what moves there are
//	ops.go     kinds of operations, objects, dependence
//	chans.go   channels, select, go
//	explore.go executions: search, random schedules, replay; what was found
//	timers.go  the clock
package sched

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"orbitmc/stateless/events"
)

// G is an agent: a goroutine, or a timer.
type G struct {
	id     int
	name   string
	pc     uintptr // of the go statement
	parent *G
	wake   chan struct{}
	op     op
	timer  *Timer // nil: a goroutine
	done   bool
	dead   bool // it has ended the program
	born   bool // has reached its first operation
	moved  bool // has taken a step
	keys   []any
	quiet  int // number of the loop that made it, in which nothing else happens; 0: none
	prev   *G  // its twin, which was made before it
	yields []int
	code   func()
	sync   byte
	steps  int
	at     int // its last step
	clean  func()
	woken  bool // by Signal
	drawn  int
	late   int64 // see Now

	// of the step that was granted
	choice  int
	partner *G
	fail    string
}

// op is what a goroutine does next.
type op struct {
	kind  Kind
	obj   *Obj
	pc    uintptr
	foot  Foot
	cases []Case
	dflt  bool // a select that does not wait
	until int64
	epoch int // when it came here
	n     int
}

// run is an execution.
type run struct {
	agents     []*G // by number; 0 is the clock, 1 the function under test
	cur        *G
	granted    []*G // who goes on to its next operation before anything is chosen
	objs       []*Obj
	table      table
	state      events.State[Foot]
	actors     []int
	moves      []move
	last       *G
	streak     int  // steps it has taken in a row
	goes       bool // it can go on, so that another one preempts it
	preempted  int
	now        int64
	ticks      int // how often the clock moved
	ticked     int // at which step it did the last time
	latest     int64
	dying      bool
	ended      bool
	reason     string // of the end: "", cut, asleep, diverged, violation
	path       []Step
	finished   chan struct{}
	found      []Violation
	crashed    bool // one of them ends the program
	rand       uint64
	loops      int
	draws      int
	notes      []string
	finalizers bool // are set
	gaps       []string
	after      int // ticks after the end of the test
	log        string
	replayed   int
	beside     *G // who called what is no step: see Beside
}

// move is what State.Moves has, for the scheduler.
type move struct {
	lead, partner *G
	choice, other int // cases
	barrier       bool
	until         int64
}

// Step is a step of an execution, for people.
type Step struct {
	Agent   int      `json:"agent"`
	Partner int      `json:"partner,omitempty"`
	Op      string   `json:"op"`
	Object  string   `json:"object,omitempty"`
	At      string   `json:"at,omitempty"`
	With    string   `json:"with,omitempty"` // where the partner is
	Agents  []string `json:"-"`

	kind  Kind
	pc    uintptr
	pc2   uintptr
	obj   *Obj
	dflt  bool
	id    uint64
	ticks int64
}

var (
	the   *run // nil: nothing is explored, operations are those of Go
	epoch int
	conf  Config
)

// On reports whether an execution runs.
func On() bool { return the != nil }

func (s *run) object(what string, p unsafe.Pointer) *Obj {
	o := &Obj{id: int32(len(s.objs) + 1), what: what, ptr: p}
	s.objs = append(s.objs, o)
	return o
}

// At returns the object of an address.
func (s *run) at(what string, p unsafe.Pointer) *Obj {
	slot := s.table.find(p)
	if *slot == nil {
		*slot = s.object(what, p)
		s.table.count++
	}
	return *slot
}

// caller returns where the program called an operation; skip counts functions of the shim. What context and
// testing do counts for the line that calls them.
func caller(skip int) uintptr {
	var pcs [1]uintptr
	for first := uintptr(0); ; skip++ {
		if runtime.Callers(skip+2, pcs[:]); first == 0 {
			first = pcs[0]
		}
		switch look(pcs[0]) {
		case program:
			return pcs[0]
		case bottom: // of the stack
			return first
		}
	}
}

// known are places that were looked up: an open hash table.
var known [1 << 12]struct {
	pc uintptr
	is uint8
}

const (
	program uint8 = iota
	inside        // of our packages
	bottom
)

func look(pc uintptr) uint8 {
	k := &known[pc>>1%uintptr(len(known))]
	if k.pc != pc || pc == 0 {
		k.pc, k.is = pc, program
		switch f, _ := runtime.CallersFrames([]uintptr{pc}).Next(); {
		case f.Function == "" || f.Function == "runtime.goexit":
			k.is = bottom
		case strings.Contains(f.File, "/orbitmc_shim/"):
			k.is = inside
		}
	}
	return k.is
}

// do waits until the operation that g.op has is chosen.
func (s *run) do(g *G) {
	if s.dying {
		runtime.Goexit()
	}
	g.op.epoch, g.op.foot = s.ticks, g.op.foot.fairly(g.op.kind)
	g.fail = ""
	s.hand(g)
}

// hand hands over to whoever goes on, and waits for its turn.
func (s *run) hand(g *G) {
	raceOff()
	next := s.pick()
	if next != g {
		if next == nil {
			s.finished <- struct{}{}
		} else {
			next.wake <- struct{}{}
		}
		<-g.wake
	}
	raceOn()
	if s.dying {
		s.die(g)
	}
}

// leave is the end of a goroutine: it hands over for good.
func (s *run) leave(g *G) {
	ReleaseMerge(unsafe.Pointer(&end))
	raceOff()
	g.done = true
	next := s.pick()
	if next == nil {
		s.finished <- struct{}{}
	} else {
		next.wake <- struct{}{}
	}
	raceOn()
}

var end byte // what goroutines did comes before the next execution

// die ends a goroutine that is left at the end of an execution. First all of them tell the race detector what they
// did, then each runs its deferred calls, up to the first operation.
func (s *run) die(g *G) {
	ReleaseMerge(unsafe.Pointer(&end))
	raceOff()
	s.finished <- struct{}{}
	<-g.wake
	raceOn()
	Acquire(unsafe.Pointer(&end))
	runtime.Goexit()
}

// spawn makes a goroutine, which waits to be woken.
func (s *run) spawn(name string, pc uintptr, f func()) *G {
	g := &G{name: name, pc: pc, parent: s.cur, wake: make(chan struct{}), code: f}
	if s.cur != nil {
		g.late = s.cur.late
	}
	go func() {
		raceOff()
		<-g.wake
		raceOn()
		if s.dying {
			s.die2(g)
			return
		}
		normal := false
		defer func() {
			if !normal {
				if e := recover(); e != nil && !s.dying {
					s.panicked(g, e)
				}
			}
			if s.dying {
				s.die2(g)
				return
			}
			if g.clean != nil {
				g.clean()
			}
			s.leave(g)
		}()
		f()
		normal = true
	}()
	return g
}

// die2 is the end of a goroutine that dies.
func (s *run) die2(g *G) {
	g.done = true
	ReleaseMerge(unsafe.Pointer(&end))
	raceOff()
	s.finished <- struct{}{}
	raceOn()
}

func (s *run) enroll(g *G) {
	g.id = len(s.agents)
	s.agents = append(s.agents, g)
}

// stop ends the execution.
func (s *run) stop(reason string) {
	if !s.ended {
		s.ended, s.reason = true, reason
	}
}

// pick returns who goes on: nil at the end.
func (s *run) pick() *G {
	for {
		if s.ended {
			return nil
		}
		if len(s.granted) > 0 {
			g := s.granted[0]
			s.granted = s.granted[1:]
			s.cur = g
			return g
		}
		s.list()
		i, v := s.next()
		switch v {
		case events.Over:
			s.stop("")
			continue
		case events.Asleep:
			s.stop("asleep")
			continue
		case events.Diverged:
			s.stop("diverged")
			continue
		}
		s.apply(i)
	}
}

// list lists the moves of the state.
func (s *run) list() {
	st := &s.state
	st.Moves, s.moves, s.actors = st.Moves[:0], s.moves[:0], make([]int, 0, 2*len(s.agents))
	st.Next, st.Waits, st.Single, st.Parent = st.Next[:0], st.Waits[:0], st.Single[:0], st.Parent[:0]
	st.Sum, st.Prefer = 14695981039346656037, -1
	if s.last != nil {
		st.Prefer = s.last.id
	}
	if s.streak >= patience { // it may wait in a loop for what others do
		st.Prefer, s.streak = s.idlest(), 0
	}
	for _, g := range s.agents {
		s.twin(g)
	}
	for _, g := range s.agents {
		waits := g.id > 0 && !g.done && !g.dead && g.prev == nil && (g.timer == nil || g.timer.due(s) || g.timer.lost) && (g.op.kind != Sleep || s.any() || g.op.until <= s.now)
		parent := -1
		if g.parent != nil {
			parent = g.parent.id
		}
		st.Parent, st.Waits = append(st.Parent, parent), append(st.Waits, waits)
		st.Next = append(st.Next, g.op.foot)
		st.Single = append(st.Single, len(g.op.cases) == 0 && g.op.kind.single() || len(g.op.cases) == 1 && !g.op.dflt && g.op.cases[0].obj != nil && g.op.cases[0].obj.cap() > 0)
		if g.id == 0 || g.done || g.dead {
			continue
		}
		st.Sum = (st.Sum ^ uint64(g.op.kind)) * 1099511628211
		st.Sum = (st.Sum ^ uint64(g.op.pc-base)) * 1099511628211
		for _, a := range g.op.foot {
			st.Sum = (st.Sum ^ uint64(a.Obj)) * 1099511628211
		}
		if waits {
			s.of(g)
		}
	}
	busy := len(s.path)-s.ticked > restless && s.sleeping()
	if busy { // else a loop that waits for a timer would go on for ever
		s.gap("goroutines went on for ever without waiting, so the clock moved nevertheless")
		st.Moves, s.moves = st.Moves[:0], s.moves[:0]
	}
	if len(s.moves) == 0 {
		s.tick()
	}
	s.bound()
	st.Sum = (st.Sum ^ uint64(len(s.moves))) * 1099511628211
}

// restless is after how many steps the clock moves although goroutines can.
const restless = 1000

// base is where our code is in this process: places are told relative to it.
var base = func() uintptr {
	pc, _, _, _ := runtime.Caller(0)
	return pc
}()

// patience is how many steps a goroutine takes before another one goes on, if nothing else counts.
const patience = 60

// idlest returns the goroutine that has waited longest.
func (s *run) idlest() int {
	best := -1
	for _, g := range s.agents[1:] {
		if !g.done && !g.dead && g != s.last && (best < 0 || g.at < s.agents[best].at) {
			best = g.id
		}
	}
	return best
}

// add lists a move.
func (s *run) add(m move, foot Foot) {
	from := len(s.actors)
	id := uint64(m.choice+1) | uint64(m.other+1)<<16
	if m.lead != nil {
		s.actors = append(s.actors, m.lead.id)
		id |= uint64(m.lead.id) << 32
	} else {
		s.actors = append(s.actors, 0)
	}
	if m.partner != nil {
		s.actors = append(s.actors, m.partner.id)
		id |= uint64(m.partner.id) << 48
	}
	s.moves = append(s.moves, m)
	s.state.Moves = append(s.state.Moves, events.Move[Foot]{ID: id, Actors: s.actors[from:len(s.actors):len(s.actors)], Foot: foot, Barrier: m.barrier})
}

// of lists the moves that a goroutine or timer leads.
func (s *run) of(g *G) {
	p, o := &g.op, g.op.obj
	ok := true
	switch p.kind {
	case Lock, Enter:
		ok = o.n != 1
	case Announce:
		ok = !o.ann
	case WLock:
		ok = o.r == 0
	case RLock:
		ok = !o.ann
	case Wait:
		ok = o.n == 0
	case Woken:
		ok = g.woken
	case Fire:
		ok = g.timer.due(s)
	case Yield:
		ok = s.fair(g)
	case Draw:
		for i := 0; i < p.n; i++ {
			s.add(move{lead: g, choice: i, other: -1}, p.foot)
		}
		return
	case Send, Recv, Peek:
		if p.cases != nil { // not len; those of select without cases are none
			s.comm(g)
			return
		}
	}
	if ok {
		s.add(move{lead: g, choice: -1, other: -1}, p.foot)
	}
}

// fair reports whether all that could move when g yielded the last time have moved since, or cannot (Musuvathi and Qadeer,
// PLDI 2008). So a loop that yields goes on only while others do.
func (s *run) fair(g *G) bool {
	for i, n := range g.yields {
		if u := s.agents[i]; n >= 0 && !u.done && u.steps == n && s.enabled(u) {
			return false
		}
	}
	return true
}

// yield notes who could move when g yielded.
func (s *run) yield(g *G) {
	g.yields = g.yields[:0]
	for _, u := range s.agents {
		n := -1
		if u.id > 0 && u != g && !u.done && s.enabled(u) {
			n = u.steps
		}
		g.yields = append(g.yields, n)
	}
}

// enabled reports whether a goroutine that does not yield can move. One that starts behind its twin can if that one can.
func (s *run) enabled(u *G) bool {
	if u.prev != nil {
		return s.enabled(u.prev)
	}
	if u.op.kind == Yield || u.dead || u.timer != nil || u.op.kind == Sleep && u.op.until > s.now {
		return false
	}
	moves, ms, as := len(s.state.Moves), len(s.moves), len(s.actors)
	s.of(u)
	ok := len(s.moves) > ms
	for _, h := range s.agents { // or takes part in what others lead
		if !ok && h != u && !h.done && !h.dead && len(h.op.cases) > 0 && h.timer == nil {
			s.of(h)
			for _, m := range s.moves[ms:] {
				ok = ok || m.partner == u
			}
		}
	}
	s.state.Moves, s.moves, s.actors = s.state.Moves[:moves], s.moves[:ms], s.actors[:as]
	return ok
}

// twin looks whether a goroutine that has taken no step waits for one that is like it: of those only the first may
// start. Then none of the executions is explored that differ by the names of the two.
func (s *run) twin(g *G) {
	if g.id < 2 || g.moved || g.done || g.timer != nil || g.prev != nil && !g.prev.moved {
		return
	}
	if g.prev != nil {
		g.op.foot = append(g.op.foot[:len(g.op.foot):len(g.op.foot)], Access{s.agents[g.prev.id].follow(s), Follow})
		g.prev = nil
		return
	}
	if g.born || conf.NoTwins {
		return
	}
	g.born = true
	for i := g.id - 1; i > 1; i-- {
		h := s.agents[i]
		if h.timer == nil && h.parent == g.parent && h.pc == g.pc {
			if !h.moved && !h.done && alike(g, h) {
				h.op.foot = append(h.op.foot[:len(h.op.foot):len(h.op.foot)], Access{h.follow(s), Follow})
				g.prev = h
			}
			return
		}
	}
}

// follow returns the object that orders the first steps of twins.
func (g *G) follow(s *run) int32 { return -int32(g.id) }

func alike(g, h *G) bool {
	p, q := &g.op, &h.op
	if (g.quiet == 0 || g.quiet != h.quiet) && conf.Broken != StaleTwins || len(g.keys) != len(h.keys) || p.kind != q.kind || p.pc != q.pc || p.obj != q.obj || len(p.cases) != len(q.cases) || p.until != q.until || p.dflt != q.dflt || p.n != q.n {
		return false
	}
	for i := range p.cases {
		if p.cases[i].obj != q.cases[i].obj {
			return false
		}
		for _, c := range p.cases[:i] { // they may meet each other
			if c.obj == p.cases[i].obj && c.send != p.cases[i].send {
				return false
			}
		}
	}
	for i, k := range g.keys {
		if k == any(NoTwin) || k != h.keys[i] {
			return false
		}
	}
	return true
}

// NoTwin is the key of an argument that says nothing.
type noTwin struct{}

var NoTwin = noTwin{}

// apply takes a move.
func (s *run) apply(i int) {
	m := s.moves[i]
	ev := &s.state.Moves[i]
	step := Step{id: ev.ID}
	if m.barrier {
		s.ticks++
		s.ticked = len(s.path)
		if s.agents[1].done {
			s.after++
		}
		s.now = max(s.now, m.until)
		s.latest++
		for _, g := range s.agents {
			g.late = s.latest
		}
		step.kind, step.ticks = Clock, s.now
		s.path = append(s.path, step)
		return
	}
	g := m.lead
	step.Agent, step.kind, step.pc, step.obj = g.id, g.op.kind, g.op.pc, g.op.obj
	g.choice, g.partner = m.choice, m.partner
	if len(g.op.cases) > 0 {
		if m.choice >= 0 {
			c := &g.op.cases[m.choice]
			step.obj, step.kind = c.obj, Recv
			if c.send {
				step.kind = Send
			}
		} else {
			step.dflt = true
		}
	}
	if h := m.partner; h != nil {
		step.Partner, step.pc2 = h.id, h.op.pc
		h.choice, h.partner = m.other, g
		h.steps++
		h.moved = true
	}
	s.path = append(s.path, step)
	s.meet(ev)
	if s.goes && g != s.last && m.partner != s.last {
		s.preempted++
	}
	g.steps++
	g.moved, g.at = true, len(s.path)
	if s.streak++; s.last != g {
		s.last, s.streak = g, 0
	}
	if g.timer != nil {
		g.timer.fire(s)
		return
	}
	s.effect(g)
	s.granted = append(s.granted, g)
	if m.partner != nil {
		s.granted = append(s.granted, m.partner)
	}
	if len(s.path) >= conf.Steps {
		s.stop("cut")
	}
}

// effect changes the objects of an operation but channels, which are Go's.
func (s *run) effect(g *G) {
	p, o := &g.op, g.op.obj
	switch p.kind {
	case Lock:
		o.n, o.owner = 1, g.id
	case Enter:
		if o.n == 0 {
			o.n, o.owner = 1, g.id
		}
	case TryLock:
		if g.choice = 0; o.n == 0 {
			g.choice, o.n, o.owner = 1, 1, g.id
		}
	case Unlock:
		if o.n == 0 {
			g.fail = "unlock of unlocked mutex"
		}
		s.foreign(o.owner != g.id)
		o.n, o.owner = 0, 0
	case Announce:
		o.ann, o.owner = true, g.id
	case WLock:
		o.n = 1
	case TryWLock:
		if g.choice = 0; !o.ann && o.r == 0 {
			g.choice, o.ann, o.n, o.owner = 1, true, 1, g.id
		}
	case WUnlock:
		if o.n == 0 {
			g.fail = "Unlock of unlocked RWMutex"
		}
		s.foreign(o.n == 0 || o.owner != g.id)
		o.n, o.ann, o.owner = 0, false, 0
	case RLock:
		o.r++
		o.who = append(o.who, g.id)
	case TryRLock:
		if g.choice = 0; !o.ann {
			o.r++
			o.who = append(o.who, g.id)
			g.choice = 1
		}
	case RUnlock:
		if o.r == 0 {
			g.fail = "RUnlock of unlocked RWMutex"
		} else {
			o.r--
		}
		mine := len(o.who) - 1
		for mine >= 0 && o.who[mine] != g.id {
			mine--
		}
		if s.foreign(mine < 0); mine >= 0 {
			o.who[mine] = o.who[len(o.who)-1]
			o.who = o.who[:len(o.who)-1]
		}
	case Add, Done:
		s.count(g)
	case Yield:
		s.yield(g)
	case Leave:
		o.n, o.owner = 2, 0
	case Enqueue:
		o.queue = append(o.queue, g)
		g.woken = false
	case Signal:
		for n := p.n; n != 0 && len(o.queue) > 0; n-- {
			o.queue[0].woken = true
			o.queue = o.queue[1:]
		}
	}
}

// foreign notes that a lock was released by another goroutine than the one that holds it. Before, the two are ordered: only
// the holder can release it. Take the first step of an execution that breaks that: all before it keeps the relation, so that what
// its goroutine has done is explored, with this step behind it, and is foreign there, too. The search begins anew then.
func (s *run) foreign(is bool) {
	search.wantExact = search.wantExact || is && conf.Broken != OwnLocks
}

// count changes the counter of a WaitGroup. Orders of Add and Done are not explored unless
// one of them may let the counter go below 0.
func (s *run) count(g *G) {
	o := g.op.obj
	if o.n += g.op.n; o.n < 0 {
		g.fail = "sync: negative WaitGroup counter"
	}
	if g.op.n > 0 {
		o.waited = o.waited && o.n > g.op.n
		o.adds = append(o.adds, len(s.path)-1, g.op.n)
		return
	}
	o.dones, o.last = o.dones-g.op.n, len(s.path)-1
	have := 0
	for i := 0; i < len(o.adds); i += 2 {
		if s.before(o.adds[i], g.id) {
			have += o.adds[i+1]
		}
	}
	if have < o.dones {
		search.wantExact = true
	}
}

func (s *run) before(i, agent int) bool {
	if !search.exploring || i < 0 {
		return true
	}
	return search.explorer.Before(i, agent)
}

// simple waits for an operation on one object, and returns the goroutine.
func (s *run) simple(k Kind, o *Obj, n, skip int) *G {
	g := s.cur
	var foot Foot
	if o != nil {
		foot = Foot{{o.id, k}}
	}
	g.op = op{kind: k, obj: o, n: n, foot: foot, pc: caller(skip + 1)}
	if o != nil && o.pc == 0 {
		o.pc = g.op.pc
	}
	s.do(g)
	return g
}

// Do takes a step on the object of r: what it may do then, and what is wrong with it.
func Do(k Kind, r *Ref, what string, n int) (choice int, fail string) {
	if the.dying {
		runtime.Goexit()
	}
	g := the.simple(k, r.Of(what), n, 2)
	return g.choice, g.fail
}

// Finished reports whether a Once was done. It never changes then.
func (r *Ref) Finished(what string) bool { return r.Of(what).n == 2 }

// Count returns the counter of a WaitGroup.
func (r *Ref) Count() int { return r.Of("WaitGroup").n }

// Atomic takes a step in front of an atomic operation.
func Atomic(write bool, p unsafe.Pointer) {
	s := the
	if s == nil {
		return
	}
	if s.dying {
		runtime.Goexit()
	}
	k := Load
	if write {
		k = Store
	}
	s.simple(k, s.at("atomic", p), 0, 2)
}

// Misuse ends the program: it does what Go answers with a fatal error.
func Misuse(text string) { the.crash(Violation{Kind: "misuse", Text: text}) }

// crash reports that the goroutine that runs ends the program. The others go on, as far as they may have come before.
func (s *run) crash(v Violation) {
	s.cur.dead = true
	s.violate(s.cur, v)
	s.hand(s.cur)
}

// panicked reports the panic of a goroutine.
func (s *run) panicked(g *G, e any) {
	if s.ended {
		return
	}
	buf := make([]byte, 1<<14)
	buf = buf[:runtime.Stack(buf, false)]
	s.violate(g, Violation{Kind: "panic", Text: text(e), Stack: string(buf)})
}

func text(e any) string {
	switch e := e.(type) {
	case error:
		return e.Error()
	case fmt.Stringer:
		return e.String()
	}
	return fmt.Sprint(e)
}

// violate reports what ends the program. It depends on no other step but those before it of its goroutine, so
// the execution goes on without that: what others do is explored, and would else be missing.
func (s *run) violate(g *G, v Violation) {
	v.Agent, v.steps = g.id, len(s.path)
	s.crashed = true
	s.found = append(s.found, v)
}
