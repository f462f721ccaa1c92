package certify

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// redundantProblem returns the problem of all properties of a random system with much
// to clean up.
func redundantProblem(rng *rand.Rand) *mc.Problem {
	c := tstest.Random(rng)
	p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: tstest.Redundant(rng, c.Sys)}, WellFormed: true}
	for i := range c.Groups {
		p.Props = append(p.Props, i)
	}
	return p
}

// accepts reports whether the check accepts the clean-up.
func accepts(p *mc.Problem) bool {
	return New(context.Background(), p).cleanUp(p.Props) == nil
}

// mutate returns a system with the leaves of s that is another one in one place.
func mutate(rng *rand.Rand, s *ts.System) *ts.System {
	m := *s
	m.Latches, m.Bads, m.Constraints = slices.Clone(s.Latches), slices.Clone(s.Bads), slices.Clone(s.Constraints)
	i, j, sign := rng.IntN(len(s.Latches)), rng.IntN(len(s.Latches)), rng.IntN(2) == 0
	l := &m.Latches[i]
	switch rng.IntN(7) {
	case 0: // constant
		l.Reset, l.Next = aig.False.NotIf(sign), aig.False.NotIf(sign)
	case 1: // equal to another
		l.Reset, l.Next = s.Latches[j].Reset.NotIf(sign), s.Latches[j].Next.NotIf(sign)
	case 2:
		l.Next = s.Latches[j].Next.NotIf(sign)
	case 3:
		l.Reset = l.Reset.Not()
	case 4:
		m.Constraints = append(m.Constraints, s.LatchLit(i).NotIf(sign))
	case 5:
		b := &m.Bads[rng.IntN(len(m.Bads))]
		b.Lit = s.G.And(b.Lit, s.LatchLit(i).NotIf(sign))
	case 6:
		b := &m.Bads[rng.IntN(len(m.Bads))]
		b.Lit = aig.False
	}
	return &m
}

// TestCleanUpIsChecked: what ts.Clean does is accepted; of the clean-ups of systems
// that are wrong in one place none is by which a property would be proved that is
// violated.
func TestCleanUpIsChecked(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	gone, wrong, accepted := 0, 0, 0
	for k := range 500 {
		p := redundantProblem(rng)
		p.Clean()
		gone += len(p.Netlist.Latches) - len(p.System().Latches)
		if !accepts(p) {
			t.Fatalf("system %d: a right clean-up is refused", k)
		}
		depth := tstest.Explore(p.Netlist).Depth
		for range 4 {
			q := *p
			q.Cleaned = ts.Clean(mutate(rng, p.Netlist), ts.CleanOptions{})
			q.Cleaned.Source = p.Netlist
			misleads := false
			for prop, d := range tstest.Explore(q.System()).Depth {
				misleads = misleads || d < 0 && depth[prop] >= 0
			}
			ok := accepts(&q)
			if misleads && ok {
				t.Fatalf("system %d: a wrong clean-up is accepted", k)
			}
			if misleads {
				wrong++
			} else if ok {
				accepted++
			}
		}
	}
	t.Logf("%d latches gone, %d clean-ups that would mislead, %d others accepted", gone, wrong, accepted)
	if gone < 1000 || wrong < 300 || accepted < 100 {
		t.Error("too little happened")
	}
}

// TestCleanUpIsForItsProperties: bads that were left out are not proved, nor is
// another netlist.
func TestCleanUpIsForItsProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	tried := 0
	for range 100 {
		p := redundantProblem(rng)
		if len(p.Props) < 2 {
			continue
		}
		tried++
		q := *p
		q.Props = p.Props[1:]
		q.Clean()
		proof := &evidence.Proof{K: 1, Clauses: nil}
		if _, err := New(context.Background(), &q).Check(proof, 0); err == nil {
			t.Fatal("a property that was left out is proved")
		}
		q.Props = p.Props
		if accepts(&q) {
			t.Fatal("a bad was left out")
		}
		q.Clean()
		other := *q.Netlist
		q.Netlist = &other
		if accepts(&q) {
			t.Fatal("a clean-up of another netlist is accepted")
		}
	}
	if tried < 30 {
		t.Error("too little happened")
	}
}

// TestStuckAt: a value that a latch is said to be stuck at is that of all reachable states. Latches that are stuck only
// because a counter runs without inputs are found, unless the run is longer than the limit.
func TestStuckAt(t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 56))
	stuck := 0
	for k := range 1000 {
		s := tstest.Redundant(rng, tstest.Random(rng).Sys)
		at := stuckAt(s, 1000)
		for x, reached := range tstest.Explore(s).Reachable {
			for i, bit := range tstest.Bits(uint32(x), len(s.Latches)) {
				if !reached {
					break
				}
				if bit && at[i] == mayBe0 || !bit && at[i] == mayBe1 {
					t.Fatalf("system %d: latch %d is %v in a reachable state", k, i, bit)
				}
			}
		}
		for _, m := range at {
			if m != mayBeAny {
				stuck++
			}
		}
	}
	if stuck < 500 {
		t.Errorf("%d latches are stuck", stuck)
	}
	for last := 1; last < 16; last++ {
		for value := range 16 {
			s := tstest.Counting(4, last, value)
			if at := stuckAt(s, 100)[4]; (at == mayBe0) != (value > last) {
				t.Errorf("counter to %d, value %d: %v", last, value, at)
			}
			if at := stuckAt(s, last)[4]; at != mayBeAny {
				t.Errorf("counter to %d, value %d: %v after too few steps", last, value, at)
			}
		}
	}
}

// TestCleanUpOfStuckLatches: a clean-up is accepted that relies on latches which are stuck, though that is no inductive
// invariant; one that takes a latch for stuck which a counter sets late is refused.
func TestCleanUpOfStuckLatches(t *testing.T) {
	for last := 1; last < 16; last++ {
		for value := range 16 {
			s := tstest.Counting(4, last, value)
			p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: s}, WellFormed: true, Props: []int{0}}
			p.Clean()
			if !accepts(p) {
				t.Errorf("counter to %d, value %d: a right clean-up is refused", last, value)
			}
			wrong := *s
			wrong.Latches = slices.Clone(s.Latches)
			wrong.Latches[4].Next = aig.False
			p.Cleaned = ts.Clean(&wrong, ts.CleanOptions{})
			p.Cleaned.Source = s
			if accepts(p) != (value > last) {
				t.Errorf("counter to %d, value %d: that the latch is constant is accepted: %v", last, value, value <= last)
			}
		}
	}
}
