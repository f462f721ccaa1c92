package sched

import (
	"runtime"
	"unsafe"
)

// Channels stay those of Go: what is in their buffers is there. A step sends or receives where Go would not
// block. On a channel without a buffer, sender and receiver take one step together.

// Case is a communication that an operation offers.
type Case struct {
	obj  *Obj // nil: of a nil channel
	send bool
	c    comm
}

type comm interface {
	of() Case
	solo()     // Go's operation
	meet(comm) // hands the value over
}

// RecvCase is a receive.
type RecvCase[T any] struct {
	c  <-chan T
	V  T
	Ok bool
}

// R returns the receive of a case of select.
func R[T any](c <-chan T) *RecvCase[T] { return &RecvCase[T]{c: c} }

func (r *RecvCase[T]) of() Case {
	return Case{channel(*(*unsafe.Pointer)(unsafe.Pointer(&r.c))), false, r}
}
func (r *RecvCase[T]) solo()     { r.V, r.Ok = <-r.c }
func (r *RecvCase[T]) meet(comm) {}

// SendCase is a send.
type SendCase[T any] struct {
	c chan<- T
	v T
}

// S returns the send of a case of select.
func S[T any](c chan<- T) func(T) *SendCase[T] {
	return func(v T) *SendCase[T] { return &SendCase[T]{c, v} }
}

func (s *SendCase[T]) of() Case {
	return Case{channel(*(*unsafe.Pointer)(unsafe.Pointer(&s.c))), true, s}
}
func (s *SendCase[T]) solo()       { s.c <- s.v }
func (s *SendCase[T]) meet(r comm) { x := r.(*RecvCase[T]); x.V, x.Ok = s.v, true }

func channel(p unsafe.Pointer) *Obj {
	if p == nil || the == nil {
		return nil
	}
	return the.at("chan", p)
}

// Tx sends.
func Tx[T any](c chan<- T) func(T) {
	return func(v T) {
		if !On() {
			c <- v
			return
		}
		the.communicate(false, 2, &SendCase[T]{c, v})
	}
}

// Rx receives.
func Rx[T any](c <-chan T) T {
	if !On() {
		return <-c
	}
	r := RecvCase[T]{c: c}
	the.communicate(false, 2, &r)
	return r.V
}

// Rx2 receives, and says whether from a sender.
func Rx2[T any](c <-chan T) (T, bool) {
	if !On() {
		v, ok := <-c
		return v, ok
	}
	r := RecvCase[T]{c: c}
	the.communicate(false, 2, &r)
	return r.V, r.Ok
}

// Rx3 receives first of a loop.
func Rx3[T any](c <-chan T) (<-chan T, T, bool) {
	if !On() {
		v, ok := <-c
		return c, v, ok
	}
	r := RecvCase[T]{c: c}
	the.communicate(false, 2, &r)
	return c, r.V, r.Ok
}

// Len is len of a channel.
func Len[T any](c <-chan T) int {
	if On() {
		the.simple(Peek, channel(*(*unsafe.Pointer)(unsafe.Pointer(&c))), 0, 1)
	}
	return len(c)
}

// LenTx is Len of a channel for sending only.
func LenTx[T any](c chan<- T) int {
	if On() {
		the.simple(Peek, channel(*(*unsafe.Pointer)(unsafe.Pointer(&c))), 0, 1)
	}
	return len(c)
}

// Shut closes a channel.
func Shut[T any](c chan<- T) {
	if On() {
		if the.dying {
			runtime.Goexit()
		}
		the.simple(Close, channel(*(*unsafe.Pointer)(unsafe.Pointer(&c))), 0, 1)
	}
	close(c)
}

// Select waits for a communication, and returns which; -1 is the default.
func Select(dflt bool, cs ...comm) int {
	if !On() {
		return native(dflt, cs)
	}
	return the.communicate(dflt, 2, cs...)
}

func (r *run) communicate(dflt bool, skip int, cs ...comm) int {
	if r.dying {
		runtime.Goexit()
	}
	g := r.cur
	p := op{kind: Peek, dflt: dflt, pc: caller(skip), cases: make([]Case, 0, len(cs))}
	sync := false
	for _, c := range cs {
		k := c.of()
		p.cases = append(p.cases, k)
		if k.obj == nil {
			continue
		}
		kind := Recv
		if k.send {
			kind = Send
		}
		if k.obj.pc == 0 {
			k.obj.pc = p.pc
		}
		p.foot = append(p.foot, Access{k.obj.id, kind})
		sync = sync || k.obj.cap() == 0
	}
	if len(cs) == 1 && !dflt {
		p.obj, p.kind = p.cases[0].obj, Recv
		if p.cases[0].send {
			p.kind = Send
		}
	}
	if sync {
		Release(unsafe.Pointer(&g.sync))
	}
	g.op = p
	r.do(g)
	switch {
	case g.choice < 0:
	case g.partner != nil:
		c := &g.op.cases[g.choice]
		Acquire(unsafe.Pointer(&g.partner.sync))
		if c.send { // it goes on first
			c.c.meet(g.partner.op.cases[g.partner.choice].c)
			Release(unsafe.Pointer(&g.sync))
		}
	default:
		g.op.cases[g.choice].c.solo()
	}
	return g.choice
}

// native is select outside of an execution.
func native(dflt bool, cs []comm) int {
	for {
		for i, c := range cs {
			if try, ok := c.(interface{ try() bool }); ok && try.try() {
				return i
			}
		}
		if dflt {
			return -1
		}
		runtime.Gosched()
	}
}

