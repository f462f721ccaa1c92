package pdr_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/certify"
	"orbitmc/internal/pdr"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/ts"
)

func newSolver() sat.Solver { return cdcl.New() }

// builder makes random functions.
type builder struct {
	*rand.Rand
	g *aig.Graph
}

func (b builder) pick(ls []aig.Lit) aig.Lit {
	return ls[b.IntN(len(ls))].NotIf(b.IntN(2) == 0)
}

func (b builder) function(ls []aig.Lit, gates int) aig.Lit {
	ls = slices.Clone(ls)
	for range gates {
		x, y := b.pick(ls), b.pick(ls)
		switch b.IntN(4) {
		case 0, 1:
			ls = append(ls, b.g.And(x, y))
		case 2:
			ls = append(ls, b.g.Xor(x, y))
		default:
			ls = append(ls, b.g.Mux(b.pick(ls), x, y))
		}
	}
	return ls[len(ls)-1].NotIf(b.IntN(2) == 0)
}

// system makes a random system of n equal rows beside globals, symmetric in its
// rows, with at most 2^10 states and 2^6 inputs. One row is no symmetry at all.
func system(rng *rand.Rand) (*ts.System, *ts.Symmetry) {
	n := 1 + rng.IntN(4)
	width := 1 + rng.IntN(2)
	if n == 1 {
		width = 2 + rng.IntN(4)
	}
	globals, rowInputs := rng.IntN(3), rng.IntN(2)
	inputs, rowInits := rng.IntN(3), rng.IntN(2)
	b := builder{rng, aig.NewPlain()}
	s := &ts.System{G: b.g, W: aig.True}
	latch := func(name string) aig.Lit {
		l := b.g.Input()
		s.Latches = append(s.Latches, ts.Latch{Name: name, Node: l.Node()})
		return l
	}
	signal := func(list *[]ts.Signal, name string) aig.Lit {
		l := b.g.Input()
		*list = append(*list, ts.Signal{Name: name, Node: l.Node()})
		return l
	}
	row, in, init := make([][]aig.Lit, n), make([][]aig.Lit, n), make([][]aig.Lit, n)
	for i := range n {
		for j := range width {
			row[i] = append(row[i], latch(fmt.Sprintf("r%d.%d", i, j)))
		}
	}
	var global, global0 []aig.Lit
	for i := range globals {
		global = append(global, latch(fmt.Sprint("g", i)))
	}
	for i := range n {
		for range rowInputs {
			in[i] = append(in[i], signal(&s.Inputs, fmt.Sprint("i", i)))
		}
	}
	for i := range inputs {
		global = append(global, signal(&s.Inputs, fmt.Sprint("x", i)))
	}
	for i := range n {
		for range rowInits {
			init[i] = append(init[i], signal(&s.Init, fmt.Sprint("z", i)))
		}
	}
	for range rng.IntN(2) {
		global0 = append(global0, signal(&s.Init, "z"))
	}

	// What rows see: the globals, themselves, and symmetric functions of all rows.
	seed := rng.Uint64()
	same := func(i int, ls []aig.Lit, gates int) aig.Lit {
		return builder{rand.New(rand.NewPCG(seed, uint64(i))), b.g}.function(ls, gates)
	}
	var shared []aig.Lit
	for k := range 2 {
		var each []aig.Lit
		for i := range n {
			each = append(each, same(100+k, slices.Concat(row[i], in[i]), 2))
		}
		switch rng.IntN(3) {
		case 0:
			shared = append(shared, b.g.OrN(each))
		case 1:
			shared = append(shared, b.g.XorN(each))
		default:
			shared = append(shared, b.g.AndN(each))
		}
	}
	all := slices.Concat(global, shared)
	if len(all) == 0 {
		all = []aig.Lit{aig.True}
	}
	for j := range width {
		sparse := rng.IntN(2) == 0
		for i := range n {
			l := &s.Latches[i*width+j]
			l.Next = same(200+j, slices.Concat(all, row[i], in[i]), 4)
			if sparse {
				l.Next = b.g.And(l.Next, same(250+j, slices.Concat(all, row[i], in[i]), 2))
			}
			l.Reset = aig.False
			if len(init[i]) > 0 {
				l.Reset = same(300+j, init[i], 2)
			}
		}
	}
	for i := range globals {
		l := &s.Latches[n*width+i]
		l.Next = b.function(all, 3)
		l.Reset = aig.False.NotIf(rng.IntN(4) == 0)
		if len(global0) > 0 {
			l.Reset = b.function(global0, 1)
		}
	}
	symmetric := func(k int) aig.Lit {
		var each []aig.Lit
		for i := range n {
			each = append(each, same(400+k, slices.Concat(all, row[i], in[i]), 3))
		}
		if rng.IntN(2) == 0 {
			return b.g.OrN(each)
		}
		return b.g.AndN(each)
	}
	for k := range rng.IntN(2) {
		s.Constraints = append(s.Constraints, b.g.Or(symmetric(k), symmetric(k+7)))
	}
	for k := range 1 + rng.IntN(2) {
		bad := b.g.AndN([]aig.Lit{symmetric(20 + k), symmetric(30 + k), symmetric(40 + k)})
		s.Bads = append(s.Bads, ts.Bad{Name: fmt.Sprint("bad", k), Lit: bad, Prop: k, Delay: rng.IntN(2)})
	}
	if err := tstest.Check(s); err != nil {
		panic(err)
	}
	if n == 1 {
		return s, nil
	}
	block := ts.Block{Name: "ROW", Class: -1}
	for i := range n {
		block.Elems = append(block.Elems, i)
	}
	for i := range n - 1 {
		p := ts.Identity(s)
		swap := func(image []ts.Lit, width int) {
			for j := range width {
				a, c := i*width+j, (i+1)*width+j
				image[a], image[c] = ts.Lit(c)<<1, ts.Lit(a)<<1
			}
		}
		swap(p.Latch, width)
		swap(p.Input, rowInputs)
		swap(p.Init, rowInits)
		block.Swaps = append(block.Swaps, p)
	}
	return s, &ts.Symmetry{Blocks: []ts.Block{block}}
}

