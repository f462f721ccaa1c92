package murphi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"orbitmc/model"
)

// TestLemmas takes texts of lemmas apart. What comes out is read as the same invariants.
func TestLemmas(t *testing.T) {
	const base = "type P: scalarset(3); var a: array [P] of 0..3; startstate for p: P do a[p] := 0; end; end;\n"
	const src = `
function f(p: P): boolean; const two: 2; begin return a[p] < two; end;
invariant "one" forall p: P do a[p] = 0 ? true : f(p) end;
ruleset p: P; q: P do ruleset n := 1 to 3 by 2 do
  invariant p != q -> a[p] != n | a[q] != n;
  invariant "three" n > 0;
end; end;
`
	all, rest, err := Lemmas("l.m", []byte("\ufeff"+src), model.CMurphi)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	again := base + string(rest) + "\n"
	for _, l := range all {
		got = append(got, fmt.Sprintf("%q %v %s", l.Name, l.Pos, l.Expr))
		again += "invariant " + l.Expr + ";\n"
	}
	want := []string{
		`"one" 3:1 forall p : P do a[p] = 0 ? true : f(p) end`,
		`"" 5:3 forall p : P; q : P do forall n := 1 to 3 by 2 do p != q -> a[p] != n | a[q] != n end end`,
		`"three" 6:3 forall p : P; q : P do forall n := 1 to 3 by 2 do n > 0 end end`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, err := Parse("again.m", []byte(again), Options{}); err != nil {
		t.Errorf("%s\n%v", again, err)
	}
	for _, c := range []struct{ src, at string }{
		{"invariant true;\ncover true;", "2:1"}, {"var x: boolean;", "1:5"}, {"const K: 3;", "1:7"}, {"type T: 1..2;", "1:6"}, {"rule true ==> end;", "1:1"},
		{"startstate end;", "1:1"}, {"alias x: a[1] do invariant x = 1; end;", "1:7"}, {"invariant x y", "1:"},
	} {
		if _, _, err := Lemmas("l.m", []byte(c.src), model.CMurphi); err == nil || !strings.HasPrefix(err.Error(), "l.m:"+c.at) {
			t.Errorf("%s: %v", c.src, err)
		}
	}
}
