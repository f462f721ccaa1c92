package rep_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/testkit/reptest"
	"orbitmc/rep"
	"orbitmc/ts"
)

// pointers is the symmetry of an array of n one-hot pointers to its own elements,
// with w bits beside each.
func pointers(n, w int) *ts.Symmetry {
	b := ts.Block{Name: "NODE", Elems: []int{0}}
	for k := range n - 1 {
		at := func(i int) int {
			switch i {
			case k:
				return k + 1
			case k + 1:
				return k
			}
			return i
		}
		image := make([]ts.Lit, n*n+n*w)
		for i := range n {
			for j := range n {
				image[i*n+j] = ts.Lit(at(i)*n+at(j)) << 1
			}
			for j := range w {
				image[n*n+i*w+j] = ts.Lit(n*n+at(i)*w+j) << 1
			}
		}
		b.Elems = append(b.Elems, k+1)
		b.Swaps = append(b.Swaps, &ts.Perm{Name: fmt.Sprintf("%d <-> %d", k, k+1), Latch: image})
	}
	return &ts.Symmetry{Blocks: []ts.Block{b}}
}

// wreath is Sym(2) wr Sym(2) on four latches as a group of eight elements.
func wreath() *ts.Symmetry {
	g := ts.Group{Name: "pairs", Class: -1, Kind: "wreath", Order: big.NewInt(8), Gens: []*ts.Perm{latches(1, 0, 2, 3), latches(2, 3, 0, 1)}}
	y := &ts.Symmetry{Groups: []ts.Group{g}}
	all, err := rep.Perms(y, rep.All)
	if err != nil {
		panic(err)
	}
	y.Groups[0].Members = all
	return y
}

// shapes are groups on few latches; complete says that Nice keeps one state of
// each orbit in the order of the latches.
func shapes() map[string]struct {
	y        *ts.Symmetry
	n        int
	complete bool
} {
	type shape = struct {
		y        *ts.Symmetry
		n        int
		complete bool
	}
	block := func(bs ...ts.Block) *ts.Symmetry { return &ts.Symmetry{Blocks: bs} }
	ring := func(n int, members bool) *ts.Symmetry {
		all := rotations(n, false)
		g := ts.Group{Name: "ring", Class: -1, Kind: "ring", Order: big.NewInt(int64(n)), Gens: all[:1]}
		if members {
			g.Members = all
		}
		return &ts.Symmetry{Groups: []ts.Group{g}}
	}
	transversals := ring(6, false)
	transversals.Groups[0].Transversals = [][]*ts.Perm{rotations(6, false)}
	columnwise := ts.Block{Name: "ROW", Elems: []int{0, 1, 2}, Swaps: []*ts.Perm{latches(1, 0, 2, 4, 3, 5), latches(0, 2, 1, 3, 5, 4)}}
	mixed := ts.Block{Name: "ROW", Elems: []int{0, 1, 2}, Swaps: []*ts.Perm{latches(3, 4, 2, 0, 1, 5), latches(0, 2, 1, 5, 4, 3)}}
	signed := ts.Group{Name: "flip", Class: -1, Kind: "small", Order: big.NewInt(2), Gens: []*ts.Perm{{Latch: []ts.Lit{1, 5, 3, 6}}}}
	return map[string]shape{
		"rows of one":         {block(letters(6, 1, 0, 6)), 6, true},
		"rows of two":         {block(letters(4, 2, 0, 8)), 8, true},
		"columns":             {block(columnwise), 6, true},
		"columns, turned":     {block(mixed), 6, false},
		"two blocks apart":    {block(letters(3, 1, 0, 7), letters(2, 2, 3, 7)), 7, true},
		"two blocks together": {block(letters(3, 2, 0, 6), ts.Block{Name: "BIT", Elems: []int{0, 1}, Swaps: []*ts.Perm{latches(1, 0, 3, 2, 5, 4)}}), 6, false},
		"pointers":            {pointers(3, 0), 9, false},
		"ring":                {ring(6, true), 6, true},
		"ring, one generator": {ring(6, false), 6, false},
		"ring, transversals":  {transversals, 6, false},
		"wreath":              {wreath(), 4, true},
		"signed":              {&ts.Symmetry{Groups: []ts.Group{signed}}, 4, false},
		"trivial":             {nil, 4, true},
	}
}

