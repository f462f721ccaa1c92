package explicit_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/encode/promela"
	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/model"
)

// potato goes from hand to hand. Who has it may rest.
const potato = `type P: scalarset(2);
var hand: P; rested: boolean;
ruleset p: P do startstate begin hand := p; rested := false; end; end;
ruleset p: P do
  rule "rest" hand = p ==> begin rested := true; end;
  ruleset q: P do rule "pass" hand = p & q != p ==> begin hand := q; end; end;
end;
`

// gate is a gate that opens and shuts; one may go through while it is open.
const gate = `type P: scalarset(2);
var open: boolean; in: array[P] of boolean;
startstate begin open := false; for p: P do in[p] := false; end; end;
rule "turn" true ==> begin open := !open; end;
rule "idle" true ==> begin end;
ruleset p: P do rule "enter" open & !in[p] ==> begin in[p] := true; end; end;
`

// formulasOf returns the problem of a formula; all values of the scalarset P are interchangeable.
func formulasOf(t *testing.T, text, formula string, fair ...string) *mc.Problem {
	t.Helper()
	m, err := murphi.Parse("x.m", []byte(text), murphi.Options{Formulas: []string{formula}, Fair: fair})
	if err != nil {
		t.Fatal(err)
	}
	f := &mc.Formulas{Model: m, Program: model.Compile(m), Erring: true}
	p := &mc.Problem{OfModel: mc.OfModel{Formulas: f, Typed: true, Blocks: make([][][]int, len(m.Scalarsets))}}
	for i, values := range model.InstancesOf(m.Formulas[0].Params) {
		f.Of = append(f.Of, model.FormulaInstance{Formula: m.Formulas[0], Values: values})
		p.Props = append(p.Props, i)
	}
	p.Blocks[0] = [][]int{{0, 1}}
	p.Blocks, _ = explicit.FairBlocks(f.Program, p.Blocks)
	return p
}

// TestFormulaVariants: with a step left out that the argument for symmetry and fairness needs, a formula is decided
// wrongly, and the check of the evidence finds that out.
func TestFormulaVariants(t *testing.T) {
	for _, c := range []struct {
		text, formula, fair string
		want                mc.Status
		wrong               *explicit.Formulas // decides otherwise; nil: no variant does
		safe                bool               // it calls the formula safe
	}{
		// Each passes it on at once: rest of either can fire again and again, and not all the time.
		{potato, "f: F rested", "weak:rest", mc.Unsafe, explicit.StillFormulas(), true},
		{potato, "f: F rested", "strong:rest", mc.Safe, nil, true},
		{potato, "f: forall p: P: F (rested | hand = p)", "weak:pass", mc.Safe, nil, true},
		{gate, "f: forall p: P: F in[p]", "weak:*", mc.Unsafe, nil, false},
		{gate, "f: forall p: P: F in[p]", "strong:*", mc.Safe, nil, true},
		// Without the states in which the gate is open, it stays shut.
		{gate, "f: forall p: P: F in[p]", "strong:enter", mc.Unsafe, explicit.WholeFormulas(), true},
		{gate, "f: forall p: P: F in[p] | F G !open", "strong:enter", mc.Safe, nil, true},
	} {
		p := formulasOf(t, c.text, c.formula, c.fair)
		decide := func(e *explicit.Formulas) (mc.Status, error) {
			r, err := e.Run(t.Context(), p, mc.Options{All: true})
			if err != nil {
				return mc.Unknown, err
			}
			s := r.Props[0].Status
			return s, certify.Verify(t.Context(), p, r)
		}
		if s, err := decide(&explicit.Formulas{}); s != c.want || err != nil {
			t.Errorf("%s, %s: %v, %v", c.formula, c.fair, s, err)
		}
		if c.wrong == nil {
			continue
		}
		if s, err := decide(c.wrong); s == c.want || err == nil || c.safe && !strings.Contains(err.Error(), "no evidence") {
			t.Errorf("%s, %s, a variant: %v, %v", c.formula, c.fair, s, err)
		}
	}
}

// TestFormulaOrders: with a condition left out, partial orders leave out a run that violates a formula, and the check of the
// evidence finds that out.
func TestFormulaOrders(t *testing.T) {
	for _, c := range []struct {
		text, formula string
		wrong         *explicit.Formulas
	}{
		{`rule "y" y = 0 ==> begin y := 1; end; rule "x" x = 0 ==> begin x := 1; end;`, "f: G !(x = 1 & y = 0)", explicit.BlindFormulas()},
		{`rule "turn" true ==> begin y := 1 - y; end; rule "x" x = 0 ==> begin x := 1; end;`, "f: G x = 0", explicit.RoundFormulas()},
		{`rule "y" x = 0 & y = 0 ==> begin y := 1; end; rule "x" x = 0 & y = 0 ==> begin x := 1; end;`, "f: G x = 0", explicit.AloneFormulas()},
	} {
		p := formulasOf(t, "type P: scalarset(2);\nvar x, y: 0..1;\nstartstate begin x := 0; y := 0; end;\n"+c.text, c.formula)
		for _, e := range []*explicit.Formulas{{}, {Ample: true}} {
			r, err := e.Run(t.Context(), p, mc.Options{})
			if err == nil {
				err = certify.Verify(t.Context(), p, r)
			}
			if err != nil || r.Props[0].Status != mc.Unsafe {
				t.Errorf("%s: %v, %v", c.formula, r.Props[0].Status, err)
			}
		}
		r, err := c.wrong.Run(t.Context(), p, mc.Options{})
		if err != nil || r.Props[0].Status != mc.Safe {
			t.Errorf("%s, a variant: %v, %v", c.formula, r.Props[0].Status, err)
		} else if err := certify.Verify(t.Context(), p, r); err == nil || !strings.Contains(err.Error(), "no evidence") {
			t.Errorf("%s, a variant: %v", c.formula, err)
		}
	}
}

