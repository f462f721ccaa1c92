package portfolio

import (
	"context"

	"orbitmc/bmc"
	"orbitmc/explicit/netlist"
	"orbitmc/internal/pace"
	"orbitmc/mc"
	"orbitmc/sat"
)

// This file lets k-induction and explicit search run beside the other engines on a netlist, within limits of work.
//
// Most of what k-induction proves it proves with a small k and few conflicts, and some of that takes the other engines
// long. docs/decisions.md has the figures.

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
func (e *briefInductor) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	l, limited, cancel := pace.NewLimit(ctx, e.steps, mc.ErrWork)
	defer cancel()
	return (&bmc.Inductor{NewSolver: counted(l, e.newSolver), MaxK: briefK}).Run(l.With(limited), p, opt)
}

// Explicit search needs neither clean-up nor symmetry, so it begins at once, on the netlist as it was read. These are its
// limits beside other engines, as most netlists have more states than it can visit; the steps take about a second.
const (
	enumerationSteps = 1 << 30
	enumerationBytes = 1 << 29
)

// enumeratingEngine is explicit search of a netlist.
type enumeratingEngine struct {
	mc.Engine
	x *preparation
}

// enumerating returns explicit search of a netlist, alone or beside other engines.
func (x *preparation) enumerating(e mc.Engine, beside bool) *enumeratingEngine {
	if all, ok := e.(perOrbit); ok { // no symmetry is known
		e = all.Engine
	}
	if search, ok := e.(*netlist.Engine); ok {
		own := *search
		own.Paths = x.task.Certificate
		if beside {
			own.Steps, own.Bytes = enumerationSteps, enumerationBytes
		}
		e = &own
	}
	return &enumeratingEngine{e, x}
}

func (e *enumeratingEngine) run(ctx context.Context, opt mc.Options) (*mc.Problem, *mc.Result, error) {
	r, err := e.Engine.Run(ctx, e.x.initial, opt)
	return e.x.initial, r, err
}
