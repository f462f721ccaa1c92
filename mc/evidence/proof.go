// Package evidence defines the evidence of verdicts, as data. It runs no engine and checks
// no claim.
//
// Traces are defined in model and ts. All other evidence says that something holds on all
// runs. It has one of four forms:
//
//	Proof              an inductive invariant of clauses or a circuit, or induction over k steps
//	Closure, Layers    a list of states that no step leaves; of a liveness property also how far each is from p
//	Every              an invariant of a model that is inductive at every size
//	Reaching           of a liveness property, sets of states as circuits, each with a step into one before
//
// Lemmas are clauses of a proof that engines exchange. All evidence is about one transition
// system and names latches and inputs by number. Evidence is small under symmetry: it
// contains a group, and one clause or set stands for its orbit.
//
// Check methods say only whether evidence is well-formed. internal/certify decides whether the
// claims are true.
package evidence

import (
	"errors"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/model"
	"orbitmc/ts"
)

// Proof says why properties are never violated (covers: never hit). Let Inv be
// the conjunction of all images of the clauses under Group, of Circuit (with all
// inputs), and of W. Then Inv holds in all reset states, a step that the constraints allow leads
// from Inv to Inv, and no bad of the properties
//
//   - holds in the first K frames of a run that keeps the constraints, nor
//   - in frame K of a path of K+1 states in Inv that keeps the constraints in
//     all its frames, has none of these bads in its first K frames and satisfies
//     Distinct.
//
// If no bad holds in any state of Inv, both conditions hold.
type Proof struct {
	Props   []int // proved together, ascending; nil: the one the proof is given for
	K       int   // at least 1
	Clauses []ts.Clause
	Group   *ts.Symmetry // a verified group; nil: the clauses stand for themselves
	Circuit *Circuit     // nil: none; closed under Group

	// Distinct lists pairs of frames and permutations. On a path the state of frame I
	// differs from the image of the state of frame J, I < J ≤ K. If Perm is a symmetry of
	// the system, this loses no generality. On a shortest run s_0 … s_m to a violation no
	// s_I is π(s_J): otherwise the run π⁻¹·(s_0 … s_I), s_{J+1} … would be shorter.
	Distinct []Distinct

	// Rounds, if it is not 0, says that the proof is about another system: it has the states of the
	// netlist with justice properties, a tracker and a counter, and its bad is the end of round
	// Rounds of the only property. See ts.NewCounted; W is that of the netlist.
	Rounds int
}

// Circuit is a predicate over the latches of a system in a graph of its own,
// whose inputs are Latches, by latch, and no others. That of a proof with k = 1 and without a group may be over
// the inputs of the system, too: it holds in a state if it holds with all inputs there.
type Circuit struct {
	G       *aig.Graph
	Latches []aig.Lit
	Inputs  []aig.Lit // by input; nil: it is over latches
	Out     aig.Lit
}

// NewCircuit returns the empty set of states of n bits.
func NewCircuit(n int) *Circuit {
	c := &Circuit{G: aig.New(), Out: aig.False}
	for range n {
		c.Latches = append(c.Latches, c.G.Input())
	}
	return c
}

// Distinct is a path constraint of k-induction; a nil Perm is the identity.
type Distinct struct {
	I, J int
	Perm *ts.Perm
}

// About returns the properties a proof is about if it is given for prop.
func (p *Proof) About(prop int) []int {
	if p.Props == nil {
		return []int{prop}
	}
	return p.Props
}

// Check reports what is malformed in a proof about a system, but for the properties.
func (p *Proof) Check(sys *ts.System) error {
	if p.K < 1 {
		return fmt.Errorf("k is %d", p.K)
	}
	for _, c := range p.Clauses {
		if len(c) == 0 {
			return fmt.Errorf("a clause is empty")
		}
		for _, l := range c {
			if l < 0 || int(l>>1) >= len(sys.Latches) {
				return fmt.Errorf("a clause is about latch %d of %d", l>>1, len(sys.Latches))
			}
		}
	}
	if p.Circuit != nil {
		if err := p.Circuit.check(sys); err != nil {
			return err
		}
		if p.Circuit.Inputs != nil && (p.K > 1 || p.Group != nil) {
			return fmt.Errorf("a circuit over inputs with k = %d, or a group", p.K)
		}
	}
	for _, d := range p.Distinct {
		if d.I < 0 || d.I >= d.J || d.J > p.K {
			return fmt.Errorf("frames %d and %d are to be distinct", d.I, d.J)
		}
		if d.Perm != nil {
			if err := d.Perm.Check(sys); err != nil {
				return err
			}
		}
	}
	for _, g := range p.Group.Generators() {
		if err := g.Check(sys); err != nil {
			return err
		}
	}
	return nil
}

// Check reports what is malformed in a circuit over the latches of a system.
func (c *Circuit) Check(sys *ts.System) error {
	if c.Inputs != nil {
		return errors.New("the circuit is over inputs")
	}
	return c.check(sys)
}

func (c *Circuit) check(sys *ts.System) error {
	if len(c.Latches) != len(sys.Latches) || c.Inputs != nil && len(c.Inputs) != len(sys.Inputs) || c.G.NumInputs() != len(c.Latches)+len(c.Inputs) {
		return fmt.Errorf("the circuit has %d inputs for %d latches", c.G.NumInputs(), len(sys.Latches))
	}
	seen := make(map[int]bool)
	for _, l := range slices.Concat(c.Latches, c.Inputs) {
		if l.Neg() || l.Node() >= c.G.Len() || !c.G.IsInput(l.Node()) || seen[l.Node()] {
			return fmt.Errorf("the circuit has %v for a latch or an input", l)
		}
		seen[l.Node()] = true
	}
	if c.Out.Node() >= c.G.Len() {
		return fmt.Errorf("the circuit has the output %v", c.Out)
	}
	return nil
}

// Every says that the properties of a model hold at every size. The constants of Least were
// read as opaque (murphi.Options.Opaque): they are the sizes of classes and nothing else. The
// claim is that the invariants of the model are inductive together, that no step of a state in
// which they hold errs, and that no such state is deadlocked, whatever these sizes are from the
// least on. The invariants contain the lemmas.
type Every struct {
	Model *model.Model
	Least map[string]int // by constant
	Order []int          // of sorts, see param.Conditions; nil: the one of the conditions. Any will do
}

// Lemmas are clauses. The claim is that they, all their images under Group, and the lemmas
// posted before are inductive together: they hold in the reset states, and each step that
// the constraints allow keeps them.
type Lemmas struct {
	Clauses []ts.Clause
	Group   *ts.Symmetry // a verified group; nil: the clauses stand for themselves
}
