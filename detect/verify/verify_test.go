package verify

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/ts"
)

func newProver(g *aig.Graph) Prover { return cnf.NewFocusedProver(g, cdcl.New()) }

// tables are the functions of a system of at most 16 leaves, by enumeration. A
// state x and inputs y are one number, x in the low bits; so are initial inputs.
type tables struct {
	sys         *ts.System
	reset, next [][]bool // by latch; by initial inputs; by x and y
	c, w        []bool   // by x and y
	bad         [][]bool
}

func tabulate(sys *ts.System) *tables {
	t := &tables{sys: sys, bad: make([][]bool, len(sys.Bads))}
	t.reset = make([][]bool, len(sys.Latches))
	t.next = make([][]bool, len(sys.Latches))
	e := ts.NewEvaluator(sys)
	nx, ny := len(sys.Latches), len(sys.Inputs)
	for z := range 1 << len(sys.Init) {
		for i, v := range e.Reset(bitsOf(z, len(sys.Init))) {
			t.reset[i] = append(t.reset[i], v)
		}
	}
	for xy := range 1 << (nx + ny) {
		e.Set(bitsOf(xy, nx), bitsOf(xy>>nx, ny))
		for i, v := range e.Next() {
			t.next[i] = append(t.next[i], v)
		}
		t.c = append(t.c, e.Constraints())
		t.w = append(t.w, e.Value(sys.W))
		for i, b := range sys.Bads {
			t.bad[i] = append(t.bad[i], e.Value(b.Lit))
		}
	}
	return t
}

func bitsOf(x, n int) []bool {
	b := make([]bool, n)
	for i := range b {
		b[i] = x>>i&1 == 1
	}
	return b
}

func number(bits []bool) int {
	x := 0
	for i, b := range bits {
		if b {
			x |= 1 << i
		}
	}
	return x
}

// image returns π·x, π·y.
func (t *tables) image(p *ts.Perm, xy int) int {
	nx, ny := len(t.sys.Latches), len(t.sys.Inputs)
	return number(ts.Apply(p.Latch, bitsOf(xy, nx))) | number(ts.Apply(p.Input, bitsOf(xy>>nx, ny)))<<nx
}

// broken returns, by enumeration, the sorts of functions that p does not keep,
// bads as a set of their own.
func (t *tables) broken(p *ts.Perm) (parts map[Part]bool, bads map[int]bool) {
	parts, bads = make(map[Part]bool), make(map[int]bool)
	for z := range 1 << len(t.sys.Init) {
		to := number(ts.Apply(p.Init, bitsOf(z, len(t.sys.Init))))
		for i, l := range p.Latch {
			if t.reset[l>>1][to] != (t.reset[i][z] != (l&1 == 1)) {
				parts[Reset] = true
			}
		}
	}
	for xy := range t.c {
		to := t.image(p, xy)
		if t.w[to] != t.w[xy] {
			parts[WellFormed] = true
		}
		if !t.w[xy] {
			continue
		}
		for i, l := range p.Latch {
			if t.next[l>>1][to] != (t.next[i][xy] != (l&1 == 1)) {
				parts[Next] = true
			}
		}
		if t.c[to] != t.c[xy] {
			parts[Constraint] = true
		}
		for b := range t.bad {
			if t.bad[b][to] != t.bad[b][xy] {
				parts[Bad], bads[b] = true, true
			}
		}
	}
	return parts, bads
}

// maker makes random systems.
type maker struct {
	rng *rand.Rand
	sys *ts.System
}

func newMaker(rng *rand.Rand) *maker {
	m := &maker{rng: rng, sys: &ts.System{G: aig.New(), W: aig.True}}
	if rng.IntN(2) == 0 {
		m.sys.G = aig.NewPlain()
	}
	for range 2 + rng.IntN(3) {
		m.sys.Latches = append(m.sys.Latches, ts.Latch{Node: m.sys.G.Input().Node()})
	}
	for range rng.IntN(4) {
		m.sys.Inputs = append(m.sys.Inputs, ts.Signal{Node: m.sys.G.Input().Node()})
	}
	for range rng.IntN(3) {
		m.sys.Init = append(m.sys.Init, ts.Signal{Node: m.sys.G.Input().Node()})
	}
	return m
}

// perm returns a random signed permutation.
func (m *maker) perm() *ts.Perm {
	signed := m.rng.IntN(2) == 0
	part := func(n int) []ts.Lit {
		image := make([]ts.Lit, n)
		for i, j := range m.rng.Perm(n) {
			image[i] = ts.Lit(j) << 1
			if signed && m.rng.IntN(3) == 0 {
				image[i]++
			}
		}
		return image
	}
	return &ts.Perm{Name: "random", Latch: part(len(m.sys.Latches)), Input: part(len(m.sys.Inputs)), Init: part(len(m.sys.Init))}
}

