package ts_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/ts"
)

// formula is a function of leaves, as a tree: the naive evaluator reads it, and
// the graph is built from it.
type formula struct {
	op   byte // 'v' leaf number n, '0', '!', '&', '|', '^', '?' (if a then b else c)
	n    int
	args []*formula
}

func randomFormula(rng *rand.Rand, leaves []int, depth int) *formula {
	if depth == 0 || rng.IntN(6) == 0 {
		if len(leaves) == 0 || rng.IntN(12) == 0 {
			return &formula{op: '0'}
		}
		return &formula{op: 'v', n: leaves[rng.IntN(len(leaves))]}
	}
	f := &formula{op: "!&|^?"[rng.IntN(5)]}
	for range map[byte]int{'!': 1, '&': 2, '|': 2, '^': 2, '?': 3}[f.op] {
		f.args = append(f.args, randomFormula(rng, leaves, depth-1))
	}
	return f
}

func (f *formula) eval(leaf []bool) bool {
	arg := func(i int) bool { return f.args[i].eval(leaf) }
	switch f.op {
	case 'v':
		return leaf[f.n]
	case '0':
		return false
	case '!':
		return !arg(0)
	case '&':
		return arg(0) && arg(1)
	case '|':
		return arg(0) || arg(1)
	case '^':
		return arg(0) != arg(1)
	}
	if arg(0) {
		return arg(1)
	}
	return arg(2)
}

func (f *formula) build(g *aig.Graph, leaf []aig.Lit) aig.Lit {
	arg := func(i int) aig.Lit { return f.args[i].build(g, leaf) }
	switch f.op {
	case 'v':
		return leaf[f.n]
	case '0':
		return aig.False
	case '!':
		return arg(0).Not()
	case '&':
		return g.And(arg(0), arg(1))
	case '|':
		return g.Or(arg(0), arg(1))
	case '^':
		return g.Xor(arg(0), arg(1))
	}
	return g.Mux(arg(0), arg(1), arg(2))
}

// naive is a system as trees. Leaves are numbered: latches, inputs, initial
// inputs.
type naive struct {
	latches, inputs, init int
	reset, next           []*formula
	constraints, bads     []*formula
	sys                   *ts.System
}

func randomSystem(rng *rand.Rand) *naive {
	v := &naive{latches: 1 + rng.IntN(6), inputs: rng.IntN(4), init: rng.IntN(4)}
	numbers := func(from, n int) (all []int) {
		for i := range n {
			all = append(all, from+i)
		}
		return all
	}
	step := numbers(0, v.latches+v.inputs)
	some := func(n int, leaves []int) (fs []*formula) {
		for range n {
			fs = append(fs, randomFormula(rng, leaves, 4))
		}
		return fs
	}
	v.reset = some(v.latches, numbers(v.latches+v.inputs, v.init))
	v.next = some(v.latches, step)
	v.constraints = some(rng.IntN(3), step)
	v.bads = some(1+rng.IntN(3), step)

	g := aig.New()
	leaf := make([]aig.Lit, v.latches+v.inputs+v.init)
	for _, i := range rng.Perm(len(leaf)) { // the sorts mixed
		leaf[i] = g.Input()
	}
	s := &ts.System{G: g, W: aig.True}
	for i := range v.latches {
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint("x", i), Node: leaf[i].Node(),
			Reset: v.reset[i].build(g, leaf), Next: v.next[i].build(g, leaf)})
	}
	for i := range v.inputs {
		s.Inputs = append(s.Inputs, ts.Signal{Name: fmt.Sprint("y", i), Node: leaf[v.latches+i].Node()})
	}
	for i := range v.init {
		s.Init = append(s.Init, ts.Signal{Name: fmt.Sprint("z", i), Node: leaf[v.latches+v.inputs+i].Node()})
	}
	for _, f := range v.constraints {
		s.Constraints = append(s.Constraints, f.build(g, leaf))
	}
	for i, f := range v.bads {
		s.Bads = append(s.Bads, ts.Bad{Name: fmt.Sprint("b", i), Lit: f.build(g, leaf)})
	}
	v.sys = s
	return v
}

func evalAll(fs []*formula, leaf []bool) []bool {
	values := make([]bool, len(fs))
	for i, f := range fs {
		values[i] = f.eval(leaf)
	}
	return values
}

func (n *naive) run(t *ts.Trace) (frames []ts.Frame) {
	state := evalAll(n.reset, slices.Concat(make([]bool, n.latches+n.inputs), t.Init))
	for _, in := range t.Inputs {
		leaf := slices.Concat(state, in)
		frames = append(frames, ts.Frame{
			State:       state,
			Constraints: !slices.Contains(evalAll(n.constraints, leaf), false),
			Bads:        evalAll(n.bads, leaf),
		})
		state = evalAll(n.next, leaf)
	}
	return frames
}

func randomTrace(rng *rand.Rand, s *ts.System) *ts.Trace {
	t := &ts.Trace{Init: randomBits(rng, len(s.Init))}
	for range 1 + rng.IntN(6) {
		t.Inputs = append(t.Inputs, randomBits(rng, len(s.Inputs)))
	}
	return t
}

