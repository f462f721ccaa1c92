package gophersat_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"orbitmc/sat"
	"orbitmc/sat/gophersat"
	"orbitmc/sat/rup"
)

// random returns clauses of 2 to width different variables.
func random(rng *rand.Rand, vars, clauses, width int) *sat.CNF {
	f := &sat.CNF{NumVars: vars}
	for range clauses {
		c := []sat.Lit{}
		for _, v := range rng.Perm(vars)[:2+rng.IntN(width-1)] {
			c = append(c, sat.MkLit(v+1, rng.IntN(2) == 1))
		}
		f.Clauses = append(f.Clauses, c)
	}
	return f
}

func satisfies(f *sat.CNF, assumptions []sat.Lit, value func(v int) bool) bool {
	holds := func(l sat.Lit) bool { return value(l.Var()) != l.Neg() }
	for _, a := range assumptions {
		if !holds(a) {
			return false
		}
	}
	for _, c := range f.Clauses {
		some := false
		for _, l := range c {
			some = some || holds(l)
		}
		if !some {
			return false
		}
	}
	return true
}

// Answers agree with trying all assignments; models and proofs hold.
func TestCheck(t *testing.T) {
	count := map[sat.Status]int{}
	lemmas := 0
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 4))
		vars := 4 + rng.IntN(7)
		f := random(rng, vars, vars+rng.IntN(6*vars), 3+rng.IntN(2))
		if rng.IntN(4) == 0 {
			f.Clauses = append(f.Clauses, []sat.Lit{sat.MkLit(1+rng.IntN(vars), false)})
		}
		var assumptions []sat.Lit
		for range rng.IntN(3) * rng.IntN(2) {
			assumptions = append(assumptions, sat.MkLit(1+rng.IntN(vars), rng.IntN(2) == 1))
		}
		want := sat.Unsat
		for a := range 1 << vars {
			if satisfies(f, assumptions, func(v int) bool { return a>>(v-1)&1 == 1 }) {
				want = sat.Sat
			}
		}
		got, err := gophersat.Check(context.Background(), f, assumptions...)
		if err != nil || got.Status != want {
			t.Fatalf("seed %d: %v, %v, want %v", seed, got.Status, err, want)
		}
		count[want]++
		lemmas += len(got.Proof)
		if want == sat.Sat {
			if len(got.Model) != vars+1 || !satisfies(f, assumptions, func(v int) bool { return got.Model[v] }) {
				t.Fatalf("seed %d: wrong model %v", seed, got.Model)
			}
		} else if err := refutes(got.Proof, f, assumptions...); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if count[sat.Sat] < 150 || count[sat.Unsat] < 150 || lemmas < 150 {
		t.Errorf("one-sided: %v, %d lemmas", count, lemmas)
	}
}

func TestCheckTrivial(t *testing.T) {
	empty, err := gophersat.Check(context.Background(), &sat.CNF{})
	if err != nil || empty.Status != sat.Sat || len(empty.Model) != 1 {
		t.Errorf("no clauses: %v, %v", empty, err)
	}
	free, err := gophersat.Check(context.Background(), &sat.CNF{NumVars: 3}, sat.MkLit(2, true), sat.MkLit(3, false))
	if err != nil || free.Status != sat.Sat || len(free.Model) != 4 || free.Model[2] || !free.Model[3] {
		t.Errorf("assumptions only: %v, %v", free, err)
	}
	falsum, err := gophersat.Check(context.Background(), &sat.CNF{Clauses: [][]sat.Lit{{}}})
	if err != nil || falsum.Status != sat.Unsat || falsum.Proof != nil {
		t.Errorf("empty clause: %v, %v", falsum, err)
	}
	_, err = gophersat.Check(context.Background(), &sat.CNF{NumVars: 1, Clauses: [][]sat.Lit{{sat.MkLit(2, false)}}})
	if err == nil || !strings.Contains(err.Error(), "literal 2 is not over 1..1") {
		t.Errorf("malformed: %v", err)
	}
	_, err = gophersat.Check(context.Background(), &sat.CNF{NumVars: 1}, 0)
	if err == nil || !strings.Contains(err.Error(), "assumption: literal 0 is not over 1..1") {
		t.Errorf("malformed assumption: %v", err)
	}
}

// Checks may run side by side: the library's shared buffer is guarded.
func TestConcurrentChecks(t *testing.T) {
	var wg sync.WaitGroup
	for seed := range uint64(8) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 5))
			for range 5 {
				f := random(rng, 60, 400, 4)
				if _, err := gophersat.Check(context.Background(), f); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
			}
		})
	}
	wg.Wait()
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
