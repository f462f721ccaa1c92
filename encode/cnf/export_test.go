package cnf

import "orbitmc/sat"

// Name returns the name of a node, 0 if it has none.
func (en *Encoder) Name(n int) sat.Lit {
	if n >= len(en.name) {
		return 0
	}
	return en.name[n]
}
