package pdr

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/ts"
)

// TestDoubles breaks each rule in turn: on some system the engine then fails, or
// claims what enumeration refutes or the check of its evidence rejects.
func TestDoubles(t *testing.T) {
	for _, c := range []struct {
		name    string
		breaks  func(*variant)
		group   bool // the rule is about symmetry
		carried bool // or about candidates
	}{
		{"nothing", nil, true, true},
		{"representatives as predecessors", func(s *variant) {
			s.frame = func(x *search, k int) *solver {
				solver := x.frameSolver(k)
				if k > 0 {
					solver.cnf.Assert(x.targets[0].least)
				}
				return solver
			}
		}, true, false},
		{"representatives under a permutation outside of the group", func(s *variant) {
			s.compared = func(perms []*ts.Perm, _ []int, _ int) []*ts.Perm {
				p := *perms[0]
				p.Latch = slices.Clone(p.Latch)
				for i, j := 0, len(p.Latch)-1; i < j; i, j = i+1, j-1 {
					p.Latch[i], p.Latch[j] = ts.MkLit(j, false), ts.MkLit(i, false)
				}
				return append(slices.Clone(perms), &p)
			}
		}, true, false},
		{"constraints while lifting", func(s *variant) {
			s.goal = func(x *search, target ts.Cube, bad aig.Lit) []aig.Lit {
				return slices.DeleteFunc(x.goal(target, bad), func(r aig.Lit) bool { return r == x.constraint })
			}
		}, false, false},
		{"lemmas that exclude reset states", func(s *variant) {
			s.initiation = func(_ *search, _ context.Context, part, _ ts.Cube) (ts.Cube, error) { return part, nil }
		}, false, false},
		{"candidates believed", func(s *variant) {
			s.inductive = func(_ *search, _ context.Context, candidates []*lemma) ([]*lemma, error) { return candidates, nil }
		}, true, true},
	} {
		wrong, rejected := 0, 0
		for seed := range uint64(1500) {
			s := tstest.Random(rand.New(rand.NewPCG(seed, 9)))
			if s.Broken {
				continue
			}
			space := tstest.Explore(s.Sys)
			p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: s.Sys}}
			for i := range p.NumProps() {
				p.Props = append(p.Props, i)
			}
			if c.group {
				p.Groups = s.Groups
			}
			e := &Engine{NewSolver: func() sat.Solver { return cdcl.New() }}
			if c.breaks != nil {
				e = e.vary(c.breaks)
			}
			if c.carried {
				e.Candidates = func(context.Context, *ts.Symmetry, int64) ([]ts.Clause, bool) {
					return []ts.Clause{{ts.Lit(seed & 1)}, {0, 2}}, true // the first latch is constant
				}
			}
			// Broken engines may also go on for ever.
			r, err := e.Run(context.Background(), p, mc.Options{All: true, MaxDepth: 30})
			if err != nil {
				wrong++
				continue
			}
			for _, pr := range r.Props {
				if pr.Status == mc.Safe && space.Depth[pr.Prop] >= 0 || pr.Status == mc.Unsafe && space.Depth[pr.Prop] < 0 {
					wrong++
				}
			}
			if certify.Verify(context.Background(), p, r) != nil {
				rejected++
			}
		}
		if (c.breaks != nil) != (wrong+rejected > 0) {
			t.Errorf("%s: %d wrong answers, %d rejected", c.name, wrong, rejected)
		}
		t.Logf("%s: %d wrong answers, %d rejected", c.name, wrong, rejected)
	}
}
