// Package certify checks the evidence of verdicts. A verdict is right only if this package
// is right: it runs no engine, and reads nothing but the problem and the evidence.
//
// What the problem is made of is made once, for engines and check: the model by its reader, circuits
// by encode, the model that counts by counters, the conditions of a proof for every size by param.New.
// Of these the check tries the encoding and the counters on samples (walks.go, counters.go), the
// conditions not at all. Symmetry that detect/verify showed on circuits is taken as it is for closed
// sets; other symmetry is derived again. Graphs, permutations and the arithmetic of inequalities are
// aig, ts and sat/linear for both. Where a memo does not serve, closed sets are checked
// by the interpreter of the search, and so are states with components of formulas; the verdict says so. The
// automaton of a formula is that of the search.
//
// Verify checks all claims of a result. A trace is replayed. A closed set is checked state
// by state: it holds every start state and every successor of its members, and no member
// contradicts the verdict. A proof is checked by SAT: the invariant holds in the reset
// states, each step keeps it, and it excludes the bads. The translation into clauses is the
// plainest one. A fresh solver answers the queries, and each step of its refutations is
// verified (package checked); on request gophersat does.
// Each permutation that a proof names is verified to be a symmetry of the system.
//
// The code is plain rather than fast. Two parts are more than plain, since large models are
// out of reach without them: orbits of clauses that are not written out (orbit.go), and
// symmetries that normal forms do not show (sweep.go).
//
// Lists of states are checked by package states, symmetry by typing by package typing.
//
//	verify.go      all claims of a result; traces
//	inductive.go   proofs: one query for each conjunct, one representative of each orbit
//	wellformed.go  the form of a proof, checked first
//	refute.go      queries
//	decide.go      what decides them
//	cnf.go         functions as clauses, frame by frame
//	symmetry.go    whether a permutation is a symmetry of the system
//	sweep.go       gates whose normal forms differ, compared
//	orbit.go       orbits of clauses that are too large to write out
//	counters.go    verdicts on models that count components
//	clean.go       clean-ups of netlists
//	counted.go     justice, by counting
//	annotated.go   closed sets of annotated states
//	partial.go     the symmetry of each rule by itself
//	reference.go   models that were made of programs
//	walks.go       proofs: the system that they are about, tried beside the interpreter
//	reaching.go    liveness: sets of states as circuits
//	lemmas.go      lemmas that engines exchange
//	every.go       proofs for every size; every_query.go refutes conditions, every_numbers.go has their integers
//	every_smt.go   the same by an SMT solver
//	images.go      proofs with all images written out
//	variant.go      limits, and the steps that tests break
package certify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"orbitmc/internal/certify/states"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// This file checks all claims of a result. No verdict is printed before it has passed.

// Verify checks the evidence of a result: every
// trace is replayed in the interpreter and its depth recomputed; the set behind
// the other verdicts is checked to be closed (see Closure), and for liveness
// properties to be layered (see Layers); inductive evidence, and circuits for liveness, are checked by SAT
// (see Proof and Reaching). An error means that an engine is wrong. When ctx ends before a closure or
// a proof is checked, what rests on it becomes Unknown. The time it takes is in Stats.
func Verify(ctx context.Context, p *mc.Problem, r *mc.Result) error {
	return verify(ctx, p, r, sound())
}

func verify(ctx context.Context, p *mc.Problem, r *mc.Result, s *variant) error {
	began := time.Now()
	defer func() { r.Stats.Certify += time.Since(began).Seconds() }()
	if err := r.Answers(p); err != nil {
		return err
	}
	if p.Counters != nil && p.Counters.Cut > 0 {
		onlyProofs(p, r)
	}
	if err := verifyModel(ctx, p, r, s); err != nil || p.Reference == nil {
		return err
	}
	return comparedReference(ctx, p, r)
}

