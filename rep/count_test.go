package rep_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/benchmarks/measure"
	"orbitmc/internal/testkit/reptest"
	"orbitmc/rep"
	"orbitmc/ts"
)

// This file tests what benchmarks/measure counts, on the groups of the other tests.

// onehot is a system of latches without steps, in groups of w of which at most
// one is true if hot.
func onehot(n, w int, hot bool) *ts.System {
	g := aig.New()
	s := &ts.System{G: g, W: aig.True}
	var x []aig.Lit
	for range n {
		l := g.Input()
		x = append(x, l)
		s.Latches = append(s.Latches, ts.Latch{Node: l.Node(), Next: l})
	}
	for i := range n {
		for j := i - i%w; hot && j < i; j++ {
			s.W = g.And(s.W, g.And(x[i], x[j]).Not())
		}
	}
	return s
}

// TestRepresentatives: counting along the diagram agrees with the list of all states,
// and with all elements counts orbits, as Orbits does.
func TestRepresentatives(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for name, c := range shapes() {
		if c.y == nil {
			continue
		}
		for round := range 3 {
			var order []int
			if round > 0 {
				order = r.Perm(c.n)
			}
			s := onehot(c.n, 3, name == "pointers")
			domains, err := measure.Domains(s)
			if err != nil {
				t.Fatal(err)
			}
			var all [][]bool
			e := ts.NewEvaluator(s)
			for _, x := range states(c.n) {
				if e.Set(x, nil); e.Value(s.W) {
					all = append(all, x)
				}
			}
			for _, set := range []rep.Set{rep.Nice, rep.Star, rep.All, rep.Generators} {
				F := mustPerms(t, c.y, set)
				want, orbits := reptest.Count(all, F, c.y.Generators(), order)
				if set == rep.All {
					want = orbits
					if got, err := measure.Orbits(domains, F); err != nil || !got.IsInt64() || got.Int64() != int64(want) {
						t.Errorf("%s: %v orbits (%v), want %d", name, got, err, want)
					}
				}
				got, err := measure.Representatives(domains, F, order, 1<<20)
				if err != nil || got.Int64() != int64(want) {
					t.Errorf("%s, %v, order %v: %v representatives (%v), want %d", name, set, order, got, err, want)
				}
			}
		}
	}
	domains, err := measure.Domains(onehot(30, 1, false))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := measure.Representatives(domains, nil, nil, 1); err != nil || got.Int64() != 1<<30 {
		t.Errorf("2^30 states without symmetry: %v, %v", got, err)
	}
	var image []ts.Lit // exchanges the halves
	for i := range 30 {
		image = append(image, ts.Lit(i+15)%30<<1)
	}
	swap := []*ts.Perm{latchPerm(image)}
	half := int64(1<<30+1<<15) / 2
	if got, err := measure.Representatives(domains, swap, nil, 1<<16); err != nil || got.Int64() != half {
		t.Errorf("halves exchanged: %v, %v, want %d", got, err, half)
	}
	if got, err := measure.Orbits(domains, swap); err != nil || got.Int64() != half {
		t.Errorf("halves exchanged: %v orbits, %v, want %d", got, err, half)
	}
	if _, err := measure.Representatives(domains, swap, nil, 1000); !errors.Is(err, measure.ErrTooMany) {
		t.Errorf("with few nodes: %v", err)
	}
	if _, err := measure.Domains(onehot(21, 21, true)); err == nil {
		t.Error("21 latches depend on each other")
	}
	if got, err := measure.Representatives(nil, nil, nil, 10); err != nil || got.Int64() != 1 {
		t.Errorf("no latches: %v, %v", got, err)
	}
}

// TestLength: what a chain compares.
func TestLength(t *testing.T) {
	for _, c := range []struct {
		image []ts.Lit
		want  int
	}{
		{[]ts.Lit{0, 2, 4}, 0}, {[]ts.Lit{2, 0, 4}, 1}, {[]ts.Lit{4, 6, 0, 2, 8}, 2}, {[]ts.Lit{2, 4, 6, 0}, 3},
		{[]ts.Lit{2, 0, 5, 8, 6}, 2}, {[]ts.Lit{1, 4, 2}, 1},
	} {
		if got := rep.Length(latchPerm(c.image), nil); got != c.want {
			t.Errorf("%v: %d, want %d", c.image, got, c.want)
		}
	}
	if got := rep.Length(latchPerm([]ts.Lit{2, 0, 5, 8, 6}), []int{2, 0, 1, 3, 4}); got != 1 {
		t.Errorf("the negated latch first: %d, want 1", got)
	}
}

// square is the action of the permutations of n elements on an n×n array of booleans,
// row by row.
func square(n int) *ts.Symmetry {
	b := ts.Block{Name: "NODE", Elems: []int{0}}
	for k := 1; k < n; k++ {
		to := func(i int) int {
			switch i {
			case k - 1:
				return k
			case k:
				return k - 1
			}
			return i
		}
		image := make([]ts.Lit, n*n)
		for i := range n {
			for j := range n {
				image[i*n+j] = ts.Lit(to(i)*n+to(j)) << 1
			}
		}
		b.Elems, b.Swaps = append(b.Elems, k), append(b.Swaps, latchPerm(image))
	}
	return &ts.Symmetry{Blocks: []ts.Block{b}}
}

// TestSquares: the orbits of square arrays are the relations on unlabelled points, which
// are known (Davis, The number of structures of finite relations, Proc. AMS 4, 1953), and
// the diagram with all permutations, where it is small, counts the same; with some it is
// held to the list of all states where there are few.
func TestSquares(t *testing.T) {
	for n, want := range map[int]int64{2: 10, 3: 104, 4: 3044, 5: 291968, 6: 96928992, 7: 112282908928} {
		y := square(n)
		domains, err := measure.Domains(onehot(n*n, 1, false))
		if err != nil {
			t.Fatal(err)
		}
		all := mustPerms(t, y, rep.All)
		if got, err := measure.Orbits(domains, all); err != nil || got.Int64() != want {
			t.Errorf("%d×%d: %v orbits (%v), want %d", n, n, got, err, want)
		}
		if n <= 5 {
			if got, err := measure.Representatives(domains, all, nil, 1<<20); err != nil || got.Int64() != want {
				t.Errorf("%d×%d: %v representatives under all (%v), want %d", n, n, got, err, want)
			}
		}
		for _, set := range []rep.Set{rep.Nice, rep.Star} {
			if n > 6 {
				break
			}
			F := mustPerms(t, y, set)
			got, err := measure.Representatives(domains, F, nil, 1<<20)
			if err != nil || got.Int64() < want {
				t.Fatalf("%d×%d, %v: %v representatives (%v) of %d orbits", n, n, set, got, err, want)
			}
			if n > 4 {
				continue
			}
			kept := int64(0)
			for _, x := range states(n * n) {
				if reptest.Least(x, F, nil) {
					kept++
				}
			}
			if got.Int64() != kept {
				t.Errorf("%d×%d, %v: %v representatives, want %d", n, n, set, got, kept)
			}
		}
	}
}

// TestOrbitsRefuse: what maps no variables to variables, or states to none, has no
// orbits of states.
func TestOrbitsRefuse(t *testing.T) {
	domains, err := measure.Domains(onehot(4, 2, true))
	if err != nil {
		t.Fatal(err)
	}
	for _, image := range [][]ts.Lit{{0, 4, 2, 6}, {1, 2, 4, 6}} {
		if got, err := measure.Orbits(domains, []*ts.Perm{latchPerm(image)}); err == nil {
			t.Errorf("%v: %v orbits", image, got)
		}
	}
}
