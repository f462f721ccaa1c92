package cnf

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/sat"
	"orbitmc/sat/gini"
	"orbitmc/ts"
)

// randomTable returns a function of n variables.
func randomTable(r *rand.Rand, n int) table {
	f := table(r.Uint64())
	for i := n; i < tableVars; i++ {
		f = f.with(i, false)
	}
	return f
}

// row reports the value of t in a row.
func (t table) row(r int) bool { return t>>r&1 == 1 }

func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		f := randomTable(r, r.IntN(tableVars+1))
		i, j := r.IntN(tableVars), r.IntN(tableVars)
		if i > j {
			i, j = j, i
		}
		depends := false
		for x := range 64 {
			bi, bj := x>>i&1, x>>j&1
			swapped := x&^(1<<i|1<<j) | bi<<j | bj<<i
			switch {
			case f.with(i, true).row(x) != f.row(x|1<<i), f.with(i, false).row(x) != f.row(x&^(1<<i)):
				t.Fatalf("%x with variable %d constant, row %d", f, i, x)
			case f.flip(i).row(x) != f.row(x^1<<i):
				t.Fatalf("%x with variable %d negated, row %d", f, i, x)
			case i < j && f.swap(i, j).row(x) != f.row(swapped):
				t.Fatalf("%x with %d and %d exchanged, row %d", f, i, j, x)
			case i < j && f.merge(i, j).row(x) != f.row(x&^(1<<j)|bi<<j):
				t.Fatalf("%x with %d in place of %d, row %d", f, i, j, x)
			}
			depends = depends || f.row(x) != f.row(x^1<<i)
		}
		if f.depends(i) != depends {
			t.Fatalf("%x depends on %d: want %v", f, i, depends)
		}
	}
	for n := range tableVars + 1 {
		for neg := range uint8(1 << n) {
			f := ^table(0)
			for i := range n {
				v := variables[i]
				if neg>>i&1 == 1 {
					v = ^v
				}
				f &= v
			}
			if got, ok := f.conjunction(n); !ok || got != neg {
				t.Fatalf("conjunction %b of %d: %b, %v", neg, n, got, ok)
			}
			if _, ok := (^f).conjunction(n); ok && n > 1 {
				t.Fatalf("a disjunction of %d is a conjunction", n)
			}
		}
	}
}

// holds reports whether the clauses of a definition hold for row x and an output.
func holds(clauses []uint8, x int, out bool) bool {
	if out {
		x |= 1 << output
	}
	for len(clauses) > 0 {
		n := clauses[0]
		if !slices.ContainsFunc(clauses[1:n+1], func(l uint8) bool { return x>>(l>>1)&1 != int(l&1) }) {
			return false
		}
		clauses = clauses[n+1:]
	}
	return true
}

// The clauses of a definition are the function, and none is left over.
func TestDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 500 {
		f := randomTable(r, r.IntN(tableVars+1))
		clauses := definition(f)
		for x := range 64 {
			if !holds(clauses, x, f.row(x)) || holds(clauses, x, !f.row(x)) {
				t.Fatalf("definition of %x in row %d", f, x)
			}
		}
		for at := 0; at < len(clauses); at += int(clauses[at]) + 1 {
			less := slices.Delete(slices.Clone(clauses), at, at+int(clauses[at])+1)
			needed := false
			for x := range 64 {
				needed = needed || holds(less, x, !f.row(x))
			}
			if !needed {
				t.Fatalf("definition of %x has a clause too many", f)
			}
		}
	}
	if n := len(cover(variables[0] ^ variables[1] ^ variables[2])); n != 4 {
		t.Errorf("%d cubes for the parity of three, want 4", n)
	}
}

// randomGraph returns functions over the leaves, with gates of all kinds.
func randomGraph(r *rand.Rand, g *aig.Graph, leaves []aig.Lit, n int) []aig.Lit {
	pool := slices.Clone(leaves)
	pick := func() aig.Lit { return pool[max(r.IntN(len(pool)), r.IntN(len(pool)))].NotIf(r.IntN(2) == 0) }
	for range n {
		l := g.And(pick(), pick())
		switch r.IntN(6) {
		case 0:
			l = g.Xor(pick(), pick())
		case 1:
			l = g.Mux(pick(), pick(), pick())
		case 2:
			var ls []aig.Lit
			for range r.IntN(9) {
				ls = append(ls, pick())
			}
			l = g.AndN(ls)
		}
		pool = append(pool, l)
	}
	return pool
}

