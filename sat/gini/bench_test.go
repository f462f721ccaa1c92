package gini_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"orbitmc/sat"
	"orbitmc/sat/gini"
)

// BenchmarkQueries asks small questions in the manner of PDR: each opens a
// group with one clause, assumes forty literals and releases the group; every
// fiftieth adds a clause for good. With a context that can end, and without.
func BenchmarkQueries(b *testing.B) {
	idle, stop := context.WithCancel(context.Background())
	defer stop()
	for _, c := range []struct {
		name string
		vars int
		ctx  context.Context
	}{
		{"vars=50/ctx=background", 50, context.Background()},
		{"vars=50/ctx=cancellable", 50, idle},
		{"vars=2000/ctx=background", 2000, context.Background()},
		{"vars=2000/ctx=cancellable", 2000, idle},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			rng := rand.New(rand.NewPCG(1, 0))
			s := gini.New()
			for range c.vars {
				s.NewVar()
			}
			for _, clause := range random3SAT(rng, c.vars, 2*c.vars) {
				s.Add(clause...)
			}
			clauses := random3SAT(rng, c.vars, 1000)
			assumptions := random3SAT(rng, c.vars, 1000)
			for i := range assumptions {
				for range 37 {
					assumptions[i] = append(assumptions[i], sat.MkLit(1+rng.IntN(c.vars), rng.IntN(2) == 1))
				}
			}
			count := map[sat.Status]int{}
			for i := 0; b.Loop(); i++ {
				g := s.Group()
				s.AddTo(g, clauses[i%1000]...)
				n := 40
				if i%2 == 0 {
					n = 5
				}
				count[s.Solve(c.ctx, assumptions[(i*7)%1000][:n]...)]++
				s.Release(g)
				if i%50 == 0 && i < 5000 {
					s.Add(append([]sat.Lit{clauses[i%1000][0]}, assumptions[i%1000][:3]...)...)
				}
			}
			b.ReportMetric(float64(count[sat.Unsat])/float64(b.N), "unsat/op")
		})
	}
}

// BenchmarkRandom3SAT decides one formula at the threshold.
func BenchmarkRandom3SAT(b *testing.B) {
	rng := rand.New(rand.NewPCG(2, 0))
	clauses := random3SAT(rng, 180, 767)
	for b.Loop() {
		s := gini.New()
		for range 180 {
			s.NewVar()
		}
		for _, c := range clauses {
			s.Add(c...)
		}
		if got := s.Solve(context.Background()); got != sat.Unsat {
			b.Fatal(got)
		}
	}
}
