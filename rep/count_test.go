package rep_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/rep"
	"orbitmc/rep/reptest"
	"orbitmc/ts"
)

// onehot is a system of latches without steps, in groups of w of which at most
// one is true if hot.
func onehot(n, w int, hot bool) *ts.System {
	g := aig.New()
	s := &ts.System{G: g, W: aig.True}
	var x []aig.Lit
	for range n {
		l := g.Input()
		x = append(x, l)
		s.Latches = append(s.Latches, ts.Latch{Node: l.Node(), Next: l})
	}
	for i := range n {
		for j := i - i%w; hot && j < i; j++ {
			s.W = g.And(s.W, g.And(x[i], x[j]).Not())
		}
	}
	return s
}

// TestRepresentatives: counting by prefixes agrees with the list of all states,
// and with all elements counts orbits.
func TestRepresentatives(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for name, c := range shapes() {
		if c.y == nil {
			continue
		}
		for round := range 3 {
			var order []int
			if round > 0 {
				order = r.Perm(c.n)
			}
			s := onehot(c.n, 3, name == "pointers")
			domains, err := rep.Domains(s)
			if err != nil {
				t.Fatal(err)
			}
			var all [][]bool
			e := ts.NewEvaluator(s)
			for _, x := range states(c.n) {
				if e.Set(x, nil); e.Value(s.W) {
					all = append(all, x)
				}
			}
			for _, set := range []rep.Set{rep.Nice, rep.Star, rep.All, rep.Generators} {
				F := mustPerms(t, c.y, set)
				want, orbits := reptest.Count(all, F, c.y.Generators(), order)
				if set == rep.All {
					want = orbits
				}
				got, err := rep.Representatives(domains, F, order, 1<<20)
				if err != nil || got != int64(want) {
					t.Errorf("%s, %v, order %v: %d representatives (%v), want %d", name, set, order, got, err, want)
				}
			}
		}
	}
	domains, err := rep.Domains(onehot(30, 1, false))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rep.Representatives(domains, nil, nil, 1000); !errors.Is(err, rep.ErrTooMany) {
		t.Errorf("2^30 states: %v", err)
	}
	if _, err := rep.Domains(onehot(21, 21, true)); err == nil {
		t.Error("21 latches depend on each other")
	}
	if got, err := rep.Representatives(nil, nil, nil, 10); got != 1 || err != nil {
		t.Errorf("no latches: %d, %v", got, err)
	}
}

// TestLength: what a chain compares.
func TestLength(t *testing.T) {
	for _, c := range []struct {
		image []int32
		want  int
	}{
		{[]int32{0, 2, 4}, 0}, {[]int32{2, 0, 4}, 1}, {[]int32{4, 6, 0, 2, 8}, 2}, {[]int32{2, 4, 6, 0}, 3},
		{[]int32{2, 0, 5, 8, 6}, 2}, {[]int32{1, 4, 2}, 1},
	} {
		if got := rep.Length(latchPerm(c.image), nil); got != c.want {
			t.Errorf("%v: %d, want %d", c.image, got, c.want)
		}
	}
	if got := rep.Length(latchPerm([]int32{2, 0, 5, 8, 6}), []int{2, 0, 1, 3, 4}); got != 1 {
		t.Errorf("the negated latch first: %d, want 1", got)
	}
}
