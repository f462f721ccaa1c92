package pdr

import (
	"testing"

	"orbitmc/ts"
)

// TestWithin: the permutations of a predicate end where their comparisons exceed the bound.
func TestWithin(t *testing.T) {
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
	for most, want := range map[int]int{0: 0, 1: 1, 3: 3, 5: 5, 9: 5} {
		if got := within(perms, order, most); len(got) != want {
			t.Errorf("%d comparisons: %d permutations, want %d", most, len(got), want)
		}
	}
}
