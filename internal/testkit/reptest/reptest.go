// Package reptest makes random systems that have a given symmetry, and explores
// systems state by state: what tests of symmetry compare with.
package reptest

import (
	"fmt"
	"math/big"
	"math/rand/v2"

	"orbitmc/aig"
	"orbitmc/rep"
	"orbitmc/ts"
)

// Groups returns small groups of all kinds by name: products of blocks, rings,
// wreath products and others, some with negations. They act on latches, inputs
// and initial inputs; two latches are fixed by all.
func Groups() map[string]*ts.Symmetry {
	out := make(map[string]*ts.Symmetry)
	add := func(name string, n int, gens ...[]ts.Lit) {
		y := &ts.Symmetry{Groups: []ts.Group{{Name: name, Class: -1, Kind: name, Order: big.NewInt(2)}}}
		g := &y.Groups[0]
		for i, image := range gens {
			g.Gens = append(g.Gens, act(fmt.Sprintf("%s %d", name, i), n, image))
		}
		all, err := rep.Perms(y, rep.All)
		if err != nil {
			panic(err)
		}
		g.Members, g.Order = all, big.NewInt(int64(len(all)+1))
		out[name] = y
	}
	add("ring", 4, []ts.Lit{2, 4, 6, 0})
	add("dihedral", 4, []ts.Lit{2, 4, 6, 0}, []ts.Lit{6, 4, 2, 0})
	add("wreath", 4, []ts.Lit{2, 0, 4, 6}, []ts.Lit{4, 6, 0, 2})
	add("alternating", 4, []ts.Lit{2, 4, 0, 6}, []ts.Lit{0, 4, 6, 2})
	add("klein", 4, []ts.Lit{2, 0, 6, 4}, []ts.Lit{4, 6, 0, 2})
	add("negated", 3, []ts.Lit{3, 1, 4})
	add("negated ring", 3, []ts.Lit{2, 4, 1})
	add("negated one", 2, []ts.Lit{1, 2})
	block := func(name string, n int, swaps ...[]ts.Lit) ts.Block {
		b := ts.Block{Name: name, Class: -1, Elems: []int{0}}
		for i, image := range swaps {
			b.Elems = append(b.Elems, i+1)
			b.Swaps = append(b.Swaps, act(fmt.Sprintf("%s %d", name, i), n, image))
		}
		return b
	}
	out["rows"] = &ts.Symmetry{Blocks: []ts.Block{block("rows", 4, []ts.Lit{2, 0, 4, 6}, []ts.Lit{0, 4, 2, 6}, []ts.Lit{0, 2, 6, 4})}}
	out["rows of two"] = &ts.Symmetry{Blocks: []ts.Block{block("rows", 4, []ts.Lit{4, 6, 0, 2})}}
	out["matrix"] = &ts.Symmetry{Blocks: []ts.Block{block("rows", 4, []ts.Lit{4, 6, 0, 2}), block("columns", 4, []ts.Lit{2, 0, 6, 4})}}
	ring := out["ring"].Groups[0]
	swap := ts.Perm{Name: "fixed", Latch: []ts.Lit{0, 2, 4, 6, 10, 8}, Input: []ts.Lit{0, 2, 4, 6, 10, 8}, Init: []ts.Lit{0, 2, 4, 6, 10, 8}}
	out["ring and block"] = &ts.Symmetry{Blocks: []ts.Block{{Name: "fixed", Class: -1, Elems: []int{0, 1}, Swaps: []*ts.Perm{&swap}}}, Groups: []ts.Group{ring}}
	return out
}

// act returns a permutation of n + 2 latches, inputs and initial inputs each, by
// its images of the first n.
func act(name string, n int, image []ts.Lit) *ts.Perm {
	part := func() []ts.Lit {
		return append(append([]ts.Lit(nil), image...), ts.MkLit(n, false), ts.MkLit(n+1, false))
	}
	return &ts.Perm{Name: name, Latch: part(), Input: part(), Init: part()}
}

