package ts_test

import (
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/ts"
)

// sized returns a system with these numbers of leaves and nothing else.
func sized(latches, inputs, init int) *ts.System {
	return &ts.System{
		Latches: make([]ts.Latch, latches),
		Inputs:  make([]ts.Signal, inputs),
		Init:    make([]ts.Signal, init),
	}
}

// randomPerm returns a random signed permutation of s.
func randomPerm(rng *rand.Rand, s *ts.System) *ts.Perm {
	part := func(n int) []ts.Lit {
		p := make([]ts.Lit, n)
		for i, j := range rng.Perm(n) {
			p[i] = ts.Lit(2*j + rng.IntN(2))
		}
		return p
	}
	return &ts.Perm{Name: "random", Latch: part(len(s.Latches)), Input: part(len(s.Inputs)), Init: part(len(s.Init))}
}

// same reports whether p and q are the same permutation, whatever their names.
func same(p, q *ts.Perm) bool {
	return slices.Equal(p.Latch, q.Latch) && slices.Equal(p.Input, q.Input) && slices.Equal(p.Init, q.Init)
}

func randomBits(rng *rand.Rand, n int) []bool {
	bits := make([]bool, n)
	for i := range bits {
		bits[i] = rng.IntN(2) == 1
	}
	return bits
}

// TestApply pins the convention down: element i goes to place image[i]>>1.
func TestApply(t *testing.T) {
	image := []ts.Lit{1 << 1, 2<<1 | 1, 0<<1 | 1} // 0 → 1, 1 → ¬2, 2 → ¬0
	for _, c := range []struct{ x, want []bool }{
		{[]bool{true, false, false}, []bool{true, true, true}},
		{[]bool{false, true, false}, []bool{true, false, false}},
		{[]bool{false, true, true}, []bool{false, false, false}},
	} {
		if got := ts.Apply(image, c.x); !slices.Equal(got, c.want) {
			t.Errorf("Apply to %v is %v, want %v", c.x, got, c.want)
		}
	}
	lits := []aig.Lit{10, 12, 15}
	if got, want := ts.ApplyLits(image, lits), []aig.Lit{14, 10, 13}; !slices.Equal(got, want) {
		t.Errorf("ApplyLits to %v is %v, want %v", lits, got, want)
	}

	p := &ts.Perm{Latch: image, Input: []ts.Lit{1}, Init: []ts.Lit{2, 0}}
	want := &ts.Perm{Latch: []ts.Lit{5, 0, 3}, Input: []ts.Lit{1}, Init: []ts.Lit{2, 0}}
	if got := p.Inverse(); !same(got, want) {
		t.Errorf("the inverse is %v, want %v", got, want)
	}
	q := &ts.Perm{Latch: []ts.Lit{2, 0, 5}, Input: []ts.Lit{1}, Init: []ts.Lit{3, 0}}
	want = &ts.Perm{Latch: []ts.Lit{0, 4, 3}, Input: []ts.Lit{0}, Init: []ts.Lit{0, 3}}
	if got := p.Then(q); !same(got, want) {
		t.Errorf("the product is %v, want %v", got, want)
	}
}

