// Tests with the verdict that is expected of each: in the comment, the kinds of its violations; explored; or incomplete.
package cases

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand"
	"os/exec"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cases/dep"
)

// deadlock
func TestLockOrder(t *testing.T) {
	var a, b sync.Mutex
	done := make(chan bool)
	go func() {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
		done <- true
	}()
	b.Lock()
	a.Lock()
	a.Unlock()
	b.Unlock()
	<-done
}

// deadlock
func TestReaderTwice(t *testing.T) {
	var m sync.RWMutex
	done := make(chan bool)
	go func() {
		m.Lock()
		m.Unlock()
		close(done)
	}()
	m.RLock()
	m.RLock() // behind the writer
	m.RUnlock()
	m.RUnlock()
	<-done
}

// leak
func TestLeak(t *testing.T) {
	c := make(chan int)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	go func() {
		time.Sleep(time.Second)
		c <- 1
	}()
	select {
	case <-c:
	case <-ctx.Done():
	}
}

// explored
func TestNoLeak(t *testing.T) {
	c := make(chan int, 1)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	go func() {
		time.Sleep(time.Second)
		c <- 1
	}()
	select {
	case <-c:
	case <-ctx.Done():
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Error(ctx.Err())
		}
	}
}

// panic
func TestClosed(t *testing.T) {
	c := make(chan int, 1)
	var mu sync.Mutex
	go func() {
		mu.Lock()
		defer mu.Unlock()
		c <- 1
	}()
	mu.Lock()
	close(c)
	mu.Unlock()
}

// panic
func TestNegative(t *testing.T) {
	var wg sync.WaitGroup
	go wg.Done()
	wg.Add(1)
	wg.Wait()
}

// race: Add in the goroutine may come too late, which is also seen where it does not
func TestAddLate(t *testing.T) {
	var wg sync.WaitGroup
	go func() {
		wg.Add(1)
		go wg.Done()
	}()
	wg.Wait()
}

// misuse
func TestUnlock(t *testing.T) {
	var mu sync.Mutex
	copied := mu
	mu.Lock()
	copied.Unlock()
}

// failure
func TestLostUpdate(t *testing.T) {
	var n atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			v := n.Load()
			n.Store(v + 1)
		}()
	}
	wg.Wait()
	if n.Load() != 2 {
		t.Fatal("lost")
	}
}

// explored
func TestCounter(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func(by int) {
			defer wg.Done()
			mu.Lock()
			n += by
			mu.Unlock()
		}(1)
	}
	wg.Wait()
	if n != 3 {
		t.Fatal(n)
	}
}

// race
func TestRace(t *testing.T) {
	x := 0
	var mu sync.Mutex
	done := make(chan bool, 1)
	go func() {
		mu.Lock()
		x++
		mu.Unlock()
		done <- true
	}()
	x++
	<-done
	_ = x
}

// race: only if the second goroutine has the lock first, so the two are no twins, since x is written between them.
func TestTwinsNotFresh(t *testing.T) {
	var mu sync.Mutex
	x := 0
	done := make(chan bool, 2)
	for i := 0; i < 2; i++ {
		if i == 1 {
			x = 1
		}
		go func() {
			if !mu.TryLock() {
				_ = x + 1
				println(x)
			}
			done <- true
		}()
	}
	<-done
	<-done
}

// explored: Go's order of unbuffered and buffered channels makes it no race
func TestNoRace(t *testing.T) {
	x := 0
	c, d := make(chan int), make(chan int, 1)
	go func() {
		x = 1
		c <- 1
		d <- 2
	}()
	<-c
	x = 2
	<-d
	x = 3
	_ = x
}

// explored
func TestParts(t *testing.T) {
	var mu sync.Mutex
	sum := 0
	for _, n := range []int{1, 2} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			mu.Lock()
			defer mu.Unlock()
			sum += n
		})
	}
	t.Cleanup(func() {
		if sum != 3 {
			t.Error(sum)
		}
	})
}

