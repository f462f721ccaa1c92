package gini_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/sat"
	"orbitmc/sat/gini"
	"orbitmc/sat/gophersat"
)

// A context that ended before is noticed without a search.
func TestEndedContext(t *testing.T) {
	s := gini.New()
	x := s.NewVar()
	ended, stop := context.WithCancel(context.Background())
	stop()
	for range 100 {
		if got := s.Solve(ended, x, x.Not()); got != sat.Unknown {
			t.Fatalf("got %v", got)
		}
	}
}

// Activation literals are used again: thousands of groups, one after the other
// and a few at a time, need as many hidden variables as were open at once.
func TestActivationLiteralsAreRecycled(t *testing.T) {
	s := gini.New()
	x, y := s.NewVar(), s.NewVar()
	before := s.Stats().Vars
	var open []sat.Group
	for i := range 5000 {
		g := s.Group()
		s.AddTo(g, x, y)
		s.AddTo(g, x.Not(), y)
		open = append(open, g)
		if got := s.Solve(context.Background(), y.Not()); got != sat.Unsat {
			t.Fatalf("round %d: %v", i, got)
		}
		if len(open) == 3 {
			for _, g := range open {
				s.Release(g)
			}
			open = open[:0]
			if got := s.Solve(context.Background(), y.Not()); got != sat.Sat {
				t.Fatalf("round %d, after Release: %v", i, got)
			}
		}
	}
	if after := s.Stats().Vars; after > before+3 {
		t.Errorf("%d variables before, %d after", before, after)
	}
}

// Conflicts, decisions and propagations are counted over all queries: a formula
// that takes search has some of each, one that does not has no conflicts.
func TestCounters(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	s := gini.New()
	x := s.NewVar()
	s.Solve(context.Background(), x)
	if st := s.Stats(); st.Conflicts != 0 {
		t.Errorf("one variable: %+v", st)
	}
	for range 60 {
		s.NewVar()
	}
	var last sat.Stats
	for range 3 {
		g := s.Group()
		for _, c := range random3SAT(rng, 60, 300) {
			s.AddTo(g, c...)
		}
		if got := s.Solve(context.Background()); got != sat.Unsat {
			t.Fatalf("got %v", got)
		}
		s.Release(g)
		st := s.Stats()
		if st.Conflicts <= last.Conflicts || st.Decisions <= last.Decisions || st.Propagations <= last.Propagations {
			t.Errorf("%+v after %+v", st, last)
		}
		last = st
	}
}

// random3SAT returns n random clauses of three distinct variables of 1..vars.
func random3SAT(rng *rand.Rand, vars, n int) [][]sat.Lit {
	clauses := make([][]sat.Lit, n)
	for i := range clauses {
		for _, v := range rng.Perm(vars)[:3] {
			clauses[i] = append(clauses[i], sat.MkLit(v+1, rng.IntN(2) == 1))
		}
	}
	return clauses
}

// Hundreds of queries near the threshold with groups that come and go: learned
// clauses are reduced and the clause store is compacted many times. Models are
// evaluated; each Unsat is proved by the other back end from the core alone.
func TestAgainstGophersat(t *testing.T) {
	type open struct {
		id      sat.Group
		clauses [][]sat.Lit
	}
	const vars = 130
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	count := map[sat.Status]int{}
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := gini.New()
		for range vars {
			s.NewVar()
		}
		fixed := random3SAT(rng, vars, 34*vars/10)
		for _, c := range fixed {
			s.Add(c...)
		}
		var groups []open
		for round := range 80 {
			if len(groups) == 3 {
				i := rng.IntN(3)
				s.Release(groups[i].id)
				groups = slices.Delete(groups, i, i+1)
			}
			g := open{s.Group(), random3SAT(rng, vars, 3*vars/10)}
			for _, c := range g.clauses {
				s.AddTo(g.id, c...)
			}
			groups = append(groups, g)
			if round%40 == 20 {
				c := random3SAT(rng, vars, 1)[0]
				s.Add(c...)
				fixed = append(fixed, c)
			}
			var assumptions []sat.Lit
			for range rng.IntN(5) {
				assumptions = append(assumptions, sat.MkLit(1+rng.IntN(vars), rng.IntN(2) == 1))
			}

			f := &sat.CNF{NumVars: vars, Clauses: slices.Clone(fixed)}
			for _, g := range groups {
				f.Clauses = append(f.Clauses, g.clauses...)
			}
			answer := s.Solve(ctx, assumptions...)
			count[answer]++
			switch answer {
			case sat.Sat:
				for _, c := range append(f.Clauses, each(assumptions)...) {
					if !slices.ContainsFunc(c, s.Value) {
						t.Fatalf("seed %d round %d: the model falsifies %v", seed, round, c)
					}
				}
			case sat.Unsat:
				core := s.Core()
				for _, l := range core {
					if !slices.Contains(assumptions, l) {
						t.Fatalf("seed %d round %d: core literal %v was not assumed", seed, round, l)
					}
				}
				proved, err := gophersat.Check(ctx, f, core...)
				if err != nil || proved.Status != sat.Unsat {
					t.Fatalf("seed %d round %d: unsat with core %v, the other says %v, %v", seed, round, core, proved.Status, err)
				}
			default:
				t.Fatalf("seed %d round %d: %v", seed, round, answer)
			}
		}
	}
	if count[sat.Sat] < 20 || count[sat.Unsat] < 20 {
		t.Errorf("one-sided: %v", count)
	}
	t.Log(count)
}

// each turns literals into unit clauses.
func each(lits []sat.Lit) (clauses [][]sat.Lit) {
	for _, l := range lits {
		clauses = append(clauses, []sat.Lit{l})
	}
	return clauses
}
