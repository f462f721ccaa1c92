package mc

import (
	"crypto/sha256"
	"sync"

	"orbitmc/ts"
)

// Kept has permutations that mc/certify has verified to be symmetries of a system. The lemmas that engines
// exchange and the proof at the end are about the same few permutations, and it takes longer to verify one
// than to check a lemma. A nil Kept has none. It is safe for concurrent use.
type Kept struct{ known sync.Map }

// keptKey names a permutation of a system. Systems do not change once they are made.
type keptKey struct {
	sys  *ts.System
	perm [sha256.Size]byte // of Perm.Key
}

// Has reports whether a permutation, given by its key, was verified to be a symmetry of sys.
func (k *Kept) Has(sys *ts.System, perm string) bool {
	if k == nil {
		return false
	}
	_, ok := k.known.Load(keptKey{sys, sha256.Sum256([]byte(perm))})
	return ok
}

// Add adds a permutation that was verified. Only mc/certify may call it.
func (k *Kept) Add(sys *ts.System, perm string) {
	if k != nil {
		k.known.Store(keptKey{sys, sha256.Sum256([]byte(perm))}, nil)
	}
}
