package rep_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"orbitmc/internal/testkit/reptest"
	"orbitmc/rep"
	"orbitmc/ts"
)

// latches returns a permutation of latches from its images.
func latches(images ...int) *ts.Perm {
	p := &ts.Perm{Name: fmt.Sprint(images)}
	for _, x := range images {
		p.Latch = append(p.Latch, ts.Lit(x)<<1)
	}
	return p
}

// rotations lists the rotations of n latches but for the identity, and with
// reflections those too.
func rotations(n int, reflected bool) []*ts.Perm {
	var all []*ts.Perm
	for _, sign := range []int{1, -1} {
		for k := range n {
			images := make([]int, n)
			for i := range images {
				images[i] = ((sign*i+k)%n + n) % n
			}
			if p := latches(images...); !p.IsIdentity() && (sign == 1 || reflected) {
				all = append(all, p)
			}
		}
	}
	return all
}

// states lists all states of n latches.
func states(n int) [][]bool {
	var all [][]bool
	for v := range 1 << n {
		s := make([]bool, n)
		for i := range s {
			s[i] = v>>i&1 == 1
		}
		all = append(all, s)
	}
	return all
}

// TestRings: the members of a ring leave one necklace of each orbit, its
// generators alone do not.
func TestRings(t *testing.T) {
	for _, c := range []struct {
		n, orbits int
		reflected bool
	}{{6, 14, false}, {6, 13, true}, {8, 36, false}, {8, 30, true}} {
		all := rotations(c.n, c.reflected)
		g := ts.Group{Name: "ring", Class: -1, Kind: "ring", Order: big.NewInt(int64(len(all) + 1)), Gens: []*ts.Perm{all[0]}, Members: all}
		if c.reflected {
			g.Gens = append(g.Gens, all[c.n-1])
		}
		y := &ts.Symmetry{Groups: []ts.Group{g}}
		if err := y.Check(&ts.System{Latches: make([]ts.Latch, c.n)}); err != nil {
			t.Fatal(err)
		}
		for _, set := range []rep.Set{rep.Nice, rep.Star, rep.All} {
			F := mustPerms(t, y, set)
			if got, orbits := reptest.Count(states(c.n), F, y.Generators(), nil); len(F) != len(all) || got != c.orbits || orbits != c.orbits {
				t.Errorf("%d: %v has %d permutations, %d representatives of %d orbits, want %d", c.n, set, len(F), got, orbits, c.orbits)
			}
		}
		// Generators only, when nothing else is known; the list of all is found.
		y.Groups[0].Members = nil
		if F := mustPerms(t, y, rep.Nice); len(F) != len(g.Gens) {
			t.Errorf("%d permutations, want the %d generators", len(F), len(g.Gens))
		}
		F := mustPerms(t, y, rep.All)
		if got, _ := reptest.Count(states(c.n), F, y.Generators(), nil); len(F) != len(all) || got != c.orbits {
			t.Errorf("all: %d permutations, %d representatives", len(F), got)
		}
		// A stabiliser chain of the ring is one transversal, or two with reflections.
		y.Groups[0].Transversals = [][]*ts.Perm{all[:c.n-1]}
		want := c.n - 1
		if c.reflected {
			y.Groups[0].Transversals = append(y.Groups[0].Transversals, all[c.n-1:c.n])
			want++
		}
		if err := y.Check(&ts.System{Latches: make([]ts.Latch, c.n)}); err != nil {
			t.Fatal(err)
		}
		if F := mustPerms(t, y, rep.Nice); len(F) != want {
			t.Errorf("%d permutations, want %d of the transversals", len(F), want)
		}
	}
}

// TestSemidirect: three components of two bits that can be exchanged in each:
// Sym(3) acts on the group of exchanges.
func TestSemidirect(t *testing.T) {
	var members []*ts.Perm
	for v := 1; v < 8; v++ {
		images := []int{0, 1, 2, 3, 4, 5}
		for i := range 3 {
			if v>>i&1 == 1 {
				images[2*i], images[2*i+1] = 2*i+1, 2*i
			}
		}
		members = append(members, latches(images...))
	}
	y := &ts.Symmetry{
		Blocks: []ts.Block{letters(3, 2, 0, 6)},
		Groups: []ts.Group{{Kind: "small", Class: -1, Order: big.NewInt(8), Gens: []*ts.Perm{members[0], members[1], members[3]}, Members: members}},
	}
	if y.Order().Int64() != 48 || len(y.Generators()) != 5 || y.Trivial() {
		t.Fatalf("order %v, %d generators", y.Order(), len(y.Generators()))
	}
	for _, listed := range []bool{true, false} {
		if !listed {
			y.Groups[0].Members = nil
		}
		F := mustPerms(t, y, rep.All)
		distinct := make(map[string]bool)
		for _, p := range F {
			distinct[fmt.Sprint(p.Latch)] = true
		}
		if len(F) != 47 || len(distinct) != 47 {
			t.Errorf("%d elements, %d distinct", len(F), len(distinct))
		}
		// Multisets of three of the three kinds of a pair: {00}, {01, 10}, {11}.
		if got, orbits := reptest.Count(states(6), F, y.Generators(), nil); got != 10 || orbits != 10 {
			t.Errorf("%d representatives of %d orbits, want 10", got, orbits)
		}
	}
	y.Groups[0].Members = members
	// Each of the two swaps with each of three generators, but for the first swap and
	// the bits of the last component, and the other way round.
	if F := mustPerms(t, y, rep.Nice); len(F) != 2+7+4 {
		t.Errorf("nice: %d permutations", len(F))
	}
	large := &ts.Symmetry{Groups: []ts.Group{{Order: big.NewInt(70000)}}}
	if _, err := rep.Perms(large, rep.All); err == nil {
		t.Error("a group of 70000 elements is listed")
	}
}

// TestProductsOfDisjoint: products of permutations that share no leaf are left
// out, and they would not have excluded a state. Others do.
func TestProductsOfDisjoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	excluded := 0
	for range 300 {
		image := func(off, n int) *ts.Perm {
			images := []int{0, 1, 2, 3, 4, 5, 6, 7}
			for i, j := range rng.Perm(n) {
				images[off+i] = off + j
			}
			p := latches(images...)
			for i := off; i < off+n; i++ {
				p.Latch[i] ^= ts.Lit(rng.IntN(2))
			}
			return p
		}
		p, q, r := image(0, 4), image(4, 4), image(2, 4)
		if p.IsIdentity() || q.IsIdentity() || r.IsIdentity() {
			continue
		}
		for _, s := range states(8) {
			two := reptest.Least(s, []*ts.Perm{p, q}, nil)
			if two && !reptest.Least(s, []*ts.Perm{p.Then(q)}, nil) {
				t.Fatalf("%v is least under %v and %v, not under their product", s, p, q)
			}
			if reptest.Least(s, []*ts.Perm{p, r}, nil) && !reptest.Least(s, []*ts.Perm{p.Then(r)}, nil) {
				excluded++
			}
		}
		y := &ts.Symmetry{Groups: []ts.Group{{Order: big.NewInt(2), Gens: []*ts.Perm{p}}, {Order: big.NewInt(2), Gens: []*ts.Perm{q}}}}
		if F := mustPerms(t, y, rep.Nice); len(F) != 2 {
			t.Fatalf("%d permutations", len(F))
		}
	}
	if excluded == 0 {
		t.Error("products exclude nothing at all")
	}
}
