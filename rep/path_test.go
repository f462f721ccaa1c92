package rep_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/testkit/reptest"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/rep"
	"orbitmc/ts"
)

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
// leave latches out, of the last frames others than of the rest.
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
		orders := make([][]int, 1+r.IntN(4)) // by distance from the last frame
		for d := range orders {
			if r.IntN(2) == 0 {
				orders[d] = r.Perm(n)[:r.IntN(n+1)]
			}
		}
		states := make([][]aig.Lit, 6)
		for k := range states {
			for range n {
				states[k] = append(states[k], pool[r.IntN(len(pool))].NotIf(r.IntN(2) == 0))
			}
		}
		p := rep.NewPath(g, func(frame, latch int) aig.Lit { return states[frame][latch] }, orders, F)
		compared := 0
		for _, f := range F {
			compared += rep.Length(f, orders[len(orders)-1])
		}
		if p.Comparisons() != compared {
			t.Fatalf("%d comparisons, want %d", p.Comparisons(), compared)
		}
		for k := r.IntN(3); k < len(states); k += 1 + r.IntN(2) {
			var word []rep.Frame // newest first
			for d := range k + 1 {
				word = append(word, rep.Frame{State: states[k-d], Order: orders[min(d, len(orders)-1)]})
			}
			want := rep.PathPredicate(g, word, nil, F)
			if got := p.Predicate(k); got != want {
				t.Fatalf("%d frames: %v, want %v", k+1, got, want)
			}
			if g.IsAnd(want.Node()) {
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
		if err := tstest.Check(s); err != nil {
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
