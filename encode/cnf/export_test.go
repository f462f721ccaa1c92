package cnf

import "orbitmc/sat"

// Name returns the name of a node, 0 if it has none.
func (c *Encoder) Name(n int) sat.Lit {
	if n >= len(c.name) {
		return 0
	}
	return c.name[n]
}
