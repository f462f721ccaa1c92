package measure

import (
	"cmp"
	"errors"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/rep"
	"orbitmc/ts"
)

// This file measures the orbit problem of symbolic symmetry reduction: the relation "two states are of
// one orbit" is small as a circuit, which sorts both and compares, and huge as a decision diagram
// (Clarke, Enders, Filkorn, Jha, FMSD 1996). Rep, which says of one state that it is the least of its
// orbit, is what SAT engines use in its place.

// Sizes are sizes of two predicates: the orbit relation, on two states, and Rep, on one. Ands are
// gates, Nodes are nodes of decision diagrams (BDDSize), in which bits of the two states take turns. The
// bits are in the order in which states are compared, one component after the other; in Columns
// the first bits of all components come first, then the second ones. 0: more nodes than allowed were made.
type Sizes struct {
	Ands     int `json:"ands"`
	Nodes    int `json:"nodes,omitempty"`
	Columns  int `json:"column_nodes,omitempty"`
	RepAnds  int `json:"rep_ands"`
	RepNodes int `json:"rep_nodes,omitempty"`
}

// Relation returns the sizes of the orbit relation of a group that acts on n latches, compared in the order
// (see rep.Frame), and of Rep_F. The relation is that of equal canonical states, so the caller
// knows that rep.Complete holds. At most limit nodes are made of each diagram.
func Relation(y *ts.Symmetry, F []*ts.Perm, n int, order []int, limit int) (Sizes, error) {
	g := aig.New()
	both := make([][]aig.Lit, 2) // the two states
	canonical := make([][]aig.Lit, 2)
	canon := rep.NewCanon(y, order)
	for k := range both {
		for range n {
			both[k] = append(both[k], g.Input())
		}
		canonical[k] = canon.Circuit(g, both[k])
	}
	equal := lists.Make(n, func(i int) aig.Lit { return g.Equal(canonical[0][i], canonical[1][i]) })
	latches := order
	if order == nil {
		latches = lists.Make(n, func(i int) int { return i })
	}
	turns := func(latches []int) (turns []aig.Lit) {
		for _, i := range latches {
			turns = append(turns, both[0][i], both[1][i])
		}
		return turns
	}
	least := rep.PathPredicate(g, []rep.Frame{{State: both[0], Order: order}}, nil, F)
	out := Sizes{Ands: g.NumAnds(g.AndN(equal)), RepAnds: g.NumAnds(least)}
	for _, m := range []struct {
		roots, order []aig.Lit
		size         *int
	}{{equal, turns(latches), &out.Nodes}, {equal, turns(byColumn(y, latches)), &out.Columns}, {[]aig.Lit{least}, turns(latches), &out.RepNodes}} {
		size, err := BDDSize(g, m.roots, m.order, limit)
		if err != nil && !errors.Is(err, ErrBDDSize) {
			return out, err
		}
		*m.size = size
	}
	return out, nil
}

// byColumn returns the latches by their place in the component that they belong to.
func byColumn(y *ts.Symmetry, latches []int) []int {
	column := make(map[int]int) // by latch, from 1; 0 is of no component
	n := 0
	for _, b := range y.Blocks {
		for _, c := range rep.Columns(b) {
			n++
			for _, p := range c {
				column[int(p)] = n
			}
		}
	}
	latches = slices.Clone(latches)
	slices.SortStableFunc(latches, func(i, j int) int { return cmp.Compare(column[i], column[j]) })
	return latches
}
