package certify_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/certify"
	"orbitmc/internal/pdr/klive"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/ts"
)

// justiceOf returns the problem of a system with one justice property.
func justiceOf(sys *ts.System, lits, fair []aig.Lit) *mc.Problem {
	own := *sys
	own.Bads = nil
	l := ts.NewLassos(&own, []ts.Justice{{Name: "live", Lits: lits}}, fair)
	p := mc.NewNetlist(l.Sys, l)
	p.Props, p.WellFormed = []int{0}, true
	return p
}

// toggles is two cells, each changes when its input says so; the first starts at 1.
func toggles() (sys *ts.System, cells, change []aig.Lit) {
	g := aig.NewPlain()
	sys = &ts.System{G: g, W: aig.True}
	for i := range 2 {
		x, y := g.Input(), g.Input()
		cells, change = append(cells, x), append(change, y)
		sys.Latches = append(sys.Latches, ts.Latch{Node: x.Node(), Reset: aig.False, Next: g.Or(x, y)})
		sys.Inputs = append(sys.Inputs, ts.Signal{Node: y.Node()})
		_ = i
	}
	return sys, cells, change
}

// TestCounted: proofs of rounds are accepted, and only for what they are about.
func TestCounted(t *testing.T) {
	proofs, refused := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 8))
		sys := tstest.RandomOf(rng, 2).Sys
		g := sys.G
		var leaves []aig.Lit
		for i := range sys.Latches {
			leaves = append(leaves, sys.LatchLit(i))
		}
		for i := range sys.Inputs {
			leaves = append(leaves, sys.InputLit(i))
		}
		pick := func() aig.Lit { return leaves[rng.IntN(len(leaves))].NotIf(rng.IntN(2) == 0) }
		lits, fair := []aig.Lit{pick(), g.And(pick(), pick())}, []aig.Lit{g.And(pick(), pick()), pick()}
		p := justiceOf(sys, lits, fair)
		if rng.IntN(2) == 0 {
			p.Clean()
		}
		e := &klive.Engine{NewSolver: func() sat.Solver { return cdcl.New() }}
		r, err := e.Run(t.Context(), p, mc.Options{MaxDepth: 6})
		if err != nil {
			t.Fatal(err)
		}
		if err := certify.Verify(t.Context(), p, r); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r.Props[0].Status != mc.Safe {
			// No proof at all is right: not that of a system whose tracker or fairness is forgotten.
			for _, q := range []*mc.Problem{justiceOf(sys, []aig.Lit{g.AndN(slices.Concat(lits, fair))}, nil), justiceOf(sys, append(lits, aig.False), fair)} {
				r, err := e.Run(t.Context(), q, mc.Options{MaxDepth: 2})
				if err != nil {
					t.Fatal(err)
				}
				if r.Props[0].Status == mc.Safe {
					if _, err := certify.New(t.Context(), p).Check(r.Props[0].Proof, 0); err == nil {
						t.Errorf("seed %d: the proof of another system is accepted", seed)
					}
					refused++
				}
			}
			continue
		}
		proofs++
		without := justiceOf(sys, lits, nil)
		s, err := e.Run(t.Context(), without, mc.Options{MaxDepth: 4})
		if err != nil {
			t.Fatal(err)
		}
		if s.Props[0].Status != mc.Safe {
			if _, err := certify.New(t.Context(), without).Check(r.Props[0].Proof, 0); err == nil {
				t.Errorf("seed %d: a proof that needs fairness is accepted without", seed)
			}
			refused++
		}
	}
	if proofs < 10 || refused < 10 {
		t.Errorf("%d proofs, %d refused", proofs, refused)
	}
}

// TestCountedGroup: a permutation that does not keep the set of conditions is refused, although it is
// a symmetry of the system without them.
func TestCountedGroup(t *testing.T) {
	sys, cells, change := toggles()
	p := justiceOf(sys, []aig.Lit{cells[0].Not(), change[0]}, nil)
	r, err := (&klive.Engine{NewSolver: func() sat.Solver { return cdcl.New() }}).Run(t.Context(), p, mc.Options{})
	if err != nil || r.Props[0].Status != mc.Safe {
		t.Fatal(err, r.Props[0].Status)
	}
	f := *r.Props[0].Proof
	if _, err := certify.New(t.Context(), p).Check(&f, 0); err != nil {
		t.Fatal(err)
	}
	swap := ts.Identity(p.Counting(0, f.Rounds).System())
	swap.Latch[0], swap.Latch[1] = swap.Latch[1], swap.Latch[0]
	swap.Input[0], swap.Input[1] = swap.Input[1], swap.Input[0]
	f.Group = &ts.Symmetry{Blocks: []ts.Block{{Class: -1, Elems: []int{0, 1}, Swaps: []*ts.Perm{swap}}}}
	if _, err := certify.New(t.Context(), p).Check(&f, 0); err == nil {
		t.Error("a permutation that moves the conditions is accepted")
	}
	// With the conditions of both cells the set is kept, if the tracker is moved along.
	both := justiceOf(sys, []aig.Lit{cells[0].Not(), cells[1].Not(), change[0], change[1]}, nil)
	r, err = (&klive.Engine{NewSolver: func() sat.Solver { return cdcl.New() }}).Run(t.Context(), both, mc.Options{})
	if err != nil || r.Props[0].Status != mc.Safe {
		t.Fatal(err, r.Props[0].Status)
	}
	f = *r.Props[0].Proof
	for i, moved := range []bool{false, true} {
		own := ts.Identity(both.Counting(0, f.Rounds).System())
		own.Latch[0], own.Latch[1] = own.Latch[1], own.Latch[0]
		own.Input[0], own.Input[1] = own.Input[1], own.Input[0]
		if moved {
			for _, k := range []int{2, 4} {
				own.Latch[k], own.Latch[k+1] = own.Latch[k+1], own.Latch[k]
			}
		}
		f.Group = &ts.Symmetry{Blocks: []ts.Block{{Class: -1, Elems: []int{0, 1}, Swaps: []*ts.Perm{own}}}}
		_, err := certify.New(t.Context(), both).Check(&f, 0)
		if (err == nil) != moved {
			t.Errorf("case %d: %v", i, err)
		}
	}
}

// TestRounds: rounds of what is no justice property, or of several properties, are refused.
func TestRounds(t *testing.T) {
	sys, cells, _ := toggles()
	sys.Bads = []ts.Bad{{Name: "bad", Lit: aig.False}}
	l := ts.NewLassos(sys, []ts.Justice{{Name: "live", Lits: cells[:1], Prop: 1}, {Name: "more", Lits: []aig.Lit{aig.False}, Prop: 2}}, nil)
	p := mc.NewNetlist(l.Sys, l)
	p.Props, p.WellFormed = []int{0, 1, 2}, true
	for _, f := range []*evidence.Proof{
		{K: 1, Rounds: 1, Props: []int{0}}, {K: 1, Rounds: 1, Props: []int{1}}, {K: 1, Rounds: -1, Props: []int{2}}, {K: 1, Rounds: 1, Props: []int{1, 2}},
	} {
		if _, err := certify.New(t.Context(), p).Check(f, f.Props[0]); err == nil {
			t.Errorf("rounds %d of %v are accepted", f.Rounds, f.Props)
		}
	}
	if how, err := certify.New(t.Context(), p).Check(&evidence.Proof{K: 1, Rounds: 1, Props: []int{2}}, 2); err != nil {
		t.Error(how, err)
	}
}
