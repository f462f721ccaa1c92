package murphi

import (
	"slices"
	"testing"

	"orbitmc/model"
)

// TestOrigins: what a variable may owe its value to, those of the invariant first.
func TestOrigins(t *testing.T) {
	src := `const N: 2; type P: scalarset(N); Q: scalarset(N);
var mem: array [Q] of array [P] of boolean; vote, done: array [P] of boolean; held: Q; none: boolean;
startstate begin for p: P do vote[p] := false; done[p] := false; end; none := true; end;
ruleset p: P do rule "vote" none & !vote[p] ==> begin vote[p] := true; end; end;
ruleset p: P; q: Q do rule "done" none & forall r: P do mem[q][r] -> vote[r] end ==> begin done[p] := true; end; end;
ruleset q: Q do rule "keep" none & forall r: P do mem[q][r] end ==> begin none := false; held := q; end; end;
invariant forall p: P do !done[p] end;
`
	got, err := Origins("m.m", []byte(src), model.CMurphi)
	if err != nil {
		t.Fatal(err)
	}
	asks := "(none) & (forall r : P do mem[q][r] -> vote[r] end)"
	of := "forall p : P do isundefined(done[p]) | done[p] != true | "
	not := "forall p : P do isundefined(vote[p]) | vote[p] != true | "
	want := []string{
		of + "(exists q : Q do " + asks + " end) end",
		"exists q : Q do " + "forall p : P do isundefined(done[p]) | done[p] != true | " + asks + " end end",
		of + "(exists q : Q do (forall r : P do mem[q][r] -> vote[r] end) end) end",
		"exists q : Q do " + "forall p : P do isundefined(done[p]) | done[p] != true | (forall r : P do mem[q][r] -> vote[r] end) end end",
		of + "((none)) end",
		// The rule sets none: what it asked of none need not hold behind it. It keeps q.
		"isundefined(none) | none != false | ((!isundefined(held) & held = held) & (forall r : P do mem[held][r] end))",
	}
	if !slices.Contains(got, not+"((none)) end") {
		t.Errorf("%q", got)
	}
	for i, w := range want {
		if i >= len(got) || got[i] != w {
			t.Fatalf("%d: got %q, want %q", i, got[i:], w)
		}
	}
	if !slices.Contains(got, "forall q : Q do isundefined(held) | held != q | ((!isundefined(none) & none = false) & (forall r : P do mem[q][r] end)) end") {
		t.Errorf("%q", got)
	}
}
