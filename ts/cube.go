package ts

import (
	"slices"
	"strings"

	"orbitmc/aig"
	"orbitmc/internal/lists"
)

// Lit is a literal of a latch, an input or an initial input of a System: twice its
// position in the list, plus 1 if it is negated. Which of the lists is meant is said
// where a Lit occurs: cubes and clauses are about latches, and a permutation has a list
// of images for each of the three. It is a type of its own, so that it cannot be taken
// for a literal of the graph (aig.Lit) or of a solver (sat.Lit).
type Lit int32

// MkLit returns the literal of the i-th leaf of its list.
func MkLit(i int, neg bool) Lit {
	l := Lit(i) << 1
	if neg {
		l |= 1
	}
	return l
}

// Index returns the position of the leaf in its list.
func (l Lit) Index() int { return int(l >> 1) }

// Neg reports whether l is negated.
func (l Lit) Neg() bool { return l&1 == 1 }

// Not returns the negation of l.
func (l Lit) Not() Lit { return l ^ 1 }

// Under returns the image of l under a part of a permutation, one of Perm's fields.
func (l Lit) Under(image []Lit) Lit { return image[l>>1] ^ l&1 }

// Holds reports whether l is true of a state, which has a value for each latch.
func (l Lit) Holds(state []bool) bool { return state[l>>1] != l.Neg() }

// Of returns l as a literal of a graph in which the latches are state.
func (l Lit) Of(state []aig.Lit) aig.Lit { return state[l>>1].NotIf(l.Neg()) }

// Cube is a set of states: the conjunction of literals of different latches. Sorted
// means that the literals ascend.
type Cube []Lit

// Clause is a set of states: the disjunction of literals of latches.
type Clause []Lit

// Negation returns the clause that excludes c.
func (c Cube) Negation() Clause { return negation(c) }

// Negation returns the cube of the states that c excludes.
func (c Clause) Negation() Cube { return Cube(negation(c)) }

func negation[T ~[]Lit](c T) Clause {
	out := make(Clause, len(c))
	for i, l := range c {
		out[i] = l.Not()
	}
	return out
}

// Holds reports whether a state is in c.
func (c Cube) Holds(state []bool) bool {
	for _, l := range c {
		if !l.Holds(state) {
			return false
		}
	}
	return true
}

// Of returns the literals of c in a graph in which the latches are state.
func (c Cube) Of(state []aig.Lit) []aig.Lit {
	return lists.Map(c, func(l Lit) aig.Lit { return l.Of(state) })
}

// Image returns the image of c under what a permutation does to latches, sorted.
func (c Cube) Image(latches []Lit) Cube {
	d := make(Cube, len(c))
	for i, l := range c {
		d[i] = l.Under(latches)
	}
	slices.Sort(d)
	return d
}

// SubsetOf reports whether every literal of c is in d, both sorted: then d implies c.
func (c Cube) SubsetOf(d Cube) bool {
	if len(c) > len(d) {
		return false
	}
	if len(c) < len(d)/16 {
		return !slices.ContainsFunc(c, func(l Lit) bool {
			_, in := slices.BinarySearch(d, l)
			return !in
		})
	}
	j := 0
	for _, l := range c {
		for j < len(d) && d[j] < l {
			j++
		}
		if j == len(d) || d[j] != l {
			return false
		}
		j++
	}
	return true
}

// Without returns c but for one literal.
func (c Cube) Without(l Lit) Cube {
	d := make(Cube, 0, len(c))
	for _, m := range c {
		if m != l {
			d = append(d, m)
		}
	}
	return d
}

// Union returns the literals of both, sorted.
func (c Cube) Union(d Cube) Cube {
	u := append(slices.Clone(c), d...)
	slices.Sort(u)
	return slices.Compact(u)
}

// Key returns c as the key of a map: different cubes have different ones.
func (c Cube) Key() string {
	var b strings.Builder
	b.Grow(4 * len(c))
	for _, l := range c {
		b.WriteByte(byte(l))
		b.WriteByte(byte(l >> 8))
		b.WriteByte(byte(l >> 16))
		b.WriteByte(byte(l >> 24))
	}
	return b.String()
}