// TestRun compares runs, replays and single evaluations with the naive ones.
func TestRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	replayed, constrained, good := 0, 0, 0
	for range 400 {
		v := randomSystem(rng)
		if err := tstest.Check(v.sys); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			trace := randomTrace(rng, v.sys)
			want := v.run(trace)
			got, err := v.sys.Run(trace)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%+v runs as %+v, want %+v", trace, got, want)
			}
			last := len(want) - 1
			broken := slices.IndexFunc(want, func(f ts.Frame) bool { return !f.Constraints })
			for b := range v.bads {
				err := fmt.Sprint(v.sys.Replay(trace, b))
				expect := "<nil>"
				switch {
				case broken >= 0:
					expect = fmt.Sprintf("a constraint fails in frame %d", broken)
					constrained++
				case !want[last].Bads[b]:
					expect = fmt.Sprintf("bad \"b%d\" does not hold in frame %d", b, last)
					good++
				default:
					replayed++
				}
				if err != expect {
					t.Fatalf("replay of %+v for bad %d: %s, want %s", trace, b, err, expect)
				}
			}

			// One evaluator, used out of order: at the last frame, at a reset, at the
			// first frame again.
			e := ts.NewEvaluator(v.sys)
			for _, k := range []int{last, 0} {
				e.Set(want[k].State, trace.Inputs[k])
				leaf := slices.Concat(want[k].State, trace.Inputs[k])
				if next := evalAll(v.next, leaf); !slices.Equal(e.Next(), next) {
					t.Fatalf("frame %d of %+v is followed by %v, want %v", k, trace, e.Next(), next)
				}
				if e.Constraints() != want[k].Constraints {
					t.Fatalf("constraints in frame %d of %+v: %v", k, trace, e.Constraints())
				}
				for b, bad := range v.sys.Bads {
					if e.Value(bad.Lit) != want[k].Bads[b] || e.Value(bad.Lit.Not()) == want[k].Bads[b] {
						t.Fatalf("bad %d in frame %d of %+v: %v", b, k, trace, e.Value(bad.Lit))
					}
				}
				if got := e.Reset(trace.Init); !slices.Equal(got, want[0].State) {
					t.Fatalf("reset of %+v is %v, want %v", trace, got, want[0].State)
				}
			}
		}
	}
	if min(replayed, constrained, good) < 500 {
		t.Errorf("%d replayed, %d break a constraint, %d are not bad", replayed, constrained, good)
	}
}

// TestNewNodes: an evaluator follows a graph that grows.
func TestNewNodes(t *testing.T) {
	s := counter()
	e := ts.NewEvaluator(s)
	e.Set([]bool{true, false}, []bool{true, false})
	f := s.G.Equal(s.LatchLit(0), s.InputLit(0))
	e.Set([]bool{true, false}, []bool{true, false})
	if !e.Value(f) {
		t.Error("lo and count are equal, and are not")
	}
	e.Set([]bool{true, false}, []bool{false, false})
	if e.Value(f) {
		t.Error("lo and count differ, and do not")
	}
}

// bits reads a vector such as 10.
func bits(s string) []bool {
	var b []bool
	for _, c := range s {
		b = append(b, c == '1')
	}
	return b
}

func vectors(all string) (vs [][]bool) {
	for _, s := range strings.Fields(all) {
		vs = append(vs, bits(s))
	}
	return vs
}

// TestReplay looks at every way a trace can fail, on the counter. Inputs are
// written "count skip".
func TestReplay(t *testing.T) {
	for _, c := range []struct {
		name, init, inputs string
		bad                int
		want               string
	}{
		{"three steps from 0", "0", "10 10 10 00", 0, ""},
		{"two steps from 1", "1", "10 10 00", 0, ""},
		{"a step that does not count", "1", "10 00 10 00", 0, ""},
		{"bad that reads inputs", "0", "10 10 01", 1, ""},
		{"only in an earlier frame", "1", "10 10 10 00", 0, `bad "three" does not hold in frame 3`},
		{"not yet", "0", "10 10 00", 0, `bad "three" does not hold in frame 2`},
		{"another bad", "0", "10 10 01", 0, `bad "three" does not hold in frame 2`},
		{"inputs of the last frame", "0", "10 10 00", 1, `bad "skip at two" does not hold in frame 2`},
		{"constraint at first", "0", "11 10 10 10 00", 0, "a constraint fails in frame 0"},
		{"constraint on the way", "0", "10 11 10 10 00", 0, "a constraint fails in frame 1"},
		{"constraint in the last frame", "0", "10 10 10 11", 0, "a constraint fails in frame 3"},
		{"constraint, and not bad", "0", "00 11", 1, "a constraint fails in frame 1"},
		{"no frames", "0", "", 0, "trace has 1 initial inputs and 0 frames; the system has 1 initial inputs"},
		{"no initial input", "", "00", 0, "trace has 0 initial inputs and 1 frames; the system has 1 initial inputs"},
		{"two initial inputs", "00", "00", 0, "trace has 2 initial inputs and 1 frames; the system has 1 initial inputs"},
		{"an input missing", "0", "10 1 00", 0, "frame 1 of the trace has 1 inputs, want 2"},
		{"an input too much", "0", "10 00 000", 0, "frame 2 of the trace has 3 inputs, want 2"},
	} {
		err := counter().Replay(&ts.Trace{Init: bits(c.init), Inputs: vectors(c.inputs)}, c.bad)
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	// Frames keep their own states.
	frames, err := counter().Run(&ts.Trace{Init: bits("1"), Inputs: vectors("10 10 10 10")})
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range vectors("10 01 11 00") {
		if !slices.Equal(frames[k].State, want) {
			t.Errorf("frame %d is %v, want %v", k, frames[k].State, want)
		}
	}
}