// System returns a random system of which every permutation of y, one of Groups,
// is an automorphism that keeps the constraint, if there is one, and the bad.
func System(r *rand.Rand, y *ts.Symmetry) *ts.System {
	group, err := rep.Perms(y, rep.All)
	if err != nil {
		panic(err)
	}
	n := len(group[0].Latch)
	g := aig.NewPlain()
	s := &ts.System{G: g, W: aig.True}
	var x, in, z []aig.Lit
	for i := range n {
		x, in, z = append(x, g.Input()), append(in, g.Input()), append(z, g.Input())
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint("x", i), Node: x[i].Node()})
		s.Inputs = append(s.Inputs, ts.Signal{Name: fmt.Sprint("y", i), Node: in[i].Node()})
		s.Init = append(s.Init, ts.Signal{Name: fmt.Sprint("z", i), Node: z[i].Node()})
	}
	// A function of latches and inputs is a random circuit; of(p, f) is it at π·x, π·y.
	type circuit []struct {
		op   int
		a, b int
		sign [2]bool
	}
	random := func() circuit {
		c := make(circuit, 2+r.IntN(4))
		for i := range c {
			c[i].op, c[i].a, c[i].b = r.IntN(3), r.IntN(2*n+i), r.IntN(2*n+i)
			c[i].sign = [2]bool{r.IntN(2) == 0, r.IntN(2) == 0}
		}
		return c
	}
	of := func(p *ts.Perm, c circuit) aig.Lit {
		lits := append(append([]aig.Lit(nil), x...), in...)
		if p != nil {
			lits = append(ts.ApplyLits(p.Latch, x), ts.ApplyLits(p.Input, in)...)
		}
		for _, gate := range c {
			a, b := lits[gate.a].NotIf(gate.sign[0]), lits[gate.b].NotIf(gate.sign[1])
			switch gate.op {
			case 0:
				lits = append(lits, g.And(a, b))
			case 1:
				lits = append(lits, g.Or(a, b))
			default:
				lits = append(lits, g.Xor(a, b))
			}
		}
		return lits[len(lits)-1]
	}
	join := func(fs []aig.Lit, op int) aig.Lit {
		switch op {
		case 0:
			return g.AndN(fs)
		case 1:
			return g.OrN(fs)
		}
		return g.XorN(fs)
	}
	invariant := func() aig.Lit {
		f := random()
		fs := []aig.Lit{of(nil, f)}
		for _, p := range group {
			fs = append(fs, of(p, f))
		}
		return join(fs, r.IntN(2))
	}
	done := make([]bool, n)
	for l := range n {
		if done[l] {
			continue
		}
		done[l] = true
		f, op, own, reset := random(), r.IntN(3), r.IntN(2) == 0, r.IntN(4)
		// Elements that take l to ±m, for all m.
		to := map[int][]*ts.Perm{l: {nil}}
		for _, p := range group {
			m := int(p.Latch[l] >> 1)
			to[m] = append(to[m], p)
			if m == l && p.Latch[l]&1 == 1 {
				own, reset = true, 3
			}
		}
		for m := range n {
			ps := to[m]
			if ps == nil {
				continue
			}
			done[m] = true
			// next_m(x) joins f(π⁻¹·x) over all π that take l to ±m.
			var fs []aig.Lit
			neg := false
			for i, p := range ps {
				if p == nil {
					fs = append(fs, of(nil, f))
					continue
				}
				if i == 0 {
					neg = p.Latch[l]&1 == 1
				}
				fs = append(fs, of(p.Inverse(), f))
			}
			next := join(fs, op)
			if own {
				next = g.Xor(next, x[m]) // of both signs alike
			} else {
				next = next.NotIf(neg)
			}
			s.Latches[m].Next = next
			s.Latches[m].Reset = [...]aig.Lit{aig.False, aig.False, aig.True, z[m]}[reset]
			if reset < 3 {
				s.Latches[m].Reset = s.Latches[m].Reset.NotIf(neg)
			}
		}
	}
	if r.IntN(3) == 0 {
		s.Constraints = []aig.Lit{invariant()}
	}
	s.Bads = []ts.Bad{{Name: "bad", Lit: g.And(invariant(), invariant()), Delay: r.IntN(2)}}
	if r.IntN(2) == 0 { // deeper
		s.Bads[0].Lit = g.And(s.Bads[0].Lit, invariant())
	}
	return s
}

