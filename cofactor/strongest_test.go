package cofactor

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/reptest"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/ts"
)

// strongest returns the states of the strongest invariant that excludes values of up
// to three latches together, by trying all of them.
func strongest(sp *tstest.Space) []bool {
	n := len(sp.Sys.Latches)
	inside := make([]bool, 1<<n)
	type triple [3]int // latch<<1, plus its value, ascending
	seen := make(map[triple]bool)
	triples := func(x int, of func(triple)) {
		for a := range n {
			for b := range a + 1 {
				for c := range b + 1 {
					of(triple{c<<1 | x>>c&1, b<<1 | x>>b&1, a<<1 | x>>a&1})
				}
			}
		}
	}
	saw := func(x uint32) { triples(int(x), func(q triple) { seen[q] = true }) }
	for _, x := range sp.Reset {
		saw(x)
	}
	for again := true; again; {
		again = false
		for x := range inside {
			all := true
			triples(x, func(q triple) { all = all && seen[q] })
			if !all || inside[x] {
				continue
			}
			inside[x], again = true, true
			for y, next := range sp.Next[x] {
				if sp.OK[x][y] {
					saw(next)
				}
			}
		}
	}
	return inside
}

// table tells of each state of n latches whether it satisfies an invariant.
func table(c *invariant, n int) []bool {
	g := aig.New()
	latches := make([]aig.Lit, n)
	for i := range latches {
		latches[i] = g.Input()
	}
	out := c.Place(g, latches)
	sim := aig.NewSim(g)
	inside := make([]bool, 1<<n)
	for x := range inside {
		for i, l := range latches {
			sim.Set(l.Node(), -uint64(x>>i&1))
		}
		sim.Run()
		inside[x] = sim.Word(out)&1 == 1
	}
	return inside
}

// TestStrongest compares invariants with the strongest ones, under groups of all kinds.
func TestStrongest(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	groups := reptest.Groups()
	names := slices.Sorted(maps.Keys(groups))
	proper := 0
	for i := range nightly.Or(200, 6000) {
		var p *mc.Problem
		if i%2 == 0 {
			c := tstest.Random(rng)
			p = &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: c.Sys}, Groups: c.Groups}
		} else {
			y := groups[names[i/2%len(names)]]
			p = &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: reptest.System(rng, y)}, Groups: []*ts.Symmetry{y}}
		}
		for prop := range p.Groups {
			p.Props = append(p.Props, prop)
		}
		c := findInvariant(context.Background(), p, newSolver)
		if c == nil {
			t.Fatal("no invariant")
		}
		got, want := table(c, len(p.Netlist.Latches)), strongest(tstest.Explore(p.Netlist))
		for x := range want {
			if got[x] != want[x] {
				t.Fatalf("system %d: state %b is in the invariant: %v, want %v", i, x, got[x], want[x])
			}
			if !got[x] {
				proper++
			}
		}
		for _, y := range p.Groups {
			if !c.KeptBy(y) {
				t.Fatalf("system %d: the invariant is not closed under a group", i)
			}
		}
	}
	if proper == 0 {
		t.Error("all states are in all invariants")
	}
}

// TestManyExclusions: of latches that are functions of a small counter most triples of
// values never occur, and to list them all takes longer than the search.
func TestManyExclusions(t *testing.T) {
	for latches, found := range map[int]bool{20: true, 136: false} {
		rng := rand.New(rand.NewPCG(15, 16))
		g := aig.NewPlain()
		sys := &ts.System{G: g, W: aig.True}
		var counter []aig.Lit
		for i := range 4 + latches {
			l := g.Input()
			sys.Latches = append(sys.Latches, ts.Latch{Name: fmt.Sprint("l", i), Node: l.Node()})
			if i < 4 {
				counter = append(counter, l)
			}
		}
		carry, at := aig.True, []aig.Lit{aig.True}
		for i, l := range counter {
			sys.Latches[i].Next, carry = g.Xor(l, carry), g.And(l, carry)
			for _, x := range slices.Clone(at) {
				at = append(at, g.And(x, l))
			}
		}
		var all []aig.Lit
		for i := 4; i < len(sys.Latches); i++ {
			var terms []aig.Lit
			for _, x := range at {
				if rng.IntN(2) == 0 {
					terms = append(terms, x)
				}
			}
			sys.Latches[i].Next = g.XorN(terms)
			all = append(all, sys.LatchLit(i))
		}
		sys.Bads = []ts.Bad{{Lit: g.AndN(all)}}
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{0}}
		if c := findInvariant(context.Background(), p, newSolver); (c != nil) != found {
			t.Errorf("%d latches: an invariant is found: %v, want %v", latches, c != nil, found)
		}
	}
}
