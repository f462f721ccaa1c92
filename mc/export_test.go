package mc

import "math/big"

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
