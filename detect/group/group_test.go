package group

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// closure lists the elements of a small group by brute force.
func closure(n int, gens []Perm) map[string]Perm {
	all := map[string]Perm{}
	key := func(p Perm) string {
		b := make([]byte, len(p))
		for i, x := range p {
			b[i] = byte(x)
		}
		return string(b)
	}
	queue := []Perm{identity(n)}
	all[key(queue[0])] = queue[0]
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		for _, g := range gens {
			q := p.Then(g)
			if _, ok := all[key(q)]; !ok {
				all[key(q)] = q
				queue = append(queue, q)
			}
		}
	}
	return all
}

// randomPerm returns a random permutation; few points move if sparse.
func randomPerm(rng *rand.Rand, n int, sparse bool) Perm {
	p := identity(n)
	if !sparse {
		rng.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
		return p
	}
	for range 1 + rng.IntN(3) {
		i, j := rng.IntN(n), rng.IntN(n)
		p[i], p[j] = p[j], p[i]
	}
	return p
}

// randomGroup returns generators on at most 7 points, of which some repeat the
// action on others.
func randomGroup(rng *rand.Rand) (n int, gens []Perm) {
	n = 2 + rng.IntN(6)
	for range 1 + rng.IntN(3) {
		gens = append(gens, randomPerm(rng, n, rng.IntN(2) == 0))
	}
	return n, gens
}

func mustNew(t *testing.T, n int, gens []Perm) *Group {
	t.Helper()
	g, err := New(n, gens, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// contains reports whether p is an element of g.
func contains(g *Group, p Perm) bool { return len(p) == g.n && g.contains(p.sparse()) }

// stabiliser returns the subgroup that fixes each of the points.
func stabiliser(g *Group, points ...int32) *Group {
	points = slices.Clone(points)
	h, _ := g.again(context.Background(), g.n, points, nil)
	slices.Sort(points)
	gens, order := h.behind(len(slices.Compact(points)))
	s := start(g.n, gens, h.order)
	if err := s.complete(context.Background(), order); err != nil {
		panic("group: strong generators of a stabiliser generate another group: " + err.Error())
	}
	return s
}

// mapping returns an element that takes from[i] to to[i] for all i; ok is false
// if there is none. The points of from are distinct.
func mapping(g *Group, from, to []int32) (p Perm, ok bool) {
	h, _ := g.again(context.Background(), g.n, from, nil)
	e, ok := h.mapping(to)
	if !ok {
		return nil, false
	}
	return e.perm(), true
}

// TestBruteForce compares order, membership, elements, stabilisers and mappings
// with the list of all elements.
func TestBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n, gens := randomGroup(rng)
		all := closure(n, gens)
		g := mustNew(t, n, gens)
		if g.Order().Int64() != int64(len(all)) {
			t.Fatalf("%v: order %v, want %d", gens, g.Order(), len(all))
		}
		if es := g.Elements(len(all)); len(es) != len(all) || !slices.IsSortedFunc(es, func(p, q Perm) int { return slices.Compare(p, q) }) || g.Elements(len(all)-1) != nil {
			t.Fatalf("%v: wrong elements", gens)
		} else {
			for _, e := range es {
				if len(closureKey(all, e)) == 0 {
					t.Fatalf("%v: %v is no element", gens, e)
				}
			}
		}
		for range 5 {
			p := randomPerm(rng, n, true)
			if want := len(closureKey(all, p)) > 0; contains(g, p) != want {
				t.Fatalf("%v: Contains(%v) = %v", gens, p, !want)
			}
		}
		a, b := int32(rng.IntN(n)), int32(rng.IntN(n))
		fixing := 0
		for _, p := range all {
			if p[a] == a && p[b] == b {
				fixing++
			}
		}
		s := stabiliser(g, a, b)
		if s.Order().Int64() != int64(fixing) {
			t.Fatalf("%v: the stabiliser of %d and %d has order %v, want %d", gens, a, b, s.Order(), fixing)
		}
		for _, p := range s.Generators() {
			if p[a] != a || p[b] != b || len(closureKey(all, p)) == 0 {
				t.Fatalf("%v: %v does not belong to the stabiliser", gens, p)
			}
		}
		from := []int32{a}
		if b != a {
			from = append(from, b)
		}
		var to []int32
		for range from {
			to = append(to, int32(rng.IntN(n)))
		}
		exists := false
		for _, p := range all {
			good := true
			for i := range from {
				good = good && p[from[i]] == to[i]
			}
			exists = exists || good
		}
		p, ok := mapping(g, from, to)
		if ok != exists {
			t.Fatalf("%v: Mapping(%v, %v) = %v, want %v", gens, from, to, ok, exists)
		}
		for i := range from {
			if ok && p[from[i]] != to[i] {
				t.Fatalf("%v: Mapping(%v, %v) = %v", gens, from, to, p)
			}
		}
		if ok && len(closureKey(all, p)) == 0 {
			t.Fatalf("%v: the mapping %v is no element", gens, p)
		}
	}
}

