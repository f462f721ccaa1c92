package mc

import (
	"orbitmc/aig"
	"orbitmc/ts"
)

// This file holds the evidence of inductive engines.

// Proof says why a property is never violated (of a cover: never hit). Let Inv be
// the conjunction of all images of the clauses under Group, of Circuit, and of
// W. Then Inv holds in all reset states, a step that the constraints allow leads
// from Inv to Inv, and
//
//   - K = 1: no bad of the property holds in a state of Inv in which the
//     constraints hold, whatever the inputs;
//   - K > 1: none does in the first K frames of a run, nor in frame K of any path
//     of K+1 states in Inv that keeps the constraints, has none of the bads in its
//     first K frames and satisfies Distinct.
type Proof struct {
	K       int
	Clauses [][]int32    // over latches: number<<1, plus 1 if negated
	Group   *ts.Symmetry // a verified group; nil: the clauses stand for themselves
	Circuit *Circuit     // nil: none

	// Distinct lists pairs of frames and permutations: on a path the state of frame
	// I differs from the image of that of frame J, I < J ≤ K. Without loss of
	// generality, if Perm is a symmetry that keeps the property and no frame is the
	// image of an earlier one on a shortest path to a violation.
	Distinct []Distinct
}

// Circuit is a predicate over the latches of a system in a graph of its own,
// whose inputs are Latches, by latch, and no others.
type Circuit struct {
	G       *aig.Graph
	Latches []aig.Lit
	Out     aig.Lit
}

// Distinct is a path constraint of k-induction; a nil Perm is the identity.
type Distinct struct {
	I, J int
	Perm *ts.Perm
}
