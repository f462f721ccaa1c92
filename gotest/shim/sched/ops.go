package sched

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"orbitmc/internal/stateless/events"
)

// Kind is what an access does to an object.
type Kind uint8

const (
	Send Kind = iota
	Recv
	Close
	Peek // len, and select that takes its default
	Lock
	TryLock
	Unlock
	RLock
	TryRLock
	RUnlock
	Announce // of a writer: no new reader enters
	WLock
	TryWLock
	WUnlock
	Add
	Done
	Wait
	Enter // of Once
	Leave
	Pass    // when it was done
	Enqueue // of Cond
	Signal
	Woken
	Load
	Store
	Fire // of timers
	Set
	Touch  // of a line that raced
	Follow // the first step of a twin is behind that of the one before
	Yield
	Going // anything, where goroutines yield: see fair
	Sleep
	Clock
	Draw // a random number
	Begin
)

var kinds = [...]string{"send", "receive", "close", "len", "Lock", "TryLock", "Unlock", "RLock", "TryRLock", "RUnlock", "Lock (announced)", "Lock",
	"TryLock", "Unlock", "Add", "Done", "Wait", "Once.Do", "Once.Do (done)", "Once.Do (was done)", "Cond.Wait", "Signal", "Cond.Wait (woken)", "atomic load", "atomic write", "timer fires", "timer is set",
	"access", "", "Gosched", "", "Sleep", "clock", "random number", "begin"}

func (k Kind) String() string { return kinds[k] }

// single reports whether an operation that is no communication has one outcome, and of two steps that may let it move the
// order counts, or they are Ordered with it. Any of several signals wakes, and whoever moves last lets others yield again.
func (k Kind) single() bool { return k != Draw && k != Woken && k != Yield }

// Access is an object and what is done to it.
type Access struct {
	Obj  int32
	Kind Kind
}

// Foot is the accesses of an operation. Depends says which pairs may be exchanged.
type Foot []Access

func (f Foot) Depends(g Foot) (d events.Dependence) {
	for _, a := range f {
		for _, b := range g {
			if a.Obj == b.Obj {
				d = max(d, relation[a.Kind][b.Kind])
			}
		}
	}
	return d
}

// relation has the dependence of two kinds on one object. Kinds that never meet are dependent.
var relation = func() (r [Begin + 1][Begin + 1]events.Dependence) {
	for a := range r {
		for b := range r {
			r[a][b] = events.Dependent
		}
	}
	set := func(d events.Dependence, a Kind, bs ...Kind) {
		for _, b := range bs {
			r[a][b], r[b][a] = d, d
		}
	}
	set(events.Independent, Peek, Peek)
	set(events.Independent, Load, Load)
	set(events.Ordered, Lock, Unlock)
	set(events.Independent, RLock, RLock, RUnlock, TryRLock)
	set(events.Independent, TryRLock, TryRLock, RUnlock)
	set(events.Independent, RUnlock, RUnlock, Announce)
	set(events.Ordered, RLock, WLock, WUnlock)
	set(events.Ordered, RUnlock, WLock, WUnlock)
	set(events.Ordered, Announce, WLock, WUnlock)
	set(events.Ordered, WLock, WLock, WUnlock)
	set(events.Independent, Add, Add, Done) // see Exact
	set(events.Independent, Done, Done)
	set(events.Ordered, Done, Wait)
	set(events.Independent, Wait, Wait)
	set(events.Ordered, Leave, Enter, Pass)
	set(events.Independent, Pass, Pass)
	set(events.Independent, Signal, Signal)
	set(events.Independent, Woken, Woken, Enqueue)
	set(events.Ordered, Follow, Follow)
	set(events.Independent, Going, Going)
	set(events.Ordered, Fire, Fire)
	return r
}()

// locks is relation where only those unlock who hold the lock.
var locks = relation

// fairly adds to what an operation touches that it lets others go on that have yielded.
func (f Foot) fairly(k Kind) Foot {
	if search.yields {
		if k != Yield {
			k = Going
		}
		return append(f[:len(f):len(f)], Access{0, k})
	}
	return f
}

// exact makes Add and Done of a WaitGroup dependent, and what locks and unlocks: they are not as long as no order lets the
// counter go below 0, and only those unlock who hold the lock (see effect).
func exact(on bool) {
	for _, a := range []Kind{Lock, Unlock, RLock, TryRLock, RUnlock, Announce, WLock, WUnlock} {
		for _, b := range []Kind{Lock, Unlock, RLock, TryRLock, RUnlock, Announce, WLock, WUnlock} {
			if relation[a][b] = locks[a][b]; on {
				relation[a][b] = events.Dependent
			}
		}
	}
	d, w := events.Independent, events.Ordered
	if on {
		d, w = events.Dependent, events.Dependent
	}
	relation[Done][Wait], relation[Wait][Done] = w, w
	relation[Add][Done], relation[Done][Add], relation[Done][Done], relation[Add][Add] = d, d, d, d
}

