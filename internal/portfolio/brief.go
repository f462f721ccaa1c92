package portfolio

import (
	"context"

	"orbitmc/bmc"
	"orbitmc/internal/pace"
	"orbitmc/mc"
	"orbitmc/sat"
)

// This file lets k-induction and signal correspondence run beside the other engines on a netlist, for a while. Most of what they
// prove they prove with few conflicts, and some of that takes the other engines long. What is proved is a lemma of the rest, so
// that each time the while begins anew. docs/decisions.md has the figures.

const (
	briefK     = 5       // greatest k, as orbitmc induct has by default
	briefSteps = 1 << 21 // of internal/pace, so that the end does not depend on the machine; half a second to a second
)

// brief is an engine with a limit of work.
type brief struct {
	newSolver func() sat.Solver
	steps     int64
	engine    func(newSolver func() sat.Solver, proved func()) mc.Engine
}

// Name implements mc.Engine.
func (b *brief) Name() string { return b.engine(nil, nil).Name() }

// Run implements mc.Engine.
func (b *brief) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	steps := b.steps * int64(1+len(p.Props)/8)
	l, limited, cancel := pace.NewLimit(ctx, steps, mc.ErrWork)
	defer cancel()
	return b.engine(counted(l, b.newSolver), func() { l.Renew(steps) }).Run(l.With(limited), p, opt)
}

func inductor(newSolver func() sat.Solver, proved func()) mc.Engine {
	return &bmc.Inductor{NewSolver: newSolver, MaxK: briefK, Proved: proved}
}

func correspondence(newSolver func() sat.Solver, _ func()) mc.Engine {
	return &bmc.Correspondence{NewSolver: newSolver}
}
