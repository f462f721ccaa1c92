package ts_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/ts"
)

// redundant returns a random system with much to clean up: latches that repeat
// others, perhaps complemented, each function reading any of the repetitions;
// latches that never change; functions that no bad depends on. It returns the
// number of latches without repetitions and constants.
func redundant(rng *rand.Rand) (s *ts.System, distinct int) {
	g := aig.New()
	if rng.IntN(2) == 0 {
		g = aig.NewPlain()
	}
	s = &ts.System{G: g, W: aig.True}
	distinct = 1 + rng.IntN(4)
	copies := make([][]aig.Lit, distinct) // literals that are equal
	latch := func(name string) aig.Lit {
		l := g.Input()
		s.Latches = append(s.Latches, ts.Latch{Name: name, Node: l.Node()})
		return l
	}
	for i := range copies {
		for k := range 1 + rng.IntN(3) {
			copies[i] = append(copies[i], latch(fmt.Sprint(i, ".", k)).NotIf(rng.IntN(2) == 0))
		}
	}
	var stuck []aig.Lit
	for range rng.IntN(3) {
		stuck = append(stuck, latch("stuck").NotIf(rng.IntN(2) == 0)) // false
	}
	signal := func(list *[]ts.Signal, n int) (ls []aig.Lit) {
		for range n {
			l := g.Input()
			*list = append(*list, ts.Signal{Name: "i", Node: l.Node()})
			ls = append(ls, l)
		}
		return ls
	}
	inputs, init := signal(&s.Inputs, rng.IntN(3)), signal(&s.Init, rng.IntN(3))
	leaves := make([]int, distinct+len(inputs))
	for i := range leaves {
		leaves[i] = i
	}
	build := func(f *formula) aig.Lit {
		var at []aig.Lit
		for _, c := range copies {
			at = append(at, c[rng.IntN(len(c))])
		}
		l := f.build(g, append(at, inputs...))
		if len(stuck) > 0 && rng.IntN(3) == 0 { // in disguise
			l = g.Xor(l, stuck[rng.IntN(len(stuck))])
		}
		return l
	}
	set := func(l, reset, next aig.Lit) {
		for i := range s.Latches {
			if s.Latches[i].Node == l.Node() {
				s.Latches[i].Reset, s.Latches[i].Next = reset.NotIf(l.Neg()), next.NotIf(l.Neg())
			}
		}
	}
	for _, c := range copies {
		var z []int
		for i := range init {
			z = append(z, i)
		}
		reset, next := randomFormula(rng, z, 2).build(g, init), randomFormula(rng, leaves, 4)
		for _, l := range c {
			set(l, reset, build(next))
		}
	}
	for _, l := range stuck {
		set(l, aig.False, g.And(stuck[rng.IntN(len(stuck))], build(randomFormula(rng, leaves, 2))))
	}
	for range rng.IntN(2) {
		s.Constraints = append(s.Constraints, build(randomFormula(rng, leaves, 3)))
	}
	for i := range 1 + rng.IntN(3) {
		s.Bads = append(s.Bads, ts.Bad{Name: fmt.Sprint(i), Lit: build(randomFormula(rng, leaves, 3)), Prop: 5 - i, Delay: i % 2})
	}
	var w []aig.Lit
	for _, c := range copies {
		w = append(w, g.Equal(c[0], c[len(c)-1]))
	}
	s.W = g.AndN(w)
	return s, distinct
}

// vectorsOf lists all vectors of n bits.
func vectorsOf(n int) (all [][]bool) {
	for v := range 1 << n {
		x := make([]bool, n)
		for i := range x {
			x[i] = v>>i&1 == 1
		}
		all = append(all, x)
	}
	return all
}

