// Package sync takes the place of the package of that name in programs under test. What is not here
// is that of Go.
package sync

import (
	"runtime"
	"sync"
	"unsafe"

	"orbitmc/gotest/shim/sched"
)

// Locker is sync.Locker.
type Locker = sync.Locker

// Mutex is sync.Mutex. Who waits gets it in any order.
type Mutex struct {
	ref  sched.Ref
	real sync.Mutex // outside of executions
}

func (m *Mutex) Lock() {
	if !sched.On() {
		m.real.Lock()
		m.ref.Outside(1, 0)
		return
	}
	sched.Do(sched.Lock, &m.ref, "Mutex", 0)
	sched.Acquire(unsafe.Pointer(m))
}

func (m *Mutex) TryLock() bool {
	if !sched.On() {
		ok := m.real.TryLock()
		if ok {
			m.ref.Outside(1, 0)
		}
		return ok
	}
	ok, _ := sched.Do(sched.TryLock, &m.ref, "Mutex", 0)
	if ok == 1 {
		sched.Acquire(unsafe.Pointer(m))
	}
	return ok == 1
}

func (m *Mutex) Unlock() {
	if !sched.On() {
		m.ref.Outside(-1, 0)
		m.real.Unlock()
		return
	}
	sched.Release(unsafe.Pointer(m))
	if _, fail := sched.Do(sched.Unlock, &m.ref, "Mutex", 0); fail != "" {
		sched.Misuse("sync: " + fail)
	}
}

// RWMutex is sync.RWMutex. A writer first keeps new readers out, and then waits for those inside.
type RWMutex struct {
	ref  sched.Ref
	w    byte // what readers did
	real sync.RWMutex
}

func (m *RWMutex) Lock() {
	if !sched.On() {
		m.real.Lock()
		m.ref.Outside(1, 0)
		return
	}
	sched.Do(sched.Announce, &m.ref, "RWMutex", 0)
	sched.Do(sched.WLock, &m.ref, "RWMutex", 0)
	sched.Acquire(unsafe.Pointer(m))
	sched.Acquire(unsafe.Pointer(&m.w))
}

func (m *RWMutex) TryLock() bool {
	if !sched.On() {
		ok := m.real.TryLock()
		if ok {
			m.ref.Outside(1, 0)
		}
		return ok
	}
	ok, _ := sched.Do(sched.TryWLock, &m.ref, "RWMutex", 0)
	if ok == 1 {
		sched.Acquire(unsafe.Pointer(m))
		sched.Acquire(unsafe.Pointer(&m.w))
	}
	return ok == 1
}

func (m *RWMutex) Unlock() {
	if !sched.On() {
		m.ref.Outside(-1, 0)
		m.real.Unlock()
		return
	}
	sched.Release(unsafe.Pointer(m))
	if _, fail := sched.Do(sched.WUnlock, &m.ref, "RWMutex", 0); fail != "" {
		sched.Misuse("sync: " + fail)
	}
}

func (m *RWMutex) RLock() {
	if !sched.On() {
		m.real.RLock()
		m.ref.Outside(0, 1)
		return
	}
	sched.Do(sched.RLock, &m.ref, "RWMutex", 0)
	sched.Acquire(unsafe.Pointer(m))
}

func (m *RWMutex) TryRLock() bool {
	if !sched.On() {
		ok := m.real.TryRLock()
		if ok {
			m.ref.Outside(0, 1)
		}
		return ok
	}
	ok, _ := sched.Do(sched.TryRLock, &m.ref, "RWMutex", 0)
	if ok == 1 {
		sched.Acquire(unsafe.Pointer(m))
	}
	return ok == 1
}

func (m *RWMutex) RUnlock() {
	if !sched.On() {
		m.ref.Outside(0, -1)
		m.real.RUnlock()
		return
	}
	sched.ReleaseMerge(unsafe.Pointer(&m.w))
	if _, fail := sched.Do(sched.RUnlock, &m.ref, "RWMutex", 0); fail != "" {
		sched.Misuse("sync: " + fail)
	}
}