// bits are the values of n signals in the number x.
func bits(x, n int) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = x>>i&1 == 1
	}
	return out
}

func number(b []bool) int {
	x := 0
	for i, v := range b {
		if v {
			x |= 1 << i
		}
	}
	return x
}

// oracle visits all states and steps.
type oracle struct {
	sys    *ts.System
	resets []int
	steps  [][]int  // by state, the successors under the constraints
	bad    [][]bool // by bad and state: violated with some inputs that the constraints allow
	depth  []int    // by bad: of a shortest violation, -1 if there is none
}

func newOracle(s *ts.System) *oracle {
	o := &oracle{sys: s, steps: make([][]int, 1<<len(s.Latches))}
	e := ts.NewEvaluator(s)
	for range s.Bads {
		o.bad = append(o.bad, make([]bool, len(o.steps)))
		o.depth = append(o.depth, -1)
	}
	for x := range o.steps {
		for y := range 1 << len(s.Inputs) {
			e.Set(bits(x, len(s.Latches)), bits(y, len(s.Inputs)))
			if !e.Constraints() {
				continue
			}
			for b := range s.Bads {
				o.bad[b][x] = o.bad[b][x] || e.Value(s.Bads[b].Lit)
			}
			if n := number(e.Next()); !slices.Contains(o.steps[x], n) {
				o.steps[x] = append(o.steps[x], n)
			}
		}
	}
	dist := make(map[int]int)
	var todo []int
	for z := range 1 << len(s.Init) {
		x := number(e.Reset(bits(z, len(s.Init))))
		o.resets = append(o.resets, x)
		if _, ok := dist[x]; !ok {
			dist[x] = 0
			todo = append(todo, x)
		}
	}
	for ; len(todo) > 0; todo = todo[1:] {
		x := todo[0]
		for b := range s.Bads {
			if d := dist[x] + s.Bads[b].Delay; o.bad[b][x] && (o.depth[b] < 0 || d < o.depth[b]) {
				o.depth[b] = d
			}
		}
		for _, n := range o.steps[x] {
			if _, ok := dist[n]; !ok {
				dist[n] = dist[x] + 1
				todo = append(todo, n)
			}
		}
	}
	return o
}

