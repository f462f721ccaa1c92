package bmc

import (
	"context"
	"time"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/ts"
)

// This file takes lemmas from other engines, clauses that hold in every reachable
// state, which the board has checked. A lemma is true without symmetry, and asserted
// for good in every frame with all images. It holds where a run gets: behind a
// constraint that is not kept nothing is reachable, so where a query covers several
// depths the lemmas of a frame bind only if the constraints before it are kept.
//
// The step of induction is about paths from any state, but excludes them from runs
// only (induct.go); on those lemmas hold. A proof names them, closed under its group:
// a path that satisfies all images of the lemmas does so after any permutation, so
// what was shown of representatives is true of all of these paths.

// learn takes the lemmas that are new, and asserts them in the frames there are; the
// constraints before the last of these hold for good. Lemmas that nobody checked yet
// get a fifth of the time for that, and a second; then the search goes on without.
func (r *run) learn(ctx context.Context) error {
	if r.opt.Lemmas == nil {
		return nil
	}
	began := time.Now()
	within, cancel := context.WithTimeout(ctx, time.Second+began.Sub(r.began)/5-r.checking)
	defer cancel()
	fresh, err := r.opt.Lemmas.Take(within, r.p, len(r.lemmas))
	r.checking += time.Since(began)
	if err != nil {
		if within.Err() != nil {
			return nil
		}
		return err
	}
	for d := range r.frames.Len() {
		assertLemmas(r.cnf, r.frames, fresh, d, aig.True)
	}
	r.lemmas = append(r.lemmas, fresh...)
	r.result.Stats.Lemmas = int64(len(r.lemmas))
	return nil
}

// learn asserts lemmas, of which it has the first ones already, in all frames.
func (x *induction) learn(lemmas []ts.Clause) {
	fresh := lemmas[len(x.lemmas):]
	for j := range x.frames.Len() {
		assertLemmas(x.cnf, x.frames, fresh, j, aig.True)
	}
	x.lemmas = lemmas
}

// assertLemmas asserts clauses over the latches in frame d, if kept holds.
func assertLemmas(cnf *encode.CNF, f *encode.Frames, clauses []ts.Clause, d int, kept aig.Lit) {
	g, latches := f.Graph(), f.Latches(d)
	for _, clause := range clauses {
		lits := []aig.Lit{kept.Not()}
		for _, l := range clause {
			lits = append(lits, l.Of(latches))
		}
		cnf.Assert(g.OrN(lits))
	}
}
