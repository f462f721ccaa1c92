package model_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "orbitmc/model"
)

func TestLeaves(t *testing.T) {
	m := newModel()
	P := newScalarset(m, "P", 2)
	n := rangeType(-1, 0)
	rec := recordType(Field{Name: "f", Type: BoolType}, Field{Name: "g", Type: arrayType(n, P)}, Field{Name: "h", Type: recordType()})
	vars := []*Var{stateVar("x", n), stateVar("a", arrayType(P, rec)), stateVar("b", arrayType(BoolType, BoolType))}
	m.Vars = newModel(vars...).Vars
	want := []string{"x", "a[P_1].f", "a[P_1].g[-1]", "a[P_1].g[0]", "a[P_2].f", "a[P_2].g[-1]", "a[P_2].g[0]", "b[false]", "b[true]"}
	all := m.AllLeaves()
	if len(all) != len(want) || m.Leaves() != len(want) {
		t.Fatalf("%d leaves, Leaves() = %d, want %d", len(all), m.Leaves(), len(want))
	}
	for i, l := range all {
		if l.Name != want[i] || m.LeafName(i) != want[i] {
			t.Errorf("leaf %d is %s, LeafName %s, want %s", i, l.Name, m.LeafName(i), want[i])
		}
	}
	l := all[6]
	if l.Type != P || l.Var != vars[1] || !slices.Equal(l.Indices, []IndexDim{{P, 1, 3}, {n, 0, 1}}) {
		t.Errorf("got %+v", l)
	}
}

func TestPacker(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var vars []*Var
	for range 40 {
		lo, hi := r.Int64N(9)-4, int64(0)
		switch r.IntN(4) {
		case 0:
			hi = lo + int64(1)<<r.IntN(62)
		case 1:
			lo, hi = -math.MaxInt64/2, math.MaxInt64/2
		default:
			hi = lo + r.Int64N(20)
		}
		vars = append(vars, stateVar("x", rangeType(lo, hi)))
	}
	m := newModel(vars...)
	p := NewPacker(m)
	prefix := []byte{1, 2, 3}
	old := slices.Repeat(State{Undef}, m.Leaves())
	held, packed := slices.Clone(old), make([]byte, p.Size())
	for range 2000 {
		s := randomState(r, m)
		b := p.Pack(prefix, s)
		if len(b) != 3+p.Size() || !slices.Equal(b[:3], prefix) {
			t.Fatalf("%d bytes, want %d", len(b), 3+p.Size())
		}
		u := make(State, len(s))
		p.Unpack(b[3:], u)
		if !slices.Equal(s, u) {
			t.Fatalf("packed %v, unpacked %v", s, u)
		}
		if r.IntN(2) == 0 { // few changes
			u = s
			s = slices.Clone(old)
			for range r.IntN(3) {
				i := r.IntN(len(s))
				s[i] = u[i]
			}
			b = p.Pack(prefix, s)
		}
		var changed []int
		for i := range s {
			if s[i] != old[i] || r.IntN(10) == 0 {
				changed = append(changed, i)
			}
		}
		re := slices.Clone(packed)
		if p.Repack(re, old, s, changed); !slices.Equal(re, b[3:]) {
			t.Fatalf("%v repacked for %v as %v, want %v", old, s, re, b[3:])
		}
		told := p.Update(held, packed, re, nil)
		if !slices.Equal(held, s) {
			t.Fatalf("updated from %v to %v, want %v", old, held, s)
		}
		for i := range s {
			if slices.Contains(told, i) != (s[i] != old[i]) || !slices.IsSorted(told) {
				t.Fatalf("of %v and %v, leaves %v are told to differ", old, s, told)
			}
		}
		old, packed = s, re
	}
	// 3 bits for 0..3 and undefined, 2 bits for a boolean: dense.
	m = newModel(stateVar("x", rangeType(5, 8)), stateVar("b", BoolType), stateVar("y", rangeType(5, 7)))
	if got := NewPacker(m).Pack(nil, State{8, Undef, 5}); !slices.Equal(got, []byte{0b0100100}) {
		t.Errorf("packed to %b", got)
	}
}

func TestCounts(t *testing.T) {
	n := rangeType(0, 1<<40)
	m := newModel(stateVar("x", n))
	i, j := boundVar("i", n), boundVar("j", n)
	r := addRule(m, "r", boolean(false))
	r.Params = []*Param{param(i), {j, upto(num(10), num(1), num(-3))}}
	addRule(m, "s", boolean(false))
	addStart(m).Params = []*Param{param(boundVar("k", BoolType))}
	p := Compile(m)
	if got := p.NumInstances().String(); got != "4398046511109" { // (2^40 + 1) * 4 + 1
		t.Errorf("%s instances", got)
	}
	if got := p.NumStarts().String(); got != "2" {
		t.Errorf("%s starts", got)
	}
	for _, v := range []int64{10, 7, 4, 1} {
		if !p.ValidRule(Choice{0, []int64{3, v}}) {
			t.Errorf("%d is not valid", v)
		}
	}
	for _, v := range []int64{13, 9, -2, 0} {
		if p.ValidRule(Choice{0, []int64{3, v}}) {
			t.Errorf("%d is valid", v)
		}
	}
	var got []State
	p.NewMachine().Starts(func(ch Choice, s State, v *Violation) bool {
		got = append(got, State{ch.Params[0], s[0]})
		return true
	})
	if len(got) != 2 || !slices.Equal(got[0], State{0, Undef}) || !slices.Equal(got[1], State{1, Undef}) {
		t.Errorf("starts %v", got)
	}
}

// TestReentrancy uses a machine inside its own callbacks.
func TestReentrancy(t *testing.T) {
	p := Compile(lockModel(3, false))
	m := p.NewMachine()
	n := 0
	m.Starts(func(_ Choice, s State, _ *Violation) bool {
		m.Successors(s, func(ch Choice, next State, _ *Violation) bool {
			before := slices.Clone(next)
			m.Successors(next, func(ch Choice, next State, _ *Violation) bool { n++; return true })
			if m.Violated(next, 0) != nil || m.Deadlocked(next) {
				t.Error("violated")
			}
			if !slices.Equal(next, before) {
				t.Error("the state changed under the callback")
			}
			return ch.Params[0] < 1
		})
		return true
	})
	if n != 6 { // the callback stops the enumeration after two of three instances
		t.Errorf("%d successors, want 6", n)
	}
	expand := func() {
		m.Successors(State{0, 1, 0, Undef, Undef, 0}, func(Choice, State, *Violation) bool { return true })
	}
	for range Warm {
		expand()
	}
	allocs := testing.AllocsPerRun(100, expand)
	if allocs > 0 {
		t.Errorf("%v allocations per state", allocs)
	}
}
