package ltl

import (
	"math/rand/v2"
	"testing"
)

// random returns a random formula over three atoms.
func random(rng *rand.Rand, depth int) *Formula {
	if depth == 0 || rng.IntN(6) == 0 {
		return Of(rng.IntN(3))
	}
	x := random(rng, depth-1)
	switch rng.IntN(9) {
	case 0:
		return One(Not, x)
	case 1:
		return One(Next, x)
	case 2:
		return Finally(x)
	case 3:
		return Globally(x)
	}
	y := random(rng, depth-1)
	switch rng.IntN(6) {
	case 0:
		return Two(And, x, y)
	case 1:
		return Two(Or, x, y)
	case 2:
		return Two(Until, x, y)
	case 3:
		return Two(Release, x, y)
	case 4:
		return Weak(x, y)
	}
	return Iff(x, y)
}

// TestAutomaton: the automaton of a formula accepts the lassos of which the formula holds.
func TestAutomaton(t *testing.T) {
	yes, no := 0, 0
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		f := random(rng, 3)
		a, err := New(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.States) > 60 {
			continue
		}
		for range 4 {
			n := 1 + rng.IntN(5)
			loop := rng.IntN(n)
			word := make([]int, n)
			for i := range word {
				word[i] = rng.IntN(8)
			}
			atom := func(i, k int) bool { return word[i]>>k&1 == 1 }
			want := Holds(f, n, loop, exactly(atom))
			if got := a.Accepts(n, loop, exactly(atom)); got != want {
				t.Fatalf("seed %d: %v on %v from %d: the automaton says %v", seed, f, word, loop, got)
			}
			if Holds(One(Not, f), n, loop, exactly(atom)) == want {
				t.Fatalf("seed %d: %v and its negation on %v from %d", seed, f, word, loop)
			}
			if want {
				yes++
			} else {
				no++
			}
		}
	}
	if yes < 300 || no < 300 {
		t.Errorf("%d lassos accepted, %d refused", yes, no)
	}
}

// TestConditionsCount: without its acceptance conditions an automaton accepts too much.
func TestConditionsCount(t *testing.T) {
	a, err := New(Finally(Of(0)))
	if err != nil {
		t.Fatal(err)
	}
	never := func(int, int) bool { return false }
	if a.Accepts(1, 0, exactly(never)) {
		t.Error("F a0 of a word without a0")
	}
	a.Conditions = 0
	for i := range a.States {
		a.States[i].Accepts = nil
	}
	if !a.Accepts(1, 0, exactly(never)) {
		t.Error("the conditions do not matter")
	}
}

// TestLarge: a formula whose automaton is too large is refused.
func TestLarge(t *testing.T) {
	f := Yes
	for i := range 14 {
		f = Two(And, f, Finally(Of(i)))
	}
	if a, err := New(f); err == nil {
		t.Errorf("%d states", len(a.States))
	}
}

// exactly returns the literals of atoms that hold or do not.
func exactly(atom func(state, atom int) bool) Literals {
	return func(state, i int, negated bool) bool { return atom(state, i) != negated }
}
