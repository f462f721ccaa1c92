package rep_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/testkit/reptest"
	"orbitmc/rep"
	"orbitmc/ts"
)

// leaves returns n fresh leaves of g.
func leaves(g *aig.Graph, n int) []aig.Lit {
	ls := make([]aig.Lit, n)
	for i := range ls {
		ls[i] = g.Input()
	}
	return ls
}

// valuations calls f for all 2^len(in) values of the leaves in; value evaluates.
func valuations(g *aig.Graph, in []aig.Lit, f func(bits []bool, value func(aig.Lit) bool)) {
	sim := aig.NewSim(g)
	bits := make([]bool, len(in))
	for v := range 1 << len(in) {
		for i, l := range in {
			bits[i] = v>>i&1 == 1
			sim.Set(l.Node(), uint64(v>>i&1))
		}
		sim.Run()
		f(bits, func(l aig.Lit) bool { return sim.Word(l)&1 == 1 })
	}
}

// key packs at most 64 bits.
func key(bits []bool) (k uint64) {
	for i, b := range bits {
		if b {
			k |= 1 << i
		}
	}
	return k
}

// leqBits is the definition of a ≤lex b.
func leqBits(a, b []bool) bool {
	for i := range a {
		if a[i] != b[i] {
			return b[i]
		}
	}
	return true
}

// perms calls f for every signed permutation of n bits.
func perms(n int, f func([]ts.Lit)) {
	p := make([]ts.Lit, n)
	used := make([]bool, n)
	var place func(i int)
	place = func(i int) {
		if i == n {
			f(p)
			return
		}
		for j := range n {
			if !used[j] {
				used[j] = true
				for sign := range ts.Lit(2) {
					p[i] = ts.Lit(j)<<1 | sign
					place(i + 1)
				}
				used[j] = false
			}
		}
	}
	place(0)
}

func randomPerm(r *rand.Rand, n int, signs bool) []ts.Lit {
	p := make([]ts.Lit, n)
	for i, j := range r.Perm(n) {
		p[i] = ts.Lit(j) << 1
		if signs {
			p[i] |= ts.Lit(r.Int32N(2))
		}
	}
	return p
}

func latchPerm(p []ts.Lit) *ts.Perm { return &ts.Perm{Latch: slices.Clone(p)} }

func TestLeqOfArbitraryWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		g := aig.New()
		in := leaves(g, 1+r.IntN(4))
		word := func(n int) []aig.Lit { // few leaves: repetitions, complements, constants
			w := make([]aig.Lit, n)
			for i := range w {
				w[i] = append(in, aig.False)[r.IntN(len(in)+1)].NotIf(r.IntN(2) == 0)
				if r.IntN(4) == 0 {
					w[i] = g.And(w[i], in[r.IntN(len(in))])
				}
			}
			return w
		}
		n := 1 + r.IntN(6)
		a, b := word(n), word(n)
		le := rep.Leq(g, a, b)
		valuations(g, in, func(bits []bool, value func(aig.Lit) bool) {
			va, vb := make([]bool, n), make([]bool, n)
			for i := range n {
				va[i], vb[i] = value(a[i]), value(b[i])
			}
			if got, want := value(le), leqBits(va, vb); got != want {
				t.Fatalf("%v ≤lex %v at %v: got %v, want %v", a, b, bits, got, want)
			}
		})
	}
}

func TestPredicateOfEverySignedPermutation(t *testing.T) {
	for n := 1; n <= 4; n++ {
		perms(n, func(p []ts.Lit) {
			g := aig.New()
			x := leaves(g, n)
			le := reptest.Predicate(g, x, []*ts.Perm{latchPerm(p)})
			valuations(g, x, func(s []bool, value func(aig.Lit) bool) {
				if got, want := value(le), leqBits(s, ts.Apply(p, s)); got != want {
					t.Fatalf("%v ≤lex %v(…): got %v, want %v", s, p, got, want)
				}
			})
		})
	}
}

