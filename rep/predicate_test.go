package rep_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/rep"
	"orbitmc/rep/reptest"
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
		ands := 0
		for _, n := range g.Cone([]aig.Lit{le}) {
			if g.IsAnd(n) {
				ands++
			}
		}
		if ands != c.ands {
			t.Errorf("%s: %d ANDs, want %d", c.name, ands, c.ands)
		}
	}
}

// rows is a random system of n equal rows, of one latch, input and initial input
// each, and a global latch, with the full symmetry of its rows.
func rows(r *rand.Rand, n int) (*ts.System, *ts.Symmetry) {
	g := aig.New()
	s := &ts.System{G: g, W: aig.True}
	x, y, z := make([]aig.Lit, n), make([]aig.Lit, n), make([]aig.Lit, n)
	for i := range n {
		x[i], y[i], z[i] = g.Input(), g.Input(), g.Input()
	}
	global := g.Input()
	over := func(ls []aig.Lit, kind int) aig.Lit {
		switch kind {
		case 0:
			return g.AndN(ls)
		case 1:
			return g.OrN(ls)
		default:
			return g.XorN(ls)
		}
	}
	// A random function of a row, the same for each row, of depth d.
	var row func(d int) []aig.Lit
	row = func(d int) []aig.Lit {
		if d == 0 {
			return [][]aig.Lit{x, y, slices.Repeat([]aig.Lit{global}, n)}[r.IntN(3)]
		}
		kind, na, nb := r.IntN(4), r.IntN(2) == 0, r.IntN(2) == 0
		a, b := row(d-1), row(d-1)
		f := make([]aig.Lit, n)
		for i := range f {
			switch kind {
			case 0, 1:
				f[i] = g.And(a[i].NotIf(na), b[i].NotIf(nb)).NotIf(kind == 1)
			case 2:
				f[i] = g.Xor(a[i], b[i])
			case 3:
				f[i] = g.OrN(a)
			}
		}
		return f
	}
	next := row(3)
	resetNeg := r.IntN(2) == 0
	for i := range n {
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint("x", i), Node: x[i].Node(), Reset: z[i].NotIf(resetNeg), Next: next[i]})
		s.Inputs = append(s.Inputs, ts.Signal{Name: fmt.Sprint("y", i), Node: y[i].Node()})
		s.Init = append(s.Init, ts.Signal{Name: fmt.Sprint("z", i), Node: z[i].Node()})
	}
	s.Latches = append(s.Latches, ts.Latch{Name: "global", Node: global.Node(), Next: over(row(2), r.IntN(3))})
	s.Bads = []ts.Bad{{Name: "bad", Lit: over(row(2), r.IntN(3))}}

	block := ts.Block{Name: "ROW", Elems: []int{0}}
	for i := range n - 1 {
		swap := ts.Identity(s)
		for _, image := range [][]ts.Lit{swap.Latch, swap.Input, swap.Init} {
			image[i], image[i+1] = image[i+1], image[i]
		}
		block.Elems = append(block.Elems, i+1)
		block.Swaps = append(block.Swaps, swap)
	}
	return s, &ts.Symmetry{Blocks: []ts.Block{block}}
}

// path is an unrolled path: literals, and all its leaves.
type path struct {
	g      *aig.Graph
	frames []rep.Frame // oldest first
	init   []aig.Lit
	bad    []aig.Lit // by frame
	in     []aig.Lit // initial inputs, then inputs frame by frame
}

func unroll(s *ts.System, k int) *path {
	p := &path{g: aig.New()}
	p.init = leaves(p.g, len(s.Init))
	p.in = slices.Clone(p.init)
	state := make([]aig.Lit, len(s.Latches))
	c := aig.NewCopier(p.g, s.G)
	for i, sig := range s.Init {
		c.Set(sig.Node, p.init[i])
	}
	for i, l := range s.Latches {
		state[i] = c.Copy(l.Reset)
	}
	for range k + 1 {
		y := leaves(p.g, len(s.Inputs))
		p.in = append(p.in, y...)
		p.frames = append(p.frames, rep.Frame{State: state, Inputs: y})
		c := aig.NewCopier(p.g, s.G)
		for i, l := range s.Latches {
			c.Set(l.Node, state[i])
		}
		for i, sig := range s.Inputs {
			c.Set(sig.Node, y[i])
		}
		state = make([]aig.Lit, len(s.Latches))
		for i, l := range s.Latches {
			state[i] = c.Copy(l.Next)
		}
		p.bad = append(p.bad, c.Copy(s.Bads[0].Lit))
	}
	return p
}