func closureKey(all map[string]Perm, p Perm) string {
	b := make([]byte, len(p))
	for i, x := range p {
		b[i] = byte(x)
	}
	if _, ok := all[string(b)]; ok {
		return string(b)
	}
	return ""
}

// cycles makes a permutation of n points from cycles.
func cycles(n int, cs ...[]int) Perm {
	p := identity(n)
	for _, c := range cs {
		for i, x := range c {
			p[x] = int32(c[(i+1)%len(c)])
		}
	}
	return p
}

func orderIs(t *testing.T, name string, g *Group, want string) {
	t.Helper()
	if g.Order().String() != want {
		t.Errorf("%s: order %v, want %s", name, g.Order(), want)
	}
}

// TestKnown has groups whose orders are in the books.
func TestKnown(t *testing.T) {
	m11 := []Perm{cycles(11, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), cycles(11, []int{2, 6, 10, 7}, []int{3, 9, 4, 5})}
	orderIs(t, "M11", mustNew(t, 11, m11), "7920")
	var m12 []Perm
	for _, p := range m11 {
		m12 = append(m12, append(slices.Clone(p), 11))
	}
	m12 = append(m12, cycles(12, []int{0, 11}, []int{1, 10}, []int{2, 5}, []int{3, 7}, []int{4, 8}, []int{6, 9}))
	orderIs(t, "M12", mustNew(t, 12, m12), "95040")
	// M24 on the projective line over 23 elements, with 23 for infinity: Conway and
	// Sloane, "Sphere Packings, Lattices and Groups", ch. 10.
	shift, invert, cube := identity(24), identity(24), identity(24)
	inverse := func(x int) int {
		for y := 1; ; y++ {
			if x*y%23 == 1 {
				return y
			}
		}
	}
	residue := make(map[int]bool)
	for x := 1; x < 23; x++ {
		residue[x*x%23] = true
	}
	for x := range 23 {
		shift[x] = int32((x + 1) % 23)
		invert[x] = 23
		if x > 0 {
			invert[x] = int32((23 - inverse(x)) % 23)
		}
		cube[x] = int32(9 * x * x % 23 * x % 23)
		if residue[x] {
			cube[x] = int32(inverse(9) * x * x % 23 * x % 23)
		}
	}
	invert[23] = 0
	m24 := []Perm{shift, invert, cube}
	orderIs(t, "M24", mustNew(t, 24, m24), "244823040")
	for n := 2; n <= 20; n++ {
		ring := make([]int, n)
		for i := range ring {
			ring[i] = i
		}
		gens := []Perm{cycles(n, ring), cycles(n, []int{0, 1})}
		orderIs(t, "Sym", mustNew(t, n, gens), factorial(n).String())
	}
	// A wrong order from elsewhere is noticed if it is too small.
	if _, err := New(11, m11, big.NewInt(7919)); err == nil {
		t.Error("a wrong order was accepted")
	}
}

