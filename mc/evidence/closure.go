package evidence

import (
	"context"
	"hash/crc64"

	"orbitmc/model"
)

// Closure is a list of states. The claim is that it is closed under steps, up to permutations
// of interchangeable values. States are packed by the packer of model.NewPacker.
type Closure interface {
	View
	// Len returns the number of members.
	Len() int64
	// Guess names the member i that s is mapped to by a permutation; nil is the
	// identity. The permutation is valid until the next call. ok is false if no
	// member is known.
	Guess(s []byte) (i int64, perm model.ScalarPerm, ok bool)
}

// Ordered is a Closure of which, at some members, only the steps of a stubborn set lead to members. One step of each such
// set leads to a member with a larger number, or to one that has no set.
type Ordered interface {
	Closure
	// Reduced reports whether a member has a stubborn set.
	Reduced(i int64) bool
	// Stubborn returns it, as that of Components.
	Stubborn(i int64, s model.State, can []model.Choice) []int32
}

// Kept is a Closure that is kept from run to run, and with it how far its check is.
type Kept interface {
	Closure
	// Checked returns what Keep was given last, by the same program for the same members; nil if there is nothing.
	Checked() []byte
	Keep(note []byte) // nil: there is nothing any more. It may fail: then Checked returns what was there before, or nil
}

// Layers say where the temporal operators of a model.Claim hold on a Closure, and why.
type Layers interface {
	// Layer returns the layer of member i as to temporal operator op, for the instance of the property with these values
	// of its parameters: -1 where it does not hold. Of EX and EY layers say nothing else. Of the others layer 0 is where
	// the second operand holds; any other number is larger than that of some successor (EU), of all (AU), or of some
	// predecessor (ES).
	Layer(op int, i int64, inst []int64) int
	// Atom returns whether an atom of the claim holds there. Of AG EF p that is not asked.
	Atom(atom int, i int64, inst []int64) bool
	// Fair says more of an operator ctl.Stay, EG x on fair paths. Its layers are those of E [x U y] where y holds on the
	// loops that are named.
	Fair(op int) Fair
}

// Fair says why EG x holds on fair paths, or does not. In pairs of a member and an instance from which x holds on the way
// round a loop, and where such a loop can be reached through x, it holds. The others in which x holds are in components, as
// of Components: a run that stays in one is not fair.
type Fair interface {
	Loops() []Loop
	// Component is that of Components, at a pair of layer -1 in which x holds.
	Component(i int64, inst []int64, level int) (number int, waiting []uint32, ok bool)
	Condition(number uint32) Condition
}

// Loop is a fair run without end that comes back to where it begins.
type Loop struct {
	Member int64 // it begins in this member
	Values []int64
	Steps  []model.Choice // of rule -1, and the only one, if the state repeats itself
}

// Steps say of successive members of a closure where their steps lead.
type Steps struct {
	First int64 // number of the first of these members

	// The steps of member First+i are those from Ends[i-1] to Ends[i]: the ones that
	// lead to another state, in the order of model.Machine.Successors.
	Ends    []uint32
	Targets []uint32 // by step: number of the member

	// Orbits says that the instances are left out that an exchange of neighbours in a block, which
	// keeps the member, maps to ones with smaller numbers: see mc.Problem.ByRule.
	Orbits bool

	// Perms has, by step, the image of each value of each class of Model.Scalarsets but
	// slots under the permutation that maps the successor to the member. It is empty if
	// that is the identity always.
	Perms []byte
}

// PermBytes returns how many bytes of Steps.Perms a step has, and false if there
// are values that do not fit into a byte.
func PermBytes(m *model.Model) (n int, ok bool) {
	for _, t := range m.Scalarsets {
		if !t.Slots {
			if t.Card() > 256 {
				return 0, false
			}
			n += int(t.Card())
		}
	}
	return n, true
}

// Watch checks that a set of states is closed while the search that makes it goes on.
type Watch interface {
	// Expanded tells where the steps of successive members lead, in order. The view has
	// all members that steps lead to; it and steps must not be changed afterwards, unless
	// steps are returned by a later call: they are no longer needed then. It may return nil.
	Expanded(view View, steps *Steps) (spare *Steps)
	// Close says that no more is told.
	Close()
}

// View is a list of packed states that may grow.
type View interface {
	// Member returns member i, from 0. It must not be changed.
	Member(i int64) []byte
}

// Enumerated is a list of states of a netlist. The claim is that it holds the reset states and the successors of its members,
// and that no member violates a property that is called safe.
type Enumerated struct {
	Latches []int    // that a state is made of, ascending: the other ones do not matter
	States  []uint64 // bit i is Latches[i]

	// Components says, if justice is decided, in which strongly connected component a member is. No step leads
	// to a larger number.
	Components []uint32
	// Missing has, by justice property and component, a condition, of the property and then of fairness, that no step
	// within the component meets; -1: there is no such step.
	Missing map[int][]int32
}

