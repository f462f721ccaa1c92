// N-ary conjunction, disjunction and parity, whose result depends on the set of
// operands only, and the n-ary view of trees of ANDs.
//
// The sorted set is split where its literals first differ in their binary
// notation, as in a Patricia trie (D. Morrison, "PATRICIA", JACM 15, 1968). The
// shape is thus a function of the set, and the depth is at most 32. Two sets that
// differ in few elements share most of their nodes: the n conjunctions "all rows
// but row i" take n log n nodes together, where a balanced or a chained tree
// takes n². Two-level rewriting is not applied between the operands. It would
// look at the shape of the tree, hence at literal numbers, and treat symmetric
// operands differently.

package aig

import (
	"math/bits"
	"slices"
	"sort"
)

// AndN returns the conjunction of ls, True if empty. The result depends on the
// set of literals only, not on order or repetition. ls is not changed.
func (g *Graph) AndN(ls []Lit) Lit {
	return g.andSet(slices.Clone(ls))
}

// OrN returns the disjunction of ls, False if empty, with the promises of AndN.
func (g *Graph) OrN(ls []Lit) Lit {
	s := make([]Lit, len(ls))
	for i, l := range ls {
		s[i] = l ^ 1
	}
	return g.andSet(s) ^ 1
}

// XorN returns the parity of ls, False if empty. The result depends on the
// multiset of literals only. ls is not changed.
func (g *Graph) XorN(ls []Lit) Lit {
	odd := make([]Lit, len(ls))
	var neg Lit
	for i, l := range ls {
		odd[i] = l &^ 1
		neg ^= l & 1
	}
	return g.xorSet(pairsCancelled(odd)) ^ neg
}

// andSet is AndN on a slice it may overwrite.
func (g *Graph) andSet(s []Lit) Lit {
	slices.Sort(s)
	s = slices.Compact(s)
	if len(s) > 0 && s[0] == False {
		return False
	}
	if len(s) > 0 && s[0] == True {
		s = s[1:]
	}
	for i := 1; i < len(s); i++ {
		if s[i-1]^s[i] == 1 {
			return False
		}
	}
	if len(s) == 0 {
		return True
	}
	return trie(s, g.hash)
}

// xorSet returns the parity of a set as pairsCancelled leaves it.
func (g *Graph) xorSet(s []Lit) Lit {
	if len(s) == 0 {
		return False
	}
	return trie(s, g.xorHash)
}

// pairsCancelled sorts s and keeps, of its uncomplemented literals, one of those
// that occur an odd number of times. It overwrites s.
func pairsCancelled(s []Lit) []Lit {
	slices.Sort(s)
	odd := s[:0]
	for _, l := range s {
		switch k := len(odd); {
		case l == False:
		case k > 0 && odd[k-1] == l:
			odd = odd[:k-1]
		default:
			odd = append(odd, l)
		}
	}
	return odd
}

// trie combines a sorted non-empty set without repetition by op. The recursion
// is at most 32 deep.
func trie(s []Lit, op func(a, b Lit) Lit) Lit {
	if len(s) == 1 {
		return s[0]
	}
	if len(s) == 2 {
		return op(s[0], s[1])
	}
	top := Lit(1) << (bits.Len32(uint32(s[0]^s[len(s)-1])) - 1)
	i := sort.Search(len(s), func(i int) bool { return s[i]&top != 0 })
	return op(trie(s[:i], op), trie(s[i:], op))
}

// Conjuncts appends to dst the leaves of the maximal tree of ANDs below root,
// each once, from left to right, and returns it: their conjunction is root.
// The tree is entered through uncomplemented edges, never into a node other
// than that of root for which shared is true; a nil shared enters every AND. A
// root that is no uncomplemented AND is its own only conjunct.
func (g *Graph) Conjuncts(root Lit, shared func(node int) bool, dst []Lit) []Lit {
	seen := make(map[Lit]bool)
	return g.conjuncts(root, shared, dst, func(l Lit) bool {
		known := seen[l]
		seen[l] = true
		return !known
	})
}

// Conjuncter is Conjuncts of many roots of a graph in turn: of each of the thousands of
// prefixes of a chain, say. It is not safe for concurrent use.
type Conjuncter struct {
	g    *Graph
	seen []uint32 // by literal: the last call that met it
	call uint32
}

// NewConjuncter returns one for a graph, which may grow.
func NewConjuncter(g *Graph) *Conjuncter { return &Conjuncter{g: g} }

// Conjuncts is that of the graph.
func (c *Conjuncter) Conjuncts(root Lit, shared func(node int) bool, dst []Lit) []Lit {
	if n := 2*c.g.Len() - len(c.seen); n > 0 {
		c.seen = append(c.seen, make([]uint32, n)...)
	}
	if c.call++; c.call == 0 {
		clear(c.seen)
		c.call = 1
	}
	return c.g.conjuncts(root, shared, dst, func(l Lit) bool {
		known := c.seen[l] == c.call
		c.seen[l] = c.call
		return !known
	})
}

// conjuncts is Conjuncts, where first reports whether it is told of a literal for the
// first time.
func (g *Graph) conjuncts(root Lit, shared func(node int) bool, dst []Lit, first func(l Lit) bool) []Lit {
	if root.Neg() || !g.IsAnd(root.Node()) {
		return append(dst, root)
	}
	n := g.nodes[root>>1]
	stack := []Lit{n.b, n.a}
	for len(stack) > 0 {
		l := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !first(l) {
			continue
		}
		if n := g.nodes[l>>1]; l.Neg() || n.a == leaf || shared != nil && shared(l.Node()) {
			dst = append(dst, l)
		} else {
			stack = append(stack, n.b, n.a)
		}
	}
	return dst
}
