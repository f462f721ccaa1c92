package pace_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"orbitmc/internal/pace"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
)

// TestLimit: steps end the context of a limit and of those inside it, and count for those outside.
func TestLimit(t *testing.T) {
	cause := errors.New("enough")
	l, ctx, cancel := pace.NewLimit(t.Context(), 10, cause)
	defer cancel()
	ctx = l.With(ctx)
	pace.Spend((*pace.Limit)(nil).With(ctx), 4) // no limit hides none
	if inner, within, cancel := pace.NewLimit(ctx, 3, nil); true {
		defer cancel()
		within = inner.With(within)
		if pace.Spend(within, 3); within.Err() != nil {
			t.Error("the inner context ended at its limit, not beyond")
		}
		if pace.Spend(within, 1); within.Err() == nil || ctx.Err() != nil {
			t.Errorf("beyond the inner limit: %v, outer %v", within.Err(), ctx.Err())
		}
	}
	if l.Left() != 2 {
		t.Errorf("%d steps are left, want 2", l.Left())
	}
	if pace.Spend(ctx, 3); context.Cause(ctx) != cause || !l.Over() {
		t.Errorf("beyond the limit: %v", context.Cause(ctx))
	}
	if pace.LimitOf(t.Context()).Over() {
		t.Error("no limit is over")
	}
}

// TestWithin: a context ends after steps where these are limited, and otherwise after time.
func TestWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timed, cancel := pace.Within(t.Context(), time.Second)
		defer cancel()
		l, ctx, cancel := pace.NewLimit(t.Context(), 1e9, nil)
		defer cancel()
		counted, cancel := pace.Within(l.With(ctx), time.Second)
		defer cancel()
		time.Sleep(2 * time.Second)
		if timed.Err() == nil || counted.Err() != nil {
			t.Errorf("after its time: %v, %v", timed.Err(), counted.Err())
		}
		if pace.Spend(counted, 6e6); counted.Err() == nil || ctx.Err() != nil {
			t.Errorf("after its steps: %v, %v", counted.Err(), ctx.Err())
		}
	})
}

// TestCounted: a hard query ends with the limit, after the same work in each run, and the solver
// stays usable.
func TestCounted(t *testing.T) {
	const holes = 9
	var propagations [2]int64
	for i := range propagations {
		l, ctx, cancel := pace.NewLimit(t.Context(), 50_000, nil)
		defer cancel()
		s := pace.Counted(cdcl.New(), nil)
		var in [holes + 1][holes]sat.Lit
		for p := range in {
			for h := range in[p] {
				in[p][h] = s.NewVar()
			}
			s.Add(in[p][:]...)
			for q := range p {
				for h := range in[p] {
					s.Add(in[p][h].Not(), in[q][h].Not())
				}
			}
		}
		if st := s.Solve(l.With(ctx)); st != sat.Unknown || !l.Over() || ctx.Err() == nil {
			t.Errorf("%v, %d steps are left, %v", st, l.Left(), ctx.Err())
		}
		propagations[i] = s.Stats().Propagations
		if st := s.Solve(t.Context(), in[0][0].Not(), in[0][1]); st == sat.Unknown {
			t.Error("a query without a limit ended")
		}
	}
	if propagations[0] != propagations[1] || propagations[0] > 60_000 {
		t.Errorf("%v propagations", propagations)
	}
}
