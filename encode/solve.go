package encode

import (
	"context"
	"slices"

	"orbitmc/aig"
	"orbitmc/sat"
)

// Prover decides functions of one graph, which may grow, with a solver of its own. It serves
// packages that must not know about clauses, such as detect. It is not safe for concurrent
// use.
type Prover struct {
	cnf      *CNF
	s        sat.Solver
	focus    sat.Focuser // nil: queries are about all that is there
	asserted []aig.Lit   // with a focus
}

// NewProver returns a prover of functions of g that uses the empty solver s.
func NewProver(g *aig.Graph, s sat.Solver) *Prover { return &Prover{cnf: NewCNF(g, s), s: s} }

// NewFocusedProver returns a prover whose queries decide nothing but the cones of their assumptions and of what was
// asserted, if s is a sat.Focuser. It is for many small queries about a large graph. In the valuations that it finds
// the other leaves are false, and other functions need not have the values that follow from the leaves.
func NewFocusedProver(g *aig.Graph, s sat.Solver) *Prover {
	p := NewProver(g, s)
	p.focus, _ = s.(sat.Focuser)
	return p
}

// Assert makes l true for good.
func (p *Prover) Assert(l aig.Lit) {
	p.cnf.Assert(l)
	if p.focus != nil {
		p.asserted = append(p.asserted, l)
	}
}

// Solve searches for a valuation in which all of assume and what was asserted
// hold. It returns Unknown only when ctx ended.
func (p *Prover) Solve(ctx context.Context, assume ...aig.Lit) sat.Status {
	names := make([]sat.Lit, len(assume))
	for i, l := range assume {
		names[i] = p.cnf.Implied(l)
	}
	if p.focus != nil {
		_, vars, gates := p.cnf.Cone(append(slices.Clip(p.asserted), assume...)...)
		p.focus.Focus(vars, gates)
	}
	return p.s.Solve(ctx, names...)
}

// Value returns the value of l in the valuation found by the last Solve.
func (p *Prover) Value(l aig.Lit) bool { return p.cnf.Value(l) }
