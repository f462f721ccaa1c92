// Package evidence is what engines give for a verdict, as data: nothing here runs an engine
// or believes one.
//
// A trace needs no word of its own; model and ts have them. Everything else says that
// something holds for all runs, and comes in one of three shapes:
//
//	Proof              an inductive invariant of clauses or a circuit, or induction over k steps
//	Closure, Layers    a list of states that no step leaves; of a liveness property also how far each is from p
//	Reaching           of a liveness property, sets of states as circuits, each with a step into one before
//
// Lemmas are the part of a proof that engines tell each other. All of these are about one
// transition system, whose latches and inputs they name by number. They are small under
// symmetry: one clause or set stands for its orbit under a group that comes with it.
//
// Check methods say only whether evidence is well-formed. Whether it shows what it claims
// is for mc/certify to decide.
package evidence

import (
	"fmt"

	"orbitmc/aig"
	"orbitmc/ts"
)

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

// About returns the properties a proof is about if it is given for prop.
func (f *Proof) About(prop int) []int {
	if f.Props == nil {
		return []int{prop}
	}
	return f.Props
}

// Check reports what is malformed in a proof about a system, but for the properties.
func (f *Proof) Check(sys *ts.System) error {
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
		if err := f.Circuit.Check(sys); err != nil {
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

// Check reports what is malformed in a circuit over the latches of a system.
func (c *Circuit) Check(sys *ts.System) error {
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
