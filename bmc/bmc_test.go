package bmc_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"orbitmc/bmc"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/mc"
	"orbitmc/sat"
)

// counter violates its properties one after the other.
const counter = `
type NODE: scalarset(3);
var
  x: 0..9;
  a: array [NODE] of boolean;
startstate
  x := 0;
  for i: NODE do a[i] := false; end;
end;
ruleset i: NODE do
  rule "mark" !a[i] ==>
  begin
    a[i] := true;
    x := x + 1;
  end;
  rule "clear" a[i] & (x = 5 -> exists j: NODE do !a[j] end) ==>
  begin
    a[i] := false;
    assert x != 5 "five";
    x := x + 1;
  end;
end;
invariant "low" x < 3;
invariant "start" x > 0;
invariant "fine" x <= 9;
`

// counterDepths are the depths of the violations in counter, -1 for none.
var counterDepths = map[string]int{"low": 3, "start": 0, "fine": -1, "five": 6, "runtime-error": 10, "deadlock": 5}

func counterProblem(t *testing.T) *mc.Problem {
	p := parse(t, counter, murphi.Options{})
	if r := withSymmetry(t, p); r.Common.Order().Int64() != 6 {
		t.Fatalf("group of order %v", r.Common.Order())
	}
	return p
}

// depths returns what a result says of each property by name: a depth, or the
// bound as text.
func depths(p *mc.Problem, r *mc.Result) map[string]any {
	got := make(map[string]any)
	for _, pr := range r.Props {
		name := p.Model.Props[pr.Prop].Name
		if got[name] = fmt.Sprint("up to ", pr.Bound); pr.Status == mc.Unsafe {
			got[name] = pr.Depth
		}
	}
	return got
}

