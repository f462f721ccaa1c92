package ts

import (
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/internal/ternary"
)

// This file finds latches that are stuck, by simulation with three values: all inputs are unknown, and a latch is stuck
// if it has its reset value in all states of the run from reset. The run ends where a state comes again. Unlike the
// partition in merge.go this looks at one state after the other, so it also finds latches that are stuck because a reset
// sequence or a counter runs without inputs (Case, Mony, Baumgartner, Kanzelman: Enhanced verification by temporal decomposition,
// FMCAD 2009, make more of such sequences).

// The search for stuck latches evaluates so many nodes, and looks at so many states, at most.
const (
	mostNodes  = 1 << 26
	mostStates = 1 << 12
)

// stuck returns, by latch, whether it has its reset value in all reachable states, as far as three values show.
func (s *System) stuck() []bool {
	x := run{s, ternary.New(s.G)}
	state := x.reset()
	stuck := make([]bool, len(state))
	first := slices.Clone(state)
	for i, v := range state {
		stuck[i] = v != ternary.Unknown
	}
	// Brent's cycle detection: kept is a state of the run, and is replaced after 1, 2, 4, … steps.
	kept := slices.Clone(state)
	frames := min(mostStates, mostNodes/s.G.Len())
	for step, power := 1, 1; step <= frames; step++ {
		state = x.next(state)
		for i, v := range state {
			stuck[i] = stuck[i] && v == first[i]
		}
		if slices.Equal(state, kept) {
			return stuck
		}
		if step == power {
			power *= 2
			copy(kept, state)
		}
	}
	return nil
}

// run simulates a system with three values.
type run struct {
	s   *System
	sim *ternary.Sim
}

func (x run) all() {
	for n := range x.s.G.Len() {
		x.sim.Run(n)
	}
}

func (x run) reset() []ternary.Value {
	x.all()
	return lists.Map(x.s.Latches, func(l Latch) ternary.Value { return x.sim.Value(l.Reset) })
}

func (x run) next(state []ternary.Value) []ternary.Value {
	for i, l := range x.s.Latches {
		x.sim.Set(l.Node, state[i])
	}
	x.all()
	return lists.Map(x.s.Latches, func(l Latch) ternary.Value { return x.sim.Value(l.Next) })
}
