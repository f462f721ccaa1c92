package portfolio

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/internal/task"
	"orbitmc/mc"
)

const hiddenHead = `type P: scalarset(4);
var a: array [P] of 0..1; u: array [P] of boolean; done: boolean; t: P;
startstate for p: P do a[p] := 0; undefine u[p]; end; done := false; end;
ruleset p: P do rule "on" a[p] = 0 & !done ==> a[p] := 1; u[p] := true; end; end;
ruleset p: P do rule "off" a[p] = 1 ==> a[p] := 0; undefine u[p]; end; end;
`

// hiddenCases are models with quantifiers some operand of which may err, and whether one errs
// behind one that decides, in a reachable state.
var hiddenCases = []struct {
	name, rest string
	hides      bool
	states     int64 // under symmetry; 0: as many as without
}{
	{"no operand errs", `invariant "i" forall p: P do a[p] > 0 -> u[p] end;`, false, 5},
	{"no operand errs in a guard", `rule exists p: P do a[p] > 0 & u[p] end ==> done := true; end; rule done ==> done := false; end;`, false, 10},
	{"all operands err", `rule "x" forall p: P do a[p] = 0 end & exists p: P do u[p] end ==> done := true; end;`, false, 5},
	{"in a property", `ruleset p: P do rule "low" a[p] = 0 & !done ==> u[p] := false; a[p] := 1; end; end;
invariant "i" forall p: P do forall q: P do a[q] = 0 | u[q] end | u[p] end;`, true, 0},
	{"in the parameters of a property", `ruleset p: P do rule "low" a[p] = 0 & !done ==> u[p] := false; a[p] := 1; end; end;
ruleset p: P do invariant "i" forall q: P do a[q] = 0 | u[q] end | u[p] end;`, true, 0},
	{"in a guard", `rule "x" exists p: P do u[p] end ==> done := true; end;`, true, 0},
	{"in a body", `rule "x" !done ==> if exists p: P do u[p] end then done := true; end; end;`, true, 0},
	{"always behind one that decides", `rule "x" !done & exists p: P do a[p] = 1 end ==> if exists p: P do u[p] end then done := true; end; end;`, true, 0},
	{"always behind one that decides, in a property", `invariant "i" (exists p: P do a[p] = 1 end) -> exists p: P do u[p] end;`, true, 0},
	{"in a function", `function some(): boolean; begin return exists p: P do u[p] end; end; rule "x" !done & some() ==> done := true; end;`, true, 0},
	{"in a loop", `rule "x" !done ==> for q: P do if a[q] = 1 & exists p: P do p = q | u[p] end then done := true; end; end; end;`, true, 0},
	{"behind an operand of another quantifier", `rule "x" exists q: P do a[q] = 1 & exists p: P do p != q & u[p] end end ==> done := true; end;`, true, 0},
}

// TestHidden: explicit search uses the symmetry of a model whose quantifiers might hide an error
// if none does, and falls back if one does. Verdicts and depths are those without symmetry.
func TestHidden(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hidden.m")
	for _, c := range hiddenCases {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(hiddenHead+c.rest), 0o644); err != nil {
				t.Fatal(err)
			}
			ref, err := decide(file, "explicit", "off", task.Options{}, mc.Options{All: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, engines := range []string{"explicit", "all"} {
				for _, all := range []bool{true, false} {
					e, err := decide(file, engines, "auto", task.Options{}, mc.Options{All: all})
					if err == nil && engines == "explicit" {
						err = e.agrees(ref, all)
					}
					if err != nil {
						t.Fatalf("%s, all %v: %v", engines, all, err)
					}
					if x, y := e.out.Result.Verdict(), ref.out.Result.Verdict(); x != y && !c.hides {
						t.Errorf("%s, all %v: %v, without symmetry %v", engines, all, x, y)
					}
					if engines != "explicit" || !all {
						continue
					}
					if p := e.out.Problem; p.Typed && len(p.Strict) > 0 == c.hides {
						t.Errorf("symmetry that counts only where no error is hidden: %v", len(p.Strict) > 0)
					}
					want := c.states
					if want == 0 {
						want = ref.out.Each[0].Stats.States
					}
					if n := e.out.Each[0].Stats.States; n != want {
						t.Errorf("%d states, want %d", n, want)
					}
				}
			}
		})
	}
}

// TestHiddenDouble: a search that does not look whether an error is hidden gives a wrong
// answer, and its evidence is rejected.
func TestHiddenDouble(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hidden.m")
	wrong := 0
	for _, c := range hiddenCases {
		if err := os.WriteFile(file, []byte(hiddenHead+c.rest), 0o644); err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		x, err := task.Open(ctx, file, task.Options{})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := x.Plain(ctx)
		if err != nil {
			t.Fatal(err)
		}
		a, err := x.Quick(ctx, plain)
		if err != nil {
			t.Fatal(err)
		}
		p := *a.Problem
		if len(p.Strict) == 0 {
			t.Fatalf("%s: nothing may be hidden", c.name)
		}
		blind := p
		blind.Strict = nil
		for _, opt := range []mc.Options{{All: true}, {}} {
			r, err := (&explicit.Engine{Canon: explicit.Exact}).Run(ctx, &blind, opt)
			if err != nil {
				if !c.hides {
					t.Fatalf("%s: %v", c.name, err)
				}
				wrong++
				continue
			}
			if r.Closure == nil {
				continue
			}
			for _, q := range []*mc.Problem{&blind, &p} {
				err = certify.Verify(ctx, q, r)
				if ok := err == nil; ok != (q == &p && !c.hides) {
					t.Errorf("%s: the evidence of a blind search: %v", c.name, err)
				}
				if c.hides && err != nil && !strings.Contains(err.Error(), "err") {
					t.Errorf("%s: %v", c.name, err)
				}
			}
			if c.hides {
				wrong++
			}
		}
	}
	if wrong < 4 {
		t.Errorf("blind searches were wrong %d times only", wrong)
	}
}
