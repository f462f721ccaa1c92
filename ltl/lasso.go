package ltl

// Holds reports whether f holds in the first state of a lasso: the successor of the last state
// is state loop. The argument atom says what holds in a state, 0 ≤ state < n. The definition is
// followed step by step; the automaton is tested against it.
func Holds(f *Formula, n, loop int, atom func(state, atom int) bool) bool {
	return on(f, n, loop, atom)[0]
}

// on returns by state whether f holds there.
func on(f *Formula, n, loop int, atom func(state, atom int) bool) []bool {
	out := make([]bool, n)
	var x, y []bool
	if f.X != nil {
		x = on(f.X, n, loop, atom)
	}
	if f.Y != nil {
		y = on(f.Y, n, loop, atom)
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
			out[i] = atom(i, f.Atom)
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
