package mc_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/explicit"
	"orbitmc/mc"
	"orbitmc/model"
)

// ring has 2 symmetric rows, a start state for each of them, and one state in
// which "never" would be violated but which is not reachable.
const ring = `
type NODE: scalarset(3);
var at: NODE; busy: array [NODE] of boolean; n: 0..5;
ruleset i: NODE do startstate
begin
  for j: NODE do busy[j] := false; end;
  at := i; n := 0;
end; end;
ruleset i: NODE do rule "take" !busy[i] & n < 4 ==>
begin
  busy[i] := true; at := i; n := n + 1;
end; end;
ruleset i: NODE do rule "drop" busy[i] & n < 4 ==>
begin
  busy[i] := false; n := n + 1;
end; end;
rule "again" n = 4 ==>
begin
  n := 0;
  for j: NODE do busy[j] := false; end;
end;
invariant "never" n != 5;
`

// fake is a closure with parts replaced.
type fake struct {
	mc.Closure
	states []model.State
	guess  func(model.State) model.ScalarPerm
}

func (f *fake) Len() int64 { return int64(len(f.states)) }

func (f *fake) States(yield func(model.State) bool) {
	for _, s := range f.states {
		if !yield(s) {
			return
		}
	}
}

func (f *fake) Has(s model.State) bool {
	return slices.ContainsFunc(f.states, func(t model.State) bool { return slices.Equal(s, t) })
}

func (f *fake) Guess(s model.State) model.ScalarPerm {
	if f.guess != nil {
		return f.guess(s)
	}
	return f.Closure.Guess(s)
}

func TestClosureIsChecked(t *testing.T) {
	m, err := murphi.Parse("ring.m", []byte(ring), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	enc, err := encode.Model(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, symbolic := range []bool{true, false} {
		p := &mc.Problem{Model: m, Program: enc.Program, Blocks: [][][]int{{{0, 1, 2}}}}
		how := "in the interpreter"
		if symbolic {
			p.Enc, how = enc, "by simulating the encoding"
		}
		for i := range m.Props {
			p.Props = append(p.Props, i)
		}
		result, err := (&explicit.Engine{Canon: explicit.Exact}).Run(context.Background(), p, mc.Options{All: true})
		if err != nil {
			t.Fatal(err)
		}
		verify := func(c mc.Closure) (*mc.Result, error) {
			r := *result
			r.Props = slices.Clone(result.Props)
			r.Closure = c
			return &r, mc.Verify(context.Background(), p, &r)
		}
		r, err := verify(result.Closure)
		if err != nil || r.Verdict() != mc.Safe || !strings.Contains(r.Props[0].Evidence, how) {
			t.Fatalf("%v: a true closure: %v, %v, %q", symbolic, err, r.Verdict(), r.Props[0].Evidence)
		}
		var states []model.State
		result.Closure.States(func(s model.State) bool {
			states = append(states, slices.Clone(s))
			return true
		})
		if len(states) < 10 {
			t.Fatalf("only %d states", len(states))
		}
		rejected := func(what string, f *fake) {
			t.Helper()
			f.Closure = result.Closure
			if _, err := verify(f); err == nil {
				t.Errorf("symbolic %v: %s: accepted", symbolic, what)
			}
		}
		if _, err := verify(&fake{Closure: result.Closure, states: states}); err != nil {
			t.Fatal(err)
		}
		for i := range states {
			rejected("a state is missing", &fake{states: slices.Delete(slices.Clone(states), i, i+1)})
		}
		rejected("no states", &fake{})
		bad := slices.Clone(states[3])
		bad[len(bad)-1] = 5
		rejected("a state violates a property", &fake{states: append(slices.Clone(states), bad)})
		rejected("no permutation is proposed", &fake{states: states, guess: func(model.State) model.ScalarPerm { return nil }})
		rejected("no permutation at all", &fake{states: states, guess: func(model.State) model.ScalarPerm { return model.ScalarPerm{{0, 0, 0}} }})
		rejected("a permutation out of range", &fake{states: states, guess: func(model.State) model.ScalarPerm { return model.ScalarPerm{{0, 1, 3}} }})
		rejected("a permutation of the wrong size", &fake{states: states, guess: func(model.State) model.ScalarPerm { return model.ScalarPerm{{0, 1}} }})
		rejected("a permutation of no type", &fake{states: states, guess: func(model.State) model.ScalarPerm { return model.ScalarPerm{} }})
		for _, blocks := range [][][][]int{{{{0, 1}, {2}}}, {{{0}, {1}, {2}}}, nil} { // what the search used is not granted
			p.Blocks = blocks
			rejected("values are not interchangeable", &fake{states: states})
		}
		p.Blocks = [][][]int{{{0, 1, 2}}}

		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		many := &fake{Closure: result.Closure}
		for range 300 {
			many.states = append(many.states, states[0])
		}
		c := *result
		c.Props = slices.Clone(result.Props)
		c.Closure = many
		if err := mc.Verify(ctx, p, &c); err != nil || c.Verdict() != mc.Unknown || !strings.HasPrefix(c.Stopped, "interrupted") {
			t.Errorf("interrupted: %v, %v, %q", err, c.Verdict(), c.Stopped)
		}
	}
}
