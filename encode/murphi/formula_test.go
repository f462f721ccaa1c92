package murphi

import (
	"slices"
	"strings"
	"testing"

	"orbitmc/model"
)

// TestFormulas: how formulas are read.
func TestFormulas(t *testing.T) {
	const m = `--@ ltl noted: G a
--@ fair weak: "go on"
var a, b: boolean; G: boolean; n: 0..3;
startstate begin a := true; b := true; G := true; n := 0; end;
rule "go on" begin a := !a; end;
ruleset i: 0..2 do rule "put" begin n := i; end; end;
fairness "often" b;
`
	for text, want := range map[string]string{
		"x: G a":                       "(false R a0)",
		"x: [] <> a":                   "(false R (true U a0))",
		"x: a -> F b":                  "(!a0 | (true U a1))",
		"x: a & b U a":                 "(a0 & (a1 U a2))",
		"x: (a & b) U a":               "(a0 U a1)",
		"x: !F a":                      "!(true U a0)",
		"x: G (n = 1 -> X n != 2)":     "(false R (!a0 | X a1))",
		"x: a W b":                     "(a1 R (a0 | a1))",
		"x: F a = F b":                 "(true U ((!a0 | (true U a1)) & (!(true U a1) | a0)))", // F reaches over the comparison
		"x: (F a) = (F b)":             "((!(true U a0) | (true U a1)) & (!(true U a1) | (true U a0)))",
		"x: true U false":              "(true U false)",
		"x: a U b U a":                 "",
		"x: G (n + F a)":               "",
		"x: forall i: 0..1: G n = i":   "(false R a0)",
		"x: (exists i: 0..1 do a end)": "a0",
		"x: G":                         "",
		"x: a b":                       "",
		"noted":                        "(false R a0)",
	} {
		got, err := Parse("m", []byte(m), Options{Formulas: []string{text}})
		switch {
		case err != nil && want != "":
			t.Errorf("%s: %v", text, err)
		case err == nil && got.Formulas[0].LTL.String() != want:
			t.Errorf("%s: %v, not %s", text, got.Formulas[0].LTL, want)
		case err == nil && (len(got.Fair.Rules) != 1 || got.Fair.Rules[0].Strong || len(got.Fair.Often) != 1):
			t.Errorf("%s: fairness %v", text, got.Fair)
		}
	}
	trees := strings.ReplaceAll("--@ ctl noted: AG EF a\n"+m[:strings.LastIndex(m, "fairness")], "--@ fair", "-- fair")
	for text, want := range map[string]string{
		"x: AG EF a":                         "AG EF a0",
		"x: AG (a -> AF b)":                  "AG (a0 -> AF a1)",
		"x: !EF a":                           "AG !a0",
		"x: EX !a & AX b":                    "(EX !a0 & AX a1)",
		"x: AF n = 1 -> EG G":                "(AF a0 -> EG a1)",
		"x: A [a U b & G]":                   "A [a0 U a1]",
		"x: E [EF a | b U AF !b]":            "E [(EF a0 | a1) U AF !a2]",
		"x: E [a W b]":                       "E [a1 R (a0 | a1)]",
		"x: A [a R b]":                       "A [a0 R a1]",
		"x: E [b S a] & EY a & EP b & AH a":  "(((E [a0 S a1] & EY a2) & EP a3) & AH a4)",
		"x: forall i: 0..1: AG EF n = i":     "AG EF a0",
		"x: (EF a) = EX true":                "((EF a0 -> EX true) & (EX true -> EF a0))",
		"x: a":                               "a0",
		"x: forall i: 0..1 do AG n = i end":  "",
		"x: AG (forall i: 0..1 do EF a end)": "",
		"x: A [a S b]":                       "",
		"x: A a U b":                         "",
		"x: E [a U]":                         "",
		"x: E [a U b":                        "",
		"x: n + EF a":                        "",
		"x: +AF a":                           "",
		"x: a & -EF a":                       "",
		"noted":                              "AG EF a0",
		"other":                              "",
	} {
		got, err := Parse("m", []byte(trees), Options{Trees: []string{text}})
		if err != nil {
			if want != "" {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		k := slices.IndexFunc(got.Props, func(q *model.Property) bool { return q.Kind == model.Branching })
		q := got.Props[k]
		if f := q.Tree.Formula; f.String() != want || (q.Pos == model.Pos{}) != (text != "noted") {
			t.Errorf("%s: %v, not %s", text, f, want)
		}
		for i, a := range q.Tree.Atoms {
			if got.Props[a.Index] != a || a.Kind != model.Liveness || q.Tree.Texts[i] == "" {
				t.Errorf("%s: %v is no atom", text, a)
			}
		}
	}
	// With fairness, declared, noted or of the command line, paths are fair ones.
	for text, want := range map[string]string{
		"x: AG EF a":        "AG (EF (a0 & fair EG true) | !fair EG true)",
		"x: AG (a -> AF b)": "AG (a0 -> !fair EG !a1)",
		"x: EX a & EG b":    "(EX (a0 & fair EG true) & fair EG a1)",
		"x: E [a U AX b]":   "E [a0 U (AX (a1 | !fair EG true) & fair EG true)]",
		"x: A [a U b]":      "(A [a1 R ((!a0 & !a1) -> !fair EG true)] & !fair EG !a1)",
		"x: EF EG a":        "EF fair EG a0",
		"x: EP a":           "EP a0",
	} {
		for what, opt := range map[string]Options{"declared": {}, "noted": {}, "given": {Fair: []string{"weak:*"}}} {
			src := map[string]string{"declared": strings.ReplaceAll(m, "--@ fair", "--"), "noted": m[:strings.LastIndex(m, "fairness")], "given": trees}[what]
			opt.Trees = []string{text}
			got, err := Parse("m", []byte(src), opt)
			if err != nil {
				t.Fatal(err)
			}
			k := slices.IndexFunc(got.Props, func(q *model.Property) bool { return q.Kind == model.Branching })
			if f := got.Props[k].Tree.Formula; f.String() != want {
				t.Errorf("%s, fairness %s: %v, not %s", text, what, f, want)
			}
		}
	}
	of := func(trees ...string) Options { return Options{Trees: trees} }
	for text, opt := range map[string]Options{
		"a condition":   of("x: (AF a) ? a : b"),
		"a sign":        of("x: +AF a"),
		"an index":      of("x: h[AF a] = 1"),
		"a path":        of("x: h[A [a U b]] = 1"),
		"a path back":   of("x: h[E [a S b]] + 1 = n"),
		"an operator":   {Formulas: []string{"x: G h[F a] = 1"}},
		"two operands":  {Formulas: []string{"x: G h[a U b] = 1"}},
		"two constants": {Formulas: []string{"x: G h[1 U 2] = 1"}},
	} {
		src := strings.Replace(m[:strings.LastIndex(m, "fairness")], "n: 0..3;", "n: 0..3; h: array [boolean] of 0..3;", 1)
		if _, err := Parse("m", []byte(src), opt); err == nil || !strings.Contains(err.Error(), "temporal operators are not expected here") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Parse("m", []byte(m), Options{Formulas: []string{"x: G a"}, Trees: []string{"x: AG a"}}); err == nil || !strings.Contains(err.Error(), "not in both") {
		t.Errorf("two logics: %v", err)
	}
	got, err := Parse("m", []byte(m), Options{Formulas: []string{"noted"}, Fair: []string{"strong:*"}})
	if err != nil || len(got.Fair.Rules) != 5 || !got.Fair.Rules[0].Strong || got.Fair.Rules[4].Strong {
		t.Errorf("%v %v", err, got.Fair.Rules)
	}
	if _, err := Parse("m", []byte(m), Options{}); err == nil || !strings.Contains(err.Error(), "fairness") {
		t.Errorf("fairness without a formula: %v", err)
	}
}
