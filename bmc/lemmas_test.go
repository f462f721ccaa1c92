package bmc_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/bmc"
	"orbitmc/encode/cnf"
	"orbitmc/internal/board"
	"orbitmc/internal/certify"
	"orbitmc/internal/pdr"
	"orbitmc/internal/testkit/reptest"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
	"orbitmc/ts"
)

// unreachable excludes each state that is not reachable.
func unreachable(space *tstest.Space) (l evidence.Lemmas) {
	for x, ok := range space.Reachable {
		if ok {
			continue
		}
		var clause []ts.Lit
		for i := range space.Sys.Latches {
			clause = append(clause, ts.Lit(i)<<1|ts.Lit(x>>i&1))
		}
		l.Clauses = append(l.Clauses, clause)
	}
	return l
}

// TestLemmas: what pdr posts, or all there is to know, asserted in every frame, changes no depth and no bound,
// whatever the representatives and the steps; and induction with it proves nothing that
// is violated.
func TestLemmas(t *testing.T) {
	const bound = 6
	ctx := context.Background()
	asserted, violated, proved, helped := 0, 0, 0, 0
	for seed := range uint64(300) {
		c := tstest.Random(rand.New(rand.NewPCG(seed, 91)))
		if c.Broken {
			continue
		}
		space := tstest.Explore(c.Sys)
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: c.Sys}, WellFormed: true, Groups: c.Groups}
		for i := range p.NumProps() {
			p.Props = append(p.Props, i)
		}
		check := func(e mc.Engine, opt mc.Options) *mc.Result {
			r, err := e.Run(ctx, p, opt)
			if err == nil {
				err = certify.Verify(ctx, p, r)
			}
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, e.Name(), err)
			}
			return r
		}
		b := &board.Board{}
		if seed%2 == 0 {
			check(&pdr.Engine{NewSolver: newSolver}, mc.Options{All: true, MaxDepth: 30, Lemmas: b})
		} else {
			b.Post(unreachable(space))
		}
		for mode := range bmc.RepMode(len(bmc.RepModes())) {
			for _, step := range [][2]int{{0, 1}, {2, 3}, {bound, 1}} {
				e := &bmc.Checker{Rep: mode, From: step[0], Step: step[1], NewSolver: newSolver}
				r := check(e, mc.Options{All: true, Bounded: true, MaxDepth: bound, Lemmas: b})
				asserted += int(r.Stats.Lemmas)
				for _, pr := range r.Props {
					want := space.Depth[pr.Prop]
					if want >= 0 && want <= bound {
						violated++
						if pr.Status != mc.Unsafe || pr.Depth != want {
							t.Fatalf("seed %d, rep %v, from %d by %d: %+v, want depth %d", seed, mode, step[0], step[1], pr, want)
						}
					} else if pr.Status != mc.Unknown || pr.Bound != bound {
						t.Fatalf("seed %d, rep %v, from %d by %d: %+v, want a bound of %d", seed, mode, step[0], step[1], pr, bound)
					}
				}
			}
		}
		with := check(&bmc.Inductor{NewSolver: newSolver, MaxK: 2}, mc.Options{All: true, Lemmas: b})
		without := check(&bmc.Inductor{NewSolver: newSolver, MaxK: 2}, mc.Options{All: true})
		for i, pr := range with.Props {
			if pr.Status == mc.Safe {
				proved++
				if space.Depth[pr.Prop] >= 0 {
					t.Fatalf("seed %d: property %d is proved, and violated at depth %d", seed, pr.Prop, space.Depth[pr.Prop])
				}
				if without.Props[i].Status != mc.Safe {
					helped++
				}
			} else if without.Props[i].Status == mc.Safe {
				t.Fatalf("seed %d: property %d is proved without lemmas only", seed, pr.Prop)
			}
		}
	}
	t.Logf("%d lemmas, %d violations, %d proofs, %d of them need lemmas", asserted, violated, proved, helped)
	if asserted < 1000 || violated < 1000 || proved < 100 || helped == 0 {
		t.Error("too few to tell")
	}
}

// counting is a counter of two bits from 0, which the constraint keeps at 1 or less;
// it is bad at 1. Lemmas say which values it never has.
func counting() *mc.Problem {
	g := aig.New()
	lo, hi := g.Input(), g.Input()
	s := &ts.System{G: g, W: aig.True,
		Latches:     []ts.Latch{{Name: "lo", Node: lo.Node(), Next: lo.Not()}, {Name: "hi", Node: hi.Node(), Next: g.Xor(lo, hi)}},
		Constraints: []aig.Lit{hi.Not()},
		Bads:        []ts.Bad{{Name: "one", Lit: g.And(lo, hi.Not())}}}
	return &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: s}, WellFormed: true, Props: []int{0}}
}

// TestFalseLemma: a lemma that is false hides the violation from a checker that
// believes it, and is an error for this one.
func TestFalseLemma(t *testing.T) {
	p := counting()
	never1 := []ts.Lit{1, 2} // ¬lo ∨ hi
	f := cnf.NewFrames(p.Netlist, false)
	s := newSolver()
	cnf := cnf.New(f.Graph(), s)
	for d := range 3 {
		f.Extend()
		cnf.Assert(f.Graph().Or(f.Latches(d)[0].Not(), f.Latches(d)[1]))
		if got := s.Solve(context.Background(), cnf.Implied(f.Violation([]int{0}, d))); got != sat.Unsat {
			t.Errorf("believed, the lemma does not hide the violation at depth %d", d)
		}
	}
	for _, e := range []mc.Engine{&bmc.Checker{NewSolver: newSolver}, &bmc.Inductor{NewSolver: newSolver}} {
		b := &board.Board{}
		b.Post(evidence.Lemmas{Clauses: []ts.Clause{never1}})
		if r, err := e.Run(context.Background(), p, mc.Options{Bounded: true, MaxDepth: 3, Lemmas: b}); err == nil {
			t.Errorf("%s: a false lemma is taken: %+v", e.Name(), r.Props)
		}
	}
}

