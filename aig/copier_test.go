package aig

import (
	"math/rand/v2"
	"testing"
)

// substituted returns the truth table of every node of g if the nodes in subst
// are replaced by the given tables.
func substituted(g *Graph, subst map[int]uint64) []uint64 {
	ts := make([]uint64, g.Len())
	for i := range ts {
		w, ok := subst[i]
		switch {
		case ok:
			ts[i] = w
		case g.IsInput(i):
			ts[i] = leafTables[inputIndex(g, i)]
		case g.IsAnd(i):
			a, b := g.Fanins(i)
			ts[i] = value(ts, a) & value(ts, b)
		}
	}
	return ts
}

// TestCopy copies all functions of a soup with random nodes replaced by random
// functions of another soup, or of the same, by both kinds of copier, and after
// Reset again with others.
func TestCopy(t *testing.T) {
	eachSoup(t, 200, func(t *testing.T, s *soup, r *rand.Rand) {
		other := newSoup(newGraph(r.IntN(2) == 0))
		other.random(r, 50)
		for _, dst := range []*soup{s, other} {
			for _, c := range []*Copier{NewCopier(dst.g, s.g), NewNaryCopier(dst.g, s.g, s.lits)} {
				for range 3 {
					subst := map[int]uint64{}
					for k := range 8 {
						i := k + 1 // all leaves, and two random nodes
						if k > 5 {
							i = 1 + r.IntN(s.g.Len()-1)
						}
						if _, ok := subst[i]; !ok {
							l, w := dst.pick(r.IntN(1000))
							c.Set(i, l)
							subst[i] = w
						}
					}
					want := substituted(s.g, subst)
					images := make([]Lit, len(s.lits))
					for i, l := range s.lits {
						images[i] = c.Copy(l)
					}
					got := tables(dst.g, leafTables[:])
					for i, l := range s.lits {
						if value(got, images[i]) != value(want, l) {
							t.Errorf("copy of %v is %x, want %x", l, value(got, images[i]), value(want, l))
						}
					}
					if err := dst.g.Check(); err != nil {
						t.Error(err)
					}
					c.Reset()
				}
			}
		}
		if err := s.verify(); err != nil {
			t.Errorf("the source has changed: %v", err)
		}
	})
}

func TestComposeAndCofactor(t *testing.T) {
	eachSoup(t, 200, func(t *testing.T, s *soup, r *rand.Rand) {
		lits, assign, tabs, subst := map[int]Lit{}, map[int]bool{}, map[int]uint64{}, map[int]uint64{}
		for range 3 {
			i := 1 + r.IntN(6)
			assign[i] = r.IntN(2) == 0
			tabs[i] = mask(assign[i])
			i = 1 + r.IntN(s.g.Len()-1)
			lits[i], subst[i] = s.pick(r.IntN(1000))
		}
		wantAssign, wantSubst := substituted(s.g, tabs), substituted(s.g, subst)
		cofactors := s.g.Cofactor(s.lits, assign)
		compositions := s.g.Compose(s.lits, lits)
		got := tables(s.g, leafTables[:])
		for k, l := range s.lits {
			if value(got, cofactors[k]) != value(wantAssign, l) {
				t.Errorf("cofactor of %v is %x, want %x", l, value(got, cofactors[k]), value(wantAssign, l))
			}
			if value(got, compositions[k]) != value(wantSubst, l) {
				t.Errorf("composition of %v is %x, want %x", l, value(got, compositions[k]), value(wantSubst, l))
			}
		}
		for _, i := range s.g.Support(cofactors) {
			if _, ok := assign[i]; ok {
				t.Errorf("leaf %d is left in a cofactor", i)
			}
		}
		before := s.g.Len()
		for k, l := range s.g.Compose(s.lits, nil) {
			if l != s.lits[k] {
				t.Errorf("%v without substitution became %v", s.lits[k], l)
			}
		}
		if s.g.Len() != before {
			t.Errorf("a composition without substitution created %d nodes", s.g.Len()-before)
		}
	})
}

// TestCopyOfNewNodes checks that a copier follows a source that grows.
func TestCopyOfNewNodes(t *testing.T) {
	for _, nary := range []bool{false, true} {
		src, dst := New(), New()
		a, b := src.Input(), src.Input()
		f := src.And(a, b)
		c := NewCopier(dst, src)
		if nary {
			c = NewNaryCopier(dst, src, []Lit{f})
		}
		x, y, z := dst.Input(), dst.Input(), dst.Input()
		c.Set(a.Node(), x)
		c.Set(b.Node(), y)
		c.Copy(f)
		d := src.Input()
		c.Set(d.Node(), z)
		if got, want := c.Copy(src.And(f, d)), dst.AndN([]Lit{x, y, z}); !nary && got != dst.And(dst.And(x, y), z) || nary && got != want {
			t.Errorf("nary %v: %v", nary, got)
		}
	}
}

