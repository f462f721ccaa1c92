package rep

import (
	"orbitmc/aig"
	"orbitmc/ts"
)

// This file compares words of literals in the lexicographic order.
//
// The first position is the most significant, false < true. With le the
// comparison of what follows, a·… ≤lex b·… is the majority of ¬a, b and le:
//
//	(a → b) ∧ (a → le) ∧ (b ∨ le)
//
// so a chain from the last position to the first is linear in the length, and,
// where only chain → comparison is needed, takes one variable and three ternary
// clauses a position. (Read from the front this is the relaxed prefix-equality
// chain of Aloul, Sakallah and Markov, Efficient symmetry breaking for Boolean
// satisfiability, IEEE Trans. Computers 55(5), 2006.)
//
// # Positions that need no comparison
//
// The comparison at position i matters only under equality at all positions
// before it. Let ~ be the least congruence on literals (x ~ y iff ¬x ~ ¬y) that
// contains a_j ~ b_j for the positions j < i: under equality before i, literals
// that are congruent are equal. Hence
//
//   - if a_i ~ b_i, position i cannot differ and is left out;
//   - if a_i ~ ¬b_i, it must differ: the words compare as ¬a_i, positions after i
//     never matter, and the chain ends there.
//
// In both cases le is replaced by a function that agrees with it under equality before i. The
// congruence is kept by union-find with signs.
//
// Let b be the image of a word a of distinct variables under a signed permutation π,
// b_{π(i)} = ±a_i. Then this is the rule of the paper for cycles. The pairs of one cycle of π
// link its literals in a ring, and all pairs but the last link the literals already. If the
// signs along the cycle multiply to plus, the last position of the cycle is left out. If they
// multiply to minus, the last position ends the chain. A fixed position is a cycle of length
// one. So an involution compares every swapped pair once. Words with constants or repeated
// literals need no other argument.

// Leq returns a ≤lex b for words of equal length, position 0 first.
func Leq(g *aig.Graph, a, b []aig.Lit) aig.Lit { return leq(g, a, b, aig.True) }

// leq returns a ≤lex b with ties decided by tail: a·u ≤lex b·v where tail is
// u ≤lex v.
func leq(g *aig.Graph, a, b []aig.Lit, tail aig.Lit) aig.Lit {
	compare, last := compared(a, b)
	le := tail
	if last >= 0 {
		le = a[last].Not()
	}
	for k := len(compare) - 1; k >= 0; k-- {
		x, y := a[compare[k]], b[compare[k]]
		le = g.And(g.And(g.Implies(x, y), g.Implies(x, le)), g.Or(y, le))
	}
	return le
}

// compared returns the positions that have to be compared, ascending, and then the one
// that must differ, -1 if there is none.
func compared(a, b []aig.Lit) (compare []int, last int) {
	class := make(classes)
	for i := range a {
		x, y := class.find(a[i]), class.find(b[i])
		if x == y.Not() {
			return compare, i
		}
		if x != y {
			compare = append(compare, i)
			class.join(x, y)
		}
	}
	return compare, -1
}

// Length returns the number of positions that a state and its image are compared
// in, in the given order (see Frame.Order).
func Length(p *ts.Perm, order []int) int {
	positions, _ := Comparisons(p, order)
	return len(positions)
}

// classes is a congruence: the literal a node is equal to, for nodes that do not
// represent their class.
type classes map[int]aig.Lit

func (c classes) find(l aig.Lit) aig.Lit {
	for {
		up, ok := c[l.Node()]
		if !ok {
			return l
		}
		if next, ok := c[up.Node()]; ok { // halve the path
			up = next.NotIf(up.Neg())
			c[l.Node()] = up
		}
		l = up.NotIf(l.Neg())
	}
}

// join makes the representatives x and y of different nodes equal.
func (c classes) join(x, y aig.Lit) { c[x.Node()] = y.NotIf(x.Neg()) }
