package ts_test

import (
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/ts"
)

// token is two cells and who has the token: it goes from the first to the second when the
// input says so, and never back. The system is symmetric but for its start.
func token() (sys *ts.System, cells [2]aig.Lit, pass aig.Lit) {
	g := aig.NewPlain()
	cells = [2]aig.Lit{g.Input(), g.Input()}
	pass = g.Input()
	move := g.And(cells[0], pass)
	sys = &ts.System{G: g, W: aig.True, Inputs: []ts.Signal{{Name: "pass", Node: pass.Node()}}, Latches: []ts.Latch{
		{Name: "first", Node: cells[0].Node(), Reset: aig.True, Next: g.And(cells[0], pass.Not())},
		{Name: "second", Node: cells[1].Node(), Next: g.Or(cells[1], move)},
	}}
	return sys, cells, pass
}

// lassos returns by justice property whether a path of at most k steps violates it, and
// tells check of each such path.
func lassos(t *testing.T, l *ts.Lassos, k int, check func(number int, tr *ts.Trace)) []bool {
	t.Helper()
	if err := tstest.Check(l.Sys); err != nil {
		t.Fatal(err)
	}
	n := len(l.Sys.Inputs)
	found := make([]bool, len(l.Justice))
	for x := range 1 << (n * (k + 1)) {
		tr := &ts.Trace{}
		for i := range k + 1 {
			in := make([]bool, n)
			for j := range in {
				in[j] = x>>(i*n+j)&1 == 1
			}
			tr.Inputs = append(tr.Inputs, in)
		}
		frames, err := l.Sys.Run(tr)
		if err != nil {
			t.Fatal(err)
		}
		first := len(l.Sys.Bads) - len(l.Justice)
		for end, f := range frames {
			if !f.Constraints {
				break
			}
			for i := range l.Justice {
				if f.Bads[first+i] {
					found[i] = true
					check(i, l.Trace(&ts.Trace{Inputs: tr.Inputs[:end+1]}))
				}
			}
		}
	}
	return found
}

// TestLassos: what is found is a loop; a condition or a fairness constraint that is left out
// makes paths bad that are none.
func TestLassos(t *testing.T) {
	sys, cells, pass := token()
	justice := []ts.Justice{
		{Name: "the first has it for ever", Lits: []aig.Lit{cells[0]}, Prop: 0},
		{Name: "both do", Lits: []aig.Lit{cells[0], cells[1]}, Prop: 1},
		{Name: "passed for ever", Lits: []aig.Lit{pass}, Prop: 2},
		{Name: "any run", Prop: 3},
	}
	for _, c := range []struct {
		what    string
		fair    []aig.Lit
		want    []bool
		without []bool // and what is found where fairness is dropped
	}{
		{"no fairness", nil, []bool{true, false, true, true}, []bool{true, false, true, true}},
		{"passed again and again", []aig.Lit{pass}, []bool{false, false, true, true}, []bool{true, false, true, true}},
		{"impossible", []aig.Lit{aig.False}, []bool{false, false, false, false}, []bool{true, false, true, true}},
	} {
		whole := ts.NewLassos(sys, justice, c.fair)
		got := lassos(t, whole, 4, func(i int, tr *ts.Trace) {
			if from, err := whole.Loop(tr, i); err != nil || from >= len(tr.Inputs)-1 {
				t.Errorf("%s: %s: loop at %d, %v", c.what, justice[i].Name, from, err)
			}
		})
		refused := make([]bool, len(justice))
		without := lassos(t, ts.NewLassos(sys, justice, nil), 4, func(i int, tr *ts.Trace) {
			if _, err := whole.Loop(tr, i); err != nil {
				refused[i] = true
			}
		})
		for i, j := range justice {
			if got[i] != c.want[i] || without[i] != c.without[i] {
				t.Errorf("%s: %s: %v, without fairness %v", c.what, j.Name, got[i], without[i])
			}
			if without[i] && !got[i] && !refused[i] {
				t.Errorf("%s: %s: a lasso without fairness is accepted", c.what, j.Name)
			}
		}
	}
	// The second condition is forgotten.
	whole, broken := ts.NewLassos(sys, justice[1:2], nil), ts.NewLassos(sys, []ts.Justice{{Name: "one", Lits: justice[1].Lits[:1]}}, nil)
	if !lassos(t, broken, 2, func(_ int, tr *ts.Trace) {
		if _, err := whole.Loop(tr, 0); err == nil {
			t.Error("a lasso that meets one condition of two is accepted")
		}
	})[0] {
		t.Error("a condition alone is met for ever")
	}
}

// TestLoopClosesOnTheState: a state that is only an image of an earlier one closes no loop.
func TestLoopClosesOnTheState(t *testing.T) {
	sys, cells, _ := token()
	g := sys.G
	justice := []ts.Justice{{Name: "one of them has it", Lits: []aig.Lit{g.Xor(cells[0], cells[1]), cells[0]}}}
	l := ts.NewLassos(sys, justice, nil)
	// The token is passed: (1,0), (0,1) is the exchange of the cells.
	passed := &ts.Trace{Inputs: [][]bool{{true}, {false}}}
	if _, err := l.Loop(passed, 0); err == nil {
		t.Error("a loop is closed modulo the exchange of cells")
	}
	kept := &ts.Trace{Inputs: [][]bool{{false}, {false}}}
	if from, err := l.Loop(kept, 0); err != nil || from != 0 {
		t.Errorf("loop at %d, %v", from, err)
	}
}

// TestUnroll: latches on which no property depends come back after some rounds.
func TestUnroll(t *testing.T) {
	sys, cells, _ := token()
	carry := aig.True
	for range 5 { // a counter of 32 states
		x := sys.G.Input()
		sys.Latches = append(sys.Latches, ts.Latch{Name: "count", Node: x.Node(), Next: sys.G.Xor(x, carry)})
		carry = sys.G.And(carry, x)
	}
	l := ts.NewLassos(sys, []ts.Justice{{Name: "kept", Lits: cells[:1]}}, nil)
	tr, from, err := l.Unroll(&ts.Trace{Inputs: [][]bool{{false}, {false}, {false}, {true}}}, 0)
	if err != nil || from != 0 || len(tr.Inputs) != 96 {
		t.Fatalf("loop at %d of %d frames, %v", from, len(tr.Inputs), err)
	}
}
