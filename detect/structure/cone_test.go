package structure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/ts"
)

// circuitOf returns the circuit of a system whose latches become the values of fs.
func circuitOf(t *testing.T, g *aig.Graph, leaves, fs []aig.Lit, v view) *circuit {
	s := &ts.System{G: g, W: aig.True}
	for i, l := range leaves {
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint(i), Node: l.Node(), Next: fs[i%len(fs)]})
	}
	c, err := newCircuit(context.Background(), s, v)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTables compares truth tables, and what is counted of them, with the values of all valuations.
func TestTables(t *testing.T) {
	tables := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 8))
		g := aig.NewPlain()
		var leaves, nodes []aig.Lit
		for range maxCone + 2 {
			leaves = append(leaves, g.Input())
		}
		nodes = append(nodes, leaves[:2+rng.IntN(maxCone)]...)
		for range 60 {
			pick := func() aig.Lit { return nodes[rng.IntN(len(nodes))].NotIf(rng.IntN(2) == 0) }
			nodes = append(nodes, g.And(pick(), pick()))
		}
		c := circuitOf(t, g, leaves, nodes[len(nodes)-len(leaves):], tabled)
		for n := range c.g.Len() {
			if !c.small(n) {
				continue
			}
			tables++
			got := c.truth(n)
			cone := c.cones[n]
			sim := aig.NewSim(c.g)
			changes, rises := make([]int, len(cone)), make([]int, len(cone))
			value := func(k int) bool {
				for i, l := range cone {
					sim.Set(int(l), uint64(0)-uint64(k>>i&1))
				}
				sim.Run()
				return sim.Word(aig.MkLit(n, false))&1 == 1
			}
			var values []bool
			for k := range 1 << len(cone) {
				values = append(values, value(k))
			}
			for k := range 1 << maxCone {
				if got.at(k) != values[k%len(values)] {
					t.Fatalf("seed %d, node %d: the table is wrong at %d", seed, n, k)
				}
				for i := range cone {
					if now, then := values[k%len(values)], values[k%len(values)|1<<i]; k>>i&1 == 0 && now != then {
						changes[i]++
						if then {
							rises[i]++
						}
					}
				}
			}
			matter := 0
			for i := range cone {
				if changes[i] > 0 {
					matter++
				}
			}
			all := c.influences(n, &got)
			if len(all) != matter {
				t.Fatalf("seed %d, node %d: %d leaves matter, not %d", seed, n, matter, len(all))
			}
			for _, l := range all {
				if l.changes != changes[l.bit] || l.rises != rises[l.bit] || l.vertex != c.gate[cone[l.bit]].vertex() {
					t.Errorf("seed %d, node %d: %+v, want %d changes and %d rises", seed, n, l, changes[l.bit], rises[l.bit])
				}
			}
		}
	}
	if tables < 500 {
		t.Errorf("only %d tables", tables)
	}
}

// TestWide: prefixes of a conjunction are flattened up to a bound, so the graph of many of them is not quadratic.
func TestWide(t *testing.T) {
	g := aig.NewPlain()
	var leaves, prefixes []aig.Lit
	for i := range 3 * tooWide {
		leaves = append(leaves, g.Input())
		if i == 0 {
			prefixes = append(prefixes, leaves[0])
		} else {
			prefixes = append(prefixes, g.And(prefixes[i-1], leaves[i]))
		}
	}
	c := circuitOf(t, g, leaves, prefixes, plain)
	for i := 1; i < len(prefixes); i++ {
		n := c.norm.Copy(prefixes[i]).Node()
		if c.width[n] != int32(min(i+1, tooWide)) {
			t.Fatalf("prefix %d: width %d", i, c.width[n])
		}
		want := 2
		if i < maxShared {
			want = i + 1
		}
		if got := len(c.conjuncts(n)); got != want {
			t.Fatalf("prefix %d has %d operands, want %d", i, got, want)
		}
	}
}
