package certify

import (
	"crypto/sha256"

	"orbitmc/aig"
	"orbitmc/ts"
)

// This file shows that latches of a netlist are stuck. A node has the set of values that it may have: both for an input,
// one for a latch whose value is known. The sets of all latches are followed from reset until they come again, or for
// so many steps. A latch is stuck at a value if it may have no other one in any of these states. Constraints are left out.

// may is a set of values.
type may uint8

const (
	mayBe0, mayBe1 may = 1, 2
	mayBeAny           = mayBe0 | mayBe1
)

// The states of a netlist are followed for so many nodes, and so many steps, at most: somewhat further than ts.Clean does.
const (
	stuckNodes = 1<<26 + 1<<25
	stuckSteps = 1<<12 + 1
)

// stuckAt returns, by latch, the value that it has in all reachable states; mayBeAny if that was not shown.
func stuckAt(s *ts.System, steps int) []may {
	sets := make([]may, s.G.Len())
	of := func(l aig.Lit) may {
		if m := sets[l.Node()]; l.Neg() {
			return m<<1&mayBe1 | m>>1
		} else {
			return m
		}
	}
	evaluate := func(latch func(i int) may) {
		for n := range sets {
			sets[n] = mayBeAny
		}
		sets[0] = mayBe0
		for i, l := range s.Latches {
			sets[l.Node] = latch(i)
		}
		for n := range sets {
			if s.G.IsAnd(n) {
				a, b := s.G.Fanins(n)
				x, y := of(a), of(b)
				sets[n] = x&y&mayBe1 | (x|y)&mayBe0
			}
		}
	}
	evaluate(func(int) may { return mayBeAny })
	state, met := make([]may, len(s.Latches)), make([]may, len(s.Latches))
	for i, l := range s.Latches {
		state[i] = of(l.Reset)
	}
	seen := make(map[[sha256.Size]byte]bool)
	for range steps {
		text := make([]byte, len(state))
		for i, m := range state {
			met[i] |= m
			text[i] = byte(m)
		}
		sum := sha256.Sum256(text)
		if seen[sum] {
			return met
		}
		seen[sum] = true
		evaluate(func(i int) may { return state[i] })
		for i, l := range s.Latches {
			state[i] = of(l.Next)
		}
	}
	for i := range met {
		met[i] = mayBeAny
	}
	return met
}
