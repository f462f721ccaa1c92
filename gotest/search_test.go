package gotest

import (
	"fmt"
	"maps"
	"math/rand"
	"os"
	"slices"
	"strings"
	gosync "sync"
	"sync/atomic"
	"syscall"
	"testing"
	gotime "time"
	"unsafe"

	"orbitmc/gotest/shim/sched"
	"orbitmc/gotest/shim/sync"
	"orbitmc/gotest/shim/time"
	"orbitmc/internal/stateless/events"
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
	real    int64            // in its place, natively
	guard   gosync.Mutex     // of records, natively
	all     gosync.WaitGroup // of goroutines, natively
	reused  atomic.Bool      // a WaitGroup, natively
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
	case "selss": // both directions of one channel
		a, b := sched.R(w.c[k]), sched.S(w.c[k])(len(r.log))
		r.see("y", sched.Select(false, a, b))
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
	case "hold":
		w.mu.Lock()
	case "unlock":
		w.mu.Unlock()
	case "rhold":
		w.rw.RLock()
	case "runlock":
		w.rw.RUnlock()
	case "whold":
		w.rw.Lock()
	case "wunlock":
		w.rw.Unlock()
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
	case "cw": // whatever flag is
		w.cond.L.Lock()
		w.cond.Wait()
		w.see(r)
		w.cond.L.Unlock()
	case "csig":
		w.cond.Signal()
	case "clsig":
		w.cond.L.Lock()
		w.cond.Signal()
		w.see(r)
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
	case "now":
		if sched.On() {
			r.see("n", int(time.Now().Sub(sched.Base)))
		}
	case "yield":
		sched.Gosched()
	case "spin": // until somebody has counted
		for w.load() == 0 {
			sched.Gosched()
		}
		r.see("z", "")
	case "panic":
		panic("p")
	default:
		panic(o)
	}
}

func (w *world) see(r *record) { r.see("i", w.inc()) }

func ptr(p *int) unsafe.Pointer { return unsafe.Pointer(p) }

func (w *world) load() int {
	if !sched.On() {
		return int(atomic.LoadInt64(&w.real))
	}
	sched.Atomic(false, ptr(&w.atom))
	return w.atom
}

func (w *world) inc() int {
	if !sched.On() {
		return int(atomic.AddInt64(&w.real, 1))
	}
	sched.Atomic(true, ptr(&w.atom))
	w.atom++
	return w.atom
}

func (w *world) start(name string, ops []op, loop int) {
	r := &record{name: name}
	w.guard.Lock()
	w.records = append(w.records, r)
	w.guard.Unlock()
	w.all.Add(1)
	sched.Go(func() {
		defer w.all.Done()
		if !sched.On() {
			defer w.early()
		}
		for _, o := range ops {
			w.step(o, r)
		}
	}, loop)
}

// early is deferred natively.
func (w *world) early() {
	if x := recover(); x != nil {
		if !strings.Contains(fmt.Sprint(x), "WaitGroup is reused") {
			panic(x)
		}
		w.reused.Store(true)
	}
}

// run runs a program: each list is a goroutine, the first the test itself.
func (w *world) run(prog [][]op) {
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
	w.guard.Lock()
	w.records = append(w.records, r)
	w.guard.Unlock()
	for _, o := range prog[0] {
		w.step(o, r)
	}
}

func body(prog [][]op) sched.Body {
	var w *world
	return sched.Body{Name: "main", Reset: func() { w = &world{} }, Run: func() { w.run(prog) }, Outcome: func() (bool, string) { return false, w.outcome() }}
}

