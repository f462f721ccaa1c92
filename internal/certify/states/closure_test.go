package states_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
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

// fake is a list of states with any guesses.
type fake struct {
	evidence.Closure
	states [][]byte
	guess  func([]byte) (model.ScalarPerm, []byte) // of the true closure if nil
}

func (f *fake) Len() int64 { return int64(len(f.states)) }

func (f *fake) Member(i int64) []byte { return f.states[i] }

func (f *fake) Guess(s []byte) (int64, model.ScalarPerm, bool) {
	var perm model.ScalarPerm
	var image []byte
	if f.guess != nil {
		perm, image = f.guess(s)
	} else {
		var i int64
		i, perm, _ = f.Closure.Guess(s)
		image = f.Closure.Member(i)
	}
	i := slices.IndexFunc(f.states, func(t []byte) bool { return bytes.Equal(image, t) })
	return int64(i), perm, i >= 0
}

func TestClosureIsChecked(t *testing.T) {
	for i := range 4 {
		large, typed := i%2 == 0, i/2 == 1 // if typed, instances are left out
		text, how := ring, "in the reference interpreter"
		if large { // a leaf has too many values for a memo
			text, how = strings.Replace(ring, "n: 0..5", "n: 0..5000", 1), "in the interpreter"
		}
		m, err := murphi.Parse("ring.m", []byte(text), murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m), Blocks: [][][]int{{{0, 1, 2}}}, Typed: typed}}
		for i := range m.Props {
			p.Props = append(p.Props, i)
		}
		result, err := (&explicit.Engine{Canon: explicit.Exact}).Run(context.Background(), p, mc.Options{All: true, Watch: watching})
		if err != nil {
			t.Fatal(err)
		}
		verify := func(c evidence.Closure) (*mc.Result, error) {
			r := *result
			r.Props = slices.Clone(result.Props)
			r.Closure, r.Watch = c, nil
			return &r, certify.Verify(context.Background(), p, &r)
		}
		r, err := verify(result.Closure)
		if err != nil || r.Verdict() != mc.Safe || !strings.Contains(r.Props[0].Evidence, how) {
			t.Fatalf("%v: a true closure: %v, %v, %q", large, err, r.Verdict(), r.Props[0].Evidence)
		}
		var states [][]byte
		for i := range result.Closure.Len() {
			states = append(states, result.Closure.Member(i))
		}
		if len(states) < 10 {
			t.Fatalf("only %d states", len(states))
		}
		rejected := func(what string, f *fake) {
			t.Helper()
			f.Closure = result.Closure
			if _, err := verify(f); err == nil {
				t.Errorf("large %v, typed %v: %s: accepted", large, typed, what)
			}
		}
		if _, err := verify(&fake{Closure: result.Closure, states: states}); err != nil {
			t.Fatal(err)
		}
		for i := range states {
			rejected("a state is missing", &fake{states: slices.Delete(slices.Clone(states), i, i+1)})
		}
		rejected("no states", &fake{})
		packer, bad := model.NewPacker(m), make(model.State, m.Leaves())
		packer.Unpack(states[3], bad)
		bad[len(bad)-1] = 5
		rejected("a state violates a property", &fake{states: append(slices.Clone(states), packer.Pack(nil, bad))})
		self := func(s []byte) (model.ScalarPerm, []byte) { return nil, s }
		rejected("no permutation is proposed", &fake{states: states, guess: self})
		rejected("any member will do", &fake{states: states, guess: func([]byte) (model.ScalarPerm, []byte) { return nil, states[0] }})
		for what, perm := range map[string]model.ScalarPerm{
			"no permutation at all":           {{0, 0, 0}},
			"a permutation out of range":      {{0, 1, 3}},
			"a permutation below range":       {{0, 1, -1}},
			"a permutation of the wrong size": {{0, 1}},
			"a permutation of no type":        {},
		} {
			rejected(what, &fake{states: states, guess: func(s []byte) (model.ScalarPerm, []byte) {
				i, _, _ := result.Closure.Guess(s)
				return perm, states[i]
			}})
		}
		for _, blocks := range [][][][]int{{{{0, 1}, {2}}}, {{{0}, {1}, {2}}}, nil} { // what the search used is not granted
			p.Blocks = blocks
			rejected("values are not interchangeable", &fake{states: states})
		}
		p.Blocks = [][][]int{{{0, 1, 2}}}

		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		broken := *result // a failure is one even when time is up
		broken.Props = slices.Clone(result.Props)
		broken.Closure, broken.Watch = &fake{Closure: result.Closure}, nil
		if err := certify.Verify(ctx, p, &broken); err == nil {
			t.Errorf("a broken closure is excused by an interruption")
		}
		many := &fake{Closure: result.Closure}
		for range 300 {
			many.states = append(many.states, states[0])
		}
		c := *result
		c.Props = slices.Clone(result.Props)
		c.Closure, c.Watch = many, nil
		if err := certify.Verify(ctx, p, &c); err != nil || c.Verdict() != mc.Unknown || !strings.HasPrefix(c.Stopped, "interrupted") {
			t.Errorf("interrupted: %v, %v, %q", err, c.Verdict(), c.Stopped)
		}
	}
}

// TestClosureOfOneState: a model without variables has one state.
func TestClosureOfOneState(t *testing.T) {
	m, err := murphi.Parse("empty.m", []byte(`startstate begin end; rule "r" true ==> begin end; invariant "i" true;`), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}}
	for i := range m.Props {
		p.Props = append(p.Props, i)
	}
	r, err := (&explicit.Engine{}).Run(context.Background(), p, mc.Options{All: true, Watch: watching})
	if err == nil {
		err = certify.Verify(context.Background(), p, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, pr := range r.Props {
		want := mc.Safe
		if m.Props[pr.Prop].Kind == model.Deadlock {
			want = mc.Unsafe
		}
		if pr.Status != want {
			t.Errorf("%s: %v, want %v", m.Props[pr.Prop].Name, pr.Status, want)
		}
	}
}

// TestClosureUnderRings: a closure may use the rotations of a ring, and no more.
func TestClosureUnderRings(t *testing.T) {
	m, err := murphi.Parse("ring.m", []byte(ring), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	problem := func() *mc.Problem {
		return &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}, Props: []int{0}}
	}
	rotations, all, none := problem(), problem(), problem()
	rotations.Rings = []model.Ring{{Values: []int{0, 1, 2}, Step: 1}}
	all.Blocks = [][][]int{{{0, 1, 2}}}
	for _, c := range []struct {
		found, checked *mc.Problem
		ok             bool
	}{{rotations, rotations, true}, {rotations, all, true}, {all, rotations, false}, {rotations, none, false}} {
		r, err := (&explicit.Engine{Canon: explicit.Exact}).Run(context.Background(), c.found, mc.Options{All: true, Watch: watching})
		if err != nil {
			t.Fatal(err)
		}
		if err := certify.Verify(context.Background(), c.checked, r); (err == nil) != c.ok {
			t.Errorf("found with %v and %v, checked with %v and %v: %v", c.found.Blocks, c.found.Rings, c.checked.Blocks, c.checked.Rings, err)
		}
	}
}
