package portfolio

import (
	"context"

	"orbitmc/bmc"
	"orbitmc/internal/pace"
	"orbitmc/mc"
	"orbitmc/sat"
)

// This file lets k-induction run beside the other engines on a netlist, for a while. Most of what it proves it proves
// with a small k and few conflicts, and some of that takes the other engines long. What is proved is a lemma of the rest, so
// that each time the while begins anew. docs/decisions.md has the figures.

const (
	briefK     = 5       // greatest k, as orbitmc induct has by default
	briefSteps = 1 << 21 // of internal/pace, so that the end does not depend on the machine; half a second to a second
)

// briefInductor is bmc.Inductor with these limits.
type briefInductor struct {
	newSolver func() sat.Solver
	steps     int64
}

// Name implements mc.Engine.
func (*briefInductor) Name() string { return (*bmc.Inductor)(nil).Name() }

// Run implements mc.Engine.
func (b *briefInductor) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	steps := b.steps * int64(1+len(p.Props)/8)
	l, limited, cancel := pace.NewLimit(ctx, steps, mc.ErrWork)
	defer cancel()
	inductor := bmc.Inductor{NewSolver: counted(l, b.newSolver), MaxK: briefK, Proved: func() { l.Renew(steps) }}
	return inductor.Run(l.With(limited), p, opt)
}