// The cover computes the functions of its nodes and has all roots.
func TestMapGates(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	wide, constant := 0, 0
	for range 200 {
		g := aig.New()
		if r.IntN(2) == 0 {
			g = aig.NewPlain()
		}
		var leaves []aig.Lit
		for range 2 + r.IntN(30) {
			leaves = append(leaves, g.Input())
		}
		roots := randomGraph(r, g, leaves, r.IntN(80))
		for range r.IntN(len(roots)) {
			i := r.IntN(len(roots))
			roots = slices.Delete(roots, i, i+1)
		}
		sim := aig.NewSim(g)
		for _, l := range leaves {
			sim.Set(l.Node(), r.Uint64())
		}
		sim.Run()
		known := make(map[int]bool)
		for n := range g.Len() {
			known[n] = !g.IsAnd(n)
		}
		for _, x := range mapGates(t.Context(), g, roots) {
			var value uint64
			for _, l := range x.leaves {
				if !known[l.Node()] {
					t.Fatalf("gate %d comes before its leaf %d", x.node, l.Node())
				}
			}
			if x.f == 0 {
				value = ^value
				if x.leaves[0].Node() == 0 {
					constant++
				}
				for _, l := range x.leaves {
					value &= sim.Word(l)
				}
				if len(x.leaves) > cutSize {
					wide++
				}
			} else {
				for p := range 64 {
					in := 0
					for i, l := range x.leaves {
						if l.Neg() {
							t.Fatalf("gate %d has a negated leaf", x.node)
						}
						in |= int(sim.Word(l)>>p&1) << i
					}
					if x.f.row(in) {
						value |= 1 << p
					}
				}
			}
			if want := sim.Word(aig.MkLit(x.node, false)); value != want {
				t.Fatalf("gate %d is %x, want %x", x.node, value, want)
			}
			known[x.node] = true
		}
		for _, l := range roots {
			if !known[l.Node()] {
				t.Fatalf("root %v is not covered", l)
			}
		}
	}
	if wide < 5 || constant < 5 {
		t.Errorf("%d wide conjunctions, %d constants", wide, constant)
	}
}

// unrollable returns a system of random functions, some of whose latches start as constants.
func unrollable(r *rand.Rand) *ts.System {
	g := aig.New()
	s := &ts.System{G: g}
	var now, state, init []aig.Lit
	for i := range 1 + r.IntN(6) {
		l := g.Input()
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint("x", i), Node: l.Node()})
		state = append(state, l)
	}
	for i := range r.IntN(4) {
		l := g.Input()
		s.Inputs = append(s.Inputs, ts.Signal{Name: fmt.Sprint("y", i), Node: l.Node()})
		now = append(now, l)
	}
	for i := range r.IntN(3) {
		l := g.Input()
		s.Init = append(s.Init, ts.Signal{Name: fmt.Sprint("z", i), Node: l.Node()})
		init = append(init, l)
	}
	now = append(now, state...)
	reset := append(randomGraph(r, g, append(init, aig.False), r.IntN(6)), aig.False, aig.True)
	step := append(randomGraph(r, g, now, 5+r.IntN(40)), aig.False)
	pick := func(ls []aig.Lit) aig.Lit { return ls[r.IntN(len(ls))].NotIf(r.IntN(2) == 0) }
	for i := range s.Latches {
		s.Latches[i].Reset, s.Latches[i].Next = pick(reset), pick(step)
		if r.IntN(3) == 0 {
			s.Latches[i].Reset = pick([]aig.Lit{aig.False})
		}
	}
	for i := range 1 + r.IntN(3) {
		s.Bads = append(s.Bads, ts.Bad{Name: fmt.Sprint("bad", i), Lit: pick(step)})
	}
	for range r.IntN(2) {
		s.Constraints = append(s.Constraints, g.Or(pick(step), pick(step)))
	}
	s.W = pick(append(randomGraph(r, g, state, 3), aig.True))
	return s
}

