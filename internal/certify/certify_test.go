package certify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/mctest"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// holds is the meaning of a proof by enumeration: whether it shows what it says
// of the properties.
func holds(s *tstest.Space, f *evidence.Proof, gens []*ts.Perm, props []int) bool {
	sys := s.Sys
	n := len(s.Next)
	inv := make([]bool, n)
	for x := range inv {
		inv[x] = mctest.Satisfies(sys, f, gens, uint32(x))
	}
	var bads uint32
	for i, b := range sys.Bads {
		if slices.Contains(props, b.Prop) {
			bads |= 1 << i
		}
	}
	for _, x := range s.Reset {
		if !inv[x] {
			return false
		}
	}
	for x := range n {
		for y, ok := range s.OK[x] {
			if ok && inv[x] && !inv[s.Next[x][y]] {
				return false
			}
		}
	}
	// walk reports whether no path of k more steps ends in a bad.
	var walk func(path []uint32, k int, distinct bool) bool
	walk = func(path []uint32, k int, distinct bool) bool {
		at := len(path) - 1
		x := path[at]
		if distinct {
			for _, d := range f.Distinct {
				if d.J != at {
					continue
				}
				image := x
				if d.Perm != nil {
					image = tstest.Number(ts.Apply(d.Perm.Latch, tstest.Bits(x, len(sys.Latches))))
				}
				if path[d.I] == image {
					return true
				}
			}
		}
		for y, ok := range s.OK[x] {
			switch {
			case !ok:
			case k == 0 && s.Bad[x][y]&bads != 0:
				return false
			case k > 0 && s.Bad[x][y]&bads == 0 && !walk(append(slices.Clone(path), s.Next[x][y]), k-1, distinct):
				return false
			}
		}
		return true
	}
	for k := range f.K {
		for _, x := range s.Reset {
			if !walk([]uint32{x}, k, false) {
				return false
			}
		}
	}
	for x := range n {
		if inv[x] && !walk([]uint32{uint32(x)}, f.K, true) {
			return false
		}
	}
	return true
}

