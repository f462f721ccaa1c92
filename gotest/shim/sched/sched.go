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

	"orbitmc/internal/stateless/events"
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

func (r *run) object(what string, p unsafe.Pointer) *Obj {
	o := &Obj{id: int32(len(r.objs) + 1), what: what, ptr: p}
	r.objs = append(r.objs, o)
	return o
}

// At returns the object of an address.
func (r *run) at(what string, p unsafe.Pointer) *Obj {
	slot := r.table.find(p)
	if *slot == nil {
		*slot = r.object(what, p)
		r.table.count++
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
func (r *run) do(g *G) {
	if r.dying {
		runtime.Goexit()
	}
	g.op.epoch, g.op.foot = r.ticks, g.op.foot.fairly(g.op.kind)
	g.fail = ""
	r.hand(g)
}

// hand hands over to whoever goes on, and waits for its turn.
func (r *run) hand(g *G) {
	raceOff()
	next := r.pick()
	if next != g {
		if next == nil {
			r.finished <- struct{}{}
		} else {
			next.wake <- struct{}{}
		}
		<-g.wake
	}
	raceOn()
	if r.dying {
		r.die(g)
	}
}

// leave is the end of a goroutine: it hands over for good.
func (r *run) leave(g *G) {
	ReleaseMerge(unsafe.Pointer(&end))
	raceOff()
	g.done = true
	next := r.pick()
	if next == nil {
		r.finished <- struct{}{}
	} else {
		next.wake <- struct{}{}
	}
	raceOn()
}

var end byte // what goroutines did comes before the next execution

// die ends a goroutine that is left at the end of an execution. First all of them tell the race detector what they
// did, then each runs its deferred calls, up to the first operation.
func (r *run) die(g *G) {
	ReleaseMerge(unsafe.Pointer(&end))
	raceOff()
	r.finished <- struct{}{}
	<-g.wake
	raceOn()
	Acquire(unsafe.Pointer(&end))
	runtime.Goexit()
}

// spawn makes a goroutine, which waits to be woken.
func (r *run) spawn(name string, pc uintptr, f func()) *G {
	g := &G{name: name, pc: pc, parent: r.cur, wake: make(chan struct{}), code: f}
	if r.cur != nil {
		g.late = r.cur.late
	}
	go func() {
		raceOff()
		<-g.wake
		raceOn()
		if r.dying {
			r.die2(g)
			return
		}
		normal := false
		defer func() {
			if !normal {
				if e := recover(); e != nil && !r.dying {
					r.panicked(g, e)
				}
			}
			if r.dying {
				r.die2(g)
				return
			}
			if g.clean != nil {
				g.clean()
			}
			r.leave(g)
		}()
		f()
		normal = true
	}()
	return g
}

// die2 is the end of a goroutine that dies.
func (r *run) die2(g *G) {
	g.done = true
	ReleaseMerge(unsafe.Pointer(&end))
	raceOff()
	r.finished <- struct{}{}
	raceOn()
}

func (r *run) enroll(g *G) {
	g.id = len(r.agents)
	r.agents = append(r.agents, g)
}

// stop ends the execution.
func (r *run) stop(reason string) {
	if !r.ended {
		r.ended, r.reason = true, reason
	}
}

// pick returns who goes on: nil at the end.
func (r *run) pick() *G {
	for {
		if r.ended {
			return nil
		}
		if len(r.granted) > 0 {
			g := r.granted[0]
			r.granted = r.granted[1:]
			r.cur = g
			return g
		}
		r.list()
		i, v := r.next()
		switch v {
		case events.Over:
			r.stop("")
			continue
		case events.Asleep:
			r.stop("asleep")
			continue
		case events.Diverged:
			r.stop("diverged")
			continue
		}
		r.apply(i)
	}
}

// list lists the moves of the state.
func (r *run) list() {
	st := &r.state
	st.Moves, r.moves, r.actors = st.Moves[:0], r.moves[:0], make([]int, 0, 2*len(r.agents))
	st.Next, st.Waits, st.Single, st.Parent = st.Next[:0], st.Waits[:0], st.Single[:0], st.Parent[:0]
	st.Sum, st.Prefer = 14695981039346656037, -1
	if r.last != nil {
		st.Prefer = r.last.id
	}
	if r.streak >= patience { // it may wait in a loop for what others do
		st.Prefer, r.streak = r.idlest(), 0
	}
	for _, g := range r.agents {
		r.twin(g)
	}
	for _, g := range r.agents {
		waits := g.id > 0 && !g.done && !g.dead && g.prev == nil && (g.timer == nil || g.timer.due(r) || g.timer.lost) && (g.op.kind != Sleep || r.any() || g.op.until <= r.now)
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
			r.of(g)
		}
	}
	busy := len(r.path)-r.ticked > restless && r.sleeping()
	if busy { // else a loop that waits for a timer would go on for ever
		r.gap("goroutines went on for ever without waiting, so the clock moved nevertheless")
		st.Moves, r.moves = st.Moves[:0], r.moves[:0]
	}
	if len(r.moves) == 0 {
		r.tick()
	}
	r.bound()
	st.Sum = (st.Sum ^ uint64(len(r.moves))) * 1099511628211
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
func (r *run) idlest() int {
	best := -1
	for _, g := range r.agents[1:] {
		if !g.done && !g.dead && g != r.last && (best < 0 || g.at < r.agents[best].at) {
			best = g.id
		}
	}
	return best
}

// add lists a move.
func (r *run) add(m move, foot Foot) {
	from := len(r.actors)
	id := uint64(m.choice+1) | uint64(m.other+1)<<16
	if m.lead != nil {
		r.actors = append(r.actors, m.lead.id)
		id |= uint64(m.lead.id) << 32
	} else {
		r.actors = append(r.actors, 0)
	}
	if m.partner != nil {
		r.actors = append(r.actors, m.partner.id)
		id |= uint64(m.partner.id) << 48
	}
	r.moves = append(r.moves, m)
	r.state.Moves = append(r.state.Moves, events.Move[Foot]{ID: id, Actors: r.actors[from:len(r.actors):len(r.actors)], Foot: foot, Barrier: m.barrier})
}

// of lists the moves that a goroutine or timer leads.
func (r *run) of(g *G) {
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
		ok = g.timer.due(r)
	case Yield:
		ok = r.fair(g)
	case Draw:
		for i := 0; i < p.n; i++ {
			r.add(move{lead: g, choice: i, other: -1}, p.foot)
		}
		return
	case Send, Recv, Peek:
		if p.cases != nil { // not len; those of select without cases are none
			r.comm(g)
			return
		}
	}
	if ok {
		r.add(move{lead: g, choice: -1, other: -1}, p.foot)
	}
}

// fair reports whether all that could move when g yielded the last time have moved since, or cannot (Musuvathi and Qadeer,
// PLDI 2008). So a loop that yields goes on only while others do.
func (r *run) fair(g *G) bool {
	for i, n := range g.yields {
		if u := r.agents[i]; n >= 0 && !u.done && u.steps == n && r.enabled(u) {
			return false
		}
	}
	return true
}

// yield notes who could move when g yielded.
func (r *run) yield(g *G) {
	g.yields = g.yields[:0]
	for _, u := range r.agents {
		n := -1
		if u.id > 0 && u != g && !u.done && r.enabled(u) {
			n = u.steps
		}
		g.yields = append(g.yields, n)
	}
}

// enabled reports whether a goroutine that does not yield can move. One that starts behind its twin can if that one can.
func (r *run) enabled(u *G) bool {
	if u.prev != nil {
		return r.enabled(u.prev)
	}
	if u.op.kind == Yield || u.dead || u.timer != nil || u.op.kind == Sleep && u.op.until > r.now {
		return false
	}
	moves, ms, as := len(r.state.Moves), len(r.moves), len(r.actors)
	r.of(u)
	ok := len(r.moves) > ms
	for _, h := range r.agents { // or takes part in what others lead
		if !ok && h != u && !h.done && !h.dead && len(h.op.cases) > 0 && h.timer == nil {
			r.of(h)
			for _, m := range r.moves[ms:] {
				ok = ok || m.partner == u
			}
		}
	}
	r.state.Moves, r.moves, r.actors = r.state.Moves[:moves], r.moves[:ms], r.actors[:as]
	return ok
}

// twin looks whether a goroutine that has taken no step waits for one that is like it: of those only the first may
// start. Then none of the executions is explored that differ by the names of the two.
func (r *run) twin(g *G) {
	if g.id < 2 || g.moved || g.done || g.timer != nil || g.prev != nil && !g.prev.moved {
		return
	}
	if g.prev != nil {
		g.op.foot = append(g.op.foot[:len(g.op.foot):len(g.op.foot)], Access{r.agents[g.prev.id].follow(r), Follow})
		g.prev = nil
		return
	}
	if g.born || conf.NoTwins {
		return
	}
	g.born = true
	for i := g.id - 1; i > 1; i-- {
		h := r.agents[i]
		if h.timer == nil && h.parent == g.parent && h.pc == g.pc {
			if !h.moved && !h.done && alike(g, h) {
				h.op.foot = append(h.op.foot[:len(h.op.foot):len(h.op.foot)], Access{h.follow(r), Follow})
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
func (r *run) apply(i int) {
	m := r.moves[i]
	ev := &r.state.Moves[i]
	step := Step{id: ev.ID}
	if m.barrier {
		r.ticks++
		r.ticked = len(r.path)
		if r.agents[1].done {
			r.after++
		}
		r.now = max(r.now, m.until)
		r.latest++
		for _, g := range r.agents {
			g.late = r.latest
		}
		step.kind, step.ticks = Clock, r.now
		r.path = append(r.path, step)
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
	r.path = append(r.path, step)
	r.meet(ev)
	if r.goes && g != r.last && m.partner != r.last {
		r.preempted++
	}
	g.steps++
	g.moved, g.at = true, len(r.path)
	if r.streak++; r.last != g {
		r.last, r.streak = g, 0
	}
	if g.timer != nil {
		g.timer.fire(r)
		return
	}
	r.effect(g)
	r.granted = append(r.granted, g)
	if m.partner != nil {
		r.granted = append(r.granted, m.partner)
	}
	if len(r.path) >= conf.Steps {
		r.stop("cut")
	}
}

// effect changes the objects of an operation but channels, which are Go's.
func (r *run) effect(g *G) {
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
		r.foreign(o.owner != g.id)
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
		r.foreign(o.n == 0 || o.owner != g.id)
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
		if r.foreign(mine < 0); mine >= 0 {
			o.who[mine] = o.who[len(o.who)-1]
			o.who = o.who[:len(o.who)-1]
		}
	case Add, Done:
		r.count(g)
	case Yield:
		r.yield(g)
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
func (r *run) foreign(is bool) {
	search.wantExact = search.wantExact || is && conf.Broken != OwnLocks
}

// count changes the counter of a WaitGroup. Orders of Add and Done are not explored unless
// one of them may let the counter go below 0.
func (r *run) count(g *G) {
	o := g.op.obj
	if o.n += g.op.n; o.n < 0 {
		g.fail = "sync: negative WaitGroup counter"
	}
	if g.op.n > 0 {
		o.waited = o.waited && o.n > g.op.n
		o.adds = append(o.adds, len(r.path)-1, g.op.n)
		return
	}
	o.dones, o.last = o.dones-g.op.n, len(r.path)-1
	have := 0
	for i := 0; i < len(o.adds); i += 2 {
		if r.before(o.adds[i], g.id) {
			have += o.adds[i+1]
		}
	}
	if have < o.dones {
		search.wantExact = true
	}
}

func (r *run) before(i, agent int) bool {
	if !search.exploring || i < 0 {
		return true
	}
	return search.explorer.Before(i, agent)
}

// simple waits for an operation on one object, and returns the goroutine.
func (r *run) simple(k Kind, o *Obj, n, skip int) *G {
	g := r.cur
	var foot Foot
	if o != nil {
		foot = Foot{{o.id, k}}
	}
	g.op = op{kind: k, obj: o, n: n, foot: foot, pc: caller(skip + 1)}
	if o != nil && o.pc == 0 {
		o.pc = g.op.pc
	}
	r.do(g)
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
func (r *run) crash(v Violation) {
	r.cur.dead = true
	r.violate(r.cur, v)
	r.hand(r.cur)
}

// panicked reports the panic of a goroutine.
func (r *run) panicked(g *G, e any) {
	if r.ended {
		return
	}
	buf := make([]byte, 1<<14)
	buf = buf[:runtime.Stack(buf, false)]
	r.violate(g, Violation{Kind: "panic", Text: text(e), Stack: string(buf)})
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
func (r *run) violate(g *G, v Violation) {
	v.Agent, v.steps = g.id, len(r.path)
	r.crashed = true
	r.found = append(r.found, v)
}