// accepts checks inductive evidence by enumeration; bads are those of the property.
func (o *oracle) accepts(p *evidence.Proof, bads []int) error {
	n := len(o.sys.Latches)
	seen := make(map[string]bool)
	var clauses []ts.Clause
	for _, c := range p.Clauses {
		clauses = append(clauses, slices.Sorted(slices.Values(c)))
	}
	for i := 0; i < len(clauses); i++ {
		for _, g := range p.Group.Generators() {
			var image []ts.Lit
			for _, l := range clauses[i] {
				image = append(image, g.Latch[l>>1]^l&1)
			}
			slices.Sort(image)
			if k := fmt.Sprint(image); !seen[k] {
				seen[k] = true
				clauses = append(clauses, image)
			}
		}
	}
	inside := func(x int) bool {
		for _, c := range clauses {
			if !slices.ContainsFunc(c, func(l ts.Lit) bool { return x>>(l>>1)&1 != int(l&1) }) {
				return false
			}
		}
		return true
	}
	for _, x := range o.resets {
		if !inside(x) {
			return fmt.Errorf("reset state %b is outside", x)
		}
	}
	for x := range 1 << n {
		if !inside(x) {
			continue
		}
		for _, y := range o.steps[x] {
			if !inside(y) {
				return fmt.Errorf("a step leads from %b to %b, outside", x, y)
			}
		}
		for _, b := range bads {
			if o.bad[b][x] {
				return fmt.Errorf("state %b is bad", x)
			}
		}
	}
	return nil
}

// candidates proposes random clauses, most of which are wrong, again and again.
func candidates(sys *ts.System, seed uint64) func(context.Context, *ts.Symmetry, int64) ([]ts.Clause, bool) {
	rng := rand.New(rand.NewPCG(seed, 8))
	patience := int64(rng.IntN(3) * rng.IntN(40))
	return func(_ context.Context, _ *ts.Symmetry, asked int64) ([]ts.Clause, bool) {
		if asked < patience {
			return nil, true
		}
		patience += 20
		var clauses []ts.Clause
		for range 10 {
			var c []ts.Lit
			for _, l := range rng.Perm(len(sys.Latches))[:min(len(sys.Latches), 1+rng.IntN(4))] {
				c = append(c, ts.Lit(2*l+rng.IntN(2)))
			}
			clauses = append(clauses, c)
		}
		return clauses, true
	}
}

// TestRandomSystems compares with explicit search: every way to use symmetry, with
// candidates tried at any time and without, gives the right verdict, with evidence that enumeration confirms.
func TestRandomSystems(t *testing.T) {
	n := 400
	if nightly.On() {
		n = 5000
	}
	safe, deep := 0, 0
	tried, kept := int64(0), int64(0)
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 1))
		sys, group := system(rng)
		o := newOracle(sys)
		for number, e := range []*pdr.Engine{
			{NewSolver: newSolver},
			pdr.Engine{NewSolver: newSolver}.Eager(2),
			{NewSolver: newSolver, Plain: true},
			pdr.Engine{NewSolver: newSolver}.Half(),
			pdr.Engine{NewSolver: newSolver}.Hard(),
			pdr.Engine{NewSolver: newSolver}.Restless(),
			pdr.Engine{NewSolver: newSolver}.ByQuery(),
			{NewSolver: newSolver, Candidates: candidates(sys, seed)},
			pdr.Engine{NewSolver: newSolver, Candidates: candidates(sys, seed)}.Eager(2),
		} {
			p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}}
			for i := range p.NumProps() {
				p.Props = append(p.Props, i)
				p.Groups = append(p.Groups, group)
			}
			r, err := e.Run(context.Background(), p, mc.Options{All: true})
			if err != nil {
				t.Fatalf("seed %d, %+v: %v", seed, e, err)
			}
			for i, pr := range r.Props {
				want := o.depth[i]
				switch {
				case pr.Status == mc.Unknown:
					t.Fatalf("seed %d: undecided: %s", seed, r.Stopped)
				case (pr.Status == mc.Safe) != (want < 0):
					t.Fatalf("seed %d, engine %d, plain %v: %v, depth is %d", seed, number, e.Plain, pr.Status, want)
				case pr.Status == mc.Safe:
					safe++
					if err := o.accepts(pr.Proof, []int{i}); err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
				case pr.Depth < want || pr.Bound >= want:
					t.Fatalf("seed %d: depth %d, bound %d, want depth %d", seed, pr.Depth, pr.Bound, want)
				default:
					deep = max(deep, want)
				}
			}
			if err := certify.Verify(context.Background(), p, r); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if r.Open() > 0 {
				t.Fatalf("seed %d: the evidence was not accepted", seed)
			}
			if tried += r.Stats.Candidates; r.Stats.Carried > r.Stats.Candidates {
				t.Fatalf("seed %d: %d of %d candidates kept", seed, r.Stats.Carried, r.Stats.Candidates)
			}
			kept += r.Stats.Carried
		}
	}
	if safe < n/4 || deep < 3 || kept < int64(n) || kept > tried*2/3 {
		t.Errorf("%d proofs, deepest violation %d, %d of %d candidates kept: the systems are too easy", safe, deep, kept, tried)
	}
}
