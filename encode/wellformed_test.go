package encode_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/encode/cnf"
	"orbitmc/sat"
	"orbitmc/sat/gini"
	"orbitmc/ts"
)

// TestProveWellFormed: each conjunct of W is proved, for resets and for steps. In
// four latches that stay 0, one that is 1 after reset, or becomes 1, is noticed
// wherever it stands.
func TestProveWellFormed(t *testing.T) {
	for at := -1; at < 4; at++ {
		for _, step := range []bool{false, true} {
			g := aig.NewPlain()
			s := &ts.System{G: g}
			in := g.Input()
			s.Inputs = []ts.Signal{{Name: "i", Node: in.Node()}}
			var low []aig.Lit
			for i := range 4 {
				l := ts.Latch{Name: "l", Node: g.Input().Node(), Reset: aig.False, Next: aig.False}
				switch {
				case i == at && step:
					l.Next = in
				case i == at:
					l.Reset = aig.True
				}
				s.Latches = append(s.Latches, l)
				low = append(low, s.LatchLit(i).Not())
			}
			s.W = g.AndN(low)
			err := encode.ProveWhole(context.Background(), s, gini.New())
			want := ""
			switch {
			case at >= 0 && step:
				want = "successor"
			case at >= 0:
				want = "reset"
			}
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("latch %d, in a step %v: %v, want %q", at, step, err, want)
			}
		}
	}
}

// randomGuarded returns a system of one-hot leaves of three bits, each written
// under a condition with another leaf, a constant or a choice of them. Some
// writes are spoilt, and some of those only where the condition forbids it. In
// some systems W is asked for only once a latch is set that the reset leaves 0.
func randomGuarded(rng *rand.Rand) *ts.System {
	g := aig.NewPlain()
	s := &ts.System{G: g}
	for i := range 3 {
		s.Inputs = append(s.Inputs, ts.Signal{Name: fmt.Sprint("i", i), Node: g.Input().Node()})
	}
	const leaves, size = 3, 3
	for i := range leaves*size + 1 {
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint("l", i), Node: g.Input().Node()})
	}
	started := s.LatchLit(leaves * size)
	var atoms []aig.Lit
	for i := range s.Latches {
		atoms = append(atoms, s.LatchLit(i))
	}
	for i := range s.Inputs {
		atoms = append(atoms, s.InputLit(i), s.InputLit(i).Not())
	}
	atom := func() aig.Lit { return atoms[rng.IntN(len(atoms))].NotIf(rng.IntN(2) == 0) }
	source := func() []aig.Lit {
		bits := []aig.Lit{aig.False, aig.False, aig.False}
		if rng.IntN(3) == 0 {
			bits[rng.IntN(size)] = aig.True
			return bits
		}
		from := rng.IntN(leaves) * size
		for k := range bits {
			bits[k] = s.LatchLit(from + k)
		}
		return bits
	}
	var pairs, idle []aig.Lit
	for at := 0; at < leaves*size; at += size {
		x, y, c := source(), source(), g.And(atom(), atom())
		when := g.And(atom(), atom())
		for k := range x {
			x[k] = g.Mux(c, x[k], y[k])
		}
		if rng.IntN(4) == 0 {
			x[rng.IntN(size)] = atom()
			if rng.IntN(2) == 0 { // but no write of two bits
				for j := range x {
					when = g.And(when, g.And(x[j], x[(j+1)%size]).Not())
				}
			}
		}
		for k := range x {
			l := &s.Latches[at+k]
			l.Next, l.Reset = g.Mux(when, x[k], s.LatchLit(at+k)), aig.False.NotIf(k == 0)
			if rng.IntN(100) == 0 {
				l.Reset = aig.True
			}
			pairs = append(pairs, g.And(s.LatchLit(at+k), s.LatchLit(at+(k+1)%size)).Not())
			idle = append(idle, s.LatchLit(at+k).Not())
		}
	}
	s.W = g.AndN(pairs)
	last := &s.Latches[leaves*size]
	last.Next, last.Reset = started, aig.True
	if rng.IntN(3) == 0 {
		s.W = g.Mux(started, s.W, g.AndN(idle))
		if rng.IntN(2) == 0 {
			last.Reset = aig.False
		}
	}
	if rng.IntN(4) == 0 {
		s.Constraints = append(s.Constraints, g.And(atom(), atom()).Not())
	}
	return s
}

// inductive decides by one query each what ProveWellFormed proves.
func inductive(s *ts.System) bool {
	reset, next := make(map[int]aig.Lit), make(map[int]aig.Lit)
	for _, l := range s.Latches {
		reset[l.Node], next[l.Node] = l.Reset, l.Next
	}
	all := append(slices.Clone(s.Constraints), s.W, s.G.Compose([]aig.Lit{s.W}, next)[0].Not())
	first := s.G.Compose([]aig.Lit{s.W}, reset)[0].Not()
	p := cnf.NewProver(s.G, gini.New())
	return p.Solve(context.Background(), first) == sat.Unsat && p.Solve(context.Background(), s.G.AndN(all)) == sat.Unsat
}

// TestProveWellFormedByCuts compares both proofs with one query on random systems:
// what is not inductive is refused, whether the cut shows it or not. The graph of the system
// is left alone.
func TestProveWellFormedByCuts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	proved, refused := 0, 0
	for i := range 1500 {
		s := randomGuarded(rng)
		want := inductive(s)
		exact := encode.ProveWhole(context.Background(), s, gini.New())
		nodes := s.G.Len()
		cut := encode.ProveWellFormed(context.Background(), s, func() sat.Solver { return gini.New() })
		if s.G.Len() != nodes {
			t.Fatalf("system %d: %d nodes became %d", i, nodes, s.G.Len())
		}
		if (exact == nil) != want || (cut == nil) != want {
			t.Fatalf("system %d: inductive %v, but %v, and by cuts %v", i, want, exact, cut)
		}
		if want {
			proved++
		} else {
			refused++
		}
	}
	if min(proved, refused) < 300 {
		t.Errorf("%d proved, %d refused", proved, refused)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := encode.ProveWellFormed(ctx, randomGuarded(rng), func() sat.Solver { return gini.New() }); err != context.Canceled {
		t.Errorf("after the end of the context: %v", err)
	}
}
