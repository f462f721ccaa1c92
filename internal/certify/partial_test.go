package certify

import (
	"context"
	"strings"
	"testing"

	"orbitmc/detect/infer"
	"orbitmc/detect/typing"
	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/internal/pace"
	"orbitmc/model"
)

// encoded reads a model with all classes that might be partly symmetric.
func encoded(t *testing.T, src string) *encode.Encoding {
	t.Helper()
	m, err := murphi.Parse("model.m", []byte(src), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, _ = infer.Partial(m)
	enc, err := encode.Model(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	return enc
}

const ordered = `
type P: 1..4;
var s: array [P] of 0..2; own: P;
startstate for p: P do s[p] := 0; end; own := 1; endstartstate;
ruleset p: P do
  rule "count" s[p] < 2 ==> begin s[p] := s[p] + 1; endrule;
  rule "least" s[p] = 1 & forall q: P do q < p -> s[q] = 0 end ==> begin s[p] := 2; own := p; endrule;
  rule "odd" p < 3 & own = p ==> begin s[p] := 0; own := 4; endrule;
endruleset;
rule "first" s[1] = 2 ==> begin s[1] := 0; endrule;
ruleset p: P; q: P do
  rule "move" p != q & s[p] = 1 & s[q] = 0 ==> begin s[p] := 0; s[q] := 1; endrule;
endruleset;
ruleset p := 1 to 4 by 3 do rule "ends" s[p] = 2 ==> begin s[p] := 0; endrule; endruleset;
invariant "some" exists p: P do s[p] < 2 end;
invariant "two" s[2] < 2 | s[3] < 2;
`

// TestPartialKeeps: what a rule keeps is accepted, and what it does not keep is refused.
func TestPartialKeeps(t *testing.T) {
	enc := encoded(t, ordered)
	m := enc.Model
	kept := func(c ...int) model.Kept {
		return model.Kept{Cells: model.NewCells(m, func(_, v, w int) bool { return c[v] == c[w] })}
	}
	for _, c := range []struct {
		f    model.Family
		want bool
	}{
		{model.Family{Rule: 0, Kept: kept(0, 0, 0, 0)}, true},
		{model.Family{Rule: 1, Kept: kept(0, 0, 0, 0)}, false},
		{model.Family{Rule: 1, Kept: kept(0, 0, 1, 2)}, false},
		{model.Family{Rule: 1, Kept: kept(0, 1, 2, 3)}, true},
		{model.Family{Rule: 1, On: []int{0}, Members: [][]int64{{3}}, Kept: kept(0, 0, 1, 2)}, true},
		{model.Family{Rule: 1, On: []int{0}, Members: [][]int64{{3}}, Kept: kept(0, 0, 1, 1)}, false},
		{model.Family{Rule: 1, On: []int{0}, Members: [][]int64{{1}}, Kept: kept(0, 1, 1, 1)}, true},
		{model.Family{Rule: 2, Kept: kept(0, 0, 1, 2)}, true},
		{model.Family{Rule: 2, Kept: kept(0, 0, 1, 1)}, false},
		{model.Family{Rule: 2, On: []int{0}, Members: [][]int64{{3}, {4}}, Kept: kept(0, 0, 0, 0)}, false}, // not closed
		{model.Family{Rule: 2, On: []int{0}, Members: [][]int64{{3}, {4}}, Kept: kept(0, 0, 1, 1)}, true},  // never enabled
		{model.Family{Rule: 3, Kept: kept(0, 1, 1, 1)}, true},
		{model.Family{Rule: 3, Kept: kept(0, 0, 1, 1)}, false},
		{model.Family{Rule: 4, Kept: kept(0, 0, 0, 0)}, true},
		{model.Family{Rule: 5, Kept: kept(0, 1, 1, 0)}, true},
		{model.Family{Rule: 5, Kept: kept(0, 0, 0, 0)}, false}, // there is no instance for 2
	} {
		k, err := newPartial(context.Background(), enc, []model.Family{c.f})
		if err != nil {
			t.Fatal(err)
		}
		got, err := k.keeps(&c.f, c.f.Kept)
		if err != nil || got != c.want {
			t.Errorf("%q %v keeps %v: %v, want %v; %v", m.Rules[c.f.Rule].Name, c.f.Members, c.f.Cells, got, c.want, err)
		}
	}
	for _, c := range []struct {
		prop int
		kept model.Kept
		want bool
	}{{0, kept(0, 0, 0, 0), true}, {1, kept(0, 0, 0, 0), false}, {1, kept(0, 1, 1, 0), true}} {
		k, err := newPartial(context.Background(), enc, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := k.keepsProp(c.prop, c.kept); err != nil || got != c.want {
			t.Errorf("%q keeps %v: %v, want %v; %v", m.Props[c.prop].Name, c.kept, got, c.want, err)
		}
	}
}

// TestPartialNeedsStabiliser: a rule without parameters has one instance, which each permutation keeps.
// If exchanges that keep an instance are not verified, the rule passes for symmetric.
func TestPartialNeedsStabiliser(t *testing.T) {
	enc := encoded(t, ordered)
	f := model.Family{Rule: 3, Kept: model.Kept{Cells: model.WholeCells(enc.Model)}}
	k, err := newPartial(context.Background(), enc, []model.Family{f})
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := k.keeps(&f, f.Kept); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	k.stabiliser = func(*model.Model, model.Kept, model.Choice) []model.ScalarPerm { return nil }
	if ok, err := k.keeps(&f, f.Kept); !ok || err != nil {
		t.Errorf("without exchanges: %v, %v", ok, err)
	}
}

// TestPartialCounts: copies of a large system and queries count for the limit of the work, which ends it at any of them.
func TestPartialCounts(t *testing.T) {
	enc := encoded(t, ordered)
	proposal := typing.Propose(enc.Model, nil)
	whole, ended, cancel := pace.NewLimit(t.Context(), 1<<40, nil)
	defer cancel()
	if _, err := Partial(whole.With(ended), enc, proposal); err != nil {
		t.Fatal(err)
	}
	took := 1<<40 - whole.Left()
	if copies := int64(enc.Sys.G.Len()) * int64(len(enc.Model.Rules)); took <= copies {
		t.Errorf("%d steps, and there are %d nodes to copy", took, copies)
	}
	for steps := int64(1); steps < took; steps += took / 8 {
		limit, limited, cancel := pace.NewLimit(t.Context(), steps, nil)
		if _, err := Partial(limit.With(limited), enc, proposal); err == nil || !limit.Over() {
			t.Errorf("%d of %d steps: %v", steps, took, err)
		}
		cancel()
	}
}

// TestPartialNeedsInstances: a rule for processes 1 and 2 has no instance for the others, so exchanges with
// them do not keep it, though each of them keeps what the instances do that it does not move.
func TestPartialNeedsInstances(t *testing.T) {
	for _, params := range []string{"p: 1..2", "p := 1 to 2"} {
		enc := encoded(t, strings.Replace(ordered, "rule \"first\"", "ruleset "+params+" do rule \"few\" s[p] < 2 ==> begin s[p] := s[p] + 1; endrule; endruleset;\nrule \"first\"", 1))
		m := enc.Model
		for _, cells := range [][]int{{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 0, 1, 1}} {
			f := model.Family{Rule: 3, Kept: model.Kept{Cells: model.NewCells(m, func(_, v, w int) bool { return cells[v] == cells[w] })}}
			k, err := newPartial(context.Background(), enc, []model.Family{f})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := k.keeps(&f, f.Kept); err != nil || got != (cells[2] != cells[1]) {
				t.Errorf("%s keeps %v: %v, %v", params, cells, got, err)
			}
		}
	}
}

const turning = `
type P: 0..3;
var s: array [P] of 0..2; own: P;
startstate for p: P do s[p] := 0; end; own := 1; endstartstate;
ruleset p: P do
  rule "hand on" own = p & s[p] < 2 ==> begin s[p] := s[p] + 1; own := (p + 1) % 4; endrule;
  rule "halves" own = p & p % 2 = 0 ==> begin s[p] := 0; endrule;
  rule "odd" p = 3 & own = p ==> begin s[p] := 0; endrule;
endruleset;
rule "next" s[own] = 2 ==> begin s[own] := 0; own := (own + 1) % 4; endrule;
rule "first" s[own] = 2 & own = 0 ==> begin s[0] := 0; endrule;
ruleset p: P; q: P do
  rule "give" q = (p + 1) % 4 & s[p] = 1 & s[q] = 0 ==> begin s[p] := 0; s[q] := 1; endrule;
endruleset;
ruleset p := 0 to 3 by 2 do rule "ends" s[p] = 2 & own != (p + 1) % 4 ==> begin s[p] := 0; endrule; endruleset;
invariant "one" s[own] < 2 | s[(own + 1) % 4] < 2;
invariant "two" s[0] < 2 | s[2] < 2;
invariant "three" s[0] < 2 | s[1] < 2;
`

// TestPartialRings: the rotations that rules and properties keep are found, and no others are accepted.
func TestPartialRings(t *testing.T) {
	enc := encoded(t, turning)
	m := enc.Model
	ring := func(step int) model.Kept {
		return model.Kept{Cells: model.SingleCells(m)}.Rotated(m, model.Ring{Values: []int{0, 1, 2, 3}}, step)
	}
	var families []model.Family
	for i := range m.Rules {
		families = append(families, model.Family{Rule: i})
	}
	k, err := newPartial(context.Background(), enc, families)
	if err != nil {
		t.Fatal(err)
	}
	for i, least := range []int{1, 2, 4, 1, 4, 1, 2} {
		for _, step := range []int{1, 2, 4} {
			if got, err := k.keeps(&families[i], ring(step)); err != nil || got != (step >= least) {
				t.Errorf("%q keeps rotations by %d: %v, %v", m.Rules[i].Name, step, got, err)
			}
		}
	}
	for prop, least := range []int{1, 2, 4} {
		for _, step := range []int{1, 2, 4} {
			if got, err := k.keepsProp(prop, ring(step)); err != nil || got != (step >= least) {
				t.Errorf("%q keeps rotations by %d: %v, %v", m.Props[prop].Name, step, got, err)
			}
		}
	}
	// A rule without parameters has one instance, which each rotation keeps.
	k.stabiliser = func(*model.Model, model.Kept, model.Choice) []model.ScalarPerm { return nil }
	if ok, err := k.keeps(&families[4], ring(1)); !ok || err != nil {
		t.Errorf("without rotations: %v, %v", ok, err)
	}
}
