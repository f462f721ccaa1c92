package aiger_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/encode/aiger"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/ts"
)

func randomBits(rng *rand.Rand, n int) []bool {
	bits := make([]bool, n)
	for i := range bits {
		bits[i] = rng.IntN(2) == 1
	}
	return bits
}

func randomTrace(rng *rand.Rand, s *ts.System) *ts.Trace {
	t := &ts.Trace{Init: randomBits(rng, len(s.Init))}
	for range 1 + rng.IntN(6) {
		t.Inputs = append(t.Inputs, randomBits(rng, len(s.Inputs)))
	}
	return t
}

// randomSystem returns a system whose resets are of every sort: constants,
// initial inputs of one latch or of several, complemented or not, and functions.
func randomSystem(rng *rand.Rand) *ts.System {
	s := &ts.System{G: aig.NewPlain()}
	var latches, inputs, init []aig.Lit
	nl, ni, nz := 1+rng.IntN(6), rng.IntN(4), rng.IntN(5)
	sorts := make([]int, 0, nl+ni+nz)
	for k, n := range []int{nl, ni, nz} {
		sorts = append(sorts, slices.Repeat([]int{k}, n)...)
	}
	rng.Shuffle(len(sorts), func(i, j int) { sorts[i], sorts[j] = sorts[j], sorts[i] })
	for _, k := range sorts {
		l := s.G.Input()
		switch k {
		case 0:
			s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint("x", len(latches)), Node: l.Node()})
			latches = append(latches, l)
		case 1:
			s.Inputs = append(s.Inputs, ts.Signal{Name: fmt.Sprint("y", len(inputs)), Node: l.Node()})
			inputs = append(inputs, l)
		default:
			s.Init = append(s.Init, ts.Signal{Name: fmt.Sprint("z", len(init)), Node: l.Node()})
			init = append(init, l)
		}
	}
	function := func(leaves []aig.Lit, size int) aig.Lit {
		pool := append([]aig.Lit{aig.False}, leaves...)
		pick := func() aig.Lit { return pool[rng.IntN(len(pool))].NotIf(rng.IntN(2) == 1) }
		for range size {
			switch rng.IntN(3) {
			case 0:
				pool = append(pool, s.G.And(pick(), pick()))
			case 1:
				pool = append(pool, s.G.Xor(pick(), pick()))
			default:
				pool = append(pool, s.G.Mux(pick(), pick(), pick()))
			}
		}
		return pool[len(pool)-1].NotIf(rng.IntN(2) == 1)
	}
	functions := rng.IntN(2) == 1
	for i := range s.Latches {
		reset := aig.False.NotIf(rng.IntN(2) == 1)
		switch {
		case functions && rng.IntN(2) == 1:
			reset = function(init, 4)
		case i < nz && rng.IntN(2) == 1:
			reset = init[i]
		}
		s.Latches[i].Reset = reset
		s.Latches[i].Next = function(slices.Concat(latches, inputs), 6)
	}
	for range rng.IntN(3) {
		s.Constraints = append(s.Constraints, function(slices.Concat(latches, inputs), 4))
	}
	for i := range rng.IntN(4) {
		s.Bads = append(s.Bads, ts.Bad{Name: fmt.Sprint("p", i), Lit: function(slices.Concat(latches, inputs), 4), Prop: rng.IntN(9), Delay: rng.IntN(2)})
	}
	s.W = function(latches, 3)
	return s
}

