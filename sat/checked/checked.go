// Package checked decides formulas for the check of evidence. A fresh solver of package cdcl
// searches and writes its proof; package rup confirms each step as it comes, against the
// clauses that the caller added. So the solver need not be trusted where it says
// unsatisfiable.
package checked

import (
	"context"
	"fmt"
	"slices"

	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/sat/rup"
)

// Solver decides a growing formula. It is not safe for concurrent use.
type Solver struct {
	search *cdcl.Solver
	check  confirm
}

// confirm is the log of the search.
type confirm struct {
	rup.LRAT
	lemma []sat.Lit // the last one that was confirmed
	some  bool      // there is one since the query began
	err   error     // of the first step that was not
}

// New returns an empty formula.
func New() *Solver {
	s := new(Solver)
	s.search = cdcl.NewLogged(&s.check)
	return s
}

// NewVar returns the positive literal of a fresh variable, 1, 2, 3, …
func (s *Solver) NewVar() sat.Lit { return s.search.NewVar() }

// Add adds a clause.
func (s *Solver) Add(clause ...sat.Lit) {
	if _, err := s.check.Add(clause); err != nil {
		s.check.fail(err)
	}
	s.search.Add(clause...)
}

// Focus restricts the next query, see sat.Focuser.
func (s *Solver) Focus(vars, rest []sat.Lit) { s.search.Focus(vars, rest) }

// Solve decides the formula under assumptions. Unsat is confirmed; the values of a model
// are those of the search. The error, always with Unknown, is that of ctx if ctx ended;
// otherwise the search gave a wrong proof.
func (s *Solver) Solve(ctx context.Context, assumptions ...sat.Lit) (sat.Status, error) {
	s.check.some = false
	status := s.search.Solve(ctx, assumptions...)
	if status == sat.Unsat && !s.check.refutes(assumptions) {
		s.check.fail(fmt.Errorf("no lemma refutes the assumptions"))
	}
	switch {
	case s.check.err != nil:
		return sat.Unknown, s.check.err
	case status == sat.Unknown:
		return status, ctx.Err()
	}
	return status, nil
}

// Value returns the value of l in the model.
func (s *Solver) Value(l sat.Lit) bool { return s.search.Value(l) }

// Learn implements cdcl.Log.
func (c *confirm) Learn(number uint32, clause []sat.Lit, hints []uint32) {
	n, err := c.LRAT.Learn(clause, hints)
	if err == nil && n != number {
		err = fmt.Errorf("clause %d is called %d", n, number)
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.lemma, c.some = append(c.lemma[:0], clause...), true
}

// Delete implements cdcl.Log.
func (c *confirm) Delete(number uint32) {
	if err := c.LRAT.Delete(number); err != nil {
		c.fail(err)
	}
}

func (c *confirm) fail(err error) {
	if c.err == nil {
		c.err = fmt.Errorf("cdcl: wrong proof: %w", err)
	}
}

// refutes reports whether the last lemma, confirmed by now, leaves no way to satisfy the
// assumptions.
func (c *confirm) refutes(assumptions []sat.Lit) bool {
	return c.Refuted() || c.some && !slices.ContainsFunc(c.lemma, func(l sat.Lit) bool {
		return !slices.Contains(assumptions, l.Not())
	})
}
