package cnf_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/sat"
	"orbitmc/sat/gini"
	"orbitmc/ts"
)

// randomSystem returns a system of n latches with n inputs, initial inputs,
// constraints and bads of random functions.
func randomSystem(r *rand.Rand, n int) *ts.System {
	g := aig.New()
	s := &ts.System{G: g}
	step, reset := []aig.Lit{aig.False}, []aig.Lit{aig.False}
	for i := range n {
		x, y, z := g.Input(), g.Input(), g.Input()
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint("x", i), Node: x.Node()})
		s.Inputs = append(s.Inputs, ts.Signal{Name: fmt.Sprint("y", i), Node: y.Node()})
		s.Init = append(s.Init, ts.Signal{Name: fmt.Sprint("z", i), Node: z.Node()})
		step, reset = append(step, x, y), append(reset, z)
	}
	var state []aig.Lit
	for i := range n {
		state = append(state, s.LatchLit(i))
	}
	for range 6 * n {
		step = append(step, randomFunction(r, g, step))
		reset = append(reset, randomFunction(r, g, reset))
		state = append(state, randomFunction(r, g, state))
	}
	pick := func(ls []aig.Lit) aig.Lit { return ls[r.IntN(len(ls))].NotIf(r.IntN(2) == 0) }
	for i := range n {
		s.Latches[i].Reset, s.Latches[i].Next = pick(reset), pick(step)
		s.Constraints = append(s.Constraints, pick(step))
		s.Bads = append(s.Bads, ts.Bad{Name: fmt.Sprint("bad", i), Lit: pick(step)})
	}
	s.W = pick(state)
	return s
}

// assign gives the leaves ls random values and returns these.
func assign(r *rand.Rand, sim *aig.Sim, ls []aig.Lit) []bool {
	bits := make([]bool, len(ls))
	for i, l := range ls {
		bits[i] = r.IntN(2) == 0
		if bits[i] {
			sim.Set(l.Node(), 1)
		} else {
			sim.Set(l.Node(), 0)
		}
	}
	return bits
}

// Unrolled functions have the values that simulation gives.
func TestFramesAgainstSimulation(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for round := range 100 {
		n, k := 1+r.IntN(6), r.IntN(6)
		s := randomSystem(r, n)
		if err := tstest.Check(s); err != nil {
			t.Fatal(err)
		}
		free := round%2 == 0
		f := cnf.NewFrames(s, free)
		if f.Len() != 0 {
			t.Fatalf("a new unrolling has %d frames", f.Len())
		}
		probe := aig.False // of some function, in some frame, asked for at some time
		for range k + 1 {
			f.Extend()
			i := r.IntN(f.Len())
			probe = f.Graph().Xor(probe, f.Bad(i, r.IntN(n)))
		}
		if f.Len() != k+1 {
			t.Fatalf("%d frames, want %d", f.Len(), k+1)
		}
		type row struct{ constraint, w, next aig.Lit }
		rows := make([]row, k+1)
		for i := range rows { // newest first: going back costs time only
			i = k - i
			rows[i] = row{f.Constraint(i), f.W(i), f.Copy(i, s.Latches[0].Next)}
			for b := range s.Bads {
				f.Bad(i, b)
			}
		}
		size := f.Graph().Len()
		for i := range rows {
			if f.Copy(i, s.Bads[0].Lit) != f.Bad(i, 0) || f.Copy(i, s.W) != f.W(i) || f.Constraint(i) != rows[i].constraint {
				t.Fatalf("frame %d: a second copy differs", i)
			}
			if i < k && f.Copy(i, s.Latches[0].Next) != f.Latches(i + 1)[0] {
				t.Fatalf("frame %d: next is not the latch of the next frame", i)
			}
		}
		if f.Graph().Len() != size {
			t.Fatal("copying twice makes nodes")
		}

		for range 10 {
			sim := aig.NewSim(f.Graph())
			trace := &ts.Trace{}
			e := ts.NewEvaluator(s)
			var state []bool
			if free {
				state = assign(r, sim, f.Latches(0))
				if f.Init() != nil {
					t.Fatal("initial inputs of a free state")
				}
			} else {
				trace.Init = assign(r, sim, f.Init())
				state = e.Reset(trace.Init)
			}
			for i := range k + 1 {
				trace.Inputs = append(trace.Inputs, assign(r, sim, f.Inputs(i)))
			}
			sim.Run()
			value := func(l aig.Lit) bool { return sim.Word(l)&1 == 1 }
			for i := range k + 1 {
				e.Set(state, trace.Inputs[i])
				for j, l := range f.Latches(i) {
					if value(l) != state[j] {
						t.Fatalf("latch %d in frame %d: got %v, want %v", j, i, value(l), state[j])
					}
				}
				for j, b := range s.Bads {
					if got, want := value(f.Bad(i, j)), e.Value(b.Lit); got != want {
						t.Fatalf("bad %d in frame %d: got %v, want %v", j, i, got, want)
					}
				}
				if got, want := value(rows[i].constraint), e.Constraints(); got != want {
					t.Fatalf("constraint in frame %d: got %v, want %v", i, got, want)
				}
				if got, want := value(rows[i].w), e.Value(s.W); got != want {
					t.Fatalf("W in frame %d: got %v, want %v", i, got, want)
				}
				state = e.Next()
				if got := value(rows[i].next); got != state[0] {
					t.Fatalf("next of latch 0 in frame %d: got %v, want %v", i, got, state[0])
				}
			}
			if !free && !reflect.DeepEqual(f.Trace(k, value), trace) {
				t.Fatal("the trace read back differs")
			}
		}
	}
}

