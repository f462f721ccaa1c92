package mc_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// counting returns a netlist with two latches that count while an input is 1, bads
// for the counts 2 and 3 and one for an error in the step from 1, and two justice
// properties. The bads of count 3 are of one property.
func counting() *mc.Problem {
	g := aig.NewPlain()
	in, lo, hi := g.Input(), g.Input(), g.Input()
	s := &ts.System{G: g, W: aig.True, Inputs: []ts.Signal{{Name: "tick", Node: in.Node()}}, Latches: []ts.Latch{
		{Name: "lo", Node: lo.Node(), Next: g.Xor(lo, in)},
		{Name: "hi", Node: hi.Node(), Next: g.Xor(hi, g.And(lo, in))},
	}}
	s.Bads = []ts.Bad{
		{Name: "two", Lit: g.And(hi, lo.Not()), Prop: 0},
		{Lit: g.And(hi, lo), Prop: 1},
		{Lit: g.AndN([]aig.Lit{hi.Not(), lo, in}), Prop: 2, Delay: 1},
		{Lit: g.AndN([]aig.Lit{hi, lo, in}), Prop: 1},
	}
	return &mc.Problem{Netlist: s, WellFormed: true, Justice: []string{"often", "seldom"}, Props: []int{0, 1, 2, 3, 4}}
}

func TestNetlistProperties(t *testing.T) {
	p := counting()
	var got []string
	for i := range p.NumProps() {
		got = append(got, fmt.Sprintf("%s: %v %v", p.Name(i), p.Kind(i), p.Bads(i)))
	}
	want := "two: invariant [0]; bad 1: invariant [1 3]; bad 2: invariant [2]; often: liveness []; seldom: liveness []"
	if strings.Join(got, "; ") != want || p.Kind(3) != model.Liveness {
		t.Errorf("%s", strings.Join(got, "; "))
	}
}

func TestNetlistTracesAreChecked(t *testing.T) {
	p := counting()
	path := func(ticks ...bool) *ts.Trace {
		t := &ts.Trace{Init: []bool{}}
		for _, x := range ticks {
			t.Inputs = append(t.Inputs, []bool{x})
		}
		return t
	}
	result := func(prop int, pr mc.PropResult) *mc.Result {
		r := mc.NewResult("test", p)
		pr.Prop = prop
		r.Props[prop] = pr
		return r
	}
	good := []*mc.Result{
		result(0, mc.PropResult{Status: mc.Unsafe, Depth: 2, Bound: 1, Path: path(true, true, false)}),
		result(1, mc.PropResult{Status: mc.Unsafe, Depth: 3, Bound: 2, Path: path(true, true, true, true)}),
		result(1, mc.PropResult{Status: mc.Unsafe, Depth: 4, Bound: -1, Path: path(true, false, true, true, false)}),
		result(2, mc.PropResult{Status: mc.Unsafe, Depth: 2, Bound: 1, Path: path(true, true)}),
	}
	for i, r := range good {
		if err := mc.Verify(context.Background(), p, r); err != nil {
			t.Errorf("%d: %v", i, err)
		}
		for _, pr := range r.Props {
			if pr.Status == mc.Unsafe && pr.Evidence != "trace replayed by simulating the netlist" {
				t.Errorf("%d: evidence %q", i, pr.Evidence)
			}
		}
		found, err := p.Found("test", r.Props[[]int{0, 1, 1, 2}[i]].Prop, r.Props[[]int{0, 1, 1, 2}[i]].Depth, r.Props[[]int{0, 1, 1, 2}[i]].Path)
		if err != nil || found.Status != mc.Unsafe || found.Path == nil {
			t.Errorf("%d: %+v, %v", i, found, err)
		}
	}
	for what, r := range map[string]*mc.Result{
		"no trace":                  result(0, mc.PropResult{Status: mc.Unsafe, Depth: 2, Bound: 1}),
		"a wrong depth":             result(0, mc.PropResult{Status: mc.Unsafe, Depth: 3, Bound: 1, Path: path(true, true, false)}),
		"a depth without the delay": result(2, mc.PropResult{Status: mc.Unsafe, Depth: 1, Bound: 0, Path: path(true, true)}),
		"another path":              result(0, mc.PropResult{Status: mc.Unsafe, Depth: 2, Bound: 1, Path: path(true, false, false)}),
		"the bad of another":        result(0, mc.PropResult{Status: mc.Unsafe, Depth: 3, Bound: 1, Path: path(true, true, true, false)}),
		"a bound that excludes it":  result(0, mc.PropResult{Status: mc.Unsafe, Depth: 2, Bound: 2, Path: path(true, true, false)}),
		"a path of another system":  result(0, mc.PropResult{Status: mc.Unsafe, Depth: 2, Bound: 1, Path: &ts.Trace{Init: []bool{true}, Inputs: path(true, true, false).Inputs}}),
		"safe without evidence":     result(0, mc.PropResult{Status: mc.Safe}),
		"a verdict on justice":      result(3, mc.PropResult{Status: mc.Safe}),
		"justice violated":          result(4, mc.PropResult{Status: mc.Unsafe, Depth: 1, Path: path(true, true)}),
	} {
		if err := mc.Verify(context.Background(), p, r); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}
