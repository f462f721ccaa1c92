//go:build !race

// Under the race detector stopped searches run to their end; see abandon_race.go.

package gophersat_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"orbitmc/internal/testkit/sattest"
	"orbitmc/sat"
	"orbitmc/sat/gophersat"
)

func TestConformance(t *testing.T) {
	sattest.Run(t, "gophersat", func() sat.Solver { return gophersat.New() })
}

// A check that waits for its turn ends with its context, and the one that runs
// is not disturbed.
func TestWaitingEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	hard := &sat.CNF{NumVars: 400}
	for range 1760 {
		var c []sat.Lit
		for _, v := range rng.Perm(400)[:3] {
			c = append(c, sat.MkLit(v+1, rng.IntN(2) == 1))
		}
		hard.Clauses = append(hard.Clauses, c)
	}
	ctx, stop := context.WithCancel(context.Background())
	first := make(chan error)
	go func() {
		_, err := gophersat.Check(ctx, hard)
		first <- err
	}()
	time.Sleep(20 * time.Millisecond)
	short, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	easy := &sat.CNF{NumVars: 2, Clauses: [][]sat.Lit{{sat.MkLit(1, false), sat.MkLit(2, false)}}}
	if _, err := gophersat.Check(short, easy); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting check: %v, want the deadline", err)
	}
	stop()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("running check: %v, want cancelled", err)
	}
	if got, err := gophersat.Check(context.Background(), easy); err != nil || got.Status != sat.Sat {
		t.Errorf("afterwards: %v, %v", got.Status, err)
	}
}
