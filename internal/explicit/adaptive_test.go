package explicit

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"orbitmc/detect/infer"
	"orbitmc/detect/typing"
	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// partialProblem returns the problem of a model with the symmetry of each rule.
func partialProblem(t *testing.T, src string, consts map[string]string) *mc.Problem {
	t.Helper()
	m, err := murphi.Parse("model.m", []byte(src), murphi.Options{Consts: consts})
	if err != nil {
		t.Fatal(err)
	}
	m, inferred := infer.Partial(m)
	p := &mc.Problem{OfModel: mc.OfModel{Model: m}}
	if p.Enc, err = encode.Model(context.Background(), m); err != nil {
		t.Fatal(err)
	}
	p.Program = p.Enc.Program
	for i := range m.Props {
		p.Props = append(p.Props, i)
	}
	if p.Partial, err = certify.Partial(context.Background(), p.Enc, typing.Propose(m, inferred.Rings())); err != nil {
		t.Fatal(err)
	}
	return p
}

// adaptively runs adaptive search with steps that a test may have broken, and checks the
// evidence.
func adaptively(t *testing.T, p *mc.Problem, change func(s *adaptiveVariant)) (*Result, error) {
	t.Helper()
	a, err := newAdaptive(p.Program, Options{Canon: Adaptive, Partial: p.Partial, All: true})
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&a.variant)
	}
	a.run(context.Background())
	r, err := a.result()
	if err != nil {
		return nil, err
	}
	out := mc.NewResult("explicit", p)
	out.Annotated = r.Annotated
	for i := range out.Props {
		pr := &out.Props[i]
		if r.Complete {
			pr.Status = mc.BySearch(p.Kind(pr.Prop))
		}
		for _, v := range r.Violations {
			if v.Prop == pr.Prop {
				pr.Status, pr.Depth, pr.Trace = mc.Unsafe, v.Depth, v.Trace
			}
		}
		for _, v := range r.Covered {
			if v.Prop == pr.Prop {
				pr.Status, pr.Depth, pr.Trace = mc.Safe, v.Depth, v.Trace
			}
		}
	}
	return r, certify.Verify(context.Background(), p, out)
}

// depthOf returns the depth of a violation, -1 if there is none.
func depthOf(r *Result, m *model.Model, name string) int {
	for _, v := range r.Violations {
		if m.Props[v.Prop].Name == name {
			return v.Depth
		}
	}
	return -1
}

// readersWriters is Figure 1 of Wahl 2007.
const readersWriters = `
type P: 1..3;
var s: array [P] of enum {N, T, C};
startstate for p: P do s[p] := N; end; endstartstate;
ruleset p: P do
  rule "try" s[p] = N ==> begin s[p] := T; endrule;
  rule "alone" s[p] = T & forall q: P do s[q] != C end ==> begin s[p] := C; endrule;
  rule "read" s[p] = T & p < 3 & s[3] != C ==> begin s[p] := C; endrule;
  rule "leave" s[p] = C ==> begin s[p] := N; endrule;
endruleset;
invariant "writer alone" s[3] = C -> forall p: P do p = 3 | s[p] != C end;
`

// TestReadersWriters: the nine annotated states of Figure 2, no more and no others.
func TestReadersWriters(t *testing.T) {
	p := partialProblem(t, readersWriters, nil)
	plain, err := Run(context.Background(), p.Program, Options{All: true})
	if err != nil || plain.States != 22 {
		t.Fatalf("%v, %v", plain, err)
	}
	r, err := adaptively(t, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]bool)
	s, packer := make(model.State, 3), model.NewPacker(p.Model)
	for _, a := range r.Annotated.States {
		packer.Unpack(a.Packed, s)
		// The states of an orbit differ in the order of values within a cell only.
		cells := r.Annotated.Kept[a.Kept].Cells[0]
		text := ""
		for from := 0; from < len(s); {
			to := from + 1
			for to < len(s) && cells[to] == cells[from] {
				to++
			}
			if from > 0 {
				text += "|"
			}
			for _, v := range slices.Sorted(slices.Values(s[from:to])) {
				text += "NTC"[v : v+1]
			}
			from = to
		}
		got[text] = true
	}
	for _, want := range strings.Fields("NNN NNT NTT TTT NNC NTC TTC CC|N CC|T") {
		if !got[want] {
			t.Errorf("%s is not visited", want)
		}
	}
	if len(got) != 9 || len(r.Annotated.States) != 9 {
		t.Errorf("annotated states %v, want 9", got)
	}
}