// TestProofs: proofs of random systems, right ones, mutated ones and random ones,
// are accepted if and only if enumeration says that they show what they claim, and
// never for a property that is violated.
func TestProofs(t *testing.T) {
	accepted, refused, violated, lost := map[string]int{}, map[string]int{}, 0, 0
	for seed := range uint64(260) {
		rng := rand.New(rand.NewPCG(seed, 21))
		c := tstest.Random(rng)
		if err := tstest.Check(c.Sys); err != nil {
			t.Fatal(err)
		}
		s := tstest.Explore(c.Sys)
		p := mctest.Problem(c)
		check := func(what string, f *evidence.Proof, exact bool) {
			prop := rng.IntN(len(p.Props))
			props := f.Props
			if props == nil {
				props = []int{prop}
			} else {
				prop = props[rng.IntN(len(props))]
			}
			want := holds(s, f, f.Group.Generators(), props)
			for mode := range 3 { // as is, every image, by gophersat
				full := mode == 1
				p.Full, p.Gophersat = full, mode == 2
				_, err := certify.New(context.Background(), p).Check(f, prop)
				if err == nil {
					accepted[what]++
					for _, q := range props {
						if s.Depth[q] >= 0 {
							t.Fatalf("seed %d: a %s proof of property %d, violated at depth %d, is accepted", seed, what, q, s.Depth[q])
						}
					}
				} else {
					refused[what]++
				}
				switch {
				case want && err != nil && exact:
					t.Fatalf("seed %d, full %v: a %s proof is refused: %v", seed, full, what, err)
				case want && err != nil:
					lost++
				case !want && err == nil && (full || exact):
					t.Fatalf("seed %d, full %v: a %s proof is accepted that is none", seed, full, what)
				}
			}
		}
		var props []int
		for i, d := range s.Depth {
			if d >= 0 {
				violated++
			}
			if rng.IntN(2) == 0 {
				props = append(props, i)
			}
		}
		var y *ts.Symmetry // one that the system has
		if !c.Broken && rng.IntN(2) == 0 {
			y = &ts.Symmetry{Blocks: []ts.Block{{Name: "cell", Elems: []int{0, 1, 2}[:len(c.Swaps)+1], Swaps: c.Swaps}}}
		}
		// The reachable states, as clauses, or as a circuit.
		inv := &evidence.Proof{Props: props, K: 1, Clauses: mctest.Outside(c.Sys, s.Reachable), Group: y}
		check("clauses", inv, true)
		if n := len(inv.Clauses); n > 0 {
			flip := *inv
			flip.Clauses = slices.Clone(inv.Clauses)
			i := rng.IntN(n)
			flip.Clauses[i] = slices.Clone(flip.Clauses[i])
			flip.Clauses[i][rng.IntN(len(c.Sys.Latches))] ^= 1
			check("clauses, one literal flipped", &flip, true)
			drop := *inv
			drop.Clauses = slices.Delete(slices.Clone(inv.Clauses), i, i+1)
			check("clauses, one dropped", &drop, true)
			short := *inv
			short.Clauses = slices.Clone(inv.Clauses)
			short.Clauses[i] = slices.Clone(short.Clauses[i][1:])
			check("clauses, one shorter", &short, true)
		}
		circuit := &evidence.Circuit{G: aig.New(), Out: aig.False}
		for range c.Sys.Latches {
			circuit.Latches = append(circuit.Latches, circuit.G.Input())
		}
		for x, ok := range s.Reachable {
			if rng.IntN(80) == 0 {
				ok = !ok
			}
			if !ok {
				continue
			}
			var cube []aig.Lit
			for i, l := range circuit.Latches {
				cube = append(cube, l.NotIf(x>>i&1 == 0))
			}
			circuit.Out = circuit.G.Or(circuit.Out, circuit.G.AndN(cube))
		}
		check("circuit", &evidence.Proof{Props: props, K: 1, Circuit: circuit}, true)
		// Induction with any k, any path constraints that are right.
		ind := &evidence.Proof{Props: props, K: 1 + rng.IntN(3), Group: y}
		for range rng.IntN(6) {
			d := evidence.Distinct{I: rng.IntN(ind.K)}
			d.J = d.I + 1 + rng.IntN(ind.K-d.I)
			ind.Distinct = append(ind.Distinct, d)
		}
		check("induction", ind, true)
		if rng.IntN(2) == 0 {
			more := *ind
			more.Clauses = slices.Clone(inv.Clauses)
			if len(more.Clauses) > 0 {
				more.Clauses = more.Clauses[rng.IntN(len(more.Clauses)):]
			}
			check("induction with clauses", &more, true)
		}
		// Permutations that are symmetries of the system, or are not; with these a proof
		// is refused whatever the enumeration says.
		exact := !c.Broken
		for i := range ind.Distinct {
			ind.Distinct[i].Perm = c.Swaps[rng.IntN(len(c.Swaps))]
			if len(c.Swaps) > 1 && rng.IntN(2) == 0 {
				ind.Distinct[i].Perm = c.Swaps[0].Then(c.Swaps[1])
			}
			if rng.IntN(8) == 0 {
				q := *ind.Distinct[i].Perm
				q.Latch = slices.Clone(q.Latch)
				q.Latch[0] ^= 1
				ind.Distinct[i].Perm, exact = &q, false
			}
		}
		check("induction modulo permutations", ind, exact)
	}
	t.Logf("accepted: %v\nrefused: %v\n%d properties violated; %d proofs refused for their permutations", accepted, refused, violated, lost)
	for what := range refused {
		if accepted[what] < 10 || refused[what] < 10 {
			t.Errorf("%s: accepted %d, refused %d", what, accepted[what], refused[what])
		}
	}
}

