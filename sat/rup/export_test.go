package rup

// Words returns the size of the clauses in memory.
func (lrat *LRAT) Words() int { return len(lrat.mem) }
