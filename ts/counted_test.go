package ts_test

import (
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/ts"
)

// ends reports whether a system reaches one of its bads.
func ends(t *testing.T, sys *ts.System) bool {
	t.Helper()
	if err := tstest.Check(sys); err != nil {
		t.Fatal(err)
	}
	space := tstest.Explore(sys)
	for x, reachable := range space.Reachable {
		for y := range space.Bad[x] {
			if reachable && space.OK[x][y] && space.Bad[x][y] != 0 {
				return true
			}
		}
	}
	return false
}

// TestCounted: a violated property ends every round, another one only a few. The doubles forget what was
// met before, or drop fairness.
func TestCounted(t *testing.T) {
	// A token that goes to and fro, and stays where it is as the input says, but not at the second place.
	g := aig.NewPlain()
	place, stay := g.Input(), g.Input()
	sys := &ts.System{G: g, W: aig.True, Inputs: []ts.Signal{{Name: "stay", Node: stay.Node()}},
		Latches: []ts.Latch{{Name: "place", Node: place.Node(), Next: g.And(place.Not(), stay.Not())}}}
	both := ts.Justice{Name: "both places", Lits: []aig.Lit{place, place.Not()}}
	second := ts.Justice{Name: "the second place", Lits: []aig.Lit{place}}
	for n := range 5 {
		if !ends(t, ts.NewCounted(sys, both, nil, n+1)) {
			t.Errorf("both places again and again: round %d does not end", n+1)
		}
	}
	forgets := ts.Justice{Name: "both at once", Lits: []aig.Lit{g.And(place, place.Not())}}
	if ends(t, ts.NewCounted(sys, forgets, nil, 1)) {
		t.Error("a tracker that forgets finds a round")
	}
	// With fairness the token stays again and again, and it may be at the second place too.
	if !ends(t, ts.NewCounted(sys, second, []aig.Lit{stay}, 4)) {
		t.Error("fairness that can be met is not")
	}
	if ends(t, ts.NewCounted(sys, second, []aig.Lit{aig.False}, 1)) {
		t.Error("a round ends without fairness")
	}
	if !ends(t, ts.NewCounted(sys, second, nil, 3)) {
		t.Error("fairness that is dropped does not matter")
	}
}
