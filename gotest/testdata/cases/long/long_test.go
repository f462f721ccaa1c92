package long

import (
	"sync/atomic"
	"testing"
)

// Executions have 3,000 steps.
func TestLong(t *testing.T) {
	var a atomic.Int32
	for range 2999 {
		a.Add(1)
	}
	go a.Add(1)
	a.Load()
}
