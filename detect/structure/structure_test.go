package structure_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/detect/structure"
	"orbitmc/detect/verify"
	"orbitmc/encode"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/sat/cdcl"
	"orbitmc/ts"
)

func provers() structure.Options {
	return structure.Options{Verify: verify.Options{NewProver: func(g *aig.Graph) verify.Prover { return cnf.NewFocusedProver(g, cdcl.New()) }}}
}

// randomSystem returns a system of n equal components with a few latches each,
// and some that belong to no component; with a fault, one of them differs.
func randomSystem(rng *rand.Rand) *ts.System {
	g := aig.NewPlain()
	s := &ts.System{G: g, W: aig.True}
	n, width := 2+rng.IntN(2), 1+rng.IntN(2)
	global := rng.IntN(2)
	inputs := rng.IntN(2)
	latch := func() aig.Lit {
		l := g.Input()
		s.Latches = append(s.Latches, ts.Latch{Name: "l", Node: l.Node()})
		return l
	}
	rows := make([][]aig.Lit, n)
	for i := range rows {
		for range width {
			rows[i] = append(rows[i], latch())
		}
		for range inputs {
			in := g.Input()
			s.Inputs = append(s.Inputs, ts.Signal{Name: "i", Node: in.Node()})
			rows[i] = append(rows[i], in)
		}
	}
	var shared []aig.Lit
	for range global {
		shared = append(shared, latch())
	}
	seed := rng.Uint64()
	fault := rng.IntN(3) == 0
	next := func(own []aig.Lit, seed uint64) aig.Lit {
		rng := rand.New(rand.NewPCG(seed, 1))
		pool := append(slices.Clone(own), shared...)
		// All rows, whatever the order.
		var firsts []aig.Lit
		for _, r := range rows {
			firsts = append(firsts, r[0])
		}
		pool = append(pool, g.OrN(firsts), g.AndN(firsts), g.XorN(firsts))
		for range 3 {
			a, b := pool[rng.IntN(len(pool))].NotIf(rng.IntN(2) == 0), pool[rng.IntN(len(pool))].NotIf(rng.IntN(2) == 0)
			if rng.IntN(3) == 0 {
				pool = append(pool, g.Xor(a, b))
			} else {
				pool = append(pool, g.And(a, b))
			}
		}
		return pool[len(pool)-1].NotIf(rng.IntN(2) == 0)
	}
	k := 0
	for i := range rows {
		for j := range width {
			sd := seed + uint64(j)
			if fault && i == 0 && j == 0 {
				sd = seed + 99
			}
			s.Latches[k].Next = next(rows[i], sd)
			k++
		}
	}
	for range global {
		s.Latches[k].Next = next(nil, seed+50)
		k++
	}
	s.Bads = []ts.Bad{{Name: "b", Lit: next(nil, seed+60)}}
	return s
}

// symmetries counts by brute force the permutations of latches and inputs that
// keep a small system.
func symmetries(s *ts.System) (count int) {
	nl, ni := len(s.Latches), len(s.Inputs)
	sim := aig.NewSim(s.G)
	// Truth tables: by latch the next value, then the bad, in 64-valuation words.
	n := nl + ni
	eval := func(x uint) (next []bool, bad bool) {
		for i, l := range s.Latches {
			sim.Set(l.Node, uint64(0)-uint64(x>>i&1))
		}
		for i, in := range s.Inputs {
			sim.Set(in.Node, uint64(0)-uint64(x>>(nl+i)&1))
		}
		sim.Run()
		for _, l := range s.Latches {
			next = append(next, sim.Word(l.Next)&1 == 1)
		}
		return next, sim.Word(s.Bads[0].Lit)&1 == 1
	}
	var nexts [][]bool
	var bads []bool
	for x := range uint(1) << n {
		a, b := eval(x)
		nexts, bads = append(nexts, a), append(bads, b)
	}
	perm := make([]int, n)
	used := make([]bool, n)
	var each func(i int)
	each = func(i int) {
		if i == n {
			for x := range uint(1) << n {
				y := uint(0)
				for k := range n {
					y |= x >> k & 1 << perm[k]
				}
				if bads[x] != bads[y] {
					return
				}
				for k := range nl {
					if nexts[x][k] != nexts[y][perm[k]] {
						return
					}
				}
			}
			count++
			return
		}
		lo, hi := 0, nl
		if i >= nl {
			lo, hi = nl, n
		}
		for j := lo; j < hi; j++ {
			if !used[j] {
				used[j] = true
				perm[i] = j
				each(i + 1)
				used[j] = false
			}
		}
	}
	each(0)
	return count
}

// TestDetectedRandom: what is found are symmetries, and those of the components
// that a system was made of are found.
func TestDetectedRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	exact, nontrivial := 0, 0
	for k := range 400 {
		s := randomSystem(rng)
		d, err := structure.Detect(context.Background(), s, provers())
		if err != nil {
			t.Fatal(err)
		}
		if d.Unverified > 0 {
			t.Errorf("system %d: %d generators not verified", k, d.Unverified)
		}
		all := symmetries(s)
		if int64(all)%d.Order.Int64() != 0 {
			t.Errorf("system %d: a group of order %v, in one of order %d", k, d.Order, all)
		}
		if all > 1 {
			nontrivial++
			if d.Order.Int64() == int64(all) {
				exact++
			}
		}
		product := big.NewInt(1)
		for _, f := range d.Factors {
			product.Mul(product, f.Order)
		}
		if product.Cmp(d.Order) != 0 || d.Symmetry.Order().Cmp(d.Order) != 0 || d.Symmetry.Check(s) != nil {
			t.Errorf("system %d: factors %+v, order %v, %v", k, d.Factors, d.Order, d.Symmetry.Order())
		}
	}
	t.Logf("%d systems with symmetry, all of it found in %d", nontrivial, exact)
	if nontrivial < 100 || exact < nontrivial/2 {
		t.Errorf("all the symmetry of only %d of %d systems was found", exact, nontrivial)
	}
}

// TestDetectedModels: in the encoding of a model with verified scalarsets, their
// group is found again without being told.
func TestDetectedModels(t *testing.T) {
	for _, x := range []struct {
		file   string
		consts map[string]string
		order  string // of what moves latches: the product of the scalarsets
	}{
		{"german.m", map[string]string{"NODE_NUM": "4"}, "24"},
		{"mutex_sem.m", map[string]string{"N": "5"}, "120"},
		{"moesi.m", map[string]string{"NODE_NUM": "4"}, "24"},
	} {
		m, err := murphi.ReadFile(filepath.Join("..", "..", "benchmarks", "murphi", x.file), murphi.Options{Consts: x.consts})
		if err != nil {
			t.Fatal(err)
		}
		e, err := encode.Model(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		d, err := structure.Detect(context.Background(), e.Sys, provers())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d vertices, order %v, %+v", x.file, d.Vertices, d.Order, d.Factors)
		want, _ := new(big.Int).SetString(x.order, 10)
		if d.Symmetry.Order().Cmp(d.Order) != 0 || d.Symmetry.Check(e.Sys) != nil {
			t.Errorf("%s: the factors make a group of order %v", x.file, d.Symmetry.Order())
		}
		if d.Unverified > 0 || new(big.Int).Rem(d.Order, want).Sign() != 0 {
			t.Errorf("%s: order %v, %d unverified, want a multiple of %s", x.file, d.Order, d.Unverified, x.order)
		}
	}
}