// RLocker returns a Locker of RLock and RUnlock.
func (m *RWMutex) RLocker() Locker { return (*rlocker)(m) }

type rlocker RWMutex

func (r *rlocker) Lock()   { (*RWMutex)(r).RLock() }
func (r *rlocker) Unlock() { (*RWMutex)(r).RUnlock() }

// WaitGroup is sync.WaitGroup.
type WaitGroup struct {
	ref  sched.Ref
	sema byte
	real sync.WaitGroup
}

func (w *WaitGroup) Add(n int) {
	if !sched.On() {
		w.ref.Outside(int32(n), 0)
		w.real.Add(n)
		return
	}
	k := sched.Add
	if n < 0 {
		k = sched.Done
		sched.ReleaseMerge(unsafe.Pointer(w))
	}
	if _, fail := sched.Do(k, &w.ref, "WaitGroup", n); fail != "" {
		panic(fail)
	}
	if n > 0 && w.ref.Count() == n { // the first Add has to be ordered with Wait
		sched.Read(unsafe.Pointer(&w.sema))
	}
}

func (w *WaitGroup) Done() {
	if !sched.On() {
		w.ref.Outside(-1, 0)
		w.real.Done()
		return
	}
	sched.ReleaseMerge(unsafe.Pointer(w))
	if _, fail := sched.Do(sched.Done, &w.ref, "WaitGroup", -1); fail != "" {
		panic(fail)
	}
}

func (w *WaitGroup) Wait() {
	if !sched.On() {
		w.real.Wait()
		return
	}
	waits := w.ref.Waits(-1)
	if waits {
		sched.Write(unsafe.Pointer(&w.sema))
	}
	from := sched.Depth()
	sched.Do(sched.Wait, &w.ref, "WaitGroup", 0)
	if !waits && w.ref.Waits(from) {
		sched.Write(unsafe.Pointer(&w.sema))
	}
	sched.Acquire(unsafe.Pointer(w))
}

// Go calls f in a goroutine of its own.
func (w *WaitGroup) Go(f func()) {
	w.Add(1)
	sched.GoAt(1, func() {
		defer w.Done()
		f()
	}, 0)
}

// Once is sync.Once.
type Once struct {
	ref  sched.Ref
	real sync.Once
	done bool // outside of executions
}

func (o *Once) Do(f func()) {
	if !sched.On() {
		o.real.Do(f)
		o.done = true
		return
	}
	if o.done {
		return
	}
	if sched.Dying() {
		runtime.Goexit()
	}
	kind := sched.Enter
	if o.ref.Finished("Once") {
		kind = sched.Pass
	}
	sched.Do(kind, &o.ref, "Once", 0)
	if o.ref.Finished("Once") {
		sched.Acquire(unsafe.Pointer(o))
		return
	}
	defer func() {
		sched.Release(unsafe.Pointer(o))
		sched.Do(sched.Leave, &o.ref, "Once", 0)
	}()
	f()
}

// Cond is sync.Cond. Signal wakes who has waited longest.
type Cond struct {
	L    Locker
	ref  sched.Ref
	real *sync.Cond
}

// NewCond returns a Cond.
func NewCond(l Locker) *Cond { return &Cond{L: l, real: sync.NewCond(l)} }

func (c *Cond) out() *sync.Cond {
	if c.real == nil {
		c.real = sync.NewCond(c.L)
	}
	return c.real
}

func (c *Cond) Wait() {
	if !sched.On() {
		c.out().Wait()
		return
	}
	sched.Do(sched.Enqueue, &c.ref, "Cond", 0)
	w := sched.Waiter()
	c.L.Unlock()
	sched.Sleeps(w, &c.ref)
	c.L.Lock()
}

func (c *Cond) Signal() {
	if !sched.On() {
		c.out().Signal()
		return
	}
	sched.Do(sched.Signal, &c.ref, "Cond", 1)
}

func (c *Cond) Broadcast() {
	if !sched.On() {
		c.out().Broadcast()
		return
	}
	sched.Do(sched.Signal, &c.ref, "Cond", -1)
}

