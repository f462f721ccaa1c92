package aig

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// leafTables are the truth tables of six leaves: bit v is the value under
// valuation v. A word is thus a function of six leaves.
var leafTables = [6]uint64{
	0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
	0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
}

// tables returns the truth tables of all nodes, computed from the definition.
// leaves are the tables of the inputs in order of creation.
// inputIndex returns the number of a leaf, in the order in which they were made.
func inputIndex(g *Graph, node int) int { return int(g.nodes[node].b) }

func tables(g *Graph, leaves []uint64) []uint64 {
	ts := make([]uint64, g.Len())
	for i := range ts {
		switch {
		case g.IsInput(i):
			ts[i] = leaves[inputIndex(g, i)]
		case g.IsAnd(i):
			a, b := g.Fanins(i)
			ts[i] = value(ts, a) & value(ts, b)
		}
	}
	return ts
}

func value(ts []uint64, l Lit) uint64 {
	if l.Neg() {
		return ^ts[l.Node()]
	}
	return ts[l.Node()]
}

// soup is a random collection of functions of six leaves with their truth
// tables, computed beside the graph.
type soup struct {
	g    *Graph
	lits []Lit
	tabs []uint64
}

func newSoup(g *Graph) *soup {
	s := &soup{g: g, lits: []Lit{False}, tabs: []uint64{0}}
	for i := range 6 {
		s.push(g.Input(), leafTables[i])
	}
	return s
}

func (s *soup) push(l Lit, w uint64) {
	s.lits, s.tabs = append(s.lits, l), append(s.tabs, w)
}

// pick returns a function chosen by k, which may be any number.
func (s *soup) pick(k int) (Lit, uint64) {
	i := k / 2 % len(s.lits)
	if k%2 == 1 {
		return s.lits[i].Not(), ^s.tabs[i]
	}
	return s.lits[i], s.tabs[i]
}

const soupOps = 11

// step adds a function by the builder op, of operands chosen by ks.
func (s *soup) step(op int, ks [5]int) {
	g := s.g
	a, ta := s.pick(ks[0])
	b, tb := s.pick(ks[1])
	c, tc := s.pick(ks[2])
	d, td := s.pick(ks[3])
	e, te := s.pick(ks[4])
	switch op % soupOps {
	case 0:
		s.push(g.And(a, b), ta&tb)
	case 1:
		s.push(g.Or(a, b), ta|tb)
	case 2:
		s.push(g.Xor(a, b), ta^tb)
	case 3:
		s.push(g.Equal(a, b), ^(ta ^ tb))
	case 4:
		s.push(g.Implies(a, b), ^ta|tb)
	case 5:
		s.push(g.Mux(a, b, c), ta&tb|^ta&tc)
	case 6:
		s.push(g.AndN([]Lit{a, b, c, d, e}), ta&tb&tc&td&te)
	case 7:
		s.push(g.OrN([]Lit{a, b, c, d, e}), ta|tb|tc|td|te)
	case 8:
		s.push(g.XorN([]Lit{a, b, c, d, e}), ta^tb^tc^td^te)
	case 9: // operands that share operands, for the two-level rules
		s.push(g.And(g.And(a, b).NotIf(ks[3]%2 == 1), g.And(a.NotIf(ks[4]%2 == 1), c).NotIf(ks[3]%4 > 1)),
			(ta&tb^mask(ks[3]%2 == 1))&((ta^mask(ks[4]%2 == 1))&tc^mask(ks[3]%4 > 1)))
	case 10:
		s.push(g.Mux(a, g.Mux(a, b, c), g.Mux(a.Not(), d, e)), ta&tb|^ta&td)
	}
}

func mask(b bool) uint64 {
	if b {
		return ^uint64(0)
	}
	return 0
}

// random adds n functions.
func (s *soup) random(r *rand.Rand, n int) {
	for range n {
		var ks [5]int
		for i := range ks {
			ks[i] = r.IntN(1 << 20)
		}
		s.step(r.IntN(soupOps), ks)
	}
}