// native runs a program without us. A run that does not end says nothing, nor does one that uses a WaitGroup
// again too early: where that panics it is a race, too.
func native(prog [][]op) (outcome string, ok bool) {
	w := &world{}
	ended := make(chan bool, 1)
	go func() {
		defer w.early()
		w.run(prog)
		w.all.Wait()
		ended <- true
	}()
	select {
	case <-ended:
		return w.outcome(), !w.reused.Load()
	case <-gotime.After(20 * gotime.Millisecond):
		return "", false
	}
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
	"lock", "locksend0", "locksend1", "trylock", "rlock", "wlock", "rrlock", "tryr", "tryw", "add", "done", "wait", "once", "cwait", "cset", "cbroad", "load", "inc", "sleep1", "sleep2", "after1", "stop", "spawn1", "panic", "yield", "spin",
	"hold", "unlock", "rhold", "runlock", "whold", "wunlock", "now"}

// compare compares the outcomes of a program with reduction with those without it.
func compare(t *testing.T, prog [][]op, limit int, broken events.Broken, anyTime ...bool) (full, reduced result, same bool) {
	t.Helper()
	full = search(prog, sched.Config{Unreduced: true, NoTwins: true, Limit: limit, Any: anyTime != nil})
	reduced = search(prog, sched.Config{Broken: broken, Limit: 10 * limit, Any: anyTime != nil})
	if !full.done.Complete {
		return full, reduced, true
	}
	a, b := slices.Sorted(maps.Keys(full.outcomes)), slices.Sorted(maps.Keys(reduced.outcomes))
	return full, reduced, slices.Equal(a, b)
}

// random is a small program, and whether its timers fire at any moment.
func random(seed int) (prog [][]op, anyTime bool) {
	rng := rand.New(rand.NewSource(int64(seed)))
	words := make([]op, 3+rng.Intn(4)) // of few objects, so that goroutines meet
	for i := range words {
		words[i] = alphabet[rng.Intn(len(alphabet))]
	}
	prog = make([][]op, 2+rng.Intn(3))
	for i := range prog {
		if i > 1 && rng.Intn(4) == 0 {
			prog[i] = prog[i-1]
			continue
		}
		for range 1 + rng.Intn(3) {
			prog[i] = append(prog[i], words[rng.Intn(len(words))])
		}
	}
	return prog, seed%3 == 0
}

// found is what all schedules of a program show.
type found struct {
	prog     [][]op
	outcomes map[string]int
}

// later are programs that TestZNative runs.
var later []found

// TestReductionRandom compares random programs: 200 of them, or those numbered FROM to FROM+COUNT by SEEDS="FROM
// COUNT". With ORBITMC_LONG it is 27,000, of which TestZNative, in the same run, runs those that can be.
func TestReductionRandom(t *testing.T) {
	whole, saved, all, from, count := 0, 0, 0, 0, 80
	long := os.Getenv("ORBITMC_LONG") != ""
	if long {
		count = 27000
	}
	if os.Getenv("SEEDS") != "" {
		fmt.Sscan(os.Getenv("SEEDS"), &from, &count)
	}
	executions, verdicts := 0, map[string]int{}
	for seed := from; seed < from+count; seed++ {
		prog, anyTime := random(seed)
		if anyTime && strings.Contains(fmt.Sprint(prog), "now") {
			continue // which is a gap
		}
		var timers []bool
		if anyTime {
			timers = []bool{true}
		}
		full, reduced, same := compare(t, prog, 500, "", timers...)
		if !same {
			t.Errorf("seed %d: %v:\nfull    %v\nreduced %v", seed, prog, slices.Sorted(maps.Keys(full.outcomes)), slices.Sorted(maps.Keys(reduced.outcomes)))
			if all++; all > 4 {
				return
			}
		}
		if full.done.Complete {
			whole++
			executions += full.done.Executions
			saved += full.done.Executions - reduced.done.Executions
			if reduced.done.Executions > full.done.Executions {
				t.Errorf("seed %d: %v: %d executions with reduction, %d without", seed, prog, reduced.done.Executions, full.done.Executions)
			}
			for _, word := range []string{"deadlock", "leak", "panic", "misuse"} {
				if has(full.outcomes, word) {
					verdicts[word]++
				}
			}
			if text := fmt.Sprint(prog); long && canRun(reduced.outcomes) && !strings.Contains(text, "spin") && !strings.Contains(text, "now") &&
				(anyTime || !strings.Contains(text, "sleep") && !strings.Contains(text, "after") && !strings.Contains(text, "stop")) {
				later = append(later, found{prog, reduced.outcomes})
			}
		}
	}
	t.Logf("%d programs, %d with all schedules: %d without reduction, %d with; in some schedule: %v; %.0f s CPU", count, whole, executions, executions-saved, verdicts, cpu())
}

