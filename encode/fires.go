package encode

import (
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/model"
)

// This file tells which rule instances can fire, and which one does, as functions of the system:
// what fairness is about. An instance can fire if it is enabled, does not err, and no assumption
// fails. These functions are there after Stepping only.

// Fires returns when the inputs choose an instance that fires.
func (e *Encoding) Fires() aig.Lit { return e.Sys.G.OrN(slices.Concat(e.fires...)) }

// Fails returns when the inputs choose an instance that errs.
func (e *Encoding) Fails() aig.Lit { return e.Sys.G.OrN(e.fails) }

// Fired returns when the inputs choose this instance, and it fires.
func (e *Encoding) Fired(ch model.Choice) aig.Lit {
	conds := []aig.Lit{e.Sys.G.OrN(e.fires[ch.Rule])} // exactly one of a one-hot slot is set, or nothing fires
	for j, v := range ch.Params {
		e.steps.param(ch.Rule, j, v, func(signal int, on bool) { conds = append(conds, e.Sys.InputLit(signal).NotIf(!on)) })
	}
	return e.Sys.G.AndN(conds)
}

// Enabled returns when this instance can fire, a function of the state. Where it depends on which slots of
// multisets new elements are put into, there is an error.
func (e *Encoding) Enabled(ch model.Choice) (aig.Lit, error) {
	f := e.Sys.G.OrN(e.fires[ch.Rule])
	set := e.EncodeChoice(ch)
	assign := make(map[int]bool)
	for i, in := range e.Sys.Inputs {
		assign[in.Node] = set[i]
	}
	for _, t := range e.stepTargets {
		for k := range t.hot {
			node := e.Sys.Inputs[t.first+k].Node
			if slices.Contains(e.Sys.G.Support([]aig.Lit{f}), node) {
				r := e.Model.Rules[ch.Rule]
				return 0, fmt.Errorf("%s:%v: fairness of %s, which adds to a multiset, is not supported", e.Model.File, r.Pos, e.Model.FormatChoice(ch))
			}
		}
	}
	return e.Sys.G.Cofactor([]aig.Lit{f}, assign)[0], nil
}
