package explicit_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// steps counts the steps that a search tells of.
type steps struct{ n int }

func (st *steps) Expanded(_ evidence.View, s *evidence.Steps) (spare *evidence.Steps) {
	st.n += len(s.Targets)
	return s
}

func (st *steps) Close() {}

// TestStabiliser: with one instance of each orbit, a search finds the same states in the same
// order, and counts the instances that it leaves out.
func TestStabiliser(t *testing.T) {
	for _, c := range []struct {
		file   string
		consts map[string]string
	}{
		{"german.m", map[string]string{"NODE_NUM": "3"}},

		{"mesi_snoop.m", map[string]string{"NODE_NUM": "6"}},
		{"msi_dir_bug.m", map[string]string{"NODE_NUM": "3"}},
		{"flash.m", map[string]string{"NODE_NUM": "2"}},
		{"sem_counter_bug.m", map[string]string{"N": "6"}},
		{"msi_net.m", map[string]string{"NODE_NUM": "3"}},
	} {
		m, err := murphi.ReadFile(filepath.Join("../../benchmarks/murphi", c.file), murphi.Options{Consts: c.consts})
		if err != nil {
			t.Fatal(err)
		}
		p := model.Compile(m)
		run := func(byRule bool) (string, int) {
			w := &steps{}
			r, err := explicit.Run(context.Background(), p, explicit.Options{Canon: explicit.Exact, Blocks: all(m), ByRule: byRule, All: true, Watch: w})
			if err != nil {
				t.Fatal(err)
			}
			return written(p, r), w.n
		}
		want, every := run(false)
		got, some := run(true)
		if got != want {
			t.Errorf("%s: one instance of each orbit:\n%.2000s\nall:\n%.2000s", c.file, got, want)
		}
		if some >= every {
			t.Errorf("%s: %d steps, and %d if all instances are fired", c.file, some, every)
		}
	}
}

// crossed is symmetric, but its rules are not, as each looks for the first value: the exchange
// maps what one does for a value to what the other does for the other value.
const crossed = `
type P: scalarset(2);
var x, y: array [P] of boolean;
startstate for p: P do x[p] := false; y[p] := false end end;
procedure first(var f: P);
begin
  clear f;
  undefine f;
  for p: P do if isundefined(f) then f := p end end
end;
ruleset p: P do
rule "a" forall q: P do !x[q] & !y[q] end ==> var f: P; begin
  first(f);
  if p = f then x[p] := true else y[p] := true end
end;
rule "b" forall q: P do !x[q] & !y[q] end ==> var f: P; begin
  first(f);
  for q: P do if q != p then if p = f then x[q] := true else y[q] := true end end end
end
end;
invariant "no y" forall p: P do !y[p] end;
`

// TestStabiliserByRule: instances may be left out only where each rule is symmetric. Of crossed
// both instances for the second value would be, and with them all that sets y.
func TestStabiliserByRule(t *testing.T) {
	m, err := murphi.Parse("crossed.m", []byte(crossed), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := model.Compile(m)
	if p := (&mc.Problem{OfModel: mc.OfModel{Typed: false}}); p.ByRule() {
		t.Errorf("symmetry that was verified on an encoding counts for each rule")
	}
	for _, byRule := range []bool{false, true} {
		r, err := explicit.Run(context.Background(), p, explicit.Options{Canon: explicit.Exact, Blocks: all(m), ByRule: byRule, All: true})
		if err != nil {
			t.Fatal(err)
		}
		noY := func(v explicit.Found) bool { return v.Prop == 0 }
		if missed := !slices.ContainsFunc(r.Violations, noY); missed != byRule {
			t.Errorf("by rule %v: %+v", byRule, r.Violations)
		}
	}
}