// verify compares the graph with the truth tables.
func (s *soup) verify() error {
	ts := tables(s.g, leafTables[:])
	for i, l := range s.lits {
		if value(ts, l) != s.tabs[i] {
			return fmt.Errorf("function %d is %x, want %x", i, value(ts, l), s.tabs[i])
		}
	}
	return s.g.Check()
}

// eachSoup runs f on random soups in graphs with and without rewriting.
func eachSoup(t *testing.T, seeds uint64, f func(t *testing.T, s *soup, r *rand.Rand)) {
	t.Helper()
	for _, plain := range []bool{false, true} {
		for seed := range seeds {
			r := rand.New(rand.NewPCG(seed, 1))
			s := newSoup(newGraph(plain))
			s.random(r, 20+r.IntN(100))
			f(t, s, r)
			if t.Failed() {
				t.Fatalf("plain %v, seed %d", plain, seed)
			}
		}
	}
}

func TestBuilders(t *testing.T) {
	eachSoup(t, 500, func(t *testing.T, s *soup, _ *rand.Rand) {
		if err := s.verify(); err != nil {
			t.Error(err)
		}
	})
}

func TestLit(t *testing.T) {
	l := MkLit(7, true)
	if l != 15 || l.Node() != 7 || !l.Neg() || l.Not() != 14 || l.NotIf(true) != 14 || l.NotIf(false) != l {
		t.Errorf("literal %d: node %d, neg %v", l, l.Node(), l.Neg())
	}
	for want, l := range map[string]Lit{"0": False, "1": True, "n7": 14, "!n7": 15} {
		if l.String() != want {
			t.Errorf("literal %d is written %s, want %s", l, l, want)
		}
	}
}

func TestInputs(t *testing.T) {
	g := New()
	a := g.Input()
	n := g.And(a, g.Input())
	b := g.Input()
	if g.Len() != 5 || g.NumInputs() != 3 || inputIndex(g, b.Node()) != 2 {
		t.Errorf("%d nodes, %d inputs, the last has index %d", g.Len(), g.NumInputs(), inputIndex(g, b.Node()))
	}
	if g.IsInput(0) || g.IsAnd(0) || !g.IsInput(b.Node()) || g.IsInput(n.Node()) || !g.IsAnd(n.Node()) || g.IsAnd(a.Node()) {
		t.Error("kinds of nodes are mixed up")
	}
}

// TestRules states every rule of two-level rewriting as the literal it must give.
func TestRules(t *testing.T) {
	g := New()
	a, b, c := g.Input(), g.Input(), g.Input()
	ab, ac, nac, anb := g.And(a, b), g.And(a, c), g.And(a^1, c), g.And(a, b^1)
	nbAndA := anb
	for _, test := range []struct {
		rule      string
		x, y, and Lit
	}{
		{"constant", a, False, False},
		{"constant", True, a, a},
		{"idempotence", a, a, a},
		{"contradiction", a, a ^ 1, False},
		{"contradiction, one side", ab, b ^ 1, False},
		{"contradiction, both sides", ab, nac, False},
		{"idempotence, one side", a, ab, ab},
		{"subsumption, one side", ab ^ 1, a ^ 1, a ^ 1},
		{"subsumption, both sides", ab ^ 1, nac, nac},
		{"substitution, one side", ab ^ 1, a, nbAndA},
		{"resolution", ab ^ 1, anb ^ 1, a ^ 1},
	} {
		before := g.Len()
		if got := g.And(test.x, test.y); got != test.and {
			t.Errorf("%s: %v & %v = %v, want %v", test.rule, test.x, test.y, got, test.and)
		}
		if got := g.And(test.y, test.x); got != test.and {
			t.Errorf("%s: %v & %v = %v, want %v", test.rule, test.y, test.x, got, test.and)
		}
		if g.Len() != before {
			t.Errorf("%s: %d new nodes", test.rule, g.Len()-before)
		}
	}
	if got := g.And(ab, ac); got != g.And(ab, c) && got != g.And(ac, b) {
		t.Errorf("idempotence, both sides: %v", got)
	}
	if got := g.And(ab^1, ac); got != g.And(b^1, ac) {
		t.Errorf("substitution, both sides: %v", got)
	}
}

