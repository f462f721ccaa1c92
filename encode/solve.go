package encode

import (
	"context"

	"orbitmc/aig"
	"orbitmc/sat"
)

// Prover decides functions of one graph, which may grow, with a solver of its own. It serves
// packages that must not know about clauses, such as detect. It is not safe for concurrent
// use.
type Prover struct {
	cnf *CNF
	s   sat.Solver
}

// NewProver returns a prover of functions of g that uses the empty solver s.
func NewProver(g *aig.Graph, s sat.Solver) *Prover { return &Prover{NewCNF(g, s), s} }

// Assert makes l true for good.
func (p *Prover) Assert(l aig.Lit) { p.cnf.Assert(l) }

// Solve searches for a valuation in which all of assume and what was asserted
// hold. It returns Unknown only when ctx ended.
func (p *Prover) Solve(ctx context.Context, assume ...aig.Lit) sat.Status {
	names := make([]sat.Lit, len(assume))
	for i, l := range assume {
		names[i] = p.cnf.Implied(l)
	}
	return p.s.Solve(ctx, names...)
}

// Value returns the value of l in the valuation found by the last Solve.
func (p *Prover) Value(l aig.Lit) bool { return p.cnf.Value(l) }
