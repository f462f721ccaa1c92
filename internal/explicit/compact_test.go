package explicit

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/model/traces"
)

func readModel(t *testing.T, file string, consts map[string]string) *model.Program {
	t.Helper()
	m, err := murphi.ReadFile(filepath.Join("..", "..", "benchmarks", "murphi", file), murphi.Options{Consts: consts})
	if err != nil {
		t.Fatal(err)
	}
	return model.Compile(m)
}

// TestHashCompaction: with long hashes, all states are found and violations have the same
// traces; with short ones, states are missing. Neither is a proof.
func TestHashCompaction(t *testing.T) {
	ctx := context.Background()
	for file, consts := range map[string]map[string]string{"flash.m": {"NODE_NUM": "2"}, "german_bug2.m": {"NODE_NUM": "2"}} {
		p := readModel(t, file, consts)
		for _, canon := range []Canon{None, Exact} {
			var blocks [][][]int
			for _, class := range p.Model.Scalarsets {
				var all []int
				for v := range int(class.Card()) {
					all = append(all, v)
				}
				blocks = append(blocks, [][]int{all})
			}
			want, err := Run(ctx, p, Options{Canon: canon, Blocks: blocks})
			if err != nil {
				t.Fatal(err)
			}
			for _, bits := range []int{40, 47, 64} {
				for seed := range uint64(2) {
					got, err := Run(ctx, p, Options{Canon: canon, Blocks: blocks, HashBits: bits, Seed: seed, Threads: 1 + bits%2})
					if err != nil {
						t.Fatal(err)
					}
					if got.Complete || got.Visited != nil || got.Depth != -1 || got.States != want.States || got.Fired != want.Fired || len(got.Violations) != len(want.Violations) {
						t.Errorf("%s, %d bits: %+v, want %+v", file, bits, got, want)
					}
					for i, f := range got.Violations {
						if f.Depth != want.Violations[i].Depth || traces.Replay(p, f.Trace) != nil {
							t.Errorf("%s, %d bits: %+v, want %+v", file, bits, f, want.Violations[i])
						}
					}
					if p := float64(want.States) * float64(want.States) / math.Exp2(float64(bits+1)); got.Omission > p || got.Omission < 0.99*p {
						t.Errorf("%s, %d bits: omission probability %g of %d states, want %g", file, bits, got.Omission, got.States, p)
					}
				}
			}
			s, err := newSearch(p, Options{Canon: canon, Blocks: blocks, HashBits: 40})
			if err != nil {
				t.Fatal(err)
			}
			s.compact.bits, s.set = 8, newSet(1)
			s.run(ctx)
			if len(s.found) == 0 || s.complete || s.set.n > 256 || int64(s.set.n) >= want.States || s.compact.omission(int64(s.set.n)) < 0.9 {
				t.Errorf("%s: hashes of 8 bits: %d states, omission probability %g", file, s.set.n, s.compact.omission(int64(s.set.n)))
			}
		}
	}
	p := readModel(t, "flash.m", nil)
	for _, opt := range []Options{{HashBits: 39}, {HashBits: 65}, {HashBits: 64, Canon: Sorted}, {HashBits: 64, Canon: Star}} {
		if _, err := Run(ctx, p, opt); err == nil {
			t.Errorf("%+v accepted", opt)
		}
	}
}

// TestOmission compares with the product.
func TestOmission(t *testing.T) {
	c := &compact{bits: 10}
	none := 1.0
	for n := range int64(200) {
		none *= 1 - float64(n)/1024
		if p := c.omission(n + 1); p < 1-none-1e-12 || p > 1.1*(1-none)+1e-12 {
			t.Errorf("%d states: %g, want %g", n+1, p, 1-none)
		}
	}
}

// TestHashesAreSpread: states that differ in one bit have hashes that differ in half of theirs.
func TestHashesAreSpread(t *testing.T) {
	c := &compact{bits: 64}
	flips, n := 0, 0
	for size := 1; size < 20; size++ {
		b := make([]byte, size)
		old := c.key(nil, b)
		for bit := range 8 * size {
			b[bit/8] ^= 1 << (bit % 8)
			for i, x := range c.key(nil, b) {
				for y := x ^ old[i]; y != 0; y &= y - 1 {
					flips++
				}
			}
			n += 64
			b[bit/8] ^= 1 << (bit % 8)
		}
	}
	if part := float64(flips) / float64(n); part < 0.49 || part > 0.51 {
		t.Errorf("%.3f of the bits differ", part)
	}
}

// TestCompactVerdict: nothing is proved, and nothing is said of shorter counterexamples.
func TestCompactVerdict(t *testing.T) {
	for file, want := range map[string]mc.Status{"flash.m": mc.Unknown, "german_bug2.m": mc.Unsafe} {
		p := readModel(t, file, map[string]string{"NODE_NUM": "2"})
		problem := &mc.Problem{OfModel: mc.OfModel{Model: p.Model, Program: p}}
		for i := range p.Model.Props {
			problem.Props = append(problem.Props, i)
		}
		r, err := (&Engine{HashBits: 64}).Run(context.Background(), problem, mc.Options{})
		if err != nil || r.Verdict() != want || r.Closure != nil {
			t.Fatalf("%s: %v, %v", file, r, err)
		}
		for _, pr := range r.Props {
			if pr.Bound != -1 || pr.Status == mc.Safe {
				t.Errorf("%s: %+v", file, pr)
			}
		}
	}
}
