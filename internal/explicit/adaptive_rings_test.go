package explicit

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"orbitmc/internal/certify"
	"orbitmc/mc"
	"orbitmc/model"
)

// oddPhilosopher: philosophers in a ring, the first of whom may put back the fork that it took first.
const oddPhilosopher = `
const N: 5;
type P: 0..N-1;
var s: array [P] of enum {Think, Left, Eat, Last}; free: array [P] of boolean;
startstate for p: P do s[p] := Think; free[p] := true; end; endstartstate;
ruleset p: P do
  rule "left" s[p] = Think & free[p] ==> begin free[p] := false; s[p] := Left; endrule;
  rule "right" s[p] = Left & free[(p + 1) % N] ==> begin free[(p + 1) % N] := false; s[p] := Eat; endrule;
  rule "put left" s[p] = Eat ==> begin free[p] := true; s[p] := Last; endrule;
  rule "put right" s[p] = Last ==> begin free[(p + 1) % N] := true; s[p] := Think; endrule;
endruleset;
rule "put back" s[0] = Left ==> begin free[0] := true; s[0] := Think; endrule;
invariant "neighbours" forall p: P do !(s[p] = Eat & s[(p + 1) % N] = Eat) end;
invariant "second" s[1] != Last | s[2] != Eat;
`

// ringOf returns the ring of all values of the first class.
func ringOf(n, step int) model.Ring {
	r := model.Ring{Step: step}
	for v := range n {
		r.Values = append(r.Values, v)
	}
	return r
}

// groupOrbit writes out the orbit of a state.
func groupOrbit(p *model.Program, s model.State, of model.Kept) map[string]bool {
	out := make(map[string]bool)
	image := make(model.State, len(s))
	for _, images := range permutations(len(of.Cells[0])) {
		if perm := (model.ScalarPerm{images}); of.Holds(perm) {
			p.ApplyPerm(perm, s, image)
			out[fmt.Sprint(image)] = true
		}
	}
	return out
}

// someGroups lists groups of permutations of six values.
func someGroups(m *model.Model) (all []model.Kept) {
	for _, c := range [][]int{{0, 0, 0, 0, 0, 0}, {0, 1, 0, 1, 0, 1}, {0, 1, 2, 0, 1, 2}, {0, 0, 0, 1, 1, 1}, {0, 1, 1, 1, 1, 1}, {0, 1, 2, 3, 4, 5}, {0, 0, 1, 2, 3, 4}} {
		all = append(all, model.Kept{Cells: model.NewCells(m, func(_, v, w int) bool { return c[v] == c[w] })})
	}
	for _, step := range []int{1, 2, 3} {
		all = append(all, model.Kept{Cells: model.SingleCells(m), Rings: []model.Ring{ringOf(6, step)}})
	}
	return all
}

// TestKept compares what groups have in common, and parts, with all permutations.
func TestKept(t *testing.T) {
	m := partialProblem(t, strings.Replace(oddPhilosopher, "N: 5", "N: 6", 1), nil).Model
	every := permutations(6)
	size := func(of ...model.Kept) (n int64) {
		for _, images := range every {
			in := true
			for _, g := range of {
				in = in && g.Holds(model.ScalarPerm{images})
			}
			if in {
				n++
			}
		}
		return n
	}
	for _, p := range someGroups(m) {
		if n := size(p); p.Order().Int64() != n {
			t.Errorf("%v: order %v, want %d", p, p.Order(), n)
		}
		for _, q := range someGroups(m) {
			both := size(p, q)
			if r := p.Meet(m, q); size(r) != both || size(r, p, q) != both {
				t.Errorf("%v and %v meet in %v", p, q, r)
			}
			if got := p.Within(m, q); got != (both == size(p)) {
				t.Errorf("%v within %v: %v", p, q, got)
			}
			if r := p.Join(m, q); !p.Within(m, r) || !q.Within(m, r) {
				t.Errorf("%v and %v are not both in %v", p, q, r)
			}
			if got := p.Key() == q.Key(); got != (both == size(p) && both == size(q)) {
				t.Errorf("%v and %v are equal: %v", p, q, got)
			}
		}
	}
}

