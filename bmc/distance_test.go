package bmc

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/internal/testkit/reptest"
)

// TestDistances: a latch is at distance d if the bads and constraints, or the next functions of latches at distance d-1,
// read it, and none before; of an error in a step the distances begin at 1. The words of the last frames are the latches
// that are so near, in the order of the whole word.
func TestDistances(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 7))
	groups := reptest.Groups()
	far, never := 0, 0
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		for range 30 {
			s := reptest.System(r, groups[name])
			for i := range s.Latches { // not every system reads all latches in one step
				if r.IntN(2) == 0 {
					s.Latches[i].Next = s.LatchLit((i + 1) % len(s.Latches))
				}
			}
			bads := []int{r.IntN(len(s.Bads))}
			s.Bads[bads[0]].Delay = r.IntN(2)
			s.Bads[bads[0]].Lit = s.LatchLit(r.IntN(len(s.Latches)))
			if r.IntN(2) == 0 {
				s.Constraints = nil
			}
			want := make([]int, len(s.Latches))
			for i := range want {
				want[i] = -1
			}
			read := slices.Clone(s.Constraints)
			for d := 0; d <= len(s.Latches)+1; d++ {
				if s.Bads[bads[0]].Delay == d {
					read = append(read, s.Bads[bads[0]].Lit)
				}
				support := s.G.Support(read)
				for i, l := range s.Latches {
					if want[i] < 0 && slices.Contains(support, l.Node) {
						want[i] = d
						read = append(read, l.Next)
					}
				}
			}
			got := distances(s, bads)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %v, want %v", name, got, want)
			}
			if slices.Max(got) > 2 {
				far++
			}
			if slices.Contains(got, -1) {
				never++
			}

			order := slices.DeleteFunc(r.Perm(len(s.Latches)), func(l int) bool { return got[l] < 0 })
			orders := byDistance(order, got)
			sum := 0
			for d, near := range orders {
				if !slices.Equal(near, slices.DeleteFunc(slices.Clone(order), func(l int) bool { return got[l] > d })) {
					t.Fatalf("%s: distance %d: %v of %v, at %v", name, d, near, order, got)
				}
				sum += len(near)
				if last := d == len(orders)-1; last != (len(near) == len(order) || sum > 4*len(order)) {
					t.Fatalf("%s: %d words", name, len(orders))
				}
			}
		}
	}
	if far < 50 || never < 50 {
		t.Errorf("%d systems with distances above 2, %d that do not read a latch", far, never)
	}
	line := make([]int, 20)
	for i := range line {
		line[i] = i
	}
	if orders := byDistance(line, line); len(orders) != 13 { // 1 + 2 + … + 13 > 80
		t.Errorf("%d words of a line of 20 latches", len(orders))
	}
}
