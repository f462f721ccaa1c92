package rep

import "orbitmc/ts"

// Perms returns the permutations added so far, in the order in which they were.
func (l *Lazy) Perms() []*ts.Perm { return l.perms }

// Exact reports whether Violated finds a permutation whenever there is one.
func (l *Lazy) Exact() bool { return l.exact }