func (m *maker) states() []aig.Lit {
	var ls []aig.Lit
	for i := range m.sys.Latches {
		ls = append(ls, m.sys.LatchLit(i))
	}
	return ls
}

func (m *maker) stateAndInputs() []aig.Lit {
	ls := m.states()
	for i := range m.sys.Inputs {
		ls = append(ls, m.sys.InputLit(i))
	}
	return ls
}

func (m *maker) inits() []aig.Lit {
	var ls []aig.Lit
	for i := range m.sys.Init {
		ls = append(ls, m.sys.InitLit(i))
	}
	return ls
}

// circuit returns a random function of ls.
func (m *maker) circuit(ls []aig.Lit) aig.Lit {
	g := m.sys.G
	pool := append([]aig.Lit{aig.True}, ls...)
	for range 1 + m.rng.IntN(6) {
		pick := func() aig.Lit { return pool[m.rng.IntN(len(pool))].NotIf(m.rng.IntN(2) == 0) }
		switch m.rng.IntN(3) {
		case 0:
			pool = append(pool, g.And(pick(), pick()))
		case 1:
			pool = append(pool, g.AndN([]aig.Lit{pick(), pick(), pick()}))
		default:
			pool = append(pool, g.Xor(pick(), pick()))
		}
	}
	return pool[len(pool)-1]
}

// mux returns the function of ls with the given table as a decision tree over a
// random order of variables.
func (m *maker) mux(ls []aig.Lit, table []bool) aig.Lit {
	var tree func(vars []int, at int) aig.Lit
	tree = func(vars []int, at int) aig.Lit {
		if len(vars) == 0 {
			return aig.False.NotIf(table[at])
		}
		v := vars[0]
		return m.sys.G.Mux(ls[v], tree(vars[1:], at|1<<v), tree(vars[1:], at))
	}
	return tree(m.rng.Perm(len(ls)), 0)
}

// closure returns f, f∘π, f∘π∘π, … over leaves given with their images; f is of
// finite order because π is.
func (m *maker) closure(f aig.Lit, ls, images []aig.Lit) []aig.Lit {
	subst := make(map[int]aig.Lit)
	for i, l := range ls {
		subst[l.Node()] = images[i]
	}
	fs := []aig.Lit{f}
	for range 24 { // a multiple of the order of any signed permutation of 4, 3 and 2 leaves
		f = m.sys.G.Compose([]aig.Lit{f}, subst)[0]
		fs = append(fs, f)
	}
	return fs
}

// byCircuit fills the system with predicates that p keeps by construction, and
// with functions f, f∘π, … along every cycle of latches.
func (m *maker) byCircuit(p *ts.Perm) {
	g := m.sys.G
	xy, z := m.stateAndInputs(), m.inits()
	pxy := append(ts.ApplyLits(p.Latch, m.states()), ts.ApplyLits(p.Input, xy[len(m.sys.Latches):])...)
	pz := ts.ApplyLits(p.Init, z)
	predicate := func(ls, images []aig.Lit) aig.Lit {
		fs := m.closure(m.circuit(ls), ls, images)
		if m.rng.IntN(2) == 0 {
			return g.OrN(fs)
		}
		return g.AndN(fs)
	}
	for i, to := range p.Latch {
		l := &m.sys.Latches[i]
		l.Reset, l.Next = predicate(z, pz), predicate(xy, pxy)
		if to == ts.Lit(i)<<1 {
			continue
		}
		// A latch of its own orbit: an invariant predicate, or a function of the
		// latch that is moved along with it.
		switch m.rng.IntN(3) {
		case 0:
			l.Next = g.Xor(l.Next, m.sys.LatchLit(i))
		case 1:
			l.Next = m.sys.LatchLit(i)
		}
	}
	m.sys.W = predicate(m.states(), pxy[:len(m.sys.Latches)])
	m.sys.Constraints = []aig.Lit{predicate(xy, pxy), predicate(xy, pxy)}
	m.sys.Bads = []ts.Bad{{Lit: predicate(xy, pxy)}, {Lit: predicate(xy, pxy), Prop: 1}}
}

