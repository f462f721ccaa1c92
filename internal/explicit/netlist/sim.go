package netlist

import (
	"math/bits"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file simulates a netlist for many states and inputs: a lane of a word is a pair of a state and an input. With fewer than six
// inputs a word has several states, and with more of them a state has several words.

// laneSim simulates functions of a system, in a graph of their own.
type laneSim struct {
	sys     *ts.System
	latches []int // that the functions depend on, in any frame, ascending
	inputs  []int
	init    []int // initial inputs that their resets depend on

	copier *aig.Copier // from the graph of sys
	sim    *aig.Sim    // its leaves are the latches, the inputs and the initial inputs, in this order: nodes 1, 2, …
	gates  int

	constraints, bads, conditions, next, reset []aig.Lit

	out   lanes64
	grid  [64]uint64
	chunk int // of the inputs beyond the first six
}

// lanes64 is what 64 pairs of a state and an input lead to.
type lanes64 struct {
	ok         uint64   // constraints hold
	bads       []uint64 // by number in the system
	conditions []uint64
	next       [64]uint64 // states
	shift      int        // lane >> shift is the place of the state
}

// met returns the conditions that a lane meets.
func (l *lanes64) met(lane int) (set uint32) {
	for i, c := range l.conditions {
		set |= uint32(c>>lane&1) << i
	}
	return set
}

// newLaneSim returns a simulator of functions, and of the latches that they depend on in later frames.
func newLaneSim(sys *ts.System, latches []int, roots []aig.Lit) *laneSim {
	g := aig.NewPlain()
	s := &laneSim{sys: sys, latches: latches, copier: aig.NewCopier(g, sys.G), sim: aig.NewSim(g)}
	var resets []aig.Lit
	for _, i := range s.latches {
		roots, resets = append(roots, sys.Latches[i].Next), append(resets, sys.Latches[i].Reset)
		s.copier.Set(sys.Latches[i].Node, g.Input())
	}
	roots = append(roots, resets...)
	in := lists.Set(sys.G.Support(roots))
	leaves := func(of []ts.Signal) (used []int) {
		for i, x := range of {
			if in[x.Node] {
				used = append(used, i)
				s.copier.Set(x.Node, g.Input())
			}
		}
		return used
	}
	s.inputs, s.init = leaves(sys.Inputs), leaves(sys.Init)
	s.copies(roots)
	s.gates = g.Len() - 1 - g.NumInputs()
	s.constraints = s.copies(sys.Constraints)
	for _, i := range s.latches {
		s.next, s.reset = append(s.next, s.copier.Copy(sys.Latches[i].Next)), append(s.reset, s.copier.Copy(sys.Latches[i].Reset))
	}
	return s
}

func (s *laneSim) copies(ls []aig.Lit) (all []aig.Lit) {
	return lists.Map(ls, func(l aig.Lit) aig.Lit { return s.copier.Copy(l) })
}

// together is how many states a word has.
func (s *laneSim) together() int { return 64 >> min(6, len(s.inputs)) }

// masks has bit i of the number of a lane.
var masks = [6]uint64{0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000}

// count gives leaves from a first one on the values that make a number, of which the lane is the lowest bits and chunk the others.
func (s *laneSim) count(first, leaves, chunk int) {
	for i := range leaves {
		if i < len(masks) {
			s.sim.Set(first+i, masks[i])
		} else {
			s.sim.Set(first+i, -uint64(chunk>>(i-len(masks))&1))
		}
	}
	s.sim.Run()
}

// steps calls do with what states, no more than together, lead to with all inputs. It is valid until the next call.
func (s *laneSim) steps(states []uint64, do func(w *lanes64)) {
	shift := min(6, len(s.inputs))
	used := ^uint64(0)
	if n := len(states) << shift; n < 64 {
		used = 1<<n - 1
	}
	for i := range s.latches {
		w := uint64(0)
		for k, state := range states {
			if state>>i&1 == 1 {
				w |= (1<<(1<<shift) - 1) << (k << shift)
			}
		}
		s.sim.Set(1+i, w)
	}
	for chunk := range 1 << (len(s.inputs) - shift) {
		s.count(1+len(s.latches), len(s.inputs), chunk)
		w := &s.out
		w.shift, w.ok = shift, used
		for _, c := range s.constraints {
			w.ok &= s.sim.Word(c)
		}
		w.bads, w.conditions = w.bads[:0], w.conditions[:0]
		for _, b := range s.bads {
			w.bads = append(w.bads, s.sim.Word(b))
		}
		for _, c := range s.conditions {
			w.conditions = append(w.conditions, s.sim.Word(c))
		}
		s.states(s.next, &w.next)
		s.chunk = chunk
		do(w)
	}
}

// states writes the states of the lanes.
func (s *laneSim) states(functions []aig.Lit, to *[64]uint64) {
	clear(s.grid[:])
	for i, l := range functions {
		s.grid[i] = s.sim.Word(l)
	}
	transpose(&s.grid)
	*to = s.grid
}

// transpose exchanges rows and columns of bits (Hacker's Delight, 7-3).
func transpose(a *[64]uint64) {
	m := uint64(0x00000000ffffffff)
	for j := 32; j != 0; j, m = j>>1, m^m<<(j>>1) {
		for k := 0; k < 64; k = (k + j + 1) &^ j {
			t := (a[k]>>j ^ a[k+j]) & m
			a[k] ^= t << j
			a[k+j] ^= t
		}
	}
}

// startOf returns initial inputs for a reset state.
func (s *laneSim) startOf(state uint64) (init []bool) {
	init = make([]bool, len(s.sys.Init))
	s.eachStart(func(x uint64, values int) bool {
		for i, at := range s.init {
			init[at] = values>>i&1 == 1
		}
		return x != state
	})
	return init
}

// eachStart calls do with reset states, some several times, and the initial inputs that they have, while it returns true. Bit i of values is
// that of s.init[i].
func (s *laneSim) eachStart(do func(state uint64, values int) bool) {
	var states [64]uint64
	for chunk := range 1 << max(0, len(s.init)-6) {
		s.count(1+len(s.latches)+len(s.inputs), len(s.init), chunk)
		s.states(s.reset, &states)
		for lane := range 1 << min(6, len(s.init)) {
			if !do(states[lane], chunk<<6|lane) {
				return
			}
		}
	}
}

// inputTo returns the first input with which a state leads to a lane that is right.
func (s *laneSim) inputTo(state uint64, right func(w *lanes64, lane int) bool) (in []bool) {
	s.steps([]uint64{state}, func(w *lanes64) {
		for ok := w.ok; ok != 0 && in == nil; ok &= ok - 1 {
			lane := bits.TrailingZeros64(ok)
			if !right(w, lane) {
				continue
			}
			in = make([]bool, len(s.sys.Inputs))
			for i, at := range s.inputs {
				if i < 6 {
					in[at] = lane>>i&1 == 1
				} else {
					in[at] = s.chunk>>(i-6)&1 == 1
				}
			}
		}
	})
	return in
}
