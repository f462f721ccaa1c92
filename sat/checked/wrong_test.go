package checked

import (
	"context"
	"strings"
	"testing"

	"orbitmc/sat"
	"orbitmc/sat/cdcl"
)

// liar is the log of a solver that learns wrongly: it passes something else on.
type liar struct {
	*confirm
	lemmas int
	learn  func(l *liar, number uint32, clause []sat.Lit, hints []uint32)
}

func (l *liar) Learn(number uint32, clause []sat.Lit, hints []uint32) {
	l.lemmas++
	l.learn(l, number, clause, hints)
}

// pigeons says that n pigeons are in holes holes, one in each at most.
func pigeons(s *Solver, n, holes int) {
	at := make([][]sat.Lit, n)
	for i := range at {
		for range holes {
			at[i] = append(at[i], s.NewVar())
		}
		s.Add(at[i]...)
	}
	for h := range holes {
		for i := range n {
			for j := range i {
				s.Add(at[i][h].Not(), at[j][h].Not())
			}
		}
	}
}

// TestWrong: a solver that learns a wrong clause, or whose proof is not one, is found out,
// whatever it answers.
func TestWrong(t *testing.T) {
	honest := func(l *liar, number uint32, clause []sat.Lit, hints []uint32) {
		l.confirm.Learn(number, clause, hints)
	}
	for _, c := range []struct {
		name  string
		learn func(l *liar, number uint32, clause []sat.Lit, hints []uint32)
		says  string // of the error; empty: none
	}{
		{"honest", honest, ""},
		{"a literal less", func(l *liar, number uint32, clause []sat.Lit, hints []uint32) {
			if l.lemmas == 3 {
				clause = clause[1:]
			}
			honest(l, number, clause, hints)
		}, "wrong proof: "},
		{"a literal negated", func(l *liar, number uint32, clause []sat.Lit, hints []uint32) {
			if l.lemmas == 3 {
				clause[0] = clause[0].Not()
			}
			honest(l, number, clause, hints)
		}, "wrong proof: "},
		{"the empty clause at once", func(l *liar, number uint32, clause []sat.Lit, hints []uint32) {
			honest(l, number, nil, hints)
		}, "wrong proof: "},
		{"a hint less", func(l *liar, number uint32, clause []sat.Lit, hints []uint32) {
			honest(l, number, clause, hints[:len(hints)-1])
		}, "wrong proof: "},
		{"another number", func(l *liar, number uint32, clause []sat.Lit, hints []uint32) {
			honest(l, number+1, clause, hints)
		}, "wrong proof: clause "},
		{"nothing", func(*liar, uint32, []sat.Lit, []uint32) {}, "wrong proof: "},
	} {
		s := New()
		s.search = cdcl.NewLogged(&liar{confirm: &s.check, learn: c.learn})
		pigeons(s, 5, 4)
		status, err := s.Solve(context.Background())
		switch {
		case c.says == "" && (status != sat.Unsat || err != nil):
			t.Errorf("%s: %v, %v", c.name, status, err)
		case c.says != "" && (status != sat.Unknown || err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v, %v, want %q", c.name, status, err, c.says)
		}
	}
}

// TestWrongCore: a solver that refutes less than it was asked is found out, and so is one
// that adds other clauses than it was given.
func TestWrongCore(t *testing.T) {
	s := New()
	a, b, c := s.NewVar(), s.NewVar(), s.NewVar()
	s.Add(a.Not(), b.Not())
	if status, err := s.Solve(context.Background(), a, b, c); status != sat.Unsat || err != nil {
		t.Fatalf("%v, %v", status, err)
	}
	if !s.check.refutes([]sat.Lit{a, b}) || s.check.refutes([]sat.Lit{a, c}) || s.check.refutes(nil) {
		t.Errorf("the lemma %v refutes other assumptions", s.check.lemma)
	}
	s.search.Add(c.Not()) // of which the checker knows nothing
	if status, err := s.Solve(context.Background(), c); status != sat.Unknown || err == nil {
		t.Errorf("%v, %v", status, err)
	}
}