// byTable fills the system with functions that p keeps as far as it can, where W
// holds, and arbitrary ones elsewhere.
func (m *maker) byTable(p *ts.Perm) {
	nx, ny, nz := len(m.sys.Latches), len(m.sys.Inputs), len(m.sys.Init)
	t := &tables{sys: m.sys}
	imageZ := func(z int) int { return number(ts.Apply(p.Init, bitsOf(z, nz))) }
	predicate := func(n int, image func(int) int) []bool {
		table := make([]bool, n)
		done := make([]bool, n)
		for k := range table {
			v := m.rng.IntN(3) == 0
			for j := k; !done[j]; j = image(j) {
				table[j], done[j] = v, true
			}
		}
		return table
	}
	imageXY := func(xy int) int { return t.image(p, xy) }
	imageX := func(x int) int { return t.image(p, x) & (1<<nx - 1) }
	w := predicate(1<<nx, imageX)
	for x := 0; !w[x]; x = imageX(x) {
		w[x] = true
	}
	// Values of all latches at all points, along the orbits of pairs.
	function := func(n int, image func(int) int, in func(int) bool) [][]bool {
		tab := make([][]bool, nx)
		done := make([][]bool, nx)
		for i := range tab {
			tab[i], done[i] = make([]bool, n), make([]bool, n)
		}
		for i := range tab {
			for k := range n {
				v := m.rng.IntN(2) == 0
				for l, j := ts.Lit(i)<<1, k; !done[l>>1][j]; {
					tab[l>>1][j], done[l>>1][j] = v, true
					if !in(j) {
						v = m.rng.IntN(2) == 0
					}
					to := p.Latch[l>>1]
					v = v != (to&1 == 1)
					l, j = to, image(j)
				}
			}
		}
		return tab
	}
	everywhere := func(int) bool { return true }
	resets := function(1<<nz, imageZ, everywhere)
	nexts := function(1<<(nx+ny), imageXY, func(xy int) bool { return w[xy&(1<<nx-1)] })
	xy, z := m.stateAndInputs(), m.inits()
	for i := range m.sys.Latches {
		l := &m.sys.Latches[i]
		l.Reset, l.Next = m.mux(z, resets[i]), m.mux(xy, nexts[i])
	}
	free := func() aig.Lit {
		table := predicate(1<<(nx+ny), imageXY)
		for k := range table {
			if !w[k&(1<<nx-1)] {
				table[k] = m.rng.IntN(2) == 0
			}
		}
		return m.mux(xy, table)
	}
	m.sys.W = m.mux(m.states(), w)
	m.sys.Constraints = []aig.Lit{free()}
	m.sys.Bads = []ts.Bad{{Lit: free()}, {Lit: free(), Prop: 1}}
}

// spoil changes one function in one point or at random.
func (m *maker) spoil() {
	xy := m.stateAndInputs()
	change := func(f *aig.Lit, ls []aig.Lit) {
		for i, l := range ls {
			ls[i] = l.NotIf(m.rng.IntN(2) == 0)
		}
		if m.rng.IntN(2) == 0 {
			*f = m.circuit(ls)
		} else {
			*f = m.sys.G.Xor(*f, m.sys.G.AndN(ls))
		}
	}
	switch l := &m.sys.Latches[m.rng.IntN(len(m.sys.Latches))]; m.rng.IntN(5) {
	case 0:
		change(&l.Reset, m.inits())
	case 1:
		change(&l.Next, xy)
	case 2:
		change(&m.sys.Constraints[0], xy)
	case 3:
		change(&m.sys.W, m.states())
	case 4:
		change(&m.sys.Bads[m.rng.IntN(2)].Lit, xy)
	}
}

// TestVerifyRandomSystems compares the verdicts of the verifier with enumeration.
func TestVerifyRandomSystems(t *testing.T) {
	ctx := context.Background()
	var structural, proved, refuted int
	for seed := range uint64(nightly.Or(500, 15000)) {
		rng := rand.New(rand.NewPCG(seed, 7))
		m := newMaker(rng)
		p := m.perm()
		if rng.IntN(2) == 0 {
			m.byCircuit(p)
		} else {
			m.byTable(p)
		}
		if rng.IntN(3) == 0 {
			m.spoil()
		}
		if err := tstest.Check(m.sys); err != nil {
			t.Fatal(err)
		}
		if err := p.Check(m.sys); err != nil {
			t.Fatal(err)
		}
		tab := tabulate(m.sys)
		parts, bads := tab.broken(p)
		delete(parts, Bad)
		v := New(m.sys, nil)
		pr := v.Decider(Options{NewProver: newProver, Budget: time.Minute}, rng, func() Valuation {
			x := make(Valuation, len(m.sys.Latches)+len(m.sys.Inputs)+len(m.sys.Init))
			for i := range x { // for odd seeds the queries have to find all valuations but one
				x[i] = seed%2 == 0 && rng.IntN(2) == 0
			}
			return x
		})
		check := func(what string, ds []Difference, want bool) {
			if len(ds) == 0 {
				structural++
				if !want {
					t.Fatalf("seed %d: %s: equal by structure, but not by enumeration", seed, what)
				}
				return
			}
			st, at, x := pr.Decide(ctx, ds)
			if (st == sat.Unsat) != want || (st == sat.Sat) == want {
				t.Fatalf("seed %d: %s: %v, by enumeration %v", seed, what, st, want)
			}
			if st == sat.Unsat {
				proved++
				return
			}
			refuted++
			if !tab.differs(p, ds[at], x) {
				t.Fatalf("seed %d: %s: %s does not differ in the counterexample", seed, what, v.Name(ds[at]))
			}
		}
		system, all := v.Compare(p, nil)
		check("system", system, len(parts) == 0)
		for b := range m.sys.Bads {
			var ds []Difference
			for _, d := range all {
				if d.Index == b {
					ds = append(ds, d)
				}
			}
			check("bad", ds, !bads[b])
		}
	}
	t.Log(structural, "by structure,", proved, "proved,", refuted, "refuted")
	if structural < 200 || proved < 200 || refuted < 200 {
		t.Errorf("%d by structure, %d proved, %d refuted: too few of one sort", structural, proved, refuted)
	}
}

