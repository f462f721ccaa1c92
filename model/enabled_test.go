package model

import "testing"

// TestErrorsComeFirst: a conjunct that errs hides one behind it that is false. Were the
// later one decided first, the error would be missed.
func TestErrorsComeFirst(t *testing.T) {
	n := rangeType(0, 2)
	m := newModel(stateVar("x", n), stateVar("y", n), stateVar("a", arrayType(n, n)))
	x, y, a := ref(m.Vars[0]), ref(m.Vars[1]), ref(m.Vars[2])
	guard := bin(bin(at(a, x), Eq, num(1)), And, bin(y, Eq, num(2)))
	m.rule("r", guard, set(x, num(0)))
	p := Compile(m)
	errors := func(sure func(c *certain, e Expr) bool) (n int) {
		mach := p.NewMachine()
		mach.enabler, mach.calls = p.makeMatrix(sure).enabler(m.Leaves()), warm
		mach.Successors(State{Undef, 0, 0, 0, 0}, func(_ Choice, _ State, v *Violation) bool {
			if v != nil && v.InGuard {
				n++
			}
			return true
		})
		return n
	}
	if n := errors((*certain).holds); n != 1 {
		t.Errorf("%d errors, want 1", n)
	}
	if n := errors(func(*certain, Expr) bool { return true }); n != 0 {
		t.Errorf("%d errors though the conjunct behind was decided first", n)
	}
}