// TestWrongPermutation: a shift register whose violation is excluded by taking the
// exchange of two of its bits for a symmetry.
func TestWrongPermutation(t *testing.T) {
	g := aig.New()
	a, b := g.Input(), g.Input()
	sys := &ts.System{G: g, W: aig.True,
		Latches: []ts.Latch{{Name: "a", Node: a.Node(), Reset: aig.False, Next: aig.True}, {Name: "b", Node: b.Node(), Reset: aig.False, Next: a}},
		Bads:    []ts.Bad{{Name: "b", Lit: b}},
	}
	// 00 -> 10 -> 11. With 10 = swap(01) excluded...
	swap := &ts.Perm{Name: "a <-> b", Latch: []ts.Lit{2, 0}}
	p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{0}}
	for _, d := range [][]evidence.Distinct{nil, {{I: 0, J: 1}}, {{I: 0, J: 1, Perm: swap}}, {{I: 0, J: 2, Perm: swap}}} {
		for k := 1; k <= 2; k++ {
			if len(d) > 0 && d[0].J > k {
				continue
			}
			_, err := certify.New(context.Background(), p).Check(&evidence.Proof{K: k, Distinct: d}, 0)
			if err == nil {
				t.Errorf("k = %d, %v: accepted", k, d)
			}
			if len(d) > 0 && d[0].Perm != nil && !strings.Contains(err.Error(), "a <-> b is no symmetry") {
				t.Errorf("k = %d: %v", k, err)
			}
		}
	}
}

// TestUnprovedW: W that is not inductive is not assumed, W that is may be.
func TestUnprovedW(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 22))
		c := tstest.Random(rng)
		s := tstest.Explore(c.Sys)
		g := c.Sys.G
		var clauses []aig.Lit
		for _, clause := range mctest.Outside(c.Sys, s.Reachable) {
			var or []aig.Lit
			for _, l := range clause {
				or = append(or, c.Sys.LatchLit(int(l>>1)).NotIf(l&1 == 1))
			}
			clauses = append(clauses, g.OrN(or))
		}
		c.Sys.W = g.AndN(clauses)
		p := mctest.Problem(c)
		p.WellFormed = false
		for i, d := range s.Depth {
			_, err := certify.New(context.Background(), p).Check(&evidence.Proof{K: 1}, i)
			if (err == nil) != (d < 0) {
				t.Fatalf("seed %d: property %d, violated at depth %d: %v", seed, i, d, err)
			}
		}
		x := rng.IntN(len(s.Reachable))
		if !s.Reachable[x] {
			continue
		}
		var or []aig.Lit // exclude a reachable state
		for i := range c.Sys.Latches {
			or = append(or, c.Sys.LatchLit(i).NotIf(x>>i&1 == 1))
		}
		c.Sys.W = g.And(c.Sys.W, g.OrN(or))
		if _, err := certify.New(context.Background(), p).Check(&evidence.Proof{K: 1}, 0); err == nil {
			t.Fatalf("seed %d: a W without a reachable state is accepted", seed)
		}
	}
}

