package counters_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/counters"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
)

// TestRandom: random models of which a class can be counted do the same in each state, counted or not, in
// both dialects and for all senses of deadlock.
func TestRandom(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 60
	}
	if nightly.On() {
		n = 5000
	}
	taken, cut, errs := 0, 0, 0
	for seed := range uint64(n) {
		src := murphitest.Counted(rand.New(rand.NewPCG(seed, 17)))
		opt := murphi.Options{Dialect: model.Dialect(seed % 2), Deadlock: model.DeadlockMode(seed / 2 % 3)}
		m, err := murphi.Parse("random.m", []byte(src), opt)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		tr, err := translate(m)
		if err != nil {
			if testing.Verbose() {
				t.Logf("seed %d: %v", seed, err)
			}
			continue
		}
		taken++
		all := []*counters.Translation{tr}
		if tr, err := translateDouble(m, 1+int(seed%3), ""); err == nil && tr.Cut > 0 {
			all = append(all, tr)
			cut++
		}
		for _, tr := range all {
			if _, _, err := bisimilar(tr, 600); err != nil {
				if errs++; errs < 4 {
					t.Errorf("seed %d, cut %d: %v\n%s", seed, tr.Cut, err, src)
				}
			}
		}
	}
	t.Logf("%d of %d models counted, %d of them with counters that stop; %d wrong", taken, n, cut, errs)
	if cut < n/10 {
		t.Errorf("only %d of %d models can be counted with counters that stop", cut, n)
	}
	if taken < n/2 {
		t.Errorf("only %d of %d models can be counted", taken, n)
	}
}

// TestDoubles: a translation that breaks one rule differs from the model. The models show it at once; where
// the rule is one of form, the model is refused for the reason given.
func TestDoubles(t *testing.T) {
	const head = `type PROC: scalarset(3); PHASE: enum {N, T, C}; SMALL: 0..2;
var State: array[PROC] of PHASE; Num: array[PROC] of SMALL; G: 0..3; B: boolean;
startstate for p: PROC do State[p] := N; Num[p] := 0; end; G := 0; B := false; end;
`
	shown := map[string]bool{}
	for _, c := range []struct {
		double, src, refused string
		cut                  int
	}{
		{"the component itself is counted among the others", `
ruleset p: PROC do rule "R" forall q: PROC do q != p -> State[q] != State[p] end ==> begin State[p] := T; end; end;
ruleset p: PROC do rule "S" true ==> begin State[p] := C; end; end;`, "", 0},
		{"two parameters are never the same component", `
ruleset p: PROC; q: PROC do rule "R" State[p] = State[q] ==> begin State[p] := T; State[q] := C; end; end;`, "", 0},
		{"a loop that adds runs once for each local state", `
ruleset p: PROC do rule "R" State[p] = N ==> begin State[p] := T; G := 0; for q: PROC do if State[q] = T then G := G + 1; end; end; end; end;`, "", 0},
		{"an expression over components may err", `
ruleset p: PROC do rule "U" State[p] = N ==> begin State[p] := T; undefine Num[p]; end; end;
ruleset p: PROC do rule "V" State[p] = N ==> begin State[p] := C; Num[p] := 1; end; end;
rule "R" forall q: PROC do Num[q] = 0 end ==> begin B := true; end;`, "6:31: this quantifier over PROC may err, as Num[q] may", 0},
		{"a loop may read what other iterations write", `
ruleset p: PROC do rule "V" State[p] = N ==> begin State[p] := C; end; end;
rule "R" true ==> begin for q: PROC do if exists r: PROC do State[r] = C end then State[q] := T; end; end; end;`, "5:66: the loop over PROC reads State of other components", 0},
		{"many less one are not many", `
ruleset p: PROC do rule "R" State[p] = N ==> begin State[p] := T; end; end;`, "", 2},
		{"counters stop at any number", `
ruleset p: PROC; q: PROC do rule "R" State[p] = State[q] ==> begin State[p] := T; State[q] := C; end; end;`, "2 components of PROC are named at once", 1},
	} {
		m, err := murphi.Parse("double.m", []byte(head+c.src[1:]), murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tr, err := translateDouble(m, c.cut, "")
		switch {
		case c.refused == "" && err != nil, c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)):
			t.Errorf("%s: %v", c.double, err)
			continue
		case err == nil:
			if _, _, err := bisimilar(tr, 1000); err != nil {
				t.Errorf("%s: the translation itself: %v", c.double, err)
			}
		}
		if tr, err = translateDouble(m, c.cut, c.double); err != nil {
			t.Errorf("%s: %v", c.double, err)
		} else if _, _, err := bisimilar(tr, 1000); err == nil {
			t.Errorf("%s: no difference", c.double)
		}
		shown[c.double] = true
	}
	for double := range counters.Doubles {
		if !shown[double] {
			t.Errorf("%s: not shown", double)
		}
	}
}
