package mc_test

import (
	"slices"
	"testing"

	"orbitmc/mc"
	"orbitmc/model"
)

// TestFirst: errors are asked for and reported before invariants, and these before
// deadlock, at the same depth; a violation of less depth is reported before all, and
// liveness behind all.
func TestFirst(t *testing.T) {
	m := &model.Model{}
	for i, k := range []model.PropertyKind{model.Liveness, model.Deadlock, model.Cover, model.Invariant, model.RuntimeError, model.Invariant, model.Assertion, model.ErrorStmt} {
		m.Props = append(m.Props, &model.Property{Kind: k, Index: i})
	}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m}, Props: []int{0, 1, 2, 3, 4, 5, 6, 7}}
	if got, want := p.Order(), []int{4, 6, 7, 3, 5, 2, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("the order is %v, want %v", got, want)
	}
	p.Props = []int{1, 3, 6}
	if got, want := p.Order(), []int{2, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("the order of some is %v, want %v", got, want)
	}
	p.Props = []int{0, 1, 2, 3, 4, 5, 6, 7}
	for _, c := range []struct {
		depths []int // by property: -1 is not violated, -2 is violated without a trace
		want   int
	}{
		{[]int{-1, -1, -1, -1, -1, -1, -1, -1}, -1},
		{[]int{4, 4, -1, 4, 4, 4, 4, 4}, 4},
		{[]int{4, 4, -1, 4, -1, 4, 4, 4}, 6},
		{[]int{4, 4, -1, 4, -1, 4, -1, -1}, 3},
		{[]int{4, 4, -2, -1, -1, -1, -1, -1}, 1},
		{[]int{4, 3, -1, 4, 4, 4, 4, 4}, 1},
		{[]int{4, 5, -1, 4, 5, 3, 4, 4}, 5},
		{[]int{0, 5, -2, -1, -1, -1, -1, -1}, 1},
		{[]int{3, -1, -2, -1, -1, -1, -1, -1}, 0},
		{[]int{-1, -1, -2, -1, -1, -1, -1, -1}, -1},
	} {
		r := mc.NewResult("", p)
		for i, d := range c.depths {
			pr := &r.Props[i]
			if d != -1 {
				pr.Status = mc.Unsafe
			}
			if d >= 0 {
				pr.Depth, pr.Trace = d, &model.Trace{}
			}
		}
		got := -1
		if first := p.First(r); first != nil {
			got = first.Prop
		}
		if got != c.want {
			t.Errorf("depths %v: property %d is first, want %d", c.depths, got, c.want)
		}
	}
}