// All permutations of up to six bits, and those of five with signs.
func TestPredicateOfEveryPermutation(t *testing.T) {
	check := func(n int, p []ts.Lit) {
		g := aig.New()
		x := leaves(g, n)
		order := []int{2, 0, 1, 5, 3, 4}[6-n:]
		if n < 6 {
			order = nil
		}
		le := rep.PathPredicate(g, []rep.Frame{{State: x, Order: order}}, nil, []*ts.Perm{latchPerm(p)})
		valuations(g, x, func(s []bool, value func(aig.Lit) bool) {
			if got, want := value(le), leqBits(inOrder(s, order), inOrder(ts.Apply(p, s), order)); got != want {
				t.Fatalf("%v ≤lex %v(…) in order %v: got %v, want %v", s, p, order, got, want)
			}
		})
	}
	plain := func(p []ts.Lit) bool { return !slices.ContainsFunc(p, func(l ts.Lit) bool { return l&1 == 1 }) }
	perms(6, func(p []ts.Lit) {
		if plain(p) {
			check(6, p)
		}
	})
	perms(5, func(p []ts.Lit) { check(5, p) })
}

// All sets of permutations of three bits, and all pairs of four.
func TestPredicateOfEverySet(t *testing.T) {
	var three, four []*ts.Perm
	for _, n := range []int{3, 4} {
		perms(n, func(p []ts.Lit) {
			if slices.ContainsFunc(p, func(l ts.Lit) bool { return l&1 == 1 }) {
				return
			}
			if n == 3 {
				three = append(three, latchPerm(p))
			} else {
				four = append(four, latchPerm(p))
			}
		})
	}
	check := func(n int, F []*ts.Perm) {
		g := aig.New()
		x := leaves(g, n)
		le := reptest.Predicate(g, x, F)
		kept := make(map[uint64]bool)
		valuations(g, x, func(s []bool, value func(aig.Lit) bool) {
			want := true
			for _, p := range F {
				want = want && leqBits(s, ts.Apply(p.Latch, s))
			}
			if value(le) != want {
				t.Fatalf("F=%v s=%v: %v, want %v", F, s, value(le), want)
			}
			kept[key(s)] = want
		})
		valuations(g, x, func(s []bool, _ func(aig.Lit) bool) {
			if !slices.ContainsFunc(orbit(s, F), func(u []bool) bool { return kept[key(u)] }) {
				t.Fatalf("F=%v drops the orbit of %v", F, s)
			}
		})
	}
	for v := range 1 << len(three) {
		var F []*ts.Perm
		for i, p := range three {
			if v>>i&1 == 1 {
				F = append(F, p)
			}
		}
		check(3, F)
	}
	for i, p := range four {
		for _, q := range four[:i] {
			check(4, []*ts.Perm{p, q})
		}
	}
}

func TestPredicateOfRandomSets(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		n := 2 + r.IntN(5)
		signs := r.IntN(2) == 0
		var F []*ts.Perm
		for range 1 + r.IntN(4) {
			F = append(F, latchPerm(randomPerm(r, n, signs)))
		}
		g := aig.New()
		x := leaves(g, n)
		le := reptest.Predicate(g, x, F)
		kept := make(map[uint64]bool)
		valuations(g, x, func(s []bool, value func(aig.Lit) bool) {
			want := true
			for _, p := range F {
				want = want && leqBits(s, ts.Apply(p.Latch, s))
			}
			if value(le) != want || reptest.Least(s, F, nil) != want {
				t.Fatalf("F=%v s=%v: Predicate %v, Least %v, want %v", F, s, value(le), reptest.Least(s, F, nil), want)
			}
			kept[key(s)] = want
		})
		valuations(g, x, func(s []bool, _ func(aig.Lit) bool) {
			least := slices.Clone(s)
			for _, u := range orbit(s, F) {
				if leqBits(u, least) {
					least = u
				}
			}
			if !kept[key(least)] {
				t.Fatalf("F=%v: the least member %v of the orbit of %v is dropped", F, least, s)
			}
		})
	}
}

// orbit lists the orbit of s under the group generated by F.
func orbit(s []bool, F []*ts.Perm) [][]bool {
	seen := map[uint64]bool{key(s): true}
	all := [][]bool{slices.Clone(s)}
	for i := 0; i < len(all); i++ {
		for _, p := range F {
			if u := ts.Apply(p.Latch, all[i]); !seen[key(u)] {
				seen[key(u)] = true
				all = append(all, u)
			}
		}
	}
	return all
}

