package std

import (
	"os"
	"sync"
	"testing"
)

// A variable of the standard library is what the execution before left, unless each has a process of its own.
func TestArgs(t *testing.T) {
	var mu sync.Mutex
	first, done := false, make(chan bool)
	go func() { mu.Lock(); first = true; mu.Unlock(); close(done) }()
	mu.Lock()
	before := first
	mu.Unlock()
	<-done
	if before && len(os.Args) > 0 {
		t.Error("the other one was first")
	}
	os.Args = nil
}
