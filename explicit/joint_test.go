package explicit

import (
	"testing"

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
	p := &mc.Problem{Model: m, Props: []int{0, 1, 2, 3}, Joint: [][]int{{0, 1, 2}}}
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
