package certify_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/certfile"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/mctest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// tableSystem is a system given by random tables: any function of states and inputs that
// exchanges of cells keep may occur, which random formulas hardly reach.
type tableSystem struct {
	sys    *ts.System
	swaps  []*ts.Perm // of neighbouring cells
	orbits [][]uint32 // of states
}

// permutations returns all of n.
func permutations(n int) (all [][]int) {
	var extend func(p []int)
	extend = func(p []int) {
		if len(p) == n {
			all = append(all, slices.Clone(p))
		}
		for i := range n {
			if !slices.Contains(p, i) {
				extend(append(p, i))
			}
		}
	}
	extend(nil)
	return all
}

// randomTable returns a system of 3 or 4 cells, each of one or two latches, an input and an
// initial input, perhaps with a latch that belongs to none. Its bads are about states, or
// states and inputs, some of them about certain cells only.
func randomTable(rng *rand.Rand) *tableSystem {
	cells, bits, shared := 3, 1, 0
	switch k := rng.IntN(32); { // larger ones take much longer
	case k == 0:
		bits = 2
	case k == 1:
		cells, shared = 4, 1
	case k < 8:
		shared = 1
	case k < 20:
		cells = 4
	}
	g := aig.New()
	sys := &ts.System{G: g, W: aig.True}
	var latches, inputs, init []aig.Lit
	for i := range cells*bits + shared {
		l := g.Input()
		latches = append(latches, l)
		sys.Latches = append(sys.Latches, ts.Latch{Name: fmt.Sprint("l", i), Node: l.Node()})
	}
	for i := range cells {
		x, z := g.Input(), g.Input()
		inputs, init = append(inputs, x), append(init, z)
		sys.Inputs = append(sys.Inputs, ts.Signal{Name: fmt.Sprint("i", i), Node: x.Node()})
		sys.Init = append(sys.Init, ts.Signal{Name: fmt.Sprint("z", i), Node: z.Node()})
	}
	perms := permutations(cells)
	// permute exchanges the cells of a number, of so many bits each; what is above stays.
	permute := func(x uint32, p []int, bits int) uint32 {
		y := x >> (cells * bits) << (cells * bits)
		for i, j := range p {
			y |= x >> (i * bits) & (1<<bits - 1) << (j * bits)
		}
		return y
	}
	state := func(x uint32, p []int) uint32 { return permute(x, p, bits) }
	N, M := uint32(1)<<len(latches), uint32(1)<<cells
	// images returns the states that every permutation keeps which fixes an argument.
	images := func(fixes func(p []int) bool) (all []uint32) {
		for x := range N {
			if !slices.ContainsFunc(perms, func(p []int) bool { return fixes(p) && state(x, p) != x }) {
				all = append(all, x)
			}
		}
		return all
	}
	minterm := func(x uint32, lits []aig.Lit) aig.Lit {
		var all []aig.Lit
		for i, l := range lits {
			all = append(all, l.NotIf(x>>i&1 == 0))
		}
		return g.AndN(all)
	}

	// Steps: many stay where they are, or lead to few states.
	stay, few := rng.IntN(4), rng.IntN(2) == 0
	var pool []uint32
	for range 3 {
		pool = append(pool, rng.Uint32N(N))
	}
	next, known := make([]uint32, N*M), make([]bool, N*M)
	rows := make([]aig.Lit, N*M)
	for x := range N {
		for y := range M {
			rows[x*M+y] = minterm(x|y<<len(latches), slices.Concat(latches, inputs))
			if known[x*M+y] {
				continue
			}
			may := images(func(p []int) bool { return state(x, p) == x && permute(y, p, 1) == y })
			to := may[rng.IntN(len(may))]
			if rng.IntN(4) < stay {
				to = x
			} else if few && rng.IntN(3) > 0 {
				for _, q := range pool {
					if slices.Contains(may, q) {
						to = q
					}
				}
			}
			for _, p := range perms {
				at := state(x, p)*M + permute(y, p, 1)
				next[at], known[at] = state(to, p), true
			}
		}
	}
	reset := make([]uint32, M) // zero, or from a table as well
	if rng.IntN(2) == 0 {
		known := make([]bool, M)
		for z := range M {
			if known[z] {
				continue
			}
			may := images(func(p []int) bool { return permute(z, p, 1) == z })
			to := may[rng.IntN(len(may))]
			for _, p := range perms {
				at := permute(z, p, 1)
				reset[at], known[at] = state(to, p), true
			}
		}
	}
	for i := range latches {
		var n, r []aig.Lit
		for at, to := range next {
			if to>>i&1 == 1 {
				n = append(n, rows[at])
			}
		}
		for z, to := range reset {
			if to>>i&1 == 1 {
				r = append(r, minterm(uint32(z), init))
			}
		}
		sys.Latches[i].Next, sys.Latches[i].Reset = g.OrN(n), g.OrN(r)
	}
	if rng.IntN(3) == 0 {
		c := aig.True
		for range 1 + rng.IntN(6) {
			x, y := rng.Uint32N(N), rng.Uint32N(M)
			for _, p := range perms {
				c = g.And(c, rows[state(x, p)*M+permute(y, p, 1)].Not())
			}
		}
		sys.Constraints = []aig.Lit{c}
	}

	r := &tableSystem{sys: sys}
	seen := make([]bool, N)
	for x := range N {
		var orbit []uint32
		for _, p := range perms {
			if y := state(x, p); !seen[y] {
				seen[y] = true
				orbit = append(orbit, y)
			}
		}
		if orbit != nil {
			r.orbits = append(r.orbits, orbit)
		}
	}
	for i := range cells - 1 {
		p := ts.Identity(sys)
		p.Name = fmt.Sprint(i, " <-> ", i+1)
		exchange := func(part []ts.Lit, a, b int) { part[a], part[b] = part[b], part[a] }
		for j := range bits {
			exchange(p.Latch, i*bits+j, (i+1)*bits+j)
		}
		exchange(p.Input, i, i+1)
		exchange(p.Init, i, i+1)
		r.swaps = append(r.swaps, p)
	}
	for k := range 2 + rng.IntN(3) {
		var any []aig.Lit
		switch rng.IntN(4) {
		case 0:
			x, y := rng.Uint32N(N), rng.Uint32N(M)
			for _, p := range perms {
				any = append(any, rows[state(x, p)*M+permute(y, p, 1)])
			}
		case 1:
			for range 1 + rng.IntN(4) {
				any = append(any, rows[rng.Uint32N(N*M)])
			}
		case 2:
			for range 1 + rng.IntN(4) {
				any = append(any, minterm(rng.Uint32N(N), latches))
			}
		case 3:
			for _, x := range r.orbits[rng.IntN(len(r.orbits))] {
				any = append(any, minterm(x, latches))
			}
		}
		sys.Bads = append(sys.Bads, ts.Bad{Name: fmt.Sprint("bad", k), Lit: g.OrN(any), Prop: k})
	}
	return r
}

