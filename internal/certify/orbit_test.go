package certify

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// cells returns a group on components of latches, some of which are negated on the way
// from one component to the next, and latches that belong to none: row by row, then
// pairs of components, then others.
func cells(rng *rand.Rand, n, columns, pairs, others int) (*ts.Symmetry, int) {
	size := n*columns + pairs*n*n + others
	sign := make([]ts.Lit, n*columns)
	for i := range sign {
		sign[i] = ts.Lit(rng.IntN(4) / 3)
	}
	block := ts.Block{Name: "cell", Class: -1, Elems: []int{0}}
	for r := range n - 1 {
		p := &ts.Perm{Name: fmt.Sprint(r, " <-> ", r+1)}
		for i := range size {
			p.Latch = append(p.Latch, ts.Lit(i)<<1)
		}
		for k := range columns {
			a, b := r*columns+k, (r+1)*columns+k
			p.Latch[a], p.Latch[b] = ts.Lit(b)<<1|sign[a]^sign[b], ts.Lit(a)<<1|sign[a]^sign[b]
		}
		to := func(i int) int {
			switch i {
			case r:
				return r + 1
			case r + 1:
				return r
			}
			return i
		}
		for m := range pairs {
			for i := range n * n {
				from := n*columns + m*n*n
				p.Latch[from+i] = ts.Lit(from+to(i/n)*n+to(i%n)) << 1
			}
		}
		block.Swaps = append(block.Swaps, p)
		block.Elems = append(block.Elems, r+1)
	}
	return &ts.Symmetry{Blocks: []ts.Block{block}}, size
}

// imagesOf returns all images of a clause.
func imagesOf(y *ts.Symmetry, clause []ts.Lit) (all []ts.Clause) {
	seen := make(map[string]bool)
	add := func(c []ts.Lit) {
		slices.Sort(c)
		if k := clauseKey(c); !seen[k] {
			seen[k] = true
			all = append(all, c)
		}
	}
	add(slices.Clone(clause))
	for i := 0; i < len(all); i++ {
		for _, g := range y.Generators() {
			var image []ts.Lit
			for _, l := range all[i] {
				image = append(image, g.Latch[l>>1]^l&1)
			}
			add(image)
		}
	}
	return all
}

