// Package left has variables that executions change and init has made, so that each execution takes a process.
package left

import (
	"context"
	"sync/atomic"
	"testing"
)

var closed = make(chan int, 1)

func init() {
	closed <- 1
	close(closed)
}

// explored
func TestClosedBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // before Done is asked for
	select {
	case <-ctx.Done():
	default:
		t.Error("not closed")
	}
	var n atomic.Int32
	go n.Add(1)
	n.Load()
	if v, ok := <-closed; v != 1 || !ok {
		t.Error(v, ok)
	}
	if _, ok := <-closed; ok {
		t.Error("not closed")
	}
}
