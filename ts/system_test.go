package ts_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/ts"
)

// counter returns a two-bit counter that starts at 0 or 1, as z says, counts
// when y0 says so, and skips when y1 does; 3 is bad and 2 with y1 as well. Its
// leaves are created in an order that mixes the sorts.
func counter() *ts.System {
	g := aig.New()
	y0, x1, z, x0, y1 := g.Input(), g.Input(), g.Input(), g.Input(), g.Input()
	step := g.And(y0, y1.Not())
	return &ts.System{
		G: g,
		Latches: []ts.Latch{
			{Name: "lo", Node: x0.Node(), Reset: z, Next: g.Xor(x0, step)},
			{Name: "hi", Node: x1.Node(), Reset: aig.False, Next: g.Xor(x1, g.And(x0, step))},
		},
		Inputs:      []ts.Signal{{Name: "count", Node: y0.Node()}, {Name: "skip", Node: y1.Node()}},
		Init:        []ts.Signal{{Name: "one", Node: z.Node()}},
		Constraints: []aig.Lit{g.And(y0, y1).Not()},
		Bads: []ts.Bad{
			{Name: "three", Lit: g.And(x0, x1), Prop: 4},
			{Name: "skip at two", Lit: g.AndN([]aig.Lit{x0.Not(), x1, y1}), Prop: 2, Delay: 1},
		},
		W: g.And(x0, x1).Not(),
	}
}