// deadlock: nobody is told of a value that is put before the receiver waits
func TestQueue(t *testing.T) {
	q := dep.Queue[string]{Ready: make(chan struct{})}
	go func() {
		q.Put("a")
		q.Put("b")
	}()
	got := 0
	for range q.Ready {
		for {
			if _, ok := q.Get(); !ok {
				break
			}
			got++
		}
		if got > 0 {
			break
		}
	}
}

// explored
func TestLoops(t *testing.T) {
	m := map[string]int{"a": 1, "b": 2, "c": 3}
	c := make(chan int)
	go func() {
		defer close(c)
		for _, v := range m {
			c <- v
		}
	}()
	sum := 0
outer:
	for v := range c {
		switch v {
		case 2:
			continue outer
		}
		sum += v
	}
	var last int
	for _, last = range m {
		delete(m, "c")
	}
	if sum != 4 || last != 2 {
		t.Fatal(sum, last)
	}
	_ = rand.Intn(3)
}

// explored
func TestSpin(t *testing.T) {
	var flag atomic.Bool
	go flag.Store(true)
	for !flag.Load() {
		runtime.Gosched()
	}
}

// incomplete
func TestSpinUnfair(t *testing.T) {
	var flag atomic.Bool
	go func() {
		flag.Store(true)
	}()
	for !flag.Load() {
	}
}

// incomplete
func TestExec(t *testing.T) {
	_ = exec.Command("true").Run()
}

var visits int

var seen = map[int]bool{}

// explored
func TestVariables(t *testing.T) {
	c := make(chan int, 2)
	for i := range 2 {
		go func() { c <- i }()
	}
	visits++
	seen[<-c] = true
	if <-c; visits != 1 || len(seen) != 1 {
		t.Fatal(visits, seen)
	}
}

// explored
func TestTimer(t *testing.T) {
	timer := time.NewTimer(time.Second)
	time.Sleep(2 * time.Second)
	if timer.Reset(time.Minute) { // what was in the channel is gone
		t.Log("fired, and nobody had looked")
	}
	select {
	case <-timer.C:
		t.Error("stale")
	default:
	}
	began := time.Now()
	if <-timer.C; time.Since(began).Truncate(time.Millisecond) != time.Minute {
		t.Error(time.Since(began))
	}
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	<-ticks.C
	<-ticks.C
}

// deadlock
func TestCond(t *testing.T) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	go func() {
		c.Signal() // may come before the wait
	}()
	mu.Lock()
	c.Wait()
	mu.Unlock()
}

// failure
func TestSelect(t *testing.T) {
	a, b := make(chan int, 1), make(chan int, 1)
	a <- 1
	b <- 2
	select {
	case v := <-a:
		_ = v
	case v, ok := <-b:
		t.Fatal(v, ok)
	}
}

// explored
func TestOnce(t *testing.T) {
	n := 0
	get := sync.OnceValue(func() int { n++; return n })
	var pool sync.Pool
	var m sync.Map
	done := make(chan int)
	for range 2 {
		go func() {
			pool.Put(get())
			m.Store(get(), 1)
			done <- get()
		}()
	}
	if <-done+<-done != 2 {
		t.Fatal()
	}
}

// misuse
func TestUnlockBefore(t *testing.T) {
	var m sync.Mutex
	done := make(chan bool)
	go func() { m.Unlock(); close(done) }()
	m.Lock()
	<-done
}

// misuse
func TestRUnlockBefore(t *testing.T) {
	var m sync.RWMutex
	done := make(chan bool)
	go func() { m.RUnlock(); close(done) }()
	m.RLock()
	<-done
}

// misuse
func TestWUnlockBefore(t *testing.T) {
	var m sync.RWMutex
	done := make(chan bool)
	go func() { m.Unlock(); close(done) }()
	m.Lock()
	<-done
}

// explored: a lock may be handed over.
func TestUnlockOther(t *testing.T) {
	var m sync.Mutex
	m.Lock()
	go func() { m.Unlock() }()
	m.Lock()
}

// deadlock
func TestSelectNone(t *testing.T) {
	done := make(chan bool)
	go func() {
		select {}
	}()
	<-done
}