// TestForeignImages: what holds is posted with a group of a larger system of cells,
// which is none of this one: its images are false, and hide the violation.
func TestForeignImages(t *testing.T) {
	g := aig.New()
	a, b := g.Input(), g.Input()
	s := &ts.System{G: g, W: aig.True, // a stays 0, b becomes 1
		Latches: []ts.Latch{{Name: "a", Node: a.Node(), Next: a}, {Name: "b", Node: b.Node(), Next: aig.True}},
		Bads:    []ts.Bad{{Name: "b", Lit: b}}}
	if err := tstest.Check(s); err != nil {
		t.Fatal(err)
	}
	p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: s}, WellFormed: true, Props: []int{0}}
	never := []ts.Clause{{1}} // ¬a
	swap := &ts.Perm{Name: "a <-> b", Latch: []ts.Lit{2, 0}}
	y := &ts.Symmetry{Blocks: []ts.Block{{Name: "cell", Elems: []int{0, 1}, Swaps: []*ts.Perm{swap}}}}
	run := func(l evidence.Lemmas) (*mc.Result, error) {
		board := &board.Board{}
		board.Post(l)
		return (&bmc.Checker{NewSolver: newSolver}).Run(context.Background(), p, mc.Options{Bounded: true, MaxDepth: 3, Lemmas: board})
	}
	if r, err := run(evidence.Lemmas{Clauses: never}); err != nil || r.Props[0].Depth != 1 || r.Stats.Lemmas != 1 {
		t.Errorf("the lemma itself: %v", err)
	}
	if _, err := run(evidence.Lemmas{Clauses: never, Group: y}); err == nil {
		t.Error("its image is taken")
	}
	f := cnf.NewFrames(s, false)
	solver := newSolver()
	cnf := cnf.New(f.Graph(), solver)
	for range 2 {
		f.Extend()
	}
	cnf.Assert(f.Latches(1)[swap.Latch[0]>>1].Not())
	if solver.Solve(context.Background(), cnf.Implied(f.Violation([]int{0}, 1))) != sat.Unsat {
		t.Error("the image does not hide the violation")
	}
}

// TestLemmasBehindTheBad: in a query for several depths a lemma binds no frame behind
// constraints that are not kept.
func TestLemmasBehindTheBad(t *testing.T) {
	p := counting()
	never3 := evidence.Lemmas{Clauses: []ts.Clause{{1, 3}}} // ¬lo ∨ ¬hi: two steps that are kept end at 2
	for _, mode := range []bmc.RepMode{bmc.RepOff, bmc.RepPath} {
		b := &board.Board{}
		b.Post(never3)
		r, err := (&bmc.Checker{Rep: mode, From: 3, NewSolver: newSolver}).Run(context.Background(), p, mc.Options{Bounded: true, MaxDepth: 3, Lemmas: b})
		if err != nil {
			t.Fatal(err)
		}
		if err := certify.Verify(context.Background(), p, r); err != nil {
			t.Fatal(err)
		}
		if pr := r.Props[0]; pr.Status != mc.Unsafe || pr.Depth != 1 || r.Stats.Lemmas != 1 {
			t.Errorf("%+v, want a violation at depth 1", pr)
		}
	}
	f := cnf.NewFrames(p.Netlist, false)
	s := newSolver()
	cnf := cnf.New(f.Graph(), s)
	any := aig.False
	for d := range 4 {
		f.Extend()
		any = f.Graph().Or(any, f.Violation([]int{0}, d))
		cnf.Assert(f.Graph().Or(f.Latches(d)[0].Not(), f.Latches(d)[1].Not()))
	}
	if s.Solve(context.Background(), cnf.Implied(any)) != sat.Unsat {
		t.Error("asserted in every frame, the lemma does not hide the violation")
	}
}

// TestLemmasOnTheWay: lemmas that come while the search goes on are asserted in the
// frames there are, too.
func TestLemmasOnTheWay(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for name, y := range reptest.Groups() {
		s := reptest.System(r, y)
		want := reptest.Explore(s).Depth
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: s}, WellFormed: true, Props: []int{0}, Groups: []*ts.Symmetry{y}}
		found := &board.Board{}
		if _, err := (&pdr.Engine{NewSolver: newSolver}).Run(context.Background(), p, mc.Options{MaxDepth: 20, Lemmas: found}); err != nil {
			t.Fatal(err)
		}
		clauses, err := found.Take(context.Background(), p, 0)
		if err != nil {
			t.Fatal(err)
		}
		late := &board.Board{}
		opt := mc.Options{Bounded: true, MaxDepth: 7, Lemmas: late}
		opt.Event = func(e mc.Event) {
			if e.Depth == 1 {
				late.Post(evidence.Lemmas{Clauses: clauses})
			}
		}
		res, err := (&bmc.Checker{NewSolver: newSolver}).Run(context.Background(), p, opt)
		if err == nil {
			err = certify.Verify(context.Background(), p, res)
		}
		if err != nil {
			t.Fatal(err)
		}
		if pr := res.Props[0]; want >= 0 && want <= 7 && pr.Depth != want || (want < 0 || want > 7) && pr.Bound != 7 {
			t.Errorf("%s: %+v, want depth %d", name, pr, want)
		}
	}
}
