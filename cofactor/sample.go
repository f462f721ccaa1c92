package cofactor

import (
	"math/rand/v2"
	"slices"

	"orbitmc/aig"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file draws states that W allows, evenly, or representatives of such
// states. W is a conjunction over small parts of the state (parts.go). So its
// solutions are a product, and a state is drawn by drawing each factor.

// sampler draws states.
type sampler struct {
	n     int // latches
	rng   *rand.Rand
	parts []part
	total float64    // number of well-formed states; an estimate if a part is large
	drawn [][]uint64 // a fixed sample to estimate by: by word and latch
	seen  [][]bool   // solutions, newest last
	reach [][]bool   // some that satisfy the invariant
}

func newSampler(sys *ts.System, w aig.Lit, seed uint64, adjust func([]bool) []bool) *sampler {
	s := &sampler{n: len(sys.Latches), rng: rand.New(rand.NewPCG(seed, 1)), total: 1, parts: partsOf(sys, w, nil)}
	for _, p := range s.parts {
		s.total *= float64(len(p.values))
	}
	for range 16 {
		word := make([]uint64, len(sys.Latches))
		for k := range 64 {
			setLane(word, k, adjust(s.draw()))
		}
		s.drawn = append(s.drawn, word)
	}
	return s
}

func (s *sampler) draw() []bool {
	state := make([]bool, s.n)
	for _, p := range s.parts {
		v := p.values[s.rng.IntN(len(p.values))]
		for i, l := range p.latches {
			state[l] = v[i]
		}
	}
	return state
}

// near returns a state that differs from x in few parts.
func (s *sampler) near(x []bool) []bool {
	state := slices.Clone(x)
	for range 1 + s.rng.IntN(3) {
		p := s.parts[s.rng.IntN(len(s.parts))]
		v := p.values[s.rng.IntN(len(p.values))]
		for i, l := range p.latches {
			state[l] = v[i]
		}
	}
	return state
}

// saw takes note of a solution.
func (s *sampler) saw(x []bool) {
	if s.seen = append(s.seen, x); len(s.seen) > 64 {
		s.seen = s.seen[1:]
	}
}

// count estimates how many well-formed states a set has.
func (s *sampler) count(c *evidence.Circuit) float64 {
	hits := 0
	sim := aig.NewSim(c.G)
	for _, word := range s.drawn {
		for i, l := range c.Latches {
			sim.Set(l.Node(), word[i])
		}
		sim.Run()
		for w := sim.Word(c.Out); w != 0; w &= w - 1 {
			hits++
		}
	}
	return s.total * float64(hits) / float64(64*len(s.drawn))
}

// setLane stores state in lane k of a word for each latch.
func setLane(word []uint64, k int, state []bool) {
	for i, b := range state {
		word[i] &^= 1 << k
		if b {
			word[i] |= 1 << k
		}
	}
}
