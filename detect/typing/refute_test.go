package typing_test

import (
	"testing"

	"orbitmc/detect/typing"
	"orbitmc/model"
)

// TestRefuted: states do not refute what is symmetric, and refute most of what is not.
func TestRefuted(t *testing.T) {
	refuted := make(map[string]bool)
	for _, c := range cases {
		m := parse(t, head+c.rest, c.dialect)
		blocks := [][][]int{{{0}, {1}, {2}}}
		refuted[c.name] = typing.Refuted(model.Compile(m), []int{0}, blocks)
		if refuted[c.name] && c.want == "" {
			t.Errorf("%s: refuted", c.name)
		}
		if !typing.Refuted(model.Compile(m), []int{0}, [][][]int{{{0, 1, 2}}}) {
			t.Errorf("%s: something is left out", c.name)
		}
	}
	for _, name := range []string{"a component of another", "a sum that is read", "a search that writes", "what a case left"} {
		if !refuted[name] {
			t.Errorf("%s: not refuted", name)
		}
	}
	n := 0
	for _, yes := range refuted {
		if yes {
			n++
		}
	}
	t.Logf("%d of %d cases refuted", n, len(cases))
}

// TestRefutedPart: two values are interchangeable, the third one is not, and there is no
// rotation.
func TestRefutedPart(t *testing.T) {
	m := parse(t, `type P: scalarset(3); var x: array [P] of 0..3;
startstate for i: P do x[i] := 0; end; end;
rule var k: 0..3; begin k := 0; for i: P do if k < 2 then x[i] := (x[i] + 1) % 4; end; k := k + 1; end; end;
ruleset p: P do rule x[p] > 0 ==> x[p] := x[p] - 1; end; end;`, model.CMurphi)
	p := model.Compile(m)
	if typing.Refuted(p, []int{0}, [][][]int{{{0}, {1}, {2}}}) {
		t.Error("the exchange of the first two values is refuted")
	}
	if !typing.Refuted(p, []int{0}, [][][]int{{{0, 1}, {2}}}) {
		t.Error("the third value is not told apart")
	}
}