// TestRingUnwind: an orbit is divided into disjoint orbits of a part of the group. An orbit that is said to
// contain another one does; between rings, the others do not.
func TestRingUnwind(t *testing.T) {
	src := strings.Replace(oddPhilosopher, "N: 5", "N: 6", 1)
	src = strings.Replace(src, "var s:", "var own: P; s:", 1)
	src = strings.Replace(src, "Think; free[p] := true; end;", "Think; free[p] := true; end; own := 0;", 1)
	p := partialProblem(t, src, nil)
	a, err := newAdaptive(p.Program, Options{Canon: Adaptive, Partial: p.Partial})
	if err != nil {
		t.Fatal(err)
	}
	a.whole = a.mustSet(model.Kept{Cells: model.WholeCells(p.Model)})
	groups := someGroups(p.Model)
	contained, apart := 0, 0
	for _, bits := range []int{0, 1, 9, 21, 11, 63, 27, 5} {
		for _, own := range []int64{0, 1, 3, model.Undef} {
			s := make(model.State, p.Model.Leaves())
			for i, l := range p.Model.AllLeaves() {
				switch {
				case strings.HasPrefix(l.Name, "own"):
					s[i] = own
				case strings.HasPrefix(l.Name, "s["):
					s[i] = int64(bits >> int(l.Indices[0].Value) & 1)
				}
			}
			orbits := make([]map[string]bool, len(groups))
			for i, g := range groups {
				orbits[i] = groupOrbit(p.Program, s, g)
			}
			for i, outer := range groups {
				for j, inner := range groups {
					want := true
					for x := range orbits[j] {
						want = want && orbits[i][x]
					}
					got := a.contains(s, a.mustSet(outer), a.mustSet(inner))
					if got && !want || want && !got && len(outer.Rings)+len(inner.Rings) == 2 {
						t.Fatalf("%v: the orbit under %v contains that under %v: %v, want %v", s, outer, inner, got, want)
					}
					if contained++; !want {
						contained--
						apart++
					}
					if !inner.Within(p.Model, outer) {
						continue
					}
					count := make(map[string]int)
					a.unwind(s, a.mustSet(outer), a.mustSet(inner), func(u model.State) bool {
						for x := range groupOrbit(p.Program, u, inner) {
							count[x]++
						}
						return true
					})
					if len(count) != len(orbits[i]) {
						t.Fatalf("%v, %v into %v: %d states, want %d", s, outer, inner, len(count), len(orbits[i]))
					}
					for x, n := range count {
						if n != 1 || !orbits[i][x] {
							t.Fatalf("%v, %v into %v: %s %d times", s, outer, inner, x, n)
						}
					}
				}
			}
		}
	}
	if contained < 100 || apart < 100 {
		t.Errorf("%d pairs of orbits one of which contains the other, %d others", contained, apart)
	}
}

// TestRingStates: what annotated states stand for is what can be reached, state by state.
func TestRingStates(t *testing.T) {
	for _, src := range []string{
		oddPhilosopher,
		strings.Replace(oddPhilosopher, "rule \"put back\" s[0] = Left ==> begin free[0] := true; s[0] := Think; endrule;", "", 1),
		strings.Replace(oddPhilosopher, "N: 5", "N: 6", 1),
		strings.ReplaceAll(oddPhilosopher, "(p + 1) % N", "(p = N-1 ? 0 : p + 1)"),
		strings.Replace(oddPhilosopher, "s[0] = Left ==> begin free[0] := true; s[0] := Think;", "s[0] = Left & s[2] = Left ==> begin free[3] := free[0]; s[0] := s[(3 + 1) % N];", 1),
	} {
		p := partialProblem(t, src, nil)
		r, err := adaptively(t, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := Run(context.Background(), p.Program, Options{All: true})
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]bool)
		s, packer := make(model.State, p.Model.Leaves()), model.NewPacker(p.Model)
		rings := false
		for _, x := range r.Annotated.States {
			packer.Unpack(x.Packed, s)
			of := r.Annotated.Kept[x.Kept]
			rings = rings || len(of.Rings) > 0
			for y := range groupOrbit(p.Program, s, of) {
				got[y] = true
			}
		}
		want := 0
		m := p.Program.NewMachine()
		seen := make(map[string]bool)
		var queue []model.State
		visit := func(s model.State) {
			if s != nil && !seen[fmt.Sprint(s)] {
				seen[fmt.Sprint(s)] = true
				queue = append(queue, append(model.State(nil), s...))
				if want++; !got[fmt.Sprint(s)] {
					t.Fatalf("no annotated state stands for %v", s)
				}
			}
		}
		m.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool { visit(s); return true })
		for len(queue) > 0 {
			next := queue[0]
			queue = queue[1:]
			m.Successors(next, func(_ model.Choice, s model.State, _ *model.Violation) bool { visit(s); return true })
		}
		if len(got) != want || int64(want) != plain.States || !rings {
			t.Errorf("annotated states stand for %d states, %d are reached; rings: %v", len(got), want, rings)
		}
		if 2*r.States > plain.States {
			t.Errorf("%d annotated states for %d states", r.States, plain.States)
		}
		for i := range p.Model.Props {
			name := p.Model.Props[i].Name
			if x, y := depthOf(r, p.Model, name), depthOf(plain, p.Model, name); x != y {
				t.Errorf("%q: depth %d, want %d", name, x, y)
			}
		}
	}
}

