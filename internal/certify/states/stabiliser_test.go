package states_test

import (
	"context"
	"runtime"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/model"
)

// TestManyInstances: to leave out instances, those of rules that have too many are not listed.
func TestManyInstances(t *testing.T) {
	m, err := murphi.Parse("many.m", []byte(`
type P: scalarset(3); N: 0..99;
var on: array [P] of boolean; never: boolean;
startstate for p: P do on[p] := false end; never := false end;
ruleset p: P do rule on[p] := !on[p] end end;
ruleset a: N; b: N; c: N do rule never & a + b < c ==> never := false end end;
`), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m), Typed: true, Blocks: [][][]int{{{0, 1, 2}}}}}
	for i := range m.Props {
		p.Props = append(p.Props, i)
	}
	ctx := context.Background()
	r, err := (&explicit.Engine{Canon: explicit.Exact}).Run(ctx, p, mc.Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = certify.Verify(ctx, p, r)
	runtime.ReadMemStats(&after)
	if err != nil || r.Verdict() != mc.Safe {
		t.Fatalf("%v, %v", r.Verdict(), err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
		t.Errorf("the check of %d states took %d bytes", r.Closure.Len(), got)
	}
}