// matrix returns the swaps of neighbouring rows of an a × b matrix of points
// off+i*b+j.
func matrixRows(n, off, a, b int) (gens []Perm) {
	for i := range a - 1 {
		p := identity(n)
		for j := range b {
			x, y := off+i*b+j, off+(i+1)*b+j
			p[x], p[y] = int32(y), int32(x)
		}
		gens = append(gens, p)
	}
	return gens
}

// shuffled renames the points of permutations at random.
func shuffled(rng *rand.Rand, gens []Perm) []Perm {
	n := len(gens[0])
	name := randomPerm(rng, n, false)
	out := make([]Perm, len(gens))
	for k, p := range gens {
		out[k] = make(Perm, n)
		for i, j := range p {
			out[k][name[i]] = name[j]
		}
	}
	return out
}

func sparse(gens []Perm) []Sparse {
	var out []Sparse
	for _, p := range gens {
		out = append(out, p.sparse())
	}
	return out
}

// TestRows recognises the full symmetric group on the rows of a matrix.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for k := 2; k <= 9; k++ {
		for width := 1; width <= 4; width++ {
			gens := shuffled(rng, matrixRows(k*width+3, 0, k, width))
			fs, err := Factors(t.Context(), len(gens[0]), sparse(gens), factorial(k), nil)
			if err != nil || len(fs) != 1 {
				t.Fatal(len(fs), err)
			}
			g := mustNew(t, len(gens[0]), gens)
			s, err := g.Recognise(t.Context())
			if err != nil || s.Kind != Symmetric || len(s.Axes) != 1 || rest(g, s) != 0 {
				t.Fatalf("%d rows of %d: %+v, %v", k, width, s, err)
			}
			checkAxis(t, g, s.Axes[0], k, width)
			// Of the columns one is kept, and the others go with it.
			f := fs[0]
			s, err = f.Group.Recognise(t.Context())
			if err != nil || s.Kind != Symmetric || len(s.Axes) != 1 || f.Group.n != k {
				t.Fatalf("%d rows of %d: %+v, %v", k, width, s, err)
			}
			checkAxis(t, f.Group, s.Axes[0], k, 1)
			for _, p := range s.Axes[0].Swaps {
				if whole := f.Lift(p); len(whole.Points) != 2*width || !contains(g, whole.dense(g.n)) {
					t.Fatalf("%d rows of %d: a swap is lifted to %v", k, width, whole)
				}
			}
		}
	}
}

func checkAxis(t *testing.T, g *Group, a Axis, k, width int) {
	t.Helper()
	if len(a.Rows) != k || len(a.Swaps) != k-1 {
		t.Fatalf("%d rows, %d swaps, want %d rows", len(a.Rows), len(a.Swaps), k)
	}
	for i, p := range a.Swaps {
		if !contains(g, p) {
			t.Fatal("a swap is no element of the group")
		}
		for r, row := range a.Rows {
			to := r
			switch r {
			case i:
				to = i + 1
			case i + 1:
				to = i
			}
			if len(row) != width {
				t.Fatalf("row %d has %d points, want %d", r, len(row), width)
			}
			for c, x := range row {
				if p[x] != a.Rows[to][c] {
					t.Fatalf("swap %d does not map row %d to row %d", i, r, to)
				}
			}
		}
	}
}

