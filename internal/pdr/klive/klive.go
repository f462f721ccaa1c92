// Package klive proves justice properties by counting: k-liveness (Claessen, Sörensson, "A
// Liveness Checking Algorithm That Counts", FMCAD 2012). Pdr shows that no run ends round n, in
// which all conditions are met, for n = 1, 2, 3, 4, 6, and so on: ts.NewCounted. A property that is violated stays
// undecided. Bounded model checking of lassos, which runs beside, finds the violation.
//
// A proof for n may be far easier than one for n-1, or the other way round. So each try
// has a budget of queries. Where it is spent, the next property, and then the next n, have
// their turn; the budget grows with each turn. The lemmas of a try that are inductive are
// candidates for all later tries of the property.
package klive

import (
	"context"
	"time"

	"orbitmc/internal/pdr"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
	"orbitmc/ts"
)

// Engine implements mc.Engine.
type Engine struct {
	NewSolver func() sat.Solver

	// Symmetry, if not nil, adds the verified symmetry of a problem to it.
	Symmetry func(ctx context.Context, p *mc.Problem) error
}

// firstBudget is the number of queries of the first try. It doubles with each turn.
const firstBudget = 4_000

// Name returns "klive".
func (e *Engine) Name() string { return "klive" }

// goal is a property to decide.
type goal struct {
	i, prop int         // its position in Props
	n       int         // the round that is tried
	known   []ts.Clause // over the latches of all systems that count for the property
}

// Run implements mc.Engine.
func (e *Engine) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	r := mc.NewResult(e.Name(), p)
	began := time.Now()
	var open []*goal
	for _, i := range p.Order() {
		if _, _, ok := p.JusticeOf(p.Props[i]); ok {
			open = append(open, &goal{i: i, prop: p.Props[i], n: 1})
		}
	}
	for budget := int64(firstBudget); len(open) > 0; budget *= 2 {
		var left []*goal
		for _, g := range open {
			proof, stopped, err := e.try(ctx, p, g, budget, opt, &r.Stats)
			switch {
			case err != nil:
				return nil, err
			case stopped == mc.DepthBound:
				r.Stopped = mc.DepthBound
				continue
			case stopped != "":
				r.Stopped = stopped
				return r, nil
			case proof == nil:
				left = append(left, g)
				continue
			}
			r.Props[g.i] = mc.PropResult{Prop: g.prop, Status: mc.Safe, Engine: e.Name(), Bound: -1, Time: time.Since(began), Proof: proof}
		}
		open = left
	}
	if r.Open() > 0 && r.Stopped == "" {
		r.Stopped = "no justice property, which counting is for"
	}
	if r.Open() == 0 {
		r.Stopped = ""
	}
	return r, nil
}

// try tries round after round while the budget lasts. It returns a proof, or nil; stopped says
// why the whole search ends, "" if it goes on.
func (e *Engine) try(ctx context.Context, p *mc.Problem, g *goal, budget int64, opt mc.Options, stats *mc.Stats) (proof *evidence.Proof, stopped string, err error) {
	for budget > 0 {
		q := p.Counting(g.prop, g.n)
		if e.Symmetry != nil {
			if err := e.Symmetry(ctx, q); err != nil {
				if ctx.Err() != nil {
					return nil, mc.StopReason(ctx), nil
				}
				return nil, "", err
			}
		}
		known := &lemmas{p: q}
		candidates := known.from(g.known)
		search := &pdr.Engine{NewSolver: e.NewSolver, Candidates: func(_ context.Context, _ *ts.Symmetry, asked int64) ([]ts.Clause, bool) {
			return candidates, asked <= budget
		}}
		r, err := search.Run(ctx, q, mc.Options{MemLimit: opt.MemLimit, Lemmas: known, Event: func(v mc.Event) {
			if opt.Event != nil {
				v.Engine, v.Depth = e.Name(), g.n
				opt.Event(v)
			}
		}})
		if err != nil {
			return nil, "", err
		}
		stats.Queries += r.Stats.Queries
		stats.Orbits += r.Stats.Orbits
		stats.Depth = max(stats.Depth, g.n)
		budget -= r.Stats.Queries + 1
		g.known = append(g.known, known.found...)
		switch r.Props[0].Status {
		case mc.Safe:
			own := *r.Props[0].Proof
			own.Props, own.Rounds = []int{g.prop}, g.n
			return &own, "", nil
		case mc.Unsafe:
			g.n += max(1, g.n/2) // a proof for more rounds is rarely harder
			if opt.Beyond(g.n) {
				return nil, mc.DepthBound, nil
			}
		default:
			if ctx.Err() != nil {
				return nil, mc.StopReason(ctx), nil
			}
			if r.Stopped != pdr.Tired {
				return nil, r.Stopped, nil
			}
			g.n += max(1, g.n/2)
			return nil, "", nil
		}
	}
	return nil, "", nil
}