// TestGroup: signed permutations are a group, and Apply is its action from the
// left in the order of Then.
func TestGroup(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		s := sized(rng.IntN(8), rng.IntN(5), rng.IntN(4))
		id := ts.Identity(s)
		p, q, r := randomPerm(rng, s), randomPerm(rng, s), randomPerm(rng, s)
		for _, x := range []*ts.Perm{id, p, p.Inverse(), p.Then(q)} {
			if err := x.Check(s); err != nil {
				t.Fatal(err)
			}
		}
		for _, law := range []struct {
			name        string
			left, right *ts.Perm
		}{
			{"(pq)r = p(qr)", p.Then(q).Then(r), p.Then(q.Then(r))},
			{"ep = p", id.Then(p), p},
			{"pe = p", p.Then(id), p},
			{"pp⁻¹ = e", p.Then(p.Inverse()), id},
			{"p⁻¹p = e", p.Inverse().Then(p), id},
			{"(pq)⁻¹ = q⁻¹p⁻¹", p.Then(q).Inverse(), q.Inverse().Then(p.Inverse())},
		} {
			if !same(law.left, law.right) {
				t.Fatalf("%s: %v and %v for p = %v, q = %v, r = %v", law.name, law.left, law.right, p, q, r)
			}
		}
		if !p.Then(p.Inverse()).IsIdentity() || p.IsIdentity() != same(p, id) {
			t.Fatalf("IsIdentity of %v is %v", p, p.IsIdentity())
		}
		if p.MovesLatches() == slices.Equal(p.Latch, id.Latch) {
			t.Fatalf("MovesLatches of %v is %v", p, p.MovesLatches())
		}

		pq := p.Then(q)
		for _, part := range []struct{ p, q, pq []ts.Lit }{
			{p.Latch, q.Latch, pq.Latch}, {p.Input, q.Input, pq.Input}, {p.Init, q.Init, pq.Init},
		} {
			x := randomBits(rng, len(part.p))
			once := slices.Clone(x)
			if two, one := ts.Apply(part.q, ts.Apply(part.p, x)), ts.Apply(part.pq, x); !slices.Equal(two, one) {
				t.Fatalf("%v then %v maps %v to %v, their product to %v", part.p, part.q, x, two, one)
			}
			if !slices.Equal(x, once) {
				t.Fatal("Apply changed its argument")
			}
			// The literals of π·x have the values of π·x.
			lits := make([]aig.Lit, len(x))
			for i := range lits {
				lits[i] = aig.MkLit(i+1, rng.IntN(2) == 1)
			}
			value := func(l aig.Lit) bool { return x[l.Node()-1] != l.Neg() }
			values := func(ls []aig.Lit) []bool {
				var vs []bool
				for _, l := range ls {
					vs = append(vs, value(l))
				}
				return vs
			}
			if got, want := values(ts.ApplyLits(part.p, lits)), ts.Apply(part.p, values(lits)); !slices.Equal(got, want) {
				t.Fatalf("literals permuted by %v have values %v, want %v", part.p, got, want)
			}
		}
	}
}

// TestMoves looks at each part of a permutation by itself: one exchange or one
// sign anywhere is not the identity, and only those of latches move latches.
func TestMoves(t *testing.T) {
	s := sized(3, 3, 3)
	for part := range 3 {
		for _, image := range [][]ts.Lit{{2, 0, 4}, {0, 4, 2}, {1, 2, 4}, {0, 2, 5}} {
			p := ts.Identity(s)
			copy([][]ts.Lit{p.Latch, p.Input, p.Init}[part], image)
			if p.IsIdentity() || p.MovesLatches() != (part == 0) {
				t.Errorf("%v: identity %v, moves latches %v", p, p.IsIdentity(), p.MovesLatches())
			}
		}
	}
	if id := ts.Identity(s); !id.IsIdentity() || id.MovesLatches() {
		t.Errorf("%v: identity %v, moves latches %v", id, id.IsIdentity(), id.MovesLatches())
	}
}