// twoWays: the error is two steps away for process 1, three for process 2.
const twoWays = `
type P: 1..2;
var s: array [P] of enum {A, B, C, E};
startstate for p: P do s[p] := A; end; endstartstate;
ruleset p: P do
  rule "ab" s[p] = A ==> begin s[p] := B; endrule;
  rule "bc" s[p] = B ==> begin s[p] := C; endrule;
  rule "ce" s[p] = C ==> begin s[p] := E; endrule;
  rule "ac" p = 1 & s[p] = A ==> begin s[p] := C; endrule;
endruleset;
invariant "none" forall p: P do s[p] != E end;
`

// TestSubsumptionWithinLayers: subsumption across layers, as it is printed, finds the violation
// too deep.
func TestSubsumptionWithinLayers(t *testing.T) {
	p := partialProblem(t, twoWays, nil)
	r, err := adaptively(t, p, nil)
	if err != nil || depthOf(r, p.Model, "none") != 2 {
		t.Errorf("depth %d, %v; want 2", depthOf(r, p.Model, "none"), err)
	}
	r, err = adaptively(t, p, func(s *adaptiveVariant) {
		s.across = true
	})
	if err != nil || depthOf(r, p.Model, "none") != 3 {
		t.Errorf("across layers: depth %d, %v; want 3", depthOf(r, p.Model, "none"), err)
	}
}

// oddOne: only process 1 gets from B to E.
const oddOne = `
type P: 1..3;
var s: array [P] of enum {A, B, E};
startstate for p: P do s[p] := A; end; endstartstate;
ruleset p: P do
  rule "ab" s[p] = A ==> begin s[p] := B; endrule;
  rule "be" p = 3 & s[p] = B ==> begin s[p] := E; endrule;
endruleset;
invariant "first" s[1] != E;
invariant "last" s[3] != E;
`

// TestUpdate: successors have the annotation of the state and the rule together. Without the
// rule, states are visited that are not reachable: what they violate has no trace. Without the division of
// orbits, states are missed.
func TestUpdate(t *testing.T) {
	p := partialProblem(t, oddOne, nil)
	r, err := adaptively(t, p, nil)
	if err != nil || depthOf(r, p.Model, "first") != -1 || depthOf(r, p.Model, "last") != 2 {
		t.Fatalf("%v, %v", r, err)
	}
	if r, err := adaptively(t, p, func(s *adaptiveVariant) {
		s.meet = func(a *adaptive, p, q *keptSet) *keptSet { return p }
	}); err == nil && depthOf(r, p.Model, "last") == 2 && depthOf(r, p.Model, "first") == -1 {
		t.Errorf("the annotation of the rule makes no difference")
	}
}

// TestCoarse: a rule said to be symmetric under more than it is leads to wrong answers, and the
// check refuses them.
func TestCoarse(t *testing.T) {
	p := partialProblem(t, oddOne, nil)
	wrong := *p.Partial
	wrong.Families = nil
	for i := range p.Model.Rules {
		wrong.Families = append(wrong.Families, model.Family{Rule: i, Kept: model.Kept{Cells: model.WholeCells(p.Model)}})
	}
	q := *p
	q.Partial = &wrong
	r, err := adaptively(t, &q, nil)
	if err == nil {
		t.Errorf("accepted: %+v", r)
	}
	// The proposal is refined.
	got, err := certify.Partial(context.Background(), p.Enc, &wrong)
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Families[1].Cells; fmt.Sprint(c) != "[[0 0 1]]" {
		t.Errorf("cells %v, want 1 and 2 apart from 3", c)
	}
}

