package cofactor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/sat"
	"orbitmc/ts"
)

// checkInvariant checks that an invariant holds in reset states, that no step leaves it,
// and removes the states outside it from those of W.
func checkInvariant(sp *tstest.Space, w, inside []bool) error {
	for _, x := range sp.Reset {
		if !inside[x] {
			return fmt.Errorf("the invariant excludes the reset state %b", x)
		}
	}
	for x := range w {
		w[x] = w[x] && inside[x]
	}
	for x := range w {
		for y, next := range sp.Next[x] {
			if w[x] && sp.OK[x][y] && !inside[next] {
				return fmt.Errorf("a step leaves the invariant, from %b to %b", x, next)
			}
		}
	}
	return nil
}

// ofResets returns what excludes the pairs of latch values that no reset state has.
func ofResets(sp *tstest.Space) *invariant {
	v := &invariant{}
	for b := range ts.Lit(2 * len(sp.Sys.Latches)) {
		for a := range b {
			if a>>1 == b>>1 {
				continue
			}
			seen := false
			for _, x := range sp.Reset {
				seen = seen || x>>(a>>1)&1 != uint32(a&1) && x>>(b>>1)&1 != uint32(b&1)
			}
			if !seen {
				v.Excluded = append(v.Excluded, []ts.Lit{a, b})
			}
		}
	}
	for _, x := range sp.Reset {
		v.States = append(v.States, tstest.Bits(x, len(sp.Sys.Latches)))
	}
	return v
}

// TestResetsOnly: what does not matter has to be out of reach. The double takes for an
// invariant the pairs of latch values that reset states have, and its proofs are refused.
func TestResetsOnly(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	ctx := context.Background()
	wrong := 0
	for range 300 {
		c := tstest.Random(rng)
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: c.Sys}, Groups: c.Groups}
		sp := tstest.Explore(c.Sys)
		for prop := range p.Groups {
			q := *p
			q.Props = []int{prop}
			e := &Engine{NewSolver: newSolver, variant: sound()}
			e.variant.invariant = func(context.Context, *mc.Problem, func() sat.Solver) *invariant { return ofResets(sp) }
			r, err := e.Run(ctx, &q, mc.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if pr := r.Props[0]; pr.Status == mc.Safe && sp.Depth[prop] >= 0 {
				wrong++
				if err := checkProof(ctx, &q, prop, pr.Proof); err == nil {
					t.Fatal("a wrong verdict is accepted")
				}
			}
		}
	}
	if wrong == 0 {
		t.Error("the double is never wrong")
	}
	t.Log(wrong, "wrong verdicts, all refused")
}