func has(outcomes map[string]int, word string) bool {
	for o := range outcomes {
		if strings.Contains(o, word) {
			return true
		}
	}
	return false
}

// canRun reports whether a program may end natively, and cannot take this process with it.
func canRun(outcomes map[string]int) bool {
	for o := range outcomes {
		if !strings.Contains(o, "deadlock") && !strings.Contains(o, "leak") {
			return !has(outcomes, "panic") && !has(outcomes, "misuse")
		}
	}
	return false
}

// cpu returns the seconds of this process.
func cpu() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// TestReductionDoubles leaves out rules of the reduction, one at a time: on some program that is noticed.
func TestReductionDoubles(t *testing.T) {
	for _, c := range []struct {
		broken events.Broken
		prog   [][]op
	}{
		{events.NoRaces, [][]op{{"inc"}, {"inc"}}},
		{events.NoWaits, [][]op{{"send1"}, {"send1"}}},
		{sched.OwnLocks, [][]op{{"hold"}, {"unlock"}}},
		{events.NoClosed, [][]op{{"selrs2"}, {"selrd0"}}},
		{sched.AnyReading, [][]op{{"now", "now", "load", "now"}, {"now", "load", "now"}}},
		{events.NoJoint, [][]op{{"selrs0", "selrs0"}, {"locksend0"}}},
	} {
		if full, reduced, same := compare(t, c.prog, 1000, ""); !same {
			t.Errorf("%v: %v %v", c.prog, full.outcomes, reduced.outcomes)
		}
		if full, reduced, same := compare(t, c.prog, 1000, c.broken); same {
			t.Errorf("%q is not noticed on %v: %v %v", c.broken, c.prog, full.outcomes, reduced.outcomes)
		}
	}
}

// TestReductionPrograms compares programs that were reduced too much once.
func TestReductionPrograms(t *testing.T) {
	for _, prog := range [][][]op{
		{{"csig"}, {"clsig"}, {"csig"}, {"cw"}}, // a signal behind the one that wakes is not what wakes
		{{}, {"selss0"}, {"selss0"}},            // twins meet each other
		{{"close2"}, {"selss0", "close0"}, {"selss0", "close0"}, {"selss0"}},
	} {
		if full, reduced, same := compare(t, prog, 10000, ""); !same || !full.done.Complete {
			t.Errorf("%v: full %v reduced %v", prog, full.outcomes, reduced.outcomes)
		}
	}
}

// TestCounts has numbers of executions that are known.
func TestCounts(t *testing.T) {
	factorial := []int{1, 1, 2, 6, 24, 120}
	for n := 1; n <= 5; n++ {
		prog := [][]op{{}}
		for range n {
			prog = append(prog, []op{"lock"})
		}
		if r := search(prog, sched.Config{NoTwins: true}); r.done.Executions != factorial[n] || !r.done.Complete {
			t.Errorf("%d locks: %+v", n, r.done)
		}
		if r := search(prog, sched.Config{}); r.done.Executions != 1 || !r.done.Complete {
			t.Errorf("%d locks with twins: %+v", n, r.done)
		}
	}
	for n, want := range []int{1, 1, 6, 90, 2520} { // two dependent operations each: (2n)!/2^n
		prog := [][]op{{}}
		for range n {
			prog = append(prog, []op{"inc", "inc"})
		}
		if r := search(prog, sched.Config{NoTwins: true}); r.done.Executions != want {
			t.Errorf("%d times two: %d executions, want %d", n, r.done.Executions, want)
		}
	}
}