// Tree is a list of packed states of Size bytes each, as a tree table: a state is cut into words of four bytes, little
// endian, of which the last one may go on with zeros. Splits puts them together in pairs; a pair that several states
// have is there once. A pair has its first half in the upper 32 bits. A half is a word of the state, or the number of a
// pair in Parts.
type Tree struct {
	Size   int
	Splits []Split    // halves before what they are part of; the last one is of whole states
	Roots  [][]uint64 // by state, in blocks of TreeBlock: the pair of the last split
	Parts  [][]uint64 // by number, in such blocks: the pairs of all other splits, each xor the salt of its split
	Salts  []uint64   // by split
}

// Split says what the halves of a pair are: a split that comes before, or the complement of the number of a word.
type Split [2]int32

// TreeBlock is how many pairs a block of a Tree has.
const TreeBlock = 1 << 13

// Treed is a View that may be a Tree.
type Treed interface {
	View
	// Tree returns nil if there is none. Member i is state i of the tree.
	Tree() *Tree
}

// Components is a list of states of the product of a model and an automaton (model.Model.Product), with the strongly
// connected component of each. The claim is that no fair run is accepted by the automaton.
//
// A component names conditions that wait at every step within it: see Condition. A run that stayed there would make
// one of them wait for ever. Strong fairness minds that only if the condition could be met again and again: such a
// component names conditions of strong fairness that no step within it meets, and a fair run visits the members at
// which one of them could be met only so many times. The others have a component of the next level.
//
// At some members only the rule instances of a stubborn set are fired. Others have all of their steps in the list.
//
// Members are valid until the next one is read.
type Components interface {
	Closure
	// Component returns the component of a member at a level, and which conditions it names there, as the member
	// has them. Numbers never grow along a step. At a level that a member does not have, ok is false.
	Component(i int64, level int) (number int, waiting []uint32, ok bool)
	// Sibling names another member that differs in the state of the automaton only, or none: -1. It need not be right.
	Sibling(i int64) int64
	// Condition returns a condition by its number.
	Condition(number uint32) Condition
	// Stubborn returns the stubborn set of a member, as ascending numbers in model.Accesses, given its state and the
	// instances that can fire or err there; nil: all are fired.
	Stubborn(i int64, s model.State, can []model.Choice) []int32
	// Rank returns a number of a member that falls along the steps of each one that has a stubborn set.
	Rank(i int64) int64
}

// ConditionKind says what a condition is about.
type ConditionKind uint8

// Kinds of conditions.
const (
	Accepts ConditionKind = iota // a condition of the automaton: it waits where its state does not meet it
	Holds                        // an instance of a property of model.Fairness.Often: it waits where that is false
	Fires                        // a set of model.Fairness.Rules: it waits where one of them can fire and none does
)

// Condition is what a fair and accepted run meets again and again.
type Condition struct {
	Kind   ConditionKind
	Index  int     // of the condition of the automaton, the property, or the set
	Values []int64 // Holds: of the parameters. Fires, by element: see model.Program.Named
}

// Parted is a Closure in parts, on many machines, which check it part by part.
type Parted interface {
	Closure
	// Checked returns what was found of each part. If ctx ends first the error is that of ctx, and share says how much
	// was done.
	Checked(ctx context.Context) (looked []*Looked, met []*Met, share float64, err error)
}

// Part is a part of a Parted, with its members only; each is valid until the next is asked for. A state that a step
// leads to is sent to the part of which its image is to be a member. Of Guess the permutation counts.
type Part interface {
	Closure
	Number() (number, of int)
	Of(s []byte) int // the part that may have a state as a member
	Send(s []byte, to int) error

	// Meet yields the members, from being -1, and what was sent to the part, as often as it was sent, with the part
	// from which it was: all in ascending order, a member before the same state that was sent.
	Meet(yield func(s []byte, from int) error) error
}

// Tally counts states, each as often as it is added, with the sum of their hashes. So two tallies are equal, but for
// chance, if the same states were added, in whichever order.
type Tally struct {
	N   int64
	Sum uint64
}

var crcTable = crc64.MakeTable(crc64.ECMA)

// Add adds a state.
func (t *Tally) Add(s []byte) {
	t.N++
	t.Sum += (crc64.Checksum(s, crcTable) | 1) * 0x9e3779b97f4a7c15
}

// Looked is what was found of the members of a part, and where their steps lead.
type Looked struct {
	Members   Tally
	Sent      []Tally // by part
	Shown     []bool  // by property: a member or a step of one shows it
	Hid       bool    // a quantifier of mc.Problem.Strict hid an error
	Reference bool    // all was looked at by the reference interpreter
}

// Met is what was found of a part and what was sent to it: all was a member.
type Met struct {
	Members  Tally
	Received []Tally // by part
}

// Annotated is a list of states, each with a group of permutations: (s, P) stands for all p(s), p in
// <P>. The claim is that the set of all these images contains the start states and is closed
// under steps.
type Annotated struct {
	Kept   []model.Kept
	States []AnnotatedState

	// Guess names a state whose orbit contains that of s with a group, and a permutation
	// of its own group that maps s to it. ok is false if none is known.
	Guess func(s model.State, kept model.Kept) (i int, perm model.ScalarPerm, ok bool)
}

// AnnotatedState is a state, packed by the packer of model.NewPacker, and the number of its
// group.
type AnnotatedState struct {
	Packed []byte
	Kept   int
}