// TestAndAddsOneNode checks that And never creates more than one node, and that
// its result does not depend on what else was built.
func TestAndAddsOneNode(t *testing.T) {
	eachSoup(t, 100, func(t *testing.T, s *soup, r *rand.Rand) {
		type call struct{ a, b, ab Lit }
		var calls []call
		for range 200 {
			a, _ := s.pick(r.IntN(1000))
			b, _ := s.pick(r.IntN(1000))
			before := s.g.Len()
			calls = append(calls, call{a, b, s.g.And(a, b)})
			if s.g.Len() > before+1 {
				t.Errorf("%v & %v created %d nodes", a, b, s.g.Len()-before)
			}
			s.g.AndN([]Lit{a, b})
		}
		for _, c := range calls {
			if got := s.g.And(c.b, c.a); got != c.ab {
				t.Errorf("%v & %v = %v, then %v", c.a, c.b, c.ab, got)
			}
		}
	})
}

// TestNaryOperandSet checks that order and repetition do not matter.
func TestNaryOperandSet(t *testing.T) {
	eachSoup(t, 100, func(t *testing.T, s *soup, r *rand.Rand) {
		var ls []Lit
		for range r.IntN(12) {
			l, _ := s.pick(r.IntN(1000))
			ls = append(ls, l)
		}
		and, or, xor := s.g.AndN(ls), s.g.OrN(ls), s.g.XorN(ls)
		more := slices.Concat(ls, ls, ls)
		r.Shuffle(len(more), func(i, j int) { more[i], more[j] = more[j], more[i] })
		given := slices.Clone(more)
		if s.g.AndN(more) != and || s.g.OrN(more) != or || s.g.XorN(more) != xor {
			t.Errorf("%v: results depend on order or repetition", ls)
		}
		if !slices.Equal(given, more) {
			t.Errorf("the operands were changed")
		}
	})
	g := New()
	if g.AndN(nil) != True || g.OrN(nil) != False || g.XorN(nil) != False || g.Len() != 1 {
		t.Error("gates without operands are wrong")
	}
}

// TestNarySharing checks that "all but one of n" takes about n log n nodes, and
// that depth is logarithmic.
func TestNarySharing(t *testing.T) {
	g, n := New(), 256
	var ls []Lit
	for range n {
		ls = append(ls, g.Input())
	}
	before := g.Len()
	for i := range ls {
		g.AndN(slices.Concat(ls[:i], ls[i+1:]))
	}
	if added := g.Len() - before; added > 2*n*9 {
		t.Errorf("%d nodes for all conjunctions of %d of %d operands", added, n-1, n)
	}
	depth := make([]int, g.Len())
	for i := range depth {
		if g.IsAnd(i) {
			a, b := g.Fanins(i)
			depth[i] = 1 + max(depth[a.Node()], depth[b.Node()])
		}
	}
	if d := slices.Max(depth); d > 10 {
		t.Errorf("depth %d for %d operands", d, n)
	}
}

func TestMatch(t *testing.T) {
	eachSoup(t, 200, func(t *testing.T, s *soup, r *rand.Rand) {
		ts := tables(s.g, leafTables[:])
		for i := range ts {
			if a, b, ok := s.g.MatchXor(i); ok && (ts[i] != value(ts, a)^value(ts, b) || a.Neg() || a.Node() >= b.Node()) {
				t.Errorf("node %d is not %v ^ %v", i, a, b)
			}
			if c, x, y, ok := s.g.MatchMux(i); ok {
				if w := value(ts, c); ts[i] != w&value(ts, x)|^w&value(ts, y) || c.Neg() {
					t.Errorf("node %d is not %v ? %v : %v", i, c, x, y)
				}
			}
		}
	})
}