// TestProofInterrupted: without time for the check a verdict is undecided.
func TestProofInterrupted(t *testing.T) {
	c := tstest.Random(rand.New(rand.NewPCG(3, 3)))
	p := mctest.Problem(c)
	r := mc.NewResult("x", p)
	for i := range r.Props {
		r.Props[i].Status, r.Props[i].Proof = mc.Safe, &evidence.Proof{K: 1}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err := certify.Verify(ctx, p, r); err != nil {
		t.Fatal(err)
	}
	for _, pr := range r.Props {
		if pr.Status != mc.Unknown {
			t.Errorf("property %d is %v", pr.Prop, pr.Status)
		}
	}
	if r.Stopped != "interrupted while the evidence was checked" {
		t.Errorf("stopped by %q", r.Stopped)
	}
}

// TestSharedProof: a proof of one property is none of another, and properties that
// were proved are known to the proofs that follow.
func TestSharedProof(t *testing.T) {
	g := aig.New()
	a, b := g.Input(), g.Input()
	sys := &ts.System{G: g, W: aig.True,
		Latches: []ts.Latch{{Name: "a", Node: a.Node(), Reset: aig.False, Next: a}, {Name: "b", Node: b.Node(), Reset: aig.False, Next: g.Or(a, b)}},
		Bads:    []ts.Bad{{Name: "a", Lit: a, Prop: 0}, {Name: "b", Lit: b, Prop: 1}},
	}
	p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{0, 1}}
	one := &evidence.Proof{K: 1}
	r := mc.NewResult("x", p)
	for i := range r.Props {
		r.Props[i].Status, r.Props[i].Proof = mc.Safe, one
	}
	if err := certify.Verify(context.Background(), p, r); err != nil {
		t.Errorf("a, then b with a known: %v", err)
	}
	r.Props[0].Status, r.Props[0].Proof = mc.Unknown, nil
	if err := certify.Verify(context.Background(), p, r); err == nil {
		t.Error("b alone is accepted")
	}
	r.Props[1].Proof = &evidence.Proof{K: 1, Props: []int{0, 1}}
	if err := certify.Verify(context.Background(), p, r); err != nil {
		t.Errorf("b and a together: %v", err)
	}
	// Now b is violated, and a proof is no proof of it for being one of a.
	sys.Latches[1].Next = aig.True
	for i := range r.Props {
		r.Props[i].Status, r.Props[i].Proof = mc.Safe, one
	}
	if err := certify.Verify(context.Background(), p, r); err == nil {
		t.Error("b by a proof that was checked for a is accepted")
	}
	sys.Latches[1].Next = g.Or(a, b)
	r.Props[1].Proof = &evidence.Proof{K: 1, Props: []int{0}}
	if err := certify.Verify(context.Background(), p, r); err == nil {
		t.Error("b by a proof of a is accepted")
	}
}

// TestVerified: what was verified of one permutation of one system says nothing of another permutation and nothing of
// another system. The check of a permutation that was verified is left out, which the wrong system shows.
func TestVerified(t *testing.T) {
	g := aig.New()
	latches := make([]ts.Latch, 3)
	for i := range latches {
		l := g.Input()
		latches[i] = ts.Latch{Name: string(rune('a' + i)), Node: l.Node(), Reset: aig.False, Next: l}
	}
	latches[2].Next = aig.True
	sys := &ts.System{G: g, W: aig.True, Latches: latches, Bads: []ts.Bad{{Name: "p", Lit: aig.MkLit(latches[0].Node, false)}}}
	right := &ts.Perm{Name: "right", Latch: []ts.Lit{2, 0, 4}}
	wrong := &ts.Perm{Name: "wrong", Latch: []ts.Lit{0, 4, 2}}
	verified := new(mc.Verified)
	accepts := func(sys *ts.System, perm *ts.Perm) bool {
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{0}, Verified: verified}
		_, err := certify.New(context.Background(), p).Check(&evidence.Proof{K: 1, Group: &ts.Symmetry{Groups: []ts.Group{{Gens: []*ts.Perm{perm}}}}, Clauses: []ts.Clause{{1}}}, 0)
		return err == nil
	}
	for range 2 {
		if !accepts(sys, right) || !verified.Has(sys, right.Key()) {
			t.Error("a symmetry is refused, or not noted")
		}
		if accepts(sys, wrong) || verified.Has(sys, wrong.Key()) {
			t.Error("what is no symmetry is accepted, or noted")
		}
	}
	other := *sys
	other.Latches = slices.Clone(latches)
	other.Latches[1].Next = aig.True
	if accepts(&other, right) || verified.Has(&other, right.Key()) {
		t.Error("a symmetry of another system is accepted")
	}
	if verified.Add(&other, right.Key()); !accepts(&other, right) {
		t.Error("a permutation is verified though it was before")
	}
}

