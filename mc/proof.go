package mc

import (
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/ts"
)

// This file holds the evidence of inductive engines.

// Proof says why properties are never violated (covers: never hit). Let Inv be
// the conjunction of all images of the clauses under Group, of Circuit, and of
// W. Then Inv holds in all reset states, a step that the constraints allow leads
// from Inv to Inv, and no bad of the properties
//
//   - holds in the first K frames of a run that keeps the constraints, nor
//   - in frame K of a path of K+1 states in Inv that keeps the constraints in
//     all its frames, has none of these bads in its first K frames and satisfies
//     Distinct.
//
// The second is so, in particular, where no bad holds in a state of Inv, and the
// first follows from that.
type Proof struct {
	Props   []int // proved together, ascending; nil: the one the proof is given for
	K       int   // at least 1
	Clauses []ts.Clause
	Group   *ts.Symmetry // a verified group; nil: the clauses stand for themselves
	Circuit *Circuit     // nil: none; it holds in an image of a state where it holds in the state

	// Distinct lists pairs of frames and permutations: on a path the state of frame
	// I differs from the image of that of frame J, I < J ≤ K. Without loss of
	// generality, if Perm is a symmetry of the system: on a shortest run to a
	// violation s_0 … s_m no s_I is π(s_J), or π⁻¹·(s_0 … s_I), s_{J+1} … were shorter.
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

// props returns the properties a proof is about if it is given for prop.
func (f *Proof) props(prop int) []int {
	if f.Props == nil {
		return []int{prop}
	}
	return f.Props
}

// check reports what is malformed in a proof that is given for prop.
func (f *Proof) check(p *Problem, prop int) error {
	props := f.props(prop)
	if !slices.IsSorted(props) || !slices.Contains(props, prop) {
		return fmt.Errorf("the proof is about the properties %v", props)
	}
	for _, q := range props {
		if q < 0 || q >= p.NumProps() || !HasTrace(p.Kind(q)) {
			return fmt.Errorf("the proof is about property %d", q)
		}
	}
	return f.wellFormed(p)
}

// wellFormed is check but for the properties.
func (f *Proof) wellFormed(p *Problem) error {
	sys := p.System()
	if f.K < 1 {
		return fmt.Errorf("k is %d", f.K)
	}
	for _, c := range f.Clauses {
		if len(c) == 0 {
			return fmt.Errorf("a clause is empty")
		}
		for _, l := range c {
			if l < 0 || int(l>>1) >= len(sys.Latches) {
				return fmt.Errorf("a clause is about latch %d of %d", l>>1, len(sys.Latches))
			}
		}
	}
	if f.Circuit != nil {
		if err := f.Circuit.check(sys); err != nil {
			return err
		}
	}
	for _, d := range f.Distinct {
		if d.I < 0 || d.I >= d.J || d.J > f.K {
			return fmt.Errorf("frames %d and %d are to be distinct", d.I, d.J)
		}
		if d.Perm != nil {
			if err := d.Perm.Check(sys); err != nil {
				return err
			}
		}
	}
	for _, g := range f.Group.Generators() {
		if err := g.Check(sys); err != nil {
			return err
		}
	}
	return nil
}

// check reports what is malformed in a circuit over the latches of a system.
func (c *Circuit) check(sys *ts.System) error {
	if len(c.Latches) != len(sys.Latches) || c.G.NumInputs() != len(c.Latches) {
		return fmt.Errorf("the circuit has %d inputs for %d latches", c.G.NumInputs(), len(sys.Latches))
	}
	seen := make(map[int]bool)
	for _, l := range c.Latches {
		if l.Neg() || l.Node() >= c.G.Len() || !c.G.IsInput(l.Node()) || seen[l.Node()] {
			return fmt.Errorf("the circuit has %v for a latch", l)
		}
		seen[l.Node()] = true
	}
	if c.Out.Node() >= c.G.Len() {
		return fmt.Errorf("the circuit has the output %v", c.Out)
	}
	return nil
}
