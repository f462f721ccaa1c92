package cdcl_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/sat/gini"
)

// TestFocusHard asks circuits, conjunctions of random clauses of three literals, for which
// the solver restarts, so that gates come to be decided beside the leaves in focus. Another
// solver gives the verdict; models are evaluated.
func TestFocusHard(t *testing.T) {
	const leaves, clauses = 130, 545
	answers := map[sat.Status]int{}
	long := 0
	for seed := range uint64(15) {
		rng := rand.New(rand.NewPCG(seed, 8))
		s, other := cdcl.New(), gini.New()
		var inputs, gates []sat.Lit
		fresh := func(to *[]sat.Lit) sat.Lit {
			l := s.NewVar()
			if other.NewVar() != l {
				t.Fatal("the solvers name variables differently")
			}
			*to = append(*to, l)
			return l
		}
		add := func(c ...sat.Lit) {
			s.Add(c...)
			other.Add(c...)
		}
		and := func(a, b sat.Lit) sat.Lit {
			g := fresh(&gates)
			add(g.Not(), a)
			add(g.Not(), b)
			add(g, a.Not(), b.Not())
			return g
		}
		for range leaves {
			fresh(&inputs)
		}
		var formula [][3]sat.Lit
		root := inputs[0]
		formula = append(formula, [3]sat.Lit{root, root, root})
		for range clauses {
			var c [3]sat.Lit
			for k := range c {
				c[k] = inputs[rng.IntN(leaves)] ^ sat.Lit(rng.IntN(2))
			}
			formula = append(formula, c)
			root = and(root, and(and(c[0].Not(), c[1].Not()), c[2].Not()).Not())
		}
		for range 4 {
			assumed := []sat.Lit{root}
			for range rng.IntN(3) {
				assumed = append(assumed, inputs[rng.IntN(leaves)]^sat.Lit(rng.IntN(2)))
			}
			before := s.Stats().Conflicts
			s.Focus(inputs, gates)
			status := s.Solve(context.Background(), assumed...)
			if s.Stats().Conflicts > before+100 {
				long++
			}
			if want := other.Solve(context.Background(), assumed...); status != want {
				t.Fatalf("seed %d: %v, want %v", seed, status, want)
			}
			answers[status]++
			if status != sat.Sat {
				continue
			}
			holds := func(l sat.Lit) bool { return s.Value(l) }
			for _, c := range formula {
				if !slices.ContainsFunc(c[:], holds) {
					t.Fatalf("seed %d: the model falsifies %v", seed, c)
				}
			}
			for _, l := range assumed[1:] {
				if !holds(l) {
					t.Fatalf("seed %d: the model falsifies %v", seed, l)
				}
			}
		}
	}
	if long < 20 || answers[sat.Sat] < 10 || answers[sat.Unsat] < 10 {
		t.Errorf("%v, %d queries with a restart: the circuits are too easy", answers, long)
	}
}
