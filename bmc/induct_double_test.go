package bmc_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/internal/testkit/reptest"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file holds a second, naive k-induction, which can be told to break one rule
// of the essay in induct.go at a time. Each broken one proves something that is
// violated; with nothing broken none does.

// inductive reports whether no path of k+1 states that keeps the constraints, shows
// a bad of none of the properties in its first k frames and satisfies more ends in
// one of them.
func inductive(sys *ts.System, props []int, k int, more func(f *cnf.Frames) aig.Lit) bool {
	f := cnf.NewFrames(sys, true)
	s := newSolver()
	cnf := cnf.New(f.Graph(), s)
	for range k + 2 {
		f.Extend()
	}
	bad := func(k int) aig.Lit {
		var any []aig.Lit
		for i, b := range sys.Bads {
			for _, q := range props {
				if b.Prop == q {
					any = append(any, f.Bad(k, i))
				}
			}
		}
		return f.Graph().OrN(any)
	}
	for j := range k + 1 {
		cnf.Assert(f.Constraint(j))
		cnf.Assert(bad(j).NotIf(j < k))
	}
	if more != nil {
		cnf.Assert(more(f))
	}
	return s.Solve(context.Background()) == sat.Unsat
}

// distinct is the path constraint s_i ≠ π(s_j) for all i < j ≤ k.
func distinct(k int, p *ts.Perm) func(f *cnf.Frames) aig.Lit {
	return func(f *cnf.Frames) aig.Lit {
		var all []aig.Lit
		for j := range k + 1 {
			for i := range j {
				image := ts.ApplyLits(p.Latch, f.Latches(j))
				var differ []aig.Lit
				for n, l := range f.Latches(i) {
					differ = append(differ, f.Graph().Xor(l, image[n]))
				}
				all = append(all, f.Graph().OrN(differ))
			}
		}
		return f.Graph().AndN(all)
	}
}

// onFrames is Rep on each of some frames.
func onFrames(F []*ts.Perm, frames ...int) func(f *cnf.Frames) aig.Lit {
	return func(f *cnf.Frames) aig.Lit {
		var all []aig.Lit
		for _, j := range frames {
			all = append(all, reptest.Predicate(f.Graph(), f.Latches(j), F))
		}
		return f.Graph().AndN(all)
	}
}

func TestInductDoubles(t *testing.T) {
	wrong := map[string]int{}
	tried := 0
	sound := []string{"nothing", "nothing but stutters and repetitions", "distinct modulo a symmetry that moves the property",
		"Rep on the last frame", "Rep on the last frame, repeated orbits"}
	broken := []string{"distinct modulo no symmetry", "Rep under a symmetry that moves the property", "Rep on the first frame and the last",
		"Rep on all frames", "Rep on the frame of the bad and, for good, the one before", "constraints after the bad", "W that a run violates"}
	for seed := range uint64(6000) {
		rng := rand.New(rand.NewPCG(seed, 34))
		c := tstest.Random(rng)
		if c.Broken {
			continue
		}
		s := tstest.Explore(c.Sys)
		prop := rng.IntN(len(s.Depth))
		depth := s.Depth[prop]
		if depth < 0 {
			continue
		}
		delay := 0
		for _, b := range c.Sys.Bads {
			if b.Prop == prop {
				delay = b.Delay
			}
		}
		p := *c.Swaps[0] // no symmetry, but of right size
		p.Latch = make([]ts.Lit, len(p.Latch))
		for i, j := range rng.Perm(len(p.Latch)) {
			p.Latch[i] = ts.Lit(j)<<1 | ts.Lit(rng.IntN(2))
		}
		// The base holds up to frame depth-delay-1, so k may be that.
		for k := 1; k <= min(depth-delay, 3); k++ {
			tried++
			props := []int{prop}
			claim := func(name string, more func(f *cnf.Frames) aig.Lit) {
				if inductive(c.Sys, props, k, more) {
					wrong[name]++
				}
			}
			claim(sound[0], nil)
			claim(sound[1], distinct(k, ts.Identity(c.Sys)))
			claim(broken[0], distinct(k, &p))
			if c.Groups[prop] == nil {
				claim(sound[2], distinct(k, c.Swaps[0]))
				claim(broken[1], onFrames(c.Swaps, k))
			} else {
				F := nice(t, c.Groups[prop])
				var all []int
				for j := range k + 1 {
					all = append(all, j)
				}
				claim(sound[3], onFrames(F, k))
				claim(sound[4], func(f *cnf.Frames) aig.Lit {
					return f.Graph().And(onFrames(F, k)(f), distinct(k, c.Swaps[0])(f))
				})
				claim(broken[2], onFrames(F, 0, k))
				claim(broken[3], onFrames(F, all...))
				claim(broken[4], onFrames(F, k-1, k))
			}
			claim(broken[5], func(f *cnf.Frames) aig.Lit { return f.Constraint(k + 1) })
			claim(broken[6], func(f *cnf.Frames) aig.Lit {
				return f.Latches(0)[0].NotIf(c.Sys.Latches[0].Reset == aig.True)
			})
		}
	}
	t.Logf("%d tried; wrong proofs by what was broken: %v", tried, wrong)
	for _, name := range sound {
		if wrong[name] > 0 {
			t.Errorf("%s: %d wrong proofs", name, wrong[name])
		}
	}
	for _, name := range broken {
		if wrong[name] == 0 {
			t.Errorf("%s: never a wrong proof", name)
		}
	}
}
