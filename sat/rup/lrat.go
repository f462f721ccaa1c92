package rup

import (
	"fmt"
	"math"

	"orbitmc/sat"
)

// LRAT checks proofs whose lemmas name the clauses that they follow from (L. Cruz-Filipe,
// M. Heule, W. Hunt, M. Kaufmann, P. Schneider-Kamp, "Efficient Certified RAT Verification",
// CADE 2017): lemmas by unit propagation alone, none by resolution asymmetry. So a step costs
// what its hints cost, whatever the size of the formula, and clauses may join the formula at
// any time. The zero LRAT is an empty formula.
//
// Clauses have numbers, those of the formula and lemmas alike: 1, 2, 3, … in the order in
// which they come. A clause takes four bytes for each literal, and eight, until it is deleted;
// its number takes four for good.
type LRAT struct {
	mem     []uint32 // clauses one behind the other: number, length, literals
	at      []uint32 // by number-1: where the clause is in mem, plus 1; 0 if it was deleted
	waste   int      // words of mem in deleted clauses
	false   []uint32 // by literal: the step that last made it false
	step    uint32
	refuted bool
}

// Refuted reports whether the empty clause is in the formula or was learned.
func (lrat *LRAT) Refuted() bool { return lrat.refuted }

// Add adds a clause to the formula, and returns its number.
func (lrat *LRAT) Add(clause []sat.Lit) (number uint32, err error) {
	if err := lrat.know(clause); err != nil {
		return 0, err
	}
	if len(lrat.mem)+len(clause)+2 >= math.MaxUint32 {
		return 0, fmt.Errorf("more than 2^32 literals")
	}
	if len(clause) == 0 {
		lrat.refuted = true
	}
	lrat.at = append(lrat.at, uint32(len(lrat.mem))+1)
	lrat.mem = append(lrat.mem, uint32(len(lrat.at)), uint32(len(clause)))
	for _, l := range clause {
		lrat.mem = append(lrat.mem, uint32(l))
	}
	return uint32(len(lrat.at)), nil
}

// know makes room for the literals of a clause.
func (lrat *LRAT) know(clause []sat.Lit) error {
	for _, l := range clause {
		if l.Var() < 1 {
			return fmt.Errorf("%d is no literal", uint32(l))
		}
		for int(l|1) >= len(lrat.false) {
			lrat.false = append(lrat.false, 0)
		}
	}
	return nil
}

// Learn verifies a lemma, adds it and returns its number. Hints are numbers of clauses. With
// all literals of the lemma false, each hint has to have one literal that is not false, which
// is true from then on; the last one has to have none. A lemma with a literal and its negation
// needs no hint. After an error nothing has changed.
func (lrat *LRAT) Learn(lemma []sat.Lit, hints []uint32) (number uint32, err error) {
	if err := lrat.follows(lemma, hints); err != nil {
		return 0, err
	}
	return lrat.Add(lemma)
}

func (lrat *LRAT) follows(lemma []sat.Lit, hints []uint32) error {
	if lrat.step++; lrat.step == 0 {
		clear(lrat.false)
		lrat.step = 1
	}
	if err := lrat.know(lemma); err != nil {
		return err
	}
	tautology := false
	for _, l := range lemma {
		lrat.false[l] = lrat.step
		tautology = tautology || lrat.false[l^1] == lrat.step
	}
	if tautology {
		return nil
	}
	for i, h := range hints {
		if h < 1 || int(h) > len(lrat.at) || lrat.at[h-1] == 0 {
			return fmt.Errorf("hint %d of a lemma is no clause", h)
		}
		at := lrat.at[h-1] - 1
		open := uint32(0)
		for _, l := range lrat.mem[at+2 : at+2+lrat.mem[at+1]] {
			if lrat.false[l] == lrat.step || l == open {
				continue
			}
			if open != 0 || lrat.false[l^1] == lrat.step {
				return fmt.Errorf("hint %d of a lemma is neither unit nor false", h)
			}
			open = l
		}
		if open == 0 {
			if i < len(hints)-1 {
				return fmt.Errorf("%d hints follow one that is false", len(hints)-1-i)
			}
			return nil
		}
		lrat.false[open^1] = lrat.step
	}
	return fmt.Errorf("no hint of the lemma %v is false", lemma)
}

// Delete removes a clause. It is an error if the number is none of a clause.
func (lrat *LRAT) Delete(number uint32) error {
	if number < 1 || int(number) > len(lrat.at) || lrat.at[number-1] == 0 {
		return fmt.Errorf("clause %d is deleted and does not exist", number)
	}
	at := lrat.at[number-1] - 1
	lrat.at[number-1] = 0
	lrat.waste += int(lrat.mem[at+1]) + 2
	if lrat.waste > 1<<16 && lrat.waste > len(lrat.mem)/2 {
		lrat.compact()
	}
	return nil
}

// compact closes the gaps that deleted clauses left.
func (lrat *LRAT) compact() {
	to := uint32(0)
	for at := uint32(0); int(at) < len(lrat.mem); {
		number, next := lrat.mem[at], at+2+lrat.mem[at+1]
		if lrat.at[number-1] == at+1 {
			lrat.at[number-1] = to + 1
			to += uint32(copy(lrat.mem[to:], lrat.mem[at:next]))
		}
		at = next
	}
	lrat.mem, lrat.waste = lrat.mem[:to], 0
}
