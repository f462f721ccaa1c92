// Package encode makes a transition system from a model.
//
// Model encodes each leaf of the state as latches and each rule as next
// functions. Inputs choose the rule and its parameters; initial inputs choose the
// start state. Values of scalarsets, unions and types that are Alike are one-hot,
// so a permutation of components is a permutation of latches and inputs. Other
// values are binary. An Encoding also holds the way back: DecodeTrace turns a trace of
// the system into a trace of the model.
//
// A rule body is executed symbolically, mostly once for all values of its parameters.
// The executor mirrors the interpreter of package model construct by construct.
// Tests compare the two on random models.
//
//	encoding.go    Encoding, Model and Named, which has an input for each rule
//	build.go       the builder: leaves that are always defined, next functions, bads
//	choice.go      the inputs that choose a rule instance
//	rule.go        guards and bodies of rules, start states, deadlock
//	props.go       properties
//	fires.go       which rule instances can fire, and which one does
//	path.go        symbolic execution: path conditions and errors
//	body.go        statements
//	eval.go        expressions
//	call.go        calls, which are inlined, and recursion
//	store.go       what a body wrote, and merging of branches
//	multiset.go    slots of multisets
//	element.go     which slot a variable names
//	slots_loop.go  loops over slots, whose order must not matter
//	pick.go        slots of the system and of the interpreter
//	least.go       steps that fill the least free slots
//	strict.go      quantifiers that are evaluated to the end
//	leaf.go        the latches of a leaf
//	value.go       symbolic values; hot.go: one-hot, bitwise.go: bit operators, union.go: unions
//	decode.go      from traces of the system to those of the model
//	meaning.go     what a latch says of a leaf
//	perm.go        permutations of components as permutations of latches and inputs
//	order.go       the order of the bits that representatives compare
//	wellformed.go  W and its proof
//	budget.go      limits on the size of an encoding
package encode

import (
	"context"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/model"
	"orbitmc/ts"
)

// Encoding is a model as a transition system, with the way back.
type Encoding struct {
	Model   *model.Model
	Program *model.Program
	Sys     *ts.System

	// PropBads lists, by property, its bads in Sys.Bads: none if it cannot be
	// violated, and none for liveness. A bad of a cover property hits it.
	PropBads [][]int

	// Instances are those of the liveness properties, by property.
	Instances map[int][]Instance

	RulesNamed bool // by an input each, see Named

	// Choices are the one-hot ones that a model without inferred symmetry would have in binary.
	// A search that permutes no inputs is faster with ts.NewCoded of them.
	Choices []ts.Choice

	// Strict are quantifiers that are evaluated to the end; nil: none. The system is that of the model
	// as long as none of them hides an error. The bads of each property ask for that, too.
	Strict      model.Strict
	hidden      []int // bads that say that an error is hidden
	hidingSteps int   // so many of these, the first ones, are about steps and start states

	leaves  []leafBits // by leaf of the model
	started int        // latch that is 1 once a valid start was chosen; -1 when it always is
	steps   *choices   // the inputs
	starts  *choices   // the initial inputs

	stepTargets, startTargets targetSignals
	sets                      []setLeaves // multisets of the state
	picks                     []pick
	together                  bool        // an error in a start state may violate several properties
	fires                     [][]aig.Lit // Stepping: by rule, when an instance is chosen that makes a step
	fails                     []aig.Lit   // Stepping: when an instance is chosen that errs
	least                     aig.Lit     // LeastSlots
}

// Instance is a liveness property for some values of its parameters.
type Instance struct {
	Values []int64
	Holds  aig.Lit // in a state: it holds, and its evaluation does not err; a literal of Sys.G
	Errs   aig.Lit // in a state: its evaluation errs
}

// Errs reports whether the evaluation of a property with instances may err.
func (e *Encoding) Errs(prop int) bool {
	return slices.ContainsFunc(e.Instances[prop], func(i Instance) bool { return i.Errs != aig.False })
}

// leafBits says which latches hold a leaf.
type leafBits struct {
	layout
	first int // latches first..first+n-1
	def   int // latch of the definedness bit; -1 when one-hot or known from others
	back  int // leaves back to the presence leaf of the slot it is in; 0 if in none
	known bool
}

// Model encodes m. It fails, with a position, on constructs that only the
// interpreter supports, and ends with the error of ctx soon after that ends.
func Model(ctx context.Context, m *model.Model) (*Encoding, error) {
	return build(ctx, m, maxNodes, false)
}

// Stepping is Model for an encoding that also tells which rules fire: see Fires.
func Stepping(ctx context.Context, m *model.Model) (*Encoding, error) {
	return built(m, func() *builder {
		b := newBuilder(ctx, m, maxNodes)
		b.stepping = true
		return b
	})
}

// Named is Model with an input for each rule and start state, so that exchanging
// them permutes inputs. It refuses models with more than MaxNamed of either.
func Named(ctx context.Context, m *model.Model) (*Encoding, error) {
	if n := max(len(m.Rules), len(m.Starts)); n > MaxNamed {
		return nil, fmt.Errorf("%s: %d rules or start states are too many to have an input each", m.File, n)
	}
	return build(ctx, m, maxNodes, true)
}

// MaxNamed is the most rules that have an input each.
const MaxNamed = 256

// build encodes m in a graph of at most so many nodes.
func build(ctx context.Context, m *model.Model, most int, named bool) (*Encoding, error) {
	return built(m, func() *builder {
		b := newBuilder(ctx, m, most)
		b.named, b.enc.RulesNamed = named, named
		return b
	})
}

func built(m *model.Model, start func() *builder) (enc *Encoding, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case unsupported:
			enc, err = nil, fmt.Errorf("%s:%v: %s", m.File, r.pos, r.msg)
		case ended:
			enc, err = nil, r.error
		default:
			panic(r)
		}
	}()
	checkSize(m)
	b := start()
	b.build()
	enc = b.finish()
	enc.Program = model.Compile(m)
	return enc, nil
}