// images returns, for the leaves bits of a path, those of all its images.
func (p *path) images(bits []bool, group []*ts.Perm) [][]bool {
	out := [][]bool{slices.Clone(bits)}
	for _, q := range group {
		image := ts.Apply(q.Init, bits[:len(p.init)])
		for i := len(p.init); i < len(bits); i += len(q.Input) {
			image = append(image, ts.Apply(q.Input, bits[i:i+len(q.Input)])...)
		}
		out = append(out, image)
	}
	return out
}

func newestFirst(frames []rep.Frame) []rep.Frame {
	frames = slices.Clone(frames)
	slices.Reverse(frames)
	return frames
}

func withoutInputs(frames []rep.Frame) []rep.Frame {
	frames = slices.Clone(frames)
	for i := range frames {
		frames[i].Inputs = nil
	}
	return frames
}

// lost returns a path that reaches bad in frame k although none of its images
// satisfies pred, or nil.
func (p *path) lost(group []*ts.Perm, bad, pred aig.Lit) []bool {
	holds := make(map[uint64]bool)
	var all [][]bool
	valuations(p.g, p.in, func(bits []bool, value func(aig.Lit) bool) {
		holds[key(bits)] = value(pred)
		if value(bad) {
			all = append(all, slices.Clone(bits))
		}
	})
	for _, bits := range all {
		if !slices.ContainsFunc(p.images(bits, group), func(b []bool) bool { return holds[key(b)] }) {
			return bits
		}
	}
	return nil
}

func mustPerms(t *testing.T, y *ts.Symmetry, set rep.Set) []*ts.Perm {
	t.Helper()
	F, err := rep.Perms(y, set)
	if err != nil {
		t.Fatal(err)
	}
	return F
}

func TestPathPredicateIsLexOrderOfTheWord(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 40 {
		n := 2 + r.IntN(2)
		s, y := rows(r, n)
		p := unroll(s, 2)
		F := mustPerms(t, y, rep.All)
		f := F[r.IntN(len(F))]
		frames := newestFirst(p.frames)
		le := rep.PathPredicate(p.g, frames, p.init, []*ts.Perm{f})
		valuations(p.g, p.in, func(bits []bool, value func(aig.Lit) bool) {
			var word, image []bool
			part := func(perm []ts.Lit, ls []aig.Lit) {
				v := make([]bool, len(ls))
				for i, l := range ls {
					v[i] = value(l)
				}
				word, image = append(word, v...), append(image, ts.Apply(perm, v)...)
			}
			for _, fr := range frames {
				part(f.Latch, fr.State)
			}
			for _, fr := range frames {
				part(f.Input, fr.Inputs)
			}
			part(f.Init, p.init)
			if got, want := value(le), leqBits(word, image); got != want {
				t.Fatalf("word %v image %v: got %v, want %v", word, image, got, want)
			}
		})
	}
}

// TestPath: a predicate that grows frame by frame is, at every length, the one that is built
// at once, for signed permutations, states with constants and repeated literals, and words that
// leave latches out.
func TestPath(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 3))
	nontrivial := 0
	for range 500 {
		n := 2 + r.IntN(5)
		g := aig.New()
		pool := append(leaves(g, 6), aig.False)
		var F []*ts.Perm
		for range 1 + r.IntN(3) {
			F = append(F, latchPerm(randomPerm(r, n, r.IntN(2) == 0)))
		}
		var order []int
		if r.IntN(2) == 0 {
			order = r.Perm(n)[:1+r.IntN(n)]
		}
		p := rep.NewPath(g, order, F)
		compared := 0
		for _, f := range F {
			compared += rep.Length(f, order)
		}
		if p.Comparisons() != compared {
			t.Fatalf("%d comparisons, want %d", p.Comparisons(), compared)
		}
		var word []rep.Frame // newest first
		var want []aig.Lit
		for k := range 4 {
			state := make([]aig.Lit, n)
			for i := range state {
				state[i] = pool[r.IntN(len(pool))].NotIf(r.IntN(2) == 0)
			}
			p.Extend(state)
			word = append([]rep.Frame{{State: state, Order: order}}, word...)
			want = append(want, rep.PathPredicate(g, word, nil, F))
			if p.Len() != k+1 {
				t.Fatalf("%d frames, want %d", p.Len(), k+1)
			}
		}
		for k, l := range want {
			if got := p.Predicate(k); got != l {
				t.Fatalf("%d frames: %v, want %v", k+1, got, l)
			}
			if g.IsAnd(l.Node()) {
				nontrivial++
			}
		}
	}
	if nontrivial < 500 {
		t.Errorf("%d predicates are gates", nontrivial)
	}
}

