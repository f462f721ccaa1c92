package detect_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/detect"
	"orbitmc/ts"
)

// complemented returns s with some latches and inputs replaced by their negations.
func complemented(rng *rand.Rand, s *ts.System) *ts.System {
	g := aig.NewPlain()
	out := &ts.System{G: g, W: aig.True}
	c := aig.NewCopier(g, s.G)
	var neg []bool
	leaf := func(node int) int {
		x := g.Input()
		flip := rng.IntN(2) == 0
		neg = append(neg, flip)
		c.Set(node, x.NotIf(flip))
		return x.Node()
	}
	for _, l := range s.Latches {
		out.Latches = append(out.Latches, ts.Latch{Name: l.Name, Node: leaf(l.Node)})
	}
	for i, l := range s.Latches {
		out.Latches[i].Reset = l.Reset.NotIf(neg[i])
	}
	for _, in := range s.Inputs {
		out.Inputs = append(out.Inputs, ts.Signal{Name: in.Name, Node: leaf(in.Node)})
	}
	for i, l := range s.Latches {
		out.Latches[i].Next = c.Copy(l.Next).NotIf(neg[i])
	}
	for _, b := range s.Bads {
		b.Lit = c.Copy(b.Lit)
		out.Bads = append(out.Bads, b)
	}
	return out
}

// signedSymmetries counts by brute force the signed permutations that keep a
// small system.
func signedSymmetries(s *ts.System) (count int) {
	nl, n := len(s.Latches), len(s.Latches)+len(s.Inputs)
	p := ts.Identity(s)
	image := make([]ts.Lit, n)
	used := make([]bool, n)
	var each func(i int)
	each = func(i int) {
		if i == n {
			copy(p.Latch, image[:nl])
			for k, l := range image[nl:] {
				p.Input[k] = l - ts.Lit(2*nl)
			}
			if keeps(s, p) {
				count++
			}
			return
		}
		lo, hi := 0, nl
		if i >= nl {
			lo, hi = nl, n
		}
		for j := lo; j < hi; j++ {
			for sign := range ts.Lit(2) {
				if !used[j] {
					used[j] = true
					image[i] = ts.Lit(2*j) | sign
					each(i + 1)
					used[j] = false
				}
			}
		}
	}
	each(0)
	return count
}

// TestPhase: where components hold the opposite of what others hold, permutations
// that negate are found, and no others.
func TestPhase(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	more, exact, hidden, signed := 0, 0, 0, 0
	for k := range 250 {
		s := randomSystem(rng)
		if len(s.Latches)+len(s.Inputs) > 5 {
			continue
		}
		want := symmetries(s)
		s = complemented(rng, s)
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		opt := provers()
		plain, err := detect.Detected(context.Background(), s, opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.Phase = true
		d, err := detect.Detected(context.Background(), s, opt)
		if err != nil {
			t.Fatal(err)
		}
		if d.Unverified > 0 {
			t.Errorf("system %d: %d generators not verified", k, d.Unverified)
		}
		all := signedSymmetries(s)
		if int64(all)%d.Order.Int64() != 0 || d.Order.Int64()%plain.Order.Int64() != 0 || d.Symmetry.Order().Cmp(d.Order) != 0 {
			t.Fatalf("system %d: order %v, %v without negation, %v in factors, in a group of order %d", k, d.Order, plain.Order, d.Symmetry.Order(), all)
		}
		if err := d.Symmetry.Check(s); err != nil {
			t.Fatal(err)
		}
		for _, p := range append(d.Generators, d.Symmetry.Generators()...) {
			if !keeps(s, p) {
				t.Fatalf("system %d: %v is no symmetry", k, p)
			}
			for _, l := range append(p.Latch, p.Input...) {
				signed += int(l & 1)
			}
		}
		if plain.Order.Int64() < int64(want) {
			hidden++
			if d.Order.Int64() >= int64(want) {
				more++
			}
		}
		if d.Order.Int64() == int64(all) {
			exact++
		}
	}
	t.Logf("symmetry hidden by negation in %d systems, found in %d; all of it in %d; %d signs", hidden, more, exact, signed)
	if hidden < 40 || more < hidden*4/5 || exact < 110 {
		t.Error("too little was found")
	}
}