// Symmetric reports whether p is an automorphism of s that keeps constraints and
// bads, on random states and inputs.
func Symmetric(r *rand.Rand, s *ts.System, p *ts.Perm) bool {
	e, f := ts.NewEvaluator(s), ts.NewEvaluator(s)
	bits := func(n int) []bool {
		b := make([]bool, n)
		for i := range b {
			b[i] = r.IntN(2) == 0
		}
		return b
	}
	same := func(a, b []bool) bool { return Key(a) == Key(b) }
	for range 32 {
		x, in, z := bits(len(s.Latches)), bits(len(s.Inputs)), bits(len(s.Init))
		if !same(ts.Apply(p.Latch, e.Reset(z)), f.Reset(ts.Apply(p.Init, z))) {
			return false
		}
		e.Set(x, in)
		f.Set(ts.Apply(p.Latch, x), ts.Apply(p.Input, in))
		if !same(ts.Apply(p.Latch, e.Next()), f.Next()) || e.Constraints() != f.Constraints() {
			return false
		}
		for _, b := range s.Bads {
			if e.Value(b.Lit) != f.Value(b.Lit) {
				return false
			}
		}
	}
	return true
}

// Key packs bits into a string.
func Key(bits []bool) string {
	b := make([]byte, len(bits))
	for i, v := range bits {
		b[i] = '0'
		if v {
			b[i] = '1'
		}
	}
	return string(b)
}

// Reach is what Explore finds.
type Reach struct {
	States [][]bool // reachable, by distance
	Depth  int      // least depth of a violation of bad 0; -1 if there is none
}

// Explore visits all reachable states of a system of few latches and inputs,
// breadth first, trying all inputs.
func Explore(s *ts.System) Reach {
	e := ts.NewEvaluator(s)
	out := Reach{Depth: -1}
	seen := make(map[string]bool)
	var level [][]bool
	enter := func(x []bool) {
		if k := Key(x); !seen[k] {
			seen[k] = true
			level = append(level, x)
			out.States = append(out.States, x)
		}
	}
	each(len(s.Init), func(z []bool) { enter(e.Reset(z)) })
	for d := 0; len(level) > 0; d++ {
		states := level
		level = nil
		for _, x := range states {
			each(len(s.Inputs), func(in []bool) {
				if e.Set(x, in); !e.Constraints() {
					return
				}
				if out.Depth < 0 && e.Value(s.Bads[0].Lit) {
					out.Depth = d + s.Bads[0].Delay
				}
				enter(e.Next())
			})
		}
	}
	return out
}

// each calls f with all values of n bits.
func each(n int, f func([]bool)) {
	for v := range 1 << n {
		bits := make([]bool, n)
		for i := range bits {
			bits[i] = v>>i&1 == 1
		}
		f(bits)
	}
}

// Count returns how many of the states satisfy Rep_F in an order of the latches,
// and in how many orbits of the group generated by gens they lie. F is complete on
// a set of states closed under the group iff the two are equal; repeated states
// count once. The orbits are enumerated, members outside the list included.
func Count(states [][]bool, F, gens []*ts.Perm, order []int) (representatives, orbits int) {
	const (
		image = 1 + iota // reached as an image
		given            // taken from the list
	)
	seen := make(map[string]uint8)
	for _, s := range states {
		k := Key(s)
		if seen[k] == given {
			continue
		}
		if Least(s, F, order) {
			representatives++
		}
		if seen[k] == 0 {
			orbits++
			for todo := [][]bool{s}; len(todo) > 0; {
				t := todo[len(todo)-1]
				todo = todo[:len(todo)-1]
				for _, p := range gens {
					u := ts.Apply(p.Latch, t)
					if k := Key(u); seen[k] == 0 {
						seen[k] = image
						todo = append(todo, u)
					}
				}
			}
		}
		seen[k] = given
	}
	return representatives, orbits
}