// compare unrolls a system to frame k and compares, for random inputs, every latch, bad and
// constraint with simulation. It returns the first difference, or "". The hook sees each new frame.
func compare(t *testing.T, r *rand.Rand, s *ts.System, k int, hook func(u *Unrolling)) string {
	solver := gini.New()
	u := NewUnrolling(t.Context(), s, solver)
	if hook != nil {
		hook(u)
	}
	late := s.G.And(s.Bads[0].Lit, s.W.Not()) // the cover does not have it
	for range k + 1 {
		u.Extend()
		if hook != nil {
			hook(u)
		}
	}
	type values struct {
		latches, bads    []aig.Lit
		constraint, late aig.Lit
	}
	var frames []values
	for i := range k + 1 {
		if r.IntN(2) == 0 { // the last frames first
			i = k - i
		}
		u.Bad(i, 0)
	}
	for i := range k + 1 {
		v := values{latches: u.Latches(i), constraint: u.Constraint(i), late: u.Copy(i, late)}
		for b := range s.Bads {
			v.bads = append(v.bads, u.Bad(i, b))
		}
		frames = append(frames, v)
	}
	for range 4 {
		var assume []sat.Lit
		give := func(k int, signals []ts.Signal) []bool {
			bits := make([]bool, len(signals))
			for i, in := range signals {
				bits[i] = r.IntN(2) == 0
				v := u.lit(k, aig.MkLit(in.Node, false))
				if !bits[i] {
					v = v.Not()
				}
				assume = append(assume, v)
			}
			return bits
		}
		trace := &ts.Trace{Init: give(0, s.Init)}
		for i := range k + 1 {
			trace.Inputs = append(trace.Inputs, give(i, s.Inputs))
		}
		if solver.Solve(context.Background(), assume...) != sat.Sat {
			return "the clauses exclude a path"
		}
		if got := u.Trace(k); !slices.Equal(got.Init, trace.Init) || !slices.EqualFunc(got.Inputs, trace.Inputs, slices.Equal[[]bool]) {
			return "the trace read back differs"
		}
		e := ts.NewEvaluator(s)
		state := e.Reset(trace.Init)
		for i, v := range frames {
			e.Set(state, trace.Inputs[i])
			if !slices.Equal(u.cnf.Values(v.latches), state) {
				return fmt.Sprintf("frame %d: latches %v, want %v", i, u.cnf.Values(v.latches), state)
			}
			for b, l := range v.bads {
				if u.cnf.Value(l) != e.Value(s.Bads[b].Lit) {
					return fmt.Sprintf("frame %d: bad %d", i, b)
				}
			}
			if u.cnf.Value(v.constraint) != e.Constraints() || u.cnf.Value(v.late) != (e.Value(s.Bads[0].Lit) && !e.Value(s.W)) {
				return fmt.Sprintf("frame %d: constraint or late function", i)
			}
			state = e.Next()
		}
	}
	return ""
}

func TestUnrollingAgainstSimulation(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for round := range 300 {
		s := unrollable(r)
		if err := tstest.Check(s); err != nil {
			t.Fatal(err)
		}
		if diff := compare(t, r, s, r.IntN(6), nil); diff != "" {
			t.Fatalf("round %d: %s", round, diff)
		}
	}
}

// What an unrolling must not do shows in the comparison with simulation.
func TestUnrollingDoubles(t *testing.T) {
	for name, hook := range map[string]func(u *Unrolling){
		"half of each definition": func(u *Unrolling) {
			for f := range table(16) { // of two variables
				for n := 4; n < 64; n *= 2 {
					f |= f << n
				}
				all, half := definition(f), []uint8(nil)
				for at := 0; at < len(all); at += int(all[at]) + 1 {
					if c := all[at : at+int(all[at])+1]; c[len(c)-1] == 2*output {
						half = append(half, c...)
					}
				}
				u.shapes[f] = half
			}
		},
		"the next function of another latch": func(u *Unrolling) {
			if n := len(u.next); len(u.rows) == 0 && n > 1 {
				u.next[0], u.next[n-1] = u.next[n-1], u.next[0]
			}
		},
		"latches of the same frame": func(u *Unrolling) {
			if n := len(u.rows); n > 1 {
				for _, l := range u.sys.Latches {
					u.row(n - 1)[u.slot[l.Node]] = u.rows[n-2][u.slot[l.Node]]
				}
			}
		},
		"constants of frame 0 in frame 1": func(u *Unrolling) {
			if len(u.rows) == 2 {
				for i, v := range u.rows[0] {
					if v <= always {
						u.row(1)[i] = v
					}
				}
			}
		},
		"rows that frames share are written": func(u *Unrolling) {
			for k := range u.own {
				u.own[k] = true
			}
		},
		"a leaf in place of another": func(u *Unrolling) {
			if len(u.rows) == 1 {
				for i := range u.kinds {
					if x := &u.kinds[i]; x.f != 0 && len(x.leaves) > 1 {
						x.leaves[1] = x.leaves[0]
					}
				}
			}
		},
	} {
		r := rand.New(rand.NewPCG(5, 1))
		seen := 0
		for range 200 {
			if compare(t, r, unrollable(r), 3, hook) != "" {
				seen++
			}
		}
		if seen < 10 {
			t.Errorf("%s: seen in %d systems of 200", name, seen)
		}
	}
}

