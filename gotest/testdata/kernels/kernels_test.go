// Programs with the mistakes that kernels of GoKer describe, and the same mended. The comment of a program names the kernel
// and what the mistake comes to. They are written from the descriptions.
package kernels

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// group is a WaitGroup with what Go has in it since 1.25.
type group struct{ sync.WaitGroup }

func (g *group) run(f func()) {
	g.Add(1)
	go func() {
		defer g.Done()
		f()
	}()
}

// cockroach/16167, deadlock: who holds a lock of readers takes it again, behind a writer who waits.
func recursiveRead(mended bool) {
	var mu sync.RWMutex
	config := 1
	get := func() int {
		mu.RLock()
		defer mu.RUnlock()
		return config
	}
	run := func() int {
		mu.RLock()
		defer mu.RUnlock()
		if mended {
			return 2 * config
		}
		return config + get()
	}
	done := make(chan bool)
	go func() {
		mu.Lock()
		config = 2
		mu.Unlock()
		close(done)
	}()
	run()
	<-done
}

func TestRecursiveRead(*testing.T)        { recursiveRead(true) }
func TestRecursiveReadMistake(*testing.T) { recursiveRead(false) }

// kubernetes/30872, deadlock: two locks in two orders.
func twoLocks(mended bool) {
	type informer struct {
		sync.Mutex
		clusters int
	}
	type queue struct {
		sync.Mutex
		items int
	}
	f, q := &informer{}, &queue{items: 1}
	var wg group
	wg.run(func() { // from the queue to the informer
		q.Lock()
		n := q.items
		q.items = 0
		if mended {
			q.Unlock()
		}
		f.Lock()
		f.clusters += n
		f.Unlock()
		if !mended {
			q.Unlock()
		}
	})
	wg.run(func() { // from the informer to the queue
		f.Lock()
		defer f.Unlock()
		q.Lock()
		q.items++
		q.Unlock()
	})
	wg.Wait()
}

func TestTwoLocks(*testing.T)        { twoLocks(true) }
func TestTwoLocksMistake(*testing.T) { twoLocks(false) }

// etcd/6857, leak: who asks a node that has stopped waits for ever.
func stoppedNode(mended bool) {
	status, stop, done := make(chan chan int), make(chan bool), make(chan bool)
	go func() { // the node
		for {
			select {
			case c := <-status:
				c <- 1
			case <-stop:
				close(done)
				return
			}
		}
	}()
	go func() { // asks
		c := make(chan int, 1)
		if mended {
			select {
			case status <- c:
				<-c
			case <-done:
			}
			return
		}
		status <- c
		<-c
	}()
	stop <- true
	<-done
}

func TestStoppedNode(*testing.T)        { stoppedNode(true) }
func TestStoppedNodeMistake(*testing.T) { stoppedNode(false) }

// moby/33781, leak: a probe whose answer nobody waits for any more.
func probe(mended bool) {
	room := 0
	if mended {
		room = 1
	}
	stop := make(chan bool)
	go func() { stop <- true }()
	result := make(chan error, room)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	go func() {
		<-ctx.Done()
		result <- ctx.Err()
	}()
	select {
	case <-stop:
		cancel()
	case <-result:
		<-stop
	}
}

func TestProbe(*testing.T)        { probe(true) }
func TestProbeMistake(*testing.T) { probe(false) }

// kubernetes/1321, deadlock: a lock is held while a value is sent, and who would stop the sender wants the lock.
func watcher(mended bool) {
	var mu sync.Mutex
	result, stopped := make(chan int), make(chan bool)
	watched := true
	go func() { // distributes
		mu.Lock()
		defer mu.Unlock()
		if !watched {
			return
		}
		if mended {
			select {
			case result <- 1:
			case <-stopped:
			}
			return
		}
		result <- 1
	}()
	if mended {
		close(stopped)
	}
	mu.Lock() // stops watching
	watched = false
	mu.Unlock()
}