// TestSubsumes: an orbit contains another one if each cell of that is part of a cell of its own,
// or has only twins.
func TestSubsumes(t *testing.T) {
	src := strings.ReplaceAll(oddOne, "1..3", "1..4")
	p := partialProblem(t, src, nil)
	a, err := newAdaptive(p.Program, Options{Canon: Adaptive, Partial: p.Partial})
	if err != nil {
		t.Fatal(err)
	}
	a.whole = a.mustSet(model.Kept{Cells: model.WholeCells(p.Model)})
	cells := func(c ...int) model.Cells {
		return model.NewCells(p.Model, func(_, v, w int) bool { return c[v] == c[w] })
	}
	orbit := func(s model.State, c model.Cells) map[string]bool {
		out := make(map[string]bool)
		image := make(model.State, len(s))
		for _, perm := range permutations(4) {
			if sp := (model.ScalarPerm{perm}); (model.Kept{Cells: c}).Holds(sp) {
				a.p.ApplyPerm(sp, s, image)
				out[fmt.Sprint(image)] = true
			}
		}
		return out
	}
	var all []model.Cells
	for k := range 256 {
		c := cells(k&3, k>>2&3, k>>4&3, k>>6&3)
		known := false
		for _, d := range all {
			known = known || d.Equal(c)
		}
		if !known {
			all = append(all, c)
		}
	}
	yes := 0
	for k := range 81 {
		s := model.State{int64(k % 3), int64(k / 3 % 3), int64(k / 9 % 3), int64(k / 27 % 3)}
		for _, c := range all {
			set := a.mustSet(model.Kept{Cells: c})
			a.packed, a.states = newRow(a.packer.Size()), []annotated{{under: int32(set.number)}}
			a.packed.append(a.least(s, set))
			big := orbit(s, c)
			for _, d := range all {
				for _, u := range []model.State{s, {s[1], s[0], s[2], s[3]}, {s[3], s[1], s[2], s[0]}} {
					want := true
					for x := range orbit(u, d) {
						want = want && big[x]
					}
					if got := a.subsumes(0, u, a.mustSet(model.Kept{Cells: d})); got != want {
						t.Fatalf("%v under %v subsumes %v under %v: %v, want %v", s, c, u, d, got, want)
					}
					if want {
						yes++
					}
				}
			}
		}
	}
	if yes < 1000 {
		t.Errorf("only %d pairs", yes)
	}
}

func permutations(n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, p := range permutations(n - 1) {
		for at := range n {
			all = append(all, append(append(append([]int(nil), p[:at]...), n-1), p[at:]...))
		}
	}
	return all
}

// TestUnwind: the orbits of the parts are disjoint and make up the orbit.
func TestUnwind(t *testing.T) {
	src := strings.ReplaceAll(oddOne, "1..3", "1..4")
	p := partialProblem(t, src, nil)
	a, err := newAdaptive(p.Program, Options{Canon: Adaptive, Partial: p.Partial})
	if err != nil {
		t.Fatal(err)
	}
	a.whole = a.mustSet(model.Kept{Cells: model.WholeCells(p.Model)})
	image := make(model.State, 4)
	for k := range 81 {
		s := model.State{int64(k % 3), int64(k / 3 % 3), int64(k / 9 % 3), int64(k / 27 % 3)}
		for _, of := range [][2][]int{{{0, 0, 0, 0}, {0, 0, 1, 1}}, {{0, 0, 0, 0}, {0, 1, 2, 3}}, {{0, 0, 0, 1}, {0, 1, 1, 2}}, {{0, 1, 0, 1}, {0, 1, 2, 1}}} {
			outer, inner := model.Cells{of[0]}, model.Cells{of[1]}
			count := make(map[string]int)
			a.unwind(s, a.mustSet(model.Kept{Cells: outer}), a.mustSet(model.Kept{Cells: inner}), func(u model.State) bool {
				seen := make(map[string]bool)
				for _, perm := range permutations(4) {
					if sp := (model.ScalarPerm{perm}); (model.Kept{Cells: inner}).Holds(sp) {
						a.p.ApplyPerm(sp, u, image)
						seen[fmt.Sprint(image)] = true
					}
				}
				for x := range seen {
					count[x]++
				}
				return true
			})
			want := make(map[string]bool)
			for _, perm := range permutations(4) {
				if sp := (model.ScalarPerm{perm}); (model.Kept{Cells: outer}).Holds(sp) {
					a.p.ApplyPerm(sp, s, image)
					want[fmt.Sprint(image)] = true
				}
			}
			if len(count) != len(want) {
				t.Fatalf("%v, %v into %v: %d states, want %d", s, outer, inner, len(count), len(want))
			}
			for x, n := range count {
				if n != 1 || !want[x] {
					t.Fatalf("%v, %v into %v: %s %d times", s, outer, inner, x, n)
				}
			}
		}
	}
}

// sizes returns the constants of resource.m for classes of these sizes.
func sizes(classes ...int) map[string]string {
	c := make(map[string]string)
	for i := range 25 {
		n := 0
		if i < len(classes) {
			n = classes[i]
		}
		c[fmt.Sprint("M", i+1)] = fmt.Sprint(n)
	}
	return c
}

