package certify_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/mc"
	"orbitmc/mc/certify"
)

// TestWalks: encodings have the steps of the interpreter. An encoding in which a latch or the property is another
// function where two leaves have some values lacks one mostly; so does one that lacks a rule.
func TestWalks(t *testing.T) {
	ctx := context.Background()
	for _, file := range []string{"german", "msi_net", "mesi_net", "flash", "queue_lock", "peterson", "sem_counter"} {
		m, err := murphi.ReadFile("../../benchmarks/murphi/"+file+".m", murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		enc, err := encode.Model(m)
		if err != nil {
			t.Fatal(err)
		}
		p := &mc.Problem{Model: m, Program: enc.Program, Enc: enc, Props: []int{m.Props[0].Index}}
		if err := certify.TryWalks(ctx, p); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		try := func(change func(double *encode.Encoding)) bool {
			double, sys := *enc, *enc.Sys
			sys.Latches, sys.Bads = slices.Clone(sys.Latches), slices.Clone(sys.Bads)
			double.Sys = &sys
			change(&double)
			q := *p
			q.Enc = &double
			return certify.TryWalks(ctx, &q) != nil
		}
		caught := 0
		const doubles = 40
		for seed := range doubles {
			rng := rand.New(rand.NewPCG(uint64(seed), 3))
			if try(func(e *encode.Encoding) {
				state := func() int { return rng.IntN(len(e.Sys.Latches)) }
				l := &e.Sys.Latches[state()]
				l.Next = e.Sys.G.Xor(l.Next, e.Sys.G.And(e.Sys.LatchLit(state()), e.Sys.LatchLit(state()).Not()))
			}) {
				caught++
			}
		}
		rules := 0
		for r := range m.Rules {
			if try(func(e *encode.Encoding) {
				chosen := aig.True
				for node, on := range e.Choosing(false, r) {
					chosen = e.Sys.G.And(chosen, aig.MkLit(node, !on))
				}
				for i := range e.Sys.Latches {
					l := &e.Sys.Latches[i]
					l.Next = e.Sys.G.Mux(chosen, e.Sys.LatchLit(i), l.Next)
				}
			}) {
				rules++
			}
		}
		if 2*caught < doubles || 4*rules < 3*len(m.Rules) {
			t.Errorf("%s: too few are caught", file)
		}
		t.Logf("%s: %d of %d wrong latches and %d of %d missing rules are caught", file, caught, doubles, rules, len(m.Rules))
	}
}
