package measure

import (
	"errors"
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
)

// TestBDDSize: a diagram has a node for each function that is left when the first variables are known, up
// to negation, if it depends on the next one.
func TestBDDSize(t *testing.T) {
	const n = 6
	r := rand.New(rand.NewPCG(7, 8))
	for round := range 200 {
		g := aig.New()
		var in, all []aig.Lit
		for range n {
			in = append(in, g.Input())
		}
		all = append(all, in...)
		for range 5 + round%40 {
			a, b := all[r.IntN(len(all))], all[r.IntN(len(all))]
			all = append(all, g.And(a.NotIf(r.IntN(2) == 0), b.NotIf(r.IntN(2) == 0)))
		}
		roots := []aig.Lit{all[len(all)-1], all[len(all)-2].Not()}
		order := make([]aig.Lit, n)
		for i, j := range r.Perm(n) {
			order[i] = in[j]
		}
		sim := aig.NewSim(g)
		for i, l := range order { // the first variable is the highest bit of a row
			var w uint64
			for row := range 64 {
				w |= uint64(row>>(n-1-i)&1) << row
			}
			sim.Set(l.Node(), w)
		}
		sim.Run()
		table := sim.Word(roots[0]) & sim.Word(roots[1])
		want := 1 // the constant
		for level := range n {
			seen := map[uint64]bool{}
			width := 64 >> level
			for at := 0; at < 64; at += width {
				f := table >> at
				if width < 64 {
					f &= 1<<width - 1
				}
				if f&1 != 0 { // of a function and its negation, the one that is 0 first
					f = ^f
					if width < 64 {
						f &= 1<<width - 1
					}
				}
				half := width / 2
				if lo, hi := f&(1<<half-1), f>>half; lo != hi && !seen[f] {
					seen[f] = true
					want++
				}
			}
		}
		for _, limit := range []int{1 << 20, 120} { // the second one frees nodes
			got, err := BDDSize(g, roots, order, limit)
			if errors.Is(err, ErrBDDSize) && limit == 120 {
				continue
			}
			if err != nil || got != want {
				t.Fatalf("round %d: %d nodes, want %d; %v", round, got, want, err)
			}
		}
		if _, err := BDDSize(g, roots, order[:1], 1<<20); err == nil && len(g.Support(roots)) > 1 {
			t.Error("inputs without a place in the order are taken")
		}
	}
}