// TestOrbit: an orbit that is not written has the size of the one that is, is broken by
// the states that break one of its clauses, says which, and tells which components may
// be exchanged.
func TestOrbit(t *testing.T) {
	known, unknown, broken, kept, ordered := 0, 0, 0, 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 71))
		n, columns, pairs := 3+rng.IntN(3), 1+rng.IntN(3), rng.IntN(2)
		y, size := cells(rng, n, columns, pairs, 2)
		if rng.IntN(3) == 0 { // another factor, which moves some of them as well
			a, b := rng.IntN(n*columns), size-1
			p := &ts.Perm{Name: "other", Latch: make([]ts.Lit, size)}
			for i := range p.Latch {
				p.Latch[i] = ts.Lit(i) << 1
			}
			if p.Latch[b] ^= 1; rng.IntN(2) == 0 {
				p.Latch[a] ^= 1
			}
			y.Groups = []ts.Group{{Kind: "other", Gens: []*ts.Perm{p}}}
		}
		c := newComponents(y, size)
		clause := make([]ts.Lit, 0)
		for _, i := range rng.Perm(n*columns + rng.IntN(3)*(size-n*columns)/2)[:1+rng.IntN(min(4, n*columns))] {
			clause = append(clause, ts.Lit(i)<<1|ts.Lit(rng.IntN(2)))
		}
		o := c.orbit(clause)
		if o == nil {
			unknown++
			continue
		}
		known++
		all := imagesOf(y, clause)
		if o.size.Cmp(big.NewInt(int64(len(all)))) != 0 {
			t.Fatalf("seed %d: %v has %d images, not %v", seed, clause, len(all), o.size)
		}
		has := make(map[string]bool)
		for _, image := range all {
			has[clauseKey(image)] = true
			if x := c.orbit(image); x == nil || x.key() != o.key() {
				t.Fatalf("seed %d: %v is not in the orbit of %v", seed, image, clause)
			}
		}
		for range 20 { // another clause
			other := slices.Clone(clause)
			other[rng.IntN(len(other))] = ts.Lit(rng.IntN(2 * size))
			slices.Sort(other)
			other = slices.Compact(other)
			if x := c.orbit(other); x != nil && (x.key() == o.key()) != has[clauseKey(other)] {
				t.Fatalf("seed %d: whether %v is in the orbit of %v", seed, other, clause)
			}
		}
		var order [][]int
		for _, table := range c.tables {
			order = append(order, rng.Perm(len(table.lits)))
		}
		for range 30 {
			state := make([]bool, size)
			for i := range state {
				state[i] = rng.IntN(2) == 0
			}
			breaks := func(c ts.Clause) bool {
				return !slices.ContainsFunc(c, func(l ts.Lit) bool { return state[l>>1] != (l&1 == 1) })
			}
			found := o.broken(state, order)
			if (found != nil) != slices.ContainsFunc(all, breaks) {
				t.Fatalf("seed %d: %v breaks an image of %v: %v", seed, state, clause, found)
			}
			for _, image := range found {
				if !has[clauseKey(image)] || !breaks(image) {
					t.Fatalf("seed %d: %v is no image of %v that %v breaks", seed, image, clause, state)
				}
				broken++
			}
			if found == nil {
				kept++
			}
		}
		for table, classes := range c.alike(clause) {
			ordered++
			class := make(map[int]int)
			for k, rows := range classes {
				for _, r := range rows {
					class[r] = k
				}
			}
			if len(class) != n {
				t.Fatalf("seed %d: %d of %d components are in a class", seed, len(class), n)
			}
			for r, swap := range y.Blocks[table].Swaps {
				var image []ts.Lit
				for _, l := range clause {
					image = append(image, swap.Latch[l>>1]^l&1)
				}
				slices.Sort(image)
				sorted := slices.Clone(clause)
				slices.Sort(sorted)
				if (class[r] == class[r+1]) != slices.Equal(image, sorted) {
					t.Fatalf("seed %d: whether components %d and %d of %v are alike", seed, r, r+1, clause)
				}
			}
		}
	}
	t.Logf("%d orbits, %d not known; broken %d times, kept %d times; %d ordered", known, unknown, broken, kept, ordered)
	if known < 100 || unknown < 30 || broken < 500 || kept < 500 || ordered < 100 {
		t.Error("too few of a kind")
	}
}

// onDemand are steps that write no orbit that has components.
func onDemand() *variant {
	s := sound()
	s.SetImages(0, 1<<20)
	return s
}

// holder is a system of components of which at most one holds what lets it be bad later:
// a run of two steps makes a component bad. It has a clause for each component.
func holder(n int, s *variant) (*Checker, *evidence.Proof) {
	g := aig.New()
	sys := &ts.System{G: g}
	var holds, bad, hold, in []aig.Lit
	for i := range n {
		h, b, z, x := g.Input(), g.Input(), g.Input(), g.Input()
		holds, bad, hold, in = append(holds, h), append(bad, b), append(hold, z), append(in, x)
		sys.Latches = append(sys.Latches, ts.Latch{Name: fmt.Sprint("holds", i), Node: h.Node()}, ts.Latch{Name: fmt.Sprint("bad", i), Node: b.Node()})
		sys.Init = append(sys.Init, ts.Signal{Name: fmt.Sprint("hold", i), Node: z.Node()})
		sys.Inputs = append(sys.Inputs, ts.Signal{Name: fmt.Sprint("in", i), Node: x.Node()})
	}
	atMostOne := func(ls []aig.Lit) aig.Lit {
		var all []aig.Lit
		for i, a := range ls {
			for _, b := range ls[:i] {
				all = append(all, g.And(a, b).Not())
			}
		}
		return g.AndN(all)
	}
	y := ts.Block{Name: "cell", Class: -1, Elems: []int{0}}
	for i := range n {
		sys.Latches[2*i].Reset, sys.Latches[2*i].Next = g.And(hold[i], atMostOne(hold)), holds[i]
		sys.Latches[2*i+1].Reset, sys.Latches[2*i+1].Next = aig.False, g.Or(bad[i], g.And(holds[i], in[i]))
	}
	sys.W = atMostOne(holds)
	sys.Bads = []ts.Bad{{Name: "bad", Lit: g.OrN(bad)}}
	for i := range n - 1 {
		p := ts.Identity(sys)
		p.Name = fmt.Sprint(i, " <-> ", i+1)
		for k := range 2 {
			a, b := 2*i+k, 2*i+2+k
			p.Latch[a], p.Latch[b] = ts.Lit(b)<<1, ts.Lit(a)<<1
		}
		p.Input[i], p.Input[i+1] = ts.Lit(i+1)<<1, ts.Lit(i)<<1
		p.Init[i], p.Init[i+1] = p.Input[i], p.Input[i+1]
		y.Swaps = append(y.Swaps, p)
		y.Elems = append(y.Elems, i+1)
	}
	p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, Props: []int{0}, WellFormed: true}
	return newChecker(context.Background(), p, s), &evidence.Proof{K: 1, Group: &ts.Symmetry{Blocks: []ts.Block{y}}, Clauses: []ts.Clause{{1<<1 | 1}}}
}

