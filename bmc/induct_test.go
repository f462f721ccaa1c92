package bmc_test

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"orbitmc/bmc"
	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/model"
)

// induct runs k-induction and checks its evidence.
func induct(t *testing.T, p *mc.Problem, maxK int) *mc.Result {
	t.Helper()
	r, err := (&bmc.Inductor{NewSolver: newSolver, MaxK: maxK}).Run(context.Background(), p, mc.Options{All: true})
	if err == nil {
		err = certify.Verify(context.Background(), p, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestInductRandomSystems: on random systems what is proved holds and what is
// violated is so at the right depth; with the symmetry no less is proved, with no
// larger k.
func TestInductRandomSystems(t *testing.T) {
	const maxK = 5
	proved, modulo, better, undecided := map[int]int{}, 0, 0, 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 31))
		c := tstest.Random(rng)
		s := tstest.Explore(c.Sys)
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: c.Sys}, WellFormed: true, Groups: c.Groups}
		for i := range c.Groups {
			p.Props = append(p.Props, i)
		}
		q := *p
		q.Groups = nil
		r, without := induct(t, p, maxK), induct(t, &q, maxK)
		for i, d := range s.Depth {
			for _, pr := range []mc.PropResult{r.Props[i], without.Props[i]} {
				switch {
				case pr.Status == mc.Safe && d >= 0:
					t.Fatalf("seed %d: property %d is proved and violated at depth %d", seed, i, d)
				case pr.Status == mc.Unsafe && pr.Depth != d:
					t.Fatalf("seed %d: property %d is violated at depth %d, want %d", seed, i, pr.Depth, d)
				case pr.Status == mc.Unknown && d >= 0 && d <= maxK:
					t.Fatalf("seed %d: property %d is undecided, but violated at depth %d", seed, i, d)
				case pr.Status == mc.Unknown:
					undecided++
				}
			}
			a, b := &r.Props[i], &without.Props[i]
			switch {
			case b.Status == mc.Safe && (a.Status != mc.Safe || a.Proof.K > b.Proof.K):
				t.Fatalf("seed %d: property %d is proved without symmetry with k = %d, with it is %v", seed, i, b.Proof.K, a.Status)
			case a.Status == mc.Safe && (b.Status != mc.Safe || a.Proof.K < b.Proof.K):
				better++
			}
			if a.Status == mc.Safe {
				proved[a.Proof.K]++
				for _, d := range a.Proof.Distinct {
					if d.Perm != nil {
						modulo++
						break
					}
				}
			}
		}
	}
	t.Logf("proved by k: %v; modulo permutations: %d; better with symmetry: %d; undecided: %d", proved, modulo, better, undecided)
	if proved[1] < 100 || proved[2] < 50 || proved[3] < 5 || modulo < 10 || better < 5 {
		t.Error("the random systems are too tame")
	}
}

// TestInductRandomModels: the same on random models with all kinds of properties,
// held to the enumeration of all states and inputs; some systems get constraints.
func TestInductRandomModels(t *testing.T) {
	const models, maxK = 250, 4
	proved, violated, tried := 0, 0, 0
	for seed := uint64(0); tried < models; seed++ {
		rng := rand.New(rand.NewPCG(seed, 32))
		opt := murphi.Options{Dialect: model.Dialect(seed % 2), Deadlock: model.DeadlockMode(seed / 2 % 3)}
		src := murphitest.Random(rng, murphitest.Options{Dialect: opt.Dialect, Bits: 6})
		m, err := murphi.Parse("test.m", []byte(src), opt)
		if err != nil {
			t.Fatal(err)
		}
		if enc, err := encode.Model(context.Background(), m); err != nil || len(enc.Sys.Inputs) > 7 || len(enc.Sys.Init) > 8 {
			continue // without an encoding, or with many steps to enumerate
		}
		p := parse(t, src, opt)
		tried++
		y := withSymmetry(t, p).System
		if seed%3 == 0 {
			addConstraints(p.Enc.Sys, rng, y.Generators())
			withSymmetry(t, p)
		} else {
			p.WellFormed = true
		}
		want := enumerate(p.Enc, 40)
		r := induct(t, p, maxK)
		for i, pr := range r.Props {
			kind := p.Model.Props[i].Kind
			switch {
			case kind == model.Liveness:
			case pr.Status == mc.BySearch(kind) && want[i] >= 0:
				t.Fatalf("seed %d: %q is proved and violated at depth %d\n%s", seed, p.Name(i), want[i], src)
			case pr.Status == mc.BySearch(kind):
				proved++
			case pr.Status == mc.ByTrace(kind) && pr.Depth != want[i]:
				t.Fatalf("seed %d: %q is violated at depth %d, want %d\n%s", seed, p.Name(i), pr.Depth, want[i], src)
			case pr.Status == mc.ByTrace(kind):
				violated++
			case want[i] >= 0 && want[i] <= maxK:
				t.Fatalf("seed %d: %q is undecided, but violated at depth %d\n%s", seed, p.Name(i), want[i], src)
			}
		}
	}
	t.Logf("%d models: %d proved, %d violated", tried, proved, violated)
	if proved < models || violated < models {
		t.Error("the random models are too tame")
	}
}

