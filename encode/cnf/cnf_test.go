package cnf_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/sat"
)

// clauses is a Clauser that refuses ill-formed clauses and decides what it
// holds by plain backtracking.
type clauses struct {
	vars    int
	clauses [][]sat.Lit
	value   []int8 // by variable, 0 unassigned
}

func (cl *clauses) NewVar() sat.Lit {
	cl.vars++
	return sat.MkLit(cl.vars, false)
}

func (cl *clauses) Add(clause ...sat.Lit) {
	for i, l := range clause {
		if l.Var() < 1 || l.Var() > cl.vars {
			panic(fmt.Sprintf("clause %v: unknown variable", clause))
		}
		for _, m := range clause[:i] {
			if l.Var() == m.Var() {
				panic(fmt.Sprintf("clause %v: variable %d occurs twice", clause, l.Var()))
			}
		}
	}
	cl.clauses = append(cl.clauses, append([]sat.Lit(nil), clause...))
}

func (cl *clauses) Value(l sat.Lit) bool { return (cl.value[l.Var()] > 0) != l.Neg() }

// solve reports whether the clauses are satisfiable under the assumptions.
func (cl *clauses) solve(assumptions ...sat.Lit) bool {
	cl.value = make([]int8, cl.vars+1)
	var trail []int
	set := func(l sat.Lit) {
		cl.value[l.Var()] = 1
		if l.Neg() {
			cl.value[l.Var()] = -1
		}
		trail = append(trail, l.Var())
	}
	for _, l := range assumptions {
		if cl.value[l.Var()] != 0 && !cl.Value(l) {
			return false
		}
		set(l)
	}
	propagate := func() bool {
		for again := true; again; {
			again = false
			for _, c := range cl.clauses {
				var open sat.Lit
				n := 0
				for _, l := range c {
					if cl.value[l.Var()] == 0 {
						open = l
						n++
					} else if cl.Value(l) {
						n = -1
						break
					}
				}
				if n == 0 {
					return false
				}
				if n == 1 {
					set(open)
					again = true
				}
			}
		}
		return true
	}
	var search func() bool
	search = func() bool {
		if !propagate() {
			return false
		}
		for v := 1; v <= cl.vars; v++ {
			if cl.value[v] == 0 {
				mark := len(trail)
				for _, neg := range []bool{true, false} {
					set(sat.MkLit(v, neg))
					if search() {
						return true
					}
					for _, w := range trail[mark:] {
						cl.value[w] = 0
					}
					trail = trail[:mark]
				}
				return false
			}
		}
		return true
	}
	return search()
}

const tableInputs = 5 // leaves of the random graphs: a function is a 32-bit table

// tables simulates all valuations of the leaves in.
func tables(g *aig.Graph, in []aig.Lit) func(aig.Lit) uint32 {
	sim := aig.NewSim(g)
	for i, l := range in {
		var w uint64
		for v := range 1 << tableInputs {
			w |= uint64(v>>i&1) << v
		}
		sim.Set(l.Node(), w)
	}
	sim.Run()
	return func(l aig.Lit) uint32 { return uint32(sim.Word(l)) }
}

// randomFunction returns a function of literals of pool.
func randomFunction(r *rand.Rand, g *aig.Graph, pool []aig.Lit) aig.Lit {
	pick := func() aig.Lit { return pool[r.IntN(len(pool))].NotIf(r.IntN(2) == 0) }
	switch r.IntN(6) {
	case 0:
		return g.Xor(pick(), pick())
	case 1:
		return g.Mux(pick(), pick(), pick())
	case 2:
		return g.AndN([]aig.Lit{pick(), pick(), pick(), pick()})
	case 3:
		return g.OrN([]aig.Lit{pick(), g.And(pick(), pick()), pick()})
	case 4:
		return g.And(g.Or(pick(), pick()), g.Or(pick(), pick()))
	}
	return g.And(pick(), pick())
}

