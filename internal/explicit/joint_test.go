package explicit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/mc"
	"orbitmc/model"
)

// TestJoint: of a joint set of which one property is violated the others are unknown,
// and nothing above its depth is excluded; other properties keep their verdicts.
func TestJoint(t *testing.T) {
	m := &model.Model{}
	for i := range 4 {
		m.Props = append(m.Props, &model.Property{Kind: model.Assertion, Index: i})
	}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Joint: [][]int{{0, 1, 2}}}, Props: []int{0, 1, 2, 3}}
	safe := func(prop int) mc.PropResult { return mc.PropResult{Prop: prop, Status: mc.Safe, Bound: 9} }
	r := &mc.Result{Props: []mc.PropResult{safe(0), {Prop: 1, Status: mc.Unsafe, Depth: 4, Bound: 3}, {Prop: 2, Status: mc.Unsafe, Depth: 6, Bound: 5}, safe(3)}}
	joint(r, p, p.Joint[0])
	want := []mc.PropResult{{Prop: 0, Status: mc.Unknown, Bound: 3}, {Prop: 1, Status: mc.Unsafe, Depth: 4, Bound: 3}, {Prop: 2, Status: mc.Unsafe, Depth: 6, Bound: 3}, safe(3)}
	for i, w := range want {
		if g := r.Props[i]; g.Status != w.Status || g.Bound != w.Bound || g.Depth != w.Depth {
			t.Errorf("property %d: %v at %d, bound %d; want %v at %d, bound %d", i, g.Status, g.Depth, g.Bound, w.Status, w.Depth, w.Bound)
		}
	}
	r = &mc.Result{Props: []mc.PropResult{safe(0), safe(1), safe(2), safe(3)}}
	joint(r, p, p.Joint[0])
	for _, g := range r.Props {
		if g.Status != mc.Safe {
			t.Errorf("nothing is violated, but property %d is %v", g.Prop, g.Status)
		}
	}
}

// TestTellJoint: a trace of what was found about one property of a joint set may end in a violation of another
// one, of which something was found as well. The violation that is less deep is told, once, and
// violations are told in the order of their properties.
func TestTellJoint(t *testing.T) {
	const src = `var x: 0..3;
startstate x := 0 end;
rule x < 3 ==> x := x + 1 end;
invariant "a" true; invariant "b" true; invariant "c" true;
`
	m, err := murphi.Parse("tell.m", []byte(src), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) int {
		return slices.IndexFunc(m.Props, func(q *model.Property) bool { return q.Name == name })
	}
	names := []string{"a", "b", "c"}
	for _, c := range []struct {
		depths [3]int    // at which something was found about each
		shown  [3]string // what the traces show
		want   string
	}{
		{[3]int{1, 2, 3}, [3]string{"a", "b", "c"}, "a1 b2 c3"},
		{[3]int{1, 2, 3}, [3]string{"b", "b", "c"}, "b1 c3"},
		{[3]int{3, 2, 1}, [3]string{"b", "b", "c"}, "b2 c1"},
		{[3]int{2, 1, 3}, [3]string{"c", "a", "c"}, "a1 c2"},
		{[3]int{3, 2, 1}, [3]string{"c", "c", "a"}, "a1 c2"},
	} {
		a, err := newAims(m, Options{All: true})
		if err != nil {
			t.Fatal(err)
		}
		shows := make(map[int]int)
		for i, name := range names {
			shows[at(name)] = at(c.shown[i])
			a.found[at(name)].Depth = c.depths[i]
		}
		r := new(Result)
		if err := a.tell(r, func(prop int, f finding) (*model.Trace, error) {
			return &model.Trace{Prop: shows[prop], Steps: make([]model.TraceStep, f.Depth)}, nil
		}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range r.Violations {
			got = append(got, fmt.Sprintf("%s%d", m.Props[v.Prop].Name, v.Depth))
			if len(v.Trace.Steps) != v.Depth || v.Trace.Prop != v.Prop {
				t.Errorf("%v: the trace of %q has %d steps", c, m.Props[v.Prop].Name, len(v.Trace.Steps))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: told %v, want %s", c, got, c.want)
		}
	}
}
