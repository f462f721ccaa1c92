package bmc_test

import (
	"context"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/bmc"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/reptest"
	"orbitmc/mc"
	"orbitmc/sat"
	"orbitmc/ts"
)

// hidden returns a system of two rows x, and latches p and q that are never true together
// although no frame shows it by its structure and no gate by its function. Bad 0 is p ∧ q ∧ x_0 ∧ x_1; bad 1 is p, of
// depth 1, which does not depend on the rows. The group exchanges the rows.
func hidden() (*ts.System, *ts.Symmetry) {
	g := aig.NewPlain()
	s := &ts.System{G: g, W: aig.True}
	input := func() aig.Lit {
		l := g.Input()
		s.Inputs = append(s.Inputs, ts.Signal{Node: l.Node()})
		return l
	}
	latch := func(next aig.Lit) aig.Lit {
		l := g.Input()
		s.Latches = append(s.Latches, ts.Latch{Node: l.Node(), Reset: aig.False, Next: next})
		return l
	}
	x := g.And(latch(input()), latch(input()))
	i := input()
	var js, both []aig.Lit
	for range 12 { // more than a gate sees
		j := input()
		js, both = append(js, j), append(both, g.And(i, j))
	}
	p := latch(g.OrN(both))
	q := latch(g.And(i, g.OrN(js)).Not())
	s.Bads = []ts.Bad{{Lit: g.And(g.And(p, q), x), Prop: 0}, {Lit: p, Prop: 1}}
	swap := ts.Identity(s)
	swap.Latch[0], swap.Latch[1] = swap.Latch[1], swap.Latch[0]
	swap.Input[0], swap.Input[1] = swap.Input[1], swap.Input[0]
	return s, &ts.Symmetry{Blocks: []ts.Block{{Elems: []int{0, 1}, Swaps: []*ts.Perm{swap}}}}
}

// scripted is a solver that tells of the conflicts and propagations that it is told, and that notes which
// queries are under a clause group, which is where a predicate is.
type scripted struct {
	sat.Solver
	unit         int64
	conflicts    []int64 // by query, in units
	propagations []int64 // by query, in units; nil: as many as conflicts
	under        []bool  // by query
	group        bool
	counted      sat.Stats
	kept         int // clauses that are in no group
}

func (s *scripted) Add(clause ...sat.Lit) {
	s.kept++
	s.Solver.Add(clause...)
}

func (s *scripted) Group() sat.Group {
	s.group = true
	return s.Solver.Group()
}

func (s *scripted) Solve(ctx context.Context, assumptions ...sat.Lit) sat.Status {
	if n := len(s.under); n < len(s.conflicts) {
		s.counted.Conflicts += s.unit * s.conflicts[n]
		if s.propagations != nil {
			s.counted.Propagations += s.unit * s.propagations[n]
		} else {
			s.counted.Propagations += s.unit * s.conflicts[n]
		}
	}
	s.under = append(s.under, s.group)
	s.group = false
	return s.Solver.Solve(ctx, assumptions...)
}

func (s *scripted) Stats() sat.Stats {
	st := s.Solver.Stats()
	st.Conflicts, st.Propagations = s.counted.Conflicts, s.counted.Propagations
	return st
}