// incomplete: what reflect does with channels is not controlled.
func TestReflect(t *testing.T) {
	c := make(chan int, 1)
	reflect.ValueOf(c).Send(reflect.ValueOf(1))
	<-c
}

type tally struct{ n int }

func (x *tally) next() int { x.n++; return x.n }

var kept = &tally{}

// failure: only where nothing is left behind by the execution before.
func TestLeftBehind(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	order := ""
	for _, x := range []string{"a", "b"} {
		wg.Add(1)
		go func() { defer wg.Done(); mu.Lock(); order += x; mu.Unlock() }()
	}
	wg.Wait()
	if kept.next() == 1 && order == "ba" {
		t.Error("first, and ba")
	}
}

var calls int

var call = func() { calls++ }

// failure: where the execution before has left no call behind; a function literal of a variable writes another one.
func TestLiteralWrites(t *testing.T) {
	var mu sync.Mutex
	first, done := false, make(chan bool)
	go func() { mu.Lock(); first = true; mu.Unlock(); close(done) }()
	mu.Lock()
	before := first
	mu.Unlock()
	<-done
	if call(); before && calls == 1 {
		t.Error("the other one was first")
	}
}

type runner interface{ run() }

type part struct {
	mu   *sync.Mutex
	done chan bool
	seen *int
	last int
}

func (p part) run() {
	p.mu.Lock()
	*p.seen = p.last
	p.mu.Unlock()
	p.done <- true
}

func parts(a, b int) (p, q part) {
	p = part{new(sync.Mutex), make(chan bool, 2), new(int), a}
	q = p
	q.last = b
	return
}

// failure: the loop changes the receiver, so the two are no twins.
func TestTwinsOther(t *testing.T) {
	p, q := parts(1, 2)
	for i := 0; i < 2; i, p, q = i+1, q, p {
		go p.run()
	}
	<-p.done
	<-p.done
	if *p.seen == 1 {
		t.Error("the second one was first")
	}
}

// failure: so it does in an interface.
func TestTwinsOtherInterface(t *testing.T) {
	p, q := parts(1, 2)
	var r, s runner = p, q
	for i := 0; i < 2; i, r, s = i+1, s, r {
		go r.run()
	}
	<-p.done
	<-p.done
	if *p.seen == 1 {
		t.Error("the second one was first")
	}
}

// failure: and a function that is a variable.
func TestTwinsOtherFunction(t *testing.T) {
	p, q := parts(1, 2)
	f, g := p.run, q.run
	for i := 0; i < 2; i, f, g = i+1, g, f {
		go f()
	}
	<-p.done
	<-p.done
	if *p.seen == 1 {
		t.Error("the second one was first")
	}
}

// failure: len of a channel that one can only send on is a step, too.
func TestLenSendOnly(t *testing.T) {
	c, d := make(chan int, 1), make(chan int, 1)
	only := chan<- int(c)
	go func() { c <- 1 }()
	d <- 1
	if len(only) == 1 {
		t.Error("sent")
	}
	<-c
}

// incomplete: NaN is in no order, and no look-up finds it.
func TestRangeNaN(t *testing.T) {
	sum, nan := 0, math.NaN()
	for _, v := range map[float64]int{nan: 1, 2: 3} {
		sum += v
	}
	if sum != 4 {
		t.Error(sum)
	}
}

// incomplete: the order of these two is not explored.
func TestLogOrder(t *testing.T) {
	var b bytes.Buffer
	l := log.New(&b, "", 0)
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); l.Print("a") }()
	go func() { defer wg.Done(); l.Print("b") }()
	wg.Wait()
	if b.String() == "b\na\n" {
		t.Error("b first")
	}
}

var last = errors.New("none")

// failure: where the execution before has not set another error.
func TestErrorSet(t *testing.T) {
	before := other()
	if old := last; before && old.Error() == "none" {
		t.Error("the other one was first")
	}
	last = errors.New("some")
}

// other reports whether another goroutine was first.
func other() (first bool) {
	var mu sync.Mutex
	was, done := false, make(chan bool)
	go func() { mu.Lock(); was = true; mu.Unlock(); close(done) }()
	mu.Lock()
	first = was
	mu.Unlock()
	<-done
	return
}

