package aig

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// reach is the cone by its definition, as a fixpoint.
func reach(g *Graph, roots []Lit) map[int]bool {
	in := map[int]bool{}
	for _, r := range roots {
		in[r.Node()] = true
	}
	for grown := true; grown; {
		grown = false
		for i := range g.Len() {
			if in[i] && g.IsAnd(i) {
				a, b := g.Fanins(i)
				grown = grown || !in[a.Node()] || !in[b.Node()]
				in[a.Node()], in[b.Node()] = true, true
			}
		}
	}
	return in
}

func TestCones(t *testing.T) {
	eachSoup(t, 100, func(t *testing.T, s *soup, r *rand.Rand) {
		g := s.g
		var roots []Lit
		for range r.IntN(4) {
			l, _ := s.pick(r.IntN(1000))
			roots = append(roots, l)
		}
		in := reach(g, roots)
		var cone, support []int
		counts := make([]uint32, g.Len())
		for i := range g.Len() {
			if !in[i] {
				continue
			}
			cone = append(cone, i)
			if g.IsInput(i) {
				support = append(support, i)
			}
			if g.IsAnd(i) {
				a, b := g.Fanins(i)
				counts[a.Node()]++
				counts[b.Node()]++
			}
		}
		for _, r := range roots {
			counts[r.Node()]++
		}
		if got := g.Cone(roots); !slices.Equal(got, cone) {
			t.Errorf("cone of %v is %v, want %v", roots, got, cone)
		}
		if got := g.Support(roots); !slices.Equal(got, support) {
			t.Errorf("support of %v is %v, want %v", roots, got, support)
		}
		if got := g.FanoutCounts(roots); !slices.Equal(got, counts) {
			t.Errorf("fan-out counts of %v are %v, want %v", roots, got, counts)
		}
	})
}

func TestConjuncts(t *testing.T) {
	eachSoup(t, 200, func(t *testing.T, s *soup, r *rand.Rand) {
		g, ts := s.g, tables(s.g, leafTables[:])
		root, want := s.pick(r.IntN(1000))
		counts := g.FanoutCounts([]Lit{root})
		c := NewConjuncter(g)
		for _, shared := range []func(int) bool{nil, func(i int) bool { return counts[i] > 1 }} {
			ls := g.Conjuncts(root, shared, []Lit{True})
			if got := c.Conjuncts(root, shared, []Lit{True}); !slices.Equal(got, ls) {
				t.Errorf("conjuncts of %v are %v by a conjuncter, want %v", root, got, ls)
			}
			if ls[0] != True || len(ls) < 2 {
				t.Fatalf("conjuncts of %v: %v", root, ls)
			}
			and, seen := ^uint64(0), map[Lit]bool{}
			for _, l := range ls[1:] {
				and &= value(ts, l)
				if seen[l] {
					t.Errorf("conjuncts of %v: %v occurs twice", root, l)
				}
				seen[l] = true
				if l != root && !l.Neg() && g.IsAnd(l.Node()) && (shared == nil || !shared(l.Node())) {
					t.Errorf("conjuncts of %v: %v is a conjunction", root, l)
				}
			}
			if and != want {
				t.Errorf("conjuncts of %v are %v: conjunction %x, want %x", root, ls, and, want)
			}
		}
	})
	g := NewPlain()
	a, b, c := g.Input(), g.Input(), g.Input()
	ab := g.And(a, b)
	root := g.And(g.And(ab, c), g.And(ab, a)^1)
	if got, want := g.Conjuncts(root, nil, nil), []Lit{c, a, b, g.And(ab, a) ^ 1}; !slices.Equal(got, want) {
		t.Errorf("conjuncts %v, want %v", got, want)
	}
	shared := func(i int) bool { return i == ab.Node() || i == root.Node() }
	if got, want := g.Conjuncts(root, shared, nil), []Lit{c, ab, g.And(ab, a) ^ 1}; !slices.Equal(got, want) {
		t.Errorf("conjuncts %v, want %v", got, want)
	}
	if got := g.Conjuncts(root^1, nil, nil); !slices.Equal(got, []Lit{root ^ 1}) {
		t.Errorf("conjuncts of a complemented root: %v", got)
	}
}