// verifyModel is verify for the model alone.
func verifyModel(ctx context.Context, p *mc.Problem, r *mc.Result, s *variant) error {
	for i := range r.Props {
		if pr := &r.Props[i]; pr.Status == mc.ByTrace(p.Kind(pr.Prop)) {
			if err := checkShown(p, r, pr); err != nil {
				return err
			}
		}
	}
	if p.Formulas != nil && r.Components != nil {
		return checkComponents(ctx, p, r)
	}
	visited, proofs, reaching, listed, err := others(p, r)
	if err != nil {
		return err
	}
	if err := checkProofs(ctx, p, r, proofs, s); err != nil {
		return err
	}
	if p.Counters != nil {
		if r.Idle != nil {
			r.Idle = p.Counters.Idle(r.Idle)
		}
		r.FiredBy, r.Deadlocks, r.Raised = nil, 0, nil // these are of other rules
		if err := comparedCounters(ctx, p, r, proofs); err != nil {
			return err
		}
	}
	for _, pr := range reaching {
		how, err := checkReaching(ctx, p, pr, s)
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("internal error: the evidence of %s for %q is wrong: %w", r.Engine, p.Name(pr.Prop), err)
		}
		if also(pr, how); err != nil {
			unfinished(ctx, r, pr)
		}
	}
	if listed != nil {
		how, err := states.Enumerated(ctx, p, r.Enumerated, listed)
		if err == nil {
			err = tryWalks(ctx, p)
		}
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("internal error: the states that %s visited are no evidence: %w", r.Engine, err)
		}
		for _, pr := range listed {
			if pr.Evidence = how; err != nil {
				unfinished(ctx, r, pr)
			}
		}
	}
	if visited == nil {
		return nil
	}
	return checkVisited(ctx, p, r, visited)
}

// others returns the verdicts that rest on more than a trace: on the visited states, on
// proofs, of liveness on circuits, or on lists of states of netlists. It returns an error if there is no such evidence.
func others(p *mc.Problem, r *mc.Result) (visited, proofs, reaching, listed []*mc.PropResult, err error) {
	for i := range r.Props {
		pr := &r.Props[i]
		kind := p.Kind(pr.Prop)
		switch {
		case pr.Status == mc.BySearch(kind) && mc.HasTrace(kind) && pr.Proof != nil:
			proofs = append(proofs, pr)
		case pr.Status != mc.Unknown && kind == model.Liveness && pr.Reaching != nil:
			reaching = append(reaching, pr)
		case pr.Status == mc.BySearch(kind) && p.Netlist != nil && r.Enumerated != nil:
			listed = append(listed, pr)
		case pr.Status == mc.BySearch(kind) || pr.Status == mc.ByTrace(kind) && kind.Graph():
			if pr.Status == mc.ByTrace(kind) && errsAtEnd(p, pr) {
				continue // the trace is enough
			}
			if r.Closure == nil && r.Annotated == nil || kind.Graph() && r.Layers[pr.Prop] == nil {
				return nil, nil, nil, nil, fmt.Errorf("internal error: %s calls %q %v without evidence", r.Engine, p.Name(pr.Prop), pr.Status)
			}
			visited = append(visited, pr)
		}
	}
	return visited, proofs, reaching, listed, nil
}

// errsAtEnd reports whether the evaluation of a property errs in the last state of its trace.
func errsAtEnd(p *mc.Problem, pr *mc.PropResult) bool {
	end, m := pr.Trace.End(), p.Shown()
	return end != nil && slices.ContainsFunc(model.InstancesOf(m.Props[pr.Prop].Params), func(inst []int64) bool {
		_, v := model.Compile(m).NewMachine().Atoms(end, m.Props[pr.Prop], inst, nil)
		return v != nil
	})
}

// undecided takes verdicts back, and says why.
func undecided(r *mc.Result, why string, prs ...*mc.PropResult) {
	for _, pr := range prs {
		pr.Status, pr.Trace, pr.Lasso, pr.Evidence = mc.Unknown, nil, nil, ""
	}
	r.Stopped = why
}

// unfinished takes verdicts back whose check ended with ctx.
func unfinished(ctx context.Context, r *mc.Result, prs ...*mc.PropResult) {
	undecided(r, mc.StopReason(ctx)+" while the evidence was checked", prs...)
}

// also adds to the evidence of a verdict.
func also(pr *mc.PropResult, how string) {
	if pr.Evidence != "" {
		pr.Evidence += "; "
	}
	pr.Evidence += how
}

