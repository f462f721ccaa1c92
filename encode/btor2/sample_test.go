package btor2

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/ts"
)

// TestSample: systems have the runs of their files, with latches for all elements of arrays or with cells. Most systems in which
// one latch or bad is another function have not; some differ where no run leads, or that nothing reads.
func TestSample(t *testing.T) {
	files := 60
	if nightly.On() {
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

// TestSampleWork: there are few runs of a file whose circuits are large, however few lines it has.
func TestSampleWork(t *testing.T) {
	f := readText(t, "1 sort bitvec 400\n2 sort bitvec 1\n3 input 1\n4 input 1\n5 mul 1 3 4\n6 eq 2 5 3\n7 bad 6\n")
	runs, err := f.Sample(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if gates := f.Sys.G.Len(); gates < 1<<19 || runs == 0 || runs*gates > 1<<26 {
		t.Errorf("%d runs with %d gates", runs, gates)
	}
}

// TestSampleConstants: a wide word is also what the file compares it with.
func TestSampleConstants(t *testing.T) {
	f := readText(t, "1 sort bitvec 32\n2 sort bitvec 1\n3 input 1\n4 consth 1 cafe\n5 eq 2 3 4\n6 bad 5\n")
	double := *f.Sys
	double.Bads = []ts.Bad{{Lit: aig.False}}
	f.Sys = &double
	if _, err := f.Sample(context.Background()); err == nil {
		t.Error("the system has all runs of the file")
	}
}

// TestManyWrites: the arrays that a chain of writes passes through share what they have in common.
func TestManyWrites(t *testing.T) {
	const writes = 4096
	var b strings.Builder
	b.WriteString("1 sort bitvec 12\n2 sort bitvec 8\n3 sort array 1 2\n4 state 3\n5 input 2\n")
	last := 4
	for k := range writes {
		at := 6 + 2*k
		fmt.Fprintf(&b, "%d constd 1 %d\n%d write 3 %d %d 5\n", at, k, at+1, last, at)
		last = at + 1
	}
	fmt.Fprintf(&b, "%d next 3 4 %d\n%d read 2 %d 6\n%d sort bitvec 1\n%d redor %d %d\n%d bad %d\n",
		last+1, last, last+2, last, last+3, last+4, last+3, last+2, last+5, last+4)
	f, err := ReadLarge(context.Background(), []byte(b.String()), "x.btor2", 1024)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := f.Sample(context.Background()); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 1024 {
		t.Errorf("%d MiB were allocated", mib)
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