func TestWatcher(*testing.T)        { watcher(true) }
func TestWatcherMistake(*testing.T) { watcher(false) }

// cockroach/1055, deadlock: a lock is held while tasks are waited for, which take it to end.
func stopper(mended bool) {
	var mu sync.Mutex
	var drain sync.WaitGroup
	draining := false
	start := func() bool {
		mu.Lock()
		defer mu.Unlock()
		if draining {
			return false
		}
		drain.Add(1)
		return true
	}
	end := func() {
		mu.Lock()
		drain.Done()
		mu.Unlock()
	}
	for range 2 {
		go func() {
			if start() {
				end()
			}
		}()
	}
	mu.Lock()
	draining = true
	if mended {
		mu.Unlock()
	}
	drain.Wait()
	if !mended {
		mu.Unlock()
	}
}

func TestStopper(*testing.T)        { stopper(true) }
func TestStopperMistake(*testing.T) { stopper(false) }

// moby/30408, deadlock: an error is no reason to wake who waits on the condition.
func activate(mended bool) {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	manifest, failed := 0, error(nil)
	go func() {
		mu.Lock()
		defer mu.Unlock()
		failed = errors.New("no manifest")
		if mended {
			cond.Broadcast()
		}
	}()
	mu.Lock()
	for manifest == 0 && (failed == nil || !mended) {
		cond.Wait()
	}
	mu.Unlock()
}

func TestActivate(*testing.T)        { activate(true) }
func TestActivateMistake(*testing.T) { activate(false) }

// moby/25384, deadlock: all are waited for in each round of the loop that starts them.
func plugins(mended bool) {
	var group sync.WaitGroup
	group.Add(2)
	for range 2 {
		go group.Done()
		if !mended {
			group.Wait()
		}
	}
	group.Wait()
}

func TestPlugins(*testing.T)        { plugins(true) }
func TestPluginsMistake(*testing.T) { plugins(false) }

// grpc/1687, panic: a channel is closed while others send to it.
func transport(mended bool) {
	writes, closed := make(chan int), make(chan bool)
	var ended group
	write := func(v int) error {
		if mended {
			select {
			case writes <- v:
				return nil
			case <-closed:
				return errors.New("closed")
			}
		}
		select {
		case <-closed:
			return errors.New("closed")
		default:
		}
		writes <- v
		return nil
	}
	ended.run(func() { write(1) })
	ended.run(func() {
		for {
			select {
			case _, ok := <-writes:
				if !ok {
					return
				}
			case <-closed:
				return
			}
		}
	})
	close(closed)
	if !mended {
		close(writes)
	}
	ended.Wait()
}

func TestTransport(*testing.T)        { transport(true) }
func TestTransportMistake(*testing.T) { transport(false) }

// istio/8144, race: a callback counts what the test reads.
func evicted(t *testing.T, mended bool) {
	var plain int64
	var counter atomic.Int64
	var cache sync.Map
	cache.Store("a", 1)
	go func() {
		cache.Range(func(k, _ any) bool {
			cache.Delete(k)
			if mended {
				counter.Add(1)
			} else {
				plain++
			}
			return true
		})
	}()
	time.Sleep(time.Second)
	if n := counter.Load() + plain; n != 1 {
		t.Error(n)
	}
}

func TestEvicted(t *testing.T)        { evicted(t, true) }
func TestEvictedMistake(t *testing.T) { evicted(t, false) }

// kubernetes/13058, panic: a deletion is told twice, and counted twice.
func deletions(mended bool) {
	events := make(chan string, 2)
	var gone sync.WaitGroup
	gone.Add(1)
	seen := map[string]bool{}
	go func() {
		for e := range events {
			if !mended || !seen[e] {
				seen[e] = true
				gone.Done()
			}
		}
	}()
	go func() {
		events <- "a"
		events <- "a" // once more, as it was synchronised again
		close(events)
	}()
	gone.Wait()
}

func TestDeletions(*testing.T)        { deletions(true) }
func TestDeletionsMistake(*testing.T) { deletions(false) }
