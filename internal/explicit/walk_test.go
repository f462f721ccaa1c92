package explicit_test

import (
	"context"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// deep is a model whose counters fill up one after the other: its deadlock lies 60 steps deep, and there are more
// than four million states before it. The invariant is never violated.
const deep = `const N: 12;
type P: 1..N;
var x: array [P] of 0..5; far: boolean;
startstate for i: P do x[i] := 0; end; far := false; end;
ruleset p: P do rule "up" x[p] < 5 ==> x[p] := x[p] + 1; end; end;
rule "turn" exists p: P do x[p] < 5 end ==> far := !far; end;
invariant "never" x[1] <= 5;
`

// TestWalks: a violation that lies deep ends a search with walks, before the search comes there. Its trace is accepted,
// and visits no state twice. Without walks, or if the property is left out, nothing is found.
func TestWalks(t *testing.T) {
	m, err := murphi.Parse("deep.m", []byte(deep), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := model.Compile(m)
	dead := m.DeadlockProp().Index
	any := func(int) bool { return true }
	var first *explicit.Result
	for _, c := range []struct {
		name  string
		opt   explicit.Options
		found bool
	}{
		{"walks", explicit.Options{Walks: any}, true},
		{"two threads", explicit.Options{Walks: any, Threads: 2}, true},
		{"other properties", explicit.Options{Walks: func(prop int) bool { return prop != dead }}, false},
		{"no walks", explicit.Options{}, false},
		{"all", explicit.Options{Walks: any, All: true}, false},
		{"bounded", explicit.Options{Walks: any, Bounded: true, MaxDepth: 100}, false},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		c.opt.Progress = func(s explicit.Stats) {
			if s.Fired > 3<<18 {
				cancel()
			}
		}
		r, err := explicit.Run(ctx, p, c.opt)
		cancel()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if r.Complete || (len(r.Violations) == 1) != c.found {
			t.Errorf("%s: %d violations, complete %v", c.name, len(r.Violations), r.Complete)
			continue
		}
		if !c.found {
			continue
		}
		if first == nil {
			first = r
		} else if r.States != first.States || r.Fired != first.Fired || r.Depth != first.Depth || len(r.Violations[0].Trace.Steps) != len(first.Violations[0].Trace.Steps) {
			t.Errorf("%s: %d states, %d fired, depth %d and %d; one thread %d, %d, %d and %d", c.name, r.States, r.Fired, r.Depth, r.Violations[0].Depth,
				first.States, first.Fired, first.Depth, first.Violations[0].Depth)
		}
		v := r.Violations[0]
		if v.Prop != dead || v.Depth != len(v.Trace.Steps) || v.Depth < 60 || v.Depth <= r.Depth+1 || r.Reason != "violation found" {
			t.Errorf("%s: property %d at depth %d, trace of %d steps, search to depth %d: %s", c.name, v.Prop, v.Depth, len(v.Trace.Steps), r.Depth, r.Reason)
		}
		if err := traces.Replay(p, v.Trace); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		pack, seen := model.NewPacker(m), map[string]bool{string(model.NewPacker(m).Pack(nil, v.Trace.StartState)): true}
		for i, step := range v.Trace.Steps {
			k := string(pack.Pack(nil, step.State))
			if seen[k] {
				t.Fatalf("%s: the state after step %d was met before", c.name, i+1)
			}
			seen[k] = true
		}
	}
}

// TestWalkErrors: walks find errors in guards and bodies, invariants and assertions, at the depth that the trace has.
func TestWalkErrors(t *testing.T) {
	const all = `const N: 12;
type P: 1..N;
var x: array [P] of 0..5; n: 0..60; a: array [0..59] of boolean;
startstate for i: P do x[i] := 0; end; n := 0; for i: 0..59 do a[i] := true; end; end;
ruleset p: P do rule "up" x[p] < 5 ==> x[p] := x[p] + 1; n := n + 1; end; end;
rule "stay" n = 60 ==> x[1] := 0; n := 55; end;
`
	for _, d := range []model.Dialect{model.CMurphi, model.Rumur} {
		for _, c := range []struct {
			rest, prop string
			depth      [2]int // by dialect
		}{
			{`invariant "low" n < 58;`, "low", [2]int{58, 58}},
			{`rule "bad" n = 57 ==> error "full"; end;`, "full", [2]int{58, 58}},
			{`rule "bad" n = 57 ==> assert n = 3 "three"; end;`, "three", [2]int{58, 58}},
			{`rule "bad" a[n] & n = 3 & false ==> n := 0; end;`, "runtime-error", [2]int{60, 61}},
		} {
			m, err := murphi.Parse("f.m", []byte(all+c.rest), murphi.Options{Dialect: d})
			if err != nil {
				t.Fatal(err)
			}
			r, err := explicit.Run(context.Background(), model.Compile(m), explicit.Options{Walks: func(int) bool { return true }})
			if err != nil {
				t.Fatal(err)
			}
			want := c.depth[0]
			if d == model.Rumur {
				want = c.depth[1]
			}
			if len(r.Violations) != 1 || m.Props[r.Violations[0].Prop].Name != c.prop || r.Violations[0].Depth != want || r.Violations[0].Depth <= r.Depth+1 {
				t.Errorf("%s: %+v, searched to depth %d; want %s at %d", c.rest, r.Violations, r.Depth, c.prop, want)
			}
		}
	}
}

// TestWalksByThreads: walks begin after the same chunk whatever the number of threads is.
func TestWalksByThreads(t *testing.T) {
	m, err := murphi.Parse("deep.m", []byte(deep), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := model.Compile(m)
	var one string
	for _, threads := range []int{1, 2, 3} {
		opt := explicit.Options{Walks: func(int) bool { return true }, Threads: threads}
		r, err := explicit.RunChunks(context.Background(), p, opt, 4)
		if err != nil {
			t.Fatal(err)
		}
		if got := written(p, r); threads == 1 {
			one = got
		} else if got != one {
			t.Errorf("%d threads:\n%.300s\none thread:\n%.300s", threads, got, one)
		}
	}
}

// TestWalksShortened: the trace of a walk loses the steps that the violation does not need, and takes shortcuts.
func TestWalksShortened(t *testing.T) {
	const jumps = `const N: 20; T: 60;
type P: 1..N;
var n: 0..T; far: array [P] of boolean;
startstate n := 0; for i: P do far[i] := false; end; end;
rule "up" n < T ==> n := n + 1; end;
rule "jump" n < T & n % 3 = 0 ==> n := n + 3; end;
ruleset p: P do rule "turn" n < T ==> far[p] := !far[p]; end; end;
`
	for _, c := range []struct {
		text  string
		steps int // of a shortest trace
	}{
		{deep, 60},
		{jumps, 20},
	} {
		m, err := murphi.Parse("f.m", []byte(c.text), murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := model.Compile(m)
		for seed := range uint64(3) {
			var first string
			for range 2 {
				r, err := explicit.Run(context.Background(), p, explicit.Options{Walks: func(int) bool { return true }, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				if len(r.Violations) != 1 || r.Violations[0].Depth != c.steps || r.Violations[0].Depth <= r.Depth+1 {
					t.Errorf("seed %d: %d violations, searched to depth %d; want %d steps:\n%s", seed, len(r.Violations), r.Depth, c.steps, written(p, r))
					break
				}
				if err := traces.Replay(p, r.Violations[0].Trace); err != nil {
					t.Error(err)
				}
				if got := written(p, r); first == "" {
					first = got
				} else if got != first {
					t.Errorf("seed %d:\n%s\nand then:\n%s", seed, first, got)
				}
			}
		}
	}
}
