package pdr

import (
	"testing"

	"orbitmc/ts"
)

// TestCompared: the permutations of a predicate end where their comparisons exceed the bound.
func TestCompared(t *testing.T) {
	var perms []*ts.Perm
	order := []int{0, 1, 2, 3, 4, 5}
	for i := range 5 { // exchanges neighbours: one comparison
		p := &ts.Perm{}
		for j := range order {
			p.Latch = append(p.Latch, ts.MkLit(j, false))
		}
		p.Latch[i], p.Latch[i+1] = p.Latch[i+1], p.Latch[i]
		perms = append(perms, p)
	}
	for gates, want := range map[int]int{0: 0, 2: 1, 7: 3, 10: 5, 18: 5} {
		if got := compared(perms, order, gates); len(got) != want {
			t.Errorf("%d gates: %d permutations, want %d", gates, len(got), want)
		}
	}
}
