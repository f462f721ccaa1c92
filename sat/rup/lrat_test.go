package rup_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orbitmc/internal/testkit/nightly"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/sat/rup"
)

// step is a lemma with its hints, or the deletion of a clause.
type step struct {
	clause, hints []uint32
	deleted       uint32 // 0: a lemma
}

// tape is a proof. The clauses of the formula have the first numbers.
type tape []step

// recorder is the log of a solver that gets the clauses of a formula first.
type recorder struct {
	tape
	number map[uint32]uint32 // of a clause on the tape, by the number that the solver gave it
	last   uint32            // number that the solver gave
	lemmas uint32            // last number on the tape
}

func (r *recorder) Learn(number uint32, clause []sat.Lit, hints []uint32) {
	r.last, r.lemmas = number, r.lemmas+1
	r.number[number] = r.lemmas
	s := step{}
	for _, l := range clause {
		s.clause = append(s.clause, uint32(l))
	}
	for _, h := range hints {
		s.hints = append(s.hints, r.number[h])
	}
	r.tape = append(r.tape, s)
}

func (r *recorder) Delete(number uint32) {
	r.tape = append(r.tape, step{deleted: r.number[number]})
}

// proof returns a refutation of f by cdcl, nil if there is none.
func proof(f *sat.CNF) tape {
	r := &recorder{number: make(map[uint32]uint32), lemmas: uint32(len(f.Clauses))}
	s := cdcl.NewLogged(r)
	for range f.NumVars {
		s.NewVar()
	}
	for i, c := range f.Clauses {
		r.last++
		r.number[r.last] = uint32(i) + 1
		s.Add(c...)
	}
	if s.Solve(context.Background()) != sat.Unsat {
		return nil
	}
	return r.tape
}

