package ltl

import (
	"math/rand/v2"
	"orbitmc/internal/testkit/nightly"
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
	for seed := range uint64(nightly.Or(150, 500)) {
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
	if yes < 90 || no < 90 {
		t.Errorf("%d lassos accepted, %d refused", yes, no)
	}
}

// erring is a word of letters of three atoms, each of which does not hold, holds or errs: then both its literals count as true.
type erring [][3]int

func randomErring(rng *rand.Rand, n int) (w erring) {
	for range n {
		w = append(w, [3]int{rng.IntN(3), rng.IntN(3), rng.IntN(3)})
	}
	return w
}

func (e erring) literals(state, atom int, negated bool) bool {
	return e[state][atom] == 2 || e[state][atom] == 1 != negated
}

// TestErring: so it does where atoms err.
func TestErring(t *testing.T) {
	only := 0 // words that it accepts, and does not if errors are made values
	for seed := range uint64(250) {
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
		for range 8 {
			n := 1 + rng.IntN(5)
			loop, word := rng.IntN(n), Literals(randomErring(rng, n).literals)
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

// TestStutters: what a state of the automaton of a formula without X accepts is closed under stuttering, if the first
// letter is repeated. Partial orders rest on that (docs/theory/liveness.md).
func TestStutters(t *testing.T) {
	const seeds = 150
	closed, once, next := 0, 0, 0
	for seed := range uint64(2 * seeds) {
		rng := rand.New(rand.NewPCG(seed, 3))
		f := random(rng, 3)
		if f.Stutters() == (seed >= seeds) {
			continue // the second half has X
		}
		a, err := New(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.States) > 20 {
			continue
		}
		for range 4 {
			n := 1 + rng.IntN(4)
			loop, word := rng.IntN(n), randomErring(rng, n)
			if n > 1 && loop != 1 {
				word[1] = word[0]
			}
			var other erring
			at := 0
			for i, letter := range word {
				if i == loop {
					at = len(other)
				}
				times := 1 + rng.IntN(3)
				if i > 0 && i != loop && letter == word[i-1] {
					times = rng.IntN(2)
				}
				if i == 0 {
					times = max(times, 2)
				}
				for range times {
					other = append(other, letter)
				}
			}
			for q := range a.States {
				for k := range a.States {
					a.States[k].Initial = k == q
				}
				if !a.Accepts(n, loop, word.literals) {
					continue
				}
				ok := a.Accepts(len(other), at, other.literals)
				switch {
				case seed >= seeds:
					if !ok {
						next++
					}
				case !ok:
					t.Fatalf("seed %d: %v: state %d accepts %v from %d, and not %v from %d", seed, f, q, word, loop, other, at)
				default:
					closed++
					if at > 0 && !a.Accepts(len(other)-1, at-1, other[1:].literals) {
						once++
					}
				}
			}
		}
	}
	if closed < 300 || once == 0 || next == 0 {
		t.Errorf("%d words accepted; %d not where the first letter is there once less; %d not by formulas with X", closed, once, next)
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