// A chain spends five ANDs a comparison, one on the last.
func TestChainsSkipImpliedPositions(t *testing.T) {
	for _, c := range []struct {
		name  string
		image []ts.Lit
		ands  int
	}{
		{"identity", []ts.Lit{0, 2, 4}, 0},
		{"one swap", []ts.Lit{2, 0, 4}, 1},
		{"two swaps", []ts.Lit{4, 6, 0, 2, 8}, 6},
		{"three swaps", []ts.Lit{6, 8, 10, 0, 2, 4}, 11},
		{"cycle of four", []ts.Lit{2, 4, 6, 0}, 9}, // two of 11 fold: x ∧ ¬(x' → x)
		{"negated fixed point ends the chain", []ts.Lit{2, 0, 5, 8, 6}, 5},
		{"negated fixed point comes first", []ts.Lit{1, 4, 2}, 0},
		{"negative cycle ends the chain", []ts.Lit{2, 1, 6, 4}, 0},
	} {
		g := aig.New()
		x := leaves(g, len(c.image))
		le := reptest.Predicate(g, x, []*ts.Perm{latchPerm(c.image)})
		if ands := g.NumAnds(le); ands != c.ands {
			t.Errorf("%s: %d ANDs, want %d", c.name, ands, c.ands)
		}
	}
}

// letters is the symmetry of one block of n rows of w latches.
func letters(n, w, offset, total int) ts.Block {
	b := ts.Block{Name: "ROW", Elems: []int{0}}
	for i := range n - 1 {
		image := make([]ts.Lit, total)
		for j := range image {
			image[j] = ts.Lit(j) << 1
		}
		for j := range w {
			at := offset + i*w + j
			image[at], image[at+w] = image[at+w], image[at]
		}
		b.Elems = append(b.Elems, i+1)
		b.Swaps = append(b.Swaps, &ts.Perm{Name: fmt.Sprintf("%d <-> %d", i, i+1), Latch: image})
	}
	return b
}

func TestPerms(t *testing.T) {
	y := &ts.Symmetry{Blocks: []ts.Block{letters(4, 1, 0, 7), letters(3, 1, 4, 7)}}
	for _, c := range []struct {
		set  rep.Set
		want int
	}{{rep.Nice, 3 + 2}, {rep.Star, 3 + 2}, {rep.All, 24*6 - 1}} {
		F := mustPerms(t, y, c.set)
		distinct := make(map[string]bool)
		for _, p := range F {
			if p.IsIdentity() {
				t.Errorf("%v holds the identity", c.set)
			}
			distinct[fmt.Sprint(p.Latch)] = true
		}
		if len(F) != c.want || len(distinct) != c.want {
			t.Errorf("%v: %d permutations, %d distinct, want %d", c.set, len(F), len(distinct), c.want)
		}
	}
	var star []string
	for _, p := range mustPerms(t, y, rep.Star) {
		star = append(star, fmt.Sprint(p.Latch))
	}
	want := []string{"[2 0 4 6 8 10 12]", "[4 2 0 6 8 10 12]", "[6 2 4 0 8 10 12]", "[0 2 4 6 10 8 12]", "[0 2 4 6 12 10 8]"}
	if !slices.Equal(star, want) {
		t.Errorf("star = %v, want %v", star, want)
	}
	if F, err := rep.Perms(nil, rep.Nice); F != nil || err != nil {
		t.Errorf("no symmetry: %v, %v", F, err)
	}
	large := &ts.Symmetry{Blocks: []ts.Block{letters(9, 1, 0, 9)}}
	if _, err := rep.Perms(large, rep.All); err == nil || !strings.Contains(err.Error(), "362880") {
		t.Errorf("All of a group of 362880: error %v", err)
	}
	if got := len(mustPerms(t, &ts.Symmetry{Blocks: []ts.Block{letters(8, 1, 0, 8)}}, rep.All)); got != 40319 {
		t.Errorf("All of Sym(8): %d elements, want 40319", got)
	}
}

