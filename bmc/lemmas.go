package bmc

import (
	"context"
	"time"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file takes lemmas from other engines: clauses that hold in every reachable
// state and that internal/board has checked. A lemma is true without symmetry. It is
// asserted for good in every frame, with all its images.
//
// A lemma holds in the frames that a run reaches. A run ends where a constraint
// is violated, and nothing is reachable after that. So in a query for several
// depths, the lemmas of a frame bind only if the constraints of the frames before
// it hold.
//
// The step of induction is about paths from any state, but excludes them from
// runs only (induct.go), and lemmas hold on runs. The proof names its lemmas,
// closed under its group. So a path that satisfies all images of the lemmas still
// does so after a permutation, and what was shown of representatives holds for
// all of these paths.

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
		r.assertLemmas(fresh, d, aig.True)
	}
	r.lemmas = append(r.lemmas, fresh...)
	r.result.Stats.Lemmas = int64(len(r.lemmas))
	return nil
}

// learn asserts lemmas, of which it has the first ones already, in all frames.
func (in *induction) learn(lemmas []ts.Clause) {
	fresh := lemmas[len(in.lemmas):]
	for j := range in.frames.Len() {
		in.assertLemmas(fresh, j)
	}
	in.lemmas = lemmas
}

// assertLemmas asserts clauses over the latches in frame d, if kept holds.
func (r *run) assertLemmas(clauses []ts.Clause, d int, kept aig.Lit) {
	for _, clause := range clauses {
		r.frames.AssertLemma(d, clause, kept.Not())
	}
}

// assertLemmas asserts clauses over the latches in frame j.
func (in *induction) assertLemmas(clauses []ts.Clause, j int) {
	latches := in.frames.Latches(j)
	for _, clause := range clauses {
		lits := lists.Map(clause, func(l ts.Lit) aig.Lit { return latches[l.Index()].NotIf(l.Neg()) })
		in.cnf.Assert(in.frames.Graph().OrN(lits))
	}
}