// TestMatchBuilt checks that what Xor and Mux build is recognised even if their
// operands share operands.
func TestMatchBuilt(t *testing.T) {
	g := New()
	a, b, c, d := g.Input(), g.Input(), g.Input(), g.Input()
	for _, p := range [][2]Lit{{a, b}, {a ^ 1, b}, {g.And(a, b), g.And(a, c)}, {g.Or(a, b), g.And(c, d)}, {g.Xor(a, b), c}} {
		l := g.Xor(p[0], p[1])
		x, y, ok := g.MatchXor(l.Node())
		got := []Lit{x &^ 1, y &^ 1}
		slices.Sort(got)
		want := []Lit{p[0] &^ 1, p[1] &^ 1}
		slices.Sort(want)
		if !ok || !slices.Equal(got, want) {
			t.Errorf("%v ^ %v is recognised as %v %v %v", p[0], p[1], x, y, ok)
		}
	}
	for _, p := range [][3]Lit{{a, b, c}, {a ^ 1, b ^ 1, c}, {a, g.And(b, c), g.And(b, d)}, {g.And(a, b), c, d}} {
		l := g.Mux(p[0], p[1], p[2])
		s, x, y, ok := g.MatchMux(l.Node())
		if l.Neg() {
			x, y = x^1, y^1
		}
		if p[0].Neg() {
			x, y = y, x
		}
		if !ok || s != p[0]&^1 || x != p[1] || y != p[2] {
			t.Errorf("%v ? %v : %v is recognised as %v ? %v : %v, %v", p[0], p[1], p[2], s, x, y, ok)
		}
	}
	if _, _, ok := g.MatchXor(g.And(g.And(a, b)^1, g.And(a^1, c^1)^1).Node()); ok {
		t.Error("a multiplexer is recognised as an exclusive or")
	}
	if _, _, _, ok := g.MatchMux(g.And(g.And(a, b)^1, g.And(c, d)^1).Node()); ok {
		t.Error("two clauses without a select are recognised as a multiplexer")
	}
}

// TestMuxSimplifies checks the cases that need no multiplexer.
func TestMuxSimplifies(t *testing.T) {
	g := New()
	s, a, b := g.Input(), g.Input(), g.Input()
	for _, test := range []struct {
		name      string
		got, want Lit
	}{
		{"s?a:a", g.Mux(s, a, a), a},
		{"s?a:!a", g.Mux(s, a, a^1), g.Equal(s, a)},
		{"s?s:a", g.Mux(s, s, a), g.Or(s, a)},
		{"s?1:a", g.Mux(s, True, a), g.Or(s, a)},
		{"s?0:a", g.Mux(s, False, a), g.And(s^1, a)},
		{"s?a:0", g.Mux(s, a, False), g.And(s, a)},
		{"s?a:s", g.Mux(s, a, s), g.And(s, a)},
		{"s?a:1", g.Mux(s, a, True), g.Implies(s, a)},
		{"!s?a:b", g.Mux(s^1, a, b), g.Mux(s, b, a)},
		{"s?!a:!b", g.Mux(s, a^1, b^1), g.Mux(s, a, b) ^ 1},
		{"s?(s?a:b):b", g.Mux(s, g.Mux(s, a, b), b), g.Mux(s, a, b)},
		{"s?(s&a):b", g.Mux(s, g.And(s, a), b), g.Mux(s, a, b)},
		{"s?!(s&a):b", g.Mux(s, g.And(s, a)^1, b), g.Mux(s, a^1, b)},
		{"s?(!s&a):b", g.Mux(s, g.And(s^1, a), b), g.And(s^1, b)},
		{"a^(a&b)", g.Xor(a, g.And(a, b)), g.And(a, b^1)},
		{"(s&a)^(!s&b)", g.Xor(g.And(s, a), g.And(s^1, b)), g.Or(g.And(s, a), g.And(s^1, b))},
	} {
		if test.got != test.want {
			t.Errorf("%s = %v, want %v", test.name, test.got, test.want)
		}
	}
}

