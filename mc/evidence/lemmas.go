package evidence

import "orbitmc/ts"

// Lemmas are clauses. The claim is that they, all their images under Group, and the lemmas
// posted before are inductive together: they hold in the reset states, and each step that
// the constraints allow keeps them.
type Lemmas struct {
	Clauses []ts.Clause
	Group   *ts.Symmetry // a verified group; nil: the clauses stand for themselves
}
