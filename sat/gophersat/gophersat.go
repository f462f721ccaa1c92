// Package gophersat is the independent second opinion: it decides a formula
// from scratch with github.com/crillab/gophersat and lets only checked answers
// out. A model is evaluated on every clause, and a refutation is verified lemma
// by lemma by package rup while the library finds it. So the library need not
// be trusted, and a wrong answer of another back end does not pass unnoticed.
//
// It is no back end for engines: each call starts a new solver. Two properties of
// the library shape the code:
//
//   - All its solvers share one buffer for learned clauses, so a process may run
//     one at a time; others wait for their turn.
//   - It cannot be interrupted, but it hands each learned clause over on a
//     channel. When ctx ends the channel is closed; the library then panics in
//     its own goroutine at the next clause, the panic is caught there and the
//     goroutine ends. Check returns at once, but a following Check starts only
//     after that, and memory is held until then. Under the race detector, which
//     objects to the closing, the abandoned search runs to its end instead.
//
// Assumptions are unit clauses here: incremental use of the library gave wrong
// answers.
package gophersat

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/crillab/gophersat/solver"

	"orbitmc/sat"
	"orbitmc/sat/rup"
)

// Answer is a decided and checked formula.
type Answer struct {
	Status sat.Status
	Model  []bool    // if Sat: by variable, 1..NumVars; element 0 is unused
	Proof  rup.Proof // if Unsat: refutes the clauses with the assumptions
}

// turn holds a token while the library runs.
var turn = make(chan struct{}, 1)

// Check decides f under the assumptions. The error, always with an Unknown
// answer, is that of ctx if ctx ended. Otherwise it says why f is malformed, or
// that the library answered wrongly.
func Check(ctx context.Context, f *sat.CNF, assumptions ...sat.Lit) (Answer, error) {
	checker, err := rup.NewChecker(f, assumptions...)
	if err != nil {
		return Answer{}, err
	}
	if checker.Refuted() {
		return Answer{Status: sat.Unsat}, nil
	}
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	rest := simplify(f, checker)
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
	lemmas, done := make(chan string), make(chan result, 1)
	go run(rest, lemmas, done)

	var proof rup.Proof
	for {
		select {
		case <-ctx.Done():
			abandon(lemmas, done)
			return Answer{}, ctx.Err()
		case text := <-lemmas:
			lemma, err := rest.lemma(text)
			if err == nil {
				err = checker.Learn(lemma)
			}
			if err != nil {
				abandon(lemmas, done)
				return Answer{}, fmt.Errorf("gophersat: wrong proof: lemma %d: %w", len(proof), err)
			}
			if len(lemma) > 0 {
				proof = append(proof, lemma)
			}
		case r := <-done:
			switch {
			case r.err != nil:
				return Answer{}, r.err
			case r.status == solver.Sat:
				model := rest.model(f.NumVars, checker, r.model)
				if err := falsified(model, f, assumptions); err != nil {
					return Answer{}, err
				}
				return Answer{Status: sat.Sat, Model: model}, nil
			case r.status == solver.Unsat && checker.Refuted():
				return Answer{Status: sat.Unsat, Proof: proof}, nil
			}
			return Answer{}, fmt.Errorf("gophersat: answer %v without a complete proof", r.status)
		}
	}
}

type result struct {
	status solver.Status
	model  []bool
	err    error
}

// run solves in a goroutine of its own, which ends early if lemmas is closed.
func run(f *residue, lemmas chan string, done chan<- result) {
	defer func() { <-turn }()
	defer func() {
		if p := recover(); p != nil {
			done <- result{err: fmt.Errorf("gophersat: library panic: %v", p)}
		}
	}()
	s := solver.New(solver.ParseSliceNb(f.clauses, len(f.vars)))
	s.Certified, s.CertChan = true, lemmas
	r := result{status: s.Solve()}
	if r.status == solver.Sat {
		r.model = s.Model()
	}
	done <- r
}

// A residue is what unit propagation leaves of a formula, with the variables
// that still occur numbered from 1. The library's own propagation takes
// quadratic time on chains, and each of its conflicts time linear in the
// variables.
type residue struct {
	clauses [][]int
	vars    []int // by number-1: the variable of the formula
}

// simplify drops satisfied clauses and false literals.
func simplify(f *sat.CNF, c *rup.Checker) *residue {
	r := &residue{clauses: make([][]int, 0, len(f.Clauses))}
	number := make([]int, f.NumVars+1)
	size := 0
	for _, clause := range f.Clauses {
		size += len(clause)
	}
	room := make([]int, 0, size)
next:
	for _, clause := range f.Clauses {
		for _, l := range clause {
			if c.Value(l) > 0 {
				continue next
			}
		}
		ints := room[len(room) : len(room) : len(room)+len(clause)]
		for _, l := range clause {
			if c.Value(l) < 0 {
				continue
			}
			if number[l.Var()] == 0 {
				r.vars = append(r.vars, l.Var())
				number[l.Var()] = len(r.vars)
			}
			n := number[l.Var()]
			if l.Neg() {
				n = -n
			}
			ints = append(ints, n)
		}
		room = room[:len(room)+len(ints)]
		r.clauses = append(r.clauses, slices.Clip(ints))
	}
	return r
}

// lemma translates a line of the library's proof back.
func (r *residue) lemma(text string) ([]sat.Lit, error) {
	words := strings.Fields(text)
	if len(words) == 0 || words[len(words)-1] != "0" {
		return nil, fmt.Errorf("%q is not ended by 0", text)
	}
	lits := make([]sat.Lit, len(words)-1)
	for i, w := range words[:len(lits)] {
		n, err := strconv.Atoi(w)
		if err != nil || n == 0 || max(n, -n) > len(r.vars) {
			return nil, fmt.Errorf("%q is no literal", w)
		}
		lits[i] = sat.MkLit(r.vars[max(n, -n)-1], n < 0)
	}
	return lits, nil
}

// model puts propagated values and the library's model together.
func (r *residue) model(vars int, c *rup.Checker, values []bool) []bool {
	model := make([]bool, vars+1)
	for v := 1; v <= vars; v++ {
		model[v] = c.Value(sat.MkLit(v, false)) > 0
	}
	for i, v := range r.vars {
		model[v] = values[i]
	}
	return model
}

// falsified reports the first clause or assumption that is false in the model.
func falsified(model []bool, f *sat.CNF, assumptions []sat.Lit) error {
	for _, a := range assumptions {
		if model[a.Var()] == a.Neg() {
			return fmt.Errorf("gophersat: wrong model: assumption %s is false", a)
		}
	}
next:
	for i, clause := range f.Clauses {
		for _, l := range clause {
			if model[l.Var()] != l.Neg() {
				continue next
			}
		}
		return fmt.Errorf("gophersat: wrong model: clause %d is false", i)
	}
	return nil
}
