package mc

import (
	"crypto/sha256"
	"sync"

	"orbitmc/ts"
)

// Verified has the permutations that internal/certify has verified to be symmetries of a system. The lemmas that engines
// exchange and the proof at the end are about the same few permutations, and it takes longer to verify one
// than to check a lemma. A nil Verified has none. It is safe for concurrent use.
type Verified struct{ known sync.Map }

// verifiedKey names a permutation of a system. A system does not change once a permutation of it is checked.
type verifiedKey struct {
	sys  *ts.System
	perm [sha256.Size]byte // of Perm.Key
}

// Has reports whether a permutation, given by its key, was verified to be a symmetry of sys.
func (v *Verified) Has(sys *ts.System, perm string) bool {
	if v == nil {
		return false
	}
	_, ok := v.known.Load(verifiedKey{sys, sha256.Sum256([]byte(perm))})
	return ok
}

// Add adds a permutation that was verified. Only internal/certify may call it.
func (v *Verified) Add(sys *ts.System, perm string) {
	if v != nil {
		v.known.Store(verifiedKey{sys, sha256.Sum256([]byte(perm))}, nil)
	}
}