func (r *RecvCase[T]) try() bool {
	select {
	case r.V, r.Ok = <-r.c:
		return true
	default:
		return false
	}
}

func (s *SendCase[T]) try() bool {
	select {
	case s.c <- s.v:
		return true
	default:
		return false
	}
}

// comm lists the moves of a communication. One on a channel without a buffer is listed with its sender.
func (r *run) comm(g *G) {
	ready := false // a case certainly is
	for i := range g.op.cases {
		c := &g.op.cases[i]
		o := c.obj
		if o == nil {
			continue
		}
		foot := Foot{{o.id, Recv}}
		if c.send {
			foot[0].Kind = Send
		}
		foot = foot.fairly(Send)
		if i == 0 && len(g.op.cases) == 1 { // what twins follow
			foot = g.op.foot
		}
		if o.shut() || c.send && o.len() < o.cap() || !c.send && o.len() > 0 {
			if r.first(g, o, c.send) {
				r.add(move{lead: g, choice: i, other: -1}, foot)
			}
			ready = true
			continue
		}
		if o.cap() > 0 {
			continue
		}
		for _, h := range r.agents {
			if h == g || h.done || h.dead || h.timer != nil || h.prev != nil {
				continue
			}
			for j := range h.op.cases {
				d := &h.op.cases[j]
				if d.obj != o || d.send == c.send || g.op.dflt && h.op.dflt || !r.first(h, o, d.send) || !r.first(g, o, c.send) {
					continue
				}
				ready = ready || h.op.epoch < r.ticks && !h.op.dflt
				if c.send {
					r.add(move{lead: g, partner: h, choice: i, other: j}, foot)
				}
			}
		}
	}
	if g.op.dflt && !ready {
		foot := make(Foot, 0, len(g.op.foot))
		for _, a := range g.op.foot {
			if a.Kind == Send || a.Kind == Recv {
				a.Kind = Peek
			}
			foot = append(foot, a)
		}
		r.add(move{lead: g, choice: -1, other: -1}, foot)
	}
}

// first reports whether nobody has certainly waited longer than g.
func (r *run) first(g *G, o *Obj, send bool) bool {
	for _, h := range r.agents {
		if h == g || h.done || h.dead || h.op.dflt || h.timer != nil || h.op.epoch >= g.op.epoch {
			continue
		}
		for j := range h.op.cases {
			if d := &h.op.cases[j]; d.obj == o && d.send == send {
				return false
			}
		}
	}
	return true
}

// Go is the go statement. Keys are the captured variables and the arguments; loop is what Loop returned of the
// loop in which nothing else happens.
func Go(f func(), loop int, keys ...any) { GoAt(1, f, loop, keys...) }

// GoAt is Go for a function that takes the place of one of Go's.
func GoAt(skip int, f func(), loop int, keys ...any) {
	s := the
	if s == nil {
		Outside = true
		go f()
		return
	}
	if s.dying {
		runtime.Goexit()
	}
	s.start(f, loop, keys, caller(skip+1))
}

// Outside says that goroutines were made while no test ran.
var Outside bool

func (r *run) start(f func(), loop int, keys []any, pc uintptr) *G {
	g := r.spawn("", pc, f)
	g.quiet, g.keys = loop, keys
	r.enroll(g)
	r.granted = append(r.granted, g)
	return g
}

// Loop numbers a loop that only makes goroutines.
func Loop() int {
	if the == nil {
		return 0
	}
	the.loops++
	return the.loops
}

// Key returns the key of an argument.
func Key(v any) any {
	switch v.(type) {
	case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, uintptr, float64, string:
		return v
	}
	return NoTwin
}

// Gosched yields.
func Gosched() {
	s := the
	if s == nil {
		runtime.Gosched()
		return
	}
	if s.dying {
		runtime.Goexit()
	}
	search.wantYields = true
	s.note("a goroutine that yields again and again waits until the others have gone on")
	s.simple(Yield, nil, 0, 2)
}

// Count returns the number of goroutines. Where it is asked for, not all of its values are.
func Count() (n int) {
	the.gap("runtime.NumGoroutine at " + position(caller(2)) + ": not all of its values are explored")
	for _, g := range the.agents {
		if g.id > 0 && g.timer == nil && !g.done {
			n++
		}
	}
	return n
}

// Number returns the number of the goroutine that runs.
func Number() int { return the.cur.id }

// Dying reports whether the execution is over, and goroutines run their deferred calls.
func Dying() bool { return the != nil && the.dying }

// Waiter returns the goroutine that has just entered the queue of a Cond.
func Waiter() *G { return the.cur }

// Sleeps waits until the goroutine was woken.
func Sleeps(g *G, r *Ref) {
	s := the
	if s.dying {
		runtime.Goexit()
	}
	o := r.Of("Cond")
	g.op = op{kind: Woken, obj: o, foot: Foot{{o.id, Woken}}, pc: caller(2)}
	s.do(g)
}

// Epoch is the number of the execution.
func Epoch() int { return epoch }

// Line is a step in front of a line on which races were seen.
func Line(races ...int) {
	s := the
	if s == nil {
		return
	}
	if s.dying {
		runtime.Goexit()
	}
	p := op{kind: Touch, pc: caller(1)}
	for _, k := range races {
		p.foot = append(p.foot, Access{s.at("line", unsafe.Pointer(&lines[k%len(lines)])).id, Touch})
	}
	s.cur.op = p
	s.do(s.cur)
}

var lines [256]byte
