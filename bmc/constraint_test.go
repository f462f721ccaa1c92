package bmc_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/bmc"
	"orbitmc/encode"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// This file gives the systems of random models constraints over latches and
// inputs, which Murphi has no words for, and holds the checker to a search over
// all states and all inputs.

// literal is a latch or an input, perhaps negated.
type literal struct {
	input, neg bool
	i          int
}

// addConstraints adds a random clause to a system, and its images under the
// permutations, so that these stay symmetries.
func addConstraints(sys *ts.System, rng *rand.Rand, perms []*ts.Perm) {
	var clause []literal
	for range 1 + rng.IntN(3) {
		l := literal{input: rng.IntN(3) == 0, neg: rng.IntN(3) > 0}
		switch {
		case l.input && len(sys.Inputs) > 0:
			l.i = rng.IntN(len(sys.Inputs))
		case !l.input && len(sys.Latches) > 0:
			l.i = rng.IntN(len(sys.Latches))
		default:
			continue
		}
		clause = append(clause, l)
	}
	done := make(map[string]bool)
	todo := [][]literal{clause}
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		if done[fmt.Sprint(c)] {
			continue
		}
		done[fmt.Sprint(c)] = true
		var or []aig.Lit
		for _, l := range c {
			if l.input {
				or = append(or, sys.InputLit(l.i).NotIf(l.neg))
			} else {
				or = append(or, sys.LatchLit(l.i).NotIf(l.neg))
			}
		}
		sys.Constraints = append(sys.Constraints, sys.G.OrN(or))
		for _, p := range perms {
			image := make([]literal, len(c))
			for k, l := range c {
				to := p.Latch
				if l.input {
					to = p.Input
				}
				image[k] = literal{l.input, l.neg != (to[l.i]&1 == 1), int(to[l.i] >> 1)}
			}
			todo = append(todo, image)
		}
	}
}

// enumerate returns, by property, the least depth up to bound at which it is
// violated, -1 for none. A violation of delay 0 in frame k needs the constraints
// of frames 0 to k and has depth k; one of delay 1 needs the same and has depth
// k+1.
func enumerate(enc *encode.Encoding, bound int) []int {
	sys := enc.Sys
	sim := aig.NewSim(sys.G)
	depth := make([]int, len(enc.PropBads))
	for i := range depth {
		depth[i] = -1
	}
	bit := func(x uint64, i int) uint64 { return -(x >> i & 1) }
	key := func(bits []uint64, k int) string {
		s := make([]byte, len(bits))
		for i, w := range bits {
			s[i] = byte(w >> k & 1)
		}
		return string(s)
	}
	known := make(map[string]bool)
	var layer []string
	add := func(s string) {
		if !known[s] {
			known[s] = true
			layer = append(layer, s)
		}
	}
	values := make([]uint64, len(sys.Latches))
	for z := range uint64(1) << len(sys.Init) {
		for i, in := range sys.Init {
			sim.Set(in.Node, bit(z, i))
		}
		sim.Run()
		for i, l := range sys.Latches {
			values[i] = sim.Word(l.Reset)
		}
		add(key(values, 0))
	}
	for k := 0; k <= bound; k++ {
		states := layer
		layer = nil
		for _, s := range states {
			for i, l := range sys.Latches {
				sim.Set(l.Node, -uint64(s[i]))
			}
			n := len(sys.Inputs)
			for block := range uint64(1) << max(n-6, 0) {
				for i, in := range sys.Inputs {
					if i < 6 {
						var w uint64
						for y := range 64 {
							w |= uint64(y>>i&1) << y
						}
						sim.Set(in.Node, w)
					} else {
						sim.Set(in.Node, bit(block, i-6))
					}
				}
				sim.Run()
				ok := ^uint64(0)
				for _, c := range sys.Constraints {
					ok &= sim.Word(c)
				}
				if ok == 0 {
					continue
				}
				for _, b := range sys.Bads {
					if d := k + b.Delay; ok&sim.Word(b.Lit) != 0 && d <= bound && (depth[b.Prop] < 0 || d < depth[b.Prop]) {
						depth[b.Prop] = d
					}
				}
				for i, l := range sys.Latches {
					values[i] = sim.Word(l.Next)
				}
				for y := range 64 {
					if ok>>y&1 == 1 {
						add(key(values, y))
					}
				}
			}
		}
	}
	return depth
}

