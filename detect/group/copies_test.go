package group

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFibres: points of a fibre move in step, and orbits that are copies of others
// are found.
func TestFibres(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	copied := 0
	for range 1000 {
		k := 2 + rng.IntN(6)
		var one []Perm
		for range 1 + rng.IntN(3) {
			one = append(one, randomPerm(rng, k, false))
		}
		// The same group two to four times, renamed, beside one that is none of these.
		width := 2 + rng.IntN(3)
		gens := make([]Perm, len(one))
		names := make([]Perm, width)
		for c := range names {
			names[c] = randomPerm(rng, k, false)
		}
		for g, p := range one {
			q := identity(k * width)
			for c, name := range names {
				for i, j := range p {
					q[c*k+int(name[i])] = int32(c*k) + name[j]
				}
			}
			other := randomPerm(rng, 4, false)
			for _, y := range other {
				q = append(q, int32(k*width)+y)
			}
			gens[g] = q
		}
		gens = shuffled(rng, gens)
		n := len(gens[0])
		fs := fibres(n, sparseAll(gens))
		at := make(map[int32][2]int)
		for i, f := range fs {
			for c, x := range f {
				at[x] = [2]int{i, c}
			}
		}
		moved := 0
		var kept [][]int32
		for _, o := range orbitsOf(n, sparseAll(gens)).Lists(2) {
			moved += len(o)
			if at[o[0]][1] == 0 {
				kept = append(kept, o)
			}
		}
		if len(fs) < moved {
			copied++
		}
		for i, o := range kept {
			for _, q := range kept[:i] {
				if len(o) == len(q) && slices.ContainsFunc(q, func(y int32) bool { return inStep(gens, o[0], y) }) {
					t.Fatalf("%v: the orbits of %d and %d move in step", gens, o[0], q[0])
				}
			}
		}
		if len(at) != moved {
			t.Fatalf("%v: fibres of %d points, %d are moved", gens, len(at), moved)
		}
		for _, p := range gens {
			for x, y := range p {
				if int32(x) == y {
					continue
				}
				a, b := at[int32(x)], at[y]
				if a[1] != b[1] || p[fs[a[0]][0]] != fs[b[0]][0] {
					t.Fatalf("%v: %d and %d do not move in step", gens, x, fs[a[0]][0])
				}
			}
		}
	}
	if copied < 900 {
		t.Errorf("only %d groups with copies", copied)
	}
}

// inStep reports whether the orbits of x and y, which have as many points, are copies
// of each other by a bijection that takes x to y.
func inStep(gens []Perm, x, y int32) bool {
	to := map[int32]int32{x: y}
	for todo := []int32{x}; len(todo) > 0; todo = todo[1:] {
		for _, p := range gens {
			a, b := p[todo[0]], p[to[todo[0]]]
			if c, ok := to[a]; ok && c != b {
				return false
			} else if !ok {
				to[a] = b
				todo = append(todo, a)
			}
		}
	}
	return true
}

// TestLarge has groups on which the time or the space of simple methods grows too fast:
// exchanges of an even number of pairs, a star of transpositions, many bits a row.
func TestLarge(t *testing.T) {
	even := func(pairs int) (gens []Perm) {
		for i := range pairs - 1 {
			gens = append(gens, cycles(2*pairs, []int{0, 1}, []int{2*i + 2, 2*i + 3}))
		}
		return gens
	}
	star := func(k int) (gens []Perm) {
		for i := 1; i < k; i++ {
			gens = append(gens, cycles(k, []int{0, i}))
		}
		return gens
	}
	for _, x := range []struct {
		name  string
		gens  []Perm
		order string
		axes  int
	}{
		{"an even number of 400 pairs", even(400), "2^399", 399},
		{"a star", star(200), "200!", 1},
		{"80 rows of 60 bits", matrixRows(80*60, 0, 80, 60), "80!", 1},
	} {
		want := factorial(200)
		switch x.order {
		case "2^399":
			want.SetInt64(1).Lsh(want, 399)
		case "80!":
			want = factorial(80)
		}
		gens := sparse(shuffled(rand.New(rand.NewPCG(73, 74)), x.gens))
		fs, err := Factors(t.Context(), len(x.gens[0]), gens, want, nil)
		if err != nil || len(fs) != 1 || fs[0].Group.Order().Cmp(want) != 0 {
			t.Fatalf("%s: %d factors, %v", x.name, len(fs), err)
		}
		s, err := fs[0].Group.Recognise(t.Context())
		if err != nil || s.Kind != Symmetric || len(s.Axes) != x.axes {
			t.Errorf("%s: %v with %d axes, %v", x.name, s.Kind, len(s.Axes), err)
		}
	}
}
