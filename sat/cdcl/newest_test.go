package cdcl

import (
	"testing"

	"orbitmc/sat"
)

// TestNewest: a variable that comes after a query is decided before those that were in no conflict. After
// a query in focus it is not: the next focus would have all new variables decided.
func TestNewest(t *testing.T) {
	for _, focused := range []bool{false, true} {
		s := New()
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
		if focused {
			s.Focus(old, nil)
		}
		if got := s.Solve(t.Context(), old[3]); got != sat.Unsat || s.Stats().Conflicts == 0 {
			t.Fatalf("%v after %d conflicts", got, s.Stats().Conflicts)
		}
		x, idle := s.inner[s.NewVar().Var()].Var(), s.inner[old[5].Var()].Var()
		if first := s.order.activity[x] > s.order.activity[idle]; first == focused || s.whole == focused {
			t.Errorf("focused %v: decided before an older one: %v", focused, first)
		}
		for at := 0; !focused; at++ {
			if v := s.order.pop(); v == idle {
				t.Errorf("the older one is decided first, after %d others", at)
			} else if v == x {
				break
			}
		}
	}
}
