package prog_test

import (
	"slices"
	"testing"

	"orbitmc/encode/promela"
	"orbitmc/internal/prog"
	"orbitmc/model"
)

// analysed returns the steps of a program and its start state.
func analysed(t *testing.T, src string) (*prog.Program, *prog.Steps, *model.Machine, model.State) {
	t.Helper()
	p, err := promela.Parse("f", []byte(src), promela.Options{Stay: true})
	if err != nil {
		t.Fatal(err)
	}
	s, err := prog.NewSteps(p, p.Model)
	if err != nil {
		t.Fatal(err)
	}
	m := model.Compile(p.Model).NewMachine()
	start, v := m.Start(model.Choice{})
	if v != nil {
		t.Fatal(v)
	}
	return p, s, m, start
}

// TestConflicts asks, for the first steps of two processes at the start, whether they conflict, whether what
// the first may do later conflicts with the step of the second, and whether the first is alone.
func TestConflicts(t *testing.T) {
	for _, c := range []struct {
		name, src         string
		now, later, alone bool
	}{
		{"different variables", "byte x, y; active proctype A() { x = 1 } active proctype B() { y = 1 }", false, false, true},
		{"the same variable", "byte x; active proctype A() { x = 1 } active proctype B() { x = 2 }", true, true, false},
		{"both read", "byte x; active proctype A() { byte r; r = x } active proctype B() { byte r; r = x }", false, false, true},
		{"later", "byte x; active proctype A() { byte r; r = 1; x = r } active proctype B() { x = 2 }", false, true, true},
		{"a loop that nobody else sees", "byte x; active proctype A() { byte r; do :: r = 1 - r od } active proctype B() { x = 2 }", false, false, false},
		{"elements by process number", "byte a[2]; active [2] proctype A() { a[_pid] = 1 }", false, false, true},
		{"the same element", "byte a[2]; active proctype A() { a[1] = 1 } active proctype B() { a[_pid] = 1 }", true, true, false},
		{"an index that is known in the state", "byte a[2]; active proctype A() { byte i; a[i] = 1 } active proctype B() { a[1] = 1 }", false, true, false},
		{"an index that others write", "byte a[2], i; active proctype A() { a[i] = 1 } active proctype B() { i = 1 }", true, true, false},
		{"an index that the step writes", "byte a[2], i; active proctype A() { d_step { i = 1; a[i] = 1 } } active proctype B() { a[1] = 2 }", true, true, false},
		{"an assertion", "byte x; active proctype A() { assert(x == 0) } active proctype B() { x = 1 }", true, true, false},
		{"a channel", "chan c = [1] of { byte }; active proctype A() { c!1 } active proctype B() { c?1 }", true, true, false},
		{"a handshake and a way to it", "chan c = [0] of { byte }; active proctype A() { c!1 } active proctype B() { skip; c?1 }", true, true, false},
		{"a handshake and something before the way to it", "chan c = [0] of { byte }; active proctype A() { c!1 } active proctype B() { byte r; r = 1; r = 2; c?1 }", false, false, false},
		{"else beside a handshake", "byte x; chan c = [0] of { byte }; active proctype A() { if :: x == 1 -> c!1 :: else fi } active proctype B() { x = 1 }", true, true, false},
		{"else in place of a handshake", "chan c = [0] of { byte }; active proctype A() { if :: c!1 :: else fi } active proctype B() { skip; c?1 }", true, true, false},
		{"others behind a condition", "byte x; active proctype A() { if :: x == 0 :: else fi } active proctype B() { x = 1 }", true, true, false},
	} {
		_, s, _, start := analysed(t, c.src)
		next := s.Next(start, 1)
		now, later := s.Next(start, 0).Conflicts(next), s.Future(start, 0).Conflicts(next)
		if alone := s.Alone(start, 0); now != c.now || later != c.later || alone != c.alone {
			t.Errorf("%s: conflict now %v, later %v; alone %v", c.name, now, later, alone)
		}
	}
}

