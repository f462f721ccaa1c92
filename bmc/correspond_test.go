package bmc_test

import (
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/bmc"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/ts"
)

// correspond runs signal correspondence and checks its evidence.
func correspond(t *testing.T, p *mc.Problem) *mc.Result {
	t.Helper()
	r, err := (&bmc.Correspondence{NewSolver: newSolver}).Run(t.Context(), p, mc.Options{})
	if err == nil {
		err = certify.Verify(t.Context(), p, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCorrespondRandomSystems: on random systems what is proved holds.
func TestCorrespondRandomSystems(t *testing.T) {
	proved, open, more := 0, 0, 0
	for seed := range uint64(nightly.Or(600, 20_000)) {
		c := tstest.Random(rand.New(rand.NewPCG(seed, 37)))
		s := tstest.Explore(c.Sys)
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: c.Sys}, WellFormed: true, Groups: c.Groups}
		for i := range c.Groups {
			p.Props = append(p.Props, i)
		}
		r, one := correspond(t, p), induct(t, p, 1)
		for i, d := range s.Depth {
			switch pr := r.Props[i]; {
			case pr.Status == mc.Safe && d >= 0:
				t.Fatalf("seed %d: property %d is proved and violated at depth %d", seed, i, d)
			case pr.Status == mc.Safe:
				if proved++; one.Props[i].Status != mc.Safe {
					more++
				}
			case d < 0:
				open++
			}
		}
	}
	t.Logf("%d properties proved, %d of them not by induction with k = 1, %d that hold left open", proved, more, open)
	if proved < 200 || more < 20 {
		t.Error("the systems show too little")
	}
}

// encodings is a counter modulo 4 in binary and one-hot, both with an enable input and with what is shown gated by another
// one; the bad says that they show different things. If differ, one of them has no reset to 0.
func encodings(differ bool) *mc.Problem {
	s := &ts.System{G: aig.New(), W: aig.True}
	input := func(name string) aig.Lit {
		l := s.G.Input()
		s.Inputs = append(s.Inputs, ts.Signal{Name: name, Node: l.Node()})
		return l
	}
	latch := func(name string) aig.Lit {
		l := s.G.Input()
		s.Latches = append(s.Latches, ts.Latch{Name: name, Node: l.Node()})
		return l
	}
	on, show := input("on"), input("show")
	b := []aig.Lit{latch("b0"), latch("b1")}
	h := []aig.Lit{latch("h0"), latch("h1"), latch("h2"), latch("h3")}
	g := s.G
	s.Latches[0].Next = g.Xor(b[0], on)
	s.Latches[1].Next = g.Xor(b[1], g.And(on, b[0]))
	s.Latches[0].Reset, s.Latches[1].Reset = aig.False.NotIf(differ), aig.False
	for i := range h {
		s.Latches[2+i].Next = g.Mux(on, h[(i+3)%4], h[i])
		s.Latches[2+i].Reset = aig.False.NotIf(i == 0)
	}
	bad := aig.False
	for i := range h {
		is := g.And(b[0].NotIf(i&1 == 0), b[1].NotIf(i&2 == 0))
		bad = g.Or(bad, g.Xor(g.And(show, is), g.And(h[i], g.Or(show, g.And(h[0], h[1])))))
	}
	s.Bads = []ts.Bad{{Lit: bad}}
	return &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: s}, WellFormed: true, Props: []int{0}}
}

// TestCorrespondEncodings: gates are equal though latches are not, and what is equal depends on inputs. Induction with k = 1 does
// not prove it.
func TestCorrespondEncodings(t *testing.T) {
	if r := correspond(t, encodings(false)); r.Verdict() != mc.Safe {
		t.Errorf("%+v", r.Props)
	} else if c := r.Props[0].Proof.Circuit; c.Inputs == nil {
		t.Error("the invariant is not over inputs")
	}
	if r := correspond(t, encodings(true)); r.Verdict() != mc.Unknown {
		t.Errorf("%+v", r.Props)
	}
	if r := induct(t, encodings(false), 1); r.Verdict() != mc.Unknown {
		t.Errorf("induction: %+v", r.Props)
	}
}
