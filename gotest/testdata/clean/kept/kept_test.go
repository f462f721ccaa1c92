// Package kept changes what is behind a pointer in a variable, which has no other value again in a later test.
package kept

import (
	"sync"
	"testing"
)

type registry struct{ names map[string]bool }

var names = &registry{map[string]bool{}}

func (r *registry) add(s string) bool {
	had := r.names[s]
	r.names[s] = true
	return !had
}

func TestRegistry(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { mu.Lock(); defer mu.Unlock(); names.add("same") })
	}
	order := ""
	for _, s := range []string{"a", "b"} {
		wg.Go(func() { mu.Lock(); defer mu.Unlock(); order += s })
	}
	wg.Wait()
	if !names.add("last") {
		t.Error("it was there before")
	}
}
