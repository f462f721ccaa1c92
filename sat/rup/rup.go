// Package rup checks clausal proofs of unsatisfiability by reverse unit
// propagation: a clause may be added to a formula when assuming all its
// literals false and propagating units gives a conflict; a proof is a sequence
// of such clauses after which propagation alone refutes the formula
// (E. Goldberg, Y. Novikov, "Verification of Proofs of Unsatisfiability for CNF
// Formulas", DATE 2003).
//
// There are two checkers. LRAT checks proofs whose lemmas name the clauses that they follow
// from (lrat.go). Checker needs no such hints. It goes forward, keeps every clause and watches
// two literals of each: the least machinery that stays usable on proofs with a hundred
// thousand lemmas. Neither shares code with any solver.
package rup

import (
	"fmt"

	"orbitmc/sat"
)

// Proof is a sequence of lemmas. Each follows from the formula and the lemmas
// before it by reverse unit propagation, and the empty clause from them all.
type Proof [][]sat.Lit

// A Checker verifies a proof lemma by lemma.
type Checker struct {
	vars    int
	clauses [][]sat.Lit // of two literals and more; the first two are watched
	watch   [][]int32   // by literal: the clauses that watch it
	value   []int8      // by literal: 1 true, -1 false, 0 open
	trail   []sat.Lit   // true literals; those from head on are not yet propagated
	head    int
	seen    []bool    // by literal; all false between calls of add
	room    []sat.Lit // where clauses are put, many in one allocation
	refuted bool
}

// NewChecker starts from the clauses of f and the assumptions. The error tells
// of literals that are not over the variables of f.
func NewChecker(f *sat.CNF, assumptions ...sat.Lit) (*Checker, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	c := &Checker{
		vars:  f.NumVars,
		watch: make([][]int32, 2*f.NumVars+2),
		value: make([]int8, 2*f.NumVars+2),
		seen:  make([]bool, 2*f.NumVars+2),
	}
	c.reserve(f)
	for _, a := range assumptions {
		if err := c.known(a); err != nil {
			return nil, fmt.Errorf("assumption: %w", err)
		}
		c.add([]sat.Lit{a})
	}
	for _, clause := range f.Clauses {
		c.add(clause)
	}
	return c, nil
}

// reserve makes room for the clauses of f, in few allocations: there may be hundreds of
// thousands of clauses and no lemma.
func (c *Checker) reserve(f *sat.CNF) {
	count := make([]int, len(c.watch)) // by literal: about how many clauses will watch it
	lits, watches := 0, 0
	for _, clause := range f.Clauses {
		lits += len(clause)
		if len(clause) > 1 {
			count[clause[0]]++
			count[clause[1]]++
			watches += 2
		}
	}
	c.clauses, c.room = make([][]sat.Lit, 0, len(f.Clauses)), make([]sat.Lit, 0, lits)
	all := make([]int32, watches)
	for l, n := range count {
		c.watch[l], all = all[:0:n], all[n:]
	}
}

// Refuted reports whether unit propagation refutes the clauses so far.
func (c *Checker) Refuted() bool { return c.refuted }

// Value returns 1 if unit propagation makes l true, -1 if false, 0 otherwise.
func (c *Checker) Value(l sat.Lit) int { return int(c.value[l]) }

// Learn verifies a lemma and adds it. After an error the checker is unchanged.
func (c *Checker) Learn(lemma []sat.Lit) error {
	for _, l := range lemma {
		if err := c.known(l); err != nil {
			return err
		}
	}
	if !c.implied(lemma) {
		return fmt.Errorf("%v does not follow by unit propagation", lemma)
	}
	c.add(lemma)
	return nil
}

func (c *Checker) known(l sat.Lit) error {
	if l.Var() < 1 || l.Var() > c.vars {
		return fmt.Errorf("literal %s is not over 1..%d", l, c.vars)
	}
	return nil
}

// implied reports whether the negation of the clause propagates to a conflict.
func (c *Checker) implied(clause []sat.Lit) bool {
	if c.refuted {
		return true
	}
	root := len(c.trail)
	conflict := false
	for _, l := range clause {
		conflict = conflict || !c.assign(l.Not())
	}
	conflict = conflict || !c.propagate()
	for _, l := range c.trail[root:] {
		c.value[l], c.value[l.Not()] = 0, 0
	}
	c.trail, c.head = c.trail[:root], root
	return conflict
}

// add stores a clause and propagates for good what follows from it. All values
// are permanent here, so satisfied clauses and false literals are left out.
func (c *Checker) add(clause []sat.Lit) {
	if c.refuted {
		return
	}
	if cap(c.room)-len(c.room) < len(clause) {
		c.room = make([]sat.Lit, 0, max(len(clause), 1<<12))
	}
	open := c.room[len(c.room) : len(c.room) : len(c.room)+len(clause)]
	satisfied := false
	for _, l := range clause {
		satisfied = satisfied || c.value[l] > 0 || c.seen[l.Not()]
		if c.value[l] == 0 && !c.seen[l] {
			c.seen[l] = true
			open = append(open, l)
		}
	}
	for _, l := range open {
		c.seen[l] = false
	}
	if satisfied {
		return
	}
	switch len(open) {
	case 0:
		c.refuted = true
	case 1:
		c.assign(open[0])
		c.refuted = !c.propagate()
	default:
		n := int32(len(c.clauses))
		c.watch[open[0]] = append(c.watch[open[0]], n)
		c.watch[open[1]] = append(c.watch[open[1]], n)
		c.clauses = append(c.clauses, open)
		c.room = c.room[:len(c.room)+len(open)]
	}
}

// assign makes l true; it reports false if l is false already.
func (c *Checker) assign(l sat.Lit) bool {
	if c.value[l] == 0 {
		c.value[l], c.value[l.Not()] = 1, -1
		c.trail = append(c.trail, l)
	}
	return c.value[l] > 0
}

// propagate makes unit literals true until nothing changes; it reports false
// when a clause has only false literals. Between calls, a clause with a false
// watched literal has its other watched literal true, and not later.
func (c *Checker) propagate() bool {
	for ; c.head < len(c.trail); c.head++ {
		gone := c.trail[c.head].Not()
		watch := c.watch[gone]
		kept := watch[:0]
		for i, n := range watch {
			clause := c.clauses[n]
			if clause[0] == gone {
				clause[0], clause[1] = clause[1], clause[0]
			}
			if c.value[clause[0]] <= 0 && c.rewatch(clause, n) {
				continue
			}
			kept = append(kept, n)
			if !c.assign(clause[0]) {
				c.watch[gone] = append(kept, watch[i+1:]...)
				return false
			}
		}
		c.watch[gone] = kept
	}
	return true
}

// rewatch lets clause number n watch a literal that is not false instead of its second.
func (c *Checker) rewatch(clause []sat.Lit, n int32) bool {
	for k := 2; k < len(clause); k++ {
		if l := clause[k]; c.value[l] >= 0 {
			clause[1], clause[k] = l, clause[1]
			c.watch[l] = append(c.watch[l], n)
			return true
		}
	}
	return false
}
