package bmc_test

import (
	"context"
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/bmc"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/reptest"
	"orbitmc/mc"
	"orbitmc/ts"
)

var netlists = flag.Int("netlists", 12, "random systems of each group in TestNetlists")

// TestNetlists: on random systems with the symmetry of rows, rings, wreath
// products and others, all modes and steps find the violation that a search of
// all states finds, at its depth.
func TestNetlists(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	groups := reptest.Groups()
	const bound = 7
	found := make(map[int]int)
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		for range *netlists {
			s := reptest.System(r, groups[name])
			want := reptest.Explore(s).Depth
			for n := 40 * min(r.IntN(4), 1); want < 2 && n > 0; n-- { // deep ones are rare
				s = reptest.System(r, groups[name])
				want = reptest.Explore(s).Depth
			}
			if want > bound {
				want = -1
			}
			found[want]++
			p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: s}, WellFormed: true, Props: []int{0}, Groups: []*ts.Symmetry{groups[name]}}
			for _, step := range [][2]int{{0, 0}, {2, 3}, {bound + 1, 1}} {
				for mode := range bmc.RepMode(len(bmc.RepModes())) {
					c := &bmc.Checker{Rep: mode, From: step[0], Step: step[1], NewSolver: newSolver}
					res, err := c.Run(context.Background(), p, mc.Options{Bounded: true, MaxDepth: bound})
					if err == nil {
						err = certify.Verify(context.Background(), p, res)
					}
					if err != nil {
						t.Fatal(err)
					}
					pr := res.Props[0]
					if got := pr.Depth; want >= 0 && (pr.Status != mc.Unsafe || got != want || pr.Bound != want-1) ||
						want < 0 && (pr.Status != mc.Unknown || pr.Bound != bound) {
						t.Fatalf("%s, rep %v, from %d by %d: %+v, want depth %d", name, mode, step[0], step[1], pr, want)
					}
				}
			}
		}
	}
	if len(found) < 4 || found[-1] == 0 {
		t.Errorf("violations by depth: %v", found)
	}
	t.Log(found)
}

// TestNothingBindsBehindTheBad: a query for several depths asks neither for the
// constraints nor for W of the frames behind the violation. A token passes four
// places; the second is bad, the constraint forbids the third and W the fourth.
func TestNothingBindsBehindTheBad(t *testing.T) {
	for delay := range 2 {
		g := aig.NewPlain()
		s := &ts.System{G: g}
		x := []aig.Lit{g.Input(), g.Input(), g.Input(), g.Input()}
		for i, l := range x {
			latch := ts.Latch{Name: "x", Node: l.Node(), Reset: aig.False, Next: aig.False}
			if i == 0 {
				latch.Reset = aig.True
			} else {
				latch.Next = x[i-1]
			}
			s.Latches = append(s.Latches, latch)
		}
		s.Constraints = []aig.Lit{x[2].Not()}
		s.W = x[3].Not() // inductive where the constraints hold
		s.Bads = []ts.Bad{{Name: "bad", Lit: x[1], Delay: delay}}
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: s}, WellFormed: true, Props: []int{0}}
		for _, from := range []int{0, 1, 2, 5} {
			c := &bmc.Checker{From: from, Step: 3, NewSolver: newSolver}
			res, err := c.Run(context.Background(), p, mc.Options{Bounded: true, MaxDepth: 6})
			if err != nil {
				t.Fatal(err)
			}
			if pr := res.Props[0]; pr.Status != mc.Unsafe || pr.Depth != 1+delay || pr.Bound != delay {
				t.Errorf("delay %d, from %d: %+v", delay, from, pr)
			}
		}
	}
}