// TestGrid recognises the product of two symmetric groups on the rows and
// columns of a matrix, with and without bits of a row or a column alone.
func TestGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, x := range []struct{ a, b, rowBits, colBits int }{{3, 4, 0, 0}, {3, 4, 1, 0}, {4, 3, 2, 1}, {2, 5, 0, 1}, {5, 3, 0, 2}, {2, 3, 1, 1}} {
		n := x.a*x.b + x.a*x.rowBits + x.b*x.colBits
		var gens []Perm
		swap := func(p Perm, i, j int) { p[i], p[j] = int32(j), int32(i) }
		for i := range x.a - 1 {
			p := identity(n)
			for j := range x.b {
				swap(p, i*x.b+j, (i+1)*x.b+j)
			}
			for j := range x.rowBits {
				swap(p, x.a*x.b+j*x.a+i, x.a*x.b+j*x.a+i+1)
			}
			gens = append(gens, p)
		}
		for i := range x.b - 1 {
			p := identity(n)
			for j := range x.a {
				swap(p, j*x.b+i, j*x.b+i+1)
			}
			for j := range x.colBits {
				at := x.a*x.b + x.a*x.rowBits + j*x.b
				swap(p, at+i, at+i+1)
			}
			gens = append(gens, p)
		}
		gens = shuffled(rng, gens)
		order := new(big.Int).Mul(factorial(x.a), factorial(x.b))
		fs, err := Factors(t.Context(), n, sparse(gens), nil, nil)
		if err != nil || len(fs) != 1 || fs[0].Group.Order().Cmp(order) != 0 {
			t.Fatal(len(fs), err)
		}
		g := mustNew(t, n, gens)
		s, err := g.Recognise(context.Background())
		if err != nil || s.Kind != Symmetric || len(s.Axes) != 2 || rest(g, s) != x.a*x.b {
			t.Fatalf("%+v: %+v, %v", x, s, err)
		}
		for _, axis := range s.Axes {
			switch len(axis.Rows) {
			case x.a:
				checkAxis(t, g, axis, x.a, x.rowBits)
			case x.b:
				checkAxis(t, g, axis, x.b, x.colBits)
			default:
				t.Errorf("%+v: an axis of %d", x, len(axis.Rows))
			}
		}
	}
}

// TestOthers recognises rings, wreath products, small groups and none of these.
func TestOthers(t *testing.T) {
	ring := func(k, width int) Perm {
		p := identity(k * width)
		for i := range k {
			for j := range width {
				p[i*width+j] = int32((i+1)%k*width + j)
			}
		}
		return p
	}
	reflection := func(k, width int) Perm {
		p := identity(k * width)
		for i := range k {
			for j := range width {
				p[i*width+j] = int32((k-i)%k*width + j)
			}
		}
		return p
	}
	wreath := func(b, a int) []Perm {
		gens := matrixRows(a*b, 0, b, a)
		for i := range a - 1 {
			gens = append(gens, cycles(a*b, []int{i, i + 1}))
		}
		return gens
	}
	for _, x := range []struct {
		name string
		gens []Perm
		kind Kind
	}{
		{"C5", []Perm{ring(5, 2)}, Cyclic},
		{"C12", []Perm{ring(12, 1)}, Cyclic},
		{"D5", []Perm{ring(5, 1), reflection(5, 1)}, Dihedral},
		{"D8", []Perm{ring(8, 3), reflection(8, 3)}, Dihedral},
		{"Sym(3) wr Sym(4)", wreath(4, 3), Wreath},
		{"Sym(2) wr Sym(3)", wreath(3, 2), Wreath},
		{"Klein", []Perm{cycles(4, []int{0, 1}, []int{2, 3}), cycles(4, []int{0, 2}, []int{1, 3})}, Symmetric},
		{"quaternions", []Perm{cycles(8, []int{0, 1, 2, 3}, []int{4, 5, 6, 7}), cycles(8, []int{0, 4, 2, 6}, []int{1, 7, 3, 5})}, Small},
		{"Alt(5)", []Perm{cycles(5, []int{0, 1, 2, 3, 4}), cycles(5, []int{0, 1, 2})}, Small},
		{"Alt(8)", []Perm{cycles(8, []int{0, 1, 2, 3, 4, 5, 6}), cycles(8, []int{5, 6, 7})}, Other},
	} {
		g := mustNew(t, len(x.gens[0]), shuffled(rand.New(rand.NewPCG(9, uint64(len(x.name)))), x.gens))
		s, err := g.Recognise(t.Context())
		if err != nil || s.Kind != x.kind {
			t.Errorf("%s: %v, %v, want %v", x.name, s.Kind, err, x.kind)
			continue
		}
		for _, a := range s.Axes {
			for i, p := range a.Swaps {
				if !contains(g, p) || !slices.Equal(apply(p, a.Rows[i]), a.Rows[i+1]) {
					t.Errorf("%s: swap %d is wrong", x.name, i)
				}
			}
		}
		if x.kind == Cyclic || x.kind == Dihedral {
			if len(s.Ring) < 3 {
				t.Errorf("%s: %+v", x.name, s)
			}
		}
	}
}

