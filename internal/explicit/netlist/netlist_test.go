package netlist_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/certify"
	"orbitmc/internal/explicit/netlist"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
	"orbitmc/ts"
)

// randomNetlist returns a system with up to so many latches and inputs, and two bads and two justice properties of it.
func randomNetlist(rng *rand.Rand, latches, inputs int) *mc.Problem {
	s := &ts.System{G: aig.NewPlain(), W: aig.True}
	var free, all []aig.Lit
	leaf := func() aig.Lit {
		l := s.G.Input()
		all = append(all, l)
		return l
	}
	for i := range rng.IntN(3) {
		l := s.G.Input()
		free = append(free, l)
		s.Init = append(s.Init, ts.Signal{Name: fmt.Sprint("z", i), Node: l.Node()})
	}
	for i := range 1 + rng.IntN(latches) {
		l := ts.Latch{Name: fmt.Sprint("x", i), Node: leaf().Node(), Reset: aig.False.NotIf(rng.IntN(3) == 0)}
		if len(free) > 0 && rng.IntN(3) == 0 {
			l.Reset = free[rng.IntN(len(free))]
		}
		s.Latches = append(s.Latches, l)
	}
	for i := range rng.IntN(inputs + 1) {
		s.Inputs = append(s.Inputs, ts.Signal{Name: fmt.Sprint("y", i), Node: leaf().Node()})
	}
	some := func() aig.Lit { return all[rng.IntN(len(all))].NotIf(rng.IntN(2) == 0) }
	for range 3 * len(all) {
		all = append(all, s.G.And(some(), some()))
	}
	for i := range s.Latches {
		s.Latches[i].Next = some()
	}
	if rng.IntN(3) == 0 {
		s.Constraints = append(s.Constraints, s.G.Or(some(), some()))
	}
	for i := range 2 {
		s.Bads = append(s.Bads, ts.Bad{Name: fmt.Sprint("b", i), Lit: s.G.And(some(), s.G.And(some(), some())), Prop: i})
	}
	var justice []ts.Justice
	for i := range 2 {
		j := ts.Justice{Name: fmt.Sprint("j", i), Prop: 2 + i}
		for range rng.IntN(4) {
			j.Lits = append(j.Lits, some())
		}
		justice = append(justice, j)
	}
	var fair []aig.Lit
	if rng.IntN(2) == 0 {
		fair = append(fair, some())
	}
	l := ts.NewLassos(s, justice, fair)
	p := mc.NewNetlist(l.Sys, l)
	p.Props, p.WellFormed = []int{0, 1, 2, 3}, true
	return p
}

// naive decides the properties by the graph of all states. depth is that of bads, -1 if none holds.
func naive(p *mc.Problem) (depth [2]int, violated [2]bool) {
	s := p.Lassos.Source
	e := ts.NewEvaluator(s)
	vector := func(x, n int) (v []bool) {
		for i := range n {
			v = append(v, x>>i&1 == 1)
		}
		return v
	}
	number := make(map[string]int)
	var states [][]bool
	var level []int
	visit := func(x []bool, d int) int {
		key := fmt.Sprint(x)
		if _, ok := number[key]; !ok {
			number[key] = len(states)
			states, level = append(states, x), append(level, d)
		}
		return number[key]
	}
	for z := range 1 << len(s.Init) {
		visit(e.Reset(vector(z, len(s.Init))), 0)
	}
	depth = [2]int{-1, -1}
	type edge struct {
		to  int
		met [2][]bool
	}
	var edges [][]edge
	for i := 0; i < len(states); i++ {
		edges = append(edges, nil)
		for y := range 1 << len(s.Inputs) {
			e.Set(states[i], vector(y, len(s.Inputs)))
			if !e.Constraints() {
				continue
			}
			for b := range depth {
				if depth[b] < 0 && e.Value(s.Bads[b].Lit) {
					depth[b] = level[i]
				}
			}
			var x edge
			for k, j := range p.Lassos.Justice {
				for _, l := range slices.Concat(j.Lits, p.Lassos.Fair) {
					x.met[k] = append(x.met[k], e.Value(l))
				}
			}
			x.to = visit(e.Next(), level[i]+1)
			edges[i] = append(edges[i], x)
		}
	}
	reach := make([][]bool, len(states)) // in one step or more
	for i := range states {
		reach[i] = make([]bool, len(states))
		open := []int{i}
		for len(open) > 0 {
			at := open[0]
			open = open[1:]
			for _, x := range edges[at] {
				if !reach[i][x.to] {
					reach[i][x.to] = true
					open = append(open, x.to)
				}
			}
		}
	}
	for k := range violated {
		for i := range states {
			if !reach[i][i] {
				continue
			}
			met := make([]bool, len(p.Lassos.Justice[k].Lits)+len(p.Lassos.Fair))
			for from := range states {
				for _, x := range edges[from] {
					if (from == i || reach[i][from]) && (x.to == i || reach[x.to][i]) {
						for c, is := range x.met[k] {
							met[c] = met[c] || is
						}
					}
				}
			}
			violated[k] = violated[k] || !slices.Contains(met, false)
		}
	}
	return depth, violated
}

