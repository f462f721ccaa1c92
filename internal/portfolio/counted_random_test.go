package portfolio

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"orbitmc/internal/task"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// countedTally counts what was compared.
type countedTally struct{ models, refused, orbits, violated, swaps, symbolic, cut, proved int }

// countedRun compares what engines say of a model whose components are counted with a search without
// symmetry, and the number of states with exact representatives.
func countedRun(file, src string, how task.Options, symbolic bool, sum *countedTally) error {
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		return err
	}
	ref, err := decide(file, "explicit", "off", how, mc.Options{All: true})
	if err != nil {
		return fmt.Errorf("not counted: %w", err)
	}
	own := how
	own.Abstract = "counters"
	e, err := decide(file, "explicit", "auto", own, mc.Options{All: true})
	if e == nil && err != nil {
		sum.refused++
		return nil
	}
	if err != nil {
		return err
	}
	sum.models++
	if ref.first() >= 0 {
		sum.violated++
	}
	swaps := false
	for _, pr := range e.out.Result.Props {
		swaps = swaps || pr.Status == mc.Unknown && e.t.Problem.Kind(pr.Prop) == model.Deadlock
	}
	if swaps {
		sum.swaps++
	}
	if err := e.agrees(ref, !swaps); err != nil && !(swaps && ref.first() >= 0) {
		return err
	}
	own.Abstract = fmt.Sprintf("counters:%d", 1+sum.models%3)
	for _, engine := range []string{"explicit", "pdr"} {
		if engine == "pdr" && !symbolic {
			continue
		}
		cut, err := decide(file, engine, "auto", own, mc.Options{All: true})
		if cut == nil || cut.t.Problem.Counters.Cut == 0 {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", own.Abstract, err)
		}
		sum.cut++
		for i, pr := range cut.out.Result.Props {
			if pr.Status == mc.Safe {
				sum.proved++
			}
			if pr.Status != mc.Unknown && (pr.Status != mc.Safe || ref.out.Result.Props[i].Status != mc.Safe) {
				return fmt.Errorf("%s, %s: %s is %v, and %v by search", own.Abstract, engine, cut.t.Problem.Name(pr.Prop), pr.Status, ref.out.Result.Props[i].Status)
			}
		}
	}
	own.Abstract = "counters"
	exact, err := decide(file, "explicit", "auto", how, mc.Options{All: true})
	if err != nil {
		return err
	}
	if x, y := exact.out.Each[0], e.out.Each[0]; x.Closure != nil && y.Closure != nil && sameButCounted(exact.out.Problem, e.out.Problem) {
		sum.orbits++
		if x.Stats.States != y.Stats.States {
			return fmt.Errorf("%d states counted, %d orbits", y.Stats.States, x.Stats.States)
		}
	}
	if !symbolic {
		return nil
	}
	sum.symbolic++
	for _, engine := range []string{"bmc", "pdr"} {
		e, err := decide(file, engine, "auto", own, mc.Options{MaxDepth: 6, Bounded: engine == "bmc"})
		if err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
		for i, pr := range e.out.Result.Props {
			want := ref.out.Result.Props[i]
			if pr.Status != mc.Unknown && pr.Status != want.Status || pr.HasTrace() && engine == "bmc" && pr.Depth != want.Depth || want.HasTrace() && pr.Bound >= want.Depth {
				return fmt.Errorf("%s: %s is %v, depth %d, bound %d; by search %v, depth %d", engine, e.t.Problem.Name(pr.Prop), pr.Status, pr.Depth, pr.Bound, want.Status, want.Depth)
			}
		}
	}
	return nil
}

// sameButCounted reports whether two searches used the same symmetry, where the class that y counts is
// that of all its components in x.
func sameButCounted(x, y *mc.Problem) bool {
	groups := func(p *mc.Problem) (names []string) {
		for c, class := range p.Blocks {
			for _, b := range class {
				if s := p.Model.Scalarsets[c]; !s.Slots && len(b) > 1 {
					names = append(names, fmt.Sprint(s, b))
				}
			}
		}
		for _, r := range p.Rings {
			names = append(names, fmt.Sprint("rotations ", r))
		}
		return names
	}
	counted := y.Counters
	want := append(groups(y), fmt.Sprint(counted.Class, counted.Counted))
	got := groups(x)
	slices.Sort(want)
	slices.Sort(got)
	return slices.Equal(want, got)
}

// TestCountedRandom holds explicit search, bmc and pdr with counters to a search without symmetry, on random
// models: verdicts, depths, bounds and traces; and the number of states to the number of orbits.
// ORBITMC_LONG=1 compares 25 times as many.
func TestCountedRandom(t *testing.T) {
	n := nightly.Or(25, 1500)
	file := filepath.Join(t.TempDir(), "random.m")
	var sum countedTally
	for seed := range uint64(n) {
		src := murphitest.Counted(rand.New(rand.NewPCG(seed, 23)))
		how := task.Options{Dialect: model.Dialect(seed % 2).String(), Deadlock: model.DeadlockMode(seed / 2 % 3).String()}
		if err := countedRun(file, src, how, seed%10 == 0, &sum); err != nil {
			t.Fatalf("seed %d (%+v): %v\n%s", seed, how, err, src)
		}
	}
	t.Logf("%+v", sum)
	if sum.models < n/2 || sum.orbits < n/3 || sum.violated < n/10 || sum.symbolic < n/20 || sum.cut < n/10 || sum.proved < n/10 {
		t.Errorf("the models show too little: %+v", sum)
	}
}