// closed returns the reachable states, some more, and all that steps and exchanges of cells
// lead to from these.
func closed(rng *rand.Rand, s *tstest.Space, swaps []*ts.Perm, more int) []bool {
	in := make([]bool, len(s.Reachable))
	var todo []uint32
	add := func(x uint32) {
		if !in[x] {
			in[x] = true
			todo = append(todo, x)
		}
	}
	for x, ok := range s.Reachable {
		if ok {
			add(uint32(x))
		}
	}
	for range more {
		add(uint32(rng.IntN(len(in))))
	}
	for len(todo) > 0 {
		x := todo[0]
		todo = todo[1:]
		for y, z := range s.Next[x] {
			if s.OK[x][y] {
				add(z)
			}
		}
		for _, g := range swaps {
			add(tstest.Number(ts.Apply(g.Latch, tstest.Bits(x, len(s.Sys.Latches)))))
		}
	}
	return in
}

// tableProof is a proof of a property, right or wrong.
type tableProof struct {
	p        *mc.Problem
	cert     *certfile.Certificate // the proof is the last one of it
	first    int                   // clauses that the check gives to the solver at first; -1: as always
	violated bool                  // the property is
	exact    bool                  // images on demand make no difference
}

// tableProofs returns proofs about a random system: a set of states that is closed under
// steps, less some orbits, perhaps those of bad states, as clauses.
func tableProofs(seed uint64) (all []tableProof) {
	rng := rand.New(rand.NewPCG(seed, 1001))
	table := randomTable(rng)
	sys, s := table.sys, tstest.Explore(table.sys)
	p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: rng.IntN(4) > 0}
	for q := range sys.Bads {
		p.Props = append(p.Props, q)
		p.Groups = append(p.Groups, nil)
	}
	base := closed(rng, s, table.swaps, rng.IntN(3))
	y := &ts.Symmetry{Blocks: []ts.Block{{Name: "cell", Class: -1, Swaps: table.swaps}}}
	for q := range sys.Bads {
		for range 3 {
			in := slices.Clone(base)
			leave := func(orbit []uint32) {
				for _, x := range orbit {
					in[x] = false
				}
			}
			without := rng.IntN(6)
			if without >= 4 {
				for range 1 + rng.IntN(2) {
					leave(table.orbits[rng.IntN(len(table.orbits))])
				}
			}
			if without == 2 || without == 3 || without == 5 {
				for _, orbit := range table.orbits {
					if slices.ContainsFunc(orbit, func(x uint32) bool {
						for y, bad := range s.Bad[x] {
							if s.OK[x][y] && bad>>q&1 == 1 {
								return true
							}
						}
						return false
					}) {
						leave(orbit)
					}
				}
			}
			clauses := mctest.Outside(sys, in)
			if len(clauses) == 0 {
				continue
			}
			rng.Shuffle(len(clauses), func(i, j int) { clauses[i], clauses[j] = clauses[j], clauses[i] })
			if rng.IntN(2) == 0 {
				states := *s
				states.Reachable = in
				clauses = shorten(sys, &states, clauses)
			}
			f := &evidence.Proof{K: 1 + rng.IntN(4)/3, Clauses: clauses, Props: []int{q}, Group: y}
			if f.K > 1 {
				f.K += rng.IntN(2)
				for range rng.IntN(4) {
					i := rng.IntN(f.K)
					d := evidence.Distinct{I: i, J: i + 1 + rng.IntN(f.K-i)}
					if rng.IntN(2) == 0 {
						d.Perm = table.swaps[rng.IntN(len(table.swaps))]
					}
					f.Distinct = append(f.Distinct, d)
				}
			}
			a := tableProof{p: p, cert: &certfile.Certificate{Proofs: []*evidence.Proof{f}}, first: -1, violated: s.Depth[q] >= 0}
			if rng.IntN(2) == 0 { // another property is proved before
				for r, d := range s.Depth {
					if d < 0 && r != q {
						a.cert.Proofs = []*evidence.Proof{{K: 1, Props: []int{r}, Clauses: mctest.Outside(sys, s.Reachable), Group: y}, f}
						break
					}
				}
			}
			if rng.IntN(2) == 0 {
				a.first = rng.IntN(3)
			}
			a.exact = f.K == 1 && len(a.cert.Proofs) == 1
			all = append(all, a)
		}
	}
	return all
}

