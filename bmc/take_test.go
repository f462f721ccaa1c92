package bmc_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/bmc"
	"orbitmc/encode/murphi"
	"orbitmc/internal/board"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/sat"
)

// backwards returns the problem with its latches in the opposite order: another system with the same runs.
func backwards(p *mc.Problem) *mc.Problem {
	sys, q := *p.Netlist, *p
	sys.Latches = slices.Clone(sys.Latches)
	slices.Reverse(sys.Latches)
	q.Netlist = &sys
	return &q
}

// TestTakesAnotherSystem: random systems, perhaps with constraints, and all lemmas that there are. bmc goes over to another
// system at some depth, for which these lemmas are false. No depth and no bound changes.
func TestTakesAnotherSystem(t *testing.T) {
	const bound = 6
	ctx := context.Background()
	lemmas, constrained, violated := 0, 0, 0
	for seed := range uint64(600) {
		c := tstest.Random(rand.New(rand.NewPCG(seed, 93)))
		space := tstest.Explore(c.Sys)
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: c.Sys}, WellFormed: true}
		for i := range p.NumProps() {
			p.Props = append(p.Props, i)
		}
		b := &board.Board{}
		b.Post(unreachable(space))
		over := int(seed % 5)
		later := func(w mc.Work) *mc.Problem {
			if w.Depth < over {
				return nil
			}
			return backwards(p)
		}
		r, err := (&bmc.Checker{NewSolver: newSolver}).Run(ctx, p, mc.Options{All: true, Bounded: true, MaxDepth: bound, Lemmas: b, Later: later})
		if err == nil {
			err = certify.Verify(ctx, p, r)
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r.Stats.Lemmas != 0 && r.Open() > 0 {
			t.Errorf("seed %d: %d lemmas about another system", seed, r.Stats.Lemmas)
		}
		lemmas += len(unreachable(space).Clauses)
		constrained += len(c.Sys.Constraints)
		for _, pr := range r.Props {
			want := space.Depth[pr.Prop]
			if want < 0 || want > bound {
				if pr.Status != mc.Unknown || pr.Bound != bound {
					t.Fatalf("seed %d, over at %d: %+v, want a bound of %d", seed, over, pr, bound)
				}
				continue
			}
			if pr.Status != mc.Unsafe || pr.Depth != want {
				t.Fatalf("seed %d, over at %d: %+v, want depth %d", seed, over, pr, want)
			}
			if want >= over {
				violated++
			}
		}
	}
	t.Log(lemmas, constrained, violated)
	if lemmas < 1000 || constrained < 100 || violated < 100 {
		t.Error("too few to tell")
	}
}

// TestTakeIsInterrupted: a search that ends while another system is unrolled keeps its bounds.
func TestTakeIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	sys, _ := hidden()
	p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{0}}
	later := func(w mc.Work) *mc.Problem {
		if w.Depth < 9 {
			return nil
		}
		cancel()
		return backwards(p)
	}
	r, err := (&bmc.Checker{NewSolver: newSolver}).Run(ctx, p, mc.Options{Later: later})
	if err != nil {
		t.Fatal(err)
	}
	if pr := r.Props[0]; pr.Status != mc.Unknown || pr.Bound != 8 || r.Stopped != mc.StopReason(ctx) || r.Stats.Frames != 0 {
		t.Errorf("%+v, %q, %d frames", pr, r.Stopped, r.Stats.Frames)
	}
}

// TestHard: queries are hard from 1,000 conflicts on, while the last four took nine tenths of all conflicts. Those of run-time
// errors never are, as they have no predicate.
func TestHard(t *testing.T) {
	conflicts := []int64{200, 999, 1000, 1200, 3000, 3001, 3000, 30_000, 50_000, 999}
	want := []bool{false, false, false, true, true, true, false, false, true, true, false} // before each, and in the end
	run := func(p *mc.Problem) []bool {
		var s *scripted
		hard := make([]bool, len(want))
		later := func(w mc.Work) *mc.Problem {
			if queries := len(s.under); queries < len(hard) {
				hard[queries] = slices.Equal(w.Hard, p.Props)
			}
			return nil
		}
		e := &bmc.Checker{NewSolver: func() sat.Solver {
			s = &scripted{Solver: newSolver(), unit: 1, conflicts: conflicts}
			return s
		}}
		if _, err := e.Run(t.Context(), p, mc.Options{Bounded: true, MaxDepth: len(conflicts) + 4, Later: later}); err != nil {
			t.Fatal(err)
		}
		return hard
	}
	sys, _ := hidden()
	if got := run(&mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{0}}); !slices.Equal(got, want) {
		t.Errorf("hard %v, want %v", got, want)
	}
	m := parse(t, `var n, u: 0..63; set: boolean;
ruleset i: 0..2 do startstate n := i * 16; undefine u; set := false; end; end;
rule "up" true ==> n := (n + 1) % 61; end;
rule "double" true ==> n := (n * 2) % 61; end;
rule "set" !set ==> u := n; set := true; end;
rule "use" set ==> n := u; end;
invariant "low" n != 61;`, murphi.Options{})
	for i, prop := range m.Model.Props {
		want := want
		switch prop.Kind {
		case model.RuntimeError:
			want = make([]bool, len(want))
		case model.Deadlock:
			continue
		}
		q := *m
		q.Props = []int{i}
		if got := run(&q); !slices.Equal(got, want) {
			t.Errorf("%s: hard %v, want %v", prop.Name, got, want)
		}
	}
}
