package reptest

import (
	"orbitmc/aig"
	"orbitmc/rep"
	"orbitmc/ts"
)

// Predicate returns Rep_F of one state: it is least among its images under F.
// Literals index like System.Latches.
func Predicate(g *aig.Graph, state []aig.Lit, F []*ts.Perm) aig.Lit {
	return rep.PathPredicate(g, []rep.Frame{{State: state}}, nil, F)
}

// Least reports Rep_F of one state, bits indexed like System.Latches and compared
// in the given order (see rep.Frame.Order).
func Least(state []bool, F []*ts.Perm, order []int) bool {
	for _, p := range F {
		if less(ts.Apply(p.Latch, state), state, order) {
			return false
		}
	}
	return true
}

// less reports a <lex b.
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
