package certify

import (
	"context"
	"fmt"

	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file checks the lemmas that engines exchange (internal/board).

// Lemmas checks lemmas, relative to the known clauses, which were checked before. It returns
// all images of the lemmas that are not known, in a fixed order. If the lemmas have more
// than 2^20 images, it returns those of small orbits only. It returns the error of ctx if
// that ends first.
func Lemmas(ctx context.Context, p *mc.Problem, l evidence.Lemmas, known []ts.Clause) (fresh []ts.Clause, err error) {
	f := &evidence.Proof{K: 1, Clauses: l.Clauses, Group: l.Group}
	if err := f.Check(p.System()); err != nil {
		return nil, err
	}
	c := New(ctx, p)
	seen := make(map[string]bool)
	for _, clause := range known {
		c.facts = append(c.facts, assumption{clause: clause})
		seen[clauseKey(clause)] = true
	}
	_, err = c.induction(f)
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
	for _, a := range v.all {
		if a.clause != nil && !seen[clauseKey(a.clause)] {
			fresh = append(fresh, a.clause)
		}
	}
	return fresh, nil
}
