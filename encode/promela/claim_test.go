package promela_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orbitmc/encode/promela"
	"orbitmc/internal/explicit"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/promelatest"
	"orbitmc/model"
)

// violated explores a program and says whether a claim is violated; ok is false if the claim is not checked.
func violated(t *testing.T, src, claim string) (bad, ok bool) {
	t.Helper()
	p, err := promela.Parse("claim.pml", []byte(src), promela.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	for _, c := range p.Claims {
		if c.Name == claim {
			t.Logf("%s: %s", claim, c.Reason)
			return false, false
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := explicit.Run(ctx, model.Compile(p.Model), explicit.Options{All: true, Threads: 1})
	if err != nil || !r.Complete {
		t.Fatalf("%v %v\n%s", err, r, src)
	}
	found := false
	for _, q := range p.Model.Props {
		found = found || q.Name == claim
	}
	if !found {
		t.Fatalf("%s is neither checked nor named\n%s", claim, src)
	}
	for _, v := range r.Violations {
		if p.Model.Props[v.Prop].Name == claim {
			bad = true
		}
	}
	return bad, true
}

// TestClaims gives the verdicts of claims; SPIN 6.5.2 has the same.
func TestClaims(t *testing.T) {
	const steps = "byte x; active proctype A() { x = 1; x = 2; x = 3 } "
	for _, c := range []struct {
		name, src, claim string
		bad, checked     bool
	}{
		{"an invariant", steps + "ltl p { [] (x < 3) }", "p", true, true},
		{"an invariant that holds", steps + "ltl p { [] (x < 4) }", "p", false, true},
		{"the first state is read", steps + "ltl p { x == 0 }", "p", false, true},
		{"the first state is bad", steps + "ltl p { x == 1 }", "p", true, true},
		{"order", steps + "ltl p { (x < 2) W (x == 2) }", "p", false, true},
		{"order that is wrong", steps + "ltl p { (x < 2) W (x == 3) }", "p", true, true},
		{"something infinite", steps + "ltl p { <> (x == 3) }", "p", false, false},
		{"a strong until", steps + "ltl p { (x < 2) U (x == 2) }", "p", false, false},
		{"negation", steps + "ltl p { !<>(x == 3) }", "p", true, true},
		{"[] binds stronger than W and &&", steps + "ltl p { [] (x < 3) W x == 0 && x == 0 }", "p", false, true},
		{"implication", steps + "ltl p { [] ((x == 2) -> [] (x >= 2)) }", "p", false, true},
		{"implication that fails", steps + "ltl p { always ((x == 1) implies always (x == 1)) }", "p", true, true},
		{"a release", steps + "ltl p { (x == 2) V (x < 3) }", "p", false, true},
		{"an atomic sequence is not looked into", "byte x; active proctype A() { atomic { x = 1; x = 2 } } ltl p { [] (x != 1) }", "p", false, true},
		{"a never claim that ends", steps + "never { do :: x == 3 -> break :: else od }", "never", true, true},
		{"a never claim that blocks", steps + "never { x == 0; x == 2 }", "never", false, true},
		{"a never claim goes on alone", "byte x; active proctype A() { x = 1 } never { x == 0; x == 1; x == 1; x == 1; x == 1; x == 1; x == 1 }", "never", true, true},
		{"a never claim goes on in a deadlock", "byte x; active proctype A() { x = 1; false } never { x == 0; x == 1; x == 1; x == 1 }", "never", true, true},
		{"a never claim goes on alone, and blocks", "byte x; active proctype A() { x = 1 } never { x == 0; x == 1; x == 1; x == 1; x == 1; x == 1; x == 2 }", "never", false, true},
		{"an atomic sequence of a claim reads one state", steps + "never { skip; atomic { x == 1; x == 1; x == 1 }; x == 2 }", "never", true, true},
		{"an assertion in a claim", steps + "never { do :: assert(x != 2) od }", "never", true, true},
		{"accept_all", steps + "never { T0: do :: x == 2 -> goto accept_all :: true od; accept_all: do :: true od }", "never", true, true},
		{"accept on a cycle with a condition", steps + "never { accept: do :: x != 9 od }", "never", false, false},
		{"a label of a process", "byte x; active proctype A() { x = 1; L: x = 2 } ltl p { [] !(A@L) }", "p", true, true},
		{"a variable of a process", "active proctype A() { byte y; y = 1; y = 2 } ltl p { [] (A:y < 2) }", "p", true, true},
		{"the operator next", steps + "ltl p { X (x == 1) }", "p", false, false},
		{"timeout in a claim", steps + "never { timeout }", "never", false, false},
	} {
		bad, checked := violated(t, c.src, c.claim)
		if bad != c.bad || checked != c.checked {
			t.Errorf("%s: violated %v, checked %v; want %v, %v", c.name, bad, checked, c.bad, c.checked)
		}
	}
}

// TestRandomClaims compares the verdicts of random claims with those of SPIN's verifier,
// which searches for accepting cycles as well.
func TestRandomClaims(t *testing.T) {
	if !promelatest.HasSpin() {
		t.Skip("spin and gcc are not installed")
	}
	n, first := nightly.Or(5, 300), uint64(1)
	if testing.Short() {
		n = 3
	}
	if s := os.Getenv("ORBITMC_SEED"); s != "" {
		fmt.Sscan(s, &first)
	}
	compared, bad, skipped := 0, 0, map[string]int{}
	for seed := first; seed < first+uint64(n); seed++ {
		rng := rand.New(rand.NewPCG(seed, 7))
		src, names := promelatest.RandomClaims(rng)
		dir := t.TempDir()
		file := filepath.Join(dir, "claims.pml")
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		verdicts, err := promelatest.PanClaims(dir, file, names, 20*time.Second)
		if err != nil {
			skipped[strings.SplitN(err.Error(), "\n", 2)[0]]++
			continue
		}
		for i, name := range names {
			got, checked := violated(t, src, name)
			if !checked {
				skipped["not checked"]++
				continue
			}
			compared++
			if got {
				bad++
			}
			if got != verdicts[i] {
				t.Errorf("seed %d: %s violated: %v, pan says %v\n%s", seed, name, got, verdicts[i], src)
			}
		}
		os.RemoveAll(dir)
	}
	t.Logf("%d claims compared, %d of them violated; not compared: %v", compared, bad, skipped)
	if compared < n || bad == 0 || bad == compared {
		t.Errorf("too few claims were compared, or all of one verdict")
	}
}

// TestFormulaReading: operators without parentheses are read as SPIN 6.5.2 says that it reads them.
func TestFormulaReading(t *testing.T) {
	read := func(text string) (string, error) {
		src := "byte x; bool p, q, r, s; init { x = 1; p = 1; q = 1; r = 1; s = 1 }\nltl f { " + text + " }\n"
		g, err := promela.Parse("m.pml", []byte(src), promela.Options{Formulas: []string{"f"}})
		if err != nil {
			return "", err
		}
		return g.Model.Formulas[0].LTL.String(), nil
	}
	for text, spin := range map[string]string{
		"[] p U q":           "([] (p)) U (q)",
		"<> p U q":           "(<> (p)) U (q)",
		"always p until q":   "([] (p)) U (q)",
		"[] ! p U q":         "([] (! (p))) U (q)",
		"<>[] p U q":         "(<> ([] (p))) U (q)",
		"! p U q":            "(! (p)) U (q)",
		"! [] p U q":         "(! ([] (p))) U (q)",
		"p U [] q && r":      "((p) U ([] (q))) && (r)",
		"p U <> q U r":       "((p) U (<> (q))) U (r)",
		"p U q U r":          "((p) U (q)) U (r)",
		"p V q U r":          "((p) V (q)) U (r)",
		"p W q U r":          "(([] (p)) || ((p) U (q))) U (r)",
		"p -> q -> r":        "((p) -> (q)) -> (r)",
		"p <-> q -> r":       "((p) <-> (q)) -> (r)",
		"p || q U r -> s":    "((p) || ((q) U (r))) -> (s)",
		"p && q U r || s":    "((p) && ((q) U (r))) || (s)",
		"[] p -> q":          "([] (p)) -> (q)",
		"[] p || q":          "([] (p)) || (q)",
		"[] <> p -> [] <> q": "([] (<> (p))) -> ([] (<> (q)))",
		"p U x + 1 == 2":     "(p) U ((x + 1) == 2)",
	} {
		got, err := read(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if text == "p W q U r" { // here W is a release
			spin = "((q) V ((p) || (q))) U (r)"
		}
		if want, err := read(spin); err != nil || got != want {
			t.Errorf("%s: %s, want %s, %v", text, got, want, err)
		}
	}
	for text, want := range map[string]string{
		"[] x == 1":      "[] binds tighter than ==; write [] (x==1)",
		"p -> <> x == 1": "<> binds tighter than ==; write <> (x==1)",
		"<> x + 1 == 2":  "<> binds tighter than ==; write <> ((x+1)==2)",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
