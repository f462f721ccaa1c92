package evidence

import "orbitmc/ts"

// Lemmas are clauses that, together with all their images under Group and what was
// posted before, hold in the reset states and are kept by each step that the
// constraints allow.
type Lemmas struct {
	Clauses []ts.Clause
	Group   *ts.Symmetry // a verified group; nil: the clauses stand for themselves
}
