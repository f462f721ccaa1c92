package evidence

import "orbitmc/model"

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
