package certify

import (
	"context"
	"errors"
	"fmt"

	"orbitmc/mc"
	"orbitmc/model"
)

// This file compares a model with the program that it was made of. All other evidence about a program is evidence about
// its model.

// replayReference replays a trace in the interpreter of the source.
func replayReference(p *mc.Problem, r *mc.Result, pr *mc.PropResult, t *model.Trace) error {
	left, err := p.Reference.Replay(t)
	switch {
	case err != nil:
		return fmt.Errorf("internal error: the trace of %s for %q is none of the program: %w", r.Engine, p.Name(pr.Prop), err)
	case left == "":
		pr.Evidence += ", and in that of the program"
	default:
		pr.Evidence += "; that of the program does not cover " + left
	}
	return nil
}

// comparedReference tries a model beside its source, if some verdict rests on more than a trace.
func comparedReference(ctx context.Context, p *mc.Problem, r *mc.Result) error {
	var rest []*mc.PropResult
	for i := range r.Props {
		if pr := &r.Props[i]; pr.Status != mc.Unknown && (pr.Status != mc.ByTrace(p.Kind(pr.Prop)) || p.Kind(pr.Prop).Graph()) {
			rest = append(rest, pr)
		}
	}
	if rest == nil {
		return nil
	}
	left, states, err := p.Reference.Walk(ctx)
	if err != nil && !errors.Is(err, ctx.Err()) {
		return fmt.Errorf("internal error: the model is not that of the program, so what %s found says nothing: %w", r.Engine, err)
	}
	how := ""
	if states > 0 {
		how = fmt.Sprintf("program and model agree on all steps from %d states of random walks", states)
	}
	if left != "" {
		if how != "" {
			how += "; "
		}
		how += "the interpreter of the program does not cover " + left
	}
	for _, pr := range rest {
		if also(pr, how); err != nil {
			unfinished(ctx, r, pr)
		}
	}
	return nil
}
