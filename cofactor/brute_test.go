package cofactor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/mc"
	"orbitmc/sat"
	"orbitmc/sat/gini"
	"orbitmc/ts"
	"orbitmc/ts/tstest"
)

func newSolver() sat.Solver { return gini.New() }

// config is one way to run the engine.
type config struct {
	rep      RepMode
	stepwise bool
	without  Techniques
}

func (c config) String() string {
	return fmt.Sprintf("rep %v, stepwise %v, without %b", c.rep, c.stepwise, c.without)
}

// layers are the least depths of violations of a property from each state, -1 if
// there is none: backward search over all states and inputs.
func layers(sp *tstest.Space, prop int) []int {
	depth := make([]int, len(sp.Next))
	for x := range depth {
		depth[x] = -1
		for y := range sp.Next[x] {
			if !sp.OK[x][y] {
				continue
			}
			for b, bad := range sp.Sys.Bads {
				if bad.Prop == prop && sp.Bad[x][y]>>b&1 == 1 && (depth[x] < 0 || bad.Delay < depth[x]) {
					depth[x] = bad.Delay
				}
			}
		}
	}
	for again := true; again; {
		again = false
		for x := range depth {
			for y, next := range sp.Next[x] {
				if d := depth[next]; sp.OK[x][y] && d >= 0 && (depth[x] < 0 || d+1 < depth[x]) {
					depth[x], again = d+1, true
				}
			}
		}
	}
	return depth
}

// holds evaluates a circuit in all states.
func holds(c *mc.Circuit) []bool {
	out := make([]bool, 1<<len(c.Latches))
	sim := aig.NewSim(c.G)
	for x := range out {
		for i, l := range c.Latches {
			sim.Set(l.Node(), -uint64(x>>i&1))
		}
		sim.Run()
		out[x] = sim.Word(c.Out)&1 == 1
	}
	return out
}

// compare runs the engine on one property, depth by depth, and compares what it
// holds with the layers.
func compare(t *testing.T, p *mc.Problem, sp *tstest.Space, prop int, cfg config) (verdict mc.Status) {
	t.Helper()
	want := layers(sp, prop)
	depth := -1
	for _, x := range sp.Reset {
		if d := want[x]; d >= 0 && (depth < 0 || d < depth) {
			depth = d
		}
	}
	q := *p
	q.Props = []int{prop}
	e := &Engine{Rep: cfg.rep, Stepwise: cfg.stepwise, Without: cfg.without, NewSolver: newSolver}
	r := &run{Engine: e, p: &q, result: mc.NewResult("cofactor", &q)}
	ctx := context.Background()
	s, err := r.newSearch(ctx, 0, prop)
	if err != nil {
		t.Fatal(err)
	}
	w := make([]bool, len(want))
	for x := range w {
		w[x] = true
	}
	if p.WellFormed {
		c := newCircuit(len(s.sys.Latches))
		c.Out = placeSystem(c.G, c.Latches, s.sys, s.sys.W)
		w = holds(c)
	}
	isLeast := newCircuit(len(s.sys.Latches))
	isLeast.Out = s.least(isLeast.G, isLeast.Latches)
	least := holds(isLeast)
	for at := 0; !s.done; {
		if err := s.step(ctx); err != nil {
			t.Fatalf("%v: %v", cfg, err)
		}
		if s.depth == at && !s.done {
			continue
		}
		// A depth has ended.
		ended := s.depth - 1
		if s.done {
			ended = s.depth
		}
		at = s.depth
		c := newCircuit(len(s.sys.Latches))
		var any []aig.Lit
		for _, x := range s.sets {
			any = append(any, place(c.G, c.Latches, x.c))
		}
		c.Out = c.G.OrN(any)
		got := holds(c)
		for x := range got {
			if w[x] && least[x] && got[x] != (want[x] >= 0 && want[x] <= ended) {
				t.Fatalf("%v: depth %d: state %b is in the set: %v; its least depth is %d", cfg, ended, x, got[x], want[x])
			}
		}
		if ended > len(want)+1 {
			t.Fatalf("%v: no end", cfg)
		}
	}
	pr := &r.result.Props[0]
	switch {
	case depth >= 0 && (pr.Status != mc.Unsafe || pr.Depth != depth):
		t.Fatalf("%v: %v at depth %d, want a violation at %d", cfg, pr.Status, pr.Depth, depth)
	case depth < 0 && pr.Status == mc.Unsafe:
		t.Fatalf("%v: a violation at depth %d, there is none", cfg, pr.Depth)
	case pr.Status == mc.Safe:
		inv := invariant(pr.Proof, len(s.sys.Latches))
		for x := range inv {
			if w[x] && inv[x] != (want[x] < 0) {
				t.Fatalf("%v: the invariant at %b is %v, least depth %d", cfg, x, inv[x], want[x])
			}
		}
		if err := checkProof(ctx, &q, prop, pr.Proof); err != nil {
			t.Fatalf("%v: %v", cfg, err)
		}
	}
	return pr.Status
}

// invariant evaluates a proof in all states.
func invariant(f *mc.Proof, n int) []bool {
	inv := make([]bool, 1<<n)
	for x := range inv {
		inv[x] = true
		for _, clause := range f.Clauses {
			sat := false
			for _, l := range clause {
				sat = sat || x>>(l>>1)&1 != int(l&1)
			}
			inv[x] = inv[x] && sat
		}
	}
	for again := true; again; { // all images
		again = false
		for x := range inv {
			for _, g := range f.Group.Generators() {
				y := tstest.Number(ts.Apply(g.Latch, tstest.Bits(uint32(x), n)))
				if inv[y] && !inv[x] {
					inv[y], again = false, true
				}
			}
		}
	}
	if f.Circuit != nil {
		for x, h := range holds(f.Circuit) {
			inv[x] = inv[x] && h
		}
	}
	return inv
}

func checkProof(ctx context.Context, p *mc.Problem, prop int, f *mc.Proof) error {
	_, err := mc.CheckProof(ctx, p, prop, f)
	return err
}

var configs = []config{
	{},
	{rep: RepOff},
	{rep: RepOrbit},
	{stepwise: true},
	{rep: RepOff, stepwise: true},
	{rep: RepOrbit, stepwise: true},
}

// TestLayers compares layers, fixpoints, verdicts, depths and proofs with explicit
// backward search on random systems.
func TestLayers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	verdicts := make(map[mc.Status]int)
	systems := 2000
	for n := range systems {
		c := tstest.Random(rng)
		sp := tstest.Explore(c.Sys)
		p := &mc.Problem{Netlist: c.Sys, Groups: c.Groups}
		for prop := range c.Groups {
			cfg := configs[rng.IntN(len(configs))]
			if rng.IntN(2) == 0 {
				cfg.without = Techniques(rng.IntN(1 << len(TechniqueNames)))
			}
			t.Run("", func(t *testing.T) { verdicts[compare(t, p, sp, prop, cfg)]++ })
			if t.Failed() {
				t.Fatalf("system %d, property %d", n, prop)
			}
		}
	}
	t.Log(verdicts)
}
