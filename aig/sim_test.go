package aig

import (
	"math/rand/v2"
	"testing"
)

// TestSim simulates while leaves change and the graph grows.
func TestSim(t *testing.T) {
	eachSoup(t, 100, func(t *testing.T, s *soup, r *rand.Rand) {
		sim := NewSim(s.g)
		leaves := make([]uint64, 6)
		for range 10 {
			for range r.IntN(3) {
				i := r.IntN(6)
				leaves[i] = r.Uint64()
				sim.Set(i+1, leaves[i])
			}
			sim.Run()
			ts := tables(s.g, leaves)
			for i := range ts {
				for _, neg := range []bool{false, true} {
					if l := MkLit(i, neg); sim.Word(l) != value(ts, l) {
						t.Errorf("%v is %x, want %x", l, sim.Word(l), value(ts, l))
					}
				}
			}
			s.random(r, r.IntN(5))
		}
	})
}
