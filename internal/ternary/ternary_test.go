package ternary_test

import (
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/ternary"
)

// TestKnown compares values of random graphs with all valuations of the leaves: what is known is so whatever the
// unknown leaves are, a root stays known, and a leaf is not kept where it and those that are known do not matter.
func TestKnown(t *testing.T) {
	forgotten, kept := 0, 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 5))
		g := aig.NewPlain()
		var leaves, lits []aig.Lit
		for range 4 {
			l := g.Input()
			leaves, lits = append(leaves, l), append(lits, l)
		}
		for range 1 + r.IntN(12) {
			pick := func() aig.Lit { return lits[r.IntN(len(lits))].NotIf(r.IntN(2) == 0) }
			lits = append(lits, g.And(pick(), pick()))
		}
		s := ternary.New(g)
		for again := range 3 {
			var roots []aig.Lit
			for range 1 + r.IntN(2) {
				roots = append(roots, lits[r.IntN(len(lits))].NotIf(r.IntN(2) == 0))
			}
			cone := g.Cone(roots)
			point := r.Uint64()
			for i, l := range leaves {
				s.Set(l.Node(), ternary.Of(point>>i&1 != 0))
			}
			s.Keep(roots)
			unknown := uint64(0)
			for _, i := range r.Perm(len(leaves)) {
				if s.Forget(leaves[i].Node()) {
					unknown |= 1 << i
					forgotten++
				} else {
					kept++
				}
			}
			sim := aig.NewSim(g)
			for i, l := range leaves {
				var w uint64
				for v := range uint64(16) {
					if (point&^unknown|v&unknown)>>i&1 != 0 {
						w |= 1 << v
					}
				}
				sim.Set(l.Node(), w)
			}
			sim.Run()
			for _, n := range cone {
				l := aig.MkLit(n, false)
				switch w := sim.Word(l) & 0xffff; s.Value(l) {
				case ternary.True:
					if w != 0xffff {
						t.Fatalf("seed %d, %d: %v is said to be true", seed, again, l)
					}
				case ternary.False:
					if w != 0 {
						t.Fatalf("seed %d, %d: %v is said to be false", seed, again, l)
					}
				}
			}
			fresh := ternary.New(g) // evaluated as a whole
			for i, l := range leaves {
				if unknown>>i&1 == 0 {
					fresh.Set(l.Node(), ternary.Of(point>>i&1 != 0))
				}
			}
			for _, n := range cone {
				if fresh.Run(n); fresh.Value(aig.MkLit(n, false)) != s.Value(aig.MkLit(n, false)) {
					t.Fatalf("seed %d, %d: node %d is not up to date", seed, again, n)
				}
			}
			for _, root := range roots {
				if s.Value(root) == ternary.Unknown {
					t.Fatalf("seed %d, %d: root %v is unknown", seed, again, root)
				}
			}
		}
	}
	t.Logf("%d values forgotten, %d kept", forgotten, kept)
}