// TestSymmetryWherePays: the predicate is used once a query took 2,000 conflicts, 250 if the group has 100 elements, and as many
// as a frame has comparisons, here one, and kept if the next query takes fewer conflicts and fewer propagations, and a
// quarter fewer where queries do not grow. Otherwise it is given up until a query takes four times as many conflicts.
func TestSymmetryWherePays(t *testing.T) {
	sys, y := hidden()
	for _, c := range []struct {
		conflicts, propagations []int64 // as scripted has them, from depth 1 on: at depth 0 the bad is false
		under                   []bool
	}{
		{[]int64{0, 0, 0, 0}, nil, []bool{false, false, false, false}},
		{[]int64{0, 1, 0}, nil, []bool{false, false, true}},
		{[]int64{0, 5, 4, 9, 99, 0}, nil, []bool{false, false, true, true, true, true}},
		{[]int64{0, 5, 5, 19, 20, 19, 1}, nil, []bool{false, false, true, false, false, true, true}},
		{[]int64{0, 5, 5, 19, 18, 18, 20, 16, 1}, nil, []bool{false, false, true, false, false, false, false, true, false}},
		{[]int64{0, 5, 5, 19, 18, 18, 20, 15, 1}, nil, []bool{false, false, true, false, false, false, false, true, true}},
		{[]int64{0, 5, 7, 20, 21, 79, 80, 3}, nil, []bool{false, false, true, false, true, false, false, true}},
		{[]int64{0, 5, 4, 9, 0}, []int64{0, 5, 5, 9, 0}, []bool{false, false, true, false, false}},
		{[]int64{0, 5, 4, 9, 0}, []int64{0, 5, 4, 9, 0}, []bool{false, false, true, true, true}},
		{[]int64{0, 5, 5, 19, 18, 18, 20, 15, 1}, []int64{0, 5, 5, 19, 18, 18, 20, 16, 1}, []bool{false, false, true, false, false, false, false, true, false}},
	} {
		for _, size := range []struct{ unit, times int64 }{{2000, 1}, {2000, 49}, {250, 50}} {
			large := &ts.Symmetry{Blocks: y.Blocks, Groups: []ts.Group{{Order: big.NewInt(size.times)}}}
			var s *scripted
			e := &bmc.Checker{NewSolver: func() sat.Solver {
				s = &scripted{Solver: newSolver(), unit: size.unit, conflicts: c.conflicts, propagations: c.propagations}
				return s
			}}
			p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{0}, Groups: []*ts.Symmetry{large, large}}
			r, err := e.Run(context.Background(), p, mc.Options{Bounded: true, MaxDepth: len(c.conflicts)})
			if err != nil {
				t.Fatal(err)
			}
			if pr := r.Props[0]; pr.Status != mc.Unknown || pr.Bound != len(c.conflicts) {
				t.Errorf("%+v", pr)
			}
			if !slices.Equal(s.under, c.under) {
				t.Errorf("conflicts %v in %d: under a predicate %v, want %v", c.conflicts, size.unit, s.under, c.under)
			}
		}
	}
}

// TestTrialsAgree: on random systems, with a predicate that comes and goes by chance, each violation has the depth that it
// has without.
func TestTrialsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 27))
	groups := reptest.Groups()
	late, trials := 0, 0
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		y := groups[name]
		for range nightly.Or(150, 5000) {
			sys := reptest.System(r, y)
			conflicts := make([]int64, 12)
			for i := range conflicts {
				conflicts[i] = 1 + r.Int64N(6)
			}
			var s *scripted
			run := func(mode bmc.RepMode) mc.PropResult {
				e := &bmc.Checker{Rep: mode, NewSolver: func() sat.Solver {
					s = &scripted{Solver: newSolver(), unit: 2000, conflicts: conflicts}
					return s
				}}
				p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{0}, Groups: []*ts.Symmetry{y}}
				res, err := e.Run(context.Background(), p, mc.Options{Bounded: true, MaxDepth: 8})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				return res.Props[0]
			}
			want, got := run(bmc.RepOff), run(bmc.RepAuto)
			if got.Status != want.Status || got.Depth != want.Depth || got.Bound != want.Bound {
				t.Errorf("%s: %v at %d, up to %d, want %v at %d, up to %d", name, got.Status, got.Depth, got.Bound, want.Status, want.Depth, want.Bound)
			}
			if slices.Contains(s.under, true) {
				trials++
				if got.Status == mc.Unsafe && got.Depth > 1 {
					late++
				}
			}
		}
	}
	if trials < 60 || late < 5 {
		t.Errorf("%d runs with trials, %d of them with a violation deeper than 1", trials, late)
	}
	t.Logf("%d runs with trials, %d of them with a violation deeper than 1", trials, late)
}

// TestFewConflicts: the number of conflicts from which on the predicate is used depends on the size of the group.
func TestFewConflicts(t *testing.T) {
	sys, y := hidden()
	for _, c := range []struct {
		conflicts, times int64 // the group has 2 × times elements
		under            bool
	}{{1999, 1, false}, {2000, 1, true}, {1999, 49, false}, {2000, 49, true}, {249, 50, false}, {250, 50, true}} {
		group := &ts.Symmetry{Blocks: y.Blocks, Groups: []ts.Group{{Order: big.NewInt(c.times)}}}
		var s *scripted
		e := &bmc.Checker{NewSolver: func() sat.Solver {
			s = &scripted{Solver: newSolver(), unit: c.conflicts, conflicts: []int64{0, 1, 0}}
			return s
		}}
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{0}, Groups: []*ts.Symmetry{group, group}}
		if _, err := e.Run(context.Background(), p, mc.Options{Bounded: true, MaxDepth: 3}); err != nil {
			t.Fatal(err)
		}
		if s.under[2] != c.under {
			t.Errorf("%d conflicts, group of %d: under a predicate %v", c.conflicts, 2*c.times, s.under[2])
		}
	}
}

