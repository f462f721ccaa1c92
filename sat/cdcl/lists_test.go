package cdcl

import (
	"maps"
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
		want := [2]map[uint32][]lit{{}, {}} // by number: what was added, and what was learned
		var refs [2][]ref
		for i := range uint32(4000) {
			n := 2 + r.IntN(6)
			if r.IntN(500) == 0 {
				n = 300 + r.IntN(3000) // a block of its own, at the beginning
			}
			lits := make([]lit, n)
			for k := range lits {
				lits[k] = lit(2 + r.IntN(1998))
			}
			learned := r.IntN(2)
			c := s.newClause(lits, learned == 1, i)
			if learned == 1 {
				s.mem(c)[1] = lit(i)
			}
			s.attach(c)
			if r.IntN(3) > 0 {
				s.remove(c)
			} else {
				want[learned][i] = lits
			}
			refs[learned] = append(refs[learned], c)
		}
		s.groups, s.learnts = []*group{{clauses: refs[0]}}, refs[1]
		s.compact()
		added := s.groups[0].clauses
		if s.waste != 0 || len(added) != len(want[0]) || len(s.learnts) != len(want[1]) {
			t.Fatalf("seed %d: %d words of waste, %d and %d clauses, want %d and %d", seed, s.waste, len(added), len(s.learnts), len(want[0]), len(want[1]))
		}
		watched := make(map[ref]int)
		for l := range s.watches.of {
			for _, x := range s.watches.list(lit(l)) {
				watched[x.clause]++
			}
		}
		words := 0
		for learned, list := range [][]ref{added, s.learnts} {
			numbers := slices.Sorted(maps.Keys(want[learned])) // compact keeps the order
			for k, c := range list {
				i := numbers[k]
				if !slices.Equal(s.lits(c), want[learned][i]) || s.removed(c) || learned == 1 && uint32(s.glue(c)) != i ||
					s.numbered && s.number(c) != i || watched[c] != 2 {
					t.Fatalf("seed %d: clause %d", seed, i)
				}
				words += 1 + learned + len(want[learned][i])
				if s.numbered {
					words++
				}
			}
		}
		if len(watched) != len(added)+len(s.learnts) || words != s.total {
			t.Fatalf("seed %d: %d clauses watched, %d words, want %d", seed, len(watched), s.total, words)
		}
	}
}