// onDemand checks it with no image written at first, and with wrong stabilisers of clauses
// or of bads, where that is asked for.
func (t *tableProof) onDemand(gophersat, clauses, bads bool) (how string, err error) {
	steps := imagesOf(0, 1<<20)
	steps.SetGophersat(gophersat)
	if t.first >= 0 {
		steps.SetClauses(t.first)
	}
	steps.SetOneClass(clauses, bads)
	_, all, err := t.cert.Check(certify.NewWith(context.Background(), t.p, steps))
	if err != nil {
		return "", err
	}
	return all[len(all)-1], nil
}

// tableSeeds is how many random systems are looked at.
func tableSeeds() uint64 {
	if nightly.On() {
		return 600
	}
	return 80
}

// TestImagesOnDemandOfTables: with images on demand, no proof of what is violated is
// accepted, and all that are accepted with all images written.
func TestImagesOnDemandOfTables(t *testing.T) {
	n, accepted, demand, rejected, violated, differ := 0, 0, 0, 0, 0, 0
	for seed := range tableSeeds() {
		for i, a := range tableProofs(seed) {
			n++
			_, _, want := a.cert.Check(certify.New(context.Background(), a.p))
			how, err := a.onDemand(false, false, false)
			_, second := a.onDemand(true, false, false)
			if a.violated {
				violated++
			}
			for what, err := range map[string]error{"written": want, "on demand": err, "on demand, by gophersat": second} {
				if err == nil && a.violated {
					t.Errorf("seed %d, proof %d: %s, it is accepted, of what is violated", seed, i, what)
				}
				if err != nil && strings.Contains(err.Error(), "internal error") {
					t.Errorf("seed %d, proof %d: %s: %v", seed, i, what, err)
				}
			}
			if (err == nil) != (want == nil) {
				// What may be assumed besides the clauses need not be symmetric: the least
				// paths may be fewer.
				if differ++; err != nil || a.exact {
					t.Errorf("seed %d, proof %d: written: %v; on demand: %v", seed, i, want, err)
				}
			}
			if (err == nil) != (second == nil) {
				t.Errorf("seed %d, proof %d: %v; by gophersat: %v", seed, i, err, second)
			}
			if err != nil {
				rejected++
			} else if accepted++; strings.Contains(how, "written as needed") {
				demand++
			}
		}
	}
	t.Logf("%d proofs, %d of what is violated; %d accepted, %d of them with images on demand; %d rejected; %d differ", n, violated, accepted, demand, rejected, differ)
	if demand < 60 || violated < 100 || rejected < 100 {
		t.Error("one-sided")
	}
}

