package certify

import (
	"orbitmc/aig"
	"orbitmc/ts"
)

// steps are the limits of a check, and those of its steps that soundness rests on. A
// checker has the default ones. Tests try other limits, and show of each rule of soundness
// that it is needed: with a step that breaks it the check is wrong.
type steps struct {
	images int64 // of all clauses of a proof together, that are written

	// An orbit is written if it has no more than so many images, or if its clauses are
	// about no more than so many components: a question needs most of those about its
	// components.
	orbit      int64
	components int

	clauses int // given to the solver at first, those of small orbits; the others inside the cone follow all together
	rounds  int // that add single clauses outside the cone; from then on all images of each of them are, or every component takes a round of its own

	// alikeClause and alikeBad say which components are alike, of a clause and of a
	// conjunct of the bads.
	alikeClause func(c *components, clause ts.Clause) [][][]int
	alikeBad    func(c *components, s *symmetries, f aig.Lit) [][][]int
}

func defaultSteps() *steps {
	return &steps{
		images: 1 << 20, orbit: 1000, components: 2,
		clauses: 4000, rounds: 4,
		alikeClause: (*components).alike, alikeBad: (*components).alikeUnder,
	}
}