// TestCTI: for a property that is not inductive with some k there is a
// counterexample, for one that is there is none, and the first state differs from
// the given one in as few latches as enumeration finds.
func TestCTI(t *testing.T) {
	found, none, further := 0, 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 33))
		c := tstest.Random(rng)
		s := tstest.Explore(c.Sys)
		p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: c.Sys}, WellFormed: true, Groups: c.Groups}
		var bads uint32
		for i := range c.Groups {
			p.Props = append(p.Props, i)
			bads |= 1 << i
		}
		n := len(c.Sys.Latches)
		start := tstest.Bits(rng.Uint32(), n)
		var groups [][]int
		for i := range n {
			groups = append(groups, []int{i})
		}
		prop := rng.IntN(len(p.Props))
		want := -1 // with k = 1
		for x := range s.Next {
			for y, ok := range s.OK[x] {
				if !ok || s.Bad[x][y]&bads != 0 || s.Next[x][y] == uint32(x) {
					continue
				}
				to := s.Next[x][y]
				for z, ok := range s.OK[to] {
					if d := bits.OnesCount32(uint32(x) ^ tstest.Number(start)); ok && s.Bad[to][z]>>prop&1 == 1 && (want < 0 || d < want) {
						want = d
					}
				}
			}
		}
		p.Groups = nil
		cti, err := (&bmc.Inductor{NewSolver: newSolver}).CTI(context.Background(), p, prop, 1, bmc.AnyRule, p.Props, nil, nil, start, groups)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case cti == nil && want >= 0 || cti != nil && want < 0:
			t.Fatalf("seed %d: counterexample %v, least change %d", seed, cti, want)
		case cti == nil:
			none++
		default:
			found++
			if err := cti.Check(p, p.Props); err != nil || len(cti.Changed) != want || !cti.Least {
				t.Fatalf("seed %d: %d latches changed, want %d; %v", seed, len(cti.Changed), want, err)
			}
			if want > 0 {
				further++
			}
			p.Groups = c.Groups
			if cti, err := (&bmc.Inductor{NewSolver: newSolver}).CTI(context.Background(), p, prop, 3, bmc.AnyRule, p.Props, nil, nil, start, groups); err != nil || cti != nil && cti.Check(p, p.Props) != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
	t.Logf("%d found, %d of them not at the start; %d not", found, further, none)
	if found < 50 || further < 50 || none < 50 {
		t.Error("the random systems are too tame")
	}
}

// german returns German's protocol with inductive invariants, perhaps spoilt.
func german(t *testing.T, nodes, old, text string) *mc.Problem {
	t.Helper()
	src, err := os.ReadFile("../benchmarks/murphi/german_inductive.m")
	if err != nil {
		t.Fatal(err)
	}
	p := parse(t, replace(t, string(src), old, text), murphi.Options{Consts: map[string]string{"NODE_NUM": nodes}})
	withSymmetry(t, p)
	if err := encode.ProveWellFormed(context.Background(), p.Enc.Sys, newSolver); err != nil {
		t.Fatal(err)
	}
	p.WellFormed = true
	return p
}