// Random functions are encoded and asserted while the graph grows. After every
// step, for every valuation of the leaves, the clauses agree with the tables.
func TestCNFAgainstTruthTables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for round := range 3000 {
		g := aig.New()
		s := &clauses{}
		c := cnf.New(g, s)
		var in []aig.Lit
		for range tableInputs {
			in = append(in, g.Input())
		}
		pool := append([]aig.Lit{aig.False}, in...)
		exact := make(map[aig.Lit]sat.Lit)
		half := make(map[aig.Lit]sat.Lit)
		var halves []sat.Lit // the values of half, in the order they came
		asserted := ^uint32(0)
		for range 1 + r.IntN(6) {
			for range 1 + r.IntN(8) {
				pool = append(pool, randomFunction(r, g, pool))
			}
			l := pool[len(pool)-1-r.IntN(min(4, len(pool)))].NotIf(r.IntN(2) == 0)
			table := tables(g, in)
			switch r.IntN(5) {
			case 0, 1:
				exact[l] = c.Lit(l)
				if c.Lit(l) != exact[l] || c.Lit(l.Not()) != exact[l].Not() {
					t.Fatal("Lit is no function")
				}
			case 2, 3:
				half[l] = c.Implied(l)
				halves = append(halves, half[l])
			default:
				if asserted&table(l) == 0 && r.IntN(4) > 0 {
					continue // seldom let the clauses become unsatisfiable
				}
				asserted &= table(l)
				c.Assert(l)
			}

			// Without assumptions, the model read back obeys everything.
			for range 3 {
				from := r.IntN(len(halves) + 1)
				if !s.solve(halves[from:]...) {
					continue
				}
				v := 0
				for i, x := range in {
					if c.Value(x) {
						v |= 1 << i
					}
				}
				all := append([]aig.Lit(nil), pool...)
				for i, b := range c.Values(all) {
					if want := table(all[i])>>v&1 == 1; b != want || c.Value(all[i].Not()) == want {
						t.Fatalf("round %d: value of %v is %v, want %v", round, all[i], b, want)
					}
				}
				if asserted>>v&1 == 0 {
					t.Fatalf("round %d: the model violates an assertion", round)
				}
				for l, x := range exact {
					if s.Value(x) != (table(l)>>v&1 == 1) {
						t.Fatalf("round %d: name of %v differs from its value", round, l)
					}
				}
				for l, x := range half {
					if s.Value(x) && table(l)>>v&1 == 0 {
						t.Fatalf("round %d: name of %v does not imply it", round, l)
					}
				}
			}
		}
		if round%4 != 0 { // the leaves get names at the end, or before
			continue
		}
		table := tables(g, in)
		for v := range 1 << tableInputs {
			var at []sat.Lit
			for i, x := range in {
				at = append(at, c.Lit(x.NotIf(v>>i&1 == 0)))
			}
			want := asserted>>v&1 == 1
			wish := append([]sat.Lit(nil), at...)
			for l, x := range exact {
				holds := table(l)>>v&1 == 1
				if !holds {
					x = x.Not()
				}
				wish = append(wish, x)
				if s.solve(append(at, x.Not())...) {
					t.Fatalf("round %d: name of %v is not forced at %b", round, l, v)
				}
			}
			for l, x := range half {
				if table(l)>>v&1 == 1 {
					wish = append(wish, x)
				} else if s.solve(append(at, x)...) {
					t.Fatalf("round %d: name of %v does not imply it at %b", round, l, v)
				}
			}
			if got := s.solve(wish...); got != want {
				t.Fatalf("round %d: all names at %b: satisfiable %v, want %v", round, v, got, want)
			}
		}
	}
}

// in adds a literal to all clauses.
type in struct {
	*clauses
	also sat.Lit
}

func (i in) Add(clause ...sat.Lit) { i.clauses.Add(append(slices.Clone(clause), i.also)...) }

