package cdcl

import (
	"slices"
	"testing"

	"orbitmc/sat"
)

// TestNewest: with NewestFirst variables that come after a query are decided before those that were in
// no conflict, the last one first, and without it after them.
func TestNewest(t *testing.T) {
	for _, newest := range []bool{false, true} {
		s := New()
		if newest {
			s.NewestFirst()
		}
		var old []sat.Lit
		for range 6 {
			old = append(old, s.NewVar())
		}
		for i := range 1 << 3 { // every assignment of three variables is excluded, if old[3]
			clause := []sat.Lit{old[3].Not()}
			for k := range 3 {
				clause = append(clause, old[k]^sat.Lit(i>>k&1))
			}
			s.Add(clause...)
		}
		if got := s.Solve(t.Context(), old[3]); got != sat.Unsat || s.Stats().Conflicts == 0 {
			t.Fatalf("%v after %d conflicts", got, s.Stats().Conflicts)
		}
		number := func(l sat.Lit) int { return s.inner[l.Var()].Var() }
		want := []int{number(s.NewVar()), number(s.NewVar()), number(old[5])}
		s.back(0)
		var got []int
		for len(s.order.vars) > 0 {
			if v := s.order.pop(); slices.Contains(want, v) {
				got = append(got, v)
			}
		}
		if newest {
			want[0], want[1] = want[1], want[0]
		}
		if slices.Equal(got, want) != newest {
			t.Errorf("newest first %v: decided in the order %v", newest, got)
		}
	}
}