// onFrame is the condition that a property is violated by the bads of frame k
// alone that have this delay.
func onFrame(enc *encode.Encoding, f *cnf.Frames, prop, k, delay int) aig.Lit {
	var bads []aig.Lit
	for _, b := range enc.PropBads[prop] {
		if k >= 0 && enc.Sys.Bads[b].Delay == delay {
			bads = append(bads, f.Bad(k, b))
		}
	}
	return f.Graph().OrN(bads)
}

// TestConstraints compares the checker with the enumeration, and checks that it
// matters in which frames constraints are required and to which depth an error
// in a step belongs.
func TestConstraints(t *testing.T) {
	const models, bound = 150, 6
	wrong := map[string]int{"not in the frame of the bad": 0, "errors a step early": 0, "nowhere": 0}
	tried, violated, symmetric := 0, 0, 0
	for seed := uint64(0); tried < models; seed++ {
		rng := rand.New(rand.NewPCG(seed, 7))
		opt := murphi.Options{Dialect: model.Dialect(seed % 2), Deadlock: model.DeadlockMode(seed / 2 % 3)}
		src := murphitest.Random(rng, murphitest.Options{Dialect: opt.Dialect, Bits: 6})
		p := parse(t, src, opt)
		if len(p.Enc.Sys.Inputs) > 8 || len(p.Enc.Sys.Init) > 8 {
			continue
		}
		tried++
		free := *p.Enc.Sys
		var perms []*ts.Perm
		order := withSymmetry(t, p).System
		if rng.IntN(4) > 0 {
			perms = order.Generators()
		}
		for range 1 + rng.IntN(2) {
			addConstraints(p.Enc.Sys, rng, perms)
		}
		if r := withSymmetry(t, p); len(perms) > 0 {
			symmetric++
			if r.System.Order().Cmp(order.Order()) != 0 {
				t.Fatalf("seed %d: the group has order %v, and %v with constraints closed under it", seed, order.Order(), r.System.Order())
			}
		}
		want := enumerate(p.Enc, bound)
		for mode := bmc.RepPath; mode <= bmc.RepOff; mode++ {
			r, err := (&bmc.Checker{Rep: mode, NewSolver: newSolver}).Run(context.Background(), p, mc.Options{All: true, Bounded: true, MaxDepth: bound})
			if err == nil {
				err = certify.Verify(context.Background(), p, r)
			}
			if err != nil {
				t.Fatalf("seed %d, rep %v: %v\n%s", seed, mode, err, src)
			}
			for i, pr := range r.Props {
				kind := p.Model.Props[i].Kind
				if kind == model.Liveness {
					continue
				}
				got := -1
				if pr.Status == mc.ByTrace(kind) {
					got = pr.Depth
					violated++
				}
				if got != want[i] || got < 0 && pr.Bound != bound {
					t.Fatalf("seed %d, rep %v: %q is %v at depth %d, bound %d, want %d\n%s", seed, mode, p.Model.Props[i].Name, pr.Status, got, pr.Bound, want[i], src)
				}
			}
		}
		doubles := map[string]func(prop int) ask{
			"not in the frame of the bad": func(prop int) ask {
				return ask{violated: func(f *cnf.Frames, d int) aig.Lit {
					return f.Graph().Or(onFrame(p.Enc, f, prop, d, 0), onFrame(p.Enc, f, prop, d-1, 1))
				}}
			},
			"errors a step early": func(prop int) ask {
				return ask{violated: func(f *cnf.Frames, d int) aig.Lit {
					bad := f.Graph().Or(onFrame(p.Enc, f, prop, d, 0), onFrame(p.Enc, f, prop, d, 1))
					return f.Graph().And(bad, f.Constraint(d))
				}}
			},
		}
		for prop, q := range p.Model.Props {
			if q.Kind == model.Liveness {
				continue
			}
			differs := func(enc *encode.Encoding, q ask) bool {
				q.prop = prop
				return search(t, enc, bound, q)[0] != want[prop]
			}
			if differs(p.Enc, ask{}) {
				t.Fatalf("seed %d: the double is wrong with nothing broken", seed)
			}
			for name, double := range doubles {
				if differs(p.Enc, double(prop)) {
					wrong[name]++
				}
			}
			if differs(&encode.Encoding{Model: p.Model, Sys: &free, PropBads: p.Enc.PropBads}, ask{}) {
				wrong["nowhere"]++
			}
		}
	}
	t.Logf("%d models, %d symmetric, %d violations, wrong answers by what was broken: %v", tried, symmetric, violated, wrong)
	for name, n := range wrong {
		if n == 0 {
			t.Errorf("constraints or errors %q: never a wrong answer", name)
		}
	}
	if violated < 2*models || symmetric < models/10 {
		t.Errorf("the random systems are too tame: %d violations, %d symmetric", violated, symmetric)
	}
}

