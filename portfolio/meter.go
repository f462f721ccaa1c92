package portfolio

import (
	"context"
	"slices"

	"orbitmc/mc"
	"orbitmc/sat"
)

// This file limits the work of a proof for every size that nobody asked for. The limit is a count
// and no time, so it does not depend on the machine. What is counted are steps: a
// literal that a solver is given, or a propagation. They take 0.2 to 0.3 µs each.

// meter ends a context after a number of steps. A nil meter has no limit. It is not safe for
// concurrent use.
type meter struct {
	left int64
	end  context.CancelCauseFunc
}

// newMeter returns a meter and the context that it ends.
func newMeter(ctx context.Context, steps int64) (*meter, context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	return &meter{steps, end}, ctx, func() { end(nil) }
}

// spend counts steps.
func (m *meter) spend(steps int64) {
	if m == nil {
		return
	}
	if m.left -= steps; m.left < 0 {
		m.end(mc.ErrWork)
	}
}

// solver returns a solver whose work is counted.
func (m *meter) solver(newSolver func() sat.Solver) func() sat.Solver {
	if m == nil {
		return newSolver
	}
	return func() sat.Solver {
		s := metered{newSolver(), m}
		if f, ok := s.Solver.(sat.Focuser); ok {
			return focused{s, f}
		}
		return s
	}
}

type metered struct {
	sat.Solver
	m *meter
}

func (s metered) Add(clause ...sat.Lit) {
	s.m.spend(int64(len(clause)))
	s.Solver.Add(clause...)
}

func (s metered) AddTo(g sat.Group, clause ...sat.Lit) {
	s.m.spend(int64(len(clause)))
	s.Solver.AddTo(g, clause...)
}

func (s metered) Solve(ctx context.Context, assumptions ...sat.Lit) sat.Status {
	before := s.Stats().Propagations
	answer := s.Solver.Solve(ctx, assumptions...)
	s.m.spend(s.Stats().Propagations - before + int64(len(assumptions)))
	return answer
}

type focused struct {
	metered
	f sat.Focuser
}

func (s focused) Focus(vars, rest []sat.Lit) {
	s.m.spend(int64(len(vars)))
	s.f.Focus(vars, rest)
}

// What other work is in steps: of what engines did, rather less; of what a proof does, rather more.
const (
	perQuery   = 200 // of pdr
	perFiring  = 3   // of a rule in explicit search
	perGate    = 100 // of the encoding: to make it, to verify its symmetry, to check a proof
	perByte    = 20  // of a model, to make its conditions without lemmas
	perNode    = 40  // of the conditions, which are made twice
	perChecked = 1   // literal of a query of the check: 0.04 to 0.4 µs
)

// spent counts the steps of the engines whose verdicts an outcome has, and of the encoding.
func spent(out *Outcome) (steps int64) {
	if sys := out.Problem.System(); sys != nil {
		steps = int64(sys.NumAnds()) * perGate
	}
	for _, r := range out.Each {
		if slices.ContainsFunc(out.Result.Props, func(pr mc.PropResult) bool { return pr.Engine == r.Engine }) {
			steps += work(r)
		}
	}
	return steps
}

// work counts the steps of one engine.
func work(r *mc.Result) int64 { return r.Stats.Queries*perQuery + r.Stats.Transitions*perFiring }