var sliced [2]int

// failure: where the execution before has not written to the array, by a slice of it.
func TestArraySliced(t *testing.T) {
	before := other()
	if s := sliced[:]; before && s[0] == 0 {
		t.Error("the other one was first")
	} else {
		s[0] = 1
	}
}

// failure: as Go has it.
func TestGoexit(t *testing.T) {
	runtime.Goexit()
}

// explored: a reading is later than those before
func TestReadings(t *testing.T) {
	a := time.Now()
	if b := time.Now(); !b.After(a) {
		t.Error("not behind", b)
	}
	var mu sync.Mutex
	c := make(chan time.Time)
	go func() {
		mu.Lock()
		defer mu.Unlock()
		time.Now()
		c <- time.Now()
	}()
	b := <-c
	if now := <-time.After(0); !now.After(a) {
		t.Error("not behind", a, now)
	}
	mu.Lock()
	if now := time.Now(); !b.After(a) || !now.After(b) {
		t.Error("not behind", a, b, now)
	}
	mu.Unlock()
}

// explored: those that nothing orders say nothing of the order
func TestUnordered(t *testing.T) {
	c := make(chan time.Time, 2)
	for range 2 {
		go func() { c <- time.Now() }()
	}
	if a, b := <-c, <-c; !a.Equal(b) {
		t.Error("they differ", a, b)
	}
}

// deadlock: a sleep ends when a context of the same time does, or before
func TestSameTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c := make(chan bool)
	go func() {
		time.Sleep(time.Second)
		select {
		case c <- true:
		case <-ctx.Done():
			select {
			case <-c:
			}
		}
	}()
	<-c
}

// explored: a timer that is never meant to fire comes last
func TestNever(t *testing.T) {
	time.Sleep(time.Second)
	never := time.NewTimer(math.MaxInt64)
	select {
	case <-never.C:
		t.Error("it fired")
	case <-time.After(time.Hour):
	}
	never.Stop()
}

// explored: a timer fires a little late
func TestLate(t *testing.T) {
	start := time.Now()
	time.Sleep(time.Second)
	if !time.Now().After(start.Add(time.Second)) {
		t.Error("not behind")
	}
	if fired := <-time.After(time.Second); !fired.After(start.Add(2 * time.Second)) {
		t.Error("not behind", fired)
	}
}

type stoppable struct{ stop chan bool }

// incomplete: a finalizer ends the goroutine, perhaps
func TestFinalizer(t *testing.T) {
	k := &stoppable{make(chan bool)}
	stop := k.stop
	go func() { <-stop }()
	runtime.SetFinalizer(k, func(k *stoppable) { close(k.stop) })
}

// incomplete: a cleanup does
func TestCleanup(t *testing.T) {
	k := &stoppable{make(chan bool)}
	stop := k.stop
	go func() { <-stop }()
	runtime.AddCleanup(k, func(c chan bool) { close(c) }, stop)
}

// failure: of two signals the one that stores nothing wakes, and the other goroutine stores later.
func TestEitherSignal(t *testing.T) {
	var mu sync.Mutex
	var stored atomic.Bool
	cond, closed, done := sync.NewCond(&mu), false, make(chan bool, 3)
	go func() {
		mu.Lock()
		if !closed {
			cond.Wait()
		}
		woken := !closed
		mu.Unlock()
		if woken && !stored.Load() {
			t.Error("nothing was stored")
		}
		done <- true
	}()
	go func() { stored.Store(true); cond.Signal(); done <- true }()
	go func() { cond.Signal(); done <- true }()
	<-done
	<-done
	mu.Lock()
	closed = true
	mu.Unlock()
	cond.Broadcast()
	<-done
}

// explored: two goroutines that go on by turns.
func TestHandOver(t *testing.T) {
	c, d := make(chan int), make(chan int)
	go func() { d <- <-c + 1 }()
	c <- 1
	if <-d != 2 {
		t.Error("not handed over")
	}
}

// deadlock: at one line or the other
func TestTwoWays(*testing.T) {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	select {
	case <-c:
	default:
		<-c
		<-c
	}
	<-c
}
