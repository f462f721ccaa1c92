package ltl

import "slices"

// Literals say of an atom, or of its negation, whether it counts as true in a state, 0 ≤ state < n. Where it is not known
// whether an atom holds, both may, or neither.
type Literals func(state, atom int, negated bool) bool

// Dual returns the literals of the negation of a formula.
func (l Literals) Dual() Literals {
	return func(state, atom int, negated bool) bool { return !l(state, atom, !negated) }
}

// Holds reports whether f holds in the first state of a lasso: the successor of the last state
// is state loop. The definition is followed step by step; the automaton is tested against it.
func Holds(f *Formula, n, loop int, l Literals) bool {
	return on(f, n, loop, l)[0]
}

// on returns by state whether f holds there.
func on(f *Formula, n, loop int, l Literals) []bool {
	out := make([]bool, n)
	var x, y []bool
	switch {
	case f.Op == Not:
		x = on(f.X, n, loop, l.Dual())
	case f.X != nil:
		x = on(f.X, n, loop, l)
	}
	if f.Y != nil {
		y = on(f.Y, n, loop, l)
	}
	next := func(i int) int {
		if i == n-1 {
			return loop
		}
		return i + 1
	}
	for i := range out {
		switch f.Op {
		case True:
			out[i] = true
		case Atom:
			out[i] = l(i, f.Atom, false)
		case Not:
			out[i] = !x[i]
		case And:
			out[i] = x[i] && y[i]
		case Or:
			out[i] = x[i] || y[i]
		case Next:
			out[i] = x[next(i)]
		case Until, Release: // what the states from here on say, each once
			out[i] = f.Op == Release
			for j, seen := i, 0; seen < n; j, seen = next(j), seen+1 {
				if f.Op == Until && y[j] || f.Op == Release && !y[j] {
					out[i] = f.Op == Until
					break
				}
				if f.Op == Until && !x[j] || f.Op == Release && x[j] {
					break
				}
			}
		}
	}
	return out
}

// Accepts reports whether an automaton has an accepting run on a lasso: see Holds. It decides by
// reachability in their product.
func (a *Automaton) Accepts(n, loop int, l Literals) bool {
	type place struct{ q, i int }
	next := func(p place) (out []place) {
		i := p.i + 1
		if i == n {
			i = loop
		}
		for _, q := range a.States[p.q].Next {
			if a.States[q].Meets(i, l) {
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
		if s.Initial && s.Meets(0, l) {
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
		if !slices.Contains(met, false) {
			return true
		}
	}
	return false
}
