// What happened before the tests is there in each execution, and what one execution changes is not there in the next.
// Each test passes once in a process, under every schedule.
package clean

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	closed = make(chan int)
	full   = make(chan int, 1)
	once   sync.Once
	ran    int
	held   sync.Mutex
	rheld  sync.RWMutex
	wg     sync.WaitGroup
	ready  atomic.Bool
	lazy   = sync.OnceValue(func() int { ran += 10; return ran })
	inMain sync.Once
	mainCh = make(chan int)
	pool   = sync.Pool{New: func() any { return 0 }}
	cond   = sync.NewCond(&held2)
	held2  sync.Mutex
	smap   sync.Map
	began  = time.Now()
)

func init() {
	close(closed)
	full <- 3
	once.Do(func() { ran++ })
	held.Lock()
	rheld.RLock()
	wg.Add(1)
	ready.Store(true)
	lazy()
	smap.Store("a", 1)
}

func TestMain(m *testing.M) {
	inMain.Do(func() { ran += 100 })
	close(mainCh)
	os.Exit(m.Run())
}

func TestClosed(t *testing.T) {
	churn()
	if _, ok := <-closed; ok {
		t.Fatal()
	}
	<-mainCh
	if v := <-full; v != 3 {
		t.Fatal(v)
	}
}

func TestOnce(t *testing.T) {
	churn()
	once.Do(func() { t.Error("once again") })
	inMain.Do(func() { t.Error("inMain again") })
	if lazy() != 11 || ran != 111 {
		t.Fatal("ran", ran, lazy())
	}
	if v, ok := smap.Load("a"); !ok || v != 1 {
		t.Fatal("smap")
	}
	if !ready.Load() {
		t.Fatal("ready")
	}
}

func TestHeld(t *testing.T) {
	churn()
	if held.TryLock() {
		t.Fatal("it is held")
	}
	if rheld.TryLock() {
		t.Fatal("it is held by a reader")
	}
	c := make(chan int)
	go func() { held.Lock(); c <- 1 }()
	held.Unlock()
	<-c
	rheld.RUnlock()
	rheld.Lock()
	rheld.Unlock()
	rheld.RLock()
}

func TestBegan(t *testing.T) {
	churn()
	if since := time.Since(began); since <= 0 || since > 2*time.Hour {
		t.Error(since)
	}
}

func TestWaitGroup(t *testing.T) {
	churn()
	done := false
	go func() { done = true; wg.Done() }()
	wg.Wait()
	if !done {
		t.Fatal("passed")
	}
	wg.Add(1)
}

func TestCanceled(t *testing.T) {
	churn()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	<-ctx.Done()
}

func TestCanceledSelect(t *testing.T) {
	churn()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	select {
	case <-ctx.Done():
	default:
		t.Fatal("not done")
	}
}

func churn() {
	var a atomic.Int32
	var w sync.WaitGroup
	for i := range 2 {
		w.Go(func() { a.Store(int32(i)) })
	}
	w.Wait()
}

var reg = newReg()

type registry struct{ m map[string]int }

func newReg() *registry               { return &registry{m: map[string]int{}} }
func (r *registry) add(s string) bool { _, ok := r.m[s]; r.m[s]++; return !ok }
func init()                           { reg.add("init") }

var count int
var table = map[string]int{}

func init() { count = 5; table["x"] = 1 }

func TestRegistry(t *testing.T) {
	churn()
	if !reg.add("test") {
		t.Fatal("twice")
	}
}

func TestCount(t *testing.T) {
	churn()
	if count++; count != 6 {
		t.Fatal(count)
	}
	if table["x"]++; table["x"] != 2 || len(table) != 1 {
		t.Fatal(table)
	}
}
