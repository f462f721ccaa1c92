package bmc

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/internal/testkit/reptest"
	"orbitmc/rep"
	"orbitmc/sat"
	"orbitmc/sat/gini"
	"orbitmc/ts"
)

// TestOneInstance: on random systems, the images of the instance under the group
// are together the whole property, and each permutation that is kept keeps it.
func TestOneInstance(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	groups := reptest.Groups()
	some, kept := 0, 0
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		y := groups[name]
		all, err := rep.Perms(y, rep.All)
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			s := reptest.System(r, y)
			bad := s.Bads[0].Lit
			instance, F, ok := oneInstance(s, bad, y, all)
			if !ok {
				continue
			}
			some, kept = some+1, kept+len(F)
			holds := func(e *ts.Evaluator, x, in []bool) bool {
				e.Set(x, in)
				return !slices.ContainsFunc(instance, func(l aig.Lit) bool { return !e.Value(l) })
			}
			e, f := ts.NewEvaluator(s), ts.NewEvaluator(s)
			for range 300 {
				x, in := make([]bool, len(s.Latches)), make([]bool, len(s.Inputs))
				for i := range x {
					x[i], in[i] = r.IntN(2) == 0, r.IntN(2) == 0
				}
				own := holds(e, x, in)
				image := own
				for _, p := range all {
					image = image || holds(f, ts.Apply(p.Latch, x), ts.Apply(p.Input, in))
				}
				if image != e.Value(bad) {
					t.Fatalf("%s: the bad is %v, an image of the instance %v", name, e.Value(bad), image)
				}
				for _, p := range F {
					if holds(f, ts.Apply(p.Latch, x), ts.Apply(p.Input, in)) != own {
						t.Fatalf("%s: %v does not keep the instance", name, p)
					}
				}
			}
		}
	}
	if some < 40 || kept == 0 {
		t.Errorf("%d instances, %d permutations keep them", some, kept)
	}
}

// TestInstanceNeedsItsStabiliser: one instance under permutations that do not keep
// it is missed (rule 6).
func TestInstanceNeedsItsStabiliser(t *testing.T) {
	// Of three rows one may be set, in the first step; it is bad that one is.
	g := aig.NewPlain()
	s := &ts.System{G: g, W: aig.True}
	x, y := make([]aig.Lit, 3), make([]aig.Lit, 3)
	for i := range x {
		x[i], y[i] = g.Input(), g.Input()
	}
	for i := range x {
		others := []aig.Lit{y[(i+1)%3].Not(), y[(i+2)%3].Not(), y[i], g.OrN(x).Not()}
		s.Latches = append(s.Latches, ts.Latch{Name: "x", Node: x[i].Node(), Next: g.Or(x[i], g.AndN(others))})
		s.Inputs = append(s.Inputs, ts.Signal{Name: "y", Node: y[i].Node()})
	}
	s.Bads = []ts.Bad{{Name: "bad", Lit: g.OrN(x)}}
	b := ts.Block{Name: "ROW", Elems: []int{0, 1, 2}}
	for i := range 2 {
		p := ts.Identity(s)
		p.Latch[i], p.Latch[i+1] = p.Latch[i+1], p.Latch[i]
		p.Input[i], p.Input[i+1] = p.Input[i+1], p.Input[i]
		b.Swaps = append(b.Swaps, p)
	}
	sym := &ts.Symmetry{Blocks: []ts.Block{b}}
	instance, kept, ok := oneInstance(s, s.Bads[0].Lit, sym, b.Swaps)
	if !ok || len(kept) != 1 || kept[0] != b.Swaps[0] || !slices.Equal(instance, x[2:]) {
		t.Fatalf("%v, %v, kept %v", instance, ok, kept)
	}
	// The least image of a state with one bit has it last: row 2 is the wrong one.
	first := []aig.Lit{x[0]}
	for _, c := range []struct {
		instance []aig.Lit
		F        []*ts.Perm
		want     sat.Status
	}{{instance, nil, sat.Sat}, {instance, kept, sat.Sat}, {first, nil, sat.Sat}, {first, b.Swaps[1:], sat.Sat}, {first, b.Swaps, sat.Unsat}} {
		f := cnf.NewFrames(s, false)
		f.Extend()
		f.Extend()
		solver := gini.New()
		cnf := cnf.New(f.Graph(), solver)
		cnf.Assert(f.Copy(1, c.instance[0]))
		cnf.Assert(reptest.Predicate(f.Graph(), f.Latches(1), c.F))
		if got := solver.Solve(context.Background()); got != c.want {
			t.Errorf("under %d permutations: %v, want %v", len(c.F), got, c.want)
		}
	}
	// Instances that the group does not take to each other are no instances.
	if _, _, ok := oneInstance(s, g.Or(x[0], y[1]), sym, b.Swaps); ok {
		t.Error("a latch and an input are instances of each other")
	}
}
