package verify

import (
	"context"
	"math/rand/v2"
	"time"

	"orbitmc/aig"
	"orbitmc/internal/pace"
	"orbitmc/sat"
)

// querySlices is how many parts the budget has; no query but that of a function
// itself may take more than one.
const querySlices = 100

// Decider decides by SAT whether functions are equal whose structures differ. Its sweepers
// remember what they learned, so one Decider serves all permutations of a system.
// It is not safe for concurrent use.
type Decider struct {
	v         *Verifier
	newProver func(*aig.Graph) Prover // nil: everything is undecided
	budget    time.Duration           // for one call of Decide
	draw      func() Valuation
	rng       *rand.Rand

	anywhere, inW *sweeper // nil until needed
}

// Decider returns a Decider for the differences that v finds. opt has its defaults
// filled in. draw returns a valuation of the kind that occurs: such valuations tell
// apart most functions that differ. Decider and draw may share rng.
func (v *Verifier) Decider(opt Options, rng *rand.Rand, draw func() Valuation) *Decider {
	return &Decider{v: v, newProver: opt.NewProver, budget: opt.Budget, draw: draw, rng: rng}
}

// Decide decides whether all pairs are equal: resets and W itself everywhere, the
// others where W holds. Sat means that pair number at differs in x, Unknown that
// it was not decided before ctx ended or the budget was used up.
func (de *Decider) Decide(ctx context.Context, ds []Difference) (st sat.Status, at int, x Valuation) {
	if de.newProver == nil {
		return sat.Unknown, 0, nil
	}
	ctx, cancel := pace.Within(ctx, de.budget)
	defer cancel()
	everywhere := func(d Difference) bool { return d.Part == WellFormed || d.Part == Reset }
	for _, part := range []struct {
		s      **sweeper
		within aig.Lit
		draw   func() Valuation
		has    func(Difference) bool
	}{
		{&de.anywhere, aig.True, de.random, everywhere},
		{&de.inW, de.v.same.Copy(de.v.sys.W), de.draw, func(d Difference) bool { return !everywhere(d) }},
	} {
		var own []Difference
		var index []int
		for i, d := range ds {
			if part.has(d) {
				own = append(own, d)
				index = append(index, i)
			}
		}
		if len(own) == 0 {
			continue
		}
		s := *part.s
		if s == nil {
			s = newSweeper(ctx, de.v, part.within, de.newProver, part.draw)
			if s.base > 0 || s.empty {
				*part.s = s
			}
		}
		if st, at, x := s.prove(ctx, own, de.budget/querySlices); st != sat.Unsat {
			return st, index[at], x
		}
	}
	return sat.Unsat, 0, nil
}

// random is a valuation of the kind that occurs, or of any kind.
func (de *Decider) random() Valuation {
	x := de.draw()
	if de.rng.IntN(2) == 0 {
		for i := range x {
			x[i] = de.rng.IntN(2) == 0
		}
	}
	return x
}