// TestFairBlocks: a permutation that does not keep fairness is not used.
func TestFairBlocks(t *testing.T) {
	p := formulasOf(t, potato, "f: F rested", "weak:rest")
	if len(p.Blocks[0]) != 1 {
		t.Errorf("%v", p.Blocks)
	}
	p.Formulas.Model.Fair.Rules = p.Formulas.Model.Fair.Rules[:1]
	if blocks, all := explicit.FairBlocks(p.Formulas.Program, p.Blocks); len(blocks[0]) != 0 || all {
		t.Errorf("fairness of one component: %v", blocks)
	}
	if _, err := (&explicit.Formulas{}).Run(t.Context(), p, mc.Options{}); err == nil {
		t.Error("a symmetry was used that does not keep fairness")
	}
}

// TestFairTwice: rules that are said to be fair twice are as fair as if it were said once. Who has the potato passes
// it on early, and rests late.
func TestFairTwice(t *testing.T) {
	text := `type P: scalarset(2);
var hand: P; late, rested: boolean;
ruleset p: P do startstate begin hand := p; late := false; rested := false; end; end;
ruleset p: P do
  ruleset q: P do rule "pass" hand = p & q != p ==> begin hand := q; late := !late; end; end;
  rule "rest" hand = p ==> begin if !late then rested := true; end; end;
end;
rule "wait" true ==> begin late := !late; end;
`
	for n := range 3 {
		p := formulasOf(t, text, "f: F rested", slices.Repeat([]string{"strong:rest"}, n)...)
		r, err := (&explicit.Formulas{}).Run(t.Context(), p, mc.Options{})
		if err == nil {
			err = certify.Verify(t.Context(), p, r)
		}
		if err != nil || r.Props[0].Status != mc.Unsafe {
			t.Errorf("%d times: %v, %v", n, r.Props[0].Status, err)
		}
	}
}

// TestErrsNearby: a run that errs is shorter than a loop that was found first.
func TestErrsNearby(t *testing.T) {
	text := `type P: scalarset(2);
var x: 0..4;
startstate begin x := 0; end;
rule "go" x < 3 ==> begin x := x + 1; end;
rule "stay" x = 3 ==> begin end;
rule "stray" x = 0 ==> begin x := 4; end;
rule "err" x = 4 ==> begin error "e"; end;
`
	p := formulasOf(t, text, "f: G (x != 0)")
	r, err := (&explicit.Formulas{}).Run(t.Context(), p, mc.Options{})
	if err == nil {
		err = certify.Verify(t.Context(), p, r)
	}
	if err != nil || !r.Props[0].Lasso.Erred || r.Props[0].Depth != 2 {
		t.Errorf("%+v, %v", r.Props, err)
	}
}

// TestFormulaCases: questions that circuits did not answer: a directory protocol whose network is a multiset, and a
// token ring.
func TestFormulaCases(t *testing.T) {
	dir := filepath.Join(models(t), "cases")
	decide := func(name string, m *model.Model, fair string, want mc.Status) {
		f := &mc.Formulas{Model: m, Program: model.Compile(m), Erring: strings.HasSuffix(name, ".m")}
		p := &mc.Problem{OfModel: mc.OfModel{Formulas: f, Typed: true, Blocks: make([][][]int, len(m.Scalarsets))}}
		for i, values := range model.InstancesOf(m.Formulas[0].Params) {
			f.Of, p.Props = append(f.Of, model.FormulaInstance{Formula: m.Formulas[0], Values: values}), append(p.Props, i)
		}
		for c, y := range m.Scalarsets {
			if !y.Slots {
				all := make([]int, y.Card())
				for v := range all {
					all[v] = v
				}
				p.Blocks[c] = [][]int{all}
			}
		}
		r, err := (&explicit.Formulas{}).Run(t.Context(), p, mc.Options{})
		if err == nil {
			err = certify.Verify(t.Context(), p, r)
		}
		if err != nil || r.Props[0].Status != want {
			t.Errorf("%s, %s: %v, %v", name, fair, r.Props[0].Status, err)
		}
	}
	for fair, want := range map[string]mc.Status{"weak:*": mc.Unsafe, "strong:*": mc.Safe} {
		m, err := murphi.ReadFile(filepath.Join(dir, "mosi.m"), murphi.Options{Fair: []string{fair},
			Formulas: []string{"served: forall p: Proc: G (Procs[p].state = C_IM -> F Procs[p].state != C_IM)"}})
		if err != nil {
			t.Fatal(err)
		}
		decide("mosi.m", m, fair, want)
	}
	p, err := promela.ReadFile(filepath.Join(dir, "ring.pml"), promela.Options{Formulas: []string{"answered"}, Fair: []string{"weak:*"}})
	if err != nil {
		t.Fatal(err)
	}
	decide("ring.pml", p.Model, "weak:*", mc.Safe)
}
