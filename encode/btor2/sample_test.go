package btor2

import (
	"context"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/ts"
)

// TestSample: systems have the runs of their files, with latches for all elements of arrays or with cells. Most systems in which
// one latch or bad is another function have not; some differ where no run leads, or that nothing reads.
func TestSample(t *testing.T) {
	files := 60
	if os.Getenv("ORBITMC_LONG") != "" {
		files = 3000
	}
	ctx := context.Background()
	cells, broken, caught := 0, 0, 0
	for seed := range files {
		rng := rand.New(rand.NewPCG(uint64(seed), 11))
		var f *File
		if text := arrayFile(rng); seed%3 > 0 {
			large, err := ReadLarge(ctx, []byte(text), "x.btor2", 0)
			if err != nil {
				if strings.Contains(err.Error(), "the first value of a state depends on this") {
					continue
				}
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			if f = someAddresses(t, large, rng); f.Addresses() > 0 {
				cells++
			}
		} else {
			f = readText(t, randomFile(rng, make(map[string]int)))
		}
		if _, err := f.Sample(ctx); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		double := *f
		double.Sys = breakSystem(rng, f.Sys)
		if double.Sys == nil {
			continue
		}
		broken++
		if _, err := double.Sample(ctx); err != nil {
			caught++
		}
	}
	t.Logf("%d files with cells; %d broken systems, %d caught", cells, broken, caught)
	if cells < files/3 || broken < files/2 || 3*caught < 2*broken {
		t.Error("too few")
	}
}

// breakSystem returns a system in which a latch or a bad is wrong where two leaves have some values.
func breakSystem(rng *rand.Rand, sys *ts.System) *ts.System {
	var leaves []aig.Lit
	for _, in := range sys.Inputs {
		leaves = append(leaves, aig.MkLit(in.Node, false))
	}
	for _, l := range sys.Latches {
		leaves = append(leaves, aig.MkLit(l.Node, false))
	}
	if len(leaves) == 0 {
		return nil
	}
	leaf := func() aig.Lit { return leaves[rng.IntN(len(leaves))].NotIf(rng.IntN(2) == 0) }
	s := *sys
	s.Latches, s.Bads = append([]ts.Latch(nil), sys.Latches...), append([]ts.Bad(nil), sys.Bads...)
	wrong := func(l aig.Lit) aig.Lit { return s.G.Xor(l, s.G.And(leaf(), leaf())) }
	if n := rng.IntN(len(s.Latches) + len(s.Bads)); n < len(s.Latches) {
		s.Latches[n].Next = wrong(s.Latches[n].Next)
	} else {
		n -= len(s.Latches)
		s.Bads[n].Lit = wrong(s.Bads[n].Lit)
	}
	return &s
}