// A solver finds bads in exactly the frames where search finds them, and its
// traces replay.
func TestFramesWithSolver(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	found := 0
	for range 60 {
		const n, depth = 3, 4
		s := randomSystem(r, n)
		f := cnf.NewFrames(s, false)
		solver := gini.New()
		c := cnf.New(f.Graph(), solver)
		want := search(s, depth)
		for k := range depth + 1 {
			f.Extend()
			c.Assert(f.Constraint(k))
			for i := range s.Bads {
				status := solver.Solve(t.Context(), c.Implied(f.Bad(k, i)))
				if (status == sat.Sat) != want[k][i] {
					t.Fatalf("bad %d in frame %d: %v, want %v", i, k, status, want[k][i])
				}
				if status == sat.Sat {
					found++
					if err := s.Replay(f.Trace(k, c.Value), i); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d traces were checked", found)
	}
}

// search reports, by frame and bad, which bads paths reach whose constraints
// hold so far.
func search(s *ts.System, depth int) [][]bool {
	e := ts.NewEvaluator(s)
	bits := func(v, n int) []bool {
		b := make([]bool, n)
		for i := range b {
			b[i] = v>>i&1 == 1
		}
		return b
	}
	layer := make(map[string][]bool)
	for v := range 1 << len(s.Init) {
		x := e.Reset(bits(v, len(s.Init)))
		layer[fmt.Sprint(x)] = x
	}
	hit := make([][]bool, depth+1)
	for k := range hit {
		hit[k] = make([]bool, len(s.Bads))
		next := make(map[string][]bool)
		for _, x := range layer {
			for v := range 1 << len(s.Inputs) {
				e.Set(x, bits(v, len(s.Inputs)))
				if !e.Constraints() {
					continue
				}
				for i, b := range s.Bads {
					hit[k][i] = hit[k][i] || e.Value(b.Lit)
				}
				y := e.Next()
				next[fmt.Sprint(y)] = y
			}
		}
		layer = next
	}
	return hit
}

func TestFramesFoldResets(t *testing.T) {
	g := aig.New()
	s := &ts.System{G: g, W: aig.True}
	carry := aig.True
	for i := range 8 { // a counter has the constant state k in frame k
		x := g.Input()
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint(i), Node: x.Node(), Next: g.Xor(x, carry)})
		carry = g.And(carry, x)
	}
	f := cnf.NewFrames(s, false)
	for k := range 300 {
		f.Extend()
		for i, l := range f.Latches(k) {
			if want := aig.False.NotIf(k>>i&1 == 1); l != want {
				t.Fatalf("bit %d in frame %d is %v, want %v", i, k, l, want)
			}
		}
	}
	if f.Graph().Len() != 1 {
		t.Errorf("%d nodes, want the constant alone", f.Graph().Len())
	}
}

func TestFramesFreeHasNoTrace(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f := cnf.NewFrames(&ts.System{G: aig.New(), W: aig.True}, true)
	f.Extend()
	f.Trace(0, func(aig.Lit) bool { return false })
}
