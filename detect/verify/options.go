package verify

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"orbitmc/aig"
	"orbitmc/sat"
)

// Prover decides functions of one graph, which may grow.
type Prover interface {
	Assert(l aig.Lit) // makes l true for good
	Solve(ctx context.Context, assume ...aig.Lit) sat.Status
	Value(l aig.Lit) bool // of a leaf in the model, after Sat
}

// Options say how a permutation is verified. The zero value compares structures only.
type Options struct {
	// NewProver returns a prover for the functions of g. Without it, what is not
	// equal by structure remains undecided.
	NewProver func(g *aig.Graph) Prover
	// Budget bounds the time the prover may take for one permutation, or the steps where
	// these are limited (pace.Within); what it leaves undecided is not used. Default 10 s.
	Budget time.Duration
	// Seed is that of everything random: the valuations that guide sweeping, and the
	// walks that look for reachable witnesses.
	Seed uint64
}

// WithDefaults returns o with defaults filled in. A negative budget is an error.
func (o Options) WithDefaults() (Options, error) {
	if o.Budget < 0 {
		return o, fmt.Errorf("detect: the budget %v is negative", o.Budget)
	}
	o.Budget = cmp.Or(o.Budget, 10*time.Second)
	return o, nil
}
