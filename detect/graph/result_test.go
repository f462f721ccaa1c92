package graph

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// classes sorts generators by the vertices for which watch holds: two that move a
// common one are in one class.
func classes(r *Result, watch func(v int32) bool) [][]int {
	o := newOrbits(len(r.Orbit))
	at := make([]int32, len(r.Generators))
	for k, p := range r.Generators {
		at[k] = none
		for i, v := range p.Moved {
			if !watch(v) {
				continue
			}
			if at[k] == none {
				at[k] = v
			}
			o.union(at[k], v)
			o.union(at[k], p.Image[i])
		}
	}
	of := make(map[int32][]int)
	for k := range at {
		root := o.find(at[k])
		of[root] = append(of[root], k)
	}
	var all [][]int
	for _, c := range of {
		all = append(all, c)
	}
	return all
}

// TestOrderOf compares the orders of direct factors with what another method says of
// their generators: of graphs side by side, and of grids, whose rows and columns
// are exchanged independently, but move the same cells.
func TestOrderOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	several := 0
	check := func(g *Graph, watch func(v int32) bool) {
		t.Helper()
		r := mustSearch(t, g)
		parts := classes(r, watch)
		if len(parts) > 1 {
			several++
		}
		product := big.NewInt(1)
		for _, part := range parts {
			var gens []Perm
			for _, k := range part {
				gens = append(gens, r.Generators[k])
			}
			got := r.OrderOf(part)
			if want := generated(g.N(), gens); got.Cmp(want) != 0 {
				t.Fatalf("%s: order of a factor %v, want %v", dimacs(g), got, want)
			}
			product.Mul(product, got)
		}
		if product.Cmp(r.Order) != 0 {
			t.Fatalf("%s: the orders of the factors multiply to %v, that of the group is %v", dimacs(g), product, r.Order)
		}
	}
	for range 600 {
		var gs []*Graph
		for range 1 + rng.IntN(3) {
			gs = append(gs, randomGraph(rng, 2+rng.IntN(5), 1+rng.IntN(2), 0, rng.Float64()))
		}
		check(relabel(rng, union(gs...)), func(int32) bool { return true })
	}
	for range 60 {
		a, b := 2+rng.IntN(3), 2+rng.IntN(3)
		build := NewBuilder(0, 0)
		var rows, columns []int
		for range a {
			rows = append(rows, build.AddVertex(0))
		}
		for range b {
			columns = append(columns, build.AddVertex(1))
		}
		for _, x := range rows {
			for _, y := range columns {
				cell := build.AddVertex(2)
				build.AddEdge(x, cell)
				build.AddEdge(y, cell)
			}
		}
		g := must(build)
		check(g, func(v int32) bool { return int(v) < a+b })
	}
	if several < 200 {
		t.Errorf("only %d groups with several factors", several)
	}
}
