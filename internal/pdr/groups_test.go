package pdr_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/certify"
	"orbitmc/internal/pdr"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/sat"
	"orbitmc/sat/gini"
	"orbitmc/ts"
)

// shape is a group on cells, as a product of symmetric groups and others.
type shape struct {
	kind   string
	cells  int
	blocks [][][]int // by block, its adjacent transpositions
	groups [][][]int // by group, its generators
}

// shapes makes one of each recognised kind, of random size.
func shapes(rng *rand.Rand) []shape {
	perm := func(n int, f func(i int) int) []int {
		p := make([]int, n)
		for i := range p {
			p[i] = f(i)
		}
		return p
	}
	swap := func(k int) func(int) int {
		return func(i int) int {
			switch i {
			case k:
				return k + 1
			case k + 1:
				return k
			}
			return i
		}
	}
	turn := func(n int) func(int) int { return func(i int) int { return (i + 1) % n } }
	same := func(i int) int { return i }
	// grid acts on cell (i, j) by row and column.
	grid := func(n, m int, row, column func(int) int) []int {
		return perm(n*m, func(c int) int { return row(c/m)*m + column(c%m) })
	}
	n, m := 3+rng.IntN(3), 2+rng.IntN(2)
	ring := shape{"ring", n, nil, [][][]int{{perm(n, turn(n))}}}
	dihedral := shape{"dihedral", n, nil, [][][]int{{perm(n, turn(n)), perm(n, func(i int) int { return n - 1 - i })}}}
	wreath := shape{"wreath", 6, nil, [][][]int{{perm(6, swap(0)), perm(6, swap(2)), perm(6, swap(4)), perm(6, func(i int) int { return (i + 2) % 6 })}}}
	pointers := shape{"pointers", m * m, [][][]int{nil}, nil}
	for k := range m - 1 {
		pointers.blocks[0] = append(pointers.blocks[0], grid(m, m, swap(k), swap(k)))
	}
	mixed := shape{"rows and a ring", 2 * 3, [][][]int{{grid(2, 3, swap(0), same)}}, [][][]int{{grid(2, 3, same, turn(3))}}}
	product := shape{"rows and columns", 2 * 3, [][][]int{
		{grid(2, 3, swap(0), same)},
		{grid(2, 3, same, swap(0)), grid(2, 3, same, swap(1))},
	}, nil}
	other := shape{"other", 5, nil, [][][]int{{rng.Perm(5)}}}
	if rng.IntN(2) == 0 {
		other.groups[0] = append(other.groups[0], rng.Perm(5))
	}
	return []shape{ring, dihedral, wreath, pointers, mixed, product, other}
}

// system makes a random system with one latch for each cell, inputs and initial
// inputs of cells or shared ones.
func (sh shape) system(rng *rand.Rand) (*ts.System, *ts.Symmetry) {
	var gens, all [][]int
	for _, f := range slices.Concat(sh.blocks, sh.groups) {
		gens = append(gens, f...)
	}
	closure := func(gens [][]int) [][]int {
		id := make([]int, sh.cells)
		for i := range id {
			id[i] = i
		}
		list := [][]int{id}
		for i := 0; i < len(list); i++ {
			for _, g := range gens {
				p := make([]int, sh.cells)
				for j := range p {
					p[j] = g[list[i][j]]
				}
				if !slices.ContainsFunc(list, func(q []int) bool { return slices.Equal(p, q) }) {
					list = append(list, p)
				}
			}
		}
		return list
	}
	all = closure(gens)
	g := aig.NewPlain()
	s := &ts.System{G: g, W: aig.True}
	var latch, in, init, shared []aig.Lit
	own := sh.cells <= 4 && rng.IntN(2) == 0
	starts := rng.IntN(3) == 0
	for i := range sh.cells {
		l := g.Input()
		latch = append(latch, l)
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint("c", i), Node: l.Node()})
		if own {
			l := g.Input()
			in = append(in, l)
			s.Inputs = append(s.Inputs, ts.Signal{Name: fmt.Sprint("i", i), Node: l.Node()})
		}
		if starts {
			l := g.Input()
			init = append(init, l)
			s.Init = append(s.Init, ts.Signal{Name: fmt.Sprint("z", i), Node: l.Node()})
		}
	}
	for i := range 1 + rng.IntN(2) {
		l := g.Input()
		shared = append(shared, l)
		s.Inputs = append(s.Inputs, ts.Signal{Name: fmt.Sprint("x", i), Node: l.Node()})
	}
	seed := rng.Uint64()
	// function returns function k as the permutation p of cells sees it.
	function := func(k, gates int, p []int, cells ...[]aig.Lit) aig.Lit {
		var ls []aig.Lit
		for _, c := range cells {
			for i := range c {
				ls = append(ls, c[p[i]])
			}
		}
		return builder{rand.New(rand.NewPCG(seed, uint64(k))), g}.function(append(ls, shared...), gates)
	}
	done := make([]bool, sh.cells)
	for r := range sh.cells {
		if done[r] {
			continue
		}
		gates := 2 + rng.IntN(3)
		disjoint, constant := rng.IntN(2) == 0, rng.IntN(4) == 0
		for t := range sh.cells {
			var next, reset []aig.Lit
			for _, p := range all {
				if p[r] == t {
					next = append(next, function(r, gates, p, latch, in))
					if starts {
						reset = append(reset, g.And(init[p[r]], init[p[(r+1)%sh.cells]].NotIf(constant)))
					}
				}
			}
			if next == nil {
				continue
			}
			done[t] = true
			if s.Latches[t].Next = g.AndN(next); disjoint {
				s.Latches[t].Next = g.OrN(next)
			}
			if s.Latches[t].Reset = aig.False.NotIf(constant); starts {
				s.Latches[t].Reset = g.OrN(reset)
			}
		}
	}
	symmetric := func(k int) aig.Lit {
		var each []aig.Lit
		for _, p := range all {
			each = append(each, function(k, 3, p, latch, in))
		}
		if rng.IntN(2) == 0 {
			return g.OrN(each)
		}
		return g.AndN(each)
	}
	if rng.IntN(3) == 0 {
		s.Constraints = append(s.Constraints, g.Or(symmetric(101), symmetric(102)))
	}
	for k := range 1 + rng.IntN(2) {
		s.Bads = append(s.Bads, ts.Bad{Name: fmt.Sprint("bad", k), Lit: g.And(symmetric(200+k), symmetric(210+k)), Prop: k, Delay: rng.IntN(2)})
	}
	if err := tstest.Check(s); err != nil {
		panic(err)
	}
	perm := func(p []int) *ts.Perm {
		q := ts.Identity(s)
		for i, j := range p {
			q.Latch[i] = ts.Lit(j) << 1
			if own {
				q.Input[i] = ts.Lit(j) << 1
			}
			if starts {
				q.Init[i] = ts.Lit(j) << 1
			}
		}
		return q
	}
	y := &ts.Symmetry{}
	for k, swaps := range sh.blocks {
		b := ts.Block{Name: fmt.Sprint("T", k), Class: -1, Elems: []int{0}}
		for i, p := range swaps {
			b.Elems = append(b.Elems, i+1)
			b.Swaps = append(b.Swaps, perm(p))
		}
		y.Blocks = append(y.Blocks, b)
	}
	for k, gens := range sh.groups {
		f := ts.Group{Name: fmt.Sprint("G", k), Class: -1, Kind: "other", Order: big.NewInt(int64(len(closure(gens))))}
		for _, p := range gens {
			if q := perm(p); !q.IsIdentity() {
				f.Gens = append(f.Gens, q)
			}
		}
		if f.Gens != nil {
			y.Groups = append(y.Groups, f)
		}
	}
	if y.Trivial() {
		return s, nil
	}
	if err := y.Check(s); err != nil {
		panic(err)
	}
	return s, y
}

