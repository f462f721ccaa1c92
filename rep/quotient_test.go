package rep_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/testkit/reptest"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/rep"
	"orbitmc/ts"
)

// TestRandomSystemsAreSymmetric: what the tests of this package stand on.
func TestRandomSystemsAreSymmetric(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	groups := reptest.Groups()
	violated, depths := 0, make(map[int]int)
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		y := groups[name]
		for range 10 {
			s := reptest.System(r, y)
			if err := tstest.Check(s); err != nil {
				t.Fatal(err)
			}
			if err := y.Check(s); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, p := range mustPerms(t, y, rep.All) {
				if !reptest.Symmetric(r, s, p) {
					t.Fatalf("%s: %v is no symmetry", name, p)
				}
			}
			if d := reptest.Explore(s).Depth; d >= 0 {
				violated++
				depths[d]++
			}
		}
	}
	if violated < 40 || len(depths) < 3 {
		t.Errorf("%d violated, at depths %v", violated, depths)
	}
}

// orbits returns the orbits that states lie in, by their least members.
func orbits(states [][]bool, group []*ts.Perm) map[string]bool {
	out := make(map[string]bool)
	for _, s := range states {
		least := reptest.Key(s)
		for _, p := range group {
			least = min(least, reptest.Key(ts.Apply(p.Latch, s)))
		}
		out[least] = true
	}
	return out
}

// TestQuotient: the quotient reaches the orbits that the system reaches, violates
// its bad at the same depth, and its traces come back as traces of the system.
func TestQuotient(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	groups := reptest.Groups()
	smaller := 0
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		y := groups[name]
		group := mustPerms(t, y, rep.All)
		for range 12 {
			s := reptest.System(r, y)
			var order []int
			if r.IntN(2) == 0 {
				order = r.Perm(len(s.Latches))
			}
			q, lift := rep.Quotient(s, y, order)
			if err := tstest.Check(q); err != nil {
				t.Fatal(err)
			}
			a, b := reptest.Explore(s), reptest.Explore(q)
			if a.Depth != b.Depth {
				t.Fatalf("%s: violated at depth %d, in the quotient at %d", name, a.Depth, b.Depth)
			}
			if !maps.Equal(orbits(a.States, group), orbits(b.States, group)) {
				t.Fatalf("%s: other orbits are reached", name)
			}
			if len(b.States) < len(a.States) {
				smaller++
			}
			if len(b.States) > len(a.States) {
				t.Errorf("%s: %d states, in the quotient %d", name, len(a.States), len(b.States))
			}
			for range 8 {
				tr := randomTrace(r, s, 1+r.IntN(8))
				up, err := lift(tr)
				if err != nil {
					t.Fatal(err)
				}
				below, err := q.Run(tr)
				if err != nil {
					t.Fatal(err)
				}
				above, err := s.Run(up)
				if err != nil {
					t.Fatal(err)
				}
				for k := range below {
					if below[k].Constraints != above[k].Constraints || !slices.Equal(below[k].Bads, above[k].Bads) ||
						!maps.Equal(orbits([][]bool{below[k].State}, group), orbits([][]bool{above[k].State}, group)) {
						t.Fatalf("%s: frame %d: %+v is lifted to %+v", name, k, below[k], above[k])
					}
				}
			}
		}
	}
	if smaller < 50 {
		t.Errorf("only %d quotients are smaller", smaller)
	}
	s, y := token()
	_, lift := rep.Quotient(s, y, nil)
	for _, tr := range []*ts.Trace{{}, {Init: []bool{true}}, {Init: []bool{true}, Inputs: [][]bool{{true}}}} {
		if _, err := lift(tr); err == nil {
			t.Errorf("%+v is lifted", tr)
		}
	}
}

func randomTrace(r *rand.Rand, s *ts.System, frames int) *ts.Trace {
	bits := func(n int) []bool {
		b := make([]bool, n)
		for i := range b {
			b[i] = r.IntN(2) == 0
		}
		return b
	}
	t := &ts.Trace{Init: bits(len(s.Init))}
	for range frames {
		t.Inputs = append(t.Inputs, bits(len(s.Inputs)))
	}
	return t
}

// TestQuotientNeedsInvariantBads: by a group that does not keep the bad the
// quotient is wrong.
func TestQuotientNeedsInvariantBads(t *testing.T) {
	s, y := token()
	s.Bads[0].Lit = s.LatchLit(0) // the first row has the token, not any
	q, _ := rep.Quotient(s, y, nil)
	if a, b := reptest.Explore(s).Depth, reptest.Explore(q).Depth; a != 0 || b != -1 {
		t.Errorf("violated at depth %d, in the quotient at %d; want 0 and -1", a, b)
	}
}

// TestRepOnQuotient: Rep_F may hold in every frame of a quotient only if it holds
// of all results of canon. Of pointer arrays it does not under all permutations,
// and then states are lost; of rows it does.
func TestRepOnQuotient(t *testing.T) {
	for _, c := range []struct {
		name  string
		y     *ts.Symmetry
		n     int
		set   rep.Set
		valid bool
	}{
		{"rows", &ts.Symmetry{Blocks: []ts.Block{letters(3, 2, 0, 6)}}, 6, rep.All, true},
		{"pointers", pointers(3, 0), 9, rep.All, false},
		{"ring", &ts.Symmetry{Groups: reptest.Groups()["ring"].Groups}, 6, rep.Nice, true},
	} {
		g := aig.New()
		x := leaves(g, c.n)
		F := mustPerms(t, c.y, c.set)
		canon := rep.NewCanon(c.y, nil)
		holds := reptest.Predicate(g, canon.Circuit(g, x), F)
		valid := true
		var lost []bool
		valuations(g, x, func(s []bool, value func(aig.Lit) bool) {
			if !value(holds) {
				valid, lost = false, slices.Clone(s)
			}
		})
		if valid != c.valid {
			t.Errorf("%s: Rep of canon is valid: %v, want %v", c.name, valid, c.valid)
		}
		if lost == nil {
			continue
		}
		// A system that starts in the state that is lost, and is bad there and in its images.
		s := &ts.System{G: aig.New(), W: aig.True}
		var here []aig.Lit
		for i, v := range lost {
			l := s.G.Input()
			s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint(i), Node: l.Node(), Reset: aig.False.NotIf(v), Next: l})
			here = append(here, l)
		}
		var images []aig.Lit
		for _, u := range orbit(lost, c.y.Generators()) {
			var same []aig.Lit
			for i, l := range here {
				same = append(same, l.NotIf(!u[i]))
			}
			images = append(images, s.G.AndN(same))
		}
		s.Bads = []ts.Bad{{Name: "bad", Lit: s.G.OrN(images)}}
		q, _ := rep.Quotient(s, c.y, nil)
		if d := reptest.Explore(q).Depth; d != 0 {
			t.Errorf("%s: violated at depth %d, want 0", c.name, d)
		}
		state := make([]aig.Lit, c.n)
		for i := range state {
			state[i] = q.LatchLit(i)
		}
		q.Constraints = append(q.Constraints, reptest.Predicate(q.G, state, F))
		if d := reptest.Explore(q).Depth; d != -1 {
			t.Errorf("%s: with Rep in every frame violated at depth %d, want a miss", c.name, d)
		}
	}
}
