package rup_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/sat"
	"orbitmc/sat/rup"
)

func clause(ns ...int) (c []sat.Lit) {
	for _, n := range ns {
		c = append(c, sat.MkLit(max(n, -n), n < 0))
	}
	return c
}

// square is the smallest formula that propagation alone does not refute.
func square() *sat.CNF {
	return &sat.CNF{NumVars: 2, Clauses: [][]sat.Lit{clause(1, 2), clause(1, -2), clause(-1, 2), clause(-1, -2)}}
}

// refutes verifies that a proof refutes f together with the assumptions.
func refutes(p rup.Proof, f *sat.CNF, assumptions ...sat.Lit) error {
	c, err := rup.NewChecker(f, assumptions...)
	if err != nil {
		return err
	}
	for i, lemma := range p {
		if err := c.Learn(lemma); err != nil {
			return fmt.Errorf("lemma %d: %w", i, err)
		}
	}
	if !c.Refuted() {
		return fmt.Errorf("the empty clause does not follow from the %d lemmas by unit propagation", len(p))
	}
	return nil
}

func TestProof(t *testing.T) {
	f := square()
	for _, c := range []struct {
		proof       rup.Proof
		assumptions []sat.Lit
		says        string // part of the error, empty if accepted
	}{
		{rup.Proof{clause(1)}, nil, ""},
		{rup.Proof{clause(1, 2, -2), clause(-2)}, nil, ""},
		{nil, nil, "the empty clause does not follow"},
		{rup.Proof{clause(1, 2)}, nil, "the empty clause does not follow"},
		{rup.Proof{clause()}, nil, "lemma 0: [] does not follow"},
		{nil, clause(-1), ""},
		{nil, clause(2), ""},
		{rup.Proof{clause(3)}, nil, "lemma 0: literal 3 is not over 1..2"},
		{rup.Proof{clause(1), {0}}, nil, "lemma 1: literal 0 is not over 1..2"},
		{nil, clause(-3), "assumption: literal -3 is not over 1..2"},
	} {
		err := refutes(c.proof, f, c.assumptions...)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%v under %v: %v, want %q", c.proof, c.assumptions, err, c.says)
		}
	}
	bad := &sat.CNF{NumVars: 1, Clauses: [][]sat.Lit{clause(2)}}
	if err := refutes(nil, bad); err == nil {
		t.Error("malformed formula: no error")
	}
	if err := refutes(nil, &sat.CNF{Clauses: [][]sat.Lit{{}}}); err != nil {
		t.Errorf("formula with the empty clause: %v", err)
	}
}

// propagates says by repeated scanning whether unit propagation refutes the clauses.
func propagates(vars int, clauses [][]sat.Lit) bool {
	value := make([]int8, 2*vars+2)
	for changed := true; changed; {
		changed = false
		for _, c := range clauses {
			open := map[sat.Lit]bool{}
			satisfied := false
			for _, l := range c {
				satisfied = satisfied || value[l] > 0
				if value[l] == 0 {
					open[l] = true
				}
			}
			if satisfied || len(open) > 1 {
				continue
			}
			if len(open) == 0 {
				return true
			}
			for l := range open {
				value[l], value[l.Not()] = 1, -1
			}
			changed = true
		}
	}
	return false
}

// The checker accepts a lemma exactly when scanning finds the conflict, over
// long runs of lemmas, accepted and not.
func TestAgainstScanning(t *testing.T) {
	const vars = 9
	accepted, rejected, refuted := 0, 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 2))
		random := func() []sat.Lit {
			c := []sat.Lit{}
			for range min(rng.IntN(40), 1+rng.IntN(4)) {
				c = append(c, sat.MkLit(1+rng.IntN(vars), rng.IntN(2) == 1))
			}
			return c
		}
		f := &sat.CNF{NumVars: vars}
		for range 5 + rng.IntN(35) {
			f.Clauses = append(f.Clauses, random())
		}
		var assumptions []sat.Lit
		if rng.IntN(3) == 0 {
			assumptions = random()
		}
		checker, err := rup.NewChecker(f, assumptions...)
		if err != nil {
			t.Fatal(err)
		}
		clauses := slices.Clone(f.Clauses)
		for _, a := range assumptions {
			clauses = append(clauses, []sat.Lit{a})
		}
		for range 30 {
			if got, want := checker.Refuted(), propagates(vars, clauses); got != want {
				t.Fatalf("seed %d: refuted %v, want %v: %v", seed, got, want, clauses)
			}
			lemma := random()
			negated := slices.Clone(clauses)
			for _, l := range lemma {
				negated = append(negated, []sat.Lit{l.Not()})
			}
			want := propagates(vars, negated)
			if got := checker.Learn(lemma) == nil; got != want {
				t.Fatalf("seed %d: lemma %v accepted %v, want %v: %v", seed, lemma, got, want, clauses)
			}
			if want {
				clauses = append(clauses, lemma)
				accepted++
			} else {
				rejected++
			}
		}
		if checker.Refuted() {
			refuted++
		}
	}
	if accepted < 1000 || rejected < 1000 || refuted < 50 || refuted > 350 {
		t.Errorf("one-sided: %d accepted, %d rejected, %d refuted", accepted, rejected, refuted)
	}
}
