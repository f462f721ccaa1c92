package mc_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"orbitmc/mc"
	"orbitmc/model"
)

// TestMerge merges random results that are true to a hidden truth, of which one
// is about a cover, and checks
// that nothing is lost, invented or dependent on the order, and that results
// which are not true to one truth are refused.
func TestMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := &mc.Problem{OfModel: mc.OfModel{Model: &model.Model{}}, Props: []int{0, 2, 3}}
	for i := range 4 {
		p.Model.Props = append(p.Model.Props, &model.Property{Name: fmt.Sprint("p", i), Index: i})
	}
	p.Model.Props[2].Kind = model.Cover
	found := func(i int) mc.Status { return mc.ByTrace(p.Model.Props[p.Props[i]].Kind) }
	never := func(i int) mc.Status { return mc.BySearch(p.Model.Props[p.Props[i]].Kind) }
	refused := 0
	for range 3000 {
		truth := make([]int, len(p.Props)) // least depth of a violation, or a hit; -1: none
		for i := range truth {
			truth[i] = rng.IntN(6) - 1
		}
		var results []*mc.Result
		for k := range rng.IntN(4) {
			if rng.IntN(6) == 0 {
				results = append(results, nil)
				continue
			}
			r := mc.NewResult(fmt.Sprint("e", k), p)
			for i := range r.Props {
				pr := &r.Props[i]
				pr.Engine = r.Engine
				pr.Bound = rng.IntN(7) - 1
				if d := truth[i]; d >= 0 {
					pr.Bound = min(pr.Bound, d-1)
				}
				switch {
				case rng.IntN(2) == 0:
				case truth[i] < 0:
					pr.Status = never(i)
				default:
					pr.Status, pr.Depth, pr.Bound = found(i), truth[i], truth[i]-1
				}
			}
			if r.Open() > 0 {
				r.Stopped = "stopped"
			}
			r.Stats = mc.Stats{Depth: rng.IntN(5), States: 10, Conflicts: int64(k)}
			results = append(results, r)
		}
		got, err := mc.Merge(p, results...)
		if err != nil {
			t.Fatal(err)
		}
		reversed := make([]*mc.Result, len(results))
		for i, r := range results {
			reversed[len(results)-1-i] = r
		}
		back, err := mc.Merge(p, reversed...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got.Props {
			want := mc.PropResult{Bound: -1}
			for _, r := range results {
				switch {
				case r == nil:
				case r.Props[i].Status != mc.Unknown:
					if want.Status == mc.Unknown {
						want = r.Props[i]
					}
				case want.Status == mc.Unknown && r.Props[i].Bound > want.Bound:
					want = r.Props[i]
				}
			}
			g, b := got.Props[i], back.Props[i]
			if g.Prop != p.Props[i] || g.Status != want.Status || g.Depth != want.Depth || g.Bound != want.Bound || g.Engine != want.Engine {
				t.Fatalf("property %d: %+v, want %+v", i, g, want)
			}
			if b.Status != g.Status || b.Depth != g.Depth || g.Status != never(i) && b.Bound != g.Bound {
				t.Fatalf("property %d depends on the order: %+v and %+v", i, g, b)
			}
		}
		if (got.Stopped == "") != (got.Open() == 0 || len(got.Engine) == 0) {
			t.Fatalf("stopped %q with %d open", got.Stopped, got.Open())
		}
		engines := 0
		for _, r := range results {
			if r != nil {
				engines++
				if !strings.Contains("+"+got.Engine+"+", "+"+r.Engine+"+") {
					t.Fatalf("engine %q of %s is missing", got.Engine, r.Engine)
				}
			}
		}
		if got.Stats.States != int64(10*engines) {
			t.Fatalf("%d states of %d engines", got.Stats.States, engines)
		}
		if engines == 0 {
			continue
		}

		// A result that is not true must be refused if the others show it.
		lie := mc.NewResult("liar", p)
		i := rng.IntN(len(p.Props))
		pr, known := &lie.Props[i], got.Props[i]
		wrong := false
		switch rng.IntN(3) {
		case 0:
			pr.Status, pr.Depth = found(i), rng.IntN(6)
			pr.Bound = pr.Depth - 1
			wrong = known.Status == never(i) || known.Bound >= pr.Depth || known.Status == found(i) && known.Depth < pr.Depth
			for _, r := range results { // a bound behind a verdict counts as well
				wrong = wrong || r != nil && r.Props[i].Bound >= pr.Depth
			}
		case 1:
			pr.Status = never(i)
			wrong = known.Status == found(i)
		case 2:
			pr.Bound = rng.IntN(6)
			wrong = known.Status == found(i) && known.Depth <= pr.Bound
		}
		for _, order := range [][]*mc.Result{append([]*mc.Result{lie}, results...), append(results, lie)} {
			if _, err := mc.Merge(p, order...); (err != nil) != wrong {
				t.Fatalf("%+v against %+v: error %v", *pr, known, err)
			}
		}
		if wrong {
			refused++
		}
	}
	if refused < 500 {
		t.Errorf("only %d lies were told", refused)
	}
	if _, err := mc.Merge(p, &mc.Result{Engine: "short", Props: make([]mc.PropResult, 2)}); err == nil {
		t.Error("a result without a property is merged")
	}
}

// TestVerdict checks the summaries of a result.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		props    []mc.Status
		want     mc.Status
		open     int
		violated bool
	}{
		{nil, mc.Unknown, 0, false}, // nothing was asked
		{[]mc.Status{mc.Safe, mc.Safe}, mc.Safe, 0, false},
		{[]mc.Status{mc.Safe, mc.Unknown}, mc.Unknown, 1, false},
		{[]mc.Status{mc.Unknown, mc.Unsafe, mc.Safe}, mc.Unsafe, 1, true},
		{[]mc.Status{mc.Unsafe}, mc.Unsafe, 0, true},
	} {
		r := &mc.Result{}
		for _, s := range c.props {
			r.Props = append(r.Props, mc.PropResult{Status: s})
		}
		if r.Verdict() != c.want || r.Open() != c.open || r.Violated() != c.violated {
			t.Errorf("%v: %v, %d open, violated %v", c.props, r.Verdict(), r.Open(), r.Violated())
		}
	}
}
