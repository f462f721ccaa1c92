package evidence

import (
	"orbitmc/model"
	"orbitmc/ts"
)

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

// Components is a list of states of the product of a model and an automaton (model.Model.Product), with the strongly
// connected component of each. The claim is that no fair run is accepted by the automaton.
//
// A component names conditions that wait at every step within it: see Condition. A run that stayed there would make
// one of them wait for ever. Strong fairness minds that only if the condition could be met again and again: such a
// component names conditions of strong fairness that no step within it meets, and a fair run visits the members at
// which one of them could be met only so many times. The others have a component of the next level.
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

// Every says that the properties of a model hold at every size. The constants of Least were
// read as opaque (murphi.Options.Opaque): they are the sizes of classes and nothing else. The
// claim is that the invariants of the model are inductive together, that no step of a state in
// which they hold errs, and that no such state is deadlocked, whatever these sizes are from the
// least on. The invariants contain the lemmas.
type Every struct {
	Model *model.Model
	Least map[string]int // by constant
}

// Lemmas are clauses. The claim is that they, all their images under Group, and the lemmas
// posted before are inductive together: they hold in the reset states, and each step that
// the constraints allow keeps them.
type Lemmas struct {
	Clauses []ts.Clause
	Group   *ts.Symmetry // a verified group; nil: the clauses stand for themselves
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
