package mc_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"orbitmc/mc"
)

// TestCores: never more run than there are cores, all of them get a turn, and nobody waits
// once the context has ended.
func TestCores(t *testing.T) {
	for n := 1; n <= 3; n++ {
		ctx, cancel := context.WithCancel(context.Background())
		cores := mc.NewCores(n)
		var running, most atomic.Int32
		var group sync.WaitGroup
		for i := range 5 {
			group.Add(1)
			go func() {
				defer group.Done()
				cores.Take(ctx, i == 0)
				for range 1000 {
					r := running.Add(1)
					for m := most.Load(); r > m && !most.CompareAndSwap(m, r); m = most.Load() {
					}
					running.Add(-1)
					cores.Pass(ctx, i == 0)
				}
				cores.Give()
			}()
		}
		group.Wait()
		if most.Load() > int32(n) {
			t.Errorf("%d ran on %d cores", most.Load(), n)
		}
		for range n { // all are back
			cores.Take(ctx, false)
		}
		cancel()
		cores.Take(ctx, false)
		for range n + 1 {
			cores.Give()
		}
		again := make(chan bool)
		for range n {
			cores.Take(context.Background(), false)
		}
		go func() { cores.Take(context.Background(), false); close(again) }()
		for cores.Waiting() == 0 {
			select {
			case <-again:
				t.Fatalf("there are more than %d cores after the end", n)
			default:
			}
		}
		cores.Give()
		<-again
	}
	none := mc.NewCores(0)
	none.Take(context.Background(), false)
	none.Pass(context.Background(), false)
	none.Give()
}

// TestPatience: who is patient gets a core once nobody else waits for one.
func TestPatience(t *testing.T) {
	ctx := context.Background()
	cores := mc.NewCores(1)
	cores.Take(ctx, false)
	var order []int
	var group sync.WaitGroup
	for i, patient := range []bool{true, false, false} {
		group.Add(1)
		go func() {
			defer group.Done()
			cores.Take(ctx, patient)
			order = append(order, i)
			cores.Pass(ctx, patient) // to those that wait and come first
			cores.Give()
		}()
		for cores.Waiting() <= i {
		}
	}
	cores.Give()
	group.Wait()
	if len(order) != 3 || order[0] != 1 || order[1] != 2 || order[2] != 0 {
		t.Errorf("they ran in the order %v", order)
	}
}
