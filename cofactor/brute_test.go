package cofactor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/reptest"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/rep"
	"orbitmc/sat"
	"orbitmc/sat/gini"
	"orbitmc/ts"
)

func newSolver() sat.Solver { return gini.New() }

// config is one way to run the engine.
type config struct {
	rep      Reduction
	unrolled bool
	without  Techniques
	steps    *variant // nil: the default ones
}

func (c config) String() string {
	return fmt.Sprintf("rep %v, unrolled %v, without %b", c.rep, c.unrolled, c.without)
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
func holds(c *evidence.Circuit) []bool {
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
	s, err := difference(p, sp, prop, cfg)
	if err != nil {
		t.Fatalf("%v: %v", cfg, err)
	}
	return s.result.Props[0].Status
}

// difference runs the engine as compare does, and returns the search, or the first
// thing that differs.
func difference(p *mc.Problem, sp *tstest.Space, prop int, cfg config) (*search, error) {
	want := layers(sp, prop)
	depth := -1
	for _, x := range sp.Reset {
		if d := want[x]; d >= 0 && (depth < 0 || d < depth) {
			depth = d
		}
	}
	q := *p
	q.Props = []int{prop}
	e := &Engine{Reduction: cfg.rep, Unrolled: cfg.unrolled, Without: cfg.without, NewSolver: newSolver, variant: cfg.steps}
	r := e.newRun(&q, mc.Options{})
	ctx := context.Background()
	if e.Without&Care == 0 {
		r.care = findInvariant(ctx, r.p, r.NewSolver)
	}
	s, err := r.newSearch(ctx, 0, prop)
	if err != nil {
		return nil, err
	}
	w := make([]bool, len(want))
	for x := range w {
		w[x] = true
	}
	if p.WellFormed {
		c := evidence.NewCircuit(len(s.sys.Latches))
		c.Out = s.sys.Place(c.G, c.Latches, s.sys.W)
		w = holds(c)
	}
	if s.care != nil {
		isPossible := evidence.NewCircuit(len(s.sys.Latches))
		isPossible.Out = s.care.Place(isPossible.G, isPossible.Latches)
		if err := checkInvariant(sp, w, holds(isPossible)); err != nil {
			return nil, err
		}
	}
	isLeast := evidence.NewCircuit(len(s.sys.Latches))
	isLeast.Out = s.least(isLeast.G, isLeast.Latches)
	least := holds(isLeast)
	for at := 0; !s.done; {
		if err := s.step(ctx); err != nil {
			return nil, err
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
		c := evidence.NewCircuit(len(s.sys.Latches))
		var any []aig.Lit
		for _, x := range s.sets {
			any = append(any, x.c.Place(c.G, c.Latches))
		}
		c.Out = c.G.OrN(any)
		got := holds(c)
		for x := range got {
			if w[x] && least[x] && got[x] != (want[x] >= 0 && want[x] <= ended) {
				return nil, fmt.Errorf("depth %d: state %b is in the set: %v; its least depth is %d", ended, x, got[x], want[x])
			}
		}
		if ended > len(want)+1 {
			return nil, errors.New("no end")
		}
	}
	pr := &r.result.Props[0]
	switch {
	case depth >= 0 && (pr.Status != mc.Unsafe || pr.Depth != depth):
		return nil, fmt.Errorf("%v at depth %d, want a violation at %d", pr.Status, pr.Depth, depth)
	case depth < 0 && pr.Status == mc.Unsafe:
		return nil, fmt.Errorf("a violation at depth %d, there is none", pr.Depth)
	case pr.Status == mc.Safe:
		inv := inductive(pr.Proof, len(s.sys.Latches))
		for x := range inv {
			if w[x] && inv[x] != (want[x] < 0) {
				return nil, fmt.Errorf("the invariant at %b is %v, least depth %d", x, inv[x], want[x])
			}
		}
		if err := checkProof(ctx, &q, prop, pr.Proof); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// inductive evaluates a proof in all states.
func inductive(f *evidence.Proof, n int) []bool {
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

func checkProof(ctx context.Context, p *mc.Problem, prop int, f *evidence.Proof) error {
	_, err := certify.New(ctx, p).Check(f, prop)
	return err
}

var configs = []config{
	{},
	{rep: NoReduction},
	{rep: ByOrbits},
	{unrolled: true},
	{rep: NoReduction, unrolled: true},
	{rep: ByOrbits, unrolled: true},
}

// random runs the engine on all properties of a system, in random ways.
func random(t *testing.T, rng *rand.Rand, p *mc.Problem, verdicts map[mc.Status]int) {
	t.Helper()
	sp := tstest.Explore(p.Netlist)
	for prop := range p.Groups {
		cfg := configs[rng.IntN(len(configs))]
		if rng.IntN(2) == 0 {
			cfg.without = Techniques(rng.IntN(1 << len(TechniqueNames())))
		}
		verdicts[compare(t, p, sp, prop, cfg)]++
	}
}

// assume gives a system a predicate W: what can be reached from its reset states and
// some others, with all their images.
func assume(rng *rand.Rand, p *mc.Problem, gens []*ts.Perm) {
	sys := p.Netlist
	sp := tstest.Explore(sys)
	n := len(sys.Latches)
	in := make([]bool, 1<<n)
	var todo []uint32
	enter := func(x uint32) {
		if !in[x] {
			in[x] = true
			todo = append(todo, x)
		}
	}
	for _, x := range sp.Reset {
		enter(x)
	}
	for range rng.IntN(4) {
		enter(uint32(rng.IntN(1 << n)))
	}
	for len(todo) > 0 {
		x := todo[0]
		todo = todo[1:]
		for _, g := range gens {
			enter(tstest.Number(ts.Apply(g.Latch, tstest.Bits(x, n))))
		}
		for y, next := range sp.Next[x] {
			if sp.OK[x][y] {
				enter(next)
			}
		}
	}
	var any []aig.Lit
	for x, ok := range in {
		if !ok {
			continue
		}
		all := make([]aig.Lit, n)
		for i := range all {
			all[i] = sys.LatchLit(i).NotIf(x>>i&1 == 0)
		}
		any = append(any, sys.G.AndN(all))
	}
	sys.W = sys.G.OrN(any)
	p.WellFormed = true
}

// TestLayers compares layers, fixpoints, verdicts, depths and proofs with explicit
// backward search on random systems: with constraints, bads that read inputs or are
// errors of a step, choices of start states, properties that keep no symmetry, and W.
func TestLayers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	verdicts := make(map[mc.Status]int)
	assumed := 0
	n := nightly.Or(800, 4000)
	for range n {
		c := tstest.Random(rng)
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: c.Sys}, Groups: c.Groups}
		if rng.IntN(3) == 0 {
			gens := c.Swaps
			if c.Broken {
				gens = nil
			}
			assume(rng, p, gens)
			assumed++
		}
		random(t, rng, p, verdicts)
	}
	t.Log(verdicts, assumed)
	if verdicts[mc.Unknown] > 0 || verdicts[mc.Safe] < n/5 || verdicts[mc.Unsafe] < n/5 {
		t.Error(verdicts)
	}
}

// TestGroups does the same for groups of every kind.
func TestGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	verdicts := make(map[mc.Status]int)
	groups := reptest.Groups()
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		for range 45 {
			y := groups[name]
			p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: reptest.System(rng, y)}, Groups: []*ts.Symmetry{y}}
			if rng.IntN(3) == 0 {
				assume(rng, p, y.Generators())
			}
			random(t, rng, p, verdicts)
		}
	}
	t.Log(verdicts)
	if verdicts[mc.Unknown] > 0 || verdicts[mc.Safe] < 50 || verdicts[mc.Unsafe] < 50 {
		t.Error(verdicts)
	}
}

