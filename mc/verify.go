package mc

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"orbitmc/model"
)

// This file checks what engines claim. Nothing is printed that did not pass.

// Verify checks the evidence of a result with code that no engine uses: every
// trace is replayed in the interpreter and its depth recomputed; the set behind
// the other verdicts is checked to be closed (see Closure), and for liveness
// properties to be layered (see Layers). An error means that an engine is wrong.
// When ctx ends before a closure is checked, what rests on it becomes Unknown.
func Verify(ctx context.Context, p *Problem, r *Result) error {
	if err := r.answers(p); err != nil {
		return err
	}
	var rest []*PropResult // verdicts that rest on the closure
	for i := range r.Props {
		pr := &r.Props[i]
		prop := p.Model.Props[pr.Prop]
		if pr.Status == ByTrace(prop.Kind) {
			if err := checkTrace(p, r, pr); err != nil {
				return err
			}
			pr.Evidence = "trace replayed in the interpreter"
		}
		if pr.Status == BySearch(prop.Kind) || pr.Status == ByTrace(prop.Kind) && prop.Kind == model.Liveness {
			if r.Closure == nil || prop.Kind == model.Liveness && r.Layers[pr.Prop] == nil {
				return fmt.Errorf("internal error: %s calls %q %v without evidence", r.Engine, prop.Name, pr.Status)
			}
			rest = append(rest, pr)
		}
	}
	if rest == nil {
		return nil
	}
	how, err := checkClosure(ctx, p, r, rest)
	if err != nil && !errors.Is(err, ctx.Err()) {
		return fmt.Errorf("internal error: the states that %s visited are no evidence: %w", r.Engine, err)
	}
	for _, pr := range rest {
		if err != nil {
			pr.Status, pr.Trace, pr.Evidence = Unknown, nil, ""
			r.Stopped, r.Idle = StopReason(ctx)+" while the evidence was checked", nil
			continue
		}
		if pr.Evidence != "" {
			pr.Evidence += "; "
		}
		pr.Evidence += fmt.Sprintf("%d states visited, %s", r.Closure.Len(), how)
		switch {
		case p.Model.Props[pr.Prop].Kind != model.Liveness:
		case pr.Status == Safe:
			pr.Evidence += ", and from each of them a path to one in which it holds"
		default:
			pr.Evidence += ", and those that can be reached from its end to be none in which it holds"
		}
	}
	return nil
}

// checkTrace checks the trace of one property.
func checkTrace(p *Problem, r *Result, pr *PropResult) error {
	name, what := p.Model.Props[pr.Prop].Name, "violated"
	if pr.Status == Safe {
		what = "covered"
	}
	if pr.Trace == nil {
		return fmt.Errorf("internal error: %s calls %q %s without a trace", r.Engine, name, what)
	}
	if pr.Trace.Prop != pr.Prop {
		return fmt.Errorf("internal error: the trace of %s for %q is about another property", r.Engine, name)
	}
	if err := p.Program.Replay(pr.Trace); err != nil {
		return fmt.Errorf("internal error: the trace of %s for %q does not replay: %w", r.Engine, name, err)
	}
	if d := pr.Trace.Depth(p.Model); d != pr.Depth {
		return fmt.Errorf("internal error: %s reports depth %d for %q, its trace has depth %d", r.Engine, pr.Depth, name, d)
	}
	if pr.Bound >= pr.Depth {
		return fmt.Errorf("internal error: %s excludes that %q is %s up to depth %d and has a trace of depth %d", r.Engine, name, what, pr.Bound, pr.Depth)
	}
	return nil
}

// answers checks that the results are about the properties of p, in order.
func (r *Result) answers(p *Problem) error {
	got := make([]int, len(r.Props))
	for i, pr := range r.Props {
		got[i] = pr.Prop
	}
	if !slices.Equal(got, p.Props) {
		return fmt.Errorf("internal error: %s answers for properties %v, not %v", r.Engine, got, p.Props)
	}
	return nil
}
