package portfolio

import (
	"context"

	"orbitmc/internal/explicit"
	"orbitmc/mc"
)

// This file lets explicit search for formulas run beside the other engines. It needs the model only, so it begins at
// once.

// formulas returns what runs explicit search for formulas.
func (pr *preparation) formulas(e mc.Engine) func(ctx context.Context, opt mc.Options) (*mc.Problem, *mc.Result, error) {
	e = bare(e)
	return func(ctx context.Context, opt mc.Options) (*mc.Problem, *mc.Result, error) {
		a, err := pr.task.ForFormulas(ctx)
		if err != nil {
			return nil, nil, err
		}
		blocks, all := explicit.FairBlocks(a.Problem.Formulas.Program, a.Problem.Blocks)
		if a.Problem.Blocks = blocks; !all {
			a.Typed = nil // the group that was found is not the one that is used
		}
		a.Problem.Full, a.Problem.Verified = pr.initial.Full, pr.verified
		pr.typed.Store(a)
		r, err := e.Run(ctx, a.Problem, opt)
		return a.Problem, r, err
	}
}