// lrat says why the checker rejects a proof, nil if it accepts it.
func lrat(f *sat.CNF, p tape) error {
	var c rup.LRAT
	for _, clause := range f.Clauses {
		if _, err := c.Add(clause); err != nil {
			return err
		}
	}
	for i, s := range p {
		var err error
		if s.deleted != 0 {
			err = c.Delete(s.deleted)
		} else {
			_, err = c.Learn(lits(s.clause), s.hints)
		}
		if err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	if !c.Refuted() {
		return fmt.Errorf("nothing is refuted")
	}
	return nil
}

func lits(words []uint32) (c []sat.Lit) {
	for _, w := range words {
		c = append(c, sat.Lit(w))
	}
	return c
}

// naive does what lrat does, by maps and without cleverness.
func naive(f *sat.CNF, p tape) bool {
	clauses := make(map[uint32][]sat.Lit)
	number := uint32(0)
	refuted := false
	add := func(c []sat.Lit) {
		number++
		clauses[number] = c
		refuted = refuted || len(c) == 0
	}
	for _, c := range f.Clauses {
		add(c)
	}
	for _, s := range p {
		if s.deleted != 0 {
			if _, ok := clauses[s.deleted]; !ok {
				return false
			}
			delete(clauses, s.deleted)
			continue
		}
		lemma := lits(s.clause)
		truth := make(map[sat.Lit]bool)
		contradiction := false
		for _, l := range lemma {
			if l < 2 {
				return false
			}
			truth[l.Not()] = true
			contradiction = contradiction || truth[l]
		}
		for i, h := range s.hints {
			c, ok := clauses[h]
			if contradiction {
				break
			}
			open := make(map[sat.Lit]bool)
			for _, l := range c {
				if !truth[l.Not()] {
					open[l] = true
				}
			}
			if !ok || len(open) > 1 || len(open) == 0 && i < len(s.hints)-1 {
				return false
			}
			contradiction = len(open) == 0
			for l := range open {
				if truth[l] {
					return false
				}
				truth[l] = true
			}
		}
		if !contradiction {
			return false
		}
		add(lemma)
	}
	return refuted
}

// formula returns a random formula of clauses of three literals that are seldom satisfiable.
func formula(rng *rand.Rand, vars int) *sat.CNF {
	f := &sat.CNF{NumVars: vars}
	for range vars * 6 {
		vs := rng.Perm(vars)[:1+min(2, rng.IntN(8))]
		var c []sat.Lit
		for _, v := range vs {
			c = append(c, sat.MkLit(v+1, rng.IntN(2) == 1))
		}
		f.Clauses = append(f.Clauses, c)
	}
	return f
}

// mutate changes a proof at one place.
func mutate(rng *rand.Rand, p tape, vars int) tape {
	p = slices.Clone(p)
	for {
		i := rng.IntN(len(p))
		s := p[i]
		s.clause, s.hints = slices.Clone(s.clause), slices.Clone(s.hints)
		some := func(n int) int { return rng.IntN(max(n, 1)) }
		k, h := some(len(s.clause)), some(len(s.hints))
		switch kind := rng.IntN(11); {
		case kind == 0: // a step is left out
			return slices.Delete(p, i, i+1)
		case kind == 1: // the end is left out
			return p[:i]
		case kind == 2: // something is deleted too soon
			return slices.Insert(p, i, step{deleted: 1 + uint32(rng.IntN(vars*6+i))})
		case s.deleted != 0:
			continue
		case kind == 3 && len(s.clause) > 0:
			s.clause = slices.Delete(s.clause, k, k+1)
		case kind == 4 && len(s.clause) > 0:
			s.clause[k] ^= 1
		case kind == 5 && len(s.clause) > 0:
			s.clause[k] = uint32(2 + rng.IntN(2*vars))
		case kind == 6 && len(s.hints) > 0:
			s.hints = slices.Delete(s.hints, h, h+1)
		case kind == 7 && len(s.hints) > 0:
			s.hints[h] = uint32(rng.IntN(vars*6 + i + 2))
		case kind == 8 && len(s.hints) > 1:
			j := rng.IntN(len(s.hints))
			s.hints[h], s.hints[j] = s.hints[j], s.hints[h]
		case kind == 9 && len(s.hints) > 0:
			s.hints = slices.Insert(s.hints, h, s.hints[some(len(s.hints))])
		case kind == 10 && len(s.hints) > 0:
			s.hints = s.hints[:h]
		default:
			continue
		}
		p[i] = s
		return p
	}
}

// Proofs of cdcl are accepted. A changed proof is accepted exactly if the naive check accepts
// it: when the change does not matter. ORBITMC_LONG=1 tries 240,000 changes.
func TestMutated(t *testing.T) {
	proofs := 100
	if nightly.On() {
		proofs = 2000
	}
	rejected, accepted, lemmas := 0, 0, 0
	for seed := uint64(0); proofs > 0; seed++ {
		rng := rand.New(rand.NewPCG(seed, 23))
		vars := 8 + rng.IntN(30)
		f := formula(rng, vars)
		p := proof(f)
		if p == nil {
			continue
		}
		proofs--
		lemmas += len(p)
		if err := lrat(f, p); err != nil || !naive(f, p) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for range 120 {
			m := mutate(rng, p, vars)
			err := lrat(f, m)
			if want := naive(f, m); (err == nil) != want {
				t.Fatalf("seed %d: %v, naive accepts: %v\n%v\n%v", seed, err, want, f.Clauses, m)
			}
			if err != nil {
				rejected++
			} else {
				accepted++
			}
		}
	}
	t.Logf("%d steps, %d changed proofs rejected, %d accepted", lemmas, rejected, accepted)
	if rejected < accepted {
		t.Error("most changes should matter")
	}
}

// Each step is checked in a formula that grows, whose clauses come and go.
func TestLRAT(t *testing.T) {
	for _, c := range []struct {
		lemma []sat.Lit
		hints []uint32
		says  string // part of the error, empty if accepted
	}{
		{clause(1), []uint32{1, 2}, ""},
		{clause(1), []uint32{2, 1}, ""},
		{clause(1, -1), nil, ""},
		{clause(1, 7), []uint32{1, 2}, ""},
		{clause(1), nil, "no hint"},
		{clause(1), []uint32{1}, "no hint"},
		{clause(1), []uint32{1, 1}, "neither unit nor false"},
		{clause(1), []uint32{3}, "neither unit nor false"},
		{clause(), []uint32{1, 2}, "neither unit nor false"},
		{clause(1), []uint32{1, 2, 3}, "1 hints follow"},
		{clause(1), []uint32{1, 9}, "hint 9 of a lemma is no clause"},
		{clause(1), []uint32{1, 0}, "hint 0 of a lemma is no clause"},
		{clause(1), []uint32{1, 5}, "hint 5 of a lemma is no clause"},
		{[]sat.Lit{1}, []uint32{1, 2}, "1 is no literal"},
	} {
		var l rup.LRAT
		for _, clause := range append(square().Clauses, clause(1)) {
			if _, err := l.Add(clause); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Delete(5); err != nil {
			t.Fatal(err)
		}
		n, err := l.Learn(c.lemma, c.hints)
		if c.says == "" && (err != nil || n != 6) || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%v by %v: %d, %v, want %q", c.lemma, c.hints, n, err, c.says)
		}
		if err := l.Delete(5); err == nil {
			t.Error("a clause is deleted twice")
		}
	}
}

// Memory is that of the clauses that are left.
func TestMemory(t *testing.T) {
	var c rup.LRAT
	if _, err := c.Add(clause(1, 2)); err != nil {
		t.Fatal(err)
	}
	long := make([]int, 1000)
	for i := range long {
		long[i] = i + 1
	}
	for range 20000 {
		n, err := c.Learn(clause(long...), []uint32{1})
		if err == nil {
			err = c.Delete(n)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if words := c.Words(); words > 1<<18 {
		t.Errorf("%d words for a clause of two literals", words)
	}
	if _, err := c.Learn(clause(2, 1), []uint32{1}); err != nil {
		t.Error(err)
	}
}

// The proofs of cdcl, and those that are changed, go to another checker. It knows lemmas by
// resolution asymmetry, so it may accept more. ORBITMC_LRATCHECK names lrat-check.c, which is
// built with gcc (https://github.com/marijnheule/drat-trim).
func TestPeer(t *testing.T) {
	source := os.Getenv("ORBITMC_LRATCHECK")
	if source == "" {
		t.Skip("ORBITMC_LRATCHECK is not set")
	}
	dir := t.TempDir()
	tool := filepath.Join(dir, "lrat-check")
	if out, err := exec.Command("gcc", "-O2", "-o", tool, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cnf, file := filepath.Join(dir, "f.cnf"), filepath.Join(dir, "f.lrat")
	peer := func(f *sat.CNF, p tape) bool {
		var text strings.Builder
		fmt.Fprintf(&text, "p cnf %d %d\n", f.NumVars, len(f.Clauses))
		for _, c := range f.Clauses {
			write(&text, c)
			text.WriteString("\n")
		}
		if err := os.WriteFile(cnf, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		text.Reset()
		n := len(f.Clauses)
		for _, s := range p {
			if s.deleted != 0 {
				fmt.Fprintf(&text, "%d d %d 0\n", n, s.deleted)
				continue
			}
			n++
			fmt.Fprintf(&text, "%d ", n)
			write(&text, lits(s.clause))
			for _, h := range s.hints {
				fmt.Fprintf(&text, " %d", h)
			}
			text.WriteString(" 0\n")
		}
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second) // it can hang on a wrong proof
		defer cancel()
		out, _ := exec.CommandContext(ctx, tool, cnf, file).CombinedOutput()
		return strings.Contains(string(out), "c VERIFIED")
	}
	proofs, steps, both, ours := 0, 0, 0, 0
	for seed := uint64(0); proofs < 1200; seed++ {
		rng := rand.New(rand.NewPCG(seed, 24))
		vars := 8 + rng.IntN(80)
		f := formula(rng, vars)
		p := proof(f)
		if p == nil {
			continue
		}
		proofs++
		steps += len(p)
		if err := lrat(f, p); err != nil || !peer(f, p) {
			t.Fatalf("seed %d: %v, or lrat-check rejects it", seed, err)
		}
		for range (proofs % 4) / 3 {
			m := mutate(rng, p, vars)
			if slices.ContainsFunc(m, func(s step) bool { return slices.Contains(s.hints, 0) }) {
				continue // the end of a line there
			}
			switch err := lrat(f, m); {
			case peer(f, m):
				if err != nil {
					ours++
				}
			case err == nil:
				t.Fatalf("seed %d: lrat-check rejects what is accepted here\n%v\n%v", seed, f.Clauses, m)
			default:
				both++
			}
		}
	}
	t.Logf("%d proofs of %d steps accepted by both; of changed ones %d rejected by both, %d here only", proofs, steps, both, ours)
}

func write(text *strings.Builder, c []sat.Lit) {
	for _, l := range c {
		fmt.Fprintf(text, "%d ", l.Dimacs())
	}
	text.WriteString("0")
}
