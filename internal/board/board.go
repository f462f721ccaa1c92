// Package board passes lemmas from engine to engine. A lemma is a clause over latches that
// holds in every reachable state. Engines post sets of clauses that are inductive if closed
// under the symmetry of the engine that found them. Another engine takes a lemma only after
// internal/certify has checked it. It takes all images, so its own symmetry may be another one.
package board

import (
	"context"
	"slices"
	"sync"

	"orbitmc/internal/certify"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
	"orbitmc/ts"
)

// Board implements mc.Lemmas for engines that run side by side. The zero Board is empty. A
// nil Board stays empty. Board is safe for concurrent use.
type Board struct {
	mu     sync.Mutex
	posted []evidence.Lemmas // not checked
	all    []evidence.Lemmas // posted since the beginning, if shared

	exchange sync.Mutex
	shared   *folder // nil: not with other processes

	checking sync.Mutex
	known    []ts.Clause   // checked, with all images
	foreign  int           // sets of lemmas of other processes that were looked at
	refused  [][]ts.Clause // those of them that did not hold
	last     int           // how much was known when they were looked at the last time
}

// Post adds lemmas. The slices are kept.
func (b *Board) Post(l evidence.Lemmas) {
	if b == nil || len(l.Clauses) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.posted = append(b.posted, l)
	if b.shared != nil {
		b.all = append(b.all, l)
	}
}

// Take returns all checked lemmas except the first n, with all images, in a fixed order. Of
// lemmas with more than 2^20 images it returns those of small orbits only. It first checks
// the lemmas that were posted since the last call. It returns an error if a check fails, and
// the error of ctx if that ends first.
func (b *Board) Take(ctx context.Context, p *mc.Problem, n int) ([]ts.Clause, error) {
	if b == nil {
		return nil, nil
	}
	ctx = sat.WithPause(ctx, nil) // others wait for the lock
	b.checking.Lock()
	defer b.checking.Unlock()
	for {
		b.mu.Lock()
		if len(b.posted) == 0 {
			b.mu.Unlock()
			if err := b.takeForeign(ctx, p); err != nil {
				return nil, err
			}
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

// takeForeign checks the lemmas of other processes, and those again that were refused when less was known.
func (b *Board) takeForeign(ctx context.Context, p *mc.Problem) error {
	fresh, err := b.Exchange(ctx, p, b.foreign)
	if err != nil {
		return err
	}
	b.foreign += len(fresh)
	for again := true; again; {
		open := fresh
		if len(b.known) > b.last {
			open = append(b.refused, fresh...)
			b.refused = nil
		}
		b.last, fresh, again = len(b.known), nil, false
		for i, set := range open {
			// The files have all images. Under a group one of each orbit is checked.
			clauses, err := certify.Lemmas(ctx, p, evidence.Lemmas{Clauses: set, Group: p.Group(p.Props[0])}, b.known)
			switch {
			case ctx.Err() != nil:
				b.refused, b.last = append(b.refused, open[i:]...), -1
				return ctx.Err()
			case err != nil:
				b.refused = append(b.refused, set)
			default:
				b.known = append(b.known, clauses...)
				again = again || len(clauses) > 0 && len(b.refused) > 0
			}
		}
	}
	return nil
}
