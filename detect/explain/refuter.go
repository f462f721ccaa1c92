// Package explain says why a permutation of a model's components is no symmetry.
//
// A witness is a state, with a rule instance that is fired in it, where the model and
// its image differ. The interpreter looks for one among sampled states, which are
// reachable. If there is none, the counterexample of the solver is read back into the
// model; it is well-formed and perhaps unreachable. The text names the rule, the loop
// that is probably to blame, the leaves of the state that matter, and both outcomes.
// Where a loop is suspected it is run in another order, to show that the order matters.
//
// Places are found without witnesses: they are the rules, start states and properties
// that would have to change for the permutation to be a symmetry.
//
// Soundness does not depend on this package: it makes no permutation pass. A witness is a
// difference that the interpreter shows. An undecided permutation is not used.
//
//	refuter.go  the entry: moves, searches, counterexamples
//	witness.go  sampled states, and what a witness is
//	explain.go  a refutation in words
//	loop.go     the loop that is probably to blame
//	order.go    two orders of a loop that give different results
//	places.go   the places that would have to change
package explain

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"orbitmc/detect"
	"orbitmc/detect/verify"
	"orbitmc/model"
	"orbitmc/ts"
)

// Source writes states and choices of a model as bits of its system, and reads them
// back.
type Source interface {
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

// Move is a permutation of the values of one class: what it does to the system, and
// what it does to the states of the interpreter.
type Move struct {
	Perm   *ts.Perm
	Class  int              // of the values that it moves
	Swap   *detect.Swap     // if it is a transposition; else nil
	Values model.ScalarPerm // nothing for slots: states hold them in one order
	Back   model.ScalarPerm // the inverse of Values
}

// NewMove returns the move that takes value v of a class to images[v], and does perm to
// the system.
func NewMove(m *model.Model, class int, images []int, perm *ts.Perm) Move {
	mv := Move{Perm: perm, Class: class, Values: make(model.ScalarPerm, len(m.Scalarsets)), Back: make(model.ScalarPerm, len(m.Scalarsets))}
	if !m.Scalarsets[class].Slots {
		mv.Values[class], mv.Back[class] = images, make([]int, len(images))
		for v, w := range images {
			mv.Back[class][w] = v
		}
	}
	return mv
}

// Instance returns what m takes an instance of a property to.
func (m *Move) Instance(p *model.Property, values []int64) []int64 {
	image := slices.Clone(values)
	for k, v := range values {
		t := p.Params[k].Var.Type
		if class, w, ok := t.Element(v); ok && m.Values[class] != nil {
			image[k] = t.Image(v, w, int64(m.Values[class][w]))
		}
	}
	return image
}

// A Refuter says why moves of a model are no symmetries. It is not safe for concurrent
// use.
type Refuter struct {
	Model  *model.Model
	Source Source
	System *ts.System     // made from Model
	Strict model.Strict   // quantifiers that it evaluates to the end
	Verify verify.Options // with defaults filled in

	world *world // nil until it is needed
}

// How many of the sampled states Search looks at: most asymmetries show in the few that
// are nearest to the start states.
const (
	Few = 32
	All = math.MaxInt
)

// sample returns the sampled states.
func (re *Refuter) sample() *world {
	if re.world == nil {
		re.world = newWorld(re.Model, re.Strict, re.Verify.Seed)
	}
	return re.world
}

// Search looks among sampled states, as many as are given, for a witness that mv is no
// symmetry: of the model if prop is -1, otherwise of that property. It returns nil if
// there is none. The error is that of ctx.
func (re *Refuter) Search(ctx context.Context, mv *Move, prop, states int) (*detect.Refutation, error) {
	w, err := re.sample().reachable(ctx, mv, prop, states, nil)
	if w == nil || err != nil {
		return nil, err
	}
	why := re.explain(mv, prop, "", w)
	return &why, nil
}

// Counterexample returns the refutation of a move that does not keep a function in the
// valuation x.
func (re *Refuter) Counterexample(mv *Move, prop int, function string, x verify.Valuation) detect.Refutation {
	return re.explain(mv, prop, function, re.witness(mv, prop, x))
}

// Decider returns a decider for the functions of v, guided by sampled states.
func (re *Refuter) Decider(v *verify.Verifier) *verify.Decider {
	rng := rand.New(rand.NewPCG(re.Verify.Seed, 2))
	return v.Decider(re.Verify, rng, func() verify.Valuation { return re.sample().draw(rng, re.Source, re.System) })
}

// witness reads a valuation back into the model; nil if the interpreter sees no
// difference.
func (re *Refuter) witness(mv *Move, prop int, x verify.Valuation) *witness {
	latches, inputs := x[:len(re.System.Latches)], x[len(re.System.Latches):][:len(re.System.Inputs)]
	s, err := re.Source.DecodeState(latches)
	if err != nil {
		return nil
	}
	w := &witness{s: s}
	if re.sample().differs(mv, prop, w) {
		return w
	}
	ch, ok := re.Source.DecodeStep(latches, inputs)
	if !ok {
		return nil
	}
	w.ch, w.hasChoice = ch, true
	if re.sample().differs(mv, prop, w) {
		return w
	}
	return nil
}
