package portfolio

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/bmc"
	"orbitmc/cofactor"
	"orbitmc/detect/structure"
	"orbitmc/detect/verify"
	"orbitmc/encode/cnf"
	"orbitmc/internal/pdr"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/sat"
	"orbitmc/sat/gini"
	"orbitmc/ts"
)

// perCell returns a problem with a property for each cell beside those of a random
// system, not violated if that is found in a few tries, and the depths of violations.
func perCell(rng *rand.Rand) (c *tstest.Case, p *mc.Problem, depth []int) {
	c = tstest.Random(rng)
	sys := c.Sys
	bads, cells := sys.Bads, len(c.Each[0])
	bits := 0 // of a cell
	for _, l := range sys.Latches {
		if strings.HasPrefix(l.Name, "cell") {
			bits++
		}
	}
	bits /= cells
	for range 8 {
		sys.Bads = slices.Clone(bads)
		of := make([][]aig.Lit, cells)
		for _, each := range c.Each {
			neg := rng.IntN(2) == 0
			for i, l := range each {
				of[i] = append(of[i], l.NotIf(neg))
			}
		}
		for j := range bits {
			neg := rng.IntN(2) == 0
			for i := range cells {
				of[i] = append(of[i], sys.LatchLit(i*bits+j).NotIf(neg))
			}
		}
		for _, ls := range of {
			sys.Bads = append(sys.Bads, ts.Bad{Lit: sys.G.AndN(ls), Prop: len(sys.Bads), Delay: bads[0].Delay})
		}
		if tstest.Explore(sys).Depth[len(bads)] < 0 && sys.Bads[len(bads)].Lit != aig.False {
			break
		}
	}
	p = &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true}
	if rng.IntN(2) == 0 {
		p.Netlist = tstest.Redundant(rng, sys)
	}
	for i := range sys.Bads {
		p.Props = append(p.Props, i)
	}
	return c, p, tstest.Explore(p.Netlist).Depth
}

func newGini() sat.Solver { return gini.New() }

func provingEngines() []mc.Engine {
	return []mc.Engine{
		&bmc.Checker{NewSolver: newGini}, &bmc.Inductor{NewSolver: newGini, MaxK: 8},
		&pdr.Engine{NewSolver: newGini}, &cofactor.Engine{NewSolver: newGini},
	}
}

// TestImages compares verdicts that were carried over from other properties with
// those of exhaustive search.
func TestImages(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 92))
	ctx := context.Background()
	newProver := func(g *aig.Graph) verify.Prover { return cnf.NewProver(g, gini.New()) }
	carried := make(map[mc.Status]int)
	for k := range 150 {
		_, p, depth := perCell(rng)
		if k%3 == 0 { // several properties with the same bads
			for _, b := range slices.Clone(p.Netlist.Bads[rng.IntN(len(p.Props)):]) {
				depth = append(depth, depth[b.Prop])
				b.Prop = len(p.Props)
				p.Netlist.Bads, p.Props = append(p.Netlist.Bads, b), append(p.Props, b.Prop)
			}
		}
		if rng.IntN(2) == 0 {
			p.Clean()
		}
		r, _, err := structure.ByProp(ctx, p.System(), p.Props, structure.Options{Verify: verify.Options{NewProver: newProver}})
		if err != nil {
			t.Fatal(err)
		}
		p.Groups, p.Images = r.ByProp, make(map[int]ts.Image)
		for q, x := range r.Images {
			p.Images[q] = x
		}
		for _, e := range provingEngines() {
			opt := mc.Options{All: true}
			if e.Name() == "bmc" {
				opt.MaxDepth, opt.Bounded = 20, true
			}
			known := *p
			if e.Name() == "bmc" && k%2 == 0 { // orbits come between two depths
				known.Groups, known.Images = nil, nil
				asked := 0
				opt.Later = func(mc.Work) *mc.Problem {
					if asked++; asked <= k%5 {
						return nil
					}
					return p
				}
			}
			r, err := alone(ctx, &known, PerOrbit(e), opt)
			if err != nil {
				t.Fatalf("system %d: %v", k, err)
			}
			if r.Stopped != "" && r.Open() == 0 {
				t.Errorf("system %d: %s decides all, and stopped for %q", k, e.Name(), r.Stopped)
			}
			for _, pr := range r.Props {
				d := depth[pr.Prop]
				if _, ok := p.Images[pr.Prop]; ok {
					carried[pr.Status]++
				}
				if pr.Status != mc.Unknown && (pr.Status == mc.Unsafe) != (d >= 0) || pr.Bound >= d && d >= 0 {
					t.Errorf("system %d: %s calls %d %v, with bound %d, its depth is %d", k, e.Name(), pr.Prop, pr.Status, pr.Bound, d)
				}
				if pr.Status == mc.Unsafe && (pr.Path == nil || pr.Depth < d || e.Name() == "bmc" && pr.Depth > d) {
					t.Errorf("system %d: %s finds a violation of %d at depth %d, it has depth %d", k, e.Name(), pr.Prop, pr.Depth, d)
				}
			}
		}
	}
	t.Log(carried)
	if carried[mc.Safe] < 100 || carried[mc.Unsafe] < 30 {
		t.Errorf("verdicts carried over: %v", carried)
	}
}

// TestWrongImages claims that properties of cells are images of each other where they
// need not be, and by permutations that are none. The check of evidence finds out, or
// the verdict is right all the same.
func TestWrongImages(t *testing.T) {
	rng := rand.New(rand.NewPCG(93, 94))
	ctx := context.Background()
	refused, right := 0, 0
	for k := range 250 {
		c, p, depth := perCell(rng)
		p.Netlist = c.Sys
		first := len(c.Groups)
		p.Images = make(map[int]ts.Image)
		to := make(map[int]int)
		for _, q := range p.Props {
			to[q] = q
		}
		for _, q := range p.Props[first+1:] {
			to[first] = q
			p.Images[q] = ts.Image{Of: first, Perm: ts.Identity(c.Sys), To: map[int][]int{first: {q}}}
			if rng.IntN(2) == 0 {
				p.Images[q] = ts.Image{Of: first, Perm: c.Swaps[rng.IntN(len(c.Swaps))], To: map[int][]int{first: {q}}}
			}
		}
		p.Props = p.Props[first:]
		for _, e := range provingEngines()[1:] {
			r, err := alone(ctx, p, PerOrbit(e), mc.Options{All: true})
			if err != nil {
				refused++
				continue
			}
			for _, pr := range r.Props {
				if pr.Status == mc.Unknown {
					continue
				}
				if right++; (pr.Status == mc.Unsafe) != (depth[pr.Prop] >= 0) {
					t.Errorf("system %d: %s calls %d %v, its depth is %d", k, e.Name(), pr.Prop, pr.Status, depth[pr.Prop])
				}
			}
		}
	}
	t.Logf("%d runs refused, %d verdicts right", refused, right)
	if refused < 50 || right < 50 {
		t.Errorf("%d runs refused, %d verdicts right", refused, right)
	}
}
