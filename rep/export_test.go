package rep

import "orbitmc/ts"

// Perms returns the permutations added so far, in the order in which they were.
func (z *Lazy) Perms() []*ts.Perm { return z.perms }

// Exact reports whether Violated finds a permutation whenever there is one.
func (z *Lazy) Exact() bool { return z.exact }
