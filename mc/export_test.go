package mc

import (
	"math/big"

	"orbitmc/aig"
	"orbitmc/model"
)

// SetManyClauses sets how many clauses the check of proofs gives to the solver at first;
// from the first round on whole orbits follow.
func SetManyClauses(n int) (restore func()) {
	old, rounds := manyClauses, fewRounds
	manyClauses, fewRounds = n, 0
	return func() { manyClauses, fewRounds = old, rounds }
}

// SetManyImages sets the size of the largest orbit that the check of proofs writes, of
// however few components, and how many images are written in all.
func SetManyImages(orbit, all int64) (restore func()) {
	old, few, oldAll := manyImages, fewComponents, maxImages
	manyImages, fewComponents, maxImages = big.NewInt(orbit), -1, all
	return func() { manyImages, fewComponents, maxImages = old, few, oldAll }
}

// SetOneClass makes the check of proofs take all components for alike, whatever the
// clause or the bad says of them: wrong stabilisers.
func SetOneClass(clauses, bads bool) (restore func()) {
	one := func(c *components) [][][]int {
		all := make([][][]int, len(c.tables))
		for t, table := range c.tables {
			class := make([]int, len(table.lits))
			for r := range class {
				class[r] = r
			}
			all[t] = [][]int{class}
		}
		return all
	}
	ofClause, ofBad := alikeClause, alikeBad
	if clauses {
		alikeClause = func(c *components, _ []int32) [][][]int { return one(c) }
	}
	if bads {
		alikeBad = func(c *components, _ *symmetries, _ aig.Lit) [][][]int { return one(c) }
	}
	return func() { alikeClause, alikeBad = ofClause, ofBad }
}

// Told returns how many members the search told of before the watch was closed, and
// how many of them had steps that were not as told.
func (w *Watch) Told() (members, wrong int64) {
	<-w.ended
	if w.k == nil {
		return 0, 0
	}
	return w.checked, w.wrong
}

// Agrees reports whether q is perm for packed states.
func Agrees(p *Problem, q *model.PackedPerm, perm model.ScalarPerm) bool {
	return newClosureCheck(p, 0).agrees(q, perm)
}
