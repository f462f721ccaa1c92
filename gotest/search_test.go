package gotest

import (
	"fmt"
	"maps"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"orbitmc/gotest/shim/sched"
	"orbitmc/gotest/shim/sync"
	"orbitmc/gotest/shim/time"
	"orbitmc/stateless/events"
)

// Programs of these tests are lists of operations for each goroutine, which an interpreter runs on our packages, in this
// process: under all schedules, without reduction, and, outside of an execution, natively.

// world is what the goroutines of a program share.
type world struct {
	c       [3]chan int // with capacities 0, 1 and 2
	none    chan int
	mu      sync.Mutex
	rw      sync.RWMutex
	wg      sync.WaitGroup
	once    sync.Once
	cond    *sync.Cond
	flag    bool // under the lock of cond
	atom    int
	timer   *time.Timer
	records []*record
}

// record is what a goroutine saw.
type record struct {
	name string
	log  []string
}

func (r *record) see(what string, v any) { r.log = append(r.log, fmt.Sprint(what, v)) }

func (w *world) outcome() string {
	var all []string
	for _, r := range w.records {
		all = append(all, r.name+"("+strings.Join(r.log, " ")+")")
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// op is an operation: a word, perhaps with a number.
type op string

// step runs an operation.
func (w *world) step(o op, r *record) {
	k := int(o[len(o)-1] - '0')
	switch s := strings.TrimRight(string(o), "0123456789"); s {
	case "send":
		sched.Tx(w.c[k])(len(r.log))
		r.see("s", "")
	case "recv":
		v, ok := sched.Rx2(w.c[k])
		r.see("r", fmt.Sprint(v, ok))
	case "close":
		sched.Shut(w.c[k])
	case "len":
		r.see("l", sched.Len(w.c[k]))
	case "nil":
		sched.Rx(w.none)
	case "selrr": // receive from either of two
		a, b := sched.R(w.c[k]), sched.R(w.c[(k+1)%3])
		switch sched.Select(false, a, b) {
		case 0:
			r.see("a", a.V)
		case 1:
			r.see("b", b.V)
		}
	case "selrs":
		a, b := sched.R(w.c[k]), sched.S(w.c[(k+1)%3])(7)
		switch sched.Select(false, a, b) {
		case 0:
			r.see("a", fmt.Sprint(a.V, a.Ok))
		case 1:
			r.see("b", "")
		}
	case "selrd": // or the default
		a := sched.R(w.c[k])
		if sched.Select(true, a) == 0 {
			r.see("a", a.V)
		} else {
			r.see("d", "")
		}
	case "selsd":
		r.see("d", sched.Select(true, sched.S(w.c[k])(8)))
	case "lock":
		w.mu.Lock()
		w.see(r)
		w.mu.Unlock()
	case "locksend":
		w.mu.Lock()
		sched.Tx(w.c[k])(9)
		w.mu.Unlock()
	case "trylock":
		if w.mu.TryLock() {
			w.see(r)
			w.mu.Unlock()
		} else {
			r.see("t", "")
		}
	case "rlock":
		w.rw.RLock()
		r.see("R", w.load())
		w.rw.RUnlock()
	case "wlock":
		w.rw.Lock()
		w.see(r)
		w.rw.Unlock()
	case "rrlock": // recursive
		w.rw.RLock()
		w.rw.RLock()
		r.see("R", w.load())
		w.rw.RUnlock()
		w.rw.RUnlock()
	case "tryr":
		if w.rw.TryRLock() {
			w.rw.RUnlock()
		} else {
			r.see("t", "")
		}
	case "tryw":
		if w.rw.TryLock() {
			w.rw.Unlock()
		} else {
			r.see("T", "")
		}
	case "add":
		w.wg.Add(1)
	case "done":
		w.wg.Done()
	case "wait":
		w.wg.Wait()
		r.see("w", "")
	case "once":
		w.once.Do(func() { w.see(r) })
	case "cwait":
		w.cond.L.Lock()
		for !w.flag {
			w.cond.Wait()
		}
		w.cond.L.Unlock()
	case "cset":
		w.cond.L.Lock()
		w.flag = true
		w.cond.L.Unlock()
		w.cond.Signal()
	case "cbroad":
		w.cond.L.Lock()
		w.flag = true
		w.cond.Broadcast()
		w.cond.L.Unlock()
	case "load":
		r.see("v", w.load())
	case "inc":
		r.see("i", w.inc())
	case "sleep":
		time.Sleep(time.Duration(k) * 1e6)
	case "after":
		sched.Rx(time.After(time.Duration(k) * 1e6))
	case "stop":
		r.see("S", w.timer.Stop())
	case "spawn":
		w.start(fmt.Sprint(r.name, "'"), []op{"inc", op(fmt.Sprint("send", k))}, 0)
	case "panic":
		panic("p")
	default:
		panic(o)
	}
}

func (w *world) see(r *record) { r.see("i", w.inc()) }

func ptr(p *int) unsafe.Pointer { return unsafe.Pointer(p) }

func (w *world) load() int {
	sched.Atomic(false, ptr(&w.atom))
	return w.atom
}

func (w *world) inc() int {
	sched.Atomic(true, ptr(&w.atom))
	w.atom++
	return w.atom
}

func (w *world) start(name string, ops []op, loop int) {
	r := &record{name: name}
	w.records = append(w.records, r)
	sched.Go(func() {
		for _, o := range ops {
			w.step(o, r)
		}
	}, loop)
}

// body is a program as a test: each list is a goroutine, the first the test itself.
func body(prog [][]op) sched.Body {
	var w *world
	return sched.Body{Name: "main", Reset: func() { w = &world{} },
		Run: func() {
			w.c = [3]chan int{make(chan int), make(chan int, 1), make(chan int, 2)}
			w.cond = sync.NewCond(&sync.Mutex{})
			if strings.Contains(fmt.Sprint(prog), "stop") {
				w.timer = time.AfterFunc(1e6, func() { w.inc() })
			}
			loop := 0
			for i, ops := range prog[1:] { // equal ones as if made by a loop
				if loop == 0 || !slices.Equal(ops, prog[i]) {
					loop = sched.Loop()
				}
				w.start(fmt.Sprint(ops), ops, loop)
			}
			r := &record{name: "main"}
			w.records = append(w.records, r)
			for _, o := range prog[0] {
				w.step(o, r)
			}
		},
		Outcome: func() (bool, string) { return false, w.outcome() }}
}

// result is what a search of a program comes to.
type result struct {
	outcomes map[string]int
	done     sched.Report
}

func search(prog [][]op, c sched.Config) result {
	r := result{outcomes: map[string]int{}}
	c.Every, c.Extra = true, 1<<30
	if c.Steps == 0 {
		c.Steps = 200
	}
	sched.Try(c, body(prog), func(x sched.Report) {
		switch x.Event {
		case "outcome":
			r.outcomes[x.Outcome]++
		case "done":
			r.done = x
		}
	})
	return r
}

var alphabet = []op{"send0", "send1", "send2", "recv0", "recv1", "recv2", "close0", "close1", "len1", "nil", "selrr0", "selrr1", "selrs0", "selrs1", "selrs2", "selrd0", "selrd1", "selsd0", "selsd1",
	"lock", "locksend0", "locksend1", "trylock", "rlock", "wlock", "rrlock", "tryr", "tryw", "add", "done", "wait", "once", "cwait", "cset", "cbroad", "load", "inc", "sleep1", "sleep2", "after1", "stop", "spawn1", "panic"}

// compare compares the outcomes of a program with reduction with those without it.
func compare(t *testing.T, prog [][]op, limit int, broken events.Broken) (full, reduced result, same bool) {
	t.Helper()
	full = search(prog, sched.Config{Full: true, NoTwins: true, Limit: limit})
	reduced = search(prog, sched.Config{Broken: broken, Limit: 10 * limit})
	if !full.done.Complete {
		return full, reduced, true
	}
	a, b := slices.Sorted(maps.Keys(full.outcomes)), slices.Sorted(maps.Keys(reduced.outcomes))
	return full, reduced, slices.Equal(a, b)
}

func TestReductionRandom(t *testing.T) {
	whole, saved, all, from, count := 0, 0, 0, 0, 1500
	if os.Getenv("SEEDS") != "" {
		fmt.Sscan(os.Getenv("SEEDS"), &from, &count)
	}
	for seed := from; seed < from+count; seed++ {
		rng := rand.New(rand.NewSource(int64(seed)))
		words := make([]op, 3+rng.Intn(4)) // of few objects, so that goroutines meet
		for i := range words {
			words[i] = alphabet[rng.Intn(len(alphabet))]
		}
		prog := make([][]op, 2+rng.Intn(3))
		for i := range prog {
			if i > 1 && rng.Intn(4) == 0 {
				prog[i] = prog[i-1]
				continue
			}
			for range 1 + rng.Intn(3) {
				prog[i] = append(prog[i], words[rng.Intn(len(words))])
			}
		}
		full, reduced, same := compare(t, prog, 500, "")
		if !same {
			t.Errorf("seed %d: %v:\nfull    %v\nreduced %v", seed, prog, slices.Sorted(maps.Keys(full.outcomes)), slices.Sorted(maps.Keys(reduced.outcomes)))
			if all++; all > 4 {
				return
			}
		}
		if full.done.Complete {
			whole++
			saved += full.done.Executions - reduced.done.Executions
			if reduced.done.Executions > full.done.Executions {
				t.Errorf("seed %d: %v: %d executions with reduction, %d without", seed, prog, reduced.done.Executions, full.done.Executions)
			}
		}
	}
	t.Log(whole, saved)
}