// TestRandomGroups is TestRandomSystems for groups of every recognised kind: with
// orbits written out, looked at on demand, and looked at by stabiliser chains.
func TestRandomGroups(t *testing.T) {
	n := 60
	if nightly.On() {
		n = 700
	}
	safe, deep, images := map[string]int{}, map[string]int{}, map[string]int64{}
	for seed := range uint64(n) {
		for _, h := range shapes(rand.New(rand.NewPCG(seed, 5))) {
			rng := rand.New(rand.NewPCG(seed, 6))
			sys, group := h.system(rng)
			o := newOracle(sys)
			for name, e := range map[string]*pdr.Engine{
				"default":   {NewSolver: newSolver},
				"on demand": pdr.Engine{NewSolver: newSolver}.Eager(1),
				"gini":      pdr.Engine{NewSolver: func() sat.Solver { return gini.New() }}.Eager(1),
				"chains":    pdr.Engine{NewSolver: newSolver}.Eager(1).WithChains(),
				"half":      pdr.Engine{NewSolver: newSolver}.Half(),
				"hard":      pdr.Engine{NewSolver: newSolver}.Eager(1).Hard(),
				"restless":  pdr.Engine{NewSolver: newSolver}.Eager(1).Restless(),
				"plain":     {NewSolver: newSolver, Plain: true},
			} {
				p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}}
				for i := range p.NumProps() {
					p.Props = append(p.Props, i)
					p.Groups = append(p.Groups, group)
				}
				r, err := e.Run(context.Background(), p, mc.Options{All: true})
				if err != nil {
					t.Fatalf("%s, seed %d, %s: %v", h.kind, seed, name, err)
				}
				if name != "default" && name != "plain" && name != "half" {
					images[h.kind+", "+name] += r.Stats.Images - r.Stats.Orbits
				}
				if r.Stats.InPart > 0 {
					t.Fatalf("%s, seed %d, %s: %d orbits looked at in part", h.kind, seed, name, r.Stats.InPart)
				}
				for i, pr := range r.Props {
					want := o.depth[i]
					switch {
					case pr.Status == mc.Unknown:
						t.Fatalf("%s, seed %d, %s: undecided: %s", h.kind, seed, name, r.Stopped)
					case (pr.Status == mc.Safe) != (want < 0):
						t.Fatalf("%s, seed %d, %s: %v, depth is %d", h.kind, seed, name, pr.Status, want)
					case pr.Status == mc.Safe:
						safe[h.kind]++
						if err := o.accepts(pr.Proof, []int{i}); err != nil {
							t.Fatalf("%s, seed %d, %s: %v", h.kind, seed, name, err)
						}
					case pr.Depth < want || pr.Bound >= want:
						t.Fatalf("%s, seed %d, %s: depth %d, bound %d, want depth %d", h.kind, seed, name, pr.Depth, pr.Bound, want)
					default:
						deep[h.kind] = max(deep[h.kind], want)
					}
				}
				if err := certify.Verify(context.Background(), p, r); err != nil || r.Open() > 0 {
					t.Fatalf("%s, seed %d, %s: the evidence was not accepted: %v", h.kind, seed, name, err)
				}
			}
		}
	}
	t.Logf("proofs %v, deepest violations %v, images on demand %v", safe, deep, images)
	for kind, d := range deep {
		if safe[kind] < n/2 || d < 2 {
			t.Errorf("%s: %d proofs, deepest violation %d: the systems are too easy", kind, safe[kind], d)
		}
		for _, how := range []string{", on demand", ", chains"} {
			if images[kind+how] == 0 {
				t.Errorf("no image was found on demand: %s%s", kind, how)
			}
		}
	}
}
