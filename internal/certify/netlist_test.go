package certify_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/mctest"
	"orbitmc/mc"
	"orbitmc/ts"
)

func TestNetlistTracesAreChecked(t *testing.T) {
	p := mctest.Counting()
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
		if err := certify.Verify(context.Background(), p, r); err != nil {
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
	} {
		if err := certify.Verify(context.Background(), p, r); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
	// What the netlist was made of has the last word.
	own := *p
	own.Replay = func(int, *ts.Trace) error { return errors.New("not on words") }
	if err := certify.Verify(context.Background(), &own, good[0]); err == nil || !strings.Contains(err.Error(), "not on words") {
		t.Errorf("a path that does not replay on the source: %v", err)
	}
}
