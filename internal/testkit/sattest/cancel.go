package sattest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"orbitmc/sat"
)

const (
	searches = 20              // stopped searches
	longest  = 3 * time.Second // from the end of the context to the answer, on a loaded machine
)

// cancellations stops searches in a pigeonhole formula of one group, early and
// late, by cancel and by deadline. Each stopped search must answer Unknown
// promptly and leave a usable solver, and no goroutine may stay behind. It
// returns the sorted times from the end of the context to the answer.
func cancellations(mk func() sat.Solver, longest time.Duration) (waits []time.Duration, err error) {
	before := runtime.NumGoroutine()
	s := mk()
	x := s.NewVar()
	idle, stop := context.WithCancel(context.Background())
	defer stop()
	for i := range searches {
		g := pigeons(s, 11)
		delay := time.Duration(1+i) * time.Millisecond
		limit := delay
		if i%2 == 0 {
			limit = time.Hour
		}
		start := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		if i%2 == 0 {
			time.AfterFunc(delay, cancel)
		}
		got := s.Solve(ctx, x)
		wait := time.Since(start) - delay
		cancel()
		if got != sat.Unknown {
			return nil, fmt.Errorf("search %d: %v, want unknown", i, got)
		}
		if wait > longest {
			return nil, fmt.Errorf("search %d: answer %v after the end of the context", i, wait)
		}
		waits = append(waits, wait)

		s.Release(g)
		h := s.Group()
		s.AddTo(h, x.Not())
		for _, ctx := range []context.Context{context.Background(), idle} {
			if got := s.Solve(ctx, x); got != sat.Unsat || !slices.Equal(s.Core(), []sat.Lit{x}) {
				return nil, fmt.Errorf("after stopped search %d: %v, want unsat with a core of the assumption", i, got)
			}
			if got := s.Solve(ctx); got != sat.Sat || s.Value(x) {
				return nil, fmt.Errorf("after stopped search %d: %v, want sat", i, got)
			}
		}
		s.Release(h)
	}
	slices.Sort(waits)
	for deadline := time.Now().Add(longest); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
	return waits, nil
}

// pigeons adds, in a group, that n pigeons sit alone in n-1 holes.
func pigeons(s sat.Solver, n int) sat.Group {
	g := s.Group()
	at := make([][]sat.Lit, n)
	for p := range at {
		for range n - 1 {
			at[p] = append(at[p], s.NewVar())
		}
		s.AddTo(g, at[p]...)
		for q := range p {
			for h := range n - 1 {
				s.AddTo(g, at[p][h].Not(), at[q][h].Not())
			}
		}
	}
	return g
}