// TestWakes asks whether process 1, which waits at the start, may be woken by process 0.
func TestWakes(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      bool
	}{
		{"counts up", "byte x; active proctype A() { x++ } active proctype B() { d_step { x > 0; x-- } }", true},
		{"counts down", "byte x; active proctype A() { d_step { x > 0; x-- } } active proctype B() { d_step { x > 0; x-- } }", false},
		{"counts down twice", "byte x = 1; active proctype A() { atomic { x > 0; x--; x-- } } active proctype B() { x > 5 }", true},
		{"counts down in a loop", "byte x = 1, y; active proctype A() { d_step { x > 0; do :: y < 2 -> x--; y++ :: else -> break od } } active proctype B() { x > 5 }", true},
		{"counts down once", "byte x = 1; active proctype A() { atomic { x > 0; x-- } } active proctype B() { x > 5 }", false},
		{"may count below zero", "byte x; active proctype A() { x-- } active proctype B() { d_step { x > 0; x-- } }", true},
		{"another variable", "byte x, y; active proctype A() { y = 1 } active proctype B() { x > 0 }", false},
		{"the second condition", "byte x, y; active proctype A() { y = 1 } active proctype B() { x > 0 && y > 0 }", false},
		{"an index", "byte a[2], i; active proctype A() { i = 1 } active proctype B() { a[i] > 0 }", true},
		{"a handshake", "chan c = [0] of { byte }; active proctype A() { c!1 } active proctype B() { c?1 }", true},
	} {
		_, s, _, start := analysed(t, c.src)
		got := false
		s.Wakes(start, 1, func(o prog.Set, up, down bool) { got = got || s.MayWrite(start, 0, o, up, down) })
		if got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

// TestForget: variables are dead from the last read on, up to the next write.
func TestForget(t *testing.T) {
	p, s, m, state := analysed(t, "byte x; active proctype A() { byte a, b; a = x; b = a; x = b; b = 2; x = b }")
	var dead [][]string
	for {
		forgotten := slices.Clone(state)
		s.Forget(forgotten)
		var names []string
		for i, v := range forgotten {
			if v == model.Undef && state[i] != model.Undef {
				names = append(names, p.Model.LeafName(i))
			}
		}
		dead = append(dead, names)
		moved := false
		m.Successors(state, func(ch model.Choice, next model.State, _ *model.Violation) bool {
			if p.Edges[ch.Rule].Kind == prog.Step {
				state, moved = slices.Clone(next), true
			}
			return !moved
		})
		if !moved {
			break
		}
	}
	want := [][]string{{"A[0].a", "A[0].b"}, {"A[0].b"}, {"A[0].a"}, {"A[0].a", "A[0].b"}, {"A[0].a"}, {"A[0].a", "A[0].b"}}
	if !slices.EqualFunc(dead, want, slices.Equal) {
		t.Errorf("got %v", dead)
	}
}

// TestCycle: executions need not end if a process may come back to a location.
func TestCycle(t *testing.T) {
	for src, want := range map[string]int{
		"byte x; active proctype A() { x = 1; x = 2 }":                                                 0,
		"byte x; active proctype A() { do :: x < 3 -> x++ :: else -> break od }":                       1,
		"chan c = [0] of { byte }; active proctype A() { c!1 } active proctype B() { L: c?1; goto L }": 1,
	} {
		_, s, _, _ := analysed(t, src)
		if l := s.Cycle(); (l != nil) != (want > 0) || l != nil && l.Pos.Line != want {
			t.Errorf("%s: %v", src, l)
		}
	}
}

// TestStays: processes stay at their ends only where nothing can tell.
func TestStays(t *testing.T) {
	for src, want := range map[string]bool{
		"byte x; active [2] proctype A() { x++ }":                                           true,
		"byte x; active proctype A() { x = _nr_pr }":                                        false,
		"byte x; proctype B() { x++ } init { run B() }":                                     false,
		"active proctype A() { chan c = [1] of { byte }; c!1 }":                             false,
		"active proctype A() { L: skip } active proctype B() { byte r; A@L; r = 1 }":        false,
		"chan c = [1] of { byte }; active proctype A() { c!1 } active proctype B() { c?1 }": true,
	} {
		if p, _, _, _ := analysed(t, src); p.Stays != want {
			t.Errorf("%s: %v", src, p.Stays)
		}
	}
}
