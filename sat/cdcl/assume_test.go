package cdcl

import (
	"testing"

	"orbitmc/sat"
)

// TestKeepsAssumptions: what follows from assumptions that a query shares with the one before is not propagated again,
// unless clauses were added, or the query before was in focus.
func TestKeepsAssumptions(t *testing.T) {
	const n = 1000
	s := New()
	var vars []sat.Lit
	for range n {
		vars = append(vars, s.NewVar())
	}
	for _, v := range vars[1 : n-1] {
		s.Add(vars[0].Not(), v)
	}
	last := vars[n-1]
	ask := func(want sat.Status, assume ...sat.Lit) int64 {
		t.Helper()
		before := s.Stats().Propagations
		if got := s.Solve(t.Context(), assume...); got != want {
			t.Fatalf("%v: %v, want %v", assume, got, want)
		}
		return s.Stats().Propagations - before
	}
	const few = 10
	for _, c := range []struct {
		what string
		got  int64
		kept bool
	}{
		{"the first query", ask(sat.Sat, vars[0], last), false},
		{"another one after it", ask(sat.Sat, vars[0], last.Not()), true},
		{"one that is refuted", ask(sat.Unsat, vars[0], vars[n-2].Not()), true},
		{"another order", ask(sat.Sat, last, vars[0]), false},
	} {
		if kept := c.got < few; kept != c.kept {
			t.Errorf("%s: %d propagations", c.what, c.got)
		}
	}
	s.Add(last, vars[0])
	if got := ask(sat.Sat, vars[0], last); got < few {
		t.Errorf("after a new clause: %d propagations", got)
	}
	s.Focus(vars[:1], nil)
	ask(sat.Sat, vars[0], last)
	before := s.Stats().Decisions
	if ask(sat.Sat, vars[0], last); s.Stats().Decisions-before > few {
		t.Errorf("after a query in focus nothing was propagated out of focus: %d decisions", s.Stats().Decisions-before)
	}
}
