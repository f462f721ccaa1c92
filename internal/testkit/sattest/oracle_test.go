package sattest

import (
	"math/rand/v2"
	"testing"

	"orbitmc/sat"
)

// The truth table agrees with evaluating each clause under each assignment.
func TestOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	for range 20 {
		var clauses [][]sat.Lit
		s := all()
		for range 1 + rng.IntN(8) {
			var c []sat.Lit
			for range rng.IntN(5) {
				c = append(c, sat.MkLit(1+rng.IntN(maxVars), rng.IntN(2) == 1))
			}
			clauses = append(clauses, c)
			s.require(c)
		}
		some := false
		for a := range 1 << maxVars {
			want := true
			for _, c := range clauses {
				true_ := false
				for _, l := range c {
					true_ = true_ || (a>>(l.Var()-1)&1 == 1) != l.Neg()
				}
				want = want && true_
			}
			some = some || want
			if s.has(a) != want {
				t.Fatalf("%v under %b: %v, want %v", clauses, a, s.has(a), want)
			}
		}
		if s.empty() == some {
			t.Fatalf("%v: empty %v", clauses, s.empty())
		}
	}
}

// Shrinking keeps what fails and drops the rest, literals included.
func TestShrink(t *testing.T) {
	lit := func(n int) sat.Lit { return sat.MkLit(max(n, -n), n < 0) }
	prog := []op{{kind: newVar}, {kind: group}, {kind: newVar}, {kind: solve, cancel: idle},
		{kind: add, lits: []sat.Lit{lit(1), lit(-2), lit(2)}}, {kind: inspect}, {kind: solve, lits: []sat.Lit{lit(1), lit(2)}}}
	fails := func(p []op) bool { // Add with -2 before a Solve under 2
		seen := false
		for _, o := range p {
			for _, l := range o.lits {
				seen = seen || o.kind == add && l == lit(-2)
				if seen && o.kind == solve && l == lit(2) {
					return true
				}
			}
		}
		return false
	}
	got := shrink(prog, 1000, fails)
	if len(got) != 2 || got[0].kind != add || len(got[0].lits) != 1 || len(got[1].lits) != 1 || !fails(got) {
		t.Errorf("shrunk to %v", got)
	}
}