// TestWrongGroup: where the exchange of two latches is no symmetry, a proof that
// says so is refused: one conjunct holds, its image does not.
func TestWrongGroup(t *testing.T) {
	for _, what := range []string{"next", "reset", "constraint"} {
		g := aig.New()
		a, b, x, y := g.Input(), g.Input(), g.Input(), g.Input()
		sys := &ts.System{G: g, W: aig.True,
			Latches: []ts.Latch{{Name: "a", Node: a.Node(), Reset: aig.False, Next: a}, {Name: "b", Node: b.Node(), Reset: aig.False, Next: b}},
			Inputs:  []ts.Signal{{Name: "x", Node: x.Node()}, {Name: "y", Node: y.Node()}},
			Bads:    []ts.Bad{{Name: "p", Lit: g.Or(a, b)}},
		}
		swap := &ts.Perm{Name: "swap", Latch: []ts.Lit{2, 0}, Input: []ts.Lit{2, 0}}
		group := &ts.Symmetry{Groups: []ts.Group{{Gens: []*ts.Perm{swap}}}}
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{0}}
		circuit := &evidence.Circuit{G: aig.New()}
		circuit.Latches = []aig.Lit{circuit.G.Input(), circuit.G.Input()}
		circuit.Out = circuit.Latches[0].Not()
		check := func(right bool) {
			for name, f := range map[string]*evidence.Proof{
				"induction": {K: 1, Group: group},
				"clauses":   {K: 1, Group: group, Clauses: []ts.Clause{{1}}},
				"both":      {K: 1, Group: group, Clauses: []ts.Clause{{3}, {1}}},
			} {
				if _, err := certify.New(context.Background(), p).Check(f, 0); (err == nil) != right {
					t.Errorf("%s, %s: %v", what, name, err)
				}
			}
			if _, err := certify.New(context.Background(), p).Check(&evidence.Proof{K: 1, Group: group, Circuit: circuit, Clauses: []ts.Clause{{1}}}, 0); err == nil {
				t.Errorf("%s: a circuit that the group moves is accepted", what)
			}
		}
		check(true)
		switch what {
		case "next":
			sys.Latches[1].Next = aig.True
		case "reset":
			sys.Latches[1].Reset = aig.True
		case "constraint":
			sys.Latches[0].Next, sys.Latches[1].Next = g.Or(a, x), g.Or(b, y)
			sys.Constraints = []aig.Lit{x.Not()}
		}
		check(false)
	}
}

// TestClausesOfSmallOrbitsFirst: it makes no difference how many clauses the solver is
// given at first, and nothing is proved that is violated.
func TestClausesOfSmallOrbitsFirst(t *testing.T) {
	accepted, rejected := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 53))
		c := tstest.Random(rng)
		s := tstest.Explore(c.Sys)
		p := mctest.Problem(c)
		prop := rng.IntN(len(s.Depth))
		f := &evidence.Proof{K: 1 + rng.IntN(2), Clauses: mctest.Outside(c.Sys, s.Reachable)}
		for range rng.IntN(3) * rng.IntN(2) {
			if n := len(f.Clauses); n > 0 {
				i := rng.IntN(n)
				f.Clauses = slices.Delete(f.Clauses, i, i+1)
			}
		}
		if !c.Broken && rng.IntN(2) == 0 {
			f.Group = &ts.Symmetry{Blocks: []ts.Block{{Name: "cell", Elems: []int{0, 1, 2}[:len(c.Swaps)+1], Swaps: c.Swaps}}}
		}
		_, want := certify.New(context.Background(), p).Check(f, prop)
		for _, n := range []int{0, 1, 3} {
			steps := certify.Sound()
			steps.SetClauses(n)
			_, err := certify.NewWith(context.Background(), p, steps).Check(f, prop)
			if fmt.Sprint(err) != fmt.Sprint(want) {
				t.Fatalf("seed %d: with %d clauses at first %v, else %v", seed, n, err, want)
			}
		}
		switch {
		case want != nil:
			rejected++
		case s.Depth[prop] >= 0:
			t.Fatalf("seed %d: property %d is violated at depth %d", seed, prop, s.Depth[prop])
		default:
			accepted++
		}
	}
	if accepted < 50 || rejected < 50 {
		t.Errorf("one-sided: %d accepted, %d rejected", accepted, rejected)
	}
}