// TestFork: what a fork writes defines its names as long as its clauses count, and what is written behind it is right
// without them.
func TestFork(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 71))
	decided := 0
	for round := range 2000 {
		g := aig.New()
		s := &clauses{}
		c := cnf.New(g, s)
		var leaves []aig.Lit
		for range tableInputs {
			leaves = append(leaves, g.Input())
		}
		pool := append([]aig.Lit{aig.False}, leaves...)
		any := func() aig.Lit { return pool[len(pool)-1-r.IntN(min(4, len(pool)))].NotIf(r.IntN(2) == 0) }
		grow := func() {
			for range 1 + r.IntN(8) {
				pool = append(pool, randomFunction(r, g, pool))
			}
		}
		at := make([]sat.Lit, tableInputs)
		for i, l := range leaves {
			at[i] = c.Lit(l)
		}
		grow()
		for range r.IntN(4) {
			if r.IntN(2) == 0 {
				c.Lit(any())
			} else {
				c.Implied(any())
			}
		}
		grow()
		act := s.NewVar()
		f := c.Fork(in{s, act.Not()})
		half, exact := any(), any()
		x, y := f.Implied(half), f.Lit(exact)
		grow()
		after := any()
		half2, exact2, after2 := c.Implied(half), c.Lit(exact), c.Lit(after)
		table := tables(g, leaves)
		for v := range 1 << tableInputs {
			point := slices.Clone(at)
			for i := range point {
				if v>>i&1 == 0 {
					point[i] = point[i].Not()
				}
			}
			holds := func(l aig.Lit) bool { return table(l)>>v&1 == 1 }
			for _, c := range []struct {
				act, name sat.Lit
				want      bool
			}{
				{act, x, holds(half)}, {act, y, holds(exact)}, {act, y.Not(), !holds(exact)},
				{act.Not(), half2, holds(half)}, {act.Not(), exact2, holds(exact)}, {act.Not(), exact2.Not(), !holds(exact)},
				{act.Not(), after2, holds(after)}, {act.Not(), after2.Not(), !holds(after)}, {act, after2, holds(after)},
			} {
				decided++
				if s.solve(append(slices.Clone(point), c.act, c.name)...) != c.want {
					t.Fatalf("round %d, point %b: %v with %v is not %v", round, v, c.name, c.act, c.want)
				}
			}
		}
	}
	if decided == 0 {
		t.Error("nothing was decided")
	}
}

func TestCNFClauseCounts(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(g *aig.Graph, x []aig.Lit) aig.Lit
		// variables beyond those of x, and clauses, of Lit, Implied, Implied of
		// the complement, and Assert
		vars, clauses [4]int
	}{
		{"and of five", func(g *aig.Graph, x []aig.Lit) aig.Lit {
			l := x[0]
			for _, y := range x[1:5] {
				l = g.And(l, y)
			}
			return l
		}, [4]int{1, 1, 1, 1}, [4]int{6, 5, 1, 6}},
		{"or of five", func(g *aig.Graph, x []aig.Lit) aig.Lit { return g.OrN(x[:5]) },
			[4]int{1, 1, 1, 1}, [4]int{6, 1, 5, 2}},
		{"xor", func(g *aig.Graph, x []aig.Lit) aig.Lit { return g.Xor(x[0], x[1]) },
			[4]int{1, 1, 1, 1}, [4]int{4, 2, 2, 3}},
		{"mux", func(g *aig.Graph, x []aig.Lit) aig.Lit { return g.Mux(x[0], x[1], x[2]) },
			[4]int{1, 1, 1, 1}, [4]int{6, 2, 2, 3}},
		{"and of ors", func(g *aig.Graph, x []aig.Lit) aig.Lit {
			return g.And(g.Or(x[0], x[1]), g.Or(x[2], x[3]))
		}, [4]int{3, 1, 3, 1}, [4]int{3 + 3 + 3, 2, 5, 3}},
		{"and of xor and mux", func(g *aig.Graph, x []aig.Lit) aig.Lit {
			return g.And(g.Xor(x[0], x[1]), g.Mux(x[2], x[3], x[4]))
		}, [4]int{3, 1, 3, 1}, [4]int{3 + 4 + 6, 4, 5, 5}},
		{"true", func(*aig.Graph, []aig.Lit) aig.Lit { return aig.True },
			[4]int{1, 1, 1, 1}, [4]int{1, 1, 1, 1}},
	} {
		for i, mode := range []func(*cnf.Encoder, aig.Lit){
			func(c *cnf.Encoder, l aig.Lit) { c.Lit(l) },
			func(c *cnf.Encoder, l aig.Lit) { c.Implied(l) },
			func(c *cnf.Encoder, l aig.Lit) { c.Implied(l.Not()) },
			func(c *cnf.Encoder, l aig.Lit) { c.Assert(l) },
		} {
			g := aig.New()
			var x []aig.Lit
			for range 5 {
				x = append(x, g.Input())
			}
			s := &clauses{}
			cnf := cnf.New(g, s)
			for _, y := range x {
				cnf.Lit(y)
			}
			l := c.build(g, x)
			mode(cnf, l)
			if vars := s.vars - 5; vars != c.vars[i] || len(s.clauses) != c.clauses[i] {
				t.Errorf("%s, mode %d: %d variables and %d clauses, want %d and %d: %v",
					c.name, i, vars, len(s.clauses), c.vars[i], c.clauses[i], s.clauses)
			}
			// Both halves, in whatever order: nothing is written twice.
			if i < 3 {
				cnf.Lit(l)
				cnf.Implied(l)
				n := len(s.clauses)
				cnf.Lit(l.Not())
				if len(s.clauses) != n {
					t.Errorf("%s, mode %d: definitions repeat", c.name, i)
				}
			}
		}
	}
}