// TestDeep runs everything that walks on a chain of a million nodes in which
// conjunctions and disjunctions alternate, then on one of conjunctions alone.
func TestDeep(t *testing.T) {
	const n = 1 << 20
	for _, alternate := range []bool{true, false} {
		g := New()
		x, y := g.Input(), g.Input()
		f := x
		for i := range n {
			switch {
			case !alternate:
				f = g.And(f, g.Input())
			case i%2 == 0:
				f = g.And(f, y).Not()
			default:
				f = g.And(f, g.Input())
			}
		}
		roots := []Lit{f}
		if got := len(g.Cone(roots)); got < n {
			t.Fatalf("cone of %d nodes", got)
		}
		if got := len(g.Conjuncts(f, nil, nil)); alternate != (got < 4) {
			t.Errorf("%d conjuncts", got)
		}
		s := NewSim(g)
		for i := 1; i < g.Len(); i++ {
			if g.IsInput(i) {
				s.Set(i, ^uint64(0))
			}
		}
		s.Run()
		want := s.Word(f)
		for _, c := range []*Copier{NewCopier(g, g), NewNaryCopier(g, g, roots)} {
			for i := 1; i < g.Len(); i++ {
				if g.IsInput(i) {
					c.Set(i, True)
				}
			}
			if got := c.Copy(f); got > True || mask(got == True) != want {
				t.Errorf("the value is %v, simulation says %x", got, want)
			}
		}
	}
}

// TestNaryNormalForm states pairs of functions of one normal form.
func TestNaryNormalForm(t *testing.T) {
	g := NewPlain()
	a, b, c, d := g.Input(), g.Input(), g.Input(), g.Input()
	all := func(ls ...Lit) Lit {
		f := True
		for _, l := range ls {
			f = g.And(f, l)
		}
		return f
	}
	for _, p := range []struct {
		name string
		x, y Lit
	}{
		{"order", all(a, b, c, d), all(d, b, a, c)},
		{"nesting", all(a, all(b, all(c, d))), all(a, b, c, d)},
		{"nested disjunction", g.Or(a, g.Or(b, c)), g.Or(g.Or(c, a), b)},
		{"unit shortens clause", all(a, c, all(a, b, d)^1), all(a, c, all(b, d)^1)},
		{"unit makes unit", all(g.Or(a^1, b), c, a), all(a, b, c)},
		{"units in a row", all(g.Or(c^1, d), g.Or(b^1, c), g.Or(a^1, b), a), all(a, b, c, d)},
		{"units in a row, ascending", all(a, g.Or(a^1, b), g.Or(b^1, c), g.Or(c^1, d)), all(a, b, c, d)},
		{"unit removes clause", all(a, g.Or(a, g.And(b, c)), d), all(a, d)},
		{"unit opens conjunction", all(a, g.Or(a^1, g.And(b, c))), all(a, b, c)},
		{"contradiction", all(g.Or(a, b), c, a^1, b^1), False},
		{"hidden contradiction", all(all(a, b), c, all(d, b^1)), False},
		{"clauses of an exclusive or", all(g.Or(a, b), c, g.Or(a^1, b^1)), all(c, g.Xor(a, b))},
		{"parity", g.Xor(g.Xor(a, b), c), g.Xor(a^1, g.Xor(c, b^1))},
		{"parity cancels", g.Xor(g.Xor(a, b), g.Xor(c, b)), g.Xor(a, c)},
		{"parity of nothing", g.Xor(g.Xor(a, b), g.Xor(b^1, a)), True},
	} {
		dst := New()
		copier := NewNaryCopier(dst, g, []Lit{p.x, p.y})
		for i := range 4 {
			copier.Set(i+1, dst.Input())
		}
		if x, y := copier.Copy(p.x), copier.Copy(p.y); x != y {
			t.Errorf("%s: %v and %v", p.name, x, y)
		}
	}
}

// TestNaryMarks runs the n-ary copier across the point where its epoch counters
// start again, at which stale marks must not count.
func TestNaryMarks(t *testing.T) {
	eachSoup(t, 50, func(t *testing.T, s *soup, _ *rand.Rand) {
		dst := New()
		c := NewNaryCopier(dst, s.g, s.lits)
		images := make([]Lit, len(s.lits))
		leaves := make([]Lit, 6)
		for i := range leaves {
			leaves[i] = dst.Input()
		}
		for range 2 {
			for i, l := range leaves {
				c.Set(i+1, l)
			}
			for k, l := range s.lits {
				images[k] = c.Copy(l)
			}
			c.Reset()
			c.nary.epoch, c.nary.walks = 1<<32-3, 1<<32-3
		}
		if err := (&soup{dst, images, s.tabs}).verify(); err != nil {
			t.Error(err)
		}
	})
}

