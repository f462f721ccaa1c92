package cdcl

// NewEager returns a solver that restarts, changes its mode, drops and vivifies clauses all the time.
func NewEager() *Solver {
	s := New()
	s.restart, s.limit, s.share, s.modes.first = 1, 0, 1, 0
	return s
}
