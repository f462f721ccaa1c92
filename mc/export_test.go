package mc

// SetManyClauses sets how many clauses the check of proofs gives to the solver at first;
// from the first round on whole orbits follow.
func SetManyClauses(n int) (restore func()) {
	old, rounds := manyClauses, fewRounds
	manyClauses, fewRounds = n, 0
	return func() { manyClauses, fewRounds = old, rounds }
}