// Rows of bits are sorted by adjacent transpositions: one representative an
// orbit, and as many orbits as multisets.
func TestCountIsCompleteOnRows(t *testing.T) {
	const n, w = 4, 2
	y := &ts.Symmetry{Blocks: []ts.Block{letters(n, w, 0, n*w)}}
	var states [][]bool
	for v := range 1 << (n * w) {
		s := make([]bool, n*w)
		for i := range s {
			s[i] = v>>i&1 == 1
		}
		states = append(states, s, s)
	}
	var want big.Int
	want.Binomial(n+1<<w-1, n)
	got, orbits := reptest.Count(states, mustPerms(t, y, rep.Nice), y.Generators(), nil)
	if int64(got) != want.Int64() || int64(orbits) != want.Int64() {
		t.Errorf("%d representatives, %d orbits, want %v", got, orbits, &want)
	}
	// Of an incomplete list, only orbits met and representatives listed count.
	got, orbits = reptest.Count([][]bool{
		{true, false, false, false, false, false, false, false},
		{false, false, true, false, false, false, false, false},
		{false, false, false, false, false, false, true, false},
		{true, true, true, true, true, true, true, true},
	}, mustPerms(t, y, rep.Nice), y.Generators(), nil)
	if got != 2 || orbits != 2 {
		t.Errorf("%d representatives, %d orbits, want 2 and 2", got, orbits)
	}
}

// An array of n pointers to its own elements, each defined or not: the orbits
// are partial functions up to conjugacy (16, 45, 121, …). Lex order with few
// permutations is incomplete here.
func TestCountOfPointerArrays(t *testing.T) {
	for _, c := range []struct{ n, nice, transpositions, orbits int }{{4, 73, 56, 45}, {5, 319, 204, 121}} {
		n := c.n
		swap := func(a, b int) *ts.Perm {
			at := func(i int) int {
				switch i {
				case a:
					return b
				case b:
					return a
				}
				return i
			}
			image := make([]ts.Lit, n*n)
			for i := range n {
				for j := range n {
					image[i*n+j] = ts.Lit(at(i)*n+at(j)) << 1
				}
			}
			return &ts.Perm{Latch: image}
		}
		block := ts.Block{Elems: []int{0}}
		var transpositions []*ts.Perm
		for i := range n {
			for j := range i {
				transpositions = append(transpositions, swap(j, i))
			}
			if i > 0 {
				block.Elems = append(block.Elems, i)
				block.Swaps = append(block.Swaps, swap(i-1, i))
			}
		}
		y := &ts.Symmetry{Blocks: []ts.Block{block}}
		var states [][]bool
		total := 1
		for range n {
			total *= n + 1
		}
		for v := range total {
			s := make([]bool, n*n)
			for i, rest := 0, v; i < n; i, rest = i+1, rest/(n+1) {
				if j := rest % (n + 1); j < n {
					s[i*n+j] = true
				}
			}
			states = append(states, s)
		}
		for _, f := range []struct {
			name string
			F    []*ts.Perm
			want int
		}{{"nice", mustPerms(t, y, rep.Nice), c.nice}, {"transpositions", transpositions, c.transpositions}, {"all", mustPerms(t, y, rep.All), c.orbits}} {
			got, orbits := reptest.Count(states, f.F, y.Generators(), nil)
			if got != f.want || orbits != c.orbits {
				t.Errorf("n=%d %s: %d representatives, %d orbits; want %d and %d", n, f.name, got, orbits, f.want, c.orbits)
			}
		}
	}
}

// Two blocks that share latches have products with each other, up to a limit.
func TestProductsAreBounded(t *testing.T) {
	matrix := func(n int) *ts.Symmetry {
		rows := letters(n, n, 0, n*n)
		columns := ts.Block{Name: "COLUMN", Elems: rows.Elems}
		for k := range n - 1 {
			image := make([]ts.Lit, n*n)
			for i := range image {
				to := i
				switch i % n {
				case k:
					to++
				case k + 1:
					to--
				}
				image[i] = ts.Lit(to) << 1
			}
			columns.Swaps = append(columns.Swaps, &ts.Perm{Latch: image})
		}
		return &ts.Symmetry{Blocks: []ts.Block{rows, columns}}
	}
	for _, c := range [][2]int{{3, 4 + 4}, {17, 32 + 256}, {18, 34}} {
		if got := len(mustPerms(t, matrix(c[0]), rep.Nice)); got != c[1] {
			t.Errorf("%d by %d: %d permutations, want %d", c[0], c[0], got, c[1])
		}
	}
}