// TestSmallGroupsWhereDear: a small group is used while the last four depths take half of all conflicts, a large one also
// where depths take as many as those before.
func TestSmallGroupsWhereDear(t *testing.T) {
	sys, y := hidden()
	conflicts := []int64{0, 5, 4, 4, 4, 4, 4, 4, 4, 4, 40, 3, 3} // up to depth 8 four take 16 of 33
	for _, c := range []struct {
		times  int64 // the group has 2 × times elements
		unused []int // depths after the first two
	}{{49, []int{9, 10}}, {50, nil}} {
		group := &ts.Symmetry{Blocks: y.Blocks, Groups: []ts.Group{{Order: big.NewInt(c.times)}}}
		var s *scripted
		e := &bmc.Checker{NewSolver: func() sat.Solver {
			s = &scripted{Solver: newSolver(), unit: 2000, conflicts: conflicts}
			return s
		}}
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{0}, Groups: []*ts.Symmetry{group, group}}
		if _, err := e.Run(context.Background(), p, mc.Options{Bounded: true, MaxDepth: len(conflicts)}); err != nil {
			t.Fatal(err)
		}
		for d := 2; d < len(conflicts); d++ {
			if want := !slices.Contains(c.unused, d); s.under[d] != want {
				t.Errorf("group of %d: under a predicate at depth %d: %v", 2*c.times, d, s.under[d])
			}
		}
	}
}

// TestTrialLeavesNothing: of a predicate that did not pay no clause is left, of one that pays its definitions are.
func TestTrialLeavesNothing(t *testing.T) {
	sys, y := hidden()
	kept := func(mode bmc.RepMode, conflicts ...int64) int {
		var s *scripted
		e := &bmc.Checker{Rep: mode, NewSolver: func() sat.Solver {
			s = &scripted{Solver: newSolver(), unit: 2000, conflicts: conflicts}
			return s
		}}
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{0}, Groups: []*ts.Symmetry{y, y}}
		if _, err := e.Run(context.Background(), p, mc.Options{Bounded: true, MaxDepth: len(conflicts)}); err != nil {
			t.Fatal(err)
		}
		return s.kept
	}
	none := kept(bmc.RepOff, 0, 5, 6, 0)
	if n := kept(bmc.RepAuto, 0, 5, 6, 0); n != none {
		t.Errorf("%d clauses after a predicate that did not pay, %d without", n, none)
	}
	if n := kept(bmc.RepAuto, 0, 5, 1, 1); n <= none {
		t.Errorf("%d clauses with a predicate that pays, %d without", n, none)
	}
	if n := kept(bmc.RepPath, 0, 5, 6, 0); n <= none {
		t.Errorf("%d clauses with a predicate, %d without", n, none)
	}
}

// TestSymmetryOfTheCone: permutations that move no latch on which a property depends are not
// used for it.
func TestSymmetryOfTheCone(t *testing.T) {
	sys, y := hidden()
	for prop, want := range []int{1, 0} {
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{prop}, Groups: []*ts.Symmetry{y, y}}
		r, err := (&bmc.Checker{Rep: bmc.RepPath, NewSolver: newSolver}).Run(context.Background(), p, mc.Options{Bounded: true, MaxDepth: 3})
		if err != nil {
			t.Fatal(err)
		}
		if r.Stats.Permutations != want {
			t.Errorf("property %d: %d permutations, want %d", prop, r.Stats.Permutations, want)
		}
		if pr := r.Props[0]; (pr.Status == mc.Unsafe) != (prop == 1) || prop == 1 && pr.Depth != 1 {
			t.Errorf("property %d: %+v", prop, pr)
		}
	}
}

// TestSymmetryUnseen: a group is not looked at where no query takes conflicts. This one has no images.
func TestSymmetryUnseen(t *testing.T) {
	sys, _ := hidden()
	none := &ts.Symmetry{Blocks: []ts.Block{{Elems: []int{0, 1}, Swaps: []*ts.Perm{{}}}}}
	for _, mode := range []bmc.RepMode{bmc.RepAuto, bmc.RepPath} {
		looked := func() (looked bool) {
			defer func() { looked = recover() != nil }()
			p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{0}, Groups: []*ts.Symmetry{none, none}}
			r, err := (&bmc.Checker{Rep: mode, NewSolver: newSolver}).Run(context.Background(), p, mc.Options{Bounded: true, MaxDepth: 3})
			if err != nil || r.Props[0].Bound != 3 {
				t.Errorf("%+v, %v", r, err)
			}
			return false
		}()
		if looked != (mode == bmc.RepPath) {
			t.Errorf("%v: looked at %v", mode, looked)
		}
	}
}
