package pdr_test

import (
	"context"
	"testing"

	"orbitmc/internal/certify"
	"orbitmc/internal/pdr"
	"orbitmc/mc"
	"orbitmc/ts"
)

// TestCandidates: whatever is proposed, only what is inductive is kept.
func TestCandidates(t *testing.T) {
	p := load(t, "german.m", map[string]string{"NODE_NUM": "3", "DATA_NUM": "1"})
	var clauses []ts.Clause
	for i := range p.Enc.Sys.Latches {
		clauses = append(clauses, []ts.Lit{ts.Lit(i) << 1}, []ts.Lit{ts.Lit(i)<<1 | 1})
	}
	asked := make(map[*ts.Symmetry]bool)
	e := &pdr.Engine{NewSolver: newSolver, Candidates: func(_ context.Context, y *ts.Symmetry, _ int64) ([]ts.Clause, bool) {
		if asked[y] {
			return nil, true
		}
		asked[y] = true
		return clauses, true
	}}
	r, err := e.Run(context.Background(), p, mc.Options{All: true})
	if err == nil {
		err = certify.Verify(context.Background(), p, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict() != mc.Safe || r.Stats.Carried >= int64(len(clauses))/2 {
		t.Errorf("%v, %d of %d candidates kept", r.Verdict(), r.Stats.Carried, len(clauses))
	}
}
