package cdcl

import (
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/sat"
)

// TestQueue: the queue against a list of variables, in which decisions are sought from the end.
func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s := New()
	var order []int
	trail := []int{}
	for step := range 20000 {
		switch k := r.IntN(8); {
		case k == 0 && len(order) < 60:
			v := s.variable().Var()
			order = append(order, v)
		case k < 5: // decide
			want := 0
			for _, v := range slices.Backward(order) {
				if s.value[sat.MkLit(v, false)] == 0 {
					want = v
					break
				}
			}
			got := s.latest()
			if got.Var() != want {
				t.Fatalf("step %d: decides %d, not %d", step, got.Var(), want)
			}
			if got != 0 {
				s.value[got], s.value[got.Not()] = 1, -1
				trail = append(trail, want)
			}
		case k == 5 && len(trail) > 0: // undo
			for n := r.IntN(len(trail) + 1); len(trail) > n; trail = trail[:len(trail)-1] {
				v := trail[len(trail)-1]
				s.value[sat.MkLit(v, false)], s.value[sat.MkLit(v, true)] = 0, 0
				s.queue.undo(v)
			}
		case k > 5 && len(trail) > 0: // bump
			var lits []lit
			var kept, moved []int
			for _, v := range order {
				if slices.Contains(trail, v) && r.IntN(2) == 0 {
					moved = append(moved, v)
					lits = append(lits, sat.MkLit(v, r.IntN(2) == 0))
				} else {
					kept = append(kept, v)
				}
			}
			r.Shuffle(len(lits), func(i, j int) { lits[i], lits[j] = lits[j], lits[i] })
			order = append(kept, moved...)
			s.queue.sort(lits)
			for _, l := range lits {
				s.queue.bump(int32(l.Var()))
			}
		}
	}
}
