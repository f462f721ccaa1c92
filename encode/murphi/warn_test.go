package murphi

import (
	"fmt"
	"slices"
	"testing"
)

// TestWarnings compares the warnings about a text with the places and texts wanted.
func TestWarnings(t *testing.T) {
	const src = `const N : 4; type T : 0..3; E : enum { A, B };
var x, y : T; a : array [T] of 1..2; e : E; b : boolean; i : 0..9; m : multiset [2] of T;
procedure P(v : T); begin end;
function F() : T; begin return N + 1; end;
startstate begin
  x := 7;
  a[5] := 2;
  a[N - 1] := 0;
  P(-1);
  multisetadd(9, m);
  x := i;
  x := 3;
  i := 7;
  x := b ? 4 : 3;
  if N > 4 & b then x := N; elsif N = 4 | b then y := N; else y := 5; end;
  if N < 4 then x := N; end;
end;
rule N < 4 ==> x := N; end;
rule x = 0 ==> x := 8; end;
invariant x != 9 & a[4] = 1;
`
	want := []string{
		"4:32: 5 is outside the range 0..3: the return always fails",
		"6:8: 7 is outside the range 0..3: the assignment always fails",
		"7:5: 5 is outside the range 0..3: the access always fails",
		"8:15: 0 is outside the range 1..2: the assignment always fails",
		"9:5: -1 is outside the range 0..3: the call always fails",
		"10:15: 9 is outside the range 0..3: multisetadd always fails",
		"15:55: 4 is outside the range 0..3: the assignment always fails",
		"19:21: 8 is outside the range 0..3: the assignment always fails",
		"20:22: 4 is outside the range 0..3: the access always fails",
	}
	var got []string
	for _, w := range mustParse(t, src, Options{}).Warnings {
		got = append(got, fmt.Sprintf("%v: %s", w.Pos, w.Text))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
