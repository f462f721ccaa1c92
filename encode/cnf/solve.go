package cnf

import (
	"context"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/sat"
)

// Prover decides functions of one graph, which may grow, with a solver of its own. It serves
// packages that must not know about clauses, such as detect. It is not safe for concurrent
// use.
type Prover struct {
	cnf      *Encoder
	s        sat.Solver
	focus    sat.Focuser // nil: queries are about all that is there
	asserted []aig.Lit   // with a focus
	query    uint32
	decided  []uint32 // by node, with a focus: the last query that was about this leaf
}

// NewProver returns a prover of functions of g that uses the empty solver s.
func NewProver(g *aig.Graph, s sat.Solver) *Prover { return &Prover{cnf: New(g, s), s: s} }

// NewFocusedProver returns a prover whose queries decide nothing but the cones of their assumptions and of what was
// asserted, if s is a sat.Focuser. It is for many small queries about a large graph. In the valuations that it finds
// the other leaves have any values, others with each query: such valuations tell more functions apart. The value of
// another function need not be the one that follows from the leaves.
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
	names := lists.Map(assume, func(l aig.Lit) sat.Lit { return p.cnf.Implied(l) })
	if p.focus != nil {
		leaves, vars, gates := p.cnf.Cone(append(slices.Clip(p.asserted), assume...)...)
		p.focus.Focus(vars, gates)
		p.query++
		p.decided = append(p.decided, make([]uint32, p.cnf.g.Len()-len(p.decided))...)
		for _, n := range leaves {
			p.decided[n] = p.query
		}
	}
	return p.s.Solve(ctx, names...)
}

// Values returns the values of some literals, as Value does.
func (p *Prover) Values(ls []aig.Lit) []bool {
	return lists.Map(ls, p.Value)
}

// Value returns the value of l in the valuation found by the last Solve. With a focus, l is a leaf or in the cones of the
// query.
func (p *Prover) Value(l aig.Lit) bool {
	if n := l.Node(); p.focus != nil && n < len(p.decided) && p.decided[n] != p.query && p.cnf.g.IsInput(n) {
		h := (uint64(n)<<32 | uint64(p.query)) * 0x9e3779b97f4a7c15 // mixed as in splitmix64, so that bit 63 looks random
		return (h^h>>29)*0xbf58476d1ce4e5b9>>63 == 1 != l.Neg()
	}
	return p.cnf.Value(l)
}
