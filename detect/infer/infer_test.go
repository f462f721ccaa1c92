package infer_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/detect"
	"orbitmc/detect/declared"
	"orbitmc/detect/infer"
	"orbitmc/detect/verify"
	"orbitmc/encode"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/model"
	"orbitmc/sat/cdcl"
	"orbitmc/ts"
)

// inferred infers the symmetry of a source and verifies it.
func inferred(t *testing.T, src string, opt murphi.Options) (*encode.Encoding, *infer.Result, *detect.Report) {
	t.Helper()
	m, err := murphi.Parse("test.m", []byte(src), opt)
	if err != nil {
		t.Fatal(err)
	}
	m, inf := infer.Classes(m)
	e, err := encode.Model(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	how := declared.Options{Inferred: inf, Instances: make(map[int][]detect.Instance)}
	how.Verify.NewProver = func(g *aig.Graph) verify.Prover { return cnf.NewFocusedProver(g, cdcl.New()) }
	for prop, insts := range e.Instances {
		for _, inst := range insts {
			how.Instances[prop] = append(how.Instances[prop], detect.Instance(inst))
		}
	}
	r, err := declared.Check(context.Background(), e.Model, e, e.Sys, e.PropBads, how)
	if err != nil {
		t.Fatal(err)
	}
	if r.Tried != r.VerifiedStructurally+r.VerifiedBySAT+r.Refuted+r.Unproved || r.Refuted+r.Unproved != len(r.Refutations) || len(r.ByProp) != len(e.Model.Props) {
		t.Errorf("the counts of the report do not add up: %+v", r)
	}
	return e, inf, r
}

// parts spells the blocks and rings of a report by name and value.
func parts(e *encode.Encoding, r *detect.Report) string {
	var out []string
	spell := func(class int, elems []int) string {
		var vs []string
		for _, w := range elems {
			vs = append(vs, e.Model.Scalarsets[class].ElementName(w))
		}
		return strings.Join(vs, ", ")
	}
	for _, b := range r.System.Blocks {
		out = append(out, "{"+spell(b.Class, b.Elems)+"}")
	}
	for _, g := range r.System.Groups {
		out = append(out, fmt.Sprintf("%s of order %v on (%s)", g.Kind, g.Order, spell(g.Class, g.Elems)))
	}
	return strings.Join(out, " ")
}

// TestInfer: what is inferred and verified, and what is said of the rest.
func TestInfer(t *testing.T) {
	for _, c := range []struct{ name, src, want, limits string }{
		{"a range like a scalarset", `
type P: 1..3; var a: array [P] of boolean; last: P;
ruleset p: P do startstate for i: P do a[i] := false; end; last := p; end end;
ruleset p: P do rule !a[p] & last != p ==> a[p] := true; last := p; end end;`,
			"{P 1, P 2, P 3}", ""},
		{"order splits", `
const W: 4; type P: 1..5; var a: array [P] of boolean;
startstate for i: P do a[i] := false; end; end;
ruleset p: P do rule
  p < W ==> a[p] := true; end;
end;`,
			"{P 1, P 2, P 3} {P 4, P 5}", "`p < 4` at 5:5 splits P into 1..3 and 4..5"},
		{"constants of joined types are fixed", `
type P: 0..4; Q: 0..4; var a: array [P] of Q; b: array [Q] of boolean; c: Q;
startstate for i: P do a[i] := i; b[i] := false; end; c := 3; end;
ruleset q: Q do rule q != c & a[q] != 1 ==> c := a[q]; b[c] := !b[c]; end end;`,
			"{P 0, P 2, P 4}", "`c := 3` at 3:55 sets P 3 apart; `a[q] != 1` at 4:36 sets P 1 apart"},
		{"independent classes", `
type P: 0..1; var a: array [P] of boolean; b: array [P] of boolean;
startstate for i: P do a[i] := false; end; for i: P do b[i] := true; end; end;
ruleset i: P do rule true ==> a[i] := !a[i]; end; end;
ruleset i: P do rule b[i] ==> b[i] := false; end; end;
`, "{P 0, P 1} {P 0, P 1}", ""},
		{"a range in a range", `
type P: 0..3; N: 1..3; var a: array [N] of boolean; p: P;
startstate for i: N do a[i] := false; end; p := 0; end;
ruleset i: N do rule p = 0 & !a[i] ==> p := i; a[i] := true; end; end;
rule p != 0 ==> p := 0; end;`,
			"{P 1, P 2, P 3}", "the range 1..3 of i at 3:16 splits P into 1..3 and the others; `p := 0` at 3:44 sets P 0 apart"},
		{"constants that occur alike", `
type P: 0..3; var a: array [P] of boolean;
startstate a[0] := true; a[1] := true; a[2] := false; a[3] := false; end;
ruleset p: P do rule a[p] ==> a[p] := false; end; end;`,
			"{P 0, P 1} {P 2, P 3}", ""},
		{"a ring", `
type P: 0..3; var a: array [P] of boolean;
ruleset p: P do startstate for i: P do a[i] := i = p; end; end; end;
ruleset p: P do rule a[p] ==> a[p] := false; a[(p + 1) % 4] := true; end; end;`,
			"ring of order 4 on (P 0, P 1, P 2, P 3)", "`p + 1` at 4:51 computes with P: at most rotations are left"},
		{"a ring that wraps around", `
type P: 1..3; var a: array [P] of boolean; n: P;
ruleset p: P do startstate for i: P do a[i] := false; end; n := p; end; end;
rule true ==> a[n] := !a[n]; if n = 3 then n := 1; else n := n + 1; end; end;`,
			"ring of order 3 on (P 1, P 2, P 3)", "`n + 1`"},
		{"half a ring", `
type P: 0..3; var a: array [P] of boolean;
startstate for i: P do a[i] := i % 2 = 0; end; end;
ruleset p: P do rule a[p] ==> a[p] := false; a[(p + 1) % 4] := true; end; end;`,
			"ring of order 2 on (P 0, P 1, P 2, P 3)", "`i % 2` at 3:34 computes with P"},
		{"no ring", `
type P: 0..3; var a: array [P] of boolean;
startstate for i: P do a[i] := i = 0; end; end;
ruleset p: P do rule a[p] ==> a[p] := false; a[(p + 1) % 4] := true; end; end;`,
			"", "computes with P"},
		{"order", `
type P: 0..3; var a: array [P] of boolean; p: P;
startstate for i: P do a[i] := false; end; p := 0; end;
ruleset q: P do rule p < q ==> p := q; a[q] := true; end; end;`,
			"", "`p < q` at 4:24 knows the order of P"},
		{"order in a property only", `
type P: 0..2; var a: array [P] of boolean;
startstate for i: P do a[i] := false; end; end;
ruleset q: P do rule forall p: P do !a[p] end ==> a[q] := true; end; rule a[q] ==> a[q] := false; end; end;
invariant "one" forall p: P do forall q: P do p < q -> !(a[p] & a[q]) end end;`,
			"{P 0, P 1, P 2}", ""},
		{"an enum", `
type E: enum {none, left, right}; var a: array [E] of boolean; e: E;
startstate for x: E do a[x] := false; end; e := none; end;
ruleset x: E do rule x != none & e = none ==> e := x; a[x] := true; end; end;
rule e != none ==> e := none; end;`,
			"{left, right}", "sets none apart"},
		{"through procedures", `
type P: 1..3; var a: array [P] of P;
function f(p: P): P; begin return a[p]; end;
procedure g(var p: P; q: P); begin p := q; end;
ruleset p: P do startstate for i: P do a[i] := p; end; end; end;
ruleset p: P do rule f(p) != p ==> g(a[f(p)], p); end; rule a[p] = p ==> alias x: a[p] do for i: P do if i != p then g(x, x); a[i] := x; end; end; end; end; end;`,
			"{P 1, P 2, P 3}", ""},
		{"a loop whose order matters is not found by reading", `
type P: 1..3; var a: array [P] of boolean; p: P;
ruleset q: P do startstate for i: P do a[i] := false; end; p := q; end; end;
ruleset q: P do rule true ==> a[q] := !a[q]; end; end;
rule true ==> for i: P do if a[i] then p := i; end; end; end;`,
			"", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, inf, r := inferred(t, c.src, murphi.Options{})
			if got := parts(e, r); got != c.want {
				t.Errorf("verified %s, want %s: %v", got, c.want, r.Refutations)
			}
			var limits []string
			for _, class := range inf.Classes {
				limits = append(limits, class.Limits...)
			}
			if got := strings.Join(limits, "; "); !strings.Contains(got, c.limits) || c.limits == "" && got != "" {
				t.Errorf("limits %q, want %q", got, c.limits)
			}
			if got := inf.Found(e.Model, r); got != (c.want != "") {
				t.Errorf("something was found: %v", got)
			}
		})
	}
}

