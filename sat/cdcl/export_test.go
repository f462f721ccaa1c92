package cdcl

// NewEager returns a solver that restarts, drops and vivifies clauses all the time.
func NewEager() *Solver {
	s := New()
	s.restart, s.limit, s.share = 1, 0, 1
	return s
}
