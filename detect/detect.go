// Package detect finds the permutations of a model's components that really
// are symmetries of its transition system.
//
// Where candidates come from differs; nobody's word is taken: every generator
// of the groups returned here was checked to be an automorphism, that is, a
// permutation π of latches, inputs and initial inputs with
//
//	reset_π(l)(π·z) = reset_l(z)      next_π(l)(π·x, π·y) = next_l(x, y)
//	C∘π = C        W∘π = W            B∘π = B
//
// for the conjunction C of the constraints and every bad B of the properties
// the group is meant for. Of a property with instances (see Options.Instances) π
// maps each to another: H_πi(π·x) = H_i(x) for the condition H_i of instance i.
// All but the first and W∘π = W are required where W holds; that W holds in every
// reachable state is for the maker of the system to guarantee.
//
//	verify.go    is π an automorphism? first by structure
//	sweep.go     and if that does not show it, by SAT
//	declared.go  scalarsets: which of their elements are interchangeable
//	rings.go     and which of those of other types can be rotated
//	infer*.go    ranges and enums that are used as scalarsets are
//	witness.go   a concrete state that shows why not
//	explain.go   the same in words, with the rule and its line
//	order.go     two orders of a loop that give different results
//	places.go    the places of a model that would have to change
//	circuit.go   the coloured graph of a system
//	phase.go     the same with a vertex for each leaf and for its negation
//	cone.go      the same with truth tables in place of small functions
//	names.go     guesses from the names of leaves
//	renaming.go  the coloured graph of a model: names that can be exchanged
//	renamed.go   and their group, beside that of classes
//	analysis.go  the group that they make, as blocks and groups
//	detected.go  what its automorphisms show, whatever the model declares
//	byprop.go    the same for each property by itself
//	images.go    properties that are images of each other
//	obstacles.go the places of a netlist without which there is more
//	dot.go       a picture of the orbits
package detect

import (
	"context"
	"fmt"
	"time"

	"orbitmc/aig"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/ts"
)

// Source proposes permutations and reads bits back into the model.
type Source interface {
	// Transposition exchanges elements i and j of a class of Model.Scalarsets.
	Transposition(class, i, j int) *ts.Perm
	// Permutation acts in the way of perm.
	Permutation(perm model.ScalarPerm) *ts.Perm
	// EncodeState, EncodeStart and EncodeStep return the latches, initial inputs and
	// inputs that stand for a state, a start state instance and a rule instance in
	// the state of the latches.
	EncodeState(s model.State) []bool
	EncodeStart(ch model.Choice) []bool
	EncodeStep(latches []bool, ch model.Choice) []bool
	// DecodeState returns the state that the latches hold, or an error if they
	// hold none.
	DecodeState(latches []bool) (model.State, error)
	// DecodeStep returns the rule instance that the inputs choose in the state of the
	// latches, if any.
	DecodeStep(latches, inputs []bool) (ch model.Choice, ok bool)
}

// Prover decides functions of one graph, which may grow.
type Prover interface {
	Assert(l aig.Lit) // makes l true for good
	Solve(ctx context.Context, assume ...aig.Lit) sat.Status
	Value(l aig.Lit) bool // in the model, after Sat
}

// Options steer detection. The zero value compares structures only.
type Options struct {
	// NewProver returns a prover for the functions of g. Without it, what is not
	// equal by structure remains undecided.
	NewProver func(g *aig.Graph) Prover
	// Budget bounds the time the prover may take for one permutation; what it
	// leaves undecided is not used. Default 10 s.
	Budget time.Duration
	// Seed is that of the random walks which look for reachable witnesses.
	Seed uint64
	// Instances are the conditions of the instances of liveness properties, by
	// property. A liveness property without all of them is kept by the identity
	// only.
	Instances map[int][]Instance
	// Inferred says what to try on the classes that Infer added to the model; on
	// those without it, nothing.
	Inferred *Inference
	// Phase makes Detected look for permutations that negate latches and inputs too.
	Phase bool
	// Guess makes Detected try permutations that the structure does not show: those
	// that only keep what can be told of small functions from their truth tables,
	// and exchanges of numbers in the names of leaves; of them those that move
	// latches. It takes a prover to verify them.
	Guess bool
	// Choosing asks Declared for the places that break symmetry, see Report.Missing.
	// It returns the values of the leaves, by node, that choose a rule, or a start
	// state, by number: inputs, or initial inputs, which no transposition moves.
	Choosing func(start bool, rule int) map[int]bool
	// NoSlots leaves out the slots of multisets, which are of no use to those who
	// keep them sorted.
	NoSlots bool
}

// Instance is one instance of a property.
type Instance struct {
	Values []int64 // of the parameters of the property
	Holds  aig.Lit // that the property holds in a state, a literal of the system
}

// Report says which symmetries were found.
type Report struct {
	System *ts.Symmetry   // keeps resets, next functions, constraints and W
	ByProp []*ts.Symmetry // by property: the part of System that keeps all its bads as well
	Common *ts.Symmetry   // the part of System that keeps all bads

	// Images are the properties that are images of others, each of the first of its
	// orbit; ByProp finds them.
	Images map[int]ts.Image

	// A check is one permutation tried on the system, or, if it passed, on one
	// property.
	Tried                int // checks; the sum of the next three
	VerifiedStructurally int // checks passed by comparing structures alone
	VerifiedBySAT        int // checks passed with the help of the prover; they rest on W
	Refuted              int // checks failed or undecided, see Refutations
	Functions            int // pairs of functions compared in all checks
	Queries              int // of them, how many were put to the prover
	Refutations          []Refutation
	Missing              []Missing // with Options.Choosing: between any two blocks of Common, fewest places first
	Time                 time.Duration
}

// Blocks returns the orbits of y on the values of every scalarset class of m:
// class → blocks → values, both in ascending order. Values that y does not move
// are blocks of their own.
func Blocks(m *model.Model, y *ts.Symmetry) [][][]int {
	all := make([][][]int, len(m.Scalarsets))
	for c, t := range m.Scalarsets {
		block := make([][]int, t.Card()) // by least value
		moved := make([]bool, t.Card())
		if y != nil {
			for _, b := range y.Blocks {
				if b.Class == c {
					block[b.Elems[0]] = b.Elems
					for _, v := range b.Elems {
						moved[v] = true
					}
				}
			}
		}
		for v := range block {
			if !moved[v] {
				block[v] = []int{v}
			}
			if block[v] != nil {
				all[c] = append(all[c], block[v])
			}
		}
	}
	return all
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

// options with defaults filled in.
func (o Options) withDefaults() (Options, error) {
	if o.Budget < 0 {
		return o, fmt.Errorf("detect: the budget %v is negative", o.Budget)
	}
	if o.Budget == 0 {
		o.Budget = 10 * time.Second
	}
	return o, nil
}