// checkShown checks a verdict by its trace.
func checkShown(p *mc.Problem, r *mc.Result, pr *mc.PropResult) error {
	if err := checkTrace(p, r, pr); err != nil {
		return err
	}
	pr.Evidence = "trace replayed in the interpreter"
	if p.Model == nil {
		pr.Evidence = "trace replayed by simulating the netlist"
		if p.Replay != nil {
			pr.Evidence += ", and by the interpreter of its source"
		}
	}
	switch {
	case pr.Lasso != nil:
		pr.Evidence = "lasso replayed in the interpreter, and the formula evaluated on it"
		if p.Reference != nil {
			return replayReference(p, r, pr, &model.Trace{Steps: pr.Lasso.Trace.Steps, Prop: -1})
		}
	case p.Counters != nil:
		return liftTrace(p, r, pr)
	case p.Reference != nil && pr.Trace != nil:
		return replayReference(p, r, pr, pr.Trace)
	}
	return nil
}

// CheckUnfinished is part of the reason to stop where a search visited all states, and a limit ended their check.
const CheckUnfinished = "the check of them is unfinished"

// checkVisited checks verdicts by the states that a search visited.
func checkVisited(ctx context.Context, p *mc.Problem, r *mc.Result, prs []*mc.PropResult) error {
	check, what := states.Closed, "states"
	var visited int64
	switch {
	case p.Counters != nil:
		check, visited = checkCounted, r.Closure.Len()
	case r.Annotated != nil:
		check, what, visited = checkAnnotated, "annotated states", int64(len(r.Annotated.States))
	default:
		visited = r.Closure.Len()
	}
	how, part, err := check(ctx, p.Exact(), r, prs) // the states of the model
	if err != nil && !errors.Is(err, ctx.Err()) {
		return fmt.Errorf("internal error: the states that %s visited are no evidence: %w", r.Engine, err)
	}
	if err != nil {
		undecided(r, fmt.Sprintf("%s; all %d %s were visited, %s at %.0f %%", mc.StopReason(ctx), visited, what, CheckUnfinished, 100*part), prs...)
		r.Idle = nil
		return nil
	}
	for _, pr := range prs {
		also(pr, fmt.Sprintf("%d %s visited, %s", visited, what, how))
		switch kind := p.Kind(pr.Prop); {
		case kind == model.Branching:
			pr.Evidence += ", and where each part of the formula holds in them"
		case kind != model.Liveness:
		case pr.Status == mc.Safe:
			pr.Evidence += ", and from each of them a path to one in which it holds"
		default:
			pr.Evidence += ", and those that can be reached from its end to be none in which it holds"
		}
	}
	return nil
}

// checkComponents checks verdicts on formulas that explicit search has decided.
func checkComponents(ctx context.Context, p *mc.Problem, r *mc.Result) error {
	by := make(map[evidence.Components][]*mc.PropResult)
	var order []evidence.Components
	for i := range r.Props {
		if pr := &r.Props[i]; pr.Status == mc.Safe {
			list := r.Components[pr.Prop]
			if list == nil {
				return fmt.Errorf("internal error: %s calls %q safe without evidence", r.Engine, p.Name(pr.Prop))
			}
			if by[list] == nil {
				order = append(order, list)
			}
			by[list] = append(by[list], pr)
		}
	}
	for _, list := range order {
		props := lists.Map(by[list], func(pr *mc.PropResult) int { return pr.Prop })
		how, err := states.Components(ctx, p, list, props)
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("internal error: the states that %s visited are no evidence for %q: %w", r.Engine, p.Name(props[0]), err)
		}
		for _, pr := range by[list] {
			if pr.Evidence = how; err != nil {
				unfinished(ctx, r, pr)
			}
		}
	}
	return nil
}