func TestOptions(t *testing.T) {
	for mode := bmc.RepPath; mode <= bmc.RepOff; mode++ {
		for _, c := range []struct {
			opt     mc.Options
			want    map[string]any
			stopped string
			depth   int // of the last event
		}{
			{mc.Options{Bounded: true, All: true},
				map[string]any{"low": "up to 0", "start": 0, "fine": "up to 0", "five": "up to 0", "runtime-error": "up to 0", "deadlock": "up to 0"}, "depth bound", 0},
			{mc.Options{MaxDepth: 5, All: true},
				map[string]any{"low": 3, "start": 0, "fine": "up to 5", "five": "up to 5", "runtime-error": "up to 5", "deadlock": 5}, "depth bound", 5},
			{mc.Options{Bounded: true, MaxDepth: 11, All: true},
				map[string]any{"low": 3, "start": 0, "fine": "up to 11", "five": 6, "runtime-error": 10, "deadlock": 5}, "depth bound", 11},
			{mc.Options{}, // properties are asked in order, until one is violated
				map[string]any{"low": "up to 0", "start": 0, "fine": "up to -1", "five": "up to 0", "runtime-error": "up to 0", "deadlock": "up to -1"}, "a property is violated", 0},
			{mc.Options{MemLimit: 1},
				map[string]any{"low": "up to -1", "start": "up to -1", "fine": "up to -1", "five": "up to -1", "runtime-error": "up to -1", "deadlock": "up to -1"}, "memory limit", -1},
		} {
			p := counterProblem(t)
			last := -1
			c.opt.Event = func(e mc.Event) {
				if e.Engine != "bmc" || e.Depth != last+1 || e.Stats.Frames != e.Depth+1 {
					t.Errorf("event %+v after depth %d", e, last)
				}
				last = e.Depth
			}
			r, err := (&bmc.Checker{Rep: mode, NewSolver: newSolver}).Run(context.Background(), p, c.opt)
			if err == nil {
				err = certify.Verify(context.Background(), p, r)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := depths(p, r); !reflect.DeepEqual(got, c.want) || r.Stopped != c.stopped || last != c.depth {
				t.Errorf("rep %v, %+v: %v, stopped %q, last depth %d", mode, c.opt, got, r.Stopped, last)
			}
		}
	}
}

// TestUntilAllAreDecided: without a bound the search ends by itself once nothing
// is open.
func TestUntilAllAreDecided(t *testing.T) {
	p := counterProblem(t)
	p.Props = []int{propNamed(t, p.Model, "start"), propNamed(t, p.Model, "five")}
	r, err := (&bmc.Checker{NewSolver: newSolver}).Run(context.Background(), p, mc.Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := depths(p, r); !reflect.DeepEqual(got, map[string]any{"start": 0, "five": 6}) || r.Stopped != "" {
		t.Errorf("%v, stopped %q", got, r.Stopped)
	}
}

func TestNoEncoding(t *testing.T) {
	p := counterProblem(t)
	p.Enc, p.EncErr = nil, errors.New("too odd")
	r, err := (&bmc.Checker{NewSolver: newSolver}).Run(context.Background(), p, mc.Options{})
	if err != nil || r.Open() != len(p.Props) || !strings.Contains(r.Stopped, "too odd") {
		t.Errorf("%+v, %v", r, err)
	}
}

// faulty is a solver that misbehaves.
type faulty struct {
	sat.Solver
	solves    int
	interrupt func(n int) bool // before solve number n: end the context
	cancel    context.CancelFunc
	lie       bool // every answer is Sat
	flip      bool // values are inverted
	lied      bool
	giveUp    int // this solve has no answer, though the context lives
}

func (f *faulty) Solve(ctx context.Context, assumptions ...sat.Lit) sat.Status {
	f.solves++
	if f.interrupt != nil && f.interrupt(f.solves) {
		f.cancel()
		return sat.Unknown
	}
	if f.solves == f.giveUp {
		return sat.Unknown
	}
	st := f.Solver.Solve(ctx, assumptions...)
	f.lied = f.lie && st == sat.Unsat
	if f.lied {
		return sat.Sat
	}
	return st
}

func (f *faulty) Value(l sat.Lit) bool {
	if f.lied {
		return false
	}
	return f.Solver.Value(l) != f.flip
}

// TestInterrupted ends the context during each of the queries in turn: what is
// claimed then must be true, and everything that was found must be there.
func TestInterrupted(t *testing.T) {
	queries := 0
	for n := 1; n < 200; n++ {
		p := counterProblem(t)
		ctx, cancel := context.WithCancel(context.Background())
		s := &faulty{Solver: newSolver(), cancel: cancel, interrupt: func(k int) bool { return k == n }}
		r, err := (&bmc.Checker{NewSolver: func() sat.Solver { return s }}).Run(ctx, p, mc.Options{All: true, Bounded: true, MaxDepth: 11})
		if err == nil {
			err = certify.Verify(context.Background(), p, r)
		}
		if err != nil {
			t.Fatal(err)
		}
		if s.solves < n {
			cancel()
			if r.Stopped != "depth bound" {
				t.Errorf("stopped: %q", r.Stopped)
			}
			break
		}
		queries++
		if r.Stopped != "interrupted" || r.Open() == 0 || s.solves > n {
			t.Errorf("interrupted in query %d of %d: stopped %q, %d open", n, s.solves, r.Stopped, r.Open())
		}
		least, most := 99, -1 // depths to which properties that are not decided are known
		for _, pr := range r.Props {
			want := counterDepths[p.Model.Props[pr.Prop].Name]
			switch {
			case pr.Status == mc.Unsafe && pr.Depth == want:
			case pr.Status == mc.Unknown && (want < 0 || pr.Bound < want):
				least, most = min(least, pr.Bound), max(most, pr.Bound)
			default:
				t.Errorf("interrupted in query %d: %q is %v, depth %d, bound %d, want %d", n, p.Model.Props[pr.Prop].Name, pr.Status, pr.Depth, pr.Bound, want)
			}
		}
		if most > least+1 {
			t.Errorf("interrupted in query %d: bounds from %d to %d", n, least, most)
		}
	}
	if queries < 12 {
		t.Errorf("only %d queries", queries)
	}

	p := counterProblem(t)
	ctx, cancel := context.WithTimeout(context.Background(), -time.Second)
	defer cancel()
	r, err := (&bmc.Checker{NewSolver: newSolver}).Run(ctx, p, mc.Options{})
	if err != nil || r.Stopped != "time limit" || r.Open() != len(p.Props) || r.Props[0].Bound != -1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestFaultySolver: a solver that answers wrongly does not make a property
// violated; it is found out.
func TestFaultySolver(t *testing.T) {
	for _, s := range []*faulty{{lie: true}, {flip: true}} {
		p := counterProblem(t)
		p.Props = []int{propNamed(t, p.Model, "five")}
		s.Solver = newSolver()
		r, err := (&bmc.Checker{NewSolver: func() sat.Solver { return s }}).Run(context.Background(), p, mc.Options{MaxDepth: 8})
		if err == nil || !strings.Contains(err.Error(), "internal error") {
			t.Errorf("lie %v, flip %v: %+v, %v", s.lie, s.flip, r, err)
		}
	}
}

// TestSolverGivesUp: nothing is claimed from the first query without an answer on.
func TestSolverGivesUp(t *testing.T) {
	for n := 1; n <= 4; n++ {
		p := counterProblem(t)
		p.Props = []int{propNamed(t, p.Model, "five")}
		s := &faulty{Solver: newSolver(), giveUp: n}
		r, err := (&bmc.Checker{NewSolver: func() sat.Solver { return s }}).Run(context.Background(), p, mc.Options{MaxDepth: 8})
		if err != nil {
			t.Fatal(err)
		}
		full, err := (&bmc.Checker{NewSolver: newSolver}).Run(context.Background(), p, mc.Options{MaxDepth: 8})
		if err != nil {
			t.Fatal(err)
		}
		if s.solves < n {
			continue // fewer queries are needed
		}
		if pr := r.Props[0]; s.solves != n || pr.Status != mc.Unknown || pr.Bound >= full.Props[0].Depth || r.Stopped == "" {
			t.Errorf("no answer to query %d of %d: %+v, stopped by %q", n, s.solves, pr, r.Stopped)
		}
	}
}

// TestSteps: however many depths a query is about, each violation is a shortest one.
func TestSteps(t *testing.T) {
	for _, c := range [][2]int{{0, 3}, {4, 1}, {7, 2}, {11, 1}, {30, 1}} {
		for mode := range bmc.RepMode(len(bmc.RepModes())) {
			p := counterProblem(t)
			r, err := (&bmc.Checker{Rep: mode, From: c[0], Step: c[1], NewSolver: newSolver}).Run(context.Background(), p, mc.Options{All: true, Bounded: true, MaxDepth: 11})
			if err == nil {
				err = certify.Verify(context.Background(), p, r)
			}
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]any{"low": 3, "start": 0, "fine": "up to 11", "five": 6, "runtime-error": 10, "deadlock": 5}
			if got := depths(p, r); !reflect.DeepEqual(got, want) || r.Stopped != "depth bound" {
				t.Errorf("rep %v, from %d by %d: %v, stopped %q", mode, c[0], c[1], got, r.Stopped)
			}
			for _, pr := range r.Props {
				if pr.Status == mc.Unsafe && pr.Bound != pr.Depth-1 {
					t.Errorf("rep %v, from %d by %d: %+v", mode, c[0], c[1], pr)
				}
			}
		}
	}
}

// TestNotShortened: a violation that could not be shortened any more is one, and
// nothing is claimed of lesser depths.
func TestNotShortened(t *testing.T) {
	p := counterProblem(t)
	p.Props = []int{propNamed(t, p.Model, "five")}
	s := &faulty{Solver: newSolver(), giveUp: 2}
	r, err := (&bmc.Checker{From: 9, NewSolver: func() sat.Solver { return s }}).Run(context.Background(), p, mc.Options{MaxDepth: 9})
	if err == nil {
		err = certify.Verify(context.Background(), p, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	if pr := r.Props[0]; pr.Status != mc.Unsafe || pr.Depth < 6 || pr.Bound != -1 || s.solves != 2 {
		t.Errorf("%+v after %d queries", pr, s.solves)
	}
}

// TestDeterministic: two runs give the same traces.
func TestDeterministic(t *testing.T) {
	var first *mc.Result
	for range 2 {
		p := counterProblem(t)
		r, err := (&bmc.Checker{NewSolver: newSolver}).Run(context.Background(), p, mc.Options{MaxDepth: 10, All: true})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Props {
			r.Props[i].Time = 0
		}
		if first == nil {
			first = r
		} else if !reflect.DeepEqual(r, first) {
			t.Errorf("%+v and %+v", r, first)
		}
	}
}

// TestAuto: representatives are used once queries take conflicts.
func TestAuto(t *testing.T) {
	src, err := os.ReadFile("../benchmarks/murphi/german_bug2.m")
	if err != nil {
		t.Fatal(err)
	}
	p := parse(t, string(src), murphi.Options{Consts: map[string]string{"NODE_NUM": "5"}})
	p.Props = []int{propNamed(t, p.Model, "CtrlProp")}
	withSymmetry(t, p)
	for _, c := range []struct {
		bound, permutations, depth int
	}{{5, 0, 0}, {16, 2, 15}} {
		r, err := (&bmc.Checker{NewSolver: newSolver}).Run(context.Background(), p, mc.Options{MaxDepth: c.bound})
		if err != nil {
			t.Fatal(err)
		}
		if r.Stats.Permutations != c.permutations || r.Props[0].Depth != c.depth {
			t.Errorf("up to %d: %d permutations, %d clauses, violated at depth %d", c.bound, r.Stats.Permutations, r.Stats.Clauses, r.Props[0].Depth)
		}
	}
}

// growing is a solver that notes how many variables it has when it is told that it grows.
type growing struct {
	sat.Solver
	told []int64
}

func (g *growing) NewestFirst() { g.told = append(g.told, g.Stats().Vars) }

// TestNewestFirst: the solver of a search is told once that its formula grows, before it does.
func TestNewestFirst(t *testing.T) {
	s := &growing{Solver: newSolver()}
	none := s.Stats().Vars
	if _, err := (&bmc.Checker{NewSolver: func() sat.Solver { return s }}).Run(t.Context(), counterProblem(t), mc.Options{}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.told, []int64{none}) || s.Stats().Vars == none {
		t.Errorf("told with %v variables, of %d", s.told, s.Stats().Vars)
	}
}