// Pool is sync.Pool. Get returns what was put last, or makes a new one.
type Pool struct {
	New   func() any
	ref   sched.Ref
	items []any
	epoch int
}

func (p *Pool) Get() any {
	if sched.On() {
		sched.Do(sched.Store, &p.ref, "Pool", 0)
		p.fresh()
		if n := len(p.items); n > 0 {
			x := p.items[n-1]
			p.items = p.items[:n-1]
			sched.Acquire(unsafe.Pointer(&p.ref))
			sched.Note("a sync.Pool returns what was put last, if there is something")
			return x
		}
	}
	if p.New == nil {
		return nil
	}
	return p.New()
}

func (p *Pool) Put(x any) {
	if sched.On() && x != nil {
		sched.ReleaseMerge(unsafe.Pointer(&p.ref))
		sched.Do(sched.Store, &p.ref, "Pool", 0)
		p.fresh()
		p.items = append(p.items, x)
	}
}

func (p *Pool) fresh() {
	if e := sched.Epoch(); e != p.epoch {
		p.items, p.epoch = nil, e
	}
}

// Map is sync.Map: each operation is one step. Range takes what is there when it begins, in order of insertion.
type Map struct {
	ref  sched.Ref
	keys []any
	vals []any
}

func (m *Map) step(write bool) {
	if sched.On() {
		k := sched.Load
		if write {
			k = sched.Store
		}
		if write {
			sched.ReleaseMerge(unsafe.Pointer(m))
		}
		sched.Do(k, &m.ref, "Map", 0)
		sched.Acquire(unsafe.Pointer(m))
	}
}

func (m *Map) find(key any) int {
	for i, k := range m.keys {
		if k == key {
			return i
		}
	}
	return -1
}

func (m *Map) Load(key any) (any, bool) {
	m.step(false)
	if i := m.find(key); i >= 0 {
		return m.vals[i], true
	}
	return nil, false
}

func (m *Map) Store(key, v any) { m.Swap(key, v) }

func (m *Map) Swap(key, v any) (old any, loaded bool) {
	m.step(true)
	if i := m.find(key); i >= 0 {
		old, m.vals[i] = m.vals[i], v
		return old, true
	}
	m.keys, m.vals = append(m.keys, key), append(m.vals, v)
	return nil, false
}

func (m *Map) LoadOrStore(key, v any) (any, bool) {
	m.step(true)
	if i := m.find(key); i >= 0 {
		return m.vals[i], true
	}
	m.keys, m.vals = append(m.keys, key), append(m.vals, v)
	return v, false
}

func (m *Map) remove(i int) {
	// One by one: the race detector sees copies of slices.
	for ; i+1 < len(m.keys); i++ {
		m.keys[i], m.vals[i] = m.keys[i+1], m.vals[i+1]
	}
	m.keys, m.vals = m.keys[:i], m.vals[:i]
}

func (m *Map) LoadAndDelete(key any) (any, bool) {
	m.step(true)
	i := m.find(key)
	if i < 0 {
		return nil, false
	}
	v := m.vals[i]
	m.remove(i)
	return v, true
}

func (m *Map) Delete(key any) { m.LoadAndDelete(key) }

func (m *Map) CompareAndSwap(key, old, v any) bool {
	m.step(true)
	i := m.find(key)
	if i < 0 || m.vals[i] != old {
		return false
	}
	m.vals[i] = v
	return true
}

func (m *Map) CompareAndDelete(key, old any) bool {
	m.step(true)
	i := m.find(key)
	if i < 0 || m.vals[i] != old {
		return false
	}
	m.remove(i)
	return true
}

func (m *Map) Range(f func(key, v any) bool) {
	m.step(false)
	sched.Note("Range of a sync.Map sees what is there when it begins")
	var all [][2]any
	for i, k := range m.keys {
		all = append(all, [2]any{k, m.vals[i]})
	}
	for _, x := range all {
		if !f(x[0], x[1]) {
			return
		}
	}
}

func (m *Map) Clear() {
	m.step(true)
	m.keys, m.vals = nil, nil
}
