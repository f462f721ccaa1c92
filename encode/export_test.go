package encode

import (
	"context"

	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/ts"
)

// DecodeLeaves is DecodeState with the slots of multisets as they are in the
// system.
func (e *Encoding) DecodeLeaves(x []bool) (model.State, error) { return e.decodeLeaves(x) }

// DecodeChoice returns the rule instance the inputs choose; ok is false when
// they choose none. Its slot parameters are those of the system; see DecodeStep.
func (e *Encoding) DecodeChoice(inputs []bool) (ch model.Choice, ok bool) {
	return e.steps.decode(inputs)
}

// Targets returns the numbers of the signals that choose slots for new elements,
// of the inputs and of the initial inputs.
func (e *Encoding) Targets() (step, start []int) {
	list := func(ts targetSignals) (all []int) {
		for _, t := range ts {
			for k := range t.hot {
				all = append(all, t.first+k)
			}
		}
		return all
	}
	return list(e.stepTargets), list(e.startTargets)
}

// ModelWithin is Model with a limit on nodes.
func ModelWithin(m *model.Model, most int) (*Encoding, error) {
	return build(context.Background(), m, most, false)
}

// ProveWhole is ProveWellFormed without the cut system.
func ProveWhole(ctx context.Context, sys *ts.System, solver sat.Solver) error {
	return proveConjuncts(ctx, sys, conjuncts(sys), nil, solver)
}

// Together reports whether an error in a start state may violate several properties.
func (e *Encoding) Together() bool { return e.together }