// Nodes that are shared, or have a name already, do not dissolve.
func TestCNFKeepsSharedNodes(t *testing.T) {
	g := aig.New()
	x, y, z, w := g.Input(), g.Input(), g.Input(), g.Input()
	p := g.And(x, y)
	a, b := g.And(p, z), g.And(p, w)
	s := &clauses{}
	c := cnf.New(g, s)
	c.Lit(a)
	c.Lit(b)
	if s.vars != 4+3 || len(s.clauses) != 3*3 {
		t.Errorf("shared: %d variables, %d clauses: %v", s.vars, len(s.clauses), s.clauses)
	}
	g = aig.New()
	p = g.And(g.Input(), g.Input())
	s = &clauses{}
	c = cnf.New(g, s)
	c.Lit(p)
	c.Lit(g.And(p, g.Input()))
	if s.vars != 3+2 || len(s.clauses) != 2*3 {
		t.Errorf("named: %d variables, %d clauses: %v", s.vars, len(s.clauses), s.clauses)
	}
}

// A node asserted is a constant for what comes later.
func TestCNFAssertedNodesAreConstants(t *testing.T) {
	g := aig.New()
	x, y, z := g.Input(), g.Input(), g.Input()
	s := &clauses{}
	c := cnf.New(g, s)
	c.Assert(g.Or(x, y))
	n := len(s.clauses)
	if v := c.Lit(g.And(g.Or(x, y), z)); len(s.clauses) != n+2 { // v → z, z → v
		t.Errorf("v = %v: %v", v, s.clauses[n:])
	}
	if s.solve(c.Lit(x.Not()), c.Lit(y.Not())) {
		t.Error("the assertion is lost")
	}
	c.Assert(g.And(x.Not(), y.Not()))
	if s.solve() {
		t.Error("contradictory assertions are satisfiable")
	}
}

// A chain as deep as a long unrolling needs no deep stack, whatever its gates.
func TestCNFOfDeepGraphs(t *testing.T) {
	const depth = 300_000
	g := aig.New()
	in := []aig.Lit{g.Input(), g.Input(), g.Input(), g.Input()}
	l := in[0]
	for i := range depth {
		switch i % 4 {
		case 0:
			l = g.Xor(l, in[1])
		case 1:
			l = g.Mux(in[2], l, in[3])
		case 2:
			l = g.Or(l, in[i/4%4])
		case 3:
			l = g.Mux(l, in[1], in[0])
		}
	}
	s := &modelless{}
	c := cnf.New(g, s)
	c.Implied(l)
	c.Lit(l)
	c.Assert(l)
	if s.vars == 0 || s.added == 0 {
		t.Error("nothing was encoded")
	}
}

