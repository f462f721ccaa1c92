package portfolio

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryFixed: a constant that is set has that value at every size, and one that has the value of
// an open constant is no fixed one. With one slot and four processes the model is violated.
func TestEveryFixed(t *testing.T) {
	const src = `const N: 3; M: N;
type P: scalarset(N); Q: scalarset(M);
var on: array [P] of boolean; slot: array [Q] of boolean; bad: boolean;
startstate begin for p: P do on[p] := false; end; for q: Q do slot[q] := false; end; bad := false; end;
ruleset p: P do rule "turn" true ==> begin on[p] := !on[p]; end; end;
ruleset q: Q do rule "slot" true ==> begin slot[q] := !slot[q]; end; end;
rule "four" (forall a: Q do forall b: Q do a = b end end) & exists a: P do exists b: P do exists c: P do exists d: P do
  a != b & a != c & a != d & b != c & b != d & c != d & on[a] & on[b] & on[c] & on[d] end end end end ==> begin bad := true; end;
invariant "ok" !bad;
`
	file := filepath.Join(t.TempDir(), "slots.m")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		defines  []string
		only     string
		violated bool
		fixed    []string
	}{
		{[]string{"M=1"}, "", true, []string{"M=1"}},
		{[]string{"M=2"}, "", false, []string{"M=2"}},
		{nil, "N", false, nil},
		{nil, "", false, nil},
	} {
		e := &Every{File: file, Only: c.only, Most: 4}
		e.Task.Defines = c.defines
		if err := e.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if e.Violated != c.violated || (e.Proved == nil) != c.violated || !slices.Equal(e.Fixed, c.fixed) {
			t.Errorf("%v %s: violated %v, proved %v, fixed %v", c.defines, c.only, e.Violated, e.Proved != nil, e.Fixed)
		}
	}
	if err := (&Every{File: file, Least: map[string]int{"Z": 3}}).Run(context.Background()); err == nil || !strings.Contains(err.Error(), "no constant Z") {
		t.Errorf("a constant that is not there: %v", err)
	}
}
