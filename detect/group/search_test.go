package group

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSearch compares with all elements of small random groups.
func TestSearch(t *testing.T) {
	found, none := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 3 + rng.IntN(4)
		var gens []Perm
		for range 1 + rng.IntN(2) {
			var p Perm
			for _, i := range rng.Perm(n) {
				p = append(p, int32(i))
			}
			gens = append(gens, p)
		}
		g, err := New(n, gens, nil)
		if err != nil {
			t.Fatal(err)
		}
		all := g.Elements(1000)
		for range 10 {
			var points []int32
			for _, i := range rng.Perm(n)[:1+rng.IntN(n)] {
				points = append(points, int32(i))
			}
			fit := make([]bool, n)
			for i := range fit {
				fit[i] = rng.IntN(4) > 0
			}
			fits := func(q int32) bool { return fit[q] }
			takes := func(p Perm) bool {
				return !slices.ContainsFunc(points, func(i int32) bool { return !fit[p[i]] })
			}
			p, done := g.Search(points).Find(fits, 1<<20)
			switch want := slices.ContainsFunc(all, takes); {
			case !done || (p != nil) != want:
				t.Fatalf("seed %d: %v, %v; there is one: %v", seed, p, done, want)
			case p == nil:
				none++
			case !takes(p) || !contains(g, p):
				t.Fatalf("seed %d: %v", seed, p)
			default:
				found++
				if q, done := g.Search(points).Find(fits, 0); q != nil || done {
					t.Fatalf("seed %d: without a budget: %v, %v", seed, q, done)
				}
			}
		}
	}
	if found < 500 || none < 500 {
		t.Errorf("%d found, %d not", found, none)
	}
}
