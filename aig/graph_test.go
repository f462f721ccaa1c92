package aig

import (
	"math/rand/v2"
	"testing"
)

// truth is the truth table of up to 6 leaves: bit v is the value under valuation v.
var leafTable = [6]uint64{
	0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
	0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
}

// TestBuilders builds random functions of six leaves with every builder and
// compares each with its truth table, computed beside it.
func TestBuilders(t *testing.T) {
	for seed := uint64(0); seed < 300; seed++ {
		r := rand.New(rand.NewPCG(seed, 1))
		g := New()
		lits, tabs := []Lit{False}, []uint64{0}
		for i := range 6 {
			lits, tabs = append(lits, g.Input()), append(tabs, leafTable[i])
		}
		pick := func() (Lit, uint64) {
			i := r.IntN(len(lits))
			if r.IntN(2) == 0 {
				return lits[i] ^ 1, ^tabs[i]
			}
			return lits[i], tabs[i]
		}
		for range 200 {
			a, ta := pick()
			b, tb := pick()
			c, tc := pick()
			var l Lit
			var w uint64
			switch r.IntN(9) {
			case 0:
				l, w = g.And(a, b), ta&tb
			case 1:
				l, w = g.Or(a, b), ta|tb
			case 2:
				l, w = g.Xor(a, b), ta^tb
			case 3:
				l, w = g.Equal(a, b), ^(ta ^ tb)
			case 4:
				l, w = g.Implies(a, b), ^ta|tb
			case 5:
				l, w = g.Mux(a, b, c), ta&tb|^ta&tc
			case 6:
				l, w = g.AndN([]Lit{a, b, c}), ta&tb&tc
			case 7:
				l, w = g.OrN([]Lit{a, b, c}), ta|tb|tc
			case 8:
				l, w = g.XorN([]Lit{a, b, c}), ta^tb^tc
			}
			lits, tabs = append(lits, l), append(tabs, w)
		}
		s := NewSim(g)
		for i := range 6 {
			s.Set(i+1, leafTable[i])
		}
		s.Run()
		for i, l := range lits {
			if s.Word(l) != tabs[i] {
				t.Fatalf("seed %d: function %d is %x, want %x", seed, i, s.Word(l), tabs[i])
			}
		}
		if err := g.Check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}