// double is backward search on tables of states, of which representatives are looked
// for, that can be told to break a rule.
type double struct {
	sp     *tstest.Space
	prop   int
	least  []bool
	closed func(set []bool) []bool // what a successor has to be in
	starts func(set []bool) []bool // what a reset state has to be in
}

// depth returns the least depth of a violation, -1 if there is none, and the set.
func (d *double) depth() (int, []bool) {
	want := layers(d.sp, d.prop)
	set := make([]bool, len(want))
	for x := range set { // depths 0 and 1 are about bads
		set[x] = d.least[x] && want[x] == 0
	}
	for depth := 0; ; depth++ {
		in := d.starts(set)
		for _, x := range d.sp.Reset {
			if in[x] {
				return depth, set
			}
		}
		closed, grown := d.closed(set), false
		next := slices.Clone(set)
		for x := range set {
			if set[x] || !d.least[x] {
				continue
			}
			for y, to := range d.sp.Next[x] {
				bad := false
				for b, bd := range d.sp.Sys.Bads {
					bad = bad || bd.Prop == d.prop && bd.Delay == 1 && d.sp.Bad[x][y]>>b&1 == 1
				}
				if d.sp.OK[x][y] && (closed[to] || bad) {
					next[x], grown = true, true
				}
			}
		}
		if !grown {
			return -1, set
		}
		set = next
	}
}

