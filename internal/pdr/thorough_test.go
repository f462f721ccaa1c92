package pdr

import (
	"testing"

	"orbitmc/mc"
)

// TestThorough: a thorough search blocks predecessors earlier, and a limit of tests holds for it, too.
func TestThorough(t *testing.T) {
	for _, c := range []struct {
		thorough bool
		limit    int64
		first    int64 // the first number of queries that is enough
	}{
		{false, hardFrom, hardFrom},
		{true, hardFrom, thoroughFrom},
		{true, 0, 0},
	} {
		x := &search{e: &Engine{Thorough: c.thorough}, variant: &variant{hard: c.limit}, stats: &mc.Stats{}}
		for n := range hardFrom + 1 {
			if x.stats.Queries = int64(n); x.hard() != (int64(n) >= c.first) {
				t.Fatalf("%+v: %d queries: hard %v", c, n, x.hard())
			}
		}
	}
}
