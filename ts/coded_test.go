package ts_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/ts"
)

// choosing returns a random system whose first inputs are groups of the given sizes. The condition
// that a choice is valid is often read.
func choosing(rng *rand.Rand, sizes []int) (s *ts.System, choices []ts.Choice) {
	g := aig.NewPlain()
	s = &ts.System{G: g, W: aig.True}
	var initial, step []aig.Lit
	input := func(to *[]ts.Signal) aig.Lit {
		l := g.Input()
		*to = append(*to, ts.Signal{"in", l.Node()})
		return l
	}
	for _, n := range sizes {
		var x ts.Choice
		var ls, apart []aig.Lit
		for range n {
			x.Inputs = append(x.Inputs, len(s.Inputs))
			ls = append(ls, input(&s.Inputs))
		}
		for i := range ls {
			for j := range i {
				apart = append(apart, g.And(ls[i], ls[j]).Not())
			}
		}
		x.One = g.And(g.OrN(ls), g.AndN(apart))
		step = append(append(step, ls...), x.One, x.One)
		choices = append(choices, x)
	}
	step = append(step, input(&s.Inputs))
	initial = append(initial, input(&s.Init))
	for range 4 {
		l := g.Input()
		s.Latches = append(s.Latches, ts.Latch{Node: l.Node()})
		step = append(step, l)
	}
	pick := func(ls []aig.Lit) aig.Lit { return ls[rng.IntN(len(ls))].NotIf(rng.IntN(2) == 0) }
	for range 30 {
		step = append(step, g.And(pick(step), pick(step)))
	}
	for i := range s.Latches {
		s.Latches[i].Reset, s.Latches[i].Next = pick(initial), pick(step)
	}
	s.Bads = []ts.Bad{{Name: "bad", Lit: pick(step), Prop: 3, Delay: 1}}
	s.Constraints = []aig.Lit{g.Or(pick(step), pick(step))}
	s.W = g.And(s.LatchLit(0), s.LatchLit(1)).Not()
	return s, choices
}

// TestCoded compares systems with their coded ones: all steps of a coded system are those of the old
// one with the inputs that Decode gives, and these are all inputs with one of each choice set.
func TestCoded(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var sizes []int
		product := 1
		for range 1 + rng.IntN(3) {
			sizes = append(sizes, 1+rng.IntN(6))
			product *= sizes[len(sizes)-1]
		}
		s, choices := choosing(rng, sizes)
		c := ts.NewCoded(s, choices)
		if err := tstest.Check(c.System); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		seen := make(map[string]bool)
		old, coded := ts.NewEvaluator(s), ts.NewEvaluator(c.System)
		bits := func(v, n int) (b []bool) {
			for i := range n {
				b = append(b, v>>i&1 == 1)
			}
			return b
		}
		for v := range 1 << (len(c.Inputs) + len(c.Latches)) {
			in, state := bits(v, len(c.Inputs)), bits(v>>len(c.Inputs), len(c.Latches))
			before := c.Decode(&ts.Trace{Inputs: [][]bool{in}}).Inputs[0]
			seen[fmt.Sprint(before)] = true
			for _, x := range choices {
				set := 0
				for _, i := range x.Inputs {
					if before[i] {
						set++
					}
				}
				if set != 1 {
					t.Fatalf("seed %d: inputs %v decode to %v", seed, in, before)
				}
			}
			old.Set(state, before)
			coded.Set(state, in)
			if a, b := old.Next(), coded.Next(); !slices.Equal(a, b) {
				t.Fatalf("seed %d, state %v, inputs %v: next state %v, coded %v", seed, state, before, a, b)
			}
			if old.Constraints() != coded.Constraints() || old.Value(s.Bads[0].Lit) != coded.Value(c.Bads[0].Lit) || old.Value(s.W) != coded.Value(c.Copy(s.W)) {
				t.Fatalf("seed %d, state %v, inputs %v: another constraint, bad or function", seed, state, before)
			}
		}
		if want := 2 * product; len(seen) != want {
			t.Errorf("seed %d: %d decoded inputs, want %d", seed, len(seen), want)
		}
		in := &ts.Trace{Init: []bool{rng.IntN(2) == 0}, Inputs: [][]bool{bits(rng.IntN(1<<len(c.Inputs)), len(c.Inputs)), make([]bool, len(c.Inputs))}}
		a, err := s.Run(c.Decode(in))
		b, err2 := c.Run(in)
		if err != nil || err2 != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("seed %d: run %v, coded %v (%v, %v)", seed, a, b, err, err2)
		}
		if c.Bads[0].Prop != 3 || c.Bads[0].Delay != 1 {
			t.Errorf("seed %d: bad is %+v", seed, c.Bads[0])
		}
	}
}

// TestCodedKeeps: only permutations that take choices to choices are kept.
func TestCodedKeeps(t *testing.T) {
	s, choices := choosing(rand.New(rand.NewPCG(1, 1)), []int{2, 2, 3})
	c := ts.NewCoded(s, choices) // inputs 0 1, 2 3, 4 5 6, and 7 in none
	for _, x := range []struct {
		to    []int // image of each input; below 0: negated
		keeps bool
	}{
		{[]int{0, 1, 2, 3, 4, 5, 6, 7}, true},
		{[]int{1, 0, 2, 3, 6, 4, 5, 7}, true},
		{[]int{2, 3, 1, 0, 4, 5, 6, 7}, true},
		{[]int{0, 1, 2, 3, 4, 5, 6, ^7}, true},
		{[]int{2, 1, 0, 3, 4, 5, 6, 7}, false},
		{[]int{^1, ^0, 2, 3, 4, 5, 6, 7}, false},
		{[]int{0, 1, 4, 5, 2, 3, 6, 7}, false},
		{[]int{0, 1, 2, 3, 4, 5, 7, 6}, false},
	} {
		p := ts.Identity(s)
		for i, to := range x.to {
			p.Input[i] = ts.MkLit(max(to, ^to), to < 0)
		}
		y := &ts.Symmetry{Blocks: []ts.Block{{Elems: []int{0, 1}, Swaps: []*ts.Perm{p}}}}
		if got := c.Keeps(y); got != x.keeps {
			t.Errorf("inputs to %v: Keeps is %v", x.to, got)
		}
	}
}
