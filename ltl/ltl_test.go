package ltl

import (
	"math/rand/v2"
	"slices"
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

// erring returns the literals of a word of random letters in which atoms err: both literals count as true.
func erring(rng *rand.Rand, n int) Literals {
	word := make([][3]int, n)
	for i := range word {
		word[i] = [3]int{rng.IntN(3), rng.IntN(3), rng.IntN(3)}
	}
	return func(state, atom int, negated bool) bool { return word[state][atom] == 2 || word[state][atom] == 1 != negated }
}

// TestErring: so it does where atoms err.
func TestErring(t *testing.T) {
	only := 0 // words that it accepts, and does not if errors are made values
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 2))
		f := random(rng, 3)
		a, err := New(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.States) > 24 {
			continue
		}
		consistent := *a
		consistent.States = slices.Clone(a.States)
		for i, s := range a.States {
			if slices.ContainsFunc(s.Yes, func(k int) bool { return slices.Contains(s.No, k) }) {
				consistent.States[i].Initial, consistent.States[i].Next = false, nil
			}
		}
		for range 4 {
			n := 1 + rng.IntN(5)
			loop, word := rng.IntN(n), erring(rng, n)
			if got, want := a.Accepts(n, loop, word), Holds(f, n, loop, word); got != want {
				t.Fatalf("seed %d: %v from %d: the automaton says %v", seed, f, loop, got)
			} else if want && !consistent.Accepts(n, loop, word) {
				only++
			}
		}
	}
	if only < 10 {
		t.Errorf("%d words need an atom and its negation", only)
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
