package fair_test

import (
	"strings"
	"testing"

	"orbitmc/encode"
	"orbitmc/encode/fair"
	"orbitmc/encode/murphi"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/model"
	"orbitmc/model/traces"
)

const turns = `type P: scalarset(2);
var at: array[P] of 0..1;
startstate begin for p: P do at[p] := 0; end; end;
ruleset p: P do rule "flip" begin at[p] := 1 - at[p]; end; end;
`

// system returns the system of a formula.
func system(t *testing.T, formula string, rules ...string) *fair.System {
	t.Helper()
	m, err := murphi.Parse("turns.m", []byte(turns), murphi.Options{Formulas: []string{formula}, Fair: rules})
	if err != nil {
		t.Fatal(err)
	}
	enc, err := encode.Stepping(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	s, err := fair.New(enc, m, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := tstest.Check(s.Sys); err != nil {
		t.Fatal(err)
	}
	return s
}

// run fires rules from the start state.
func run(t *testing.T, s *fair.System, loop int, steps ...int64) *model.Lasso {
	t.Helper()
	m := s.Enc.Program.NewMachine()
	state, _ := m.Start(model.Choice{})
	r := &model.Lasso{Trace: &model.Trace{StartState: state}, States: []model.State{state}, Loop: loop}
	for i, p := range steps {
		ch := model.Choice{Params: model.InstancesOf(s.Model.Rules[0].Params)[p-1]}
		next, ok, v := m.Fire(state, ch)
		if !ok || v != nil {
			t.Fatal(ok, v)
		}
		r.Trace.Steps = append(r.Trace.Steps, model.TraceStep{Choice: ch, State: next})
		if state = next; i < len(steps)-1 {
			r.States = append(r.States, state)
		}
	}
	return r
}

// TestCheck: a lasso is refused that is unfair, or of which the formula holds.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		formula string
		fair    string
		steps   []int64
		loop    int
		want    string
	}{
		{"x: forall p: P: F at[p] = 1", "", []int64{2, 2}, 0, ""},
		{"x: forall p: P: F at[p] = 1", "", []int64{1, 1}, 0, "holds on the run"},
		{"x: forall p: P: F at[p] = 1", "weak:flip", []int64{2, 2}, 0, "can fire in the loop"},
		{"x: forall p: P: F at[p] = 1", "strong:flip", []int64{2, 2}, 0, "can fire in the loop"},
		{"x: forall p: P: F G at[p] = 1", "weak:flip", []int64{1, 2, 1, 2}, 0, ""},
		{"x: forall p: P: F G at[p] = 1", "weak:flip", []int64{1, 2, 2}, 1, "holds on the run"},
	} {
		var rules []string
		if c.fair != "" {
			rules = []string{c.fair}
		}
		s := system(t, c.formula, rules...)
		err := traces.CheckLasso(s.Enc.Program, s.Of[0], run(t, s, c.loop, c.steps...))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s %v: %v", c.formula, c.fair, c.steps, err)
		}
	}
}
