package detect

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

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
// not even grow. Pairs that stay different are left to SAT, see sweep.go.
//
// The sets a permutation maps into themselves are finite, so one inclusion
// would do for predicates; both are asked for all the same.

// querySlices is how many parts the budget has; no query but that of a function
// itself may take more than one.
const querySlices = 100

// part is a sort of function.
type part uint8

const (
	wellFormed part = iota
	reset
	next
	constraint
	bad
	condition
)

// difference is a pair of functions that should be equal and have different
// literals.
type difference struct {
	part      part
	index     int     // latch of reset and next, bad, property of an instance; else 0
	want, got aig.Lit // f, and its image pulled back: literals of verifier.g
}

// verifier compares one system with its images.
type verifier struct {
	sys   *ts.System
	g     *aig.Graph // normal forms
	plain leaves     // leaves of g
	same  *aig.Copier
	moved *aig.Copier
	cone  []bool // by node of the system: it depends on a leaf that is moved
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

func newVerifier(sys *ts.System, instances map[int][]Instance) *verifier {
	g := aig.New()
	roots := sys.Roots()
	for _, prop := range slices.Sorted(maps.Keys(instances)) {
		for _, inst := range instances[prop] {
			roots = append(roots, inst.Holds)
		}
	}
	v := &verifier{
		sys: sys, g: g, plain: newLeaves(g, sys),
		same: aig.NewNaryCopier(g, sys.G, roots), moved: aig.NewNaryCopier(g, sys.G, roots),
	}
	v.plain.bind(v.same, sys)
	return v
}

// differences returns the pairs of functions that p should keep and that are
// not equal by structure: those of the system, and those of the properties, which
// are bads and, by property, pairs of an instance and the one it is mapped to. p
// must be a permutation of the right sizes.
func (v *verifier) differences(p *ts.Perm, instances map[int][][2]aig.Lit) (system, props []difference) {
	return v.differencesTo(p, nil, instances)
}

// differencesTo is differences where p should take bad i to bad to[i]; nil: to itself.
func (v *verifier) differencesTo(p *ts.Perm, to []int, instances map[int][][2]aig.Lit) (system, props []difference) {
	image := leaves{
		ts.ApplyLits(p.Latch, v.plain.latch),
		ts.ApplyLits(p.Input, v.plain.input),
		ts.ApplyLits(p.Init, v.plain.init),
	}
	v.moved.Reset()
	image.bind(v.moved, v.sys)
	v.mark(p)
	v.moved.Share(v.same, v.cone)
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
		image := b
		if to != nil {
			image = v.sys.Bads[to[i]]
		}
		props = compare(props, bad, i, v.same.Copy(b.Lit), v.moved.Copy(image.Lit))
	}
	for _, prop := range slices.Sorted(maps.Keys(instances)) {
		for _, pair := range instances[prop] {
			props = compare(props, condition, prop, v.same.Copy(pair[0]), v.moved.Copy(pair[1]))
		}
	}
	return system, props
}

// mark finds the functions that depend on a leaf which p moves or negates. Most
// permutations of large netlists move little.
func (v *verifier) mark(p *ts.Perm) {
	v.cone = slices.Grow(v.cone[:0], v.sys.G.Len())[:v.sys.G.Len()]
	clear(v.cone)
	for i, l := range v.sys.Latches {
		v.cone[l.Node] = p.Latch[i] != ts.MkLit(i, false)
	}
	for i, in := range v.sys.Inputs {
		v.cone[in.Node] = p.Input[i] != ts.MkLit(i, false)
	}
	for i, in := range v.sys.Init {
		v.cone[in.Node] = p.Init[i] != ts.MkLit(i, false)
	}
	for node := range v.cone {
		if v.sys.G.IsAnd(node) {
			a, b := v.sys.G.Fanins(node)
			v.cone[node] = v.cone[a.Node()] || v.cone[b.Node()]
		}
	}
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
	case condition:
		return "an instance of the property"
	}
	return "well-formedness"
}

// prover proves what structure does not show.
type prover struct {
	v         *verifier
	newProver func(*aig.Graph) Prover
	budget    time.Duration
	draw      func() valuation // a state and inputs of the kind that occur
	rng       *rand.Rand

	anywhere, inW *sweeper // nil until needed
}

// prove decides whether all pairs are equal: resets and W itself everywhere, the
// others where W holds. Sat means that pair number at differs in x, Unknown that
// it was not decided before ctx ended or the budget was used up.
func (p *prover) prove(ctx context.Context, ds []difference) (st sat.Status, at int, x valuation) {
	if p.newProver == nil {
		return sat.Unknown, 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.budget)
	defer cancel()
	everywhere := func(d difference) bool { return d.part == wellFormed || d.part == reset }
	for _, part := range []struct {
		s      **sweeper
		within aig.Lit
		draw   func() valuation
		has    func(difference) bool
	}{
		{&p.anywhere, aig.True, p.random, everywhere},
		{&p.inW, p.v.same.Copy(p.v.sys.W), p.draw, func(d difference) bool { return !everywhere(d) }},
	} {
		var own []difference
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
			s = newSweeper(ctx, p.v, part.within, p.newProver, part.draw)
			if s.base > 0 || s.empty {
				*part.s = s
			}
		}
		if st, at, x := s.prove(ctx, own, p.budget/querySlices); st != sat.Unsat {
			return st, index[at], x
		}
	}
	return sat.Unsat, 0, nil
}

// random is a valuation of the kind that occurs, or of any kind.
func (p *prover) random() valuation {
	x := p.draw()
	if p.rng.IntN(2) == 0 {
		for i := range x {
			x[i] = p.rng.IntN(2) == 0
		}
	}
	return x
}