// rest returns how many points are moved and in no row of an axis.
func rest(g *Group, s *Structure) int {
	n := len(slices.Concat(g.Orbits()...))
	for _, a := range s.Axes {
		n -= len(slices.Concat(a.Rows...))
	}
	return n
}

func apply(p Perm, xs []int32) []int32 {
	var out []int32
	for _, x := range xs {
		out = append(out, p[x])
	}
	return out
}

// TestBlocks compares minimal block systems with all partitions that have the
// property, on random transitive groups.
func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	imprimitive := 0
	for range 3000 {
		n := 4 + rng.IntN(5)
		k := 2
		for n%k != 0 {
			k++
		}
		// Random elements of a wreath product, so that there are blocks.
		var gens []Perm
		for range 2 {
			p := identity(n)
			outer := randomPerm(rng, n/k, false)
			for b := range n / k {
				inner := randomPerm(rng, k, false)
				for i := range k {
					p[b*k+i] = outer[b]*int32(k) + inner[i]
				}
			}
			gens = append(gens, p)
		}
		g := mustNew(t, n, gens)
		orbits := g.Orbits()
		if len(orbits) != 1 || len(orbits[0]) != n {
			continue
		}
		all := closure(n, gens)
		want := make(map[string]bool)
		for size := 2; size < n; size++ {
			if n%size != 0 {
				continue
			}
			for set := range subsets(n, size) {
				if isBlock(all, set) {
					want[text(set)] = true
				}
			}
		}
		for set := range want { // keep the minimal ones
			for other := range want {
				if len(other) < len(set) && within(other, set) {
					delete(want, set)
				}
			}
		}
		got := g.Blocks(orbits[0])
		if len(got) != len(want) {
			t.Fatalf("%v: %v, want %v", gens, got, want)
		}
		for _, s := range got {
			imprimitive++
			if !want[text(s[0])] {
				t.Fatalf("%v: %v is no minimal block", gens, s[0])
			}
			for _, p := range gens {
				for _, b := range s {
					img := apply(p, b)
					slices.Sort(img)
					if !slices.ContainsFunc(s, func(c []int32) bool { return slices.Equal(c, img) }) {
						t.Fatalf("%v: %v is no block system", gens, s)
					}
				}
			}
		}
	}
	if imprimitive < 500 {
		t.Errorf("only %d block systems", imprimitive)
	}
}

func text(set []int32) string {
	s := ""
	for _, x := range set {
		s += strconv.Itoa(int(x))
	}
	return s
}

func within(a, b string) bool {
	for _, c := range a {
		if !slices.Contains([]rune(b), c) {
			return false
		}
	}
	return true
}

// subsets yields the subsets of 0..n-1 with size members, 0 among them.
func subsets(n, size int) func(func([]int32) bool) {
	return func(yield func([]int32) bool) {
		for m := range 1 << n {
			var set []int32
			for i := range n {
				if m>>i&1 == 1 {
					set = append(set, int32(i))
				}
			}
			if len(set) == size && set[0] == 0 && !yield(set) {
				return
			}
		}
	}
}

func isBlock(all map[string]Perm, set []int32) bool {
	for _, p := range all {
		hits := 0
		for _, x := range set {
			if slices.Contains(set, p[x]) {
				hits++
			}
		}
		if hits != 0 && hits != len(set) {
			return false
		}
	}
	return true
}

