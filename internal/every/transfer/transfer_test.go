package transfer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"orbitmc/internal/certify"
	"orbitmc/internal/every/transfer"
	"orbitmc/internal/pdr"
	"orbitmc/internal/testkit/mctest"
	"orbitmc/mc"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/ts"
)

func newSolver() sat.Solver { return cdcl.New() }

// load returns the problem of a model of benchmarks/murphi.
func load(t testing.TB, file string, consts map[string]string) *mc.Problem {
	t.Helper()
	return mctest.Load(t, "../../../benchmarks/murphi/"+file, consts, newSolver)
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

// TestShare: what a process learnt is a candidate of another one, that of its own size too. Files with other
// contents do no harm.
func TestShare(t *testing.T) {
	const file = "mesi_snoop.m"
	dir := t.TempDir()
	var from, to transfer.Lemmas
	from.Share(dir)
	to.Share(dir)
	p, q := load(t, file, map[string]string{"NODE_NUM": "3"}), load(t, file, map[string]string{"NODE_NUM": "5"})
	from.Learn(p, prove(t, &pdr.Engine{NewSolver: newSolver}, p))
	wrong := `orbitmc-patterns 1
null
{"Types":[],"Terms":[{"Key":"Home","Vars":[0]}],"Others":-1}
{"Types":[{"Class":0,"Block":0,"Elem":-1}],"Terms":[{"Key":"Home","Vars":[-1]}],"Others":-1}
{"Types":[],"Terms":[],"Others":3}
{"Types":[{"Class":9,"Block":7,"Elem":9}],"Terms":[{"Key":"Home","Vars":[0]}],"Others":0}
no JSON
end
`
	for name, text := range map[string]string{"a.patterns": wrong, "b.patterns": wrong[:len(wrong)-2], "c.patterns": "", "d.other": wrong} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []*transfer.Lemmas{&from, &to} {
		if err := x.Exchange(); err != nil {
			t.Fatal(err)
		}
	}
	known := to.Len()
	y := q.Groups[0]
	want, got := from.Candidates(q, y), to.Candidates(q, y)
	sorted := func(list []ts.Clause) (all []string) {
		for _, c := range list {
			all = append(all, fmt.Sprint(c))
		}
		slices.Sort(all)
		return all
	}
	if len(want) == 0 || !slices.Equal(sorted(got), sorted(want)) || from.Len() != known {
		t.Errorf("candidates %v, want %v; %d and %d patterns", got, want, known, from.Len())
	}
	r := prove(t, &pdr.Engine{NewSolver: newSolver, Candidates: once(func(y *ts.Symmetry) []ts.Clause { return to.Candidates(q, y) })}, q)
	if r.Verdict() != mc.Safe || r.Stats.Orbits != 0 || r.Stats.Carried == 0 {
		t.Errorf("%v, %+v", r.Verdict(), r.Stats)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*.patterns")); len(names) != 4 {
		t.Errorf("what was taken is written again: %q", names)
	}
}
