package portfolio

import (
	"context"

	"orbitmc/internal/explicit/netlist"
	"orbitmc/mc"
)

// This file lets explicit search of netlists run beside the other engines. It needs neither clean-up nor symmetry, so it
// begins at once, on the netlist as it was read. Beside others it has a limit of work, as most netlists have more states
// than it can visit.

// Its limits beside other engines; the steps take about a second.
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
func (pr *preparation) enumerating(e mc.Engine, beside bool) *enumeratingEngine {
	e = bare(e) // no symmetry is known
	if search, ok := e.(*netlist.Engine); ok {
		own := *search
		own.Paths = pr.task.Certificate
		if beside {
			own.Steps, own.Bytes = enumerationSteps, enumerationBytes
		}
		e = &own
	}
	return &enumeratingEngine{e, pr}
}

func (e *enumeratingEngine) run(ctx context.Context, opt mc.Options) (*mc.Problem, *mc.Result, error) {
	r, err := e.Engine.Run(ctx, e.x.initial, opt)
	return e.x.initial, r, err
}
