package cdcl

import (
	"math/rand/v2"
	"testing"

	"orbitmc/sat"
)

// TestRedundant: a literal of a clause is left out just if it follows from the others, by a search that keeps nothing.
func TestRedundant(t *testing.T) {
	const vars = 16
	var out, deep int
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := New()
		var lits []sat.Lit
		for range vars {
			lits = append(lits, s.NewVar())
		}
		pick := func() sat.Lit { return lits[r.IntN(vars)] ^ sat.Lit(r.IntN(2)) }
		for range 30 {
			s.Add(pick(), pick(), pick())
		}
		s.levels = make([]uint32, vars+1)
		if s.propagateAll() != none {
			continue
		}
		for range vars {
			l := s.translate(pick())
			if s.value[l] != 0 {
				continue
			}
			s.lims = append(s.lims, len(s.trail))
			s.assign(l, none)
			if s.propagate() != none {
				s.back(len(s.lims) - 1)
				break
			}
		}
		in := make(map[int]bool)
		var clause []lit
		s.lbd++
		for _, l := range s.trail {
			if v := l.Var(); s.level[v] > 0 && r.IntN(3) > 0 {
				in[v] = true
				clause = append(clause, l.Not())
				s.mark(l.Not(), seen)
				s.levels[s.level[v]] = s.lbd
			}
		}
		var follows func(q lit, depth int) bool
		follows = func(q lit, depth int) bool {
			if s.reason[q.Var()] == none {
				return false
			}
			for _, m := range s.because(s.reason[q.Var()], q.Not()) {
				if s.level[m.Var()] > 0 && !in[m.Var()] && !follows(m, depth+1) {
					return false
				}
			}
			deep = max(deep, depth)
			return true
		}
		for _, q := range clause {
			want := follows(q, 0)
			if got := s.reason[q.Var()] != none && s.redundant(q, 0); got != want {
				t.Fatalf("seed %d: literal %v of %v is redundant: %v, want %v", seed, q, clause, got, want)
			}
			if want {
				out++
			}
		}
		s.unmark()
	}
	if out < 1000 || deep < 3 {
		t.Errorf("%d literals are left out, through %d others: too few", out, deep)
	}
}
