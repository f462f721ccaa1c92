package cdcl

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Lists are slices, whatever others do, small ones and such as fill blocks.
func TestLists(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		var w lists
		n := 1 + r.IntN(300)
		want := make([][]watch, n)
		for range n {
			w.grow()
		}
		for step := range 50_000 {
			l := lit(r.IntN(n))
			if step%3 == 0 {
				l = lit(r.IntN(1 + n/50)) // long ones
			}
			if r.IntN(40) == 0 {
				k := r.IntN(len(want[l]) + 1)
				k = max(k, len(want[l])-5)
				w.cut(l, k)
				want[l] = want[l][:k]
				continue
			}
			held := w.list(l) // stays what it is while others grow
			other := lit(r.IntN(n))
			if other != l {
				x := watch{ref(step), other}
				w.push(other, x)
				want[other] = append(want[other], x)
			}
			if !slices.Equal(held, want[l]) {
				t.Fatalf("seed %d, step %d: list %d changed", seed, step, l)
			}
		}
		for l := range want {
			if !slices.Equal(w.list(lit(l)), want[l]) {
				t.Fatalf("seed %d: list %d has %d watches, want %d", seed, l, len(w.list(lit(l))), len(want[l]))
			}
		}
	}
}

// Clauses keep their literals, flags and numbers, in blocks of every size and when gaps are closed.
func TestCompact(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := New()
		s.numbered = seed%2 == 0
		for range 1000 {
			s.variable()
		}
		want := make(map[uint32][]lit) // by mark: what identifies a clause
		var refs []ref
		for i := range uint32(4000) {
			n := 2 + r.IntN(6)
			if r.IntN(500) == 0 {
				n = 300 + r.IntN(3000) // a block of its own, at the beginning
			}
			lits := make([]lit, n)
			for k := range lits {
				lits[k] = lit(2 + r.IntN(1998))
			}
			c := s.newClause(lits, true, i)
			s.mem(c)[1] = lit(i)
			s.attach(c)
			refs = append(refs, c)
			want[i] = lits
		}
		s.learnts = slices.Clone(refs)
		for i, c := range refs {
			if r.IntN(3) > 0 {
				delete(want, uint32(i))
				s.remove(c)
			}
		}
		s.compact()
		if s.waste != 0 || len(s.learnts) != len(want) {
			t.Fatalf("seed %d: %d words of waste, %d clauses, want %d", seed, s.waste, len(s.learnts), len(want))
		}
		watched := make(map[ref]int)
		for l := range s.watches.of {
			for _, x := range s.watches.list(lit(l)) {
				watched[x.clause]++
			}
		}
		words := 0
		for _, c := range s.learnts {
			i := uint32(s.glue(c))
			if !slices.Equal(s.lits(c), want[i]) || s.removed(c) || s.numbered && s.number(c) != i || watched[c] != 2 {
				t.Fatalf("seed %d: clause %d", seed, i)
			}
			words += s.words(len(want[i]))
		}
		if len(watched) != len(want) || words != s.total {
			t.Fatalf("seed %d: %d clauses watched, %d words, want %d", seed, len(watched), s.total, words)
		}
	}
}
