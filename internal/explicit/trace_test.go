package explicit_test

import (
	"context"
	"slices"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// TestJointTrace: which of two errors comes first depends on the order of a loop, so the real path to
// what is found in a representative may show the other one. It is reported for what it shows.
func TestJointTrace(t *testing.T) {
	const src = `type P: scalarset(3); R: record a: P end;
var x: array [P] of 0..2; s: P;
ruleset v: P do startstate for i: P do x[i] := 0 end; s := v end end;
ruleset v: P; k: 0..2 do rule x[v] := k end end;
rule var e: R; begin
  for i: P do
    assert i = s "first";
    switch e.a end;
  end;
end;
`
	m, err := murphi.Parse("joint.m", []byte(src), murphi.Options{Dialect: model.Rumur})
	if err != nil {
		t.Fatal(err)
	}
	p := model.Compile(m)
	first := slices.IndexFunc(m.Props, func(q *model.Property) bool { return q.Name == "first" })
	runtime := m.Runtime().Index
	for _, every := range []bool{false, true} {
		r, err := explicit.Run(context.Background(), p, explicit.Options{Canon: explicit.Exact, Blocks: all(m), Joint: [][]int{{first, runtime}}, All: every})
		if err != nil {
			t.Fatalf("all %v: %v", every, err)
		}
		some := false
		for _, v := range r.Violations {
			if v.Prop != first && v.Prop != runtime {
				continue
			}
			some = true
			if err := traces.Replay(p, v.Trace); err != nil || v.Trace.Prop != v.Prop {
				t.Errorf("all %v: %+v: %v", every, v, err)
			}
		}
		if !some {
			t.Errorf("all %v: %+v", every, r.Violations)
		}
	}
}
