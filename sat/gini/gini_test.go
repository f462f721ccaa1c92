package gini_test

import (
	"context"
	"testing"

	"orbitmc/sat"
	"orbitmc/sat/gini"
)

// A failed assumption that refutes the formula once it is learned: the library
// alone ends the process in the second Solve.
func TestRefutedByFailedAssumption(t *testing.T) {
	s := gini.New()
	a, b, c := s.NewVar(), s.NewVar(), s.NewVar()
	s.Add(a.Not(), b)
	s.Add(a.Not(), b.Not())
	s.Add(a, c)
	s.Add(a, c.Not())
	ctx := context.Background()
	if got := s.Solve(ctx, a); got != sat.Unsat {
		t.Fatalf("under a: %v", got)
	}
	if core := s.Core(); len(core) != 1 || core[0] != a {
		t.Fatalf("core %v, want [%v]", core, a)
	}
	if got := s.Solve(ctx); got != sat.Unsat {
		t.Fatalf("without assumptions: %v", got)
	}
	s.Add(a)
	if got := s.Solve(ctx, b); got != sat.Unsat || len(s.Core()) != 0 {
		t.Fatalf("latched: %v, core %v", got, s.Core())
	}
}