// TestSmall compares all programs of two goroutines with at most two operations each, of a few words.
func TestSmall(t *testing.T) {
	for _, words := range [][]op{
		{"send0", "recv0", "send1", "recv1", "close1"},
		{"selrd0", "send0", "selrs0", "recv0", "close0"},
		{"lock", "trylock", "locksend1", "recv1"},
		{"rlock", "wlock", "tryr", "tryw"},
		{"hold", "unlock", "trylock", "lock"},
		{"rhold", "runlock", "whold", "wunlock"},
		{"rlock", "runlock", "tryw", "wunlock"},
		{"add", "done", "wait", "once", "inc"},
		{"cwait", "cset", "cbroad", "lock"},
		{"cw", "csig", "clsig"},
		{"selss0", "send0", "selrd0", "close0"},
		{"after1", "sleep1", "inc", "selrd1", "send1"},
		{"stop", "sleep1", "after2", "inc"},
		{"now", "sleep1", "lock", "send1", "recv1", "selrd1"},
		{"now", "rlock", "wlock", "inc", "load"},
		{"now", "add", "done", "wait", "once"},
	} {
		lists := [][]op{{}}
		for _, a := range words {
			lists = append(lists, []op{a})
			for _, b := range words {
				lists = append(lists, []op{a, b})
			}
		}
		for i, a := range lists {
			for j, b := range lists {
				if (i+j)%3 > 0 && os.Getenv("ORBITMC_LONG") == "" {
					continue
				}
				if full, reduced, same := compare(t, [][]op{a, b}, 10000, ""); !same || !full.done.Complete {
					t.Errorf("%v: full %v reduced %v", [][]op{a, b}, full.outcomes, reduced.outcomes)
				}
			}
		}
	}
}

// TestZNative, the last one, runs programs with Go's own operations, many times: what shows is among what we find.
func TestZNative(t *testing.T) {
	seen := 0
	programs := [][][]op{ // decisions of docs/go.md
		{{"selrd0", "selrd0"}, {"send0"}, {"nil"}},
		{{"rlock"}, {"wlock"}, {"rlock"}, {"tryr", "tryw"}},
		{{"add", "wait"}, {"done", "add"}, {"wait"}},
		{{"cwait"}, {"cset"}, {"cwait"}, {"cbroad"}},
		{{"once", "inc"}, {"once", "once"}, {"load"}},
		{{"send1", "recv1"}, {"len1", "send1"}, {"len1", "recv1"}},
		{{"close1", "selrs0"}, {"recv1", "recv0"}, {"selrr0"}},
		{{"trylock"}, {"lock"}, {"trylock", "trylock"}},
	}
	var words []op
	for _, o := range alphabet {
		if !slices.Contains(strings.Fields("sleep1 sleep2 after1 stop panic nil yield spin hold unlock rhold runlock whold wunlock now"), string(o)) {
			words = append(words, o)
		}
	}
	rng := rand.New(rand.NewSource(1))
	for range 120 {
		prog := make([][]op, 2+rng.Intn(2))
		for i := range prog {
			for range 1 + rng.Intn(3) {
				prog[i] = append(prog[i], words[rng.Intn(len(words))])
			}
		}
		programs = append(programs, prog)
	}
	var kept []found // all searches come first: what is left of native runs must not meet one
	for _, prog := range programs {
		if r := search(prog, sched.Config{Limit: 5000}); r.done.Complete && canRun(r.outcomes) {
			kept = append(kept, found{prog, r.outcomes})
		}
	}
	if len(kept) < 30 {
		t.Errorf("only %d programs", len(kept))
	}
	kept = append(kept, later...)
	for _, p := range kept {
		for range 40 {
			got, ok := native(p.prog)
			if !ok && later != nil {
				break // what a run that does not end leaves behind takes memory
			}
			if ok {
				seen++
			}
			if ok && p.outcomes[got] == 0 {
				t.Errorf("%v: Go shows %q, we have %v", p.prog, got, slices.Sorted(maps.Keys(p.outcomes)))
				break
			}
		}
	}
	t.Logf("%d programs, %d runs that ended, %.0f s CPU", len(kept), seen, cpu())
}
