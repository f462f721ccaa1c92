package cdcl

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/sat"
)

// random adds clauses of three literals by chance.
func random(s *Solver, r *rand.Rand, vars, clauses int) (lits []sat.Lit) {
	for range vars {
		lits = append(lits, s.NewVar())
	}
	for range clauses {
		var clause []sat.Lit
		for range 3 {
			clause = append(clause, lits[r.IntN(vars)]^sat.Lit(r.IntN(2)))
		}
		s.Add(clause...)
	}
	return lits
}

// TestTurns: a long query is in both modes, the same query with the same turns; a query in focus is
// in stable mode.
func TestTurns(t *testing.T) {
	solve := func(focus bool) *Solver {
		s := New()
		s.modes.first = 20
		lits := random(s, rand.New(rand.NewPCG(3, 4)), 150, 680)
		if focus {
			s.Focus(lits, nil)
		}
		if got := s.Solve(t.Context()); got != sat.Unsat {
			t.Fatal(got)
		}
		return s
	}
	a, b := solve(false), solve(false)
	if a.modes.switches < 4 {
		t.Errorf("%d turns in %d conflicts", a.modes.switches, a.counted.Conflicts)
	}
	if a.modes != b.modes || a.counted != b.counted {
		t.Errorf("two searches differ: %+v %+v, %+v %+v", a.modes, a.counted, b.modes, b.counted)
	}
	if stable := solve(true); stable.modes.fast.value != 0 || stable.counted == a.counted {
		t.Errorf("a query in focus learned in rapid mode: %+v", stable.modes)
	}
}

// TestTurnLengths: the k-th pair of turns has k² times the length of the first turn.
func TestTurnLengths(t *testing.T) {
	s := New()
	s.counted.Conflicts, s.looked = firstSpan, 70
	var lengths []int64
	rapid := false
	for began := int64(0); len(lengths) < 6; s.looked++ {
		if s.switchMode(); s.modes.rapid != rapid {
			rapid = !rapid
			lengths = append(lengths, s.looked-began)
			began = s.looked
		}
	}
	if want := []int64{70, 70, 280, 280, 630, 630}; !slices.Equal(lengths, want) {
		t.Errorf("%d, not %d", lengths, want)
	}
}

// TestKeep: a restart in rapid mode keeps the assumption and the decisions that conflicts met later than any
// variable without a value; in stable mode it keeps the assumption.
func TestKeep(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	kept, undone := 0, 0
	for range 300 {
		s := New()
		lits := random(s, r, 40, 60)
		if s.Solve(t.Context(), lits[0]) != sat.Sat {
			continue
		}
		for _, l := range s.trail {
			if r.IntN(8) == 0 && s.level[l.Var()] > 0 {
				s.queue.bump(int32(l.Var()))
			}
		}
		s.back(1 + r.IntN(len(s.lims)))
		s.modes.rapid = true
		open := int64(0)
		for v := 1; v < len(s.level); v++ {
			if s.value[sat.MkLit(v, false)] == 0 {
				open = max(open, s.queue.stamp(v))
			}
		}
		want := 1
		for open > 0 && want < len(s.lims) && s.queue.stamp(s.trail[s.lims[want]].Var()) > open {
			want++
		}
		if got := s.keep(1); got != want {
			t.Fatalf("keeps %d of %d decisions, not %d", got, len(s.lims), want)
		}
		kept += want - 1
		undone += len(s.lims) - want
		s.modes.rapid = false
		if got := s.keep(1); got != 1 {
			t.Fatalf("keeps %d decisions in stable mode", got)
		}
	}
	if kept < 100 || undone < 100 {
		t.Errorf("%d decisions kept, %d undone", kept, undone)
	}
}

// TestAverage: the average is that of the definition, from the first value on.
func TestAverage(t *testing.T) {
	a := newAverage(33)
	r := rand.New(rand.NewPCG(7, 8))
	var values []float64
	for range 500 {
		values = append(values, 10*r.Float64())
		a.add(values[len(values)-1])
		sum, weights, w := 0.0, 0.0, 1.0
		for _, x := range slices.Backward(values) {
			sum, weights, w = sum+w*x, weights+w, w*(1-1.0/33)
		}
		if math.Abs(a.value-sum/weights) > 1e-9 {
			t.Fatalf("%v, not %v", a.value, sum/weights)
		}
	}
}