// differs evaluates a difference in x.
func (t *tables) differs(p *ts.Perm, d Difference, x Valuation) bool {
	nx, ny := len(t.sys.Latches), len(t.sys.Inputs)
	xy, z := number(x[:nx+ny]), number(x[nx+ny:])
	to, toZ := t.image(p, xy), number(ts.Apply(p.Init, x[nx+ny:]))
	neg := d.Part <= Next && p.Latch[d.Index]&1 == 1
	switch d.Part {
	case WellFormed:
		return t.w[to] != t.w[xy]
	case Reset:
		return t.reset[p.Latch[d.Index]>>1][toZ] != (t.reset[d.Index][z] != neg)
	case Next:
		return t.w[xy] && t.next[p.Latch[d.Index]>>1][to] != (t.next[d.Index][xy] != neg)
	case Constraint:
		return t.w[xy] && t.c[to] != t.c[xy]
	}
	return t.w[xy] && t.bad[d.Index][to] != t.bad[d.Index][xy]
}

// TestVerifyEveryPart spoils one function of a symmetric system at a time: the
// only difference then is that one, so a check without it would pass.
func TestVerifyEveryPart(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(sys *ts.System, x, y, z aig.Lit)
		part  Part
	}{
		{"nothing", func(*ts.System, aig.Lit, aig.Lit, aig.Lit) {}, 0},
		{"reset", func(s *ts.System, x, y, z aig.Lit) { s.Latches[0].Reset = z.Not() }, Reset},
		{"next", func(s *ts.System, x, y, z aig.Lit) { s.Latches[1].Next = s.G.And(s.Latches[1].Next, x) }, Next},
		{"constraint", func(s *ts.System, x, y, z aig.Lit) { s.Constraints = append(s.Constraints, s.G.Or(x, y)) }, Constraint},
		{"W", func(s *ts.System, x, y, z aig.Lit) { s.W = x }, WellFormed},
		{"bad", func(s *ts.System, x, y, z aig.Lit) { s.Bads[0].Lit = s.G.Or(s.Bads[0].Lit, x) }, Bad},
	} {
		g := aig.New()
		var x, y, z [2]aig.Lit
		sys := &ts.System{G: g, W: aig.True}
		for i := range 2 {
			x[i], y[i], z[i] = g.Input(), g.Input(), g.Input()
			sys.Inputs = append(sys.Inputs, ts.Signal{Node: y[i].Node()})
			sys.Init = append(sys.Init, ts.Signal{Node: z[i].Node()})
			sys.Latches = append(sys.Latches, ts.Latch{Node: x[i].Node(), Reset: z[i], Next: g.Xor(x[i], y[i])})
		}
		sys.Constraints = []aig.Lit{g.And(y[0], y[1]).Not()}
		sys.Bads = []ts.Bad{{Lit: g.And(x[0], x[1])}}
		c.spoil(sys, x[0], y[0], z[0])
		p := &ts.Perm{Latch: []ts.Lit{2, 0}, Input: []ts.Lit{2, 0}, Init: []ts.Lit{2, 0}}
		v := New(sys, nil)
		system, bads := v.Compare(p, nil)
		all := append(system, bads...)
		if c.name == "nothing" {
			if len(all) != 0 {
				t.Errorf("%s: %v", c.name, all)
			}
			continue
		}
		if len(all) == 0 {
			t.Errorf("%s: no difference found", c.name)
		}
		for _, d := range all {
			if d.Part != c.part {
				t.Errorf("%s: %s differs", c.name, v.Name(d))
			}
		}
		pr := v.Decider(Options{NewProver: newProver, Budget: time.Minute}, rand.New(rand.NewPCG(1, 1)),
			func() Valuation { return make(Valuation, 6) })
		if st, _, _ := pr.Decide(context.Background(), all); st != sat.Sat {
			t.Errorf("%s: %v", c.name, st)
		}
	}
}
