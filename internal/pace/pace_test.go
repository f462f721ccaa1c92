package pace_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"orbitmc/internal/pace"
)

// TestGrant: the work is where it was granted to be, in every run, and ends if its context does.
func TestGrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pace.New()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		taken := 0
		go func() {
			defer close(done)
			for range 10 {
				pace.Spend(p.With(ctx), 3)
				taken++
			}
		}()
		var at []int
		for _, n := range []int64{0, 2, 3, 8, 5, 9, 20} {
			p.Grant(n, done)
			at = append(at, taken)
		}
		if want := []int{0, 0, 1, 2, 2, 3, 6}; !slices.Equal(at, want) {
			t.Errorf("after each grant the work had taken %v, want %v", at, want)
		}
		cancel()
		<-done
		p.Grant(21, done)
		if taken != 10 {
			t.Errorf("the work waits although its context ended")
		}
	})
}

// TestPart: the end of a part of the work, by its own limit, lets the work not go on before it is granted to.
func TestPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pace.New()
		done := make(chan struct{})
		taken := 0
		go func() {
			defer close(done)
			l, part, cancel := pace.NewLimit(p.With(t.Context()), 2, nil)
			defer cancel()
			for range 4 {
				pace.Spend(l.With(part), 3)
				taken++
			}
		}()
		var at []int
		for _, n := range []int64{1, 4, 6, 20} {
			p.Grant(n, done)
			synctest.Wait()
			at = append(at, taken)
		}
		if want := []int{0, 1, 2, 4}; !slices.Equal(at, want) {
			t.Errorf("after each grant the work had taken %v, want %v", at, want)
		}
	})
}

// TestEnd: a grant of more than the work takes ends with the work.
func TestEnd(t *testing.T) {
	p := pace.New()
	done := make(chan struct{})
	taken := 0
	go func() {
		defer close(done)
		for range 10 {
			pace.Spend(p.With(context.Background()), 3)
			taken++
		}
	}()
	p.Grant(1000, done)
	if taken != 10 {
		t.Errorf("the grant ended after %d slices", taken)
	}
}

// TestWithout: work without a pace does not wait.
func TestWithout(t *testing.T) {
	pace.Spend(t.Context(), 1)
	if pace.Of(t.Context()) || !pace.Of(pace.New().With(t.Context())) {
		t.Error("wrong about who has a pace")
	}
}
