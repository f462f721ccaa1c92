package rep

import (
	"math/big"

	"orbitmc/ts"
)

// This file chooses F while an engine runs. An engine that enumerates states, and
// uses each as the representative of its orbit, starts with few permutations or
// none. It adds one when a state turns up that is not the least of its orbit. So
// F ends with the permutations that matter.
//
// A state is compared with its images under single permutations first: all
// transpositions of each block, and the permutations that Nice takes of other
// groups. If it is least among these, it is compared with the result of the
// network of Canon, and at last with the images under products of two single
// permutations. In a group of at most maxListed elements it is compared with all
// its images instead.

// maxListed is the order of the largest group all of whose elements are tried,
// maxPairs how many products of two are.
const (
	maxListed = 1 << 10
	maxPairs  = 1 << 12
)

// Lazy is a set F that grows. It is of one property, whose group it is made of.
// It is not safe for concurrent use.
type Lazy struct {
	order  []int
	exact  bool
	single []*ts.Perm
	canon  *Canon
	known  map[*ts.Perm]bool
	perms  []*ts.Perm
}

// NewLazy returns the empty set of a group; order is that of the comparisons, see
// Frame.Order.
func NewLazy(y *ts.Symmetry, order []int) *Lazy {
	z := &Lazy{order: order, canon: NewCanon(y, order), known: make(map[*ts.Perm]bool)}
	switch {
	case y.Trivial():
		z.exact = true
	case y.Order().Cmp(big.NewInt(maxListed)) <= 0:
		z.exact, z.single = true, elements(y)[1:]
	default:
		for _, b := range y.Blocks {
			swap := transpositions(b)
			for j := range b.Elems {
				for i := range j {
					z.single = append(z.single, swap(i, j))
				}
			}
		}
		for _, g := range y.Groups {
			z.single = append(z.single, some(g)...)
		}
	}
	return z
}

// Violated returns a permutation π with π(state) <lex state, and adds it to F; nil
// if it finds none, and then the state is least under F.
func (l *Lazy) Violated(state []bool) *ts.Perm {
	p := l.find(state)
	if p != nil && !l.known[p] {
		l.known[p] = true
		l.perms = append(l.perms, p)
	}
	return p
}

func (l *Lazy) find(state []bool) *ts.Perm {
	for _, F := range [][]*ts.Perm{l.perms, l.single} {
		for _, p := range F {
			if less(ts.Apply(p.Latch, state), state, l.order) {
				return p
			}
		}
	}
	if l.exact {
		return nil
	}
	if s, p := l.canon.State(state); less(s, state, l.order) {
		return p
	}
	pairs := 0
	for _, p := range l.single {
		image := ts.Apply(p.Latch, state)
		for _, q := range l.single {
			if pairs++; pairs > maxPairs {
				return nil
			}
			if less(ts.Apply(q.Latch, image), state, l.order) {
				return p.Then(q)
			}
		}
	}
	return nil
}
