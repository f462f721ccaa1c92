package certify_test

import (
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// TestCircuitOverInputs: a circuit over latches and inputs is accepted exactly if it holds in the reset states with all inputs,
// is kept by each step with all inputs after it, and excludes the bads; all states and inputs are tried.
func TestCircuitOverInputs(t *testing.T) {
	accepted, rejected, inputs := 0, [3]int{}, 0
	for seed := range uint64(nightly.Or(1000, 100_000)) {
		rng := rand.New(rand.NewPCG(seed, 41))
		sys := tstest.Random(rng).Sys
		space := tstest.Explore(sys)
		if len(sys.Inputs) == 0 {
			continue
		}
		// What holds of random subsets of what is reachable, with a few exceptions.
		c := &evidence.Circuit{G: aig.New()}
		for range sys.Latches {
			c.Latches = append(c.Latches, c.G.Input())
		}
		for range sys.Inputs {
			c.Inputs = append(c.Inputs, c.G.Input())
		}
		n, m := len(sys.Latches), len(sys.Inputs)
		holds := make([][]bool, 1<<n)
		seldom, wrong := 1+rng.IntN(3), 4<<rng.IntN(7)
		var cases []aig.Lit
		for s := range holds {
			holds[s] = make([]bool, 1<<m)
			for i := range holds[s] {
				h := space.Reachable[s] || rng.IntN(seldom) == 0
				if holds[s][i] = h != (rng.IntN(wrong) == 0); !holds[s][i] {
					continue
				}
				var lits []aig.Lit
				for k, l := range c.Latches {
					lits = append(lits, l.NotIf(s>>k&1 == 0))
				}
				for k, l := range c.Inputs {
					lits = append(lits, l.NotIf(i>>k&1 == 0))
				}
				cases = append(cases, c.G.AndN(lits))
			}
		}
		c.Out = c.G.OrN(cases)
		why := -1
		everywhere := func(s uint32) bool {
			for _, h := range holds[s] {
				if !h {
					return false
				}
			}
			return true
		}
		for _, s := range space.Reset {
			if !everywhere(s) {
				why = 0
			}
		}
		for s := range holds {
			for i, h := range holds[s] {
				if why < 0 && h && space.OK[s][i] && !everywhere(space.Next[s][i]) {
					why = 1
				}
			}
		}
		bad := func(s uint32, in func(i int) bool) bool {
			for i, ok := range space.OK[s] {
				if ok && in(i) && space.Bad[s][i]&1 == 1 {
					return true
				}
			}
			return false
		}
		all := func(int) bool { return true }
		within, along := false, false // a bad holds in Inv; in a reset state, or behind a step in Inv from where none holds
		for _, s := range space.Reset {
			along = along || bad(s, all)
		}
		for s := range holds {
			within = within || bad(uint32(s), func(i int) bool { return holds[s][i] })
			for i, h := range holds[s] {
				along = along || h && space.OK[s][i] && space.Bad[s][i]&1 == 0 && bad(space.Next[s][i], all)
			}
		}
		if why < 0 && within && along {
			why = 2
		}
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{0}}
		_, err := certify.New(t.Context(), p).Check(&evidence.Proof{K: 1, Circuit: c}, 0)
		if (err == nil) != (why < 0) {
			t.Fatalf("seed %d: %v, condition %d does not hold", seed, err, why)
		}
		if why < 0 {
			accepted++
			for s := range holds {
				if !everywhere(uint32(s)) && holds[s][0] {
					inputs++
					break
				}
			}
		} else {
			rejected[why]++
		}
	}
	t.Logf("%d accepted, of which %d depend on inputs; rejected for the condition: %v", accepted, inputs, rejected)
	if accepted < 30 || inputs < 15 || min(rejected[0], rejected[1], rejected[2]) < 20 {
		t.Error("the circuits show too little")
	}
}

// TestCircuitOverInputsForm: it is refused with a larger k, a group, or in the wrong form.
func TestCircuitOverInputsForm(t *testing.T) {
	sys := tstest.Random(rand.New(rand.NewPCG(1, 41))).Sys
	if len(sys.Inputs) == 0 {
		t.Fatal("no inputs")
	}
	make := func() *evidence.Proof {
		c := &evidence.Circuit{G: aig.New(), Out: aig.True}
		for range sys.Latches {
			c.Latches = append(c.Latches, c.G.Input())
		}
		for range sys.Inputs {
			c.Inputs = append(c.Inputs, c.G.Input())
		}
		return &evidence.Proof{K: 1, Circuit: c}
	}
	if err := make().Check(sys); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(f *evidence.Proof){
		"k":      func(f *evidence.Proof) { f.K = 2 },
		"group":  func(f *evidence.Proof) { f.Group = &ts.Symmetry{} },
		"fewer":  func(f *evidence.Proof) { f.Circuit.Inputs = f.Circuit.Inputs[1:] },
		"twice":  func(f *evidence.Proof) { f.Circuit.Inputs[0] = f.Circuit.Latches[0] },
		"a sign": func(f *evidence.Proof) { f.Circuit.Inputs[0] = f.Circuit.Inputs[0].Not() },
	} {
		f := make()
		if spoil(f); f.Check(sys) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if make().Circuit.Check(sys) == nil {
		t.Error("a set of states is over inputs")
	}
}
