package certify

import (
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/mc"
	"orbitmc/ts"
)

// TestForms: functions with equal normal forms are equal, also under signed
// permutations of the leaves, and most that are equal by reordering are found.
func TestForms(t *testing.T) {
	const leaves = 5
	same, moved := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 51))
		g := aig.NewPlain()
		sys := &ts.System{G: g, W: aig.True}
		var lits []aig.Lit
		for range leaves {
			l := g.Input()
			sys.Latches = append(sys.Latches, ts.Latch{Node: l.Node(), Reset: aig.False, Next: l})
			lits = append(lits, l)
		}
		for range 30 {
			pick := func() aig.Lit { return lits[rng.IntN(len(lits))].NotIf(rng.IntN(2) == 0) }
			lits = append(lits, g.And(pick(), pick()))
		}
		sys.Constraints = lits[leaves:]
		p := ts.Identity(sys)
		for i, j := range rng.Perm(leaves) {
			p.Latch[i] = ts.Lit(j)<<1 | ts.Lit(rng.IntN(8)/7)
		}
		table := func(p *ts.Perm) *aig.Sim {
			sim := aig.NewSim(g)
			for i := range sys.Latches {
				var w uint64
				for x := range 1 << leaves {
					w |= uint64(x>>i&1) << x
				}
				to := sys.Latches[p.Latch[i]>>1]
				if p.Latch[i]&1 == 1 {
					w = ^w
				}
				sim.Set(to.Node, w)
			}
			sim.Run()
			return sim
		}
		c := New(t.Context(), &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}})
		plain, image := c.sym.plain, c.sym.view(p)
		f, fp := table(ts.Identity(sys)), table(p)
		const mask = 1<<(1<<leaves) - 1
		for _, a := range lits {
			for _, b := range lits {
				for _, b := range []aig.Lit{b, b.Not()} {
					if plain.form(a) == image.form(b) {
						if moved++; (f.Word(a)^fp.Word(b))&mask != 0 {
							t.Fatalf("seed %d: %v and the image of %v have one form and differ", seed, a, b)
						}
					}
					if a != b && plain.form(a) == plain.form(b) {
						if same++; (f.Word(a)^f.Word(b))&mask != 0 {
							t.Fatalf("seed %d: %v and %v have one form and differ", seed, a, b)
						}
					}
				}
			}
		}
	}
	t.Logf("%d pairs equal, %d equal to an image", same, moved)
	if same < 100 || moved < 1000 {
		t.Error("too few")
	}
}
