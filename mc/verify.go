package mc

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// This file checks what engines claim. Nothing is printed that did not pass.

// Verify checks the evidence of a result with code that no engine uses: every
// trace of an Unsafe property is replayed in the interpreter and its depth
// recomputed, and the set behind Safe properties is checked to be closed (see
// Closure). An error means that an engine is wrong. When ctx ends before a
// closure is checked, its properties become Unknown.
func Verify(ctx context.Context, p *Problem, r *Result) error {
	if err := r.answers(p); err != nil {
		return err
	}
	var safe []int
	for i := range r.Props {
		pr := &r.Props[i]
		name := p.Model.Props[pr.Prop].Name
		switch pr.Status {
		case Unsafe:
			if pr.Trace == nil {
				return fmt.Errorf("internal error: %s calls %q violated without a trace", r.Engine, name)
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
				return fmt.Errorf("internal error: %s excludes violations of %q up to depth %d and has one of depth %d", r.Engine, name, pr.Bound, pr.Depth)
			}
			pr.Evidence = "trace replayed in the interpreter"
		case Safe:
			if r.Closure == nil {
				return fmt.Errorf("internal error: %s calls %q safe without evidence", r.Engine, name)
			}
			safe = append(safe, pr.Prop)
		}
	}
	if safe == nil {
		return nil
	}
	how, err := checkClosure(ctx, p, r.Closure, safe)
	if err != nil && !errors.Is(err, ctx.Err()) {
		return fmt.Errorf("internal error: the states that %s visited are not closed: %w", r.Engine, err)
	}
	for i := range r.Props {
		pr := &r.Props[i]
		switch {
		case pr.Status != Safe:
		case err != nil:
			pr.Status = Unknown
			r.Stopped = StopReason(ctx) + " while the evidence was checked"
		default:
			pr.Evidence = fmt.Sprintf("%d states visited, %s", r.Closure.Len(), how)
		}
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
