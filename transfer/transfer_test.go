package transfer_test

import (
	"context"
	"fmt"
	"testing"

	"orbitmc/mc"
	"orbitmc/mc/certify"
	"orbitmc/mc/mctest"
	"orbitmc/pdr"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/transfer"
	"orbitmc/ts"
)

func newSolver() sat.Solver { return cdcl.New() }

// load returns the problem of a model of benchmarks/murphi.
func load(t testing.TB, file string, consts map[string]string) *mc.Problem {
	t.Helper()
	return mctest.Load(t, "../benchmarks/murphi/"+file, consts, newSolver)
}

// prove decides a problem with checked evidence and returns the result.
func prove(t *testing.T, e *pdr.Engine, p *mc.Problem) *mc.Result {
	t.Helper()
	r, err := e.Run(context.Background(), p, mc.Options{All: true})
	if err == nil {
		err = certify.Verify(context.Background(), p, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// once proposes clauses for each group at the start of its search.
func once(clauses func(*ts.Symmetry) []ts.Clause) func(context.Context, *ts.Symmetry, int64) ([]ts.Clause, bool) {
	done := make(map[*ts.Symmetry]bool)
	return func(_ context.Context, y *ts.Symmetry, _ int64) ([]ts.Clause, bool) {
		if done[y] {
			return nil, true
		}
		done[y] = true
		return clauses(y), true
	}
}

// TestTransfer: the lemmas of three components prove more of them without search;
// of a model where they do not, or that has a bug, nothing wrong is said.
func TestTransfer(t *testing.T) {
	for _, c := range []struct {
		file, constant string
		more           map[string]string
		sizes          []int
		carried        bool // the candidates suffice
		want           mc.Status
	}{
		{"german.m", "NODE_NUM", map[string]string{"DATA_NUM": "1"}, []int{3, 5, 7}, true, mc.Safe},
		{"mesi_snoop.m", "NODE_NUM", nil, []int{3, 6, 9}, true, mc.Safe},
		{"mutex_sem.m", "N", nil, []int{3, 8}, true, mc.Safe},
		{"sem_counter.m", "N", nil, []int{3, 6}, false, mc.Safe},
		{"moesi.m", "NODE_NUM", nil, []int{3, 4}, false, mc.Safe},
	} {
		var tr transfer.Lemmas
		for i, n := range c.sizes {
			consts := map[string]string{c.constant: fmt.Sprint(n)}
			for k, v := range c.more {
				consts[k] = v
			}
			p := load(t, c.file, consts)
			e := &pdr.Engine{NewSolver: newSolver}
			if i > 0 {
				e.Candidates = once(func(y *ts.Symmetry) []ts.Clause { return tr.Candidates(p, y) })
			}
			r := prove(t, e, p)
			if got := r.Verdict(); got != c.want {
				t.Errorf("%s, %d: %v, want %v", c.file, n, got, c.want)
			}
			if s := r.Stats; i > 0 && (s.Orbits == 0 && s.Carried > 0) != c.carried {
				t.Errorf("%s, %d: %d of %d candidates are inductive, and %d lemmas were learned", c.file, n, s.Carried, s.Candidates, s.Orbits)
			}
			if tr.Learn(p, r); tr.Len() == 0 {
				t.Errorf("%s, %d: no patterns", c.file, n)
			}
		}
	}

	// Lemmas of the correct protocol are candidates in the wrong one, and the other
	// way round.
	var tr transfer.Lemmas
	p := load(t, "german.m", map[string]string{"NODE_NUM": "3"})
	tr.Learn(p, prove(t, &pdr.Engine{NewSolver: newSolver}, p))
	for _, file := range []string{"german_bug1.m", "german_bug2.m"} {
		q := load(t, file, map[string]string{"NODE_NUM": "3"})
		e := &pdr.Engine{NewSolver: newSolver, Candidates: once(func(y *ts.Symmetry) []ts.Clause { return tr.Candidates(q, y) })}
		if r := prove(t, e, q); !r.Violated() || r.Stats.Candidates == r.Stats.Carried {
			t.Errorf("%s: %v, %d of %d candidates kept", file, r.Verdict(), r.Stats.Carried, r.Stats.Candidates)
		}
	}
}
