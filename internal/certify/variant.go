package certify

import (
	"orbitmc/aig"
	"orbitmc/ts"
)

// variant has the limits of a check and the steps on which soundness depends. A checker has
// the sound one. Tests try other limits. For each rule of soundness a test has a variant
// that breaks the rule, and shows that the check is then wrong.
type variant struct {
	gophersat bool // decides, instead of package checked

	images int64 // bound of the clauses of a proof that are written out, images included

	// An orbit is written out if it has at most orbit images, or if its clauses name at
	// most components components: a query needs most of the clauses about its components.
	orbit      int64
	components int

	clauses int // of small orbits, given to the solver first; the others inside the cone follow together
	rounds  int // rounds that add single clauses outside the cone; later rounds add the orbit of each, or every component would take a round

	// alikeClause and alikeBad say which components are alike, of a clause and of a
	// conjunct of the bads.
	alikeClause func(c *components, clause ts.Clause) [][][]int
	alikeBad    func(c *components, s *symmetries, f aig.Lit) [][][]int
}

func sound() *variant {
	return &variant{
		images: 1 << 20, orbit: 1000, components: 2,
		clauses: 4000, rounds: 4,
		alikeClause: (*components).alike, alikeBad: (*components).alikeUnder,
	}
}