// checkProofs checks inductive evidence, proofs of small k first; what they prove
// is known in those that follow.
func checkProofs(ctx context.Context, p *mc.Problem, r *mc.Result, prs []*mc.PropResult, s *variant) error {
	if prs == nil {
		return nil
	}
	slices.SortStableFunc(prs, func(a, b *mc.PropResult) int { return a.Proof.K - b.Proof.K })
	c := newChecker(ctx, p, s)
	checked := make(map[*evidence.Proof]string)
	for _, pr := range prs {
		if checked[pr.Proof] == "" || !slices.Contains(c.known, pr.Prop) {
			how, err := c.Check(pr.Proof, pr.Prop)
			var many tooMany
			if errors.As(err, &many) {
				undecided(r, "the proof is too large to check: "+err.Error(), pr)
				continue
			}
			if err != nil && ctx.Err() == nil {
				return fmt.Errorf("internal error: the proof of %s for %q is wrong: %w", r.Engine, p.Name(pr.Prop), err)
			}
			if err != nil {
				unfinished(ctx, r, pr)
				continue
			}
			checked[pr.Proof] = how
		}
		pr.Evidence = checked[pr.Proof]
	}
	if len(checked) == 0 {
		return nil
	}
	err := tryWalks(ctx, p)
	if err != nil && !errors.Is(err, ctx.Err()) {
		return fmt.Errorf("internal error: %s proved something of another system than the file describes: %w", r.Engine, err)
	}
	if err != nil {
		unfinished(ctx, r, prs...)
	}
	return nil
}

// checkTrace checks the trace of one property.
func checkTrace(p *mc.Problem, r *mc.Result, pr *mc.PropResult) error {
	if pr.Lasso != nil && p.Formulas != nil {
		return checkLasso(p, pr)
	}
	name, what := p.Name(pr.Prop), "violated"
	if pr.Status == mc.Safe {
		what = "covered"
	}
	if p.Model == nil {
		return checkPath(p, r, pr)
	}
	if pr.Trace == nil {
		return fmt.Errorf("internal error: %s calls %q %s without a trace", r.Engine, name, what)
	}
	if pr.Trace.Prop != pr.Prop {
		return fmt.Errorf("internal error: the trace of %s for %q is about another property", r.Engine, name)
	}
	if err := traces.Replay(p.Program, pr.Trace); err != nil {
		return fmt.Errorf("internal error: the trace of %s for %q does not replay: %w", r.Engine, name, err)
	}
	if d := pr.Trace.Depth(p.Model); d != pr.Depth {
		return fmt.Errorf("internal error: %s reports depth %d for %q, its trace has depth %d", r.Engine, pr.Depth, name, d)
	}
	return checkBound(p, r, pr)
}

// checkLasso checks a run that violates a formula.
func checkLasso(p *mc.Problem, pr *mc.PropResult) error {
	f := p.Formulas
	err := traces.ReplayLasso(f.Program, pr.Lasso)
	if err == nil && pr.Prop < f.First {
		err = errors.New("it is about no formula")
	}
	if err == nil {
		err = traces.CheckLasso(f.Program, f.Of[pr.Prop-f.First], pr.Lasso)
	}
	if err != nil {
		return fmt.Errorf("internal error: the run that is to violate %q is none: %w", p.Name(pr.Prop), err)
	}
	return nil
}

// checkBound checks that a trace is not of a depth that the same result excludes.
func checkBound(p *mc.Problem, r *mc.Result, pr *mc.PropResult) error {
	if pr.Bound >= pr.Depth {
		return fmt.Errorf("internal error: %s excludes that %q is violated or covered up to depth %d and has a trace of depth %d", r.Engine, p.Name(pr.Prop), pr.Bound, pr.Depth)
	}
	return nil
}

// checkPath checks the trace of one property of a netlist.
func checkPath(p *mc.Problem, r *mc.Result, pr *mc.PropResult) error {
	name := p.Name(pr.Prop)
	if pr.Path == nil {
		return fmt.Errorf("internal error: %s calls %q violated without a trace", r.Engine, name)
	}
	for _, b := range p.Sources(pr.Prop) {
		if len(pr.Path.Inputs)-1+p.Netlist.Bads[b].Delay == pr.Depth && p.Netlist.Replay(pr.Path, b) == nil {
			if _, _, _, err := p.Lasso(pr.Prop, pr.Path); err != nil {
				return fmt.Errorf("internal error: the trace of %s for %q is no lasso: %w", r.Engine, name, err)
			}
			if p.Replay != nil {
				if err := p.Replay(pr.Prop, pr.Path); err != nil {
					return fmt.Errorf("internal error: the trace of %s for %q does not replay: %w", r.Engine, name, err)
				}
			}
			return checkBound(p, r, pr)
		}
	}
	return fmt.Errorf("internal error: the trace of %s for %q does not violate it at depth %d", r.Engine, name, pr.Depth)
}
