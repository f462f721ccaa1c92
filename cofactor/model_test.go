package cofactor

import (
	"context"
	"testing"
	"time"

	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/internal/testkit/mctest"
	"orbitmc/mc"
)

// load returns the problem of a model of benchmarks/murphi.
func load(t testing.TB, file string, consts map[string]string) *mc.Problem {
	t.Helper()
	return mctest.Load(t, "../benchmarks/murphi/"+file, consts, newSolver)
}

// decide runs the engine and has its evidence checked.
func decide(t *testing.T, p *mc.Problem, e *Engine, opt mc.Options) *mc.Result {
	t.Helper()
	e.NewSolver = newSolver
	r, err := e.Run(context.Background(), p, opt)
	if err == nil {
		err = certify.Verify(context.Background(), p, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestModels compares verdicts and depths on models with explicit search.
func TestModels(t *testing.T) {
	for _, c := range []struct{ name, param, n string }{
		{"mutex_sem.m", "N", "3"},
		{"mutex_sem_bug.m", "N", "3"},
		{"sem_counter.m", "N", "3"},
		{"sem_counter_bug.m", "N", "3"},
		{"mesi_snoop.m", "NODE_NUM", "2"},
		{"mesi_snoop_bug.m", "NODE_NUM", "2"},
		{"readers_writers_bug.m", "N", "2"},
	} {
		p := load(t, c.name, map[string]string{c.param: c.n})
		oracle, err := (&explicit.Engine{Canon: explicit.Exact}).Run(context.Background(), p, mc.Options{All: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []Engine{{}, {Reduction: NoReduction}, {Reduction: ByOrbits}, {Unrolled: true}} {
			r := decide(t, p, &e, mc.Options{All: true})
			for i, pr := range r.Props {
				want := oracle.Props[i]
				if pr.Status != want.Status || pr.Trace != nil && pr.Depth != want.Depth {
					t.Errorf("%s, rep %v, unrolled %v: %q is %v at depth %d, want %v at %d", c.name, e.Reduction, e.Unrolled, p.Name(pr.Prop), pr.Status, pr.Depth, want.Status, want.Depth)
				}
			}
		}
	}
}

// TestFewer: representatives save enumerations, and orbits store fewer sets.
func TestFewer(t *testing.T) {
	p := load(t, "sem_counter.m", map[string]string{"N": "5"})
	count := make(map[Reduction]int)
	for _, rep := range []Reduction{ByRepresentatives, NoReduction, ByOrbits} {
		r := decide(t, p, &Engine{Reduction: rep, Without: Care}, mc.Options{})
		if r.Verdict() != mc.Safe {
			t.Fatalf("rep %v: %v", rep, r.Verdict())
		}
		count[rep] = r.Stats.Enumerations
		if (rep == ByOrbits) != (r.Stats.Images > 0) {
			t.Errorf("rep %v: %d images", rep, r.Stats.Images)
		}
	}
	if 2*count[ByRepresentatives] > count[NoReduction] || 2*count[ByOrbits] > count[NoReduction] {
		t.Errorf("enumerations: %v", count)
	}
}

// TestFewerUnrolled: along whole paths, representatives and images of cofactors save four
// enumerations out of five.
func TestFewerUnrolled(t *testing.T) {
	for _, c := range []struct{ name, param, n string }{
		{"mutex_sem.m", "N", "6"},
		{"sem_counter.m", "N", "5"},
	} {
		p := load(t, c.name, map[string]string{c.param: c.n})
		on := decide(t, p, &Engine{Unrolled: true, Without: Care}, mc.Options{})
		off := decide(t, p, &Engine{Unrolled: true, Without: Care, Reduction: NoReduction}, mc.Options{})
		t.Logf("%s: %d enumerations, %d without", c.name, on.Stats.Enumerations, off.Stats.Enumerations)
		if on.Verdict() != mc.Safe || off.Verdict() != mc.Safe || 5*on.Stats.Enumerations > off.Stats.Enumerations {
			t.Errorf("%s: %v after %d enumerations, without representatives %v after %d", c.name, on.Verdict(), on.Stats.Enumerations, off.Verdict(), off.Stats.Enumerations)
		}
	}
}

// TestStops: bounds and contexts end a search, with what is known.
func TestStops(t *testing.T) {
	p := load(t, "sem_counter.m", map[string]string{"N": "4"})
	p.Props = p.Props[:1]
	depths := 0
	r := decide(t, p, &Engine{Without: Care}, mc.Options{MaxDepth: 2, Event: func(e mc.Event) {
		if e.Engine != "cofactor" || e.Depth != depths {
			t.Errorf("event %+v", e)
		}
		depths++
	}})
	if r.Props[0].Status != mc.Unknown || r.Props[0].Bound != 2 || r.Stopped != "depth bound" || depths != 3 {
		t.Errorf("%+v, stopped by %q after %d depths", r.Props[0], r.Stopped, depths)
	}
	big := load(t, "german.m", map[string]string{"NODE_NUM": "3"})
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	r, err := (&Engine{NewSolver: newSolver}).Run(ctx, big, mc.Options{})
	if err != nil || r.Stopped != "time limit" || r.Open() == 0 {
		t.Errorf("%v, %q, %d open", err, r.Stopped, r.Open())
	}
}

// TestNames: names of techniques are read as they are written.
func TestNames(t *testing.T) {
	got, err := ParseTechniques([]string{"sweep", "incremental"})
	if err != nil || got != Sweep|Incremental {
		t.Errorf("%b, %v", got, err)
	}
	if all, err := ParseTechniques(TechniqueNames()); err != nil || all != Care<<1-1 {
		t.Errorf("%b, %v", all, err)
	}
	if _, err := ParseTechniques([]string{"greed"}); err == nil {
		t.Error("greed is a technique")
	}
}