// TestCheck breaks every rule once.
func TestCheck(t *testing.T) {
	if err := tstest.Check(counter()); err != nil {
		t.Fatal(err)
	}
	if err := tstest.Check((&ts.System{G: aig.New(), W: aig.True})); err != nil {
		t.Fatalf("the empty system: %v", err)
	}
	// Nodes: 1 is input count, 2 latch hi, 3 initial input one, 4 latch lo, 5
	// input skip; the others are ANDs.
	for _, c := range []struct {
		name  string
		spoil func(*ts.System)
		want  string
	}{
		{"no graph", func(s *ts.System) { s.G = &aig.Graph{} }, "the graph has no constant"},
		{"latches share a leaf", func(s *ts.System) { s.Latches[1].Node = 4 }, `"hi": leaf 4 is used twice`},
		{"latch and input share a leaf", func(s *ts.System) { s.Inputs[0].Node = 2 }, `"count": leaf 2 is used twice`},
		{"inputs share a leaf", func(s *ts.System) { s.Inputs[1].Node = 1 }, `"skip": leaf 1 is used twice`},
		{"init shares a leaf", func(s *ts.System) { s.Init[0].Node = 5 }, `"one": leaf 5 is used twice`},
		{"latch is the constant", func(s *ts.System) { s.Latches[0].Node = 0 }, `"lo": node 0 is not a leaf`},
		{"input is an AND", func(s *ts.System) { s.Inputs[0].Node = 6 }, `"count": node 6 is not a leaf`},
		{"init is no node", func(s *ts.System) { s.Init[0].Node = s.G.Len() }, fmt.Sprintf(`"one": node %d is not a leaf`, counter().G.Len())},
		{"latch is negative", func(s *ts.System) { s.Latches[1].Node = -3 }, `"hi": node -3 is not a leaf`},
		{"unclaimed leaf, not read", func(s *ts.System) { s.G.Input() }, fmt.Sprintf("leaf %d of the graph is no latch, input or initial input", counter().G.Len())},
		{"unclaimed leaf, read", func(s *ts.System) { s.Inputs = s.Inputs[:1] }, "leaf 5 of the graph is no latch, input or initial input"},

		{"reset reads a latch", func(s *ts.System) { s.Latches[0].Reset = s.LatchLit(1).Not() }, `reset of latch "lo" reads leaf 2, which it may not`},
		{"reset reads an input", func(s *ts.System) { s.Latches[1].Reset = s.G.And(s.InitLit(0), s.InputLit(1)) }, `reset of latch "hi" reads leaf 5, which it may not`},
		{"next reads an initial input", func(s *ts.System) { s.Latches[1].Next = s.G.Or(s.LatchLit(0), s.InitLit(0)) }, `next of latch "hi" reads leaf 3, which it may not`},
		{"constraint reads an initial input", func(s *ts.System) { s.Constraints = append(s.Constraints, s.InitLit(0)) }, `constraint "1" reads leaf 3, which it may not`},
		{"bad reads an initial input", func(s *ts.System) { s.Bads[1].Lit = s.InitLit(0) }, `bad "skip at two" reads leaf 3, which it may not`},
		{"W reads an input", func(s *ts.System) { s.W = s.G.Or(s.W, s.InputLit(0)) }, `predicate "W" reads leaf 1, which it may not`},
		{"W reads an initial input", func(s *ts.System) { s.W = s.InitLit(0) }, `predicate "W" reads leaf 3, which it may not`},

		{"reset outside", func(s *ts.System) { s.Latches[0].Reset = 1000 }, `reset of latch "lo" is n500, in a graph of`},
		{"next outside", func(s *ts.System) { s.Latches[0].Next = 1001 }, `next of latch "lo" is !n500, in a graph of`},
		{"constraint outside", func(s *ts.System) { s.Constraints[0] = 1000 }, `constraint "0" is n500, in a graph of`},
		{"bad outside", func(s *ts.System) { s.Bads[0].Lit = 1000 }, `bad "three" is n500, in a graph of`},
		{"W outside", func(s *ts.System) { s.W = aig.MkLit(s.G.Len(), false) }, `predicate "W" is n`},

		{"delay 2", func(s *ts.System) { s.Bads[0].Delay = 2 }, `bad "three" has delay 2, want 0 or 1`},
		{"delay -1", func(s *ts.System) { s.Bads[1].Delay = -1 }, `bad "skip at two" has delay -1, want 0 or 1`},
	} {
		s := counter()
		c.spoil(s)
		if err := tstest.Check(s); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestMayRead: what the rules allow passes.
func TestMayRead(t *testing.T) {
	s := counter()
	s.Constraints = append(s.Constraints, s.G.Or(s.LatchLit(0), s.InputLit(1)))
	s.Bads[0].Lit = s.G.And(s.LatchLit(1), s.InputLit(0))
	s.Bads[1].Lit = aig.True
	s.Latches[1].Next = s.G.And(s.LatchLit(0), s.InputLit(0))
	s.W = aig.True
	if err := tstest.Check(s); err != nil {
		t.Error(err)
	}
}

func TestRoots(t *testing.T) {
	s := counter()
	l := s.Latches
	want := []aig.Lit{l[0].Reset, l[0].Next, l[1].Reset, l[1].Next, s.Constraints[0], s.Bads[0].Lit, s.Bads[1].Lit, s.W}
	if got := s.Roots(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	empty := &ts.System{G: aig.New(), W: aig.True}
	if got := empty.Roots(); !slices.Equal(got, []aig.Lit{aig.True}) || empty.NumAnds() != 0 {
		t.Errorf("the empty system has roots %v and %d ANDs", got, empty.NumAnds())
	}
	for i, got := range []aig.Lit{s.LatchLit(0), s.LatchLit(1), s.InputLit(0), s.InputLit(1), s.InitLit(0)} {
		if want := []aig.Lit{8, 4, 2, 10, 6}[i]; got != want {
			t.Errorf("leaf literal %d is %v, want %v", i, got, want)
		}
	}
}

// golden is the counter: n9 and n12 are the exclusive ors of lo with the step and
// of hi with the carry n7.
const golden = `system latches=2 inputs=2 init=1 ands=11 bads=2 constraints=1
init 3 one
input 1 count
input 5 skip
and 6 = n1 !n5
and 7 = n4 n6
and 8 = !n4 !n6
and 9 = !n7 !n8
and 10 = n2 n7
and 11 = !n2 !n7
and 12 = !n10 !n11
and 13 = n1 n5
and 14 = n2 n4
and 15 = !n4 n5
and 16 = n2 n15
latch 4 reset=n3 next=n9 lo
latch 2 reset=0 next=n12 hi
constraint !n13
bad n14 delay=0 three
bad n16 delay=1 skip at two
wellformed !n14
`

func TestDump(t *testing.T) {
	var first bytes.Buffer
	if err := counter().Dump(&first); err != nil {
		t.Fatal(err)
	}
	if first.String() != golden {
		t.Errorf("dump:\n%s", first.String())
	}
	// What no function reads does not matter.
	s := counter()
	before := s.NumAnds()
	s.G.And(s.LatchLit(0), s.InitLit(0))
	var second bytes.Buffer
	if err := s.Dump(&second); err != nil {
		t.Fatal(err)
	}
	if s.NumAnds() != before || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("a node that nothing reads changes %d ANDs to %d, and the dump to\n%s", before, s.NumAnds(), second.String())
	}
	// What a function reads does.
	s.Bads[0].Delay = 1
	second.Reset()
	if err := s.Dump(&second); err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(first.String(), "delay=0", "delay=1", 1); second.String() != want {
		t.Errorf("with delay 1:\n%s", second.String())
	}
	if err := counter().Dump(full{}); !errors.Is(err, errFull) {
		t.Errorf("on a full disk: %v", err)
	}
}

var errFull = errors.New("disk full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
