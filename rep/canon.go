package rep

import (
	"fmt"
	"strings"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file maps states into their own orbits, near the least member.
//
// A comparator of a set P of automorphisms replaces a state s by the least of s and π(s),
// π ∈ P. Whatever P is, the result is in the orbit of s. So is the result of any sequence of
// comparators. This is the property that users rely on, and it holds by construction.
//
// For a block of components the comparators are those of a sorting network: each has one
// transposition, the compare-and-swap. The network is Batcher's odd-even merge sort for any
// number of keys (Knuth, The Art of Computer Programming 3, algorithm 5.2.2 M), with
// O(n log² n) comparators. If every bit belongs to one component, the result is the sorted
// state, the least of its orbit. Bits of one-hot pointers move along with the components
// that they name, because automorphisms permute whole states.
//
// Another factor has one comparator of all its elements if they are listed, which is exact.
// Otherwise it has a comparator for each transversal of a stabiliser chain, or for each
// generator.
//
// If a bit names several components, the result need not be the least, and states of one
// orbit may have several results. An engine that relies on Rep_F of all results must prove
// it with a solver first. That states of one orbit have the same result is a stronger claim.

// Canon maps states into their orbits.
type Canon struct {
	order       []int
	comparators [][]*ts.Perm
}

// NewCanon returns the map for a group and an order of the latches (see
// Frame.Order). For the trivial group it is the identity.
func NewCanon(y *ts.Symmetry, order []int) *Canon {
	c := &Canon{order: order}
	if y.Trivial() {
		return c
	}
	for _, b := range y.Blocks {
		swap := transpositions(b)
		batcher(len(b.Elems), func(i, j int) { c.comparators = append(c.comparators, []*ts.Perm{swap(i, j)}) })
	}
	for _, g := range y.Groups {
		switch {
		case g.Members != nil:
			c.comparators = append(c.comparators, g.Members)
		case g.Transversals != nil:
			c.comparators = append(c.comparators, g.Transversals...)
		default:
			for _, p := range g.Gens {
				c.comparators = append(c.comparators, []*ts.Perm{p, p.Inverse()})
			}
		}
	}
	return c
}

// between stands in the name of a transposition, between the names of the two that it exchanges.
const between = " <-> "

// transpositions returns a function that gives the exchange of the i-th and j-th
// elements of a block, i < j.
func transpositions(b ts.Block) func(i, j int) *ts.Perm {
	known := make(map[[2]int]*ts.Perm)
	var swap func(i, j int) *ts.Perm
	swap = func(i, j int) *ts.Perm {
		if j == i+1 {
			return b.Swaps[i]
		}
		return lists.Memo(known, [2]int{i, j}, func([2]int) *ts.Perm {
			last := b.Swaps[j-1]
			p := last.Then(swap(i, j-1)).Then(last)
			p.Name = fmt.Sprintf("%s %d <-> %d", b.Name, b.Elems[i], b.Elems[j])
			first, _, ok1 := strings.Cut(b.Swaps[i].Name, between)
			_, second, ok2 := strings.Cut(last.Name, between)
			if ok1 && ok2 {
				p.Name = first + between + second
			}
			return p
		})
	}
	return swap
}

// batcher calls f for the comparators of a sorting network of n keys, in order.
func batcher(n int, f func(i, j int)) {
	for p := 1; p < n; p *= 2 {
		for k := p; k >= 1; k /= 2 {
			for j := k % p; j+k < n; j += 2 * k {
				for i := 0; i < min(k, n-j-k); i++ {
					if (i+j)/(2*p) == (i+j+k)/(2*p) {
						f(i+j, i+j+k)
					}
				}
			}
		}
	}
}

// Comparisons returns how many images states are compared with.
func (c *Canon) Comparisons() int {
	return lists.Sum(c.comparators, func(P []*ts.Perm) int { return len(P) })
}

// Circuit returns the member of the orbit of state, as literals of the same
// graph.
func (c *Canon) Circuit(g *aig.Graph, state []aig.Lit) []aig.Lit {
	for _, P := range c.comparators {
		least := state
		for _, p := range P {
			image := ts.ApplyLits(p.Latch, state)
			keep := leq(g, inOrder(least, c.order), inOrder(image, c.order), aig.True)
			next := lists.Make(len(state), func(i int) aig.Lit { return g.Mux(keep, least[i], image[i]) })
			least = next
		}
		state = least
	}
	return state
}

// State returns what Circuit computes, and an element of the group that maps
// state there; nil if it is state itself.
func (c *Canon) State(state []bool) ([]bool, *ts.Perm) {
	var by *ts.Perm
	for _, P := range c.comparators {
		var best *ts.Perm
		least := state
		for _, p := range P {
			if image := ts.Apply(p.Latch, state); less(image, least, c.order) {
				least, best = image, p
			}
		}
		if best != nil {
			state, by = least, compose(by, best)
		}
	}
	return state, by
}

// compose returns p, then q; nil is the identity.
func compose(p, q *ts.Perm) *ts.Perm {
	if p == nil {
		return q
	}
	return p.Then(q)
}

// less reports a <lex b, compared in the given order (see Frame.Order).
func less(a, b []bool, order []int) bool {
	for i := range a {
		if order != nil {
			i = order[i]
		}
		if a[i] != b[i] {
			return b[i]
		}
	}
	return false
}
