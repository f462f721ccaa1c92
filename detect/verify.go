package detect

import (
	"context"
	"fmt"

	"orbitmc/aig"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file decides whether a permutation is an automorphism of a system.
//
// Every function f is copied twice into one graph, once as it is and once with
// its leaves permuted, by copiers that bring circuits of n-ary gates into a
// normal form: then a symmetry that only reorders operands shows as equal
// literals, without any search, and after the first permutation the graph does
// not even grow. Pairs that stay different go to a SAT solver as miters
// (Brand, ICCAD 1993), one after the other in one solver.
//
// The sets a permutation maps into themselves are finite, so one inclusion
// would do for predicates; both are asked for all the same.

// part is a sort of function.
type part uint8

const (
	wellFormed part = iota
	reset
	next
	constraint
	bad
)

// difference is a pair of functions that should be equal and have different
// literals.
type difference struct {
	part      part
	index     int     // latch of reset and next, bad; else 0
	want, got aig.Lit // f, and its image pulled back: literals of verifier.g
}

// verifier compares one system with its images.
type verifier struct {
	sys   *ts.System
	g     *aig.Graph // normal forms
	plain leaves     // leaves of g
	same  *aig.Copier
	moved *aig.Copier
}

// leaves are literals for the leaves of a system, by latch, input, initial input.
type leaves struct {
	latch, input, init []aig.Lit
}

func newLeaves(g *aig.Graph, sys *ts.System) leaves {
	fresh := func(n int) []aig.Lit {
		ls := make([]aig.Lit, n)
		for i := range ls {
			ls[i] = g.Input()
		}
		return ls
	}
	return leaves{fresh(len(sys.Latches)), fresh(len(sys.Inputs)), fresh(len(sys.Init))}
}

// bind gives the leaves of sys their images in a copier.
func (ls leaves) bind(c *aig.Copier, sys *ts.System) {
	for i, l := range sys.Latches {
		c.Set(l.Node, ls.latch[i])
	}
	for i, in := range sys.Inputs {
		c.Set(in.Node, ls.input[i])
	}
	for i, in := range sys.Init {
		c.Set(in.Node, ls.init[i])
	}
}

func newVerifier(sys *ts.System) *verifier {
	g := aig.New()
	roots := sys.Roots()
	v := &verifier{
		sys: sys, g: g, plain: newLeaves(g, sys),
		same: aig.NewNaryCopier(g, sys.G, roots), moved: aig.NewNaryCopier(g, sys.G, roots),
	}
	v.plain.bind(v.same, sys)
	return v
}

// differences returns the pairs of functions that p should keep and that are
// not equal by structure: those of the system, and those of the bads. p must
// be a permutation of the right sizes.
func (v *verifier) differences(p *ts.Perm) (system, bads []difference) {
	image := leaves{
		ts.ApplyLits(p.Latch, v.plain.latch),
		ts.ApplyLits(p.Input, v.plain.input),
		ts.ApplyLits(p.Init, v.plain.init),
	}
	v.moved.Reset()
	image.bind(v.moved, v.sys)
	compare := func(ds []difference, part part, index int, want, got aig.Lit) []difference {
		if want != got {
			ds = append(ds, difference{part, index, want, got})
		}
		return ds
	}
	system = compare(system, wellFormed, 0, v.same.Copy(v.sys.W), v.moved.Copy(v.sys.W))
	for i, l := range v.sys.Latches {
		to, neg := v.sys.Latches[p.Latch[i]>>1], p.Latch[i]&1 == 1
		system = compare(system, reset, i, v.same.Copy(l.Reset), v.moved.Copy(to.Reset).NotIf(neg))
		system = compare(system, next, i, v.same.Copy(l.Next), v.moved.Copy(to.Next).NotIf(neg))
	}
	want := make([]aig.Lit, len(v.sys.Constraints))
	got := make([]aig.Lit, len(v.sys.Constraints))
	for i, c := range v.sys.Constraints {
		want[i], got[i] = v.same.Copy(c), v.moved.Copy(c)
	}
	system = compare(system, constraint, 0, v.g.AndN(want), v.g.AndN(got))
	for i, b := range v.sys.Bads {
		bads = compare(bads, bad, i, v.same.Copy(b.Lit), v.moved.Copy(b.Lit))
	}
	return system, bads
}

// name describes the function of a difference.
func (v *verifier) name(d difference) string {
	switch d.part {
	case reset:
		return "reset of " + v.sys.Latches[d.index].Name
	case next:
		return "next of " + v.sys.Latches[d.index].Name
	case constraint:
		return "constraints"
	case bad:
		return fmt.Sprintf("bad %q", v.sys.Bads[d.index].Name)
	}
	return "well-formedness"
}

// counterexample is a valuation of the leaves in which a pair differs.
type counterexample struct {
	latches, inputs []bool
}

// prove asks solvers for a difference between the pairs. Unsat means that all
// are equal, Sat that the pair at and the counterexample differ, Unknown that
// pair number at was not decided before ctx ended. queries is the number of
// pairs that were looked at.
func (v *verifier) prove(ctx context.Context, newProver func(*aig.Graph) Prover, ds []difference) (st sat.Status, at int, cex *counterexample, queries int) {
	// Resets and W itself are compared everywhere, the others where W holds.
	anywhere := &miter{v: v, newProver: newProver}
	inW := &miter{v: v, newProver: newProver, within: v.same.Copy(v.sys.W)}
	anywhere.within = aig.True
	for i, d := range ds {
		m := inW
		if d.part == wellFormed || d.part == reset {
			m = anywhere
		}
		queries++
		switch st := m.differ(ctx, d); st {
		case sat.Sat:
			return st, i, m.model(), queries
		case sat.Unknown:
			return st, i, nil, queries
		}
	}
	return sat.Unsat, 0, nil, queries
}

// miter compares functions of a verifier's graph in one solver.
type miter struct {
	v         *verifier
	newProver func(*aig.Graph) Prover
	within    aig.Lit // of v.g: where to compare

	g      *aig.Graph // nil until needed
	leaves leaves
	copier *aig.Copier
	prover Prover
}

// differ searches for a valuation that satisfies within and in which the pair
// differs.
func (m *miter) differ(ctx context.Context, d difference) sat.Status {
	if m.g == nil {
		m.g = aig.New()
		m.leaves = newLeaves(m.g, m.v.sys)
		m.copier = aig.NewCopier(m.g, m.v.g)
		for _, part := range [][2][]aig.Lit{
			{m.v.plain.latch, m.leaves.latch}, {m.v.plain.input, m.leaves.input}, {m.v.plain.init, m.leaves.init},
		} {
			for i, l := range part[0] {
				m.copier.Set(l.Node(), part[1][i])
			}
		}
		m.prover = m.newProver(m.g)
		m.prover.Assert(m.copier.Copy(m.within))
	}
	return m.prover.Solve(ctx, m.g.Xor(m.copier.Copy(d.want), m.copier.Copy(d.got)))
}

// model reads the counterexample after Sat.
func (m *miter) model() *counterexample {
	read := func(ls []aig.Lit) []bool {
		bits := make([]bool, len(ls))
		for i, l := range ls {
			bits[i] = m.prover.Value(l)
		}
		return bits
	}
	return &counterexample{read(m.leaves.latch), read(m.leaves.input)}
}