// TestFactors compares with the finest way to split the orbits so that the
// orders of the parts multiply to that of the group.
func TestFactors(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	split := 0
	for range 3000 {
		// Two or three small groups side by side, with generators that act on all of
		// them at once, some in step.
		n := 0
		var gens []Perm
		parts := 2 + rng.IntN(2)
		sizes := make([]int, parts)
		for i := range sizes {
			sizes[i] = 2 + rng.IntN(3)
			n += sizes[i]
		}
		for range 2 + rng.IntN(3) {
			var p Perm
			for _, k := range sizes {
				q := identity(k)
				if rng.IntN(3) > 0 {
					q = randomPerm(rng, k, false)
				}
				off := int32(len(p))
				for _, x := range q {
					p = append(p, x+off)
				}
			}
			gens = append(gens, p)
		}
		all := closure(n, gens)
		fs, err := Factors(t.Context(), n, sparse(gens), big.NewInt(int64(len(all))), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(fs) > 1 {
			split++
		}
		for _, f := range fs {
			// No factor splits further: no proper union of its orbits does.
			at := make(map[int32]int32)
			for i, x := range f.Points {
				at[x] = int32(i)
			}
			var whole []Perm // on the points of the factor
			for _, g := range f.Group.Generators() {
				p := f.Lift(g)
				if !Contains(n, fs, p) {
					t.Fatalf("%v: a generator of a factor is not contained", gens)
				}
				q := identity(len(f.Points))
				for k, x := range p.Points {
					q[at[x]] = at[p.Images[k]]
				}
				whole = append(whole, q)
			}
			orbits := orbitsOf(len(f.Points), sparseAll(whole)).Lists(2)
			local := closure(len(f.Points), whole)
			if f.Group.Order().Int64() != int64(len(local)) {
				t.Fatalf("%v: the factor on %v has order %v, want %d", gens, f.Points, f.Group.Order(), len(local))
			}
			for m := 1; m < 1<<(len(orbits)-1); m++ {
				first, second := make(map[string]bool), make(map[string]bool)
				for _, p := range local {
					var a, b []int32
					for k, o := range orbits {
						if m>>k&1 == 1 {
							a = append(a, apply(p, o)...)
						} else {
							b = append(b, apply(p, o)...)
						}
					}
					first[text(a)], second[text(b)] = true, true
				}
				if len(first)*len(second) == len(local) {
					t.Fatalf("%v: the factor on %v splits", gens, f.Points)
				}
			}
			for _, p := range f.Group.Generators() {
				if !Contains(n, fs, f.Lift(p)) {
					t.Fatalf("%v: what is lifted from the factor on %v is not contained", gens, f.Points)
				}
			}
		}
		for range 20 {
			p := randomPerm(rng, n, rng.IntN(2) == 0)
			if want := len(closureKey(all, p)) > 0; Contains(n, fs, p.sparse()) != want {
				t.Fatalf("%v: Contains(%v) = %v", gens, p, !want)
			}
		}
		for _, p := range all {
			if !Contains(n, fs, p.sparse()) {
				t.Fatalf("%v: Contains(%v) = false", gens, p)
			}
		}
	}
	if split < 500 {
		t.Errorf("only %d groups split", split)
	}
	for _, bad := range []Sparse{{[]int32{0, 1}, []int32{1, 1}}, {[]int32{0, 9}, []int32{9, 0}}, {[]int32{0}, nil}, {[]int32{0, 0}, []int32{0, 0}}} {
		if _, err := Factors(t.Context(), 5, []Sparse{bad}, nil, nil); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}

// BenchmarkRows splits and recognises Sym(64) on rows of 100 bits.
func BenchmarkRows(b *testing.B) {
	gens := sparse(matrixRows(6400, 0, 64, 100))
	order := factorial(64)
	for b.Loop() {
		fs, err := Factors(context.Background(), 6400, gens, order, nil)
		if err != nil || len(fs) != 1 {
			b.Fatal(err)
		}
		s, err := fs[0].Group.Recognise(context.Background())
		if err != nil || s.Kind != Symmetric || len(s.Axes[0].Rows) != 64 {
			b.Fatal(err)
		}
	}
}