// Obj is an object that operations are about. Its numbers begin anew with each execution.
type Obj struct {
	id     int32
	what   string // chan, Mutex, ...
	pc     uintptr
	ptr    unsafe.Pointer // a channel's, an atomic's
	n      int            // lock: 1 held; counter of a WaitGroup; Once: 1 running, 2 done
	r      int            // readers
	who    []int          // agents of them
	ann    bool           // a writer is announced
	owner  int            // agent that holds it; 0: none
	queue  []*G
	adds   []int // depths of the steps that added to a WaitGroup, and how much
	dones  int
	last   int               // depth of the last Done
	waited bool              // by somebody, since the counter was zero
	late   *[Begin + 1]int64 // see Now: of the last access of each kind
}

func (o *Obj) len() int { return len(*(*chan struct{})(unsafe.Pointer(&o.ptr))) }
func (o *Obj) cap() int { return cap(*(*chan struct{})(unsafe.Pointer(&o.ptr))) }

// shut reports whether a channel is closed, perhaps by a goroutine that we do not run, as in init.
func (o *Obj) shut() bool { return *(*uint32)(unsafe.Add(o.ptr, closedAt)) != 0 }

// closedAt is where a channel says that it is closed: what changes when one is.
var closedAt = func() int {
	const size = 64 // less than what the head of a channel has
	c := make(chan int)
	words := *(**[size / 4]uint32)(unsafe.Pointer(&c))
	before := *words
	close(c)
	for i, w := range *words {
		if before[i] == 0 && w == 1 {
			return 4 * i
		}
	}
	panic("channels of this version of Go are not known")
}()

func (o *Obj) name() string { return fmt.Sprintf("%s %d", o.what, o.id) }

// Ref holds the object of a value with identity: it stands in the value.
type Ref struct {
	obj   *Obj
	epoch int
	n, r  int32 // of the object, where no execution runs: each begins with it
}

// Outside notes what is done to an object where no execution runs: executions begin with it.
func (r *Ref) Outside(n, readers int32) {
	atomic.AddInt32(&r.n, n)
	atomic.AddInt32(&r.r, readers)
}

// Of returns the object of a value that r stands in. A copy of the value is another object, in the state
// of the first one.
func (r *Ref) Of(what string) *Obj {
	if r.epoch != epoch {
		r.obj, r.epoch = nil, epoch
	}
	if r.obj == nil || r.obj.ptr != unsafe.Pointer(r) {
		o := the.object(what, unsafe.Pointer(r)) // which keeps r where it is
		if old := r.obj; old != nil {
			o.n, o.r, o.ann, o.owner = old.n, old.r, old.ann, old.owner
		} else {
			o.n, o.r = int(r.n), int(r.r)
			o.ann = what == "RWMutex" && o.n == 1
			if what == "WaitGroup" {
				o.adds = []int{-1, o.n}
			}
		}
		r.obj = o
	}
	return r.obj
}

// Waits reports whether Wait may have come before the counter was zero, as the first one since it was zero the last time.
// It is called now, or was at a depth of the path.
func (r *Ref) Waits(from int) bool {
	o := r.Of("WaitGroup")
	if o.waited || o.n == 0 && (o.dones == 0 || from >= 0 && o.last < from || from < 0 && the.before(o.last, the.cur.id)) {
		return false
	}
	o.waited = true
	return true
}

// Depth returns how many steps were taken.
func Depth() int { return len(the.path) }

// table finds objects by address. It is not a map: those of Go report races by themselves.
type table struct {
	at    []*Obj
	count int
}

func (t *table) find(p unsafe.Pointer) **Obj {
	if 2*t.count >= len(t.at) {
		old := t.at
		t.at = make([]*Obj, max(64, 2*len(old)))
		for _, o := range old {
			if o != nil {
				*t.slot(o.ptr) = o
			}
		}
	}
	return t.slot(p)
}

func (t *table) slot(p unsafe.Pointer) **Obj {
	h := uint64(uintptr(p)) * 0x9e3779b97f4a7c15 >> 20
	for i := h; ; i++ {
		s := &t.at[i%uint64(len(t.at))]
		if *s == nil || (*s).ptr == p {
			return s
		}
	}
}
