package explicit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/certify/states"
	"orbitmc/internal/explicit"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// TestSpill: a search that goes on from disk, from whichever state on, has the result of
// one in memory, and leaves no files.
func TestSpill(t *testing.T) {
	seeds := uint64(nightly.Or(30, 80))
	spilled, found := 0, 0
	same := func(name string, p *model.Program, opt explicit.Options) {
		t.Helper()
		full, err := explicit.Run(context.Background(), p, opt)
		if err != nil {
			t.Fatal(err)
		}
		memory := full.Memory
		want := written(p, full)
		opt.Spill = t.TempDir()
		for part := range int64(6) {
			opt.MemLimit = 1 + memory*part/6
			opt.Threads = 1 + int(part)%3
			got, err := explicit.RunChunks(context.Background(), p, opt, 8)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if c := got.Visited; c != nil {
				for i := range c.Len() {
					if k, _, ok := c.Guess(c.Member(c.Len() - 1 - i)); !ok || k != c.Len()-1-i {
						t.Fatalf("%s: member %d is taken for %d, %v", name, c.Len()-1-i, k, ok)
					}
				}
			}
			spilled++
			found += len(got.Violations)
			if got := written(p, got); got != want {
				t.Fatalf("%s: %v, memory %d: from disk\n%.3000s\nin memory\n%.3000s", name, opt.Canon, opt.MemLimit, got, want)
			}
		}
		if left, err := os.ReadDir(opt.Spill); err != nil || len(left) > 0 {
			t.Fatalf("%d files are left, %v", len(left), err)
		}
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 22))
		src := randomModel(r)
		p := parse(t, src, murphi.Options{Dialect: model.Dialect(r.IntN(2)), Deadlock: model.DeadlockMode(r.IntN(3))})
		canon := explicit.Canon(r.IntN(3))
		same(fmt.Sprintf("seed %d\n%s", seed, src), p, explicit.Options{Canon: canon, Blocks: all(p.Model), All: r.IntN(2) == 0})
	}
	same("counter", parse(t, counter, murphi.Options{}), explicit.Options{All: true})
	if found < 100 || spilled < 100 {
		t.Errorf("%d searches, %d violations", spilled, found)
	}
}

// TestSpillIsChecked: the evidence of a search from disk passes the check.
func TestSpillIsChecked(t *testing.T) {
	m, err := murphi.ReadFile(filepath.Join("..", "..", "benchmarks", "murphi", "german.m"), murphi.Options{Consts: map[string]string{"NODE_NUM": "3"}})
	if err != nil {
		t.Fatal(err)
	}
	problem := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m), Blocks: all(m)}}
	for i := range m.Props {
		problem.Props = append(problem.Props, i)
	}
	for _, canon := range []explicit.Canon{explicit.None, explicit.Exact} {
		want, err := (&explicit.Engine{Canon: canon}).Run(context.Background(), problem, mc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		watch := func(ctx context.Context, p *mc.Problem, cores *mc.Cores) evidence.Watch {
			return states.NewWatch(ctx, p, cores, 0)
		}
		e := &explicit.Engine{Canon: canon, Spill: t.TempDir(), Threads: 2}
		r, err := e.Run(context.Background(), problem, mc.Options{MemLimit: want.Stats.Bytes / 2, Watch: watch})
		if err == nil {
			err = certify.Verify(context.Background(), problem, r)
		}
		if err != nil || r.Verdict() != mc.Safe || r.Stats.States != want.Stats.States || r.Stats.Transitions != want.Stats.Transitions {
			t.Errorf("%v: %v, %s, %d states, %v", canon, r.Verdict(), r.Stopped, r.Stats.States, err)
		}
	}
}

// TestSpillNowhere: a folder that does not exist ends the search with what is known.
func TestSpillNowhere(t *testing.T) {
	p := parse(t, counter, murphi.Options{})
	r, err := explicit.Run(context.Background(), p, explicit.Options{Props: []int{2}, MemLimit: 140_000, Spill: filepath.Join(t.TempDir(), "none")})
	if err != nil || r.Complete || !strings.HasPrefix(string(r.Reason), "disk: ") || r.States == 0 || r.Depth < 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
