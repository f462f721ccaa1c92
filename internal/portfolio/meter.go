package portfolio

import (
	"slices"

	"orbitmc/internal/pace"
	"orbitmc/mc"
	"orbitmc/sat"
)

// This file limits the work of a proof for every size that the user did not ask for. The limit is a
// count of steps and no time, so it does not depend on the machine. A step is a literal that a solver is
// given, or a propagation. It takes 0.2 to 0.3 µs.

// counted returns newSolver with its work counted for a limit, if there is one.
func counted(l *pace.Limit, newSolver func() sat.Solver) func() sat.Solver {
	if l == nil {
		return newSolver
	}
	return func() sat.Solver { return pace.Counted(newSolver(), l) }
}

// What other work is in steps: of what engines did, rather less; of what a proof does, rather more.
const (
	perQuery   = 200 // of pdr
	perFiring  = 3   // of a rule in explicit search
	perGate    = 100 // of the encoding: to make it, to verify its symmetry, to check a proof
	perByte    = 20  // of a model, to make its conditions without lemmas
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
