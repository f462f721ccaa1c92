package portfolio

import (
	"context"
	"fmt"

	"orbitmc/internal/board"
	"orbitmc/internal/certfile"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
)

// This file reads the clauses of a certificate as lemmas for engines (--lemmas).

// lemmas returns the clauses of the certificate src, after a check that they hold in all
// reachable states of the system of p. Options in the file do not matter: the check trusts
// nothing in the file.
func lemmas(ctx context.Context, p *mc.Problem, file string, src []byte) (*board.Board, error) {
	if p.System() == nil {
		return nil, p.EncErr
	}
	cert, err := certfile.Read(file, src, p)
	if err != nil {
		return nil, err
	}
	b := &board.Board{}
	for _, f := range cert.Proofs {
		if f.Rounds > 0 { // about another system
			continue
		}
		y := f.Group
		if y == nil { // the file has all images; under a group one of each orbit is checked
			y = p.Group(f.Props[0])
		}
		b.Post(evidence.Lemmas{Clauses: f.Clauses, Group: y})
	}
	if _, err := b.Take(ctx, p, 0); err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("--lemmas %s: %w", file, err)
	}
	return b, nil
}