// resourceFormulas returns the numbers of states, of orbits under the permutations of classes,
// and of annotated states.
func resourceFormulas(classes []int) (plain, orbits, annotated int64) {
	n := 0
	for _, m := range classes {
		n += m
	}
	plain, orbits, annotated = 1<<n, 1, int64(n)+1
	for _, m := range classes {
		orbits *= int64(m) + 1
	}
	left := n
	for j, m := range classes {
		left -= m
		plain += 3 * int64(m) << (m - 1) << left
		below := int64(1)
		for _, k := range classes[j+1:] {
			below *= int64(k) + 1
		}
		orbits += 3 * int64(m) * below
		annotated += 3 * int64(m) * int64(left+1)
	}
	return plain, orbits, annotated
}

func resourceModel(t *testing.T) string {
	t.Helper()
	src, err := os.ReadFile("../../benchmarks/murphi/resource.m")
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// TestResource compares the numbers of states of the resource controller with the formulas, for
// all ways to divide up to eight processes into classes.
func TestResource(t *testing.T) {
	src := resourceModel(t)
	most := nightly.Or(6, 8)
	if testing.Short() {
		most = 4
	}
	for n := 1; n <= most; n++ {
		for cuts := range 1 << (n - 1) {
			classes := []int{1}
			for i := range n - 1 {
				if cuts>>i&1 == 1 {
					classes = append(classes, 1)
				} else {
					classes[len(classes)-1]++
				}
			}
			plain, orbits, annotated := resourceFormulas(classes)
			p := partialProblem(t, src, sizes(classes...))
			r, err := Run(context.Background(), p.Program, Options{All: true})
			if err != nil || !r.Complete || r.States != plain {
				t.Fatalf("%v: %d states, want %d; %v", classes, r.States, plain, err)
			}
			if n > 1 {
				var blocks [][]int
				at := 0
				for _, m := range classes {
					var b []int
					for v := at; v < at+m; v++ {
						b = append(b, v)
					}
					blocks, at = append(blocks, b), at+m
				}
				r, err = Run(context.Background(), p.Program, Options{All: true, Canon: Exact, Blocks: [][][]int{blocks}})
				if err != nil || !r.Complete || r.States != orbits {
					t.Fatalf("%v: %d orbits, want %d; %v", classes, r.States, orbits, err)
				}
			}
			r, err = adaptively(t, p, nil)
			if err != nil || !r.Complete || r.States != annotated {
				t.Fatalf("%v: %+v annotated states, want %d; %v", classes, r, annotated, err)
			}
		}
	}
}

// TestResourceLarge: the numbers of the paper.
func TestResourceLarge(t *testing.T) {
	src := resourceModel(t)
	twos := func(k int) (all []int) {
		for range k {
			all = append(all, 2)
		}
		return all
	}
	for _, c := range []struct {
		classes                  []int
		plain, orbits, annotated int64
	}{
		{twos(9), 1_310_716, 78_729, 505},
		{[]int{9, 9}, 3_808_000, 397, 316},
	} {
		plain, orbits, annotated := resourceFormulas(c.classes)
		if plain != c.plain || orbits != c.orbits || annotated != c.annotated {
			t.Errorf("%v: formulas %d, %d, %d", c.classes, plain, orbits, annotated)
		}
		p := partialProblem(t, src, sizes(c.classes...))
		r, err := adaptively(t, p, nil)
		if err != nil || r.States != c.annotated {
			t.Errorf("%v: %d annotated states, want %d; %v", c.classes, r.States, c.annotated, err)
		}
	}
}

// TestResourceTable searches the entries of Table 1: 80 processes in k classes, all but the last of
// one size. All sixteen take ORBITMC_LONG=1.
func TestResourceTable(t *testing.T) {
	src := resourceModel(t)
	for _, c := range []struct {
		k, size int
		want    int64
	}{
		{2, 1, 558}, {2, 2, 789}, {3, 1, 792}, {3, 2, 1245}, {5, 1, 1251}, {5, 2, 2121}, {7, 1, 1698}, {7, 2, 2949},
		{10, 1, 2346}, {10, 2, 4101}, {15, 1, 3366}, {15, 2, 5781}, {20, 1, 4311}, {20, 2, 7161}, {25, 1, 5181}, {25, 2, 8241},
	} {
		var classes []int
		for range c.k - 1 {
			classes = append(classes, c.size)
		}
		classes = append(classes, 80-c.size*(c.k-1))
		if _, _, annotated := resourceFormulas(classes); annotated != c.want {
			t.Errorf("%v: formula %d, want %d", classes, annotated, c.want)
		}
		if c.k+c.size > 3 && !nightly.On() {
			continue
		}
		t.Run(fmt.Sprintf("%d classes of %d", c.k, c.size), func(t *testing.T) {
			p := partialProblem(t, src, sizes(classes...))
			r, err := Run(context.Background(), p.Program, Options{Canon: Adaptive, Partial: p.Partial, All: true})
			if err != nil || !r.Complete || r.States != c.want {
				t.Errorf("%v: %d annotated states, want %d; %v", classes, r.States, c.want, err)
			}
		})
	}
}

// TestAnnotatedRejected: a list of annotated states that lacks one, or in which one stands for
// more than is reachable, is refused.
func TestAnnotatedRejected(t *testing.T) {
	p := partialProblem(t, readersWriters, nil)
	r, err := adaptively(t, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	verify := func(e *evidence.Annotated) error {
		out := mc.NewResult("explicit", p)
		out.Annotated = e
		for i := range out.Props {
			out.Props[i].Status = mc.Safe
		}
		return certify.Verify(context.Background(), p, out)
	}
	if err := verify(r.Annotated); err != nil {
		t.Fatal(err)
	}
	for i := range r.Annotated.States {
		e := *r.Annotated
		e.States = append(append([]evidence.AnnotatedState(nil), e.States[:i]...), e.States[i+1:]...)
		guess := e.Guess
		e.Guess = func(s model.State, kept model.Kept) (int, model.ScalarPerm, bool) {
			n, perm, ok := guess(s, kept)
			if n > i {
				n--
			}
			return n, perm, ok
		}
		if err := verify(&e); err == nil {
			t.Errorf("accepted without state %d", i)
		}
	}
	// The writer and a reader are never inside together: with one cell, CC|N stands for that.
	coarse := *r.Annotated
	coarse.States = append([]evidence.AnnotatedState(nil), coarse.States...)
	whole := -1
	for i, c := range coarse.Kept {
		if c.Cells.Equal(model.WholeCells(p.Model)) {
			whole = i
		}
	}
	for i := range coarse.States {
		coarse.States[i].Kept = whole
	}
	if err := verify(&coarse); err == nil {
		t.Errorf("accepted with coarse cells")
	}
}

// TestVirtual: the readers and the writer are not virtually symmetric, the resource controller is:
// from all states of an orbit the resource is granted to one of those that try. The decision is
// compared with all states and all permutations.
func TestVirtual(t *testing.T) {
	for _, c := range []struct {
		src    string
		consts map[string]string
		want   bool
		orbits int64
	}{
		{readersWriters, nil, false, 0},
		{resourceModel(t), sizes(2, 1, 1), true, 5 + 3*4},
		{resourceModel(t), sizes(1, 1, 1, 2), true, 6 + 3*5},
		{oddOne, nil, false, 0},
		{twoWays, nil, false, 0},
		{strings.Replace(twoWays, "p = 1 & s[p] = A", "p = 1 & s[p] = A & false", 1), nil, true, 10},
	} {
		p := partialProblem(t, c.src, c.consts)
		q, err := Virtual(context.Background(), p.Program, p.Partial, 1000)
		if err != nil || q.Reason != "" || (q.Witness == nil) != c.want || c.want && q.Orbits != c.orbits {
			t.Errorf("%+v, %v; want %v, %d orbits", q, err, c.want, c.orbits)
			continue
		}
		m := p.Program.NewMachine()
		leads := func(s model.State) map[string]bool { // representatives of the states that steps lead to
			out := make(map[string]bool)
			m.Successors(s, func(_ model.Choice, next model.State, _ *model.Violation) bool {
				least, image := "", make(model.State, len(s))
				for _, perm := range permutations(int(p.Model.Scalarsets[0].Card())) {
					p.Program.ApplyPerm(model.ScalarPerm{perm}, next, image)
					if x := fmt.Sprint(image); least == "" || x < least {
						least = x
					}
				}
				if !slicesEqual(next, s) {
					out[least] = true
				}
				return true
			})
			return out
		}
		if w := q.Witness; w != nil {
			next, enabled, _ := m.Fire(w.From, w.Step)
			if !enabled || !slicesEqual(next, w.To) {
				t.Errorf("the witness has no step")
			}
			if fmt.Sprint(leads(w.From)) == fmt.Sprint(leads(w.Image)) {
				t.Errorf("the image has the steps of the witness")
			}
		}
	}
}

func slicesEqual(a, b model.State) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// TestDomains: parameters go through values downwards, or leave some out.
func TestDomains(t *testing.T) {
	const src = `
type P: 1..4;
var s: array [P] of 0..2; flag: boolean;
procedure nop(x: P); var y: P; begin y := x; end;
startstate for p: P do s[p] := 0; end; s[3] := 1; flag := true; endstartstate;
ruleset p := 4 to 1 by -1 do
  rule "set" begin nop(p); if s[(flag ? 5 : 5) - p] = 1 then s[(flag ? 5 : 5) - p] := 2; end; endrule;
endruleset;
ruleset p := 1 to 4 by 3 do
  rule "some" s[p] = 0 ==> begin s[p] := 1; nop(p); endrule;
endruleset;
rule "odd" s[4] = 2 ==> begin s[4] := 0; endrule;
ruleset p: P do
  rule "back" s[p] = 2 ==> begin s[p] := 0; nop(p); endrule;
endruleset;
invariant "third" s[3] < 2;
invariant "all" exists p: P do s[p] < 2 end;
invariant "second" s[2] = 0;
`
	p := partialProblem(t, src, nil)
	want, err := Run(context.Background(), p.Program, Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	got, err := adaptively(t, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Complete || len(want.Violations) == 0 {
		t.Errorf("complete: %v; %d violations", got.Complete, len(want.Violations))
	}
	for i := range p.Model.Props {
		if x, y := depthOf(got, p.Model, p.Model.Props[i].Name), depthOf(want, p.Model, p.Model.Props[i].Name); x != y {
			t.Errorf("%q: depth %d, want %d", p.Model.Props[i].Name, x, y)
		}
	}
}

// TestErrorAlone: an assertion is looked at alone, in an invariant and in a guard, where it is an error
// of the last state within the bound.
func TestErrorAlone(t *testing.T) {
	const src = `
type P: 1..3;
var s: array [P] of 0..2; n: 0..9;
function f(p: P): boolean; begin assert n != 4 "in"; return true; end;
function g(p: P): boolean; begin assert s[p] < 2 "guard"; return true; end;
startstate for p: P do s[p] := 0; end; n := 0; endstartstate;
rule "count" n < 9 ==> begin n := n + 1; endrule;
ruleset p: P do
  rule "set" g(p) & n > 0 ==> begin s[p] := s[p] + 1; endrule;
endruleset;
rule "odd" s[1] = 2 & n = 9 ==> begin s[1] := 0; endrule;
invariant "any" exists p: P do f(p) end;
`
	p := partialProblem(t, src, nil)
	for i, q := range p.Model.Props {
		want := map[string]int{"in": 4, "guard": 3}[q.Name]
		if q.Kind != model.Assertion || want == 0 {
			continue
		}
		for _, canon := range []Canon{None, Adaptive} {
			r, err := Run(context.Background(), p.Program, Options{Canon: canon, Partial: p.Partial, Props: []int{i}, Bounded: true, MaxDepth: want})
			if err != nil {
				t.Fatal(err)
			}
			if got := depthOf(r, p.Model, q.Name); got != want {
				t.Errorf("%q, %v: depth %d, want %d", q.Name, canon, got, want)
			}
		}
	}
}

// TestAnnotatedLiveness: an assertion that only a liveness property makes is looked at, in all
// instances, although liveness is not decided.
func TestAnnotatedLiveness(t *testing.T) {
	const ask = `
function sure(p: P): boolean; begin assert "fa" LIMIT; return p != 1; end;
ruleset p: P do liveness "each" sure(p); end;
`
	for limit, fails := range map[string]bool{
		"p < 4":             false,
		"p != 2 | s[p] = N": true, // of the second instance; the first one does not hold
	} {
		p := partialProblem(t, readersWriters+strings.Replace(ask, "LIMIT", limit, 1), nil)
		a, err := newAdaptive(p.Program, Options{Canon: Adaptive, Partial: p.Partial, All: true})
		if err != nil {
			t.Fatal(err)
		}
		a.run(context.Background())
		r, err := a.result()
		if err != nil || r.Annotated == nil {
			t.Fatal(r, err)
		}
		out := mc.NewResult("explicit", p)
		out.Annotated = r.Annotated
		for i := range out.Props {
			if q := p.Model.Props[out.Props[i].Prop]; q.Name == "fa" {
				out.Props[i].Status = mc.Safe
			}
		}
		if err := certify.Verify(context.Background(), p, out); (err != nil) != fails {
			t.Errorf("%s: %v", limit, err)
		}
		if d := depthOf(r, p.Model, "fa"); (d >= 0) != fails {
			t.Errorf("%s: the search finds it at depth %d", limit, d)
		}
	}
}