func TestPermCheck(t *testing.T) {
	s := sized(3, 2, 2)
	good := func() *ts.Perm {
		return &ts.Perm{Name: "p", Latch: []ts.Lit{3, 5, 0}, Input: []ts.Lit{2, 1}, Init: []ts.Lit{0, 2}}
	}
	if err := good().Check(s); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spoil func(*ts.Perm)
		want  string
	}{
		"latches missing": {func(p *ts.Perm) { p.Latch = p.Latch[:2] }, "permutation p: 2 latch images, want 3"},
		"one more input":  {func(p *ts.Perm) { p.Input = append(p.Input, 4) }, "permutation p: 3 input images, want 2"},
		"no init":         {func(p *ts.Perm) { p.Init = nil }, "permutation p: 0 initial input images, want 2"},
		"negative":        {func(p *ts.Perm) { p.Latch[1] = -1 }, "permutation p: latch 1 has no or a repeated image"},
		"too large":       {func(p *ts.Perm) { p.Input[0] = 4 }, "permutation p: input 0 has no or a repeated image"},
		"repeated":        {func(p *ts.Perm) { p.Init[1] = 0 }, "permutation p: initial input 1 has no or a repeated image"},
		"repeated, other sign": {func(p *ts.Perm) { p.Latch[2] = 2 },
			"permutation p: latch 2 has no or a repeated image"},
	} {
		p := good()
		c.spoil(p)
		if err := p.Check(s); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestPermNames(t *testing.T) {
	p, q := &ts.Perm{Name: "p"}, &ts.Perm{Name: "q"}
	for _, c := range []struct{ got, want string }{
		{p.Then(q).Name, "p, q"},
		{p.Inverse().Name, "p inverse"},
		{ts.Identity(sized(0, 0, 0)).Name, "identity"},
	} {
		if c.got != c.want {
			t.Errorf("name %q, want %q", c.got, c.want)
		}
	}
}

func TestSymmetry(t *testing.T) {
	swaps := func(n int) []*ts.Perm {
		var ps []*ts.Perm
		for range n {
			ps = append(ps, &ts.Perm{})
		}
		return ps
	}
	var none *ts.Symmetry
	a := ts.Block{Name: "A", Elems: []int{0, 1, 2}, Swaps: swaps(2)}
	b := ts.Block{Name: "B", Class: 1, Elems: []int{4, 7}, Swaps: swaps(1)}
	large := ts.Block{Name: "C", Class: 2, Elems: make([]int, 25), Swaps: swaps(24)}
	c8 := ts.Group{Name: "D", Class: -1, Kind: "ring", Order: big.NewInt(8), Gens: swaps(1)}
	for _, c := range []struct {
		y     *ts.Symmetry
		order string
		gens  []*ts.Perm
	}{
		{none, "1", nil},
		{&ts.Symmetry{}, "1", nil},
		{&ts.Symmetry{Blocks: []ts.Block{a}}, "6", a.Swaps},
		{&ts.Symmetry{Blocks: []ts.Block{a, b}}, "12", []*ts.Perm{a.Swaps[0], a.Swaps[1], b.Swaps[0]}},
		{&ts.Symmetry{Groups: []ts.Group{c8}}, "8", c8.Gens},
		{&ts.Symmetry{Blocks: []ts.Block{b}, Groups: []ts.Group{c8, c8}}, "128", []*ts.Perm{b.Swaps[0], c8.Gens[0], c8.Gens[0]}},
		{&ts.Symmetry{Blocks: []ts.Block{large, b}}, "31022420086661971968000000", append(slices.Clip(large.Swaps), b.Swaps...)},
	} {
		if got := c.y.Order().String(); got != c.order {
			t.Errorf("order %s, want %s", got, c.order)
		}
		gens := c.y.Generators()
		if len(gens) != len(c.gens) || !reflect.DeepEqual(gens, c.gens) {
			t.Errorf("%d generators, want %d", len(gens), len(c.gens))
		}
		for i := range gens {
			if gens[i] != c.gens[i] {
				t.Errorf("generator %d of order %s is another one", i, c.order)
			}
		}
		if c.y.Trivial() != (c.order == "1") {
			t.Errorf("a group of order %s is trivial: %v", c.order, c.y.Trivial())
		}
	}
}

// TestOnLatches leaves out the factors of which no generator moves a latch.
func TestOnLatches(t *testing.T) {
	s := sized(2, 2, 0)
	latches, inputs := ts.Identity(s), ts.Identity(s)
	latches.Latch[0], latches.Latch[1] = 2, 0
	inputs.Input[0], inputs.Input[1] = 2, 0
	block := func(p *ts.Perm) ts.Block { return ts.Block{Elems: []int{0, 1}, Swaps: []*ts.Perm{p}} }
	group := func(ps ...*ts.Perm) ts.Group { return ts.Group{Order: big.NewInt(2), Gens: ps} }
	y := &ts.Symmetry{
		Blocks: []ts.Block{block(inputs), block(latches)},
		Groups: []ts.Group{group(inputs), group(inputs, latches)},
	}
	want := &ts.Symmetry{Blocks: y.Blocks[1:], Groups: y.Groups[1:]}
	if got := y.OnLatches(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := (&ts.Symmetry{Blocks: y.Blocks[:1], Groups: y.Groups[:1]}).OnLatches(); !got.Trivial() {
		t.Errorf("%+v moves no latch", got)
	}
	var none *ts.Symmetry
	if !none.OnLatches().Trivial() {
		t.Error("the trivial group moves something")
	}
}

// TestSymmetryCheck spoils one part at a time.
func TestSymmetryCheck(t *testing.T) {
	s := sized(3, 0, 0)
	perm := func(images ...ts.Lit) *ts.Perm { return &ts.Perm{Name: "p", Latch: images} }
	good := func() *ts.Symmetry {
		ring := []*ts.Perm{perm(2, 4, 0), perm(4, 0, 2)}
		return &ts.Symmetry{
			Blocks: []ts.Block{{Name: "B", Elems: []int{0, 2, 3}, Swaps: []*ts.Perm{perm(2, 0, 4), perm(0, 4, 2)}}},
			Groups: []ts.Group{{Name: "G", Order: big.NewInt(3), Gens: ring[:1], Members: ring, Transversals: [][]*ts.Perm{ring}}},
		}
	}
	if err := good().Check(s); err != nil {
		t.Fatal(err)
	}
	if err := (*ts.Symmetry)(nil).Check(s); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spoil func(b *ts.Block, g *ts.Group)
		want  string
	}{
		"one swap less":        {func(b *ts.Block, g *ts.Group) { b.Swaps = b.Swaps[1:] }, "block B: 3 elements and 1 swaps"},
		"one element":          {func(b *ts.Block, g *ts.Group) { b.Elems, b.Swaps = b.Elems[:1], nil }, "block B: 1 elements and 0 swaps"},
		"descending":           {func(b *ts.Block, g *ts.Group) { b.Elems[2] = 2 }, "block B: the elements do not ascend"},
		"wrong size":           {func(b *ts.Block, g *ts.Group) { b.Swaps[1] = perm(0, 2) }, "block B: permutation p: 2 latch images, want 3"},
		"identity":             {func(b *ts.Block, g *ts.Group) { b.Swaps[1] = perm(0, 2, 4) }, "block B lists the identity"},
		"no generator":         {func(b *ts.Block, g *ts.Group) { g.Gens = nil }, "group G: 0 generators, order 3"},
		"no order":             {func(b *ts.Block, g *ts.Group) { g.Order = nil }, "group G: 1 generators, order <nil>"},
		"order 1":              {func(b *ts.Block, g *ts.Group) { g.Order = big.NewInt(1) }, "group G: 1 generators, order 1"},
		"member missing":       {func(b *ts.Block, g *ts.Group) { g.Members = g.Members[1:] }, "group G: 1 members, order 3"},
		"transversal too long": {func(b *ts.Block, g *ts.Group) { g.Transversals = append(g.Transversals, g.Gens) }, "group G: transversals of 6 elements, order 3"},
		"bad generator":        {func(b *ts.Block, g *ts.Group) { g.Gens[0] = perm(0, 0, 2) }, "group G: permutation p: latch 1 has no or a repeated image"},
		"identity as a member": {func(b *ts.Block, g *ts.Group) { g.Transversals, g.Members[1] = nil, perm(0, 2, 4) }, "group G lists the identity"},
	} {
		y := good()
		c.spoil(&y.Blocks[0], &y.Groups[0])
		if err := y.Check(s); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestDisjoint(t *testing.T) {
	s := sized(2, 2, 2)
	var moves []*ts.Perm // each of one part
	for part := range 3 {
		for _, image := range [][]ts.Lit{{2, 0}, {1, 2}, {0, 3}} {
			p := ts.Identity(s)
			copy([][]ts.Lit{p.Latch, p.Input, p.Init}[part], image)
			moves = append(moves, p)
		}
	}
	for i, p := range moves {
		for j, q := range moves {
			// In a part, {1, 2} and {0, 3} move a leaf each, {2, 0} both.
			want := i/3 != j/3 || i != j && i%3 > 0 && j%3 > 0
			if p.Disjoint(q) != want {
				t.Errorf("%v and %v are disjoint: %v", p, q, !want)
			}
		}
	}
}