// explore lists the reachable states in which constraints hold for some inputs,
// those of the last layer included, by breadth-first search; and, by bad, a
// shortest trace to a violation, or nil.
func explore(s *ts.System) (states map[string][]bool, traces []*ts.Trace) {
	type node struct {
		state []bool
		trace *ts.Trace
	}
	states = make(map[string][]bool)
	traces = make([]*ts.Trace, len(s.Bads))
	e := ts.NewEvaluator(s)
	var queue []node
	enter := func(state []bool, t *ts.Trace) {
		if k := fmt.Sprint(state); states[k] == nil {
			states[k] = state
			queue = append(queue, node{state, t})
		}
	}
	for _, z := range vectorsOf(len(s.Init)) {
		enter(e.Reset(z), &ts.Trace{Init: z})
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, y := range vectorsOf(len(s.Inputs)) {
			e.Set(n.state, y)
			if !e.Constraints() {
				continue
			}
			t := &ts.Trace{Init: n.trace.Init, Inputs: append(slices.Clip(n.trace.Inputs), y)}
			for i, b := range s.Bads {
				if traces[i] == nil && e.Value(b.Lit) {
					traces[i] = t
				}
			}
			enter(e.Next(), t)
		}
	}
	return states, traces
}

// TestClean compares the reachable states and verdicts of systems and cleaned
// systems, all by explicit search.
func TestClean(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	merged, unsafe, left, selected, missed := 0, 0, 0, 0, 0
	for k := range 1500 {
		s, distinct := redundant(rng)
		if err := tstest.Check(s); err != nil {
			t.Fatal(err)
		}
		var opt ts.CleanOptions
		opt.WithW = rng.IntN(2) == 0
		if rng.IntN(2) == 0 {
			opt.Bads = []int{rng.IntN(len(s.Bads))}
			selected++
		}
		c := ts.Clean(s, opt)
		if err := tstest.Check(c.Sys); err != nil {
			t.Fatalf("system %d: %v", k, err)
		}
		if n := len(c.Sys.Latches); n > distinct {
			missed++ // repetitions in a shape that hashing does not see through
		} else {
			left += distinct - n
		}
		merged += len(s.Latches) - len(c.Sys.Latches)
		if opt.Bads == nil && len(c.Bads) != len(s.Bads) || opt.Bads != nil && !slices.Equal(c.Bads, opt.Bads) {
			t.Fatalf("system %d: bads %v of %v", k, c.Bads, opt.Bads)
		}
		for i, b := range c.Sys.Bads {
			if a := s.Bads[c.Bads[i]]; a.Name != b.Name || a.Prop != b.Prop || a.Delay != b.Delay {
				t.Fatalf("system %d: bad %+v is kept as %+v", k, a, b)
			}
		}

		states, want := explore(s)
		small, got := explore(c.Sys)
		// What is said of a latch holds in every reachable state, and the states of the
		// cleaned system are those of the source without the rest.
		images := make(map[string]bool)
		for _, x := range states {
			y := make([]bool, len(c.Sys.Latches))
			known := make([]bool, len(y))
			for pass := range 2 {
				for i := range s.Latches {
					l, ok := c.Latch(i)
					if !ok {
						continue
					}
					if l.Node() == 0 {
						if x[i] != (l == aig.True) {
							t.Fatalf("system %d: latch %d is not %v in %v", k, i, l, x)
						}
						continue
					}
					j := slices.IndexFunc(c.Sys.Latches, func(m ts.Latch) bool { return m.Node == l.Node() })
					if pass == 0 {
						y[j], known[j] = x[i] != l.Neg(), true
					} else if y[j] != (x[i] != l.Neg()) {
						t.Fatalf("system %d: latch %d is not %v in %v", k, i, l, x)
					}
				}
			}
			if slices.Contains(known, false) {
				t.Fatalf("system %d: a latch stands for none", k)
			}
			images[fmt.Sprint(y)] = true
		}
		if len(images) != len(small) {
			t.Fatalf("system %d: %d states, want %d", k, len(small), len(images))
		}
		e := ts.NewEvaluator(c.Sys)
		for key, x := range small {
			if !images[key] {
				t.Fatalf("system %d: state %v is new", k, x)
			}
			e.Set(x, make([]bool, len(c.Sys.Inputs)))
			if !e.Value(c.Sys.W) {
				t.Fatalf("system %d: state %v is not well-formed", k, x)
			}
		}
		for i, trace := range got {
			b := c.Bads[i]
			if (trace == nil) != (want[b] == nil) {
				t.Fatalf("system %d: bad %d violated %v, in the source %v", k, i, trace != nil, want[b] != nil)
			}
			if trace == nil {
				continue
			}
			unsafe++
			if len(trace.Inputs) != len(want[b].Inputs) {
				t.Fatalf("system %d: %d frames, want %d", k, len(trace.Inputs), len(want[b].Inputs))
			}
			if err := s.Replay(c.Trace(trace), b); err != nil {
				t.Fatalf("system %d: %v", k, err)
			}
		}
	}
	t.Logf("%d latches gone, %d beyond repetitions, %d systems with more than needed, %d violations, %d with one bad", merged, left, missed, unsafe, selected)
	if merged < 1000 || missed > 250 || left < 200 || unsafe < 200 {
		t.Error("too little happened")
	}
}

