package murphi

import (
	"strings"
	"testing"
)

// TestChances: formulas as PRISM and as CMurphi write them are read, printed, and read again as the same.
func TestChances(t *testing.T) {
	const src = `
const N : 3; F : 1;
type Proc : scalarset(2);
var x : array [Proc] of 0..N; P : 0..N;
startstate P := 0; for p : Proc do x[p] := 0; end; end;
rule P = 0 ? 0.25 : 0.5 ==> end;
rule P = 0 ? 0.75 : 0.5 ==> end;
`
	for text, want := range map[string]string{
		"P=? [F P = 1]":                              "P=? [F P = 1]",
		"coin: Pmin=?[G<=3 P<=2]":                    "Pmin=? [G<=3 P <= 2]",
		"Pmax =? [!P = 1 U<=(N+1) P<=2]":             "Pmax=? [!(P = 1) U<=(N + 1) P <= 2]",
		"P >= 1.5e-1 [X P<2]":                        "P>=0.15 [X P < 2]",
		"Emin<2.50 [F forall p: Proc do x[p]=0 end]": "E<2.5 [F forall p : Proc do x[p] = 0 end]",
		"P<=2 & P>0 [F (P>=1)]":                      "P <= 2 & P>0 [F P >= 1]",
		"[true UNTIL <= N P = 1] <= 0.1":             "P<=0.1 [true U<=N P = 1]",
		"!!([next P=1]<1) ->> true || P = 2":         "!P<1 [X P = 1] -> true || P = 2",
		"[ true until<=26 ( (exists p:Proc do x[p]>0 endexists) && (!!([true UNTIL<=20 (P=2)]>=0.999)))]<=0.001": "P<=0.001 [true U<=26 exists p : Proc do x[p] > 0 end && !P>=0.999 [true U<=20 P = 2]]",
	} {
		m, err := Parse("test.m", []byte(src), Options{PCTL: true, Chances: []string{text}})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := m.Chances[0].Text
		if again, err := Parse("test.m", []byte(src), Options{PCTL: true, Chances: []string{got}}); err != nil || again.Chances[0].Text != got {
			t.Errorf("%s: printed as %s: %v", text, got, err)
		}
		if got != want && strings.ReplaceAll(got, "Emin", "E") != want {
			t.Errorf("%s: printed as %s, want %s", text, got, want)
		}
		file, err := Format("test.m", []byte(src+"pctl "+got+";"), 0)
		if err != nil || !strings.Contains(strings.Join(strings.Fields(string(file)), " "), strings.Join(strings.Fields(got), " ")) {
			t.Errorf("%s: formatted as %s, %v", got, file, err)
		}
	}
	for text, want := range map[string]string{
		"P=? [F P = 1] & P = 0":                      "a question (=?) is a formula of its own",
		"P<2 [F P = 1]":                              "a probability is not greater than 1",
		"E=? [P = 0 U P = 1]":                        "expected is a number of steps",
		"P=? [F<=P P = 1]":                           "the bound",
		"P=? [F x]":                                  "must be boolean",
		"P=? [P = 0 W P = 1]":                        "expected U",
		"forall p : Proc do P>=0.5 [F x[p] = 1] end": "temporal operators stand outside of quantifiers",
		"P=? [F P = 1":                               "expected ']'",
	} {
		if _, err := Parse("test.m", []byte(src), Options{PCTL: true, Chances: []string{text}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
