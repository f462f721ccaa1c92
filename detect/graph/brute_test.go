package graph

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// bruteGroup lists all automorphisms of a graph of few vertices by trying all
// images of vertex after vertex.
func bruteGroup(g *Graph) [][]int {
	n := g.N()
	var all [][]int
	image := make([]int, 0, n)
	used := make([]bool, n)
	var extend func()
	extend = func() {
		v := len(image)
		if v == n {
			all = append(all, append([]int(nil), image...))
			return
		}
	next:
		for w := range n {
			if used[w] || g.Colour(v) != g.Colour(w) || g.HasEdge(v, v) != g.HasEdge(w, w) {
				continue
			}
			for u := range v {
				if g.HasEdge(u, v) != g.HasEdge(image[u], w) {
					continue next
				}
			}
			used[w] = true
			image = append(image, w)
			extend()
			image = image[:v]
			used[w] = false
		}
	}
	extend()
	return all
}

func mustSearch(t testing.TB, g *Graph) *Result {
	t.Helper()
	r, err := Search(context.Background(), g)
	if err != nil || !r.Complete {
		t.Fatalf("search: complete %v, error %v", r.Complete, err)
	}
	return r
}

// checkResult applies every generator and holds the orbits against them.
func checkResult(t testing.TB, g *Graph, r *Result) {
	t.Helper()
	o := newOrbits(g.N())
	for k, p := range r.Generators {
		if len(p.Moved) == 0 {
			t.Fatalf("generator %d is the identity", k)
		}
		if err := checkAutomorphism(g, p); err != nil {
			t.Fatalf("generator %d: %v", k, err)
		}
		for n, v := range p.Moved {
			o.union(v, p.Image[n])
		}
	}
	first := map[int32]int32{}
	for v := range g.N() {
		root := o.find(int32(v))
		if _, ok := first[root]; !ok {
			first[root] = int32(v)
		}
		if r.Orbit[v] != first[root] {
			t.Fatalf("orbit of %d starts with %d, not %d", v, r.Orbit[v], first[root])
		}
	}
	if len(r.Generators) >= max(1, g.N()) {
		t.Fatalf("%d generators on %d vertices", len(r.Generators), g.N())
	}
}

func randomGraph(rng *rand.Rand, n, colours, loops int, density float64) *Graph {
	b := NewBuilder(n, 0)
	for v := range n {
		b.SetColour(v, rng.IntN(colours)*7-3)
		if loops > 0 && rng.IntN(loops) == 0 {
			b.AddEdge(v, v)
		}
		for u := range v {
			if rng.Float64() < density {
				b.AddEdge(u, v)
			}
		}
	}
	g, err := b.Graph()
	if err != nil {
		panic(err)
	}
	return g
}

// TestBruteForce compares order, generated group and orbits with all automorphisms listed, on
// random graphs, random unions of copies, and complements.
func TestBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	nontrivial := 0
	for k := range 6000 {
		n := rng.IntN(9)
		if k == 0 {
			n = 0
		}
		loops := 0
		if rng.IntN(4) == 0 {
			loops = 2
		}
		g := randomGraph(rng, n, 1+rng.IntN(3), loops, rng.Float64())
		if n > 1 && n <= 4 && rng.IntN(2) == 0 {
			g = relabel(rng, union(g, g))
		}
		r := mustSearch(t, g)
		checkResult(t, g, r)
		all := bruteGroup(g)
		if r.Order.Cmp(big.NewInt(int64(len(all)))) != 0 {
			t.Fatalf("graph %d: order %v, brute force %d\n%s", k, r.Order, len(all), dimacs(g))
		}
		if got := generated(g.N(), r.Generators); got.Cmp(r.Order) != 0 {
			t.Fatalf("graph %d: generators generate %v of %d\n%s", k, got, len(all), dimacs(g))
		}
		for v := range n {
			least := v
			for _, p := range all {
				least = min(least, p[v])
			}
			if int(r.Orbit[v]) != least {
				t.Fatalf("graph %d: orbit of %d starts with %d, not %d\n%s", k, v, r.Orbit[v], least, dimacs(g))
			}
		}
		if len(all) > 1 {
			nontrivial++
		}
	}
	if nontrivial < 2000 {
		t.Errorf("only %d graphs with symmetries", nontrivial)
	}
}

// checkAutomorphism returns nil if p is an automorphism of g, and otherwise an
// error that names a vertex or an edge which refutes it. It takes time
// proportional to the neighbourhoods of the moved vertices.
func checkAutomorphism(g *Graph, p Perm) error {
	if len(p.Moved) != len(p.Image) {
		return fmt.Errorf("graph: %d moved vertices and %d images", len(p.Moved), len(p.Image))
	}
	for k, v := range p.Moved {
		if v < 0 || int(v) >= g.N() || k > 0 && p.Moved[k-1] >= v {
			return fmt.Errorf("graph: moved vertex %d out of order or out of range", v)
		}
		if p.Image[k] == v {
			return fmt.Errorf("graph: vertex %d is listed as moved and is fixed", v)
		}
	}
	images := slices.Clone(p.Image)
	slices.Sort(images)
	if !slices.Equal(images, p.Moved) {
		return fmt.Errorf("graph: images are not a permutation of the moved vertices")
	}
	for k, v := range p.Moved {
		w := int(p.Image[k])
		if g.colour[v] != g.colour[w] {
			return fmt.Errorf("graph: vertex %d of colour %d goes to %d of colour %d", v, g.colour[v], w, g.colour[w])
		}
		if len(g.Neighbours(int(v))) != len(g.Neighbours(w)) {
			return fmt.Errorf("graph: vertex %d goes to %d of another degree", v, w)
		}
		for _, u := range g.Neighbours(int(v)) {
			if !g.HasEdge(w, p.Apply(int(u))) {
				return fmt.Errorf("graph: edge %d-%d goes to %d-%d, which is no edge", v, u, w, p.Apply(int(u)))
			}
		}
	}
	return nil
}
