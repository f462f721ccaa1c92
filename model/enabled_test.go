package model_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "orbitmc/model"
)

// TestErrorsComeFirst: a conjunct that errs hides one behind it that is false. Were the
// later one decided first, the error would be missed.
func TestErrorsComeFirst(t *testing.T) {
	n := rangeType(0, 2)
	m := newModel(stateVar("x", n), stateVar("y", n), stateVar("a", arrayType(n, n)))
	x, y, a := ref(m.Vars[0]), ref(m.Vars[1]), ref(m.Vars[2])
	guard := bin(bin(at(a, x), Eq, num(1)), And, bin(y, Eq, num(2)))
	addRule(m, "r", guard, set(x, num(0)))
	p := Compile(m)
	errors := func(all bool) (n int) {
		mach := p.NewMachine()
		mach.UseBitsOf(all)
		mach.Successors(State{Undef, 0, 0, 0, 0}, func(_ Choice, _ State, v *Violation) bool {
			if v != nil && v.InGuard {
				n++
			}
			return true
		})
		return n
	}
	if n := errors(false); n != 1 {
		t.Errorf("%d errors, want 1", n)
	}
	if n := errors(true); n != 0 {
		t.Errorf("%d errors though the conjunct behind was decided first", n)
	}
}

// TestChanged: what a state differs in from that of the call before counts only if nothing came
// in between.
func TestChanged(t *testing.T) {
	n := rangeType(0, 3)
	m := newModel(stateVar("x", n), stateVar("y", n), stateVar("z", n))
	for _, v := range m.Vars {
		for k := range int64(4) {
			addRule(m, "r", bin(ref(v), Eq, num(k)), set(ref(v), num((k+1)%4)))
		}
	}
	m.Deadlock = Stuttering
	p := Compile(m)
	r := rand.New(rand.NewPCG(1, 2))
	mach := p.NewMachine()
	var last State
	for range 10 * Warm {
		s := State{r.Int64N(4), r.Int64N(4), r.Int64N(4)}
		changed := []int{}
		for i, v := range s {
			if last != nil && v != last[i] || r.IntN(4) == 0 {
				changed = append(changed, i)
			}
		}
		last = s
		other := State{r.Int64N(4), r.Int64N(4), r.Int64N(4)}
		switch r.IntN(6) {
		case 0:
			mach.Deadlocked(other)
		case 1:
			mach.SuccessorsBut(other, nil, nil, func(Choice, State, *Violation) bool { return true })
		case 2:
			mach.Starts(func(Choice, State, *Violation) bool { return true })
		}
		steps := 0
		mach.SuccessorsBut(s, changed, nil, func(ch Choice, next State, _ *Violation) bool {
			i := ch.Rule / 4
			want := slices.Clone(s)
			want[i] = (s[i] + 1) % 4
			if s[i] != int64(ch.Rule%4) || !slices.Equal(next, want) {
				t.Fatalf("rule %d leads from %v to %v", ch.Rule, s, next)
			}
			if steps++; r.IntN(12) == 0 {
				mach.Successors(other, func(Choice, State, *Violation) bool { return true })
			}
			return true
		})
		if steps != 3 {
			t.Fatalf("%d instances are enabled in %v, want 3", steps, s)
		}
	}
}
