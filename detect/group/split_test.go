package group

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// checkSplit checks that a group is the product of the symmetric groups of its axes
// and its kernel.
func checkSplit(t *testing.T, name string, g *Group, s *Structure) {
	t.Helper()
	var swaps []Perm
	top := big.NewInt(1)
	for _, a := range s.Axes {
		swaps = append(swaps, a.Swaps...)
		top.Mul(top, factorial(len(a.Swaps)+1))
	}
	kernel := mustNew(t, g.n, s.Kernel)
	for _, p := range append(swaps, s.Kernel...) {
		if !contains(g, p) {
			t.Fatalf("%s: %v is no element", name, p)
		}
	}
	for _, p := range swaps {
		for _, q := range s.Kernel {
			if !contains(kernel, p.Inverse().Then(q).Then(p)) {
				t.Fatalf("%s: the kernel is not normal", name)
			}
		}
	}
	if got := mustNew(t, g.n, swaps).Order(); got.Cmp(top) != 0 {
		t.Fatalf("%s: the swaps generate a group of order %v, want %v", name, got, top)
	}
	all := mustNew(t, g.n, append(swaps, s.Kernel...)).Order()
	if product := top.Mul(top, kernel.Order()); all.Cmp(g.Order()) != 0 || product.Cmp(g.Order()) != 0 {
		t.Fatalf("%s: order %v, generated %v, product %v", name, g.Order(), all, product)
	}
}

// local repeats permutations of the columns of a row in each of a rows of b.
func local(a, b int, ps ...Perm) (gens []Perm) {
	for i := range a {
		for _, p := range ps {
			q := identity(a * b)
			for j, k := range p {
				q[i*b+j] = int32(i*b) + k
			}
			gens = append(gens, q)
		}
	}
	return gens
}

// beside puts permutations of other points beside each of gens, by turns.
func beside(gens []Perm, others ...Perm) []Perm {
	n := len(gens[0])
	for i, p := range gens {
		q := append(Perm{}, p...)
		for _, y := range others[i%len(others)] {
			q = append(q, int32(n)+y)
		}
		gens[i] = q
	}
	return gens
}

// TestSplit recognises components with a symmetry of their own.
func TestSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	pairs := func(a, b int) []Perm { // two pairs of columns can be exchanged in each row
		return append(matrixRows(a*b, 0, a, b), local(a, b, cycles(b, []int{0, 1}), cycles(b, []int{2, 3}))...)
	}
	for _, x := range []struct {
		name string
		gens []Perm
		kind Kind
	}{
		{"two pairs in each of 3 rows", pairs(3, 4), Split},
		{"two pairs in each of 4 rows of 6", pairs(4, 6), Split},
		{"two pairs in each of 6 rows", pairs(6, 5), Split},
		{"a ring in each of 4 rows", append(matrixRows(20, 0, 4, 5), local(4, 5, cycles(5, []int{0, 1, 2, 3, 4}))...), Split},
		{"Sym(3) and a pair in each of 4 rows", append(matrixRows(20, 0, 4, 5), local(4, 5, cycles(5, []int{0, 1}), cycles(5, []int{1, 2}), cycles(5, []int{3, 4}))...), Split},
		{"pairs in 5 rows exchanged two at a time", append(matrixRows(10, 0, 5, 2), cycles(10, []int{0, 1}, []int{2, 3})), Split},
		{"exchanges of rows linked to a pair", beside(pairs(4, 4), cycles(2, []int{0, 1}), identity(2)), Split},
	} {
		g := mustNew(t, len(x.gens[0]), shuffled(rng, x.gens))
		s, err := g.Recognise(t.Context())
		if err != nil || s.Kind != x.kind {
			t.Errorf("%s, order %v: %v, %v, want %v", x.name, g.Order(), s.Kind, err, x.kind)
			continue
		}
		checkSplit(t, x.name, g, s)
	}
	// GL(2, 3) acts on four lines as Sym(4), with kernel {1, -1}, and on each line of
	// two vectors there are involutions above transpositions; but no complement.
	vector := func(x, y int) int { return (x+3)%3*3 + (y+3)%3 - 1 }
	linear := func(a, b, c, d int) Perm {
		p := identity(8)
		for x := range 3 {
			for y := range 3 {
				if x+y > 0 {
					p[vector(x, y)] = int32(vector((a*x+b*y)%3, (c*x+d*y)%3))
				}
			}
		}
		return p
	}
	g := mustNew(t, 8, []Perm{linear(0, 1, 1, 0), linear(1, 1, 0, 1), linear(2, 0, 0, 1)})
	if s, err := g.Recognise(t.Context()); err != nil || g.Order().Int64() != 48 || s.Kind != Small {
		t.Errorf("GL(2, 3), order %v: %v, %v", g.Order(), s.Kind, err)
	}
	// Whatever random groups are taken for, they are.
	kinds := make(map[Kind]int)
	for range 3000 {
		n, gens := randomGroup(rng)
		g := mustNew(t, n, gens)
		s, err := g.Recognise(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		kinds[s.Kind]++
		if s.Kind == Split || s.Kind == Wreath {
			checkSplit(t, "random", g, s)
		}
		all := big.NewInt(1)
		for _, u := range g.Transversals(1 << 20) {
			all.Mul(all, big.NewInt(int64(len(u)+1)))
		}
		if all.Cmp(g.Order()) != 0 {
			t.Fatalf("transversals of %v elements, order %v", all, g.Order())
		}
	}
	if kinds[Split] < 20 || kinds[Wreath] < 5 || kinds[Small] < 50 {
		t.Errorf("%v", kinds)
	}
}

// TestTransversals: the products of one of each are the elements, each once.
func TestTransversals(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	for range 200 {
		n, gens := randomGroup(rng)
		all := closure(n, gens)
		seen := map[string]Perm{}
		products := []Perm{identity(n)}
		us := mustNew(t, n, gens).Transversals(1 << 20)
		for i := len(us) - 1; i >= 0; i-- {
			for _, p := range products[:len(products):len(products)] {
				for _, u := range us[i] {
					products = append(products, p.Then(u))
				}
			}
		}
		for _, p := range products {
			b := make([]byte, n)
			for i, x := range p {
				b[i] = byte(x)
			}
			if _, ok := all[string(b)]; !ok {
				t.Fatalf("%v is no element", p)
			}
			seen[string(b)] = p
		}
		if len(products) != len(all) || len(seen) != len(all) {
			t.Fatalf("%v: %d products, %d of them distinct, order %d", gens, len(products), len(seen), len(all))
		}
	}
	g := mustNew(t, 5, []Perm{cycles(5, []int{0, 1, 2, 3, 4})})
	if g.Transversals(3) != nil || len(g.Transversals(4)) != 1 {
		t.Error("the limit does not hold")
	}
}
