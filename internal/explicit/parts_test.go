package explicit_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/certify/states"
	"orbitmc/internal/explicit"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// parted returns a search in parts whose tasks are done in this process, each from the folder alone.
func parted(dir string, n int, p *mc.Problem, opt explicit.Options) *explicit.Parts {
	parts := &explicit.Parts{Dir: dir, Of: n, Look: states.Look, Meet: states.Meet}
	parts.Run = func(ctx context.Context, tasks []explicit.PartTask) error {
		for _, t := range tasks {
			one := *parts
			one.Task = t.Name
			if _, err := explicit.RunParts(ctx, p, opt, &one); err != nil {
				return err
			}
			if !t.Ended() {
				return fmt.Errorf("%s leaves no note", t.Name)
			}
		}
		return nil
	}
	return parts
}

// folder returns a folder in memory, where the system has one: each file is synced.
func folder(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "parts-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// problemOf returns a problem about all properties of a model.
func problemOf(p *model.Program, blocks [][][]int) *mc.Problem {
	problem := &mc.Problem{OfModel: mc.OfModel{Model: p.Model, Program: p, Blocks: blocks}}
	for i, q := range p.Model.Props {
		if !q.Kind.Graph() {
			problem.Props = append(problem.Props, i)
		}
	}
	return problem
}

// said is written, with the visited states in ascending order.
func said(p *model.Program, r *explicit.Result) string {
	var members [][]byte
	if r.Visited != nil {
		for i := range r.Visited.Len() {
			members = append(members, slices.Clone(r.Visited.Member(i)))
		}
		slices.SortFunc(members, bytes.Compare)
	}
	r.Visited = nil
	return written(p, r) + fmt.Sprintf("%x", members)
}

// TestParts: a search in parts has the result of one on one machine: counts, depths, verdicts and traces.
func TestParts(t *testing.T) {
	seeds := uint64(nightly.Or(20, 60))
	found, complete := 0, 0
	same := func(name string, p *model.Program, opt explicit.Options, n int) {
		problem := problemOf(p, opt.Blocks)
		opt.Props = problem.Props
		want, err := explicit.Run(context.Background(), p, opt)
		opt.MemLimit = int64(n % 2 * 400) // of a task: runs of 16 records
		if err != nil {
			t.Fatal(err)
		}
		got, err := explicit.RunParts(context.Background(), problem, opt, parted(folder(t), n, problem, opt))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want.FiredBy, want.Deadlocks, want.Raised = nil, 0, nil // these are not counted
		found += len(got.Violations)
		if got.Complete {
			complete++
			if c := got.Visited; c.Len() > 0 {
				for i := range c.Len() {
					if k, _, ok := c.Guess(slices.Clone(c.Member(i))); !ok || k != i {
						t.Fatalf("%s: member %d is taken for %d, %v", name, i, k, ok)
					}
				}
			}
		}
		if got, want := said(p, got), said(p, want); got != want {
			t.Fatalf("%s: %v, %d parts\n%.3000s\non one machine\n%.3000s", name, opt.Canon, n, got, want)
		}
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 57))
		src := randomModel(r)
		p := parse(t, src, murphi.Options{Dialect: model.Dialect(r.IntN(2)), Deadlock: model.DeadlockMode(r.IntN(3))})
		opt := explicit.Options{Canon: explicit.Canon(r.IntN(4)), Blocks: all(p.Model), All: r.IntN(2) == 0, Threads: 1 + r.IntN(2)}
		if opt.Canon == explicit.None {
			opt.Blocks = nil
		}
		if r.IntN(5) == 0 {
			opt.Bounded, opt.MaxDepth = true, r.IntN(4)
		}
		for _, n := range []int{1, 2, 3, 8} {
			same(fmt.Sprintf("seed %d\n%s", seed, src), p, opt, n)
		}
	}
	// A deadlock, or an error in a guard, ends the search for new states behind it, in ranges of other tasks as well.
	for _, src := range []string{`rule x = 5 ==> x := 5; end;`, `rule x < 9 & z[x] ==> x := 5; end;`} {
		p := parse(t, `var x: 0..99; z: array [0..99] of boolean;
startstate x := 0; for i: 0..99 do if i != 5 then z[i] := false; end; end; end;
ruleset i: 1..4 do rule x = 0 ==> x := i; end; end;
rule x >= 1 & x <= 4 ==> x := x + 4; end;
ruleset i: 1..5 do rule x > 5 & x < 15 ==> x := 10 * i + x - 5; end; end;
invariant "small" x < 60;`+src, murphi.Options{})
		for _, n := range []int{1, 2, 3, 8} {
			for _, all := range []bool{false, true} {
				same(src, p, explicit.Options{All: all}, n)
			}
		}
	}
	same("counter", parse(t, counter, murphi.Options{}), explicit.Options{All: true}, 3)
	if found < 40 || complete < 15 {
		t.Errorf("%d violations, %d complete", found, complete)
	}
}

// TestPartsAreChecked: the evidence of a search in parts passes the check.
func TestPartsAreChecked(t *testing.T) {
	m, err := murphi.ReadFile("../../benchmarks/murphi/german.m", murphi.Options{Consts: map[string]string{"NODE_NUM": "3"}})
	if err != nil {
		t.Fatal(err)
	}
	problem := problemOf(model.Compile(m), all(m))
	for _, canon := range []explicit.Canon{explicit.None, explicit.Exact} {
		want, err := (&explicit.Engine{Canon: canon}).Run(context.Background(), problem, mc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		opt := explicit.Options{Canon: canon, Props: problem.Props, Blocks: problem.Blocks}
		e := &explicit.Engine{Canon: canon, Parts: parted(folder(t), 3, problem, opt)}
		r, err := e.Run(context.Background(), problem, mc.Options{})
		if err == nil {
			err = certify.Verify(context.Background(), problem, r)
		}
		if err != nil || r.Verdict() != mc.Safe || r.Stats.States != want.Stats.States || r.Stats.Transitions != want.Stats.Transitions {
			t.Errorf("%v: %v, %s, %d states, %v", canon, r.Verdict(), r.Stopped, r.Stats.States, err)
		}
		t.Log(r.Props[0].Evidence)
	}
}
