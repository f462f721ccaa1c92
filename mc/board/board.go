// Package board passes lemmas from engine to engine. A lemma is a clause over latches that
// holds in every reachable state: one of a set that is inductive, as long as the set is
// closed under the symmetry it was found with. Who posts it claims so; who takes it
// gets what was checked, by the code that checks the clauses of a proof, and with all
// images, so that what it does with its own symmetry does not matter.
package board

import (
	"context"
	"slices"
	"sync"

	"orbitmc/mc"
	"orbitmc/mc/certify"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// Board is where engines that run side by side post lemmas for each other: mc.Lemmas. The
// zero Board is empty, and a nil one always so. It is safe for concurrent use.
type Board struct {
	mu     sync.Mutex
	posted []evidence.Lemmas // not checked

	checking sync.Mutex
	known    []ts.Clause // checked, with all images
}

// Post adds lemmas. The slices are kept.
func (b *Board) Post(l evidence.Lemmas) {
	if b == nil || len(l.Clauses) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.posted = append(b.posted, l)
}

// Take returns all lemmas there are but for the first n, with all images, in a fixed
// order; where these are more than 2^20, those of small orbits only. It checks those that
// nobody took before. It fails if lemmas are not what they are said to be, and with the
// error of ctx if that ends before the check.
func (b *Board) Take(ctx context.Context, p *mc.Problem, n int) ([]ts.Clause, error) {
	if b == nil {
		return nil, nil
	}
	b.checking.Lock()
	defer b.checking.Unlock()
	for {
		b.mu.Lock()
		if len(b.posted) == 0 {
			b.mu.Unlock()
			return slices.Clone(b.known[n:]), nil
		}
		next := b.posted[0]
		b.mu.Unlock()
		fresh, err := certify.Lemmas(ctx, p, next, b.known)
		if err != nil {
			return nil, err
		}
		b.known = append(b.known, fresh...)
		b.mu.Lock()
		b.posted = b.posted[1:]
		b.mu.Unlock()
	}
}