// TestOneClassOfTables: these proofs see wrong stabilisers: with components for alike that a
// clause tells apart, or a bad, some are accepted of what is violated.
func TestOneClassOfTables(t *testing.T) {
	for _, double := range []struct {
		name          string
		clauses, bads bool
	}{{"clauses", true, false}, {"bads", false, true}} {
		t.Run(double.name, func(t *testing.T) {
			n, wrong := 0, 0
			for seed := range tableSeeds() {
				for _, a := range tableProofs(seed) {
					if !a.violated {
						continue
					}
					n++
					for _, second := range []bool{false, true} { // few show it: they differ in the paths that they find
						if _, err := a.onDemand(second, double.clauses, double.bads); err == nil {
							wrong++
						}
					}
				}
			}
			t.Logf("%d of %d proofs of what is violated are accepted", wrong, n)
			if wrong == 0 {
				t.Error("the double is not seen")
			}
		})
	}
}

// TestWriteWithoutComponents: where no orbit is small enough to be written, the clauses of
// a proof without components are: they are all their images, or these are not known.
func TestWriteWithoutComponents(t *testing.T) {
	none, pairs := 0, 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 76))
		c := tstest.RandomOf(rng, 3)
		s := tstest.Explore(c.Sys)
		p := mctest.Problem(c)
		prop := slices.IndexFunc(s.Depth, func(d int) bool { return d < 0 })
		f := &evidence.Proof{K: 1, Props: []int{prop}, Clauses: mctest.Outside(c.Sys, s.Reachable)}
		if c.Broken || prop < 0 || len(f.Clauses) == 0 {
			continue
		}
		if none++; seed%2 == 0 { // a block of two has no components either
			f.Group = &ts.Symmetry{Blocks: []ts.Block{{Name: "cell", Class: -1, Elems: []int{0, 1}, Swaps: c.Swaps[:1]}}}
			none--
			pairs++
		}
		func() {
			checker := func() *certify.Checker { return certify.NewWith(context.Background(), p, imagesOf(0, 1<<20)) }
			cert := &certfile.Certificate{Proofs: []*evidence.Proof{f}}
			var b bytes.Buffer
			if err := cert.Write(&b, checker()); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if text := b.String(); strings.Contains(text, "\norbit") || !strings.Contains(text, "\nclause") {
				t.Fatalf("seed %d:\n%s", seed, text)
			}
			read, err := certfile.Read("c.cert", b.Bytes(), p)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, c := range []*certfile.Certificate{cert, read} {
				if props, _, err := c.Check(checker()); err != nil || !slices.Equal(props, f.Props) {
					t.Fatalf("seed %d: %v, %v", seed, props, err)
				}
			}
		}()
	}
	if none == 0 || pairs == 0 {
		t.Errorf("%d without a group, %d with pairs only", none, pairs)
	}
}