// TestFacts: the equalities are inductive where latches that are stuck have their values, and with them functions of the
// cleaned system are those of the source.
func TestFacts(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	facts, stuck := 0, 0
	for k := range 300 {
		s, _ := redundant(rng)
		c := ts.Clean(s, ts.CleanOptions{WithW: true})
		fs, settled := c.Facts()
		all, rest := s.G.AndN(fs), aig.True
		for i, f := range fs {
			if facts++; settled[i] {
				stuck++
			} else {
				rest = s.G.And(rest, f)
			}
		}
		copier := c.Copier()
		var bads []aig.Lit
		for _, b := range c.Sys.Bads {
			bads = append(bads, copier.Copy(b.Lit))
		}
		w := copier.Copy(c.Sys.W)
		if err := tstest.Check(s); err != nil {
			t.Fatal(err)
		}
		e := ts.NewEvaluator(s)
		for _, z := range vectorsOf(len(s.Init)) {
			e.Set(e.Reset(z), make([]bool, len(s.Inputs)))
			if !e.Value(all) {
				t.Fatalf("system %d: reset %v breaks a fact", k, z)
			}
		}
		for _, x := range vectorsOf(len(s.Latches)) {
			for _, y := range vectorsOf(len(s.Inputs)) {
				e.Set(x, y)
				if !e.Value(all) {
					continue
				}
				for i, l := range bads {
					if e.Value(l) != e.Value(s.Bads[i].Lit) {
						t.Fatalf("system %d: bad %d is another function in %v", k, i, x)
					}
				}
				if e.Value(w) != e.Value(s.W) {
					t.Fatalf("system %d: W is another function in %v", k, x)
				}
				next := e.Next()
				e.Set(next, y)
				if !e.Value(rest) {
					t.Fatalf("system %d: %v leads to %v, which breaks a fact", k, x, next)
				}
			}
		}
	}
	if facts < 300 || stuck < 100 {
		t.Errorf("%d facts, %d about stuck latches", facts, stuck)
	}
}

// automorphism reports whether p keeps all functions of s.
func automorphism(s *ts.System, p *ts.Perm) bool {
	e := ts.NewEvaluator(s)
	for _, z := range vectorsOf(len(s.Init)) {
		if !slices.Equal(e.Reset(ts.Apply(p.Init, z)), ts.Apply(p.Latch, e.Reset(z))) {
			return false
		}
	}
	for _, x := range vectorsOf(len(s.Latches)) {
		for _, y := range vectorsOf(len(s.Inputs)) {
			e.Set(x, y)
			next, constraints := e.Next(), e.Constraints()
			var bads []bool
			for _, b := range s.Bads {
				bads = append(bads, e.Value(b.Lit))
			}
			e.Set(ts.Apply(p.Latch, x), ts.Apply(p.Input, y))
			if !slices.Equal(e.Next(), ts.Apply(p.Latch, next)) || e.Constraints() != constraints {
				return false
			}
			for i, b := range s.Bads {
				if e.Value(b.Lit) != bads[i] {
					return false
				}
			}
		}
	}
	return true
}

