package certify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/ts"
)

// TestSweep: gates that sweeping finds to be kept by a permutation are, whether it is a
// symmetry or not, and there are such that normal forms do not find.
func TestSweep(t *testing.T) {
	kept, more, lost := 0, 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 61))
		c := tstest.RandomOf(rng, 3)
		sys := c.Sys
		k := New(t.Context(), &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}})
		leaves := len(sys.Latches) + len(sys.Inputs) + len(sys.Init)
		table := func(p *ts.Perm, word int) *aig.Sim {
			sim := aig.NewSim(sys.G)
			number := k.sym.numbers(p)
			for n := 1; n < sys.G.Len(); n++ {
				if k.leaves.has(n) {
					x := number(n)
					bit := int(x>>1) - 1
					var w uint64
					for v := range 64 {
						w |= uint64((word<<6|v)>>bit&1) << v
					}
					sim.Set(n, w^-uint64(x&1))
				}
			}
			sim.Run()
			return sim
		}
		p := c.Swaps[rng.IntN(len(c.Swaps))]
		if rng.IntN(3) == 0 { // one of which little is known
			q := *p
			q.Latch = slices.Clone(p.Latch)
			q.Latch[0], q.Latch[1] = q.Latch[1], q.Latch[0]^1
			p = &q
		}
		before, image := k.sym.view(p), k.sym.view(p)
		k.sym.sweep(p, image, sys.Roots())
		different := make([]bool, sys.G.Len())
		for word := range 1 << max(0, leaves-6) {
			f, fp := table(ts.Identity(sys), word), table(p, word)
			for n := range different {
				l := aig.MkLit(n, false)
				different[n] = different[n] || f.Word(l) != fp.Word(l)
			}
		}
		for _, n := range sys.G.Cone(sys.Roots()) {
			l := aig.MkLit(n, false)
			same := image.form(l) == k.sym.plain.form(l)
			switch {
			case same && different[n]:
				t.Fatalf("seed %d: gate %d is not kept", seed, n)
			case same:
				if kept++; before.form(l) != k.sym.plain.form(l) {
					more++
				}
			case !different[n]:
				lost++
			}
		}
	}
	t.Logf("%d gates kept, %d of them not by their normal forms; %d not found", kept, more, lost)
	if more < 100 || lost > more/10 {
		t.Error("too few")
	}
}

// rare returns a system where the exchange of a and b changes d in two states of 2^22
// only, and d must not be 1.
func rare() (*ts.System, *ts.Perm) {
	g := aig.New()
	sys := &ts.System{G: g, W: aig.True}
	var lits []aig.Lit
	for i := range 23 {
		l := g.Input()
		lits = append(lits, l)
		sys.Latches = append(sys.Latches, ts.Latch{Name: fmt.Sprint("l", i), Node: l.Node(), Reset: aig.False, Next: l})
	}
	a, b, d := lits[0], lits[1], lits[22]
	all := g.AndN(lits[2:22])
	sys.Latches[0].Next, sys.Latches[1].Next = aig.True, aig.True
	sys.Latches[22].Next = g.Or(d, g.Or(g.And(g.And(a, b), all.Not()), g.And(a, all)))
	swap := ts.Identity(sys)
	swap.Name = "a <-> b"
	swap.Latch[0], swap.Latch[1] = 2, 0
	return sys, swap
}

// TestUnprovedGate: a permutation that is no symmetry is refused though no random
// valuation shows it; believing them is a mistake.
func TestUnprovedGate(t *testing.T) {
	sys, swap := rare()
	k := New(t.Context(), &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true})
	if err := k.sym.system(swap); err == nil {
		t.Fatal("it is taken for a symmetry")
	}
	if len(k.sym.sweeper.same) == 0 {
		t.Fatal("nothing was compared")
	}
	// The double: all that was compared is the same.
	same := k.sym.sweeper.same
	for pair := range same {
		same[pair] = true
	}
	k.sym.newSweeper()
	k.sym.sweeper.same = same
	clear(k.sym.known)
	if err := k.sym.system(swap); err != nil {
		t.Errorf("with unproved equalities: %v", err)
	}
}

// TestSweptSum: sums over components in another order are found to be the same gate by
// gate, without a question about a whole function.
func TestSweptSum(t *testing.T) {
	const n = 12
	g := aig.New()
	sys := &ts.System{G: g, W: aig.True}
	var on []aig.Lit
	for i := range n {
		l := g.Input()
		on = append(on, l)
		sys.Latches = append(sys.Latches, ts.Latch{Name: fmt.Sprint("on", i), Node: l.Node(), Reset: aig.False})
	}
	sum := slices.Repeat([]aig.Lit{aig.False}, 4)
	for _, l := range on {
		carry := l
		for k, x := range sum {
			sum[k], carry = g.Xor(x, carry), g.And(x, carry)
		}
	}
	few := g.Or(g.And(sum[3], sum[2]), sum[1]).Not()
	for i, l := range on {
		sys.Latches[i].Next = g.And(l.Not(), few)
	}
	k := New(t.Context(), &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true})
	for i := range n - 1 {
		swap := ts.Identity(sys)
		swap.Latch[i], swap.Latch[i+1] = ts.Lit(i+1)<<1, ts.Lit(i)<<1
		before := k.queries
		if err := k.sym.system(swap); err != nil {
			t.Fatal(err)
		}
		image := k.sym.view(swap)
		if k.sym.sweep(swap, image, sys.Roots()); len(k.sym.differing(swap, image)) > 0 {
			t.Errorf("exchange of %d and %d: left to a question about the whole", i, i+1)
		}
		if q := k.queries - before; i > 0 && (q == 0 || q > 40) {
			t.Errorf("exchange of %d and %d: %d questions", i, i+1, q)
		}
	}
	swap := ts.Identity(sys)
	swap.Latch[0] ^= 1
	if err := k.sym.system(swap); err == nil {
		t.Error("a negation is taken for a symmetry")
	}
}
