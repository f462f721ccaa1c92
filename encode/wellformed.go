package encode

import (
	"context"
	"errors"
	"fmt"

	"orbitmc/aig"
	"orbitmc/sat"
	"orbitmc/ts"
)

// undecided returns why a solver gave no answer.
func undecided(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.New("internal error: the solver gave up without being told to")
}

// ProveWellFormed proves that W holds in every reachable state: in every reset
// state, and in every successor of a state in which it and the constraints
// hold. Whoever assumes W calls it once per system.
func ProveWellFormed(ctx context.Context, sys *ts.System, solver sat.Solver) error {
	reset := make(map[int]aig.Lit)
	next := make(map[int]aig.Lit)
	for _, l := range sys.Latches {
		reset[l.Node], next[l.Node] = l.Reset, l.Next
	}
	// Conjunct by conjunct: one query for all of them at once would be about every
	// leaf of the state together, where each is about one.
	parts := sys.G.Conjuncts(sys.W, nil, nil)
	base := sys.G.Compose(parts, reset)
	step := sys.G.Compose(parts, next)
	p := NewProver(sys.G, solver)
	for _, l := range base {
		switch p.Solve(ctx, l.Not()) {
		case sat.Sat:
			return fmt.Errorf("internal error: a reset state is not well-formed")
		case sat.Unknown:
			return undecided(ctx)
		}
	}
	p.Assert(sys.W)
	for _, c := range sys.Constraints {
		p.Assert(c)
	}
	for _, l := range step {
		switch p.Solve(ctx, l.Not()) {
		case sat.Sat:
			return fmt.Errorf("internal error: a well-formed state has a successor that is not")
		case sat.Unknown:
			return undecided(ctx)
		}
	}
	return nil
}
