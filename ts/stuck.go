package ts

import (
	"slices"

	"orbitmc/aig"
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
	x := newTernary(s)
	state := x.reset()
	stuck := make([]bool, len(state))
	first := slices.Clone(state)
	for i, v := range state {
		stuck[i] = v != unknown
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

// ternary simulates a system with three values.
type ternary struct {
	s      *System
	values []value // by node
}

type value byte

const (
	no value = iota
	yes
	unknown
)

func newTernary(s *System) *ternary {
	x := &ternary{s: s, values: make([]value, s.G.Len())}
	for n := 1; n < s.G.Len(); n++ {
		x.values[n] = unknown
	}
	return x
}

func (x *ternary) of(l aig.Lit) value {
	v := x.values[l.Node()]
	if v != unknown && l.Neg() {
		return 1 - v
	}
	return v
}

func (x *ternary) run() {
	g := x.s.G
	for n := 1; n < g.Len(); n++ {
		if !g.IsAnd(n) {
			continue
		}
		a, b := g.Fanins(n)
		switch v, w := x.of(a), x.of(b); {
		case v == no || w == no:
			x.values[n] = no
		case v == yes && w == yes:
			x.values[n] = yes
		default:
			x.values[n] = unknown
		}
	}
}

func (x *ternary) reset() []value {
	x.run()
	state := make([]value, len(x.s.Latches))
	for i, l := range x.s.Latches {
		state[i] = x.of(l.Reset)
	}
	return state
}

func (x *ternary) next(state []value) []value {
	for i, l := range x.s.Latches {
		x.values[l.Node] = state[i]
	}
	x.run()
	after := make([]value, len(state))
	for i, l := range x.s.Latches {
		after[i] = x.of(l.Next)
	}
	return after
}
