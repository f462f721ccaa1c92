package cdcl

import (
	"testing"

	"orbitmc/sat"
)

// TestNewest: with NewestFirst a variable that comes after a query is decided before those that were in
// no conflict, and without it after them.
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
		young := s.NewVar()
		s.back(0)
		idle, last := s.inner[old[5].Var()].Var(), s.inner[young.Var()].Var()
		for len(s.order.vars) > 0 {
			if v := s.order.pop(); v == idle || v == last {
				if (v == last) != newest {
					t.Errorf("newest first %v: variable %d is decided before %d", newest, v, idle+last-v)
				}
				break
			}
		}
	}
}