// TestConstraintAfterError: the frame after an error in a step need not satisfy
// the constraints. A system made from a model stutters on an error, so that it
// makes no difference there; the first one here is made by hand, the second
// altered so that it does not stutter.
func TestConstraintAfterError(t *testing.T) {
	g := aig.New()
	x := g.Input()
	enc := &encode.Encoding{
		Sys: &ts.System{
			G: g, W: aig.True,
			Latches:     []ts.Latch{{Name: "x", Node: x.Node(), Reset: aig.False, Next: aig.True}},
			Constraints: []aig.Lit{x.Not()},
			Bads: []ts.Bad{
				{Name: "in the step from x=0", Lit: x.Not(), Prop: 0, Delay: 1},
				{Name: "in x=1", Lit: x, Prop: 1},
				{Name: "in the step from x=1", Lit: x, Prop: 2, Delay: 1},
			},
		},
		PropBads: [][]int{{0}, {1}, {2}},
	}
	if err := tstest.Check(enc.Sys); err != nil {
		t.Fatal(err)
	}
	const bound = 3
	for prop, want := range enumerate(enc, bound) {
		if want != []int{1, -1, -1}[prop] {
			t.Fatalf("property %d: enumerated to depth %d", prop, want)
		}
		if got := search(t, enc, bound, ask{prop: prop}); got[0] != want {
			t.Errorf("property %d: depth %d, want %d", prop, got[0], want)
		}
	}
	after := ask{violated: func(f *cnf.Frames, d int) aig.Lit {
		return f.Graph().And(f.Violation(enc.PropBads[0], d), f.Constraint(d))
	}}
	if got := search(t, enc, bound, after); got[0] != -1 {
		t.Errorf("with constraints after the error: depth %d, want a miss", got[0])
	}

	p := parse(t, `var x: 0..1; startstate x := 0; end; rule "set" x = 0 ==> x := x; error "e"; end;`, murphi.Options{Deadlock: model.DeadlockOff})
	e := propNamed(t, p.Model, "e")
	sys := p.Enc.Sys
	if len(sys.Latches) != 1 {
		t.Fatalf("%d latches", len(sys.Latches))
	}
	sys.Latches[0].Next = sys.G.Or(sys.Latches[0].Next, sys.Bads[p.Enc.PropBads[e][0]].Lit)
	sys.Constraints = []aig.Lit{sys.LatchLit(0).Not()}
	if got := check(t, p, e, bound); got != 1 {
		t.Errorf("violated at depth %d, want 1", got)
	}
}

// TestBadsOfTwoDelays: of a property that is violated in a state and by an error in the step to it, the state may break a
// constraint, which the error does not need.
func TestBadsOfTwoDelays(t *testing.T) {
	g := aig.New()
	x := g.Input()
	s := &ts.System{G: g, W: aig.True, Latches: []ts.Latch{{Name: "x", Node: x.Node(), Reset: aig.False, Next: aig.True}},
		Constraints: []aig.Lit{x.Not()}, Bads: []ts.Bad{{Lit: x}, {Lit: x.Not(), Delay: 1}}}
	p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: s}, WellFormed: true, Props: []int{0}, Groups: []*ts.Symmetry{{}}}
	r, err := (&bmc.Checker{Rep: bmc.RepOff, NewSolver: newSolver}).Run(context.Background(), p, mc.Options{Bounded: true, MaxDepth: 3})
	if err != nil {
		t.Fatal(err)
	}
	if pr := r.Props[0]; pr.Status != mc.Unsafe || pr.Depth != 1 || len(pr.Path.Inputs) != 1 {
		t.Errorf("%+v", pr)
	}
}