// modelless counts and holds nothing.
type modelless struct{ vars, added int }

func (m *modelless) NewVar() sat.Lit {
	m.vars++
	return sat.MkLit(m.vars, false)
}
func (m *modelless) Add(...sat.Lit) { m.added++ }

func TestCNFValueNeedsAModel(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	g := aig.New()
	cnf.New(g, &modelless{}).Value(g.Input())
}

// BenchmarkCNF encodes the bads of ten frames of German's protocol with four
// nodes. Metrics: clauses and variables, and those of three clauses and one
// variable for each AND node.
func BenchmarkCNF(b *testing.B) {
	m, err := murphi.ReadFile("../benchmarks/murphi/german.m", murphi.Options{Consts: map[string]string{"NODE_NUM": "4"}})
	if err != nil {
		b.Fatal(err)
	}
	enc, err := encode.Model(context.Background(), m)
	if err != nil {
		b.Fatal(err)
	}
	f := cnf.NewFrames(enc.Sys, false)
	var bads []aig.Lit
	for k := range 10 {
		f.Extend()
		for i := range enc.Sys.Bads {
			bads = append(bads, f.Bad(k, i))
		}
	}
	ands := 0
	for _, n := range f.Graph().Cone(bads) {
		if f.Graph().IsAnd(n) {
			ands++
		}
	}
	for _, mode := range []struct {
		name string
		add  func(*cnf.Encoder, aig.Lit)
	}{
		{"lit", func(c *cnf.Encoder, l aig.Lit) { c.Lit(l) }},
		{"implied", func(c *cnf.Encoder, l aig.Lit) { c.Implied(l) }},
		{"assert", func(c *cnf.Encoder, l aig.Lit) { c.Assert(l.Not()) }},
	} {
		b.Run(mode.name, func(b *testing.B) {
			b.ReportAllocs()
			var s *modelless
			for b.Loop() {
				s = &modelless{}
				c := cnf.New(f.Graph(), s)
				for _, l := range bads {
					mode.add(c, l)
				}
			}
			b.ReportMetric(float64(s.added), "clauses")
			b.ReportMetric(float64(s.vars), "vars")
			b.ReportMetric(float64(3*ands), "plain-clauses")
			b.ReportMetric(float64(ands), "plain-vars")
		})
	}
}

// TestCone asks for the cones of random functions while they get names.
func TestCone(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		g := aig.New()
		lits := []aig.Lit{aig.True}
		for range 5 {
			lits = append(lits, g.Input())
		}
		some := func() aig.Lit {
			return lits[max(rng.IntN(len(lits)), rng.IntN(len(lits)))].NotIf(rng.IntN(2) == 0)
		}
		cnf := cnf.New(g, &clauses{})
		for range 40 {
			switch rng.IntN(8) {
			case 0, 1, 2:
				lits = append(lits, g.And(some(), some()))
			case 3:
				lits = append(lits, g.Mux(some(), some(), some()))
			case 4:
				cnf.Lit(some())
			case 5:
				cnf.Implied(some())
			case 6:
				if rng.IntN(10) == 0 {
					cnf.Assert(some())
				}
			default:
				roots := []aig.Lit{some(), some()}
				var wantLeaves []int
				var wantVars, wantGates []sat.Lit
				for _, n := range g.Cone(roots) {
					switch name := cnf.Name(n); {
					case name == 0 || n == 0:
					case g.IsAnd(n):
						wantGates = append(wantGates, name&^1)
					default:
						wantLeaves, wantVars = append(wantLeaves, n), append(wantVars, name)
					}
				}
				leaves, vars, gates := cnf.Cone(roots...)
				equal(t, seed, leaves, wantLeaves)
				equal(t, seed, vars, wantVars)
				equal(t, seed, gates, wantGates)
			}
		}
	}
}

// equal compares sets.
func equal[T cmp.Ordered](t *testing.T, seed uint64, got, want []T) {
	t.Helper()
	if got := slices.Sorted(slices.Values(got)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Fatalf("seed %d: %v, want %v", seed, got, want)
	}
}
