package ts

import (
	"fmt"

	"orbitmc/aig"
)

// k-liveness, after K. Claessen, N. Sörensson, "A Liveness Checking Algorithm That Counts",
// FMCAD 2012. A run that violates a justice property meets all conditions again and again. A
// tracker notes which conditions were met. When the last one is met, a round is over, the
// tracker begins anew, and a counter counts the round. If no run ends n rounds, no run meets all
// conditions infinitely often. For a finite system the converse holds for some n.
//
// The counter is unary: its latches do not change from n to n+1, so lemmas carry over. The
// tracker treats all conditions alike. A symmetry of the system that keeps the set of
// conditions exchanges the latches of the tracker with them. Like any other it is verified on
// the system that counts.

// NewCounted returns a system whose only bad is the end of round n of a justice property, n ≥ 1,
// with these fairness constraints. Its latches and inputs begin with those of s, in their
// order. A latch follows for each condition that differs from those before it, of the property
// and then of fairness. The last n-1 latches count rounds.
func NewCounted(s *System, j Justice, fair []aig.Lit, n int) *System {
	out, move := s.Copy()
	g := out.G
	latch := func(name string) aig.Lit {
		x := g.Input()
		out.Latches = append(out.Latches, Latch{Name: name, Node: x.Node()})
		return x
	}
	var met []aig.Lit // by condition: now, or since the round began
	seen := make(map[aig.Lit]bool)
	for _, c := range append(j.Lits[:len(j.Lits):len(j.Lits)], fair...) {
		if !seen[c] {
			seen[c] = true
			met = append(met, g.Or(latch(fmt.Sprint("met ", len(met))), move.Copy(c)))
		}
	}
	round := g.AndN(met)
	for i, x := range met {
		out.Latches[len(s.Latches)+i].Next = g.And(x, round.Not())
	}
	over := aig.True // n-1 rounds, where the loop ends
	for i := range n - 1 {
		x := latch(fmt.Sprint("round ", i+1))
		out.Latches[len(out.Latches)-1].Next = g.Or(x, g.And(over, round))
		over = x
	}
	out.Bads = []Bad{{Name: j.Name, Lit: g.And(over, round)}}
	return out
}
