package bmc_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/bmc"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/ts"
)

func newOwn() sat.Solver { return cdcl.New() }

// TestImages: on random systems, perhaps with constraints and lemmas, the frames before each depth are replaced by the
// states at it. No depth and no bound changes, and traces replay. If states are lost, violations are missed.
func TestImages(t *testing.T) {
	const bound = 9
	constrained, violated, images, several, missed := 0, 0, 0, 0, 0
	for seed := range uint64(2000) {
		c := tstest.Random(rand.New(rand.NewPCG(seed, 95)))
		space := tstest.Explore(c.Sys)
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: c.Sys}, WellFormed: true}
		for i := range p.NumProps() {
			p.Props = append(p.Props, i)
		}
		if seed%3 == 0 {
			p.Groups = c.Groups
		}
		if c.Broken {
			p.Groups = nil
		}
		constrained += len(c.Sys.Constraints)
		e := bmc.Checker{NewSolver: newOwn, From: int(seed / 2 % 2), Step: int(seed / 4 % 3)}
		run := func(lose func([][]bool) [][]bool) *mc.Result {
			r, err := e.Images(true, lose).Run(t.Context(), p, mc.Options{All: true, Bounded: true, MaxDepth: bound})
			if err == nil {
				err = certify.Verify(t.Context(), p, r)
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return r
		}
		r := run(func(states [][]bool) [][]bool {
			images++
			if len(states) > 1 {
				several++
			}
			return states
		})
		fewer := run(func(states [][]bool) [][]bool { return states[:(len(states)+1)/2] })
		for i, pr := range r.Props {
			want := space.Depth[pr.Prop]
			switch {
			case want < 0 || want > bound:
				if pr.Status != mc.Unknown || pr.Bound != bound {
					t.Fatalf("seed %d: %+v, want a bound of %d", seed, pr, bound)
				}
			case pr.Status != mc.Unsafe || pr.Depth != want:
				t.Fatalf("seed %d: %+v, want depth %d", seed, pr, want)
			case want > 1:
				violated++
			}
			if other := fewer.Props[i]; other.Status != pr.Status || other.Depth != pr.Depth {
				missed++
			}
		}
	}
	t.Log(constrained, violated, images, several, missed)
	if constrained < 1000 || violated < 150 || images < 4000 || several < 1000 || missed < 10 {
		t.Error("too few to tell")
	}
}

// TestDeepImages: a counter that begins with 0 or 1 has few states at each depth, and its frames take much memory. They
// are replaced; the violation after many steps is found, and not before.
func TestDeepImages(t *testing.T) {
	const bits, inputs, gates, deep = 10, 40, 900, 900
	g := aig.NewPlain()
	s := &ts.System{G: g, W: aig.True}
	latch := func(name string) aig.Lit {
		l := g.Input()
		s.Latches = append(s.Latches, ts.Latch{Name: name, Node: l.Node()})
		return l
	}
	signal := func(list *[]ts.Signal, name string) aig.Lit {
		l := g.Input()
		*list = append(*list, ts.Signal{Name: name, Node: l.Node()})
		return l
	}
	var mixed []aig.Lit
	for i := range inputs {
		mixed = append(mixed, signal(&s.Inputs, fmt.Sprint("in", i)))
	}
	for n := inputs; n < gates; n++ {
		mixed = append(mixed, g.And(g.Xor(mixed[n-inputs], mixed[n-1]), g.Or(mixed[n-inputs/2], mixed[n-2]).NotIf(n%3 == 0)).Not())
	}
	y := latch("y")
	s.Latches[0].Next = g.Xor(mixed[gates-1], signal(&s.Inputs, "last"))
	bad, carry := []aig.Lit{y}, aig.True
	for i := range bits {
		x := latch(fmt.Sprint("x", i))
		s.Latches[i+1].Next = g.Xor(x, carry)
		carry = g.And(x, carry)
		bad = append(bad, x.NotIf(deep>>i&1 == 0))
	}
	s.Latches[1].Reset = signal(&s.Init, "one")
	s.Bads = []ts.Bad{{Name: "deep", Lit: g.AndN(bad)}}
	p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: s}, WellFormed: true, Props: []int{0}}
	images := 0
	count := func(states [][]bool) [][]bool {
		images++
		return states
	}
	r, err := bmc.Checker{NewSolver: newOwn}.Images(false, count).Run(t.Context(), p, mc.Options{})
	if err == nil {
		err = certify.Verify(t.Context(), p, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	if pr := r.Props[0]; pr.Status != mc.Unsafe || pr.Depth != deep-1 || images == 0 {
		t.Errorf("%d images, %v at depth %d", images, pr.Status, pr.Depth)
	}
}
