package portfolio

import (
	"context"
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/bmc"
	"orbitmc/cofactor"
	"orbitmc/detect/structure"
	"orbitmc/detect/verify"
	"orbitmc/encode/cnf"
	"orbitmc/internal/pdr"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/sat"
	"orbitmc/sat/gini"
)

// TestCleanedNetlists compares the verdicts of all engines on random netlists, with
// clean-up and detected symmetry and without both, with those of exhaustive search.
// What they find is checked on the netlist as it was.
func TestCleanedNetlists(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	ctx := context.Background()
	newSolver := func() sat.Solver { return gini.New() }
	newProver := func(g *aig.Graph) verify.Prover { return cnf.NewProver(g, gini.New()) }
	gone, symmetric, open := 0, 0, 0
	verdicts := make(map[mc.Status]int)
	for k := range 60 {
		c := tstest.Random(rng)
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: tstest.Redundant(rng, c.Sys)}, WellFormed: true}
		for i := range c.Groups {
			p.Props = append(p.Props, i)
		}
		depth := tstest.Explore(p.Netlist).Depth
		clean := *p
		clean.Clean()
		gone += len(p.Netlist.Latches) - len(clean.System().Latches)
		r, _, err := structure.ByProp(ctx, clean.System(), p.Props, structure.Options{Verify: verify.Options{NewProver: newProver}})
		if err != nil {
			t.Fatal(err)
		}
		if clean.Groups = r.ByProp; !r.System.Trivial() {
			symmetric++
		}
		for _, p := range []*mc.Problem{p, &clean} {
			for _, e := range []mc.Engine{
				&bmc.Checker{NewSolver: newSolver}, &bmc.Inductor{NewSolver: newSolver, MaxK: 8},
				&pdr.Engine{NewSolver: newSolver}, &cofactor.Engine{NewSolver: newSolver},
			} {
				opt := mc.Options{All: true}
				if e.Name() == "bmc" {
					opt.MaxDepth, opt.Bounded = 20, true
				}
				r, err := alone(ctx, p, e, opt)
				if err != nil {
					t.Fatalf("system %d: %v", k, err)
				}
				for _, pr := range r.Props {
					verdicts[pr.Status]++
					d := depth[pr.Prop]
					switch {
					case pr.Status == mc.Unknown:
						if e.Name() == "bmc" && d >= 0 || pr.Bound >= d && d >= 0 {
							t.Errorf("system %d: %s finds no violation of %d up to depth %d, it has depth %d", k, e.Name(), pr.Prop, pr.Bound, d)
						}
						if e.Name() != "bmc" {
							open++
						}
					case (pr.Status == mc.Unsafe) != (d >= 0):
						t.Errorf("system %d: %s calls %d %v, its depth is %d", k, e.Name(), pr.Prop, pr.Status, d)
					case pr.Status == mc.Unsafe:
						shown := false
						for _, b := range p.Sources(pr.Prop) {
							shown = shown || p.Netlist.Replay(pr.Path, b) == nil
						}
						if !shown || pr.Depth < d || e.Name() == "bmc" && pr.Depth > d {
							t.Errorf("system %d: %s finds a violation of %d at depth %d, it has depth %d; replayed: %v", k, e.Name(), pr.Prop, pr.Depth, d, shown)
						}
					case pr.Proof == nil || pr.Evidence == "":
						t.Errorf("system %d: %s proves %d without evidence", k, e.Name(), pr.Prop)
					}
				}
			}
		}
	}
	t.Logf("%d latches gone, %d symmetric systems, %v, %d undecided by engines that prove", gone, symmetric, verdicts, open)
	if gone < 100 || symmetric < 10 || verdicts[mc.Safe] < 50 || verdicts[mc.Unsafe] < 100 || open > 30 {
		t.Error("too little happened")
	}
}