// components returns a system of n equal components of a few latches, some equal
// and some stuck, and the exchange of each with the next one.
func components(rng *rand.Rand, n int) (*ts.System, []*ts.Perm) {
	width := 2 + rng.IntN(2)
	g := aig.NewPlain()
	s := &ts.System{G: g, W: aig.True}
	rows := make([][]aig.Lit, n)
	for i := range rows {
		for range width {
			l := g.Input()
			rows[i] = append(rows[i], l)
			s.Latches = append(s.Latches, ts.Latch{Name: "l", Node: l.Node()})
		}
	}
	for i := range rows {
		in := g.Input()
		rows[i] = append(rows[i], in)
		s.Inputs = append(s.Inputs, ts.Signal{Name: "i", Node: in.Node()})
	}
	var first []aig.Lit
	for _, r := range rows {
		first = append(first, r[0])
	}
	shared := []aig.Lit{g.OrN(first), g.AndN(first)}
	leaves := make([]int, width+3)
	for i := range leaves {
		leaves[i] = i
	}
	next := make([]*formula, width)
	resets := make([]aig.Lit, width)
	for j := range next {
		next[j] = randomFormula(rng, leaves, 3)
		if j > 0 && rng.IntN(2) == 0 { // equal to the one before
			next[j], resets[j] = next[j-1], resets[j-1]
		} else {
			resets[j] = aig.False.NotIf(rng.IntN(2) == 0)
		}
	}
	bad := randomFormula(rng, leaves, 3)
	var bads []aig.Lit
	for i, r := range rows {
		pool := append(slices.Clone(r), shared...)
		for j := range width {
			s.Latches[i*width+j].Reset = resets[j]
			s.Latches[i*width+j].Next = next[j].build(g, pool)
		}
		bads = append(bads, bad.build(g, pool))
	}
	s.Bads = []ts.Bad{{Name: "b", Lit: g.OrN(bads)}}
	var swaps []*ts.Perm
	for i := range n - 1 {
		p := ts.Identity(s)
		for j := range width {
			a, b := i*width+j, (i+1)*width+j
			p.Latch[a], p.Latch[b] = ts.Lit(b)<<1, ts.Lit(a)<<1
		}
		p.Input[i], p.Input[i+1] = ts.Lit(i+1)<<1, ts.Lit(i)<<1
		swaps = append(swaps, p)
	}
	return s, swaps
}

// TestRestrict: symmetries of the source are symmetries of the cleaned system;
// what is no symmetry and restricts all the same is none there either, or acts on
// what is left alone.
func TestRestrict(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	moved, all, refused := 0, 0, 0
	for k := range 400 {
		s, swaps := components(rng, 2+rng.IntN(2))
		c := ts.Clean(s, ts.CleanOptions{})
		for _, p := range swaps {
			if !automorphism(s, p) {
				t.Fatal("not symmetric to begin with")
			}
			all++
			q, ok := c.Restrict(p)
			if !ok || !automorphism(c.Sys, q) {
				t.Fatalf("system %d: %v restricts to %+v, %v", k, p, q, ok)
			}
			if !q.IsIdentity() {
				moved++
			}
		}
		p := randomPerm(rng, s)
		if _, ok := c.Restrict(p); !ok {
			refused++
		}
	}
	t.Logf("%d of %d restricted permutations move something, %d random ones refused", moved, all, refused)
	if moved < 100 || refused < 100 {
		t.Error("too little happened")
	}
}

// TestStuckBecauseEqual: a latch that reads the difference of equal ones never
// changes, and a ring of latches that copy each other is one latch.
func TestStuckBecauseEqual(t *testing.T) {
	g := aig.NewPlain()
	a, b, d, in := g.Input(), g.Input(), g.Input(), g.Input()
	s := &ts.System{G: g, W: aig.True, Inputs: []ts.Signal{{Name: "in", Node: in.Node()}}, Latches: []ts.Latch{
		{Name: "a", Node: a.Node(), Reset: aig.False, Next: g.Xor(a, in)},
		{Name: "b", Node: b.Node(), Reset: aig.True, Next: g.Xor(b, in)},
		{Name: "d", Node: d.Node(), Reset: aig.False, Next: g.Or(d, g.Equal(a, b))},
	}, Bads: []ts.Bad{{Name: "bad", Lit: g.And(d.Not(), b)}}}
	c := ts.Clean(s, ts.CleanOptions{})
	for i, want := range []string{"n1", "!n1", "0"} {
		if l, ok := c.Latch(i); !ok || l.String() != want {
			t.Errorf("latch %d is %v, %v, want %s", i, l, ok, want)
		}
	}
	if len(c.Sys.Latches) != 1 || len(c.Sys.Inputs) != 1 || c.Sys.Bads[0].Lit != c.Sys.LatchLit(0).Not() {
		t.Errorf("%+v", c.Sys)
	}

	const n = 50
	ring := &ts.System{G: aig.New(), W: aig.True}
	for range n {
		ring.Latches = append(ring.Latches, ts.Latch{Name: "l", Node: ring.G.Input().Node(), Reset: aig.True})
	}
	x := ring.G.Input()
	ring.Inputs = []ts.Signal{{Name: "x", Node: x.Node()}}
	for i := range ring.Latches {
		ring.Latches[i].Next = ring.G.And(ring.LatchLit((i+1)%n), x)
	}
	ring.Bads = []ts.Bad{{Lit: ring.LatchLit(7).Not()}}
	if c := ts.Clean(ring, ts.CleanOptions{}); len(c.Sys.Latches) != 1 {
		t.Errorf("%d latches of the ring are left", len(c.Sys.Latches))
	}
}

