// Package dep is what the tests of cases depend on.
package dep

import "sync"

// Queue passes values on.
type Queue[T any] struct {
	mu    sync.Mutex
	items []T
	Ready chan struct{}
}

// Put adds a value, and says so if nobody was told.
func (q *Queue[T]) Put(v T) {
	q.mu.Lock()
	q.items = append(q.items, v)
	q.mu.Unlock()
	select {
	case q.Ready <- struct{}{}:
	default:
	}
}

// Get removes a value.
func (q *Queue[T]) Get() (v T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return v, false
	}
	v, q.items = q.items[0], q.items[1:]
	return v, true
}
