// Package ts is the transition system all engines work on: latches with reset and
// next functions over an and-inverter graph, inputs, constraints, bad states and the
// well-formedness predicate W. It also holds states, traces and their replay,
// permutations and symmetries, and sequential clean-up.
//
//	system.go    systems
//	dump.go      systems as text
//	trace.go     traces and replay
//	cube.go      literals of leaves, cubes and clauses over latches
//	perm.go      signed permutations of leaves
//	symmetry.go  groups of them
//	clean.go     clean-up, and the way back
//	merge.go     latches that are constant or equal
//	coded.go     choices among inputs in binary
//	lasso.go     justice as safety
//	counted.go   justice as safety for proofs
package ts

import (
	"orbitmc/aig"
	"orbitmc/internal/lists"
)

// System is a transition system. The latches, inputs and initial inputs are
// the leaves of G, each exactly once; every function below is a literal of G.
// A step is total: the successor of (x, y) is next(x, y) whenever the
// constraints hold in (x, y).
type System struct {
	G       *aig.Graph
	Latches []Latch  // state x
	Inputs  []Signal // step inputs y
	Init    []Signal // initial inputs z: what reset functions read

	Constraints []aig.Lit // over latches and inputs: must hold in every frame up to and including that of the bad
	Bads        []Bad
	// W is a predicate over latches that holds in every reachable state: unused
	// codes do not occur, one-hot groups have at most one bit. True if unknown.
	W aig.Lit
}

// Signal is an input.
type Signal struct {
	Name string
	Node int // leaf of G
}

// Latch is a state bit.
type Latch struct {
	Name  string
	Node  int     // leaf of G
	Reset aig.Lit // over the initial inputs
	Next  aig.Lit // over latches and inputs
}

// Bad is a condition that must never hold, over latches and inputs.
type Bad struct {
	Name  string
	Lit   aig.Lit
	Prop  int // which property of the source it violates; several bads may share one
	Delay int // depth of a violation seen in frame k is k + Delay: 1 for errors inside a step, else 0
}

// LatchLit, InputLit and InitLit return the literal of the i-th leaf of each sort.
func (s *System) LatchLit(i int) aig.Lit { return aig.MkLit(s.Latches[i].Node, false) }
func (s *System) InputLit(i int) aig.Lit { return aig.MkLit(s.Inputs[i].Node, false) }
func (s *System) InitLit(i int) aig.Lit  { return aig.MkLit(s.Init[i].Node, false) }

// Numbers returns the numbers of the latches by their nodes.
func (s *System) Numbers() map[int]int {
	return lists.IndexBy(s.Latches, func(l Latch) int { return l.Node })
}

// Leaves returns the latches, the inputs and the initial inputs as signals, in this order.
func (s *System) Leaves() [3][]Signal {
	latches := lists.Map(s.Latches, func(l Latch) Signal { return Signal{l.Name, l.Node} })
	return [3][]Signal{latches, s.Inputs, s.Init}
}

// Place copies a function of the state, such as W, into a graph in which the latches are
// the given literals.
func (s *System) Place(g *aig.Graph, state []aig.Lit, f aig.Lit) aig.Lit {
	k := aig.NewCopier(g, s.G)
	for i, l := range s.Latches {
		k.Set(l.Node, state[i])
	}
	return k.Copy(f)
}
