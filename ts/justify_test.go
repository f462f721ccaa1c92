package ts_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/ts"
)

// TestJustify changes what is not marked in random traces of random systems: the
// bad still holds at the end, and all constraints do.
func TestJustify(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	traces, free := 0, 0
	for round := range 400 {
		s := anySystem(rng)
		if err := tstest.Check(s); err != nil {
			t.Fatal(err)
		}
		for range 30 {
			tr := anyTrace(rng, s, rng.IntN(5))
			if s.Replay(tr, 0) != nil {
				continue
			}
			traces++
			marks, _ := s.Justify(tr, 0)
			for range 8 {
				u := anyTrace(rng, s, len(tr.Inputs)-1)
				keep(u.Init, tr.Init, marks.Init)
				for k := range u.Inputs {
					keep(u.Inputs[k], tr.Inputs[k], marks.Inputs[k])
				}
				if err := s.Replay(u, 0); err != nil {
					t.Fatalf("round %d: what does not matter was changed: %v", round, err)
				}
			}
			for _, m := range append(marks.Inputs, marks.Init) {
				for _, b := range m {
					if !b {
						free++
					}
				}
			}
		}
	}
	if traces < 1000 || free < traces {
		t.Errorf("%d traces with %d inputs that do not matter", traces, free)
	}
}

func keep(dst, src, marks []bool) {
	for i, m := range marks {
		if m {
			dst[i] = src[i]
		}
	}
}

func anyTrace(rng *rand.Rand, s *ts.System, steps int) *ts.Trace {
	bits := func(n int) []bool {
		b := make([]bool, n)
		for i := range b {
			b[i] = rng.IntN(2) == 0
		}
		return b
	}
	t := &ts.Trace{Init: bits(len(s.Init))}
	for range steps + 1 {
		t.Inputs = append(t.Inputs, bits(len(s.Inputs)))
	}
	return t
}

// anySystem has reset functions, inputs, and perhaps a constraint.
func anySystem(rng *rand.Rand) *ts.System {
	g := aig.NewPlain()
	s := &ts.System{G: g, W: aig.True}
	var initial, step []aig.Lit
	for i := range 3 {
		l := g.Input()
		s.Init = append(s.Init, ts.Signal{fmt.Sprint("z", i), l.Node()})
		initial = append(initial, l)
	}
	for i := range 3 {
		l := g.Input()
		s.Inputs = append(s.Inputs, ts.Signal{fmt.Sprint("y", i), l.Node()})
		step = append(step, l)
	}
	for i := range 4 {
		l := g.Input()
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint("x", i), Node: l.Node()})
		step = append(step, l)
	}
	grow := func(ls []aig.Lit, n int) []aig.Lit {
		for range n {
			a, b := ls[rng.IntN(len(ls))], ls[rng.IntN(len(ls))]
			ls = append(ls, g.And(a.NotIf(rng.IntN(2) == 0), b.NotIf(rng.IntN(2) == 0)))
		}
		return ls
	}
	pick := func(ls []aig.Lit) aig.Lit { return ls[rng.IntN(len(ls))].NotIf(rng.IntN(2) == 0) }
	initial, step = grow(initial, 4), grow(step, 14)
	for i := range s.Latches {
		s.Latches[i].Reset, s.Latches[i].Next = pick(initial), pick(step)
	}
	s.Bads = []ts.Bad{{Name: "bad", Lit: pick(step)}}
	if rng.IntN(2) == 0 {
		s.Constraints = []aig.Lit{pick(step), aig.True}
	}
	return s
}
