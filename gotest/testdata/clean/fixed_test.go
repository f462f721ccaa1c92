package clean

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// Programs as they are after the mistakes that are usual were mended. None has a violation in any schedule.

// Two accounts are locked in the order of their numbers.
func TestLockOrder(t *testing.T) {
	type account struct {
		sync.Mutex
		id, sum int
	}
	move := func(from, to *account, n int) {
		a, b := from, to
		if a.id > b.id {
			a, b = b, a
		}
		a.Lock()
		defer a.Unlock()
		b.Lock()
		defer b.Unlock()
		from.sum -= n
		to.sum += n
	}
	x, y := &account{id: 1, sum: 10}, &account{id: 2, sum: 10}
	var wg sync.WaitGroup
	wg.Add(3)
	go func() { defer wg.Done(); move(x, y, 3) }()
	go func() { defer wg.Done(); move(y, x, 4) }()
	go func() { defer wg.Done(); move(x, y, 1) }()
	wg.Wait()
	if x.sum != 10 || y.sum != 10 {
		t.Error(x.sum, y.sum)
	}
}

// Who is asked answers into a channel with room, so that it ends where nobody waits any more.
func TestAnswerWithRoom(t *testing.T) {
	ask := func(d time.Duration) (int, error) {
		answer := make(chan int, 1)
		go func() {
			time.Sleep(d)
			answer <- 1
		}()
		select {
		case v := <-answer:
			return v, nil
		case <-time.After(2 * time.Second):
			return 0, errors.New("late")
		}
	}
	if _, err := ask(time.Second); err != nil {
		t.Error(err)
	}
	if _, err := ask(time.Minute); err == nil {
		t.Error("an answer")
	}
}

// Add comes before the go statement.
func TestAddFirst(t *testing.T) {
	var wg sync.WaitGroup
	got := make([]int, 3)
	for i := range got {
		wg.Add(1)
		go func() {
			defer wg.Done()
			got[i] = i
		}()
	}
	wg.Wait()
	for i, v := range got {
		if i != v {
			t.Error(got)
		}
	}
}

// Who makes values ends when the context does, and the one who takes them waits for that.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	out, ended := make(chan int), make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; ; i++ {
			select {
			case out <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	if a, b := <-out, <-out; a != 0 || b != 1 {
		t.Error(a, b)
	}
	cancel()
	<-ended
}

// What is closed by whoever comes first is closed once.
func TestCloseOnce(t *testing.T) {
	done := make(chan struct{})
	var once sync.Once
	for range 3 {
		go once.Do(func() { close(done) })
	}
	<-done
}

// A reader calls what needs the lock without taking it again.
func TestReadersDoNotNest(t *testing.T) {
	var mu sync.RWMutex
	m := map[string]int{"a": 1}
	get := func(k string) int { return m[k] } // under the lock
	sum := func() int {
		mu.RLock()
		defer mu.RUnlock()
		return get("a") + get("b")
	}
	done := make(chan int, 2)
	go func() { done <- sum() }()
	go func() { done <- sum() }()
	mu.Lock()
	m["a"], m["b"] = 2, 3
	mu.Unlock()
	for range 2 {
		if s := <-done; s != 1 && s != 5 {
			t.Error(s)
		}
	}
}

// The condition is looked at again behind Wait, and all are woken.
func TestCondLoop(t *testing.T) {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	items, taken := 0, 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for items == 0 {
				cond.Wait()
			}
			items--
			taken++
		})
	}
	for range 2 {
		mu.Lock()
		items++
		mu.Unlock()
		cond.Broadcast()
	}
	wg.Wait()
	if taken != 2 {
		t.Error(taken)
	}
}
