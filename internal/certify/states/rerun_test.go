package states_test

import (
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify/states"
	"orbitmc/mc"
	"orbitmc/model"
)

// TestRulesAgain: a rule that comes before the one which leaves a variable undefined is derived again. The order of
// turns then decides which of two errors is first.
func TestRulesAgain(t *testing.T) {
	for text, together := range map[string]bool{
		`rule "stay" true ==> begin y := 0; end;`:       false,
		`rule "forget" true ==> begin undefine y; end;`: true,
	} {
		m, err := murphi.Parse("x.m", []byte(`type P: scalarset(2);
var a: array[P] of boolean; y: 0..1; z: 0..1;
startstate begin for p: P do a[p] := true; end; y := 0; z := 0; end;
rule "look" true ==> begin for p: P do if a[p] then assert(z = 1) "z"; else a[p] := (y = 1); end; end; end;
`+text), murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var props []int
		for _, q := range m.Props {
			if q.Kind != model.Deadlock {
				props = append(props, q.Index)
			}
		}
		joint, _, err := states.TypedSets(&mc.Problem{OfModel: mc.OfModel{Model: m}}, [][][]int{{{0, 1}}}, props)
		t.Log(text, joint, err)
		if (len(joint) > 0 || err != nil) != together {
			t.Errorf("%s: %v, %v", text, joint, err)
		}
	}
}
