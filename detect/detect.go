// Package detect defines the report on the symmetry of a model or a netlist. The packages
// below it find the symmetry.
//
// Permutations are proposed, then verified. No proposal is trusted: each generator of a group
// in a [Report] passed package verify.
//
//	verify     is this permutation a symmetry of this system? The trusted half
//
//	declared   of a model: the values of its scalarsets and inferred classes
//	infer      which ranges and enums of a model are used as scalarsets are
//	rename     of a model: variables, fields, rules and values that change names together
//	explain    of a model: why a permutation is no symmetry, and what would have to change
//
//	structure  of a netlist: automorphisms of its coloured graph, and guesses
//	decompose  a group of verified permutations as blocks and groups of representatives
//	dot        a picture of the orbits
//
//	graph      automorphisms of coloured graphs
//	group      permutation groups
//
// Packages declared, rename and structure propose and call verify. Package explain explains the
// proposals of declared that fail.
package detect

import (
	"cmp"
	"fmt"
	"math/big"
	"time"

	"orbitmc/aig"
	"orbitmc/model"
	"orbitmc/ts"
)

// Instance is one instance of a property.
type Instance struct {
	Values []int64 // of the parameters of the property
	Holds  aig.Lit // that the property holds in a state, a literal of the system
	Errs   aig.Lit // that its evaluation errs there
}

// Report says which symmetries were found.
type Report struct {
	System *ts.Symmetry   // keeps resets, next functions, constraints and W
	ByProp []*ts.Symmetry // by property: the part of System that keeps all its bads as well
	Common *ts.Symmetry   // the part of System that keeps all bads

	// Images are the properties that are images of others, each of the first of its
	// orbit. Only netlists have them.
	Images map[int]ts.Image

	// A check is one permutation tried on the system, or, if it passed, on one
	// property.
	Tried                int // checks; the sum of the next four
	VerifiedStructurally int // checks passed by comparing structures alone
	VerifiedBySAT        int // checks passed with the help of the prover; they rest on W
	Refuted              int // checks failed, see Refutations
	Unproved             int // checks neither passed nor known to fail
	Functions            int // pairs of functions compared in all checks
	Queries              int // of them, how many were put to the prover
	Refutations          []Refutation
	Open                 []string  // classes of which not all was tried, as the steps did not suffice
	Missing              []Missing // with task.Options.Explain: between any two blocks of Common, fewest places first
	Time                 time.Duration
}

// Refutation says why a permutation is not used.
type Refutation struct {
	Perm      string // its name: "NODE_1 <-> NODE_2"
	Prop      int    // property whose bads it does not keep; -1: the system itself
	What      string // the function that is not kept, or the first one not proved
	Undecided bool   // the prover found neither a proof nor a counterexample within its budget

	// Rule is the rule or start state that is not symmetric, nil if unknown or
	// not to blame. Pos is the position of the loop in it whose order seems to
	// matter, or of the rule, or of the property; zero if unknown.
	Rule *model.Rule
	Pos  model.Pos
	// Choice is the instance of Rule, fired in State, and not symmetric. State is
	// nil if there is no witness, and for start states. It is reachable if
	// Reachable; otherwise it is only known to be well-formed.
	State     model.State
	Choice    model.Choice
	Reachable bool

	// Order shows that the order of the loop at Pos matters: what firing Choice in
	// State gives if the loop takes the values as the interpreter does, and if it
	// takes them the other way. It is empty if that was not shown.
	Order string

	Text string // all this in words; several lines without the last newline
}

func (r Refutation) String() string { return r.Text }

// Swap names the transposition of values I < J of a scalarset class.
type Swap struct{ Class, I, J int }

// Place is a part of a model that a permutation does not keep: a rule, a start
// state, or a property.
type Place struct {
	Rule  *model.Rule     // nil for a property
	Start bool            // Rule is a start state
	Prop  *model.Property // nil for a rule
	// Why is the witness that the transposition does not keep this very place.
	Why Refutation
}

// Name returns how the place is called, with its position in the file.
func (p Place) Name(m *model.Model) string {
	kind, name, pos := "rule", "", model.Pos{}
	switch {
	case p.Prop != nil:
		kind, name, pos = p.Prop.Kind.String(), p.Prop.Name, p.Prop.Pos
		if pos == (model.Pos{}) {
			return fmt.Sprintf("%s %q", kind, name)
		}
	case p.Start:
		kind = "start state"
		fallthrough
	default:
		pos = p.Rule.Pos
		name = cmp.Or(p.Rule.Name, fmt.Sprintf("@%d", pos.Line))
	}
	return fmt.Sprintf("%s %q at %s:%v", kind, name, m.File, pos)
}

// Line returns the line of the place, 0 if it has none.
func (p Place) Line() int {
	if p.Rule != nil {
		return p.Rule.Pos.Line
	}
	return p.Prop.Pos.Line
}

// Missing is a transposition that is not in the common group of all properties.
type Missing struct {
	Swap              // and with it all exchanges of an element of its one block with one of the other
	Perm      string  // its name
	Places    []Place // that refute it, or may do so: rules, start states, properties, as they are declared
	Undecided int     // of these, how many were neither proved symmetric nor refuted
	// Order is that of the common group of all properties once these places are no
	// obstacle.
	Order *big.Int
}
