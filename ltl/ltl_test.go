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

// accepts decides by reachability in the product of an automaton with a lasso whether it has an
// accepting run.
func accepts(a *Automaton, n, loop int, atom func(state, atom int) bool) bool {
	type place struct{ q, i int }
	next := func(p place) (out []place) {
		i := p.i + 1
		if i == n {
			i = loop
		}
		for _, q := range a.States[p.q].Next {
			if a.States[q].Meets(func(k int) bool { return atom(i, k) }) {
				out = append(out, place{q, i})
			}
		}
		return out
	}
	from := func(starts []place) map[place]bool {
		seen := make(map[place]bool)
		for len(starts) > 0 {
			p := starts[len(starts)-1]
			starts = starts[:len(starts)-1]
			if !seen[p] {
				seen[p] = true
				starts = append(starts, next(p)...)
			}
		}
		return seen
	}
	var starts []place
	for q, s := range a.States {
		if s.Initial && s.Meets(func(k int) bool { return atom(0, k) }) {
			starts = append(starts, place{q, 0})
		}
	}
	for p := range from(starts) {
		after := from(next(p))
		if !after[p] {
			continue
		}
		met := make([]bool, a.Conditions)
		for q := range after {
			if from(next(q))[p] {
				for c, is := range a.States[q.q].Accepts {
					met[c] = met[c] || is
				}
			}
		}
		all := true
		for _, m := range met {
			all = all && m
		}
		if all {
			return true
		}
	}
	return false
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
			want := Holds(f, n, loop, atom)
			if got := accepts(a, n, loop, atom); got != want {
				t.Fatalf("seed %d: %v on %v from %d: the automaton says %v", seed, f, word, loop, got)
			}
			if Holds(One(Not, f), n, loop, atom) == want {
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
	if accepts(a, 1, 0, never) {
		t.Error("F a0 of a word without a0")
	}
	a.Conditions = 0
	for i := range a.States {
		a.States[i].Accepts = nil
	}
	if !accepts(a, 1, 0, never) {
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