// TestNarySharedPrefixes checks that a chain of conjunctions all of which are
// used shows its symmetry while all but the last have up to gateCap operands, and that a much longer one
// does not take quadratic space.
func TestNarySharedPrefixes(t *testing.T) {
	for _, n := range []int{2, 10, gateCap + 1, 20000} {
		src := NewPlain()
		f := True
		var leaves, roots []Lit
		for range n {
			leaves = append(leaves, src.Input())
			f = src.And(f, leaves[len(leaves)-1])
			roots = append(roots, f)
		}
		dst := New()
		images := make([]Lit, n)
		for i := range images {
			images[i] = dst.Input()
		}
		var last [2]Lit
		for k := range last {
			c := NewNaryCopier(dst, src, roots)
			for i, l := range leaves {
				if k == 1 && (i == 0 || i == n-1) {
					i = n - 1 - i
				}
				c.Set(l.Node(), images[i])
			}
			for _, r := range roots {
				last[k] = c.Copy(r)
			}
		}
		if n <= gateCap+1 && last[0] != last[1] {
			t.Errorf("%d operands: %v and %v after an exchange", n, last[0], last[1])
		}
		if dst.Len() > 4*src.Len()+2*10*gateCap {
			t.Errorf("%d operands: %d nodes from %d", n, dst.Len(), src.Len())
		}
	}
}

// TestNaryLongParity copies a chain of exclusive ors all of which are used, with
// complements, and compares by simulation: beyond gateCap operands a gate is an
// operand itself.
func TestNaryLongParity(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	src, dst := New(), New()
	f, roots := False, []Lit(nil)
	c := []*Sim{NewSim(src), NewSim(dst)}
	images := map[int]Lit{}
	for range 3 * gateCap {
		l, image := src.Input(), dst.Input()
		images[l.Node()] = image.NotIf(r.IntN(2) == 0)
		w := r.Uint64()
		c[0].Set(l.Node(), w^mask(images[l.Node()].Neg()))
		c[1].Set(image.Node(), w)
		f = src.Xor(f, l).NotIf(r.IntN(2) == 0)
		roots = append(roots, f)
	}
	copier := NewNaryCopier(dst, src, roots)
	for i, image := range images {
		copier.Set(i, image)
	}
	var copies []Lit
	for _, l := range roots {
		copies = append(copies, copier.Copy(l))
	}
	c[0].Run()
	c[1].Run()
	for k, l := range roots {
		if c[0].Word(l) != c[1].Word(copies[k]) {
			t.Fatalf("the parity of %d leaves is copied wrong", k+1)
		}
	}
	if dst.Len() > 30*src.Len() {
		t.Errorf("%d nodes from %d", dst.Len(), src.Len())
	}
}

// TestShare: images under permutations that are taken from another copier where
// nothing is moved are the same functions, and mostly the same literals.
func TestShare(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	same, all, taken := 0, 0, 0
	for range 200 {
		src, dst := NewPlain(), New()
		var pool, leaves, roots []Lit
		for range 8 {
			l := src.Input()
			leaves, pool = append(leaves, dst.Input()), append(pool, l)
		}
		for range 60 {
			a, b := pool[r.IntN(len(pool))].NotIf(r.IntN(2) == 0), pool[r.IntN(len(pool))].NotIf(r.IntN(2) == 0)
			if l := src.And(a, b); src.IsAnd(l.Node()) {
				pool = append(pool, l)
			}
		}
		for range 6 {
			roots = append(roots, pool[r.IntN(len(pool))].NotIf(r.IntN(2) == 0))
		}
		base, alone, with := NewNaryCopier(dst, src, roots), NewNaryCopier(dst, src, roots), NewNaryCopier(dst, src, roots)
		i, j := r.IntN(8), r.IntN(8)
		for round := range 2 { // the second time nothing is shared any more
			moved := make([]bool, src.Len())
			if round == 1 {
				with.Reset()
				alone.Reset()
			}
			for k := range leaves {
				to := k
				switch k {
				case i:
					to = j
				case j:
					to = i
				}
				if round == 0 {
					base.Set(pool[k].Node(), leaves[k])
				}
				alone.Set(pool[k].Node(), leaves[to])
				with.Set(pool[k].Node(), leaves[to])
				moved[pool[k].Node()] = to != k
			}
			for n := range moved {
				if src.IsAnd(n) {
					a, b := src.Fanins(n)
					moved[n] = moved[a.Node()] || moved[b.Node()]
				}
			}
			if round == 0 {
				with.Share(base, moved)
			}
			for _, l := range roots {
				x, y := alone.Copy(l), with.Copy(l)
				sim := NewSim(dst)
				for _, l := range leaves {
					sim.Set(l.Node(), r.Uint64())
				}
				sim.Run()
				if sim.Word(x) != sim.Word(y) {
					t.Fatal("the image is another function")
				}
				if all++; x == y {
					same++
				}
				if !moved[l.Node()] {
					taken++
				}
			}
		}
	}
	t.Logf("%d of %d images have the same literal, %d were not moved", same, all, taken)
	if same*100 < all*99 || taken < 100 {
		t.Error("the normal forms differ")
	}
	mustPanic(t, "other graphs", func() {
		g := New()
		NewCopier(g, g).Share(NewCopier(New(), g), nil)
	})
}
