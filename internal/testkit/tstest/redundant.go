package tstest

import (
	"math/rand/v2"
	"slices"

	"orbitmc/aig"
	"orbitmc/ts"
)

// Redundant returns a system with the runs of sys, in which there is something to
// clean up: latches that repeat others, perhaps complemented, one that is
// constant, one that nothing reads; and functions that read any of the repetitions.
// The latches of sys come first, the inputs and bads are those of sys. W is True.
func Redundant(rng *rand.Rand, sys *ts.System) *ts.System {
	g := aig.NewPlain()
	out := &ts.System{G: g, W: aig.True, Latches: slices.Clone(sys.Latches), Inputs: slices.Clone(sys.Inputs), Init: slices.Clone(sys.Init)}
	leaf := func() aig.Lit { return g.Input() }
	same := make([][]aig.Lit, len(sys.Latches)) // literals that are equal
	for i := range sys.Latches {
		same[i] = []aig.Lit{leaf()}
		out.Latches[i].Node = same[i][0].Node()
	}
	inputs, init := make([]aig.Lit, len(sys.Inputs)), make([]aig.Lit, len(sys.Init))
	for i := range inputs {
		inputs[i] = leaf()
		out.Inputs[i].Node = inputs[i].Node()
	}
	for i := range init {
		init[i] = leaf()
		out.Init[i].Node = init[i].Node()
	}
	var copies []int // of which latches
	for range 1 + rng.IntN(2) {
		i := rng.IntN(len(sys.Latches))
		copies = append(copies, i)
		l := leaf()
		out.Latches = append(out.Latches, ts.Latch{Name: "copy of " + sys.Latches[i].Name, Node: l.Node()})
		same[i] = append(same[i], l.NotIf(rng.IntN(2) == 0))
	}
	stuck, unread := leaf(), leaf()
	copyOf := func(l aig.Lit) aig.Lit {
		c := aig.NewCopier(g, sys.G)
		for i, l := range sys.Latches {
			x := same[i][rng.IntN(len(same[i]))]
			if rng.IntN(3) == 0 {
				x = g.Or(x, stuck)
			}
			c.Set(l.Node, x)
		}
		for i, in := range sys.Inputs {
			c.Set(in.Node, inputs[i])
		}
		for i, in := range sys.Init {
			c.Set(in.Node, init[i])
		}
		return c.Copy(l)
	}
	for i, l := range sys.Latches {
		out.Latches[i].Reset, out.Latches[i].Next = copyOf(l.Reset), copyOf(l.Next)
	}
	for k, i := range copies {
		l, neg := &out.Latches[len(sys.Latches)+k], false
		for _, x := range same[i] {
			if x.Node() == l.Node {
				neg = x.Neg()
			}
		}
		l.Reset, l.Next = copyOf(sys.Latches[i].Reset).NotIf(neg), copyOf(sys.Latches[i].Next).NotIf(neg)
	}
	out.Latches = append(out.Latches,
		ts.Latch{Name: "stuck", Node: stuck.Node(), Next: g.And(stuck, copyOf(sys.Latches[0].Next))},
		ts.Latch{Name: "unread", Node: unread.Node(), Next: g.Xor(unread, copyOf(sys.Latches[0].Next))})
	for _, l := range sys.Constraints {
		out.Constraints = append(out.Constraints, copyOf(l))
	}
	for _, b := range sys.Bads {
		b.Lit = copyOf(b.Lit)
		out.Bads = append(out.Bads, b)
	}
	return out
}
