package bmc_test

import (
	"context"
	"os"
	"testing"

	"orbitmc/aig"
	"orbitmc/bmc"
	"orbitmc/encode"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/ts"
)

// partly checks a permutation in the way of package detect, but for the parts of
// the system that are left out: "reset", "next", "bad".
func partly(t *testing.T, enc *encode.Encoding, p *ts.Perm, prop int, without string) bool {
	t.Helper()
	sys := enc.Sys
	g := aig.New()
	fresh := func(n int) []aig.Lit {
		ls := make([]aig.Lit, n)
		for i := range ls {
			ls[i] = g.Input()
		}
		return ls
	}
	latches, inputs, init := fresh(len(sys.Latches)), fresh(len(sys.Inputs)), fresh(len(sys.Init))
	copier := func(latches, inputs, init []aig.Lit) *aig.Copier {
		c := aig.NewCopier(g, sys.G)
		for i := range latches {
			c.Set(sys.Latches[i].Node, latches[i])
		}
		for i := range inputs {
			c.Set(sys.Inputs[i].Node, inputs[i])
		}
		for i := range init {
			c.Set(sys.Init[i].Node, init[i])
		}
		return c
	}
	here := copier(latches, inputs, init)
	there := copier(ts.ApplyLits(p.Latch, latches), ts.ApplyLits(p.Input, inputs), ts.ApplyLits(p.Init, init))
	var differ []aig.Lit
	for i, l := range sys.Latches {
		image := sys.Latches[p.Latch[i]>>1]
		if without != "reset" {
			differ = append(differ, g.Xor(here.Copy(l.Reset), there.Copy(image.Reset)))
		}
		if without != "next" {
			differ = append(differ, g.Xor(here.Copy(l.Next), there.Copy(image.Next)))
		}
	}
	if without != "bad" {
		for _, b := range enc.PropBads[prop] {
			differ = append(differ, g.Xor(here.Copy(sys.Bads[b].Lit), there.Copy(sys.Bads[b].Lit)))
		}
	}
	prover := cnf.NewProver(g, newSolver())
	prover.Assert(here.Copy(sys.W))
	prover.Assert(g.OrN(differ))
	return prover.Solve(context.Background()) == sat.Unsat
}

// fixedStart has symmetric rules, and a start state that singles out a node.
const fixedStart = `
type NODE: scalarset(2);
var
  p: NODE;
  C: array [NODE] of boolean;
  hit: boolean;
startstate
  hit := false;
  for k: NODE do
    C[k] := false;
    if isundefined(p) then p := k; end;
  end;
end;
ruleset i: NODE do
  rule "go" p = i ==>
  begin
    C[i] := true;
    hit := true;
  end;
end;
invariant "none" !hit;
`

// TestEveryPartVerified: a verification that leaves out the resets, the next
// functions or the property accepts permutations under which violations are
// missed, and that the full one refutes.
func TestEveryPartVerified(t *testing.T) {
	scalarset, err := os.ReadFile("../benchmarks/murphi/false_scalarset.m")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		without, src, prop string
		depth              int
	}{
		{"reset", fixedStart, "none", 1},
		{"next", replace(t, string(scalarset), "!(GoldFirst & SilverFirst)", "!SilverFirst"), "Ranked", 3},
		{"bad", replace(t, firstIn, "ENABLED", "(forall k: NODE do !C[k] end)"), "first", 2},
	} {
		p := parse(t, c.src, murphi.Options{Deadlock: model.DeadlockOff})
		prop := propNamed(t, p.Model, c.prop)
		p.Props = []int{prop}
		y := trusted(p.Enc)
		swap := y.Blocks[0].Swaps[0]
		for _, without := range []string{"", "reset", "next", "bad"} {
			if got := partly(t, p.Enc, swap, prop, without); got != (without == c.without) {
				t.Errorf("%s: without %q: accepted %v", c.prop, without, got)
			}
		}
		r := withSymmetry(t, p)
		for _, b := range r.ByProp[prop].Blocks {
			if b.Elems[0] == 0 && b.Elems[1] == 1 {
				t.Errorf("%s: %s is verified", c.prop, swap.Name)
			}
		}
		bound := c.depth + 2
		if got := check(t, p, prop, bound); got != c.depth {
			t.Errorf("%s: violated at depth %d, want %d", c.prop, got, c.depth)
		}
		p.Groups = make([]*ts.Symmetry, len(p.Model.Props))
		p.Groups[prop] = &ts.Symmetry{Blocks: []ts.Block{{Name: "NODE", Elems: []int{0, 1}, Swaps: []*ts.Perm{swap}}}}
		for mode := bmc.RepPath; mode < bmc.RepOff; mode++ {
			if got := checkMode(t, p, mode, prop, bound); got == c.depth {
				t.Errorf("%s: rep %v: found under a symmetry that is none", c.prop, mode)
			}
		}
	}
}

// rareLoop has a rule whose loop order matters, in one state of many.
const rareLoop = `
type NODE: scalarset(2);
var
  x: 0..100000;
  C: array [NODE] of boolean;
  hit: boolean;
startstate
  hit := false;
  x := 0;
  for i: NODE do C[i] := false; end;
end;
ruleset v: 1..100000 do
  rule "set" x = 0 ==>
  begin
    x := v;
  end;
end;
rule "rare" x = 77777 ==>
var first: NODE;
begin
  for k: NODE do
    if isundefined(first) then first := k; end;
  end;
  C[first] := true;
end;
rule "late" exists k: NODE do C[k] end ==>
begin
  hit := true;
end;
invariant "none" !hit;
`

// TestWellFormednessProved: symmetry is verified where W holds, so a W that does
// not hold in every reachable state makes a symmetry of what is none. The proof
// that W is inductive is what stands against it.
func TestWellFormednessProved(t *testing.T) {
	const bound = 4
	p := parse(t, rareLoop, murphi.Options{Deadlock: model.DeadlockOff})
	none := propNamed(t, p.Model, "none")
	p.Props = []int{none}
	if r := withSymmetry(t, p); !r.System.Trivial() || r.Refuted != 1 || r.Refutations[0].Reachable {
		t.Fatalf("group of order %v, %v", r.System.Order(), r.Refutations)
	}
	if err := encode.ProveWellFormed(context.Background(), p.Enc.Sys, newSolver); err != nil {
		t.Fatal(err)
	}
	if got := check(t, p, none, bound); got != 3 {
		t.Errorf("violated at depth %d, want 3", got)
	}
	// W says that x is never 77777.
	var bits []aig.Lit
	for i, l := range p.Enc.Sys.Latches {
		if len(l.Name) > 2 && l.Name[:2] == "x." {
			bits = append(bits, p.Enc.Sys.LatchLit(i).NotIf(77777>>len(bits)&1 == 0))
		}
	}
	g := p.Enc.Sys.G
	p.Enc.Sys.W = g.And(p.Enc.Sys.W, g.AndN(bits).Not())
	if r := withSymmetry(t, p); r.System.Order().Int64() != 2 || r.VerifiedBySAT == 0 {
		t.Fatalf("group of order %v, %d by SAT", r.System.Order(), r.VerifiedBySAT)
	}
	for mode := bmc.RepPath; mode < bmc.RepOff; mode++ {
		if got := checkMode(t, p, mode, none, bound); got != -1 {
			t.Errorf("rep %v: depth %d with a W that is false", mode, got)
		}
	}
	if err := encode.ProveWellFormed(context.Background(), p.Enc.Sys, newSolver); err == nil {
		t.Error("a W that is false is proved")
	}
}