// TestRare: latches that hardly ever change, or hardly ever differ, are neither
// constant nor equal.
func TestRare(t *testing.T) {
	for _, latches := range []int{1, 2, 3} {
		g := aig.NewPlain()
		s := &ts.System{G: g, W: aig.True}
		for i := range 40 {
			s.Inputs = append(s.Inputs, ts.Signal{Name: fmt.Sprint(i), Node: g.Input().Node()})
		}
		rare := func(skip int) aig.Lit {
			var all []aig.Lit
			for i := range s.Inputs {
				if i != skip {
					all = append(all, s.InputLit(i))
				}
			}
			return g.AndN(all)
		}
		var bads []aig.Lit
		for i := range latches {
			l := g.Input()
			s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint(i), Node: l.Node(), Next: g.Or(l, rare(i))})
			bads = append(bads, l)
		}
		s.Bads = []ts.Bad{{Lit: g.AndN(bads)}}
		c := ts.Clean(s, ts.CleanOptions{})
		if facts, _ := c.Facts(); len(c.Sys.Latches) != latches || len(facts) != 0 {
			t.Errorf("%d of %d latches are left", len(c.Sys.Latches), latches)
		}
	}
}

// TestRestrictRefuses: what takes a class apart is not restricted, nor what moves a
// constant.
func TestRestrictRefuses(t *testing.T) {
	g := aig.NewPlain()
	s := &ts.System{G: g, W: aig.True}
	var x []aig.Lit
	for i := range 2 {
		in := g.Input()
		x = append(x, in)
		s.Inputs = append(s.Inputs, ts.Signal{Name: fmt.Sprint(i), Node: in.Node()})
	}
	for i := range 5 { // 0 and 1 are equal, 2 and 3 are, 4 is stuck
		l := g.Input()
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint(i), Node: l.Node(), Next: aig.False})
		if i < 4 {
			s.Latches[i].Next = x[i/2]
		}
	}
	s.Bads = []ts.Bad{{Lit: g.AndN([]aig.Lit{s.LatchLit(0), s.LatchLit(1), s.LatchLit(2), s.LatchLit(3), s.LatchLit(4).Not()})}}
	c := ts.Clean(s, ts.CleanOptions{})
	for _, p := range []struct {
		latch, input []ts.Lit
		ok           bool
	}{
		{[]ts.Lit{4, 6, 0, 2, 8}, []ts.Lit{2, 0}, true},
		{[]ts.Lit{6, 4, 2, 0, 8}, []ts.Lit{2, 0}, true},
		{[]ts.Lit{2, 0, 4, 6, 8}, []ts.Lit{0, 2}, true},
		{[]ts.Lit{4, 2, 0, 6, 8}, []ts.Lit{2, 0}, false},
		{[]ts.Lit{0, 6, 4, 2, 8}, []ts.Lit{0, 2}, false},
		{[]ts.Lit{8, 2, 4, 6, 0}, []ts.Lit{0, 2}, false},
		{[]ts.Lit{0, 2, 4, 6, 9}, []ts.Lit{0, 2}, false},
		{[]ts.Lit{1, 2, 4, 6, 8}, []ts.Lit{0, 2}, false},
	} {
		q, ok := c.Restrict(&ts.Perm{Latch: p.latch, Input: p.input})
		if ok != p.ok || ok && !automorphism(c.Sys, q) {
			t.Errorf("%v restricts to %v, %v", p.latch, q, ok)
		}
	}
}