func TestEveryPathKeepsAnImage(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 40 {
		n := 2 + r.IntN(2)
		s, y := rows(r, n)
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		p := unroll(s, 2)
		group := mustPerms(t, y, rep.All)
		// The symmetry is real: images of bad paths are bad.
		for k := range p.bad {
			bad := make(map[uint64]bool)
			valuations(p.g, p.in, func(bits []bool, value func(aig.Lit) bool) { bad[key(bits)] = value(p.bad[k]) })
			valuations(p.g, p.in, func(bits []bool, value func(aig.Lit) bool) {
				for _, image := range p.images(bits, group) {
					if bad[key(image)] != value(p.bad[k]) {
						t.Fatalf("bad in frame %d is not symmetric", k)
					}
				}
			})
		}
		for _, set := range []rep.Set{rep.Nice, rep.Star, rep.All} {
			F := mustPerms(t, y, set)
			words := map[string]aig.Lit{
				"backward":         rep.PathPredicate(p.g, newestFirst(p.frames), p.init, F),
				"backward states":  rep.PathPredicate(p.g, withoutInputs(newestFirst(p.frames)), nil, F),
				"forward":          rep.PathPredicate(p.g, p.frames, p.init, F),
				"newest two":       rep.PathPredicate(p.g, newestFirst(p.frames)[:2], nil, F),
				"initial inputs":   rep.PathPredicate(p.g, nil, p.init, F),
				"frontier":         reptest.Predicate(p.g, p.frames[2].State, F),
				"some inner frame": reptest.Predicate(p.g, p.frames[1].State, F),
			}
			for name, pred := range words {
				if bits := p.lost(group, p.bad[2], pred); bits != nil {
					t.Fatalf("%s, %v: no image of %v is kept", name, set, bits)
				}
			}
		}
	}
}

// token is a system of two rows that pass a token to and fro; which row has it
// first is an initial input, and holding it after one step is bad.
func token() (*ts.System, *ts.Symmetry) {
	g := aig.New()
	a, b, odd, z := g.Input(), g.Input(), g.Input(), g.Input()
	s := &ts.System{G: g, W: aig.True,
		Latches: []ts.Latch{
			{Name: "a", Node: a.Node(), Reset: z, Next: b},
			{Name: "b", Node: b.Node(), Reset: z.Not(), Next: a},
			{Name: "odd", Node: odd.Node(), Reset: aig.False, Next: odd.Not()},
		},
		Init: []ts.Signal{{Name: "z", Node: z.Node()}},
		Bads: []ts.Bad{{Name: "bad", Lit: g.And(odd, g.Xor(a, b))}},
	}
	swap := &ts.Perm{Name: "a <-> b", Latch: []ts.Lit{2, 0, 4}, Init: []ts.Lit{1}}
	return s, &ts.Symmetry{Blocks: []ts.Block{{Name: "ROW", Elems: []int{0, 1}, Swaps: []*ts.Perm{swap}}}}
}

// One predicate keeps the counterexample; two, each choosing its own image,
// lose it. These are the combinations an engine must not make.
func TestTwoPredicatesLoseACounterexample(t *testing.T) {
	s, y := token()
	p := unroll(s, 1)
	F := mustPerms(t, y, rep.Nice)
	backward := rep.PathPredicate(p.g, newestFirst(p.frames), p.init, F)
	forward := rep.PathPredicate(p.g, p.frames, p.init, F)
	rep0 := reptest.Predicate(p.g, p.frames[0].State, F)
	rep1 := reptest.Predicate(p.g, p.frames[1].State, F)
	for _, c := range []struct {
		name string
		pred aig.Lit
		lost bool
	}{
		{"frontier", rep1, false},
		{"first frame", rep0, false},
		{"backward path", backward, false},
		{"forward path", forward, false},
		{"every frame", p.g.And(rep0, rep1), true},
		{"frontier and forward path", p.g.And(rep1, forward), true},
		{"stale frontier and backward path", p.g.And(rep0, backward), true},
		{"backward and forward path", p.g.And(backward, forward), true},
	} {
		if lost := p.lost(F, p.bad[1], c.pred) != nil; lost != c.lost {
			t.Errorf("%s: lost %v, want %v", c.name, lost, c.lost)
		}
	}
}

func TestBackwardWordsShareTheirTails(t *testing.T) {
	s, y := rows(rand.New(rand.NewPCG(9, 10)), 3)
	F := mustPerms(t, y, rep.Nice)
	p := unroll(s, 8)
	var grown []int
	for k := range p.frames {
		before := p.g.Len()
		rep.PathPredicate(p.g, withoutInputs(newestFirst(p.frames[:k+1])), nil, F)
		grown = append(grown, p.g.Len()-before)
	}
	for k, n := range grown {
		if n > 5*len(F)+len(F)-1 { // one comparison of five ANDs each, and their conjunction
			t.Errorf("bound %d adds %d nodes", k, n)
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
