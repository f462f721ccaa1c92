package pdr

import (
	"context"
	"math/rand/v2"
	"testing"

	"orbitmc/mc"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/ts"
	"orbitmc/ts/tstest"
)

// TestDoubles breaks each rule in turn: on some system the engine then fails, or
// claims what enumeration refutes or the check of its evidence rejects.
func TestDoubles(t *testing.T) {
	for _, c := range []struct {
		name    string
		fault   fault
		group   bool // the rule is about symmetry
		carried bool // or about candidates
	}{
		{"nothing", 0, true, true},
		{"representatives as predecessors", repOnSteps, true, false},
		{"constraints while lifting", liftConstraint, false, false},
		{"lemmas that exclude reset states", forgetInitial, false, false},
		{"candidates believed", believeAll, true, true},
	} {
		wrong, rejected := 0, 0
		for seed := range uint64(1500) {
			s := tstest.Random(rand.New(rand.NewPCG(seed, 9)))
			if s.Broken {
				continue
			}
			space := tstest.Explore(s.Sys)
			p := &mc.Problem{Netlist: s.Sys}
			for i := range p.NumProps() {
				p.Props = append(p.Props, i)
			}
			if c.group {
				p.Groups = s.Groups
			}
			e := &Engine{NewSolver: func() sat.Solver { return cdcl.New() }, fault: c.fault}
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
			if mc.Verify(context.Background(), p, r) != nil {
				rejected++
			}
		}
		if (c.fault != 0) != (wrong+rejected > 0) {
			t.Errorf("%s: %d wrong answers, %d rejected", c.name, wrong, rejected)
		}
		t.Logf("%s: %d wrong answers, %d rejected", c.name, wrong, rejected)
	}
}
