package explicit_test

import (
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/model"
)

// TestWhole: a search for the states goes on after all properties are violated, gives the states that it has seen when it
// ends early, and uses only symmetry that maps each rule to itself.
func TestWhole(t *testing.T) {
	p := parse(t, `type P: scalarset(2);
var n: 0..9; a: array[P] of boolean;
startstate n := 0; for p: P do a[p] := false; end; end;
rule "up" n < 9 ==> begin n := n + 1; end;
ruleset p: P do rule "set" !a[p] ==> begin a[p] := true; end; end;
invariant "few" n < 2;
`, murphi.Options{Deadlock: model.DeadlockOff})
	only := []int{0} // it is violated
	for name, c := range map[string]struct {
		problem mc.Problem
		opt     mc.Options
		whole   bool
		states  int64
		stopped string
	}{
		"typed":     {mc.Problem{OfModel: mc.OfModel{Typed: true}}, mc.Options{}, true, 30, ""},
		"not typed": {mc.Problem{}, mc.Options{}, true, 40, ""},
		"bounded":   {mc.Problem{OfModel: mc.OfModel{Typed: true}}, mc.Options{MaxDepth: 3}, true, 9, mc.DepthBound},
		"not whole": {mc.Problem{OfModel: mc.OfModel{Typed: true}}, mc.Options{}, false, 6, mc.Violation},
	} {
		c.problem.Model, c.problem.Program, c.problem.Props, c.problem.Blocks = p.Model, p, only, all(p.Model)
		e := &explicit.Engine{Canon: explicit.Exact, Threads: 1, Whole: c.whole}
		r, err := e.Run(t.Context(), &c.problem, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if r.Stats.States != c.states || r.Stopped != c.stopped || (r.Closure != nil) != (c.stopped == "") {
			t.Errorf("%s: %d states, %q", name, r.Stats.States, r.Stopped)
		}
		if (r.Seen != nil) != c.whole || c.whole && r.Seen.Len() != c.states {
			t.Errorf("%s: the states seen are not kept", name)
		}
	}
}