// TestInferNothing: a model without such types is left alone.
func TestInferNothing(t *testing.T) {
	m, err := murphi.Parse("test.m", []byte("var n: 0..3; startstate n := 0; end; rule n < 3 ==> n := n + 1; end;"), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if same, inf := infer.Classes(m); same != m || len(inf.Classes) != 0 || inf.Generators() != 0 {
		t.Errorf("inferred %+v", inf)
	}
}

// TestInferKeepsErrors: what reads an undefined value of a range errs, though a
// scalarset would compare as different.
func TestInferKeepsErrors(t *testing.T) {
	src := `
type P: %s; var a: array [P] of boolean; p: P;
startstate for i: P do a[i] := false; end; undefine p; end;
ruleset q: P do rule p = q ==> a[q] := true; end; rule !a[q] ==> a[q] := true; p := q; end; end;`
	for kind, want := range map[string]bool{"1..3": true, "scalarset(3)": false} {
		e, _, r := inferred(t, fmt.Sprintf(src, kind), murphi.Options{})
		if got := r.System.Order().Int64(); got != 6 {
			t.Errorf("%s: order %d, want 6", kind, got)
		}
		errs := false
		m := e.Program.NewMachine()
		m.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
			m.Successors(s, func(_ model.Choice, _ model.State, v *model.Violation) bool { errs = errs || v != nil; return true })
			return true
		})
		if errs != want {
			t.Errorf("%s: the interpreter errs: %v", kind, errs)
		}
		first := e.Model.Rules[0].Params[0].Domain.Values()[0]
		frames, err := e.Sys.Run(&ts.Trace{
			Init: e.EncodeStart(model.Choice{}), Inputs: [][]bool{e.EncodeChoice(model.Choice{Params: []int64{first}})},
		})
		if err != nil {
			t.Fatal(err)
		}
		errs = slices.ContainsFunc(e.PropBads[e.Model.Runtime().Index], func(b int) bool { return frames[0].Bads[b] })
		if errs != want {
			t.Errorf("%s: the encoding errs: %v", kind, errs)
		}
	}
}

// TestWithoutInference: the classes of a model are not tried unless what was inferred
// of them is given.
func TestWithoutInference(t *testing.T) {
	m, err := murphi.Parse("test.m", []byte("type P: 0..1; var a: array [P] of boolean; startstate for i: P do a[i] := false; end; end; ruleset i: P do rule true ==> a[i] := true; end; end;"), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, _ = infer.Classes(m)
	e, err := encode.Model(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	r, err := declared.Check(context.Background(), e.Model, e, e.Sys, e.PropBads, declared.Options{})
	if err != nil || !r.System.Trivial() || r.Tried != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
