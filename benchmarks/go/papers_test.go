// Package papers has the programs of Godefroid 1999 and of Yang and others 2009 as Go tests, of several sizes: the
// programs of ../promela/philosophers.pml and ../promela/threads, with goroutines and locks. Suite papers runs them.
package papers

import (
	"sync"
	"testing"
)

// philosophers take the left fork first, so all can wait for each other.
func philosophers(n int) {
	forks := make([]sync.Mutex, n)
	var wg sync.WaitGroup
	wg.Add(n)
	for i := range n {
		go func() {
			defer wg.Done()
			left, right := &forks[i], &forks[(i+1)%n]
			left.Lock()
			right.Lock()
			left.Unlock()
			right.Unlock()
		}()
	}
	wg.Wait()
}

func TestPhilosophers2(*testing.T) { philosophers(2) }
func TestPhilosophers3(*testing.T) { philosophers(3) }
func TestPhilosophers4(*testing.T) { philosophers(4) }
func TestPhilosophers5(*testing.T) { philosophers(5) }

// aget is a download in n segments, after the program of that name: each worker writes its segment in three pieces,
// and adds each piece to a common counter.
func aget(t *testing.T, n int) {
	var mu sync.Mutex
	var workers sync.WaitGroup
	written := 0
	workers.Add(n)
	for range n {
		go func() {
			defer workers.Done()
			for range 3 {
				mu.Lock()
				written++
				mu.Unlock()
			}
		}()
	}
	workers.Wait()
	if written != 3*n {
		t.Error(written)
	}
}

func TestAget2(t *testing.T) { aget(t, 2) }
func TestAget3(t *testing.T) { aget(t, 3) }
func TestAget4(t *testing.T) { aget(t, 4) }

// agetBug: the last piece is added in two steps.
func agetBug(t *testing.T, n int) {
	var mu sync.Mutex
	var workers sync.WaitGroup
	written := 0
	workers.Add(n)
	for range n {
		go func() {
			defer workers.Done()
			for range 2 {
				mu.Lock()
				written++
				mu.Unlock()
			}
			mu.Lock()
			was := written
			mu.Unlock()
			mu.Lock()
			written = was + 1
			mu.Unlock()
		}()
	}
	workers.Wait()
	if written != 3*n {
		t.Error(written)
	}
}

func TestAgetBug2(t *testing.T) { agetBug(t, 2) }
func TestAgetBug3(t *testing.T) { agetBug(t, 3) }

// queue is the work queue of pfscan: paths, under a mutex, with a condition for those who wait for one.
type queue struct {
	mu     sync.Mutex
	more   *sync.Cond
	paths  []int
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.more = sync.NewCond(&q.mu)
	return q
}

func (q *queue) put(path int) {
	q.mu.Lock()
	q.paths = append(q.paths, path)
	q.mu.Unlock()
	q.more.Signal()
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.more.Broadcast()
}

// get returns the next path; there is none behind the last one.
func (q *queue) get() (path int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.paths) == 0 && !q.closed {
		q.more.Wait()
	}
	if len(q.paths) == 0 {
		return 0, false
	}
	path, q.paths = q.paths[0], q.paths[1:]
	return path, true
}

// pfscan is a parallel search of files, after the program of that name, with n threads: the first puts as many paths as
// said into a queue, the others take them and count what they find.
func pfscan(t *testing.T, n, files int, get func(*queue) (int, bool)) {
	q := newQueue()
	var counting sync.Mutex
	var workers sync.WaitGroup
	found := 0
	workers.Add(n - 1)
	for range n - 1 {
		go func() {
			defer workers.Done()
			for {
				path, ok := get(q)
				if !ok {
					return
				}
				counting.Lock()
				found += path % 2
				counting.Unlock()
			}
		}()
	}
	for i := range files {
		q.put(i + 1)
	}
	q.close()
	workers.Wait()
	if found != (files+1)/2 {
		t.Error(found)
	}
}

func TestPfscan2(t *testing.T) { pfscan(t, 2, 2, (*queue).get) }
func TestPfscan3(t *testing.T) { pfscan(t, 3, 2, (*queue).get) }
func TestPfscan4(t *testing.T) { pfscan(t, 4, 2, (*queue).get) }

// hurried does not look again whether there is a path.
func (q *queue) hurried() (path int, ok bool) {
	q.mu.Lock()
	for len(q.paths) == 0 && !q.closed {
		q.more.Wait()
	}
	ok = len(q.paths) > 0
	q.mu.Unlock()
	if !ok {
		return 0, false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	path, q.paths = q.paths[0], q.paths[1:]
	return path, true
}

func TestPfscanBug3(t *testing.T) { pfscan(t, 3, 2, (*queue).hurried) }
