package states_test

import (
	"context"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify/states"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/model"
)

// TestSampleTyped: a symmetry that is there passes the trial, and one that is not there, which
// no derivation is asked about here, is found out.
func TestSampleTyped(t *testing.T) {
	for file, real := range map[string]bool{"german": true, "msi_net": true, "queue_lock": true, "mesi_net": true, "false_scalarset": false} {
		m, err := murphi.ReadFile("../../../benchmarks/murphi/"+file+".m", murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m), Typed: true}}
		for i, q := range m.Props {
			if q.Kind != model.Liveness {
				p.Props = append(p.Props, i)
			}
		}
		for _, y := range m.Scalarsets {
			var all []int
			for v := range int(y.Card()) {
				all = append(all, v)
			}
			p.Blocks = append(p.Blocks, [][]int{all})
		}
		r, err := (&explicit.Engine{Canon: explicit.None}).Run(context.Background(), p, mc.Options{All: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := states.SampleTyped(context.Background(), p, r.Closure); (err == nil) != real {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestSampleTypedByInstance: a trial asks for what is left out where instances are: that each does what its
// image does. Here the steps of the rule are symmetric, and those for one value of p are not.
func TestSampleTypedByInstance(t *testing.T) {
	m, err := murphi.Parse("crossed.m", []byte(`
type P: scalarset(2);
var x, y: array [P] of boolean;
startstate for p: P do x[p] := false; y[p] := false end end;
ruleset p: P; q: P do
rule var g: P; begin clear g; if p = g then x[q] := !x[q] else y[q] := !y[q] end end
end;
`), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m), Blocks: [][][]int{{{0, 1}}}, Typed: true}}
	for i := range m.Props {
		p.Props = append(p.Props, i)
	}
	r, err := (&explicit.Engine{Canon: explicit.None}).Run(context.Background(), p, mc.Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	if states.SampleTyped(context.Background(), p, r.Closure) == nil {
		t.Error("the trial shows no instance that does something else than its image")
	}
}