// TestCanonIsInOrbit: the results of Canon are in the orbits of the states, not
// greater than these, and where F is complete the least of them; circuit and
// simulation agree.
func TestCanonIsInOrbit(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for name, c := range shapes() {
		for round := range 3 {
			var order []int
			if round > 0 {
				order = r.Perm(c.n)
			}
			canon := rep.NewCanon(c.y, order)
			g := aig.New()
			x := leaves(g, c.n)
			out := canon.Circuit(g, x)
			complete, why := rep.Complete(c.y, order, latchName)
			if round == 0 && complete != c.complete || complete != (why == "") {
				t.Errorf("%s: complete %v (%s)", name, complete, why)
			}
			var gens []*ts.Perm
			if c.y != nil {
				gens = c.y.Generators()
			}
			F := mustPerms(t, c.y, rep.Nice)
			least := make(map[uint64][]bool)
			valuations(g, x, func(s []bool, value func(aig.Lit) bool) {
				got, by := canon.State(s)
				for i, l := range out {
					if value(l) != got[i] {
						t.Fatalf("%s, order %v: circuit and simulation differ at %v", name, order, s)
					}
				}
				image := s
				if by != nil {
					image = ts.Apply(by.Latch, s)
				}
				if !slices.Equal(image, got) {
					t.Fatalf("%s: %v goes to %v, by %v it would go to %v", name, s, got, by, image)
				}
				orb := orbit(s, gens)
				if !slices.ContainsFunc(orb, func(u []bool) bool { return slices.Equal(u, got) }) {
					t.Fatalf("%s: %v goes to %v, which is not in its orbit", name, s, got)
				}
				if _, ok := least[key(s)]; !ok {
					m := s
					for _, u := range orb {
						if leqBits(inOrder(u, order), inOrder(m, order)) {
							m = u
						}
					}
					m = slices.Clone(m)
					for _, u := range orb {
						least[key(u)] = m
					}
				}
				m := least[key(s)]
				if !leqBits(inOrder(got, order), inOrder(s, order)) {
					t.Fatalf("%s: %v goes to %v, which is greater", name, s, got)
				}
				if complete && !slices.Equal(got, m) {
					t.Fatalf("%s, order %v: %v goes to %v, the least is %v", name, order, s, got, m)
				}
				if complete && reptest.Least(s, F, order) != slices.Equal(s, m) {
					t.Fatalf("%s, order %v: F is not complete on %v", name, order, s)
				}
			})
		}
	}
}

func inOrder(s []bool, order []int) []bool {
	if order == nil {
		return s
	}
	out := make([]bool, len(s))
	for i, j := range order {
		out[i] = s[j]
	}
	return out
}

// TestComparisons: the network of a block is Batcher's.
func TestComparisons(t *testing.T) {
	for _, c := range [][2]int{{2, 1}, {3, 3}, {4, 5}, {5, 9}, {8, 19}, {16, 63}} {
		y := &ts.Symmetry{Blocks: []ts.Block{letters(c[0], 1, 0, c[0])}}
		if got := rep.NewCanon(y, nil).Comparisons(); got != c[1] {
			t.Errorf("%d elements: %d comparisons, want %d", c[0], got, c[1])
		}
	}
	// Zeros and ones are sorted, and so is everything else (Knuth's principle).
	for n := 2; n <= 11; n++ {
		canon := rep.NewCanon(&ts.Symmetry{Blocks: []ts.Block{letters(n, 1, 0, n)}}, nil)
		for _, s := range states(n) {
			got, _ := canon.State(s)
			if !slices.IsSortedFunc(got, func(a, b bool) int { return int(key([]bool{a})) - int(key([]bool{b})) }) {
				t.Fatalf("%v becomes %v", s, got)
			}
		}
	}
}

