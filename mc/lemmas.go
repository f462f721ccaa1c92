package mc

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"orbitmc/ts"
)

// This file passes lemmas from engine to engine. A lemma is a clause over latches that
// holds in every reachable state: one of a set that is inductive, as long as the set is
// closed under the symmetry it was found with. Who posts it claims so; who takes it
// gets what was checked, by the code that checks the clauses of a proof, and with all
// images, so that what it does with its own symmetry does not matter.

// Lemmas are clauses that, together with all their images under Group and what was
// posted before, hold in the reset states and are kept by each step that the
// constraints allow.
type Lemmas struct {
	Clauses []ts.Clause
	Group   *ts.Symmetry // a verified group; nil: the clauses stand for themselves
}

// Board is where engines that run side by side post lemmas for each other. The zero
// Board is empty, and a nil one always so. It is safe for concurrent use.
type Board struct {
	mu     sync.Mutex
	posted []Lemmas // not checked

	checking sync.Mutex
	known    []ts.Clause // checked, with all images
}

// Post adds lemmas. The slices are kept.
func (b *Board) Post(l Lemmas) {
	if b == nil || len(l.Clauses) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.posted = append(b.posted, l)
}

// Take returns all lemmas there are but for the first n, with all images, in a fixed
// order; where these are more than 2^20, those of small orbits only. It checks those that nobody took before. It fails if lemmas are not what they
// are said to be, and with the error of ctx if that ends before the check.
func (b *Board) Take(ctx context.Context, p *Problem, n int) ([]ts.Clause, error) {
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
		fresh, err := checkLemmas(ctx, p, next, b.known)
		if err != nil {
			return nil, err
		}
		b.known = append(b.known, fresh...)
		b.mu.Lock()
		b.posted = b.posted[1:]
		b.mu.Unlock()
	}
}

// checkLemmas returns those images of lemmas that are not known, if they are what they
// are said to be.
func checkLemmas(ctx context.Context, p *Problem, l Lemmas, known []ts.Clause) ([]ts.Clause, error) {
	f := &Proof{K: 1, Clauses: l.Clauses, Group: l.Group}
	if err := f.wellFormed(p); err != nil {
		return nil, err
	}
	c := newCertifier(ctx, p)
	seen := make(map[string]bool)
	for _, clause := range known {
		c.facts = append(c.facts, assumption{clause: clause})
		seen[clauseKey(clause)] = true
	}
	_, err := c.induction(f)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("lemmas said to hold in all reachable states: %w", err)
	}
	v, err := c.written(f)
	if err != nil {
		return nil, err
	}
	var fresh []ts.Clause
	for _, a := range v.all {
		if a.clause != nil && !seen[clauseKey(a.clause)] {
			fresh = append(fresh, a.clause)
		}
	}
	return fresh, nil
}
