package rup

// Words returns the size of the clauses in memory.
func (c *LRAT) Words() int { return len(c.mem) }