// Asserted predicates exclude the paths on which they do not hold, and no others.
func TestUnrollingAsserts(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	excluded, kept := 0, 0
	for range 200 {
		s := unrollable(r)
		k := r.IntN(3)
		solver := gini.New()
		u := NewUnrolling(t.Context(), s, solver)
		for range k + 1 {
			u.Extend()
		}
		unless := aig.False
		if r.IntN(2) == 0 {
			unless = u.Bad(k, 0)
		}
		u.Assert(k, s.W, unless)
		for _, c := range s.Constraints {
			u.Assert(k, c, unless)
		}
		for paths := range 1 << min(10, len(s.Init)+(k+1)*len(s.Inputs)) {
			trace, assume, bit := &ts.Trace{}, []sat.Lit(nil), 0
			give := func(k int, signals []ts.Signal) []bool {
				out := make([]bool, len(signals))
				for i, in := range signals {
					out[i] = paths>>bit&1 == 1
					bit++
					v := u.lit(k, aig.MkLit(in.Node, false))
					if !out[i] {
						v = v.Not()
					}
					assume = append(assume, v)
				}
				return out
			}
			trace.Init = give(0, s.Init)
			e := ts.NewEvaluator(s)
			state := e.Reset(trace.Init)
			for i := range k + 1 {
				e.Set(state, give(i, s.Inputs))
				if i < k {
					state = e.Next()
				}
			}
			want := sat.Unsat
			if e.Value(s.W) && e.Constraints() || unless != aig.False && e.Value(s.Bads[0].Lit) {
				want = sat.Sat
				kept++
			} else {
				excluded++
			}
			if got := solver.Solve(context.Background(), assume...); got != want {
				t.Fatalf("a path is %v, want %v", got, want)
			}
		}
	}
	if excluded < 100 || kept < 100 {
		t.Errorf("%d paths excluded, %d kept", excluded, kept)
	}
}

// A reset folds logic as far as it reaches: a counter from a constant has no clauses.
func TestUnrollingFoldsResets(t *testing.T) {
	g := aig.New()
	s := &ts.System{G: g, W: aig.True}
	carry := aig.True
	for i := range 8 {
		x := g.Input()
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint(i), Node: x.Node(), Next: g.Xor(x, carry)})
		carry = g.And(carry, x)
	}
	c := &counted{}
	u := NewUnrolling(t.Context(), s, c)
	for k := range 300 {
		u.Extend()
		for i, l := range u.Latches(k) {
			if want := aig.False.NotIf(k>>i&1 == 1); l != want {
				t.Fatalf("bit %d in frame %d is %v, want %v", i, k, l, want)
			}
		}
	}
	if c.vars > 0 || c.clauses > 0 {
		t.Errorf("%d variables and %d clauses", c.vars, c.clauses)
	}
}

// counted counts variables and clauses.
type counted struct{ vars, clauses int }

func (c *counted) NewVar() sat.Lit { c.vars++; return sat.MkLit(c.vars, false) }
func (c *counted) Add(...sat.Lit)  { c.clauses++ }

// A gate that repeats the leaves of one in an earlier frame has its literal.
func TestUnrollingSharesGates(t *testing.T) {
	g := aig.New()
	s := &ts.System{G: g, W: aig.True}
	var state []aig.Lit
	for i := range 4 { // latches that keep their values
		x, z := g.Input(), g.Input()
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint(i), Node: x.Node(), Next: x, Reset: z})
		s.Init = append(s.Init, ts.Signal{Name: fmt.Sprint(i), Node: z.Node()})
		state = append(state, x)
	}
	s.Bads = []ts.Bad{{Name: "parity", Lit: g.XorN(state)}}
	c := &counted{}
	u := NewUnrolling(t.Context(), s, c)
	for k := range 5 {
		u.Extend()
		if l := u.Bad(k, 0); l != u.Bad(0, 0) {
			t.Fatalf("frame %d: %v", k, l)
		}
	}
	if c.vars != 7 || c.clauses != 12 {
		t.Errorf("%d variables and %d clauses, want 7 and 12", c.vars, c.clauses)
	}
}

// Without a cover the gates are those of the graph.
func TestUnrollingCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := rand.New(rand.NewPCG(7, 1))
	for range 20 {
		s := unrollable(r)
		u := NewUnrolling(ctx, s, gini.New())
		if want := 1 + len(s.Latches) + len(s.Inputs) + len(s.Init); len(u.kinds) < want {
			t.Fatalf("%d slots, want %d", len(u.kinds), want)
		}
		for k := range 3 {
			u.Extend()
			u.Bad(k, 0)
		}
		for i := range u.kinds {
			if x := &u.kinds[i]; x.f != 0 || len(x.leaves) > 2 {
				t.Fatal("a gate of a cover")
			}
		}
	}
}