// TestWrongStabiliser: to take components for alike that the question tells apart hides
// the paths that there are.
func TestWrongStabiliser(t *testing.T) {
	c, f := holder(4, onDemand())
	if _, err := c.Check(f, 0); err == nil || !strings.Contains(err.Error(), "not kept by a step") {
		t.Fatalf("a proof of what is violated: %v", err)
	}
	v, err := c.invariant(f)
	if err != nil || v.components == nil {
		t.Fatal(err)
	}
	target := v.clauses[0]
	for _, wrong := range []bool{false, true} {
		alike := v.components.alike(target.clause)
		if wrong {
			alike = [][][]int{{{0, 1, 2, 3}}}
		}
		// A clause of the invariant that the path breaks is needed for the components to
		// be ordered: bad of component 3 may be 1 at first.
		ok, err := c.session(true, 1, newFacts(append(c.during(1, 1, nil), v.all...))).refute(func(p *path) {
			p.violate(&target, 1)
			p.least(v.components, alike)
		})
		if err != nil || ok != wrong {
			t.Errorf("wrong stabiliser %v: refuted %v, %v", wrong, ok, err)
		}
	}
}

// TestWrongMatching: what is assumed though it is no image of a clause is noticed, and
// with an image that is not found a proof is refused.
func TestWrongMatching(t *testing.T) {
	const n = 4
	// right returns a system in which nobody becomes bad, and its proof.
	right := func() (*Checker, *evidence.Proof, *invariant) {
		c, f := holder(n, onDemand())
		for i := range n {
			c.sys.Latches[2*i].Reset, c.sys.Latches[2*i].Next = aig.False, aig.False
			c.sys.Latches[2*i+1].Next = c.sys.G.Or(c.sys.LatchLit(2*i+1), c.sys.LatchLit(2*i))
		}
		f.Clauses = append(f.Clauses, []ts.Lit{0<<1 | 1})
		v, err := c.invariant(f)
		if err != nil {
			t.Fatal(err)
		}
		return c, f, v
	}
	c, f, _ := right()
	if how, err := c.Check(f, 0); err != nil || !strings.Contains(how, "2 clauses, one of each orbit of 8 that are written as needed") {
		t.Fatalf("%s, %v", how, err)
	}
	c, f, v := right()
	table := &v.components.tables[0]
	table.lits = table.lits[1:] // component 0 is never found
	if _, err := c.Check(f, 0); err == nil {
		t.Error("accepted without some images")
	}
	c, f, v = right()
	for _, row := range v.components.tables[0].lits {
		row[0], row[1] = row[1], row[0] // what is found is about another latch
	}
	if _, err := c.Check(f, 0); err == nil || !strings.Contains(err.Error(), "is no image") {
		t.Errorf("what is no image is assumed: %v", err)
	}
}

