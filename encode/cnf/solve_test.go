package cnf_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/sat/gini"
)

// TestFocusedProver compares a prover with focus with one without, on random graphs that
// grow between queries. The leaves of a valuation must make what was asserted and assumed true.
func TestFocusedProver(t *testing.T) {
	ctx := context.Background()
	sats, unsats := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 5))
		g := aig.New()
		var leaves, nodes []aig.Lit
		pick := func() aig.Lit { return nodes[rng.IntN(len(nodes))].NotIf(rng.IntN(2) == 0) }
		grow := func() {
			for range 3 {
				l := g.Input()
				leaves, nodes = append(leaves, l), append(nodes, l)
			}
			for range 12 {
				nodes = append(nodes, g.And(pick(), pick()))
			}
		}
		grow()
		focused, whole := cnf.NewFocusedProver(g, cdcl.New()), cnf.NewProver(g, gini.New())
		var asserted []aig.Lit
		for query := range 20 {
			grow()
			if query%5 == 4 {
				l := g.Or(g.Or(pick(), pick()), pick())
				focused.Assert(l)
				whole.Assert(l)
				asserted = append(asserted, l)
			}
			var assume []aig.Lit
			for range 1 + rng.IntN(3) {
				assume = append(assume, pick())
			}
			got, want := focused.Solve(ctx, assume...), whole.Solve(ctx, assume...)
			if got != want {
				t.Fatalf("seed %d, query %d: %v, want %v", seed, query, got, want)
			}
			if got != sat.Sat {
				unsats++
				continue
			}
			sats++
			sim := aig.NewSim(g)
			for _, l := range leaves {
				if focused.Value(l) {
					sim.Set(l.Node(), ^uint64(0))
				}
			}
			sim.Run()
			for _, l := range append(assume, asserted...) {
				if sim.Word(l) == 0 {
					t.Fatalf("seed %d, query %d: the valuation makes a function false that must hold", seed, query)
				}
			}
		}
	}
	if sats < 1000 || unsats < 1000 {
		t.Errorf("%d and %d queries are satisfiable and not: this tests little", sats, unsats)
	}
}