// TestCleanOutside: latches that the bads do not depend on go, and are compared with none.
func TestCleanOutside(t *testing.T) {
	g := aig.NewPlain()
	in := g.Input()
	s := &ts.System{G: g, W: aig.True, Inputs: []ts.Signal{{Name: "x", Node: in.Node()}}}
	for i := range 4 { // all are equal; the bad reads 1, which follows 2
		l := g.Input()
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint(i), Node: l.Node(), Next: in})
	}
	s.Latches[1].Next = g.Or(in, g.And(in, s.LatchLit(2)))
	s.Bads = []ts.Bad{{Lit: s.LatchLit(1)}}
	c := ts.Clean(s, ts.CleanOptions{})
	if facts, _ := c.Facts(); len(c.Sys.Latches) != 1 || len(facts) != 1 {
		t.Errorf("%d latches are left, %d facts; want 1 and that 1 and 2 are equal", len(c.Sys.Latches), len(facts))
	}
}

// TestConstraintsStay: a constraint that shares nothing with the bad decides it
// all the same.
func TestConstraintsStay(t *testing.T) {
	g := aig.New()
	a, b := g.Input(), g.Input()
	s := &ts.System{G: g, W: aig.True, Latches: []ts.Latch{
		{Name: "a", Node: a.Node(), Next: a.Not()},
		{Name: "b", Node: b.Node(), Next: aig.True},
	}, Constraints: []aig.Lit{b.Not()}, Bads: []ts.Bad{{Lit: a}}}
	c := ts.Clean(s, ts.CleanOptions{})
	if _, traces := explore(c.Sys); len(c.Sys.Latches) != 2 || traces[0] != nil {
		t.Errorf("%d latches, trace %v", len(c.Sys.Latches), traces[0])
	}
}

// TestCleanGivesUp cleans a chain of latches that are parted one by one: each is set by
// the one before, under a condition that simulation does not meet. With too few rounds
// nothing is taken to be equal.
func TestCleanGivesUp(t *testing.T) {
	const n = 10
	g := aig.New()
	s := &ts.System{G: g, W: aig.True}
	for i := range n {
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint(i), Node: g.Input().Node()})
	}
	rare := aig.True
	for range 40 {
		l := g.Input()
		s.Inputs = append(s.Inputs, ts.Signal{Name: "i", Node: l.Node()})
		rare = g.And(rare, l)
	}
	for i := range n {
		s.Latches[i].Next = rare
		if i > 0 {
			s.Latches[i].Next = g.And(rare, s.LatchLit(i-1))
		}
	}
	s.Bads = []ts.Bad{{Name: "b", Lit: s.LatchLit(n - 1)}}
	for rounds, want := range map[int]bool{-1: false, 2: true, 2 * n: false} {
		c := ts.Clean(s, ts.CleanOptions{})
		if rounds >= 0 {
			c = ts.CleanWithin(s, rounds)
		}
		if c.GaveUp != want {
			t.Errorf("%d rounds: gave up: %v, want %v", rounds, c.GaveUp, want)
		}
		for i := range s.Latches {
			if c.Equal(i) != s.LatchLit(i) {
				t.Errorf("%d rounds: latch %d is taken to be %v", rounds, i, c.Equal(i))
			}
		}
	}
}

// TestStuck: a latch that a counter without inputs never sets goes, and one that it sets late stays.
func TestStuck(t *testing.T) {
	for last := 1; last < 16; last++ {
		for value := range 16 {
			c := ts.Clean(tstest.Counting(4, last, value), ts.CleanOptions{})
			if l, ok := c.Latch(4); ok && l == aig.False != (value > last) {
				t.Errorf("counter to %d, value %d: the latch is %v", last, value, l)
			}
			if gone := c.Sys.Bads[0].Lit == aig.False; gone != (value > last) {
				t.Errorf("counter to %d, value %d: gone %v", last, value, gone)
			}
		}
	}
	// A counter that does not come again within the limit shows nothing.
	if c := ts.Clean(tstest.Counting(30, 1<<29, 1<<29+1), ts.CleanOptions{}); c.Sys.Bads[0].Lit == aig.False {
		t.Error("a run that was not followed to its end shows that a latch is stuck")
	}
}