// TestSameNames: that the clauses of one proof were shown to be inductive says nothing of
// those of another one, though their orbits have the same names and their groups the same
// generators: which of these are the exchanges of a block decides what a name is about.
func TestSameNames(t *testing.T) {
	const n = 4
	g := aig.New()
	sys := &ts.System{G: g, W: aig.True}
	for _, name := range []string{"still", "loose"} {
		for i := range n {
			sys.Latches = append(sys.Latches, ts.Latch{Name: fmt.Sprint(name, i), Node: g.Input().Node()})
		}
	}
	for i := range n {
		in := g.Input()
		sys.Inputs = append(sys.Inputs, ts.Signal{Name: fmt.Sprint("in", i), Node: in.Node()})
		sys.Latches[i].Next, sys.Latches[n+i].Next = sys.LatchLit(i), in
	}
	var swaps [2][]*ts.Perm
	for k := range swaps {
		var bad []aig.Lit
		for i := range n {
			bad = append(bad, sys.LatchLit(k*n+i))
			if i == n-1 {
				continue
			}
			p := ts.Identity(sys)
			p.Name = fmt.Sprint(k, i)
			a := k*n + i
			p.Latch[a], p.Latch[a+1] = p.Latch[a+1], p.Latch[a]
			if k == 1 {
				p.Input[i], p.Input[i+1] = p.Input[i+1], p.Input[i]
			}
			swaps[k] = append(swaps[k], p)
		}
		sys.Bads = append(sys.Bads, ts.Bad{Name: fmt.Sprint("bad", k), Lit: g.OrN(bad), Prop: k})
	}
	// group has the permutations in the same order, and the components of one block.
	group := func(of int) *ts.Symmetry {
		y := &ts.Symmetry{}
		for k, ps := range swaps {
			if k == of {
				y.Blocks = append(y.Blocks, ts.Block{Swaps: ps})
				continue
			}
			for _, p := range ps { // no component of three
				y.Blocks = append(y.Blocks, ts.Block{Swaps: []*ts.Perm{p}})
			}
		}
		return y
	}
	c := newChecker(context.Background(), &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, Props: []int{0, 1}, WellFormed: true}, onDemand())
	for k, right := range []bool{true, false} {
		f := &evidence.Proof{Props: []int{k}, K: 1, Group: group(k), Clauses: []ts.Clause{{ts.Lit(k*n)<<1 | 1}}}
		if v, err := c.invariant(f); err != nil || v.components == nil {
			t.Fatal(err)
		}
		if how, err := c.Check(f, k); (err == nil) != right {
			t.Errorf("proof %d: %s, %v", k, how, err)
		}
	}
}

// TestCancelled: a check of many questions that take no solver ends with its context.
func TestCancelled(t *testing.T) {
	c, _ := holder(3, sound())
	var cancel context.CancelFunc
	c.ctx, cancel = context.WithCancel(context.Background())
	cancel()
	ok, err := c.session(false, 1, newFacts(nil)).refute(func(p *path) { p.add(verum.Not()) })
	if ok || err != context.Canceled {
		t.Errorf("refuted %v, %v", ok, err)
	}
}

// TestMatch compares matchings with trying all.
func TestMatch(t *testing.T) {
	some, none := 0, 0
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 72))
		m, n := 1+rng.IntN(4), 1+rng.IntN(5)
		fit := make([][]bool, m)
		for k := range fit {
			fit[k] = make([]bool, n)
			for r := range fit[k] {
				fit[k][r] = rng.IntN(3) == 0
			}
		}
		var exists func(k int, used int) bool
		exists = func(k, used int) bool {
			if k == m {
				return true
			}
			for r := range n {
				if fit[k][r] && used>>r&1 == 0 && exists(k+1, used|1<<r) {
					return true
				}
			}
			return false
		}
		to := match(m, n, func(k, r int) bool { return fit[k][r] })
		if (to != nil) != exists(0, 0) {
			t.Fatalf("seed %d: %v of %v", seed, to, fit)
		}
		if to == nil {
			none++
			continue
		}
		some++
		for k, r := range to {
			if !fit[k][r] || slices.Contains(to[:k], r) {
				t.Fatalf("seed %d: %v of %v", seed, to, fit)
			}
		}
	}
	if some < 50 || none < 50 {
		t.Errorf("one-sided: %d, %d", some, none)
	}
}