// twoRingWays: the error is two steps away for process 0, three for the others.
const twoRingWays = `
type P: 0..2;
var s: array [P] of enum {A, B, C, E};
startstate for p: P do s[p] := A; end; endstartstate;
ruleset p: P do
  rule "ab" s[p] = A & s[(p + 1) % 3] != E ==> begin s[p] := B; endrule;
  rule "bc" s[p] = B & s[(p + 1) % 3] != E ==> begin s[p] := C; endrule;
  rule "ce" s[p] = C & s[(p + 1) % 3] != E ==> begin s[p] := E; endrule;
endruleset;
rule "ac" s[0] = A & s[1] != E ==> begin s[0] := C; endrule;
invariant "none" forall p: P do s[p] != E end;
invariant "second" s[1] != E | s[0] != A;
`

// TestRingLayers: a state may be replaced by one with more rotations within its layer only.
func TestRingLayers(t *testing.T) {
	p := partialProblem(t, twoRingWays, nil)
	r, err := adaptively(t, p, nil)
	if err != nil || depthOf(r, p.Model, "none") != 2 {
		t.Errorf("depth %d, %v; want 2", depthOf(r, p.Model, "none"), err)
	}
	r, err = adaptively(t, p, func(s *adaptiveVariant) { s.across = true })
	if err != nil || depthOf(r, p.Model, "none") != 3 {
		t.Errorf("across layers: depth %d, %v; want 3", depthOf(r, p.Model, "none"), err)
	}
}

// TestRingUpdate: a step of a rule that does not keep a rotation takes it from the annotation.
func TestRingUpdate(t *testing.T) {
	// Only process 0 gets to E.
	src := strings.Replace(twoRingWays, "s[p] = C & s[(p + 1) % 3] != E ==>", "s[p] = C & p = 0 ==>", 1)
	p := partialProblem(t, src, nil)
	r, err := adaptively(t, p, nil)
	if err != nil || depthOf(r, p.Model, "none") != 2 || depthOf(r, p.Model, "second") != -1 {
		t.Fatalf("%v, %v", r, err)
	}
	if r, err := adaptively(t, p, func(s *adaptiveVariant) {
		s.meet = func(a *adaptive, p, q *keptSet) *keptSet { return p }
	}); err == nil && depthOf(r, p.Model, "none") == 2 && depthOf(r, p.Model, "second") == -1 {
		t.Errorf("the annotation of the rule makes no difference")
	}
}

// TestRingCoarse: a rotation that is not verified leads to wrong answers, and the check refuses
// them. So does a list of states that are said to be rotated.
func TestRingCoarse(t *testing.T) {
	src := strings.Replace(twoRingWays, "s[p] = C & s[(p + 1) % 3] != E ==>", "s[p] = C & p = 0 ==>", 1)
	p := partialProblem(t, src, nil)
	turned := model.Kept{Cells: model.SingleCells(p.Model), Rings: []model.Ring{ringOf(3, 1)}}
	wrong := *p.Partial
	wrong.Families = nil
	for i := range p.Model.Rules {
		wrong.Families = append(wrong.Families, model.Family{Rule: i, Kept: turned})
	}
	q := *p
	q.Partial = &wrong
	if r, err := adaptively(t, &q, nil); err == nil {
		t.Errorf("accepted: %+v", r)
	}
	r, err := adaptively(t, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	verify := func(change func(kept model.Kept) model.Kept) error {
		e := *r.Annotated
		e.Kept = nil
		for _, kept := range r.Annotated.Kept {
			e.Kept = append(e.Kept, change(kept))
		}
		out := mc.NewResult("explicit", p)
		out.Annotated = &e
		for i := range out.Props {
			if depthOf(r, p.Model, p.Model.Props[i].Name) < 0 {
				out.Props[i].Status = mc.Safe
			}
		}
		return certify.Verify(context.Background(), p, out)
	}
	if err := verify(func(kept model.Kept) model.Kept { return kept }); err != nil {
		t.Fatal(err)
	}
	if err := verify(func(kept model.Kept) model.Kept { return turned }); err == nil {
		t.Errorf("accepted with rotations")
	}
	if err := verify(func(kept model.Kept) model.Kept { return model.Kept{Cells: model.SingleCells(p.Model)} }); err == nil {
		t.Errorf("accepted without rotations")
	}
}
