package cdcl

import (
	"context"
	"math/rand/v2"
	"testing"

	"orbitmc/sat"
)

// Every clause that vivification leaves follows from the formula, and some are shorter.
func TestVivify(t *testing.T) {
	shorter, kept := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		const vars = 60
		var f [][]sat.Lit
		for range vars * 4 {
			var c []sat.Lit
			for _, v := range rng.Perm(vars)[:3] {
				c = append(c, sat.MkLit(v+1, rng.IntN(2) == 1))
			}
			f = append(f, c)
		}
		load := func() *Solver {
			s := New()
			for range vars {
				s.NewVar()
			}
			for _, c := range f {
				s.Add(c...)
			}
			return s
		}
		s, ref := load(), load()
		s.Solve(context.Background())
		s.back(0)
		before := make(map[int]int)
		for _, c := range s.learnts {
			before[len(s.lits(c))]++
		}
		s.share = 1
		s.vivify()
		for _, c := range s.learnts {
			if s.removed(c) {
				continue
			}
			before[len(s.lits(c))]--
			var not []sat.Lit
			for _, l := range s.lits(c) {
				not = append(not, l.Not())
			}
			if kept++; ref.Solve(context.Background(), not...) != sat.Unsat {
				t.Fatalf("seed %d: %v does not follow", seed, s.lits(c))
			}
		}
		for _, n := range before {
			shorter += max(n, 0)
		}
	}
	t.Logf("%d clauses left, %d of other lengths", kept, shorter)
	if kept < 500 || shorter < 20 {
		t.Error("too few")
	}
}