// TestDoubles: what is known of representatives only means S ∧ Rep everywhere; sets
// count as closed under the group only if they are (rules 5 and 3), and the group is
// that of the property (rule 6).
func TestDoubles(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	wrong := make(map[string]int)
	for range 1500 {
		c := tstest.Random(rng)
		if c.Broken {
			continue
		}
		block := ts.Block{Name: "cell", Class: -1, Swaps: c.Swaps}
		for i := range len(c.Swaps) + 1 {
			block.Elems = append(block.Elems, i)
		}
		group, err := rep.Perms(&ts.Symmetry{Blocks: []ts.Block{block}}, rep.All)
		if err != nil {
			t.Fatal(err)
		}
		sp := tstest.Explore(c.Sys)
		n := len(c.Sys.Latches)
		least := make([]bool, 1<<n)
		for x := range least {
			least[x] = reptest.Least(tstest.Bits(uint32(x), n), group, nil)
		}
		plain := func(set []bool) []bool { return set }
		closed := func(set []bool) []bool {
			out := slices.Clone(set)
			for x, in := range set {
				for _, g := range group {
					y := tstest.Number(ts.Apply(g.Latch, tstest.Bits(uint32(x), n)))
					out[y] = out[y] || in
				}
			}
			return out
		}
		careless := func(set []bool) []bool { // a set that was simplified, outside Rep as well
			out := slices.Clone(set)
			for x := range out {
				out[x] = set[x] || !least[x]
			}
			return out
		}
		for prop, y := range c.Groups {
			want := sp.Depth[prop]
			ask := func(name string, d *double) []bool {
				d.sp, d.prop, d.least = sp, prop, least
				got, set := d.depth()
				if got != want {
					wrong[name]++
				}
				return set
			}
			if y == nil {
				ask("a group that does not keep the property", &double{closed: closed, starts: closed})
				continue
			}
			set := ask("", &double{closed: closed, starts: plain})
			ask("representatives in two frames", &double{closed: plain, starts: plain})
			ask("reset states that are no representatives", &double{closed: closed, starts: careless})
			ask("successors that are no representatives", &double{closed: careless, starts: plain})
			if want < 0 {
				// ¬S for ¬S(canon(s)).
				f := &evidence.Proof{K: 1, Circuit: evidence.NewCircuit(n)}
				var any []aig.Lit
				for x, in := range set {
					if in {
						all := make([]aig.Lit, n)
						for i := range all {
							all[i] = f.Circuit.Latches[i].NotIf(x>>i&1 == 0)
						}
						any = append(any, f.Circuit.G.AndN(all))
					}
				}
				f.Circuit.Out = f.Circuit.G.OrN(any).Not()
				p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: c.Sys}, Groups: c.Groups}
				for i := range c.Groups {
					p.Props = append(p.Props, i)
				}
				if checkProof(context.Background(), p, prop, f) != nil {
					wrong["a proof about representatives"]++
				}
			}
		}
	}
	if wrong[""] > 0 {
		t.Errorf("the double is wrong %d times without breaking a rule", wrong[""])
	}
	delete(wrong, "")
	t.Log(wrong)
	if len(wrong) != 5 {
		t.Errorf("not all doubles are wrong: %v", wrong)
	}
}

// TestImages: unrolled, under representatives, images of cofactors are blocked, and all
// is as without. A stored set is right on representatives only, so its images are none of
// what is stored but of the cofactor as it was (rule 5): the double gets it wrong.
func TestImages(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	met, wrong := 0, 0
	groups := reptest.Groups()
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		for range nightly.Or(35, 1000) {
			y := groups[name]
			p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: reptest.System(rng, y)}, Groups: []*ts.Symmetry{y}}
			sp := tstest.Explore(p.Netlist)
			cfg := config{unrolled: true, without: Care} // so that cofactors are small
			s, err := difference(p, sp, 0, cfg)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if s.stats.images == 0 {
				continue // the double would run as this did
			}
			met++
			cfg.steps = sound()
			cfg.steps.imaged = func(_ *search, x *set) *evidence.Circuit { return x.c }
			if _, err := difference(p, sp, 0, cfg); err != nil {
				wrong++
			}
		}
	}
	if t.Logf("images in %d runs, the double is wrong in %d", met, wrong); met < 12 || wrong == 0 {
		t.Errorf("images in %d runs, the double is wrong in %d", met, wrong)
	}
}