// TestInductGerman: the invariants of the protocol are inductive together, for
// any number of clients; those of no buggy variant are proved, and with a lemma
// less the rest is not.
func TestInductGerman(t *testing.T) {
	for _, n := range []string{"2", "3", "6"} {
		r := induct(t, german(t, n, "", ""), 1)
		if r.Verdict() != mc.Safe {
			t.Errorf("%s nodes: %v", n, r.Verdict())
		}
		for _, pr := range r.Props {
			if pr.Proof.K != 1 || len(pr.Proof.Props) != len(r.Props) || len(pr.Proof.Distinct) > 0 {
				t.Errorf("%s nodes: a proof of %d properties with k = %d", n, len(pr.Proof.Props), pr.Proof.K)
			}
		}
	}
	for _, c := range []struct {
		what, old, text string
		depth           int // at which CtrlProp is violated
	}{
		{"E granted beside shared copies", " & !ExGntd &\n    forall j: NODE do !ShrSet[j] end ==>", " & !ExGntd ==>", 8},
		{"the first InvAck clears the whole list", "    ShrSet[i] := false;\n    if ExGntd", "    for j: NODE do ShrSet[j] := false; end;\n    if ExGntd", 15},
	} {
		p := german(t, "2", c.old, c.text)
		ctrl, data := propNamed(t, p.Model, "CtrlProp"), propNamed(t, p.Model, "DataProp")
		for _, maxK := range []int{1, 3, 8} {
			r := induct(t, p, maxK)
			for _, i := range []int{ctrl, data} {
				if r.Props[i].Status == mc.Safe {
					t.Errorf("%s: %q is proved", c.what, p.Name(i))
				}
			}
			if pr := r.Props[ctrl]; maxK >= c.depth && (pr.Status != mc.Unsafe || pr.Depth != c.depth) {
				t.Errorf("%s: CtrlProp is %v at depth %d, want %d", c.what, pr.Status, pr.Depth, c.depth)
			}
		}
	}
	p := german(t, "3", "", "")
	for _, name := range []string{"Owner", "Exclusive", "Sharers"} {
		q := *p
		q.Props = slices.DeleteFunc(slices.Clone(p.Props), func(j int) bool { return p.Name(j) == name })
		r := induct(t, &q, 1)
		if ctrl := r.Props[propNamed(t, p.Model, "CtrlProp")]; ctrl.Status != mc.Unknown {
			t.Errorf("without %s: CtrlProp is %v", name, ctrl.Status)
		}
	}
}

// TestInductStops: results are partial when time, memory or k end, and what was
// proved until then stays so.
func TestInductStops(t *testing.T) {
	p := german(t, "2", "", "")
	p.Props = []int{propNamed(t, p.Model, "CtrlProp"), propNamed(t, p.Model, "Exclusive")}
	run := func(ctx context.Context, maxK int, opt mc.Options) *mc.Result {
		r, err := (&bmc.Inductor{NewSolver: newSolver, MaxK: maxK}).Run(ctx, p, opt)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := run(context.Background(), 2, mc.Options{})
	if r.Stopped != "the bound on k" || r.Props[0].Status != mc.Unknown || r.Props[0].Bound != 2 || r.Props[1].Status != mc.Safe {
		t.Errorf("k up to 2: %q, %+v", r.Stopped, r.Props)
	}
	ctx, stop := context.WithCancel(context.Background())
	depths := 0
	r = run(ctx, 0, mc.Options{Event: func(e mc.Event) {
		if depths++; e.Engine != "ind" || e.Depth != depths-1 {
			t.Errorf("event %+v", e)
		}
		if depths == 4 {
			stop()
		}
	}})
	if r.Stopped != "interrupted" || r.Props[0].Bound < 3 || r.Props[1].Status != mc.Safe {
		t.Errorf("interrupted: %q, %+v", r.Stopped, r.Props)
	}
	r = run(context.Background(), 0, mc.Options{MemLimit: 1})
	if r.Stopped != "memory limit" || r.Props[0].Bound != -1 {
		t.Errorf("memory: %q, %+v", r.Stopped, r.Props)
	}
	r = run(context.Background(), 0, mc.Options{Bounded: true, MaxDepth: 1})
	if r.Stopped != "depth bound" || r.Props[0].Bound != 1 || r.Props[1].Status != mc.Safe {
		t.Errorf("depth: %q, %+v", r.Stopped, r.Props)
	}
}