// TestNetlists: explicit search of random netlists decides what the graph of all states does, with evidence.
func TestNetlists(t *testing.T) {
	netlists := 400
	if nightly.On() {
		netlists = 20_000
	}
	var count [4]int
	for seed := range netlists {
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		inputs := 4
		if seed%8 == 0 {
			inputs = 8 // more than a word has lanes for
		}
		p := randomNetlist(rng, 5, inputs)
		depth, violated := naive(p)
		r, err := (&netlist.Engine{}).Run(context.Background(), p, mc.Options{All: true})
		if err == nil {
			err = certify.Verify(context.Background(), p, r)
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, pr := range r.Props {
			want := i < 2 && depth[i] >= 0 || i >= 2 && violated[i-2]
			switch {
			case pr.Status == mc.Unknown || (pr.Status == mc.Unsafe) != want, want && i < 2 && (pr.Depth != depth[i] || pr.Bound != depth[i]-1):
				t.Fatalf("seed %d: %s is %v at %d (bound %d), want violated: %v %v", seed, p.Name(pr.Prop), pr.Status, pr.Depth, pr.Bound, want, depth)
			case i < 2 && want:
				count[0]++
			case i < 2:
				count[1]++
			case want:
				count[2]++
			default:
				count[3]++
			}
		}
	}
	t.Logf("%v bads violated, not; justice violated, not", count)
	if slices.Min(count[:]) < netlists/4 {
		t.Error("too few")
	}
}

// TestLimits: a search that is stopped by a limit says so, and calls nothing safe.
func TestLimits(t *testing.T) {
	p := randomNetlist(rand.New(rand.NewPCG(4, 5)), 5, 4)
	whole, err := (&netlist.Engine{}).Run(context.Background(), p, mc.Options{All: true})
	if err != nil || whole.Open() > 0 {
		t.Fatalf("%v, %v", whole, err)
	}
	for _, e := range []*netlist.Engine{{Steps: 1}, {Bytes: 1}} {
		r, err := e.Run(context.Background(), p, mc.Options{All: true})
		if err != nil || r.Stopped == "" || r.Open() == 0 {
			t.Errorf("%+v: %+v, %v", e, r, err)
		}
	}
	r, err := (&netlist.Engine{Paths: true}).Run(context.Background(), p, mc.Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, pr := range r.Props {
		if want := whole.Props[i].Status; pr.Status == mc.Safe || want == mc.Unsafe && pr.Status != want {
			t.Errorf("paths only: %s is %v, want %v", p.Name(pr.Prop), pr.Status, want)
		}
	}
}

// TestPause: a search pauses with the same steps in each run, and finds the same.
func TestPause(t *testing.T) {
	s := &ts.System{G: aig.NewPlain(), W: aig.True}
	for i := range 18 { // a counter
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint("x", i), Node: s.G.Input().Node()})
	}
	carry := aig.True
	for i := range s.Latches {
		bit := s.LatchLit(i)
		s.Latches[i].Next = s.G.Xor(bit, carry)
		carry = s.G.And(carry, bit)
	}
	s.Bads = []ts.Bad{{Name: "full", Lit: carry}}
	p := mc.NewNetlist(s, nil)
	p.Props, p.WellFormed = []int{0}, true
	var steps [2][]int64
	for i := range steps {
		ctx := sat.WithPause(t.Context(), func(n int64) { steps[i] = append(steps[i], n) })
		r, err := (&netlist.Engine{}).Run(ctx, p, mc.Options{})
		if err != nil || !r.Violated() || r.Props[0].Depth != 1<<18-1 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if len(steps[0]) < 3 || !slices.Equal(steps[0], steps[1]) || slices.Min(steps[0]) <= 0 {
		t.Errorf("pauses after %v", steps)
	}
}

// TestNetlistEvidence: lists of states with a mistake are refused, but for such as are right by chance.
func TestNetlistEvidence(t *testing.T) {
	ctx := context.Background()
	tried, refused := make(map[string]int), make(map[string]int)
	for seed := range 600 {
		rng := rand.New(rand.NewPCG(uint64(seed), 6))
		p := randomNetlist(rng, 5, 3)
		r, err := (&netlist.Engine{}).Run(ctx, p, mc.Options{All: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Enumerated.States) < 3 || r.Props[2].Status != mc.Safe {
			continue
		}
		for _, double := range []struct {
			name   string
			change func(f *evidence.Enumerated)
		}{
			{"a state is missing", func(f *evidence.Enumerated) {
				i := rng.IntN(len(f.States))
				f.States, f.Components = slices.Delete(f.States, i, i+1), slices.Delete(f.Components, i, i+1)
			}},
			{"a state is another", func(f *evidence.Enumerated) { f.States[rng.IntN(len(f.States))] ^= 1 << rng.IntN(len(f.Latches)) }},
			{"a latch is missing", func(f *evidence.Enumerated) { f.Latches = f.Latches[:len(f.Latches)-1] }},
			{"all in one", func(f *evidence.Enumerated) { clear(f.Components) }},
			{"components reversed", func(f *evidence.Enumerated) { slices.Reverse(f.Components) }},
			{"no condition", func(f *evidence.Enumerated) {
				for i := range f.Missing[2] {
					f.Missing[2][i] = -1
				}
			}},
			{"another condition", func(f *evidence.Enumerated) {
				for i := range f.Missing[2] {
					f.Missing[2][i]++
				}
			}},
		} {
			f := &evidence.Enumerated{Latches: slices.Clone(r.Enumerated.Latches), States: slices.Clone(r.Enumerated.States), Components: slices.Clone(r.Enumerated.Components), Missing: map[int][]int32{}}
			for prop, m := range r.Enumerated.Missing {
				f.Missing[prop] = slices.Clone(m)
			}
			double.change(f)
			wrong := *r
			wrong.Enumerated, wrong.Props = f, slices.Clone(r.Props)
			tried[double.name]++
			if certify.Verify(ctx, p, &wrong) != nil {
				refused[double.name]++
			}
		}
	}
	t.Logf("tried %v, refused %v", tried, refused)
	for name, n := range tried {
		if n < 50 || 3*refused[name] < n || name == "a state is missing" && refused[name] < n {
			t.Errorf("%s: %d of %d are refused", name, refused[name], n)
		}
	}
}