// TestCompleteIsTrue: random permuted rows: whatever Complete claims is so.
func TestCompleteIsTrue(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	claimed := 0
	for range 300 {
		n, w := 2+r.IntN(2), 1+r.IntN(3)
		order := r.Perm(n * w)
		if r.IntN(2) == 0 { // row by row, the columns shuffled
			order = order[:0]
			cols := r.Perm(w)
			for i := range n {
				for _, c := range cols {
					order = append(order, i*w+c)
				}
			}
		}
		y := &ts.Symmetry{Blocks: []ts.Block{letters(n, w, 0, n*w)}}
		got, orbits := reptest.Count(states(n*w), mustPerms(t, y, rep.Nice), y.Generators(), order)
		complete, why := rep.Complete(y, order, latchName)
		if complete {
			claimed++
		}
		if complete && got != orbits {
			t.Fatalf("%d rows of %d in order %v: %d representatives of %d orbits", n, w, order, got, orbits)
		}
		if !complete && why == "" {
			t.Fatal("no reason")
		}
	}
	if claimed < 100 {
		t.Errorf("only %d are said to be complete", claimed)
	}
}

// TestLazy: with all that Lazy found, the states it let pass are those that are
// least under what it found, and where it is exact one of each orbit.
func TestLazy(t *testing.T) {
	big := pointers(7, 0) // order 5040: not listed
	for name, c := range shapes() {
		z := rep.NewLazy(c.y, nil)
		if !z.Exact() {
			t.Errorf("%s: not exact", name)
		}
		all := states(c.n)
		for _, s := range all {
			if p := z.Violated(s); p != nil && leqBits(s, ts.Apply(p.Latch, s)) {
				t.Fatalf("%s: %v is not violated at %v", name, p, s)
			}
		}
		n := len(z.Perms())
		for _, s := range all {
			if p := z.Violated(s); (p == nil) != reptest.Least(s, z.Perms(), nil) {
				t.Fatalf("%s: %v at %v", name, p, s)
			}
		}
		if len(z.Perms()) != n {
			t.Errorf("%s: %d permutations, then %d", name, n, len(z.Perms()))
		}
		var gens []*ts.Perm
		if c.y != nil {
			gens = c.y.Generators()
		}
		if got, orbits := reptest.Count(all, z.Perms(), gens, nil); got != orbits {
			t.Errorf("%s: %d representatives of %d orbits under %d permutations", name, got, orbits, n)
		}
	}
	r := rand.New(rand.NewPCG(15, 16))
	z := rep.NewLazy(big, nil)
	if z.Exact() {
		t.Error("5040 elements are listed")
	}
	nice := mustPerms(t, big, rep.Nice)
	passed, missed := 0, 0
	for range 3000 {
		s := make([]bool, 49)
		for i := range 7 {
			if v := r.IntN(8); v < 7 {
				s[i*7+v] = true
			}
		}
		p := z.Violated(s)
		switch {
		case p != nil && leqBits(s, ts.Apply(p.Latch, s)):
			t.Fatalf("%v is not violated at %v", p, s)
		case p == nil && !reptest.Least(s, nice, nil):
			t.Fatalf("%v passes", s)
		case p == nil:
			passed++
			// Anything less in the orbit?
			for range 200 {
				u := s
				for range 20 {
					u = ts.Apply(nice[r.IntN(len(nice))].Latch, u)
				}
				if !leqBits(s, u) {
					missed++
					break
				}
			}
		}
	}
	t.Logf("%d permutations, %d states passed, %d of them not least", len(z.Perms()), passed, missed)
	if len(z.Perms()) <= len(nice) {
		t.Errorf("%d permutations", len(z.Perms()))
	}
}

func latchName(i int) string { return fmt.Sprint("x", i) }
