package tstest

import (
	"fmt"

	"orbitmc/aig"
	"orbitmc/ts"
)

// Counting returns a system with a counter that runs from 0 to last, again and again, and a latch that is set once it is at
// value, while an input is 1. The bad is that latch.
func Counting(bits, last, value int) *ts.System {
	g := aig.NewPlain()
	s := &ts.System{G: g, W: aig.True}
	at := func(of []aig.Lit, value int) aig.Lit {
		ls := make([]aig.Lit, bits)
		for i, l := range of {
			ls[i] = l.NotIf(value>>i&1 == 0)
		}
		return g.AndN(ls)
	}
	var count []aig.Lit
	for i := range bits {
		l := g.Input()
		count = append(count, l)
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint("c", i), Node: l.Node(), Reset: aig.False})
	}
	set, in := g.Input(), g.Input()
	s.Inputs = []ts.Signal{{Name: "in", Node: in.Node()}}
	s.Latches = append(s.Latches, ts.Latch{Name: "set", Node: set.Node(), Reset: aig.False, Next: g.Or(set, g.And(in, at(count, value)))})
	carry := aig.True
	for i, l := range count {
		s.Latches[i].Next = g.And(g.Xor(l, carry), at(count, last).Not())
		carry = g.And(carry, l)
	}
	s.Bads = []ts.Bad{{Name: "set", Lit: set}}
	return s
}
