package encode

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/ts"
)

// This file is about steps that put each new element of a multiset into the least free slot.
//
// The system lets an input choose the slot, so that permutations of slots are symmetries. A
// state of the model then has many encodings, one for each order of the slots. A search that
// follows paths from the reset states needs one of them only. It takes the path on which each
// step fills the least free slots: every path of the model has one, as a step may fill any free
// slot. On such paths permutations of slots are no symmetries. Permutations of components
// still are, since they take slots to slots of the same number.

// LeastSlots returns the condition that a step puts each new element of a multiset into the
// least slot that is free. It is a literal of Sys, over latches and inputs, and is true of a
// choice of inputs that is no step. Each path of the model is one of the system on which
// LeastSlots holds in every frame.
func (e *Encoding) LeastSlots() aig.Lit { return e.least }

func (e *Encoding) leastSlots() aig.Lit {
	g := e.Sys.G
	var all []aig.Lit
	for _, t := range e.stepTargets {
		for k, least := range t.slots {
			all = append(all, g.Implies(least, aig.MkLit(e.Sys.Inputs[t.first+k].Node, false)))
		}
	}
	return g.AndN(all)
}

// keepsSlots reports whether a permutation takes each slot of a multiset, and each input that
// chooses it, to a slot of the same number. Then it maps paths on which LeastSlots holds to
// such paths, if it is an automorphism.
func (e *Encoding) keepsSlots(p *ts.Perm) bool {
	latch, input := make([]int, len(e.Sys.Latches)), make([]int, len(e.Sys.Inputs)) // number of the slot + 1
	for _, s := range e.sets {
		for k := range s.slots {
			for leaf := s.base + k*s.stride; leaf < s.base+(k+1)*s.stride; leaf++ {
				for _, l := range e.LeafLatches(leaf) {
					latch[l] = k + 1
				}
			}
		}
	}
	for _, t := range e.stepTargets {
		for k := range t.hot {
			input[t.first+k] = k + 1
		}
	}
	return kept(latch, p.Latch) && kept(input, p.Input)
}

// kept reports whether each image has the number of what it is the image of.
func kept(number []int, image []ts.Lit) bool {
	for i, to := range image {
		if number[i] != number[to>>1] {
			return false
		}
	}
	return true
}

// KeepingSlots returns the factors of a group whose generators keep slots.
func (e *Encoding) KeepingSlots(y *ts.Symmetry) *ts.Symmetry {
	if y.Trivial() || len(e.sets) == 0 {
		return y
	}
	return y.Where(func(gens []*ts.Perm) bool {
		return !slices.ContainsFunc(gens, func(p *ts.Perm) bool { return !e.keepsSlots(p) })
	})
}
