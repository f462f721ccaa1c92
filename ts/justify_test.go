package ts

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
)

// TestJustify changes what is not marked in random traces of random systems: the
// bad still holds at the end, and all constraints do.
func TestJustify(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	traces, free := 0, 0
	for round := range 400 {
		s := randomSystem(rng)
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		for range 30 {
			tr := randomTrace(rng, s, rng.IntN(5))
			if s.Replay(tr, 0) != nil {
				continue
			}
			traces++
			marks, _ := s.Justify(tr, 0)
			for range 8 {
				u := randomTrace(rng, s, len(tr.Inputs)-1)
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

func randomTrace(rng *rand.Rand, s *System, steps int) *Trace {
	bits := func(n int) []bool {
		b := make([]bool, n)
		for i := range b {
			b[i] = rng.IntN(2) == 0
		}
		return b
	}
	t := &Trace{Init: bits(len(s.Init))}
	for range steps + 1 {
		t.Inputs = append(t.Inputs, bits(len(s.Inputs)))
	}
	return t
}

// randomSystem has reset functions, inputs, and perhaps a constraint.
func randomSystem(rng *rand.Rand) *System {
	g := aig.NewPlain()
	s := &System{G: g, W: aig.True}
	var initial, step []aig.Lit
	for i := range 3 {
		l := g.Input()
		s.Init = append(s.Init, Signal{fmt.Sprint("z", i), l.Node()})
		initial = append(initial, l)
	}
	for i := range 3 {
		l := g.Input()
		s.Inputs = append(s.Inputs, Signal{fmt.Sprint("y", i), l.Node()})
		step = append(step, l)
	}
	for i := range 4 {
		l := g.Input()
		s.Latches = append(s.Latches, Latch{Name: fmt.Sprint("x", i), Node: l.Node()})
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
	s.Bads = []Bad{{Name: "bad", Lit: pick(step)}}
	if rng.IntN(2) == 0 {
		s.Constraints = []aig.Lit{pick(step), aig.True}
	}
	return s
}
