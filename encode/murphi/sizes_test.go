package murphi

import (
	"fmt"
	"testing"

	"orbitmc/model"
)

// TestLiteralSizes finds sizes that are numbers, and puts constants in their place.
func TestLiteralSizes(t *testing.T) {
	src := `const N: 2; -- 3 in a comment counts for nothing
type P: scalarset(3); Q: 1..N; R: 0..N; S: 0..3; T: 2..3; U, V: 1..3; W: 1..1+2; X: scalarset(N);
var a: array[P] of 0..3; b: array[0..N] of boolean; q: Q; r: R; s: S; t: T;
startstate begin put "3"; end;
`
	sizes := LiteralSizes("m.m", []byte(src), model.CMurphi)
	text := ""
	for _, s := range sizes {
		text += fmt.Sprintf("%s %v %s %d %d %s %v\n", s.Type, s.Pos, s.Text, s.Value, s.Less, s.Declaration(""), s.Others)
	}
	if want := `P 2:19 3 3 0 scalarset(3) [2:47 2:56 2:68 3:23]
R 2:38 N 0 1 0..N [1:7 2:29 2:95 3:38]
S 2:47 3 4 1 0..3 [2:19 2:56 2:68 3:23]
`; text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
	got := string(Named([]byte(src), sizes, []string{"A", "B", "C"}, []int64{3, 3, 4}))
	want := `const A: 3; const B: 3; const C: 4; const N: 2; -- 3 in a comment counts for nothing
type P: scalarset(A); Q: 1..N; R: 0..B - 1; S: 0..C - 1; T: 2..3; U, V: 1..3; W: 1..1+2; X: scalarset(N);
`
	if len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("got\n%s", got)
	}
	if _, err := Parse("m.m", []byte(got), Options{}); err != nil {
		t.Error(err)
	}
}
