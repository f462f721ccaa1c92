package mc

// SetManyClauses sets how many clauses the check of proofs gives to the solver at first.
func SetManyClauses(n int) (restore func()) {
	old := manyClauses
	manyClauses = n
	return func() { manyClauses = old }
}
