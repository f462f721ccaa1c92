package sched

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"orbitmc/internal/stateless/events"
)

// The clock stands still while a goroutine can move. When all are blocked it goes to the next timer. With
// Config.Any each timer fires at any moment.

// Timer is an agent that fires. Its goroutine for AfterFunc waits from the start, so that what came before the
// call comes before it.
type Timer struct {
	agent  *G
	c      chan time.Time
	f      func()
	g      *G
	at     int64
	period int64
	active bool
	early  int  // how often a ticker fired while others could move
	lost   bool // it was stopped where it might have fired
	obj    *Obj
}

func (r *run) any() bool { return conf.Any }

func (t *Timer) due(s *run) bool {
	return t.active && (t.at <= s.now || s.any() && t.early < 3)
}

// idle reports whether a timer can wake nobody: a ticker whose channel is full.
func (t *Timer) idle() bool { return t.period > 0 && len(t.c) == cap(t.c) }

// NewTimer makes a timer, which sends the time on c or runs f.
func NewTimer(d, period time.Duration, c chan time.Time, f func()) *Timer {
	s := the
	if s.dying {
		runtime.Goexit()
	}
	t := &Timer{c: c, f: f, obj: s.object("timer", nil)}
	t.obj.ptr = unsafe.Pointer(t)
	t.obj.pc = caller(2)
	t.agent = &G{timer: t, parent: s.cur, pc: t.obj.pc, late: s.cur.late}
	s.enroll(t.agent)
	t.set(s, d, period)
	return t
}

func (t *Timer) set(s *run, d, period time.Duration) {
	t.active, t.period, t.at = true, int64(period), s.in(d)
	op := &t.agent.op
	op.kind, op.obj, op.pc = Fire, t.obj, t.obj.pc
	op.foot = Foot{{t.obj.id, Fire}}
	if t.c != nil {
		op.foot = append(op.foot, Access{channel(*(*unsafe.Pointer)(unsafe.Pointer(&t.c))).id, Send})
	}
	op.foot = op.foot.fairly(Fire)
	if t.f != nil && t.g == nil {
		t.g = s.spawn("", t.obj.pc, t.f)
	}
}

func (t *Timer) fire(s *run) {
	if t.active = t.period > 0; t.active {
		if t.at > s.now {
			if t.early++; t.early == 3 {
				if t.early == 3 && s.any() {
					s.gap("a ticker fires before its time three times at most")
				}
			}
		}
		t.at += t.period
	}
	s.now = max(s.now, t.at*b2i(!t.active))
	if t.c != nil {
		select {
		case t.c <- s.time(t.agent):
		default:
		}
		return
	}
	g := t.g
	t.g, g.parent, g.late = nil, t.agent, t.agent.late
	s.enroll(g)
	s.granted = append(s.granted, g)
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Change stops a timer, or starts it anew, and reports whether it was active.
func (t *Timer) Change(start bool, d, period time.Duration, drain bool) bool {
	s := the
	if s.dying {
		runtime.Goexit()
	}
	foot := Foot{{t.obj.id, Set}}
	if t.c != nil && drain {
		foot = append(foot, Access{channel(*(*unsafe.Pointer)(unsafe.Pointer(&t.c))).id, Recv})
	}
	s.cur.op = op{kind: Set, obj: t.obj, foot: foot, pc: caller(2)}
	s.do(s.cur)
	was := t.active
	t.lost = t.lost || t.due(s)
	t.active = false
	if t.c != nil && drain {
		select {
		case <-t.c:
			was = true
		default:
		}
	}
	if start {
		t.set(s, d, period)
	}
	return was
}

// Base is the time at which executions begin.
var Base = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// Where no execution runs, time goes on by seconds, and by readings.
var (
	started = time.Now()
	outside atomic.Int64
)

// Now returns the time: that of the clock, and a nanosecond more than each reading before. What is before is what the
// order of dependent steps says, so that exchanging others changes no reading.
func Now() time.Time {
	if the == nil { // as in init: before all executions, and in each process the same
		return Base.Add(time.Since(started).Truncate(time.Second) - time.Hour + time.Duration(outside.Add(1)))
	}
	if conf.Any {
		var pcs [1]uintptr
		if runtime.Callers(3, pcs[:]); look(pcs[0]) == program {
			the.gap("time.Now at " + position(pcs[0]) + ", while timers fire at any moment: not all of its values are explored")
		}
	}
	g := the.cur
	g.late++
	the.latest = max(the.latest, g.late)
	return the.time(g)
}

func (r *run) time(g *G) time.Time { return Base.Add(time.Duration(r.now + g.late)) }

// meet makes readings behind a step later than those before.
func (r *run) meet(m *events.Move[Foot]) {
	if r.latest == 0 {
		return
	}
	late := int64(0)
	for _, i := range m.Actors {
		late = max(late, r.agents[i].late)
	}
	for _, a := range m.Foot {
		if a.Obj > 0 && r.objs[a.Obj-1].late != nil {
			for k, l := range r.objs[a.Obj-1].late {
				if relation[a.Kind][k] != events.Independent || conf.Broken == AnyReading {
					late = max(late, l)
				}
			}
		}
	}
	for _, i := range m.Actors {
		r.agents[i].late = late
	}
	for _, a := range m.Foot {
		if a.Obj > 0 && late > 0 {
			o := r.objs[a.Obj-1]
			if o.late == nil {
				o.late = new([Begin + 1]int64)
			}
			o.late[a.Kind] = max(o.late[a.Kind], late)
		}
	}
}

// grain is that of timers: readings differ by less.
const grain = int64(time.Microsecond)

// in returns the time of the clock when a timer is due.
func (r *run) in(d time.Duration) int64 {
	at := r.now + min(max(0, int64(d)), math.MaxInt64-r.now-grain)
	return (at + grain - 1) / grain * grain
}

// Sleep waits.
func SleepFor(d time.Duration) {
	s := the
	if s == nil {
		time.Sleep(d)
		return
	}
	if s.dying {
		runtime.Goexit()
	}
	g := s.cur
	g.op = op{kind: Sleep, pc: caller(2), until: s.in(d)}
	s.do(g)
	s.now = max(s.now, g.op.until*b2i(s.any()))
}

// tick lists the move of the clock to the next timer, in a state without other moves.
func (r *run) tick() {
	next := r.upcoming()
	if next < 0 {
		return
	}
	if r.after > 100 {
		r.stop("running")
		return
	}
	r.add(move{choice: -1, other: -1, barrier: true, until: next}, nil)
}

// sleeping reports whether a timer is to come.
func (r *run) sleeping() bool { return r.upcoming() > r.now }

// upcoming returns when the next timer fires; -1: there is none.
func (r *run) upcoming() int64 {
	next := int64(-1)
	ended := r.agents[1].done
	for _, g := range r.agents {
		at := int64(-1)
		switch {
		case g.id == 0 || g.done || g.dead:
			continue
		case g.timer != nil:
			if t := g.timer; t.active && !t.idle() && !(ended && t.period > 0) {
				at = t.at
			}
		case g.op.kind == Sleep:
			at = g.op.until
		}
		if at >= 0 && (next < 0 || at < next) {
			next = at
		}
	}
	return next
}

// NewTimers reports whether timers are those of Go 1.23: what Stop and Reset leave in the channel is gone.
func NewTimers() bool { return !conf.Old }