// TestFromSystem: what a system becomes runs as the system does, and survives
// writing.
func TestFromSystem(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	withInit, without, uninitialised := 0, 0, 0
	for range 1000 {
		s := randomSystem(rng)
		if err := tstest.Check(s); err != nil {
			t.Fatal(err)
		}
		before := dump(t, s)
		f := aiger.FromSystem(s)
		if err := tstest.Check(f.Sys); err != nil {
			t.Fatalf("%v\n%s\n%s", err, before, dump(t, f.Sys))
		}
		if dump(t, s) != before {
			t.Fatal("the system was changed")
		}
		for i, l := range s.Latches {
			if f.Sys.Latches[i].Name != l.Name {
				t.Fatalf("latch %q is called %q", l.Name, f.Sys.Latches[i].Name)
			}
		}
		for i, in := range s.Inputs {
			if f.Sys.Inputs[i].Name != in.Name {
				t.Fatalf("input %q is called %q", in.Name, f.Sys.Inputs[i].Name)
			}
		}
		for i, b := range s.Bads {
			if got := f.Sys.Bads[i]; got.Name != b.Name || got.Delay != b.Delay || got.Prop != b.Prop {
				t.Fatalf("bad %+v becomes %+v", b, got)
			}
		}
		switch len(f.Sys.Latches) - len(s.Latches) {
		case 0:
			without++
			if len(f.Sys.Inputs) != len(s.Inputs) {
				t.Fatal("initial inputs became inputs without a latch init")
			}
		case 1:
			withInit++
		default:
			t.Fatalf("%d latches become %d", len(s.Latches), len(f.Sys.Latches))
		}
		uninitialised += len(f.Sys.Init)

		for range 8 {
			trace := randomTrace(rng, f.Sys)
			back := f.Source(trace)
			got, err := f.Sys.Run(trace)
			if err != nil {
				t.Fatal(err)
			}
			want, err := s.Run(back)
			if err != nil {
				t.Fatal(err)
			}
			for k := range got {
				// In the first frame the latches of the file may hold something else.
				if k > 0 && !slices.Equal(got[k].State[:len(s.Latches)], want[k].State) ||
					got[k].Constraints != want[k].Constraints || !slices.Equal(got[k].Bads, want[k].Bads) {
					t.Fatalf("frame %d: %+v, want %+v\n%s\n%s", k, got[k], want[k], before, dump(t, f.Sys))
				}
			}
		}

		// Read back, it is the same but for what is no part of the format.
		for i := range f.Sys.Bads {
			f.Sys.Bads[i].Prop, f.Sys.Bads[i].Delay = i, 0
		}
		k := 0 // initial inputs in the order of their latches, by their names
		for _, l := range f.Sys.Latches {
			if l.Reset.Node() != 0 {
				f.Sys.Init[k] = ts.Signal{Name: l.Name, Node: l.Reset.Node()}
				k++
			}
		}
		f.ConstraintName = make([]string, len(s.Constraints))
		for i := range f.ConstraintName {
			f.ConstraintName[i] = fmt.Sprint("c", i)
		}
		for _, binary := range []bool{false, true} {
			if err := different(f, read(t, "x", write(t, f, binary))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if min(withInit, without, uninitialised) < 100 {
		t.Errorf("%d with latch init, %d without, %d latches uninitialised", withInit, without, uninitialised)
	}
}

// reachable returns, up to a depth, which bads some run with all constraints
// shows in its last frame.
func reachable(s *ts.System, depth int) (found [][]bool) {
	every := func(n int) (all [][]bool) {
		for v := range 1 << n {
			bits := make([]bool, n)
			for i := range bits {
				bits[i] = v>>i&1 == 1
			}
			all = append(all, bits)
		}
		return all
	}
	e := ts.NewEvaluator(s)
	layer := make(map[string][]bool)
	for _, z := range every(len(s.Init)) {
		x := e.Reset(z)
		layer[fmt.Sprint(x)] = x
	}
	for range depth + 1 {
		bads, next := make([]bool, len(s.Bads)), make(map[string][]bool)
		for _, x := range layer {
			for _, y := range every(len(s.Inputs)) {
				e.Set(x, y)
				if !e.Constraints() {
					continue
				}
				for i, b := range s.Bads {
					bads[i] = bads[i] || e.Value(b.Lit)
				}
				n := e.Next()
				next[fmt.Sprint(n)] = n
			}
		}
		found, layer = append(found, bads), next
	}
	return found
}

// TestReachable: a bad is reached in the frames in which it is reached in the
// system; Source alone would not show a run that the file lost.
func TestReachable(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		s := randomSystem(rng)
		f := read(t, "x", write(t, aiger.FromSystem(s), true))
		if got, want := reachable(f.Sys, 4), reachable(s, 4); len(s.Bads) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%v, want %v\n%s\n%s", got, want, dump(t, s), dump(t, f.Sys))
		}
	}
}

// TestInitLatch shows the form of a file with a reset function.
func TestInitLatch(t *testing.T) {
	g := aig.NewPlain()
	x, y, z, w, u := g.Input(), g.Input(), g.Input(), g.Input(), g.Input()
	s := &ts.System{
		G:      g,
		Inputs: []ts.Signal{{Name: "step", Node: y.Node()}},
		Latches: []ts.Latch{
			{Name: "both\n", Node: x.Node(), Reset: g.And(z, w), Next: g.And(x, y)},
			{Name: "free", Node: u.Node(), Reset: g.Input(), Next: u},
		},
		Init: []ts.Signal{{Name: "nothing", Node: g.Input().Node()}, {Name: "w", Node: w.Node()}, {Name: "z", Node: z.Node()}},
		Bads: []ts.Bad{{Name: "error", Lit: g.And(x, y), Delay: 1}, {Name: "b1", Lit: g.And(x, u)}},
		W:    x.Not(),
	}
	s.Init = append(s.Init, ts.Signal{Name: "v", Node: s.Latches[1].Reset.Node()})
	if err := tstest.Check(s); err != nil {
		t.Fatal(err)
	}
	f := aiger.FromSystem(s)
	f.Comments = []string{"example"}
	// Inputs step, w, z are 2, 4, 6; latches 8, 10, and init 12; visible is 21.
	const want = `aag 12 3 3 0 6 2
2
4
6
8 22
10 10 10
12 1
22
24
14 6 4
16 12 8
18 14 13
20 19 17
22 21 2
24 21 10
i0 step
i1 w
i2 z
l0 both?
l1 free
l2 init
b0 error
c
example
`
	if got := string(write(t, f, false)); got != want {
		t.Errorf("\n%s", got)
	}
	trace := &ts.Trace{Init: []bool{true}, Inputs: [][]bool{{false, true, false}, {true, true, true}}}
	if got, want := f.Source(trace), (&ts.Trace{
		Init: []bool{false, true, false, true}, Inputs: [][]bool{{false}, {true}},
	}); !reflect.DeepEqual(got, want) {
		t.Errorf("%v comes from %v, want %v", trace, got, want)
	}
	g2 := read(t, "x", write(t, f, true))
	if got := g2.Source(trace); got != trace {
		t.Errorf("a file that was read has the source %v", got)
	}
}
