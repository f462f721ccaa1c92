package param

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"orbitmc/internal/lists"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
)

// needsOf returns what conditions need, and each as a line.
func needsOf(t *testing.T, c *Conditions) (all []Need, lines []string) {
	t.Helper()
	all, err := c.Needs(context.Background(), func() sat.Solver { return cdcl.New() })
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range all {
		of := lists.Map(n.Of, func(j int) string { return c.Conjuncts[j].Prop.Name })
		step := ""
		if n.Step != nil {
			step = " " + n.Step.Name
		}
		lines = append(lines, c.Property(n.Condition).Name+step+": "+strings.Join(of, " "))
	}
	return all, lines
}

// TestNeeds: of a token that one process has, what is argued by hand. Two are not in: the one that enters has the token,
// and so has one that is in; only one has it. One that takes the token finds it free, and then nobody has it. Where the
// token is given back, the one that leaves had it, so nobody else has. All else was so before, or is true
// by form.
func TestNeeds(t *testing.T) {
	_, got := needsOf(t, conditions(t, `const N: 3; type P: scalarset(N);
var has, crit: array [P] of boolean; free, tick: boolean;
startstate for p: P do has[p] := false; crit[p] := false; end; free := true; tick := false; end;
ruleset p: P do
  rule "take" free ==> has[p] := true; free := false; end;
  rule "enter" has[p] ==> crit[p] := true; end;
  rule "leave" crit[p] ==> crit[p] := false; has[p] := false; free := true; end;
end;
rule "tick" tick := !tick; end;
invariant "mutex" forall p: P do forall q: P do crit[p] & crit[q] -> p = q end end;
invariant "in" forall p: P do crit[p] -> has[p] end;
invariant "one" forall p: P do forall q: P do has[p] & has[q] -> p = q end end;
invariant "none" forall p: P do has[p] -> !free end;
invariant "idle" forall p: P do has[p] | !crit[p] | tick end;`, 2))
	want := []string{
		"in take: in", "one take: none", "idle take: idle",
		"mutex enter: in one", "in enter: in", "idle enter: idle",
		"mutex leave: mutex", "in leave: in", "one leave: one", "none leave: in one", "idle leave: idle",
		"idle tick: in",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestNeedsLeast: what a condition of German's protocol needs refutes it, and does not without any one of its conjuncts:
// asked of a proof of its own, whose invariant is no more than these.
func TestNeedsLeast(t *testing.T) {
	src, err := os.ReadFile("../../../benchmarks/murphi/german_inductive.m")
	if err != nil {
		t.Fatal(err)
	}
	m, err := read(t, "german_inductive.m", src, []string{"NODE_NUM"}, map[string]string{"NODE_NUM": "2", "DATA_NUM": "1"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(context.Background(), m, map[string]int{"NODE_NUM": 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all, lines := needsOf(t, c)
	edges := 0
	for i, n := range all {
		holds := func(without int) bool {
			d := *c
			d.all = []*Condition{{Step: n.Step, Conjunct: -1, F: n.F, Params: n.Params, Total: n.Total}}
			for _, j := range n.Of {
				if j != without {
					d.all[0].F = c.And(d.all[0].F, c.Conjuncts[j].F)
				}
			}
			d.Conjuncts = nil
			o, err := d.Prove(context.Background(), func() sat.Solver { return cdcl.New() }, func(int) bool { return false })
			if err != nil {
				t.Fatal(err)
			}
			return o.Proved()
		}
		if !holds(-1) {
			t.Errorf("%s: that is not enough", lines[i])
		}
		for _, j := range n.Of {
			if edges++; holds(j) {
				t.Errorf("%s: %s is not needed", lines[i], c.Conjuncts[j].Prop.Name)
			}
		}
	}
	if edges < 50 {
		t.Errorf("%d conditions with %d needs", len(all), edges)
	}
}