// TestMemory holds the graph to 24 bytes a node at every size.
func TestMemory(t *testing.T) {
	g, x := New(), xorshift(1)
	for range 100 {
		g.Input()
	}
	for g.Len() < 1<<18 {
		g.And(Lit(2+x.next()%uint64(2*g.Len()-2)), Lit(2+x.next()%uint64(2*g.Len()-2)))
		if b := g.bytes(); g.Len() > 1000 && b > 24*g.Len() {
			t.Fatalf("%d bytes for %d nodes", b, g.Len())
		}
	}
}

func TestCheckFindsDamage(t *testing.T) {
	build := func() *Graph {
		g := New()
		a, b, c := g.Input(), g.Input(), g.Input()
		g.And(g.And(a, b), c^1)
		return g
	}
	if err := build().Check(); err != nil {
		t.Fatal(err)
	}
	for want, damage := range map[string]func(g *Graph){
		"constant":    func(g *Graph) { g.nodes[0] = node{2, 4} },
		"not input":   func(g *Graph) { g.nodes[2].b = 7 },
		"topological": func(g *Graph) { g.nodes[4].b = 10 },
		"not sorted":  func(g *Graph) { n := &g.nodes[4]; n.a, n.b = n.b, n.a },
		"trivial":     func(g *Graph) { g.nodes[4].a = True },
		"hash table":  func(g *Graph) { g.nodes[4].b ^= 1 },
		"but 4 in":    func(g *Graph) { g.inputs = append(g.inputs, 3) },
		"entries": func(g *Graph) {
			h := slices.Index(g.table, 0)
			g.table[h] = 5
		},
	} {
		g := build()
		damage(g)
		err := g.Check()
		if err == nil || !strings.Contains(err.Error(), want) && want != "but 4 in" {
			t.Errorf("damage %q: Check says %v", want, err)
		}
	}
}

// mustPanic checks that f panics with a message that contains want.
func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if msg := fmt.Sprint(recover()); !strings.Contains(msg, want) {
			t.Errorf("panic %q, want %q", msg, want)
		}
	}()
	f()
}

func TestPanics(t *testing.T) {
	g := New()
	a := g.Input()
	n := g.And(a, g.Input())
	mustPanic(t, "node 1 is not an AND", func() { g.Fanins(1) })
	mustPanic(t, "literal n9 in a graph of 4 nodes", func() { g.Cone([]Lit{18}) })
	mustPanic(t, "leaf 1 has no image", func() { NewCopier(New(), g).Copy(a) })
	mustPanic(t, "has no image", func() { NewNaryCopier(New(), g, []Lit{n}).Copy(n) })
	mustPanic(t, "literal n5 in a graph of 1 nodes", func() { NewCopier(New(), g).Set(1, 10) })
	mustPanic(t, "node 1 already has the image 1", func() {
		c := NewCopier(New(), g)
		c.Set(1, True)
		c.Set(1, True)
		c.Set(1, False)
	})
	mustPanic(t, "node 3 is not a leaf", func() { NewSim(g).Set(3, 0) })
	mustPanic(t, "n1 changed after the last Run", func() { NewSim(g).Word(a) })
}

// A clone has the nodes of the graph, finds them, and goes its own way.
func TestClone(t *testing.T) {
	g := New()
	a, b, c := g.Input(), g.Input(), g.Input()
	ab := g.And(a, b)
	n := g.Len()
	k := g.Clone()
	if k.Len() != n || k.NumInputs() != 3 || k.And(b, a) != ab || k.Len() != n {
		t.Errorf("%d nodes, want %d", k.Len(), n)
	}
	abc := k.And(ab, c)
	if g.Len() != n || g.And(a, c) != abc || g.And(ab, c) == abc {
		t.Error("clone and graph share nodes")
	}
}
