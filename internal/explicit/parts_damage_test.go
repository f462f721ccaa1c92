package explicit_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// germanProblem is about german.m with three nodes.
func germanProblem(t *testing.T) (*mc.Problem, explicit.Options) {
	t.Helper()
	m, err := murphi.ReadFile(filepath.Join("..", "..", "benchmarks", "murphi", "german.m"), murphi.Options{Consts: map[string]string{"NODE_NUM": "2"}})
	if err != nil {
		t.Fatal(err)
	}
	problem := problemOf(model.Compile(m), all(m))
	return problem, explicit.Options{Canon: explicit.Exact, Props: problem.Props, Blocks: problem.Blocks}
}

// checked runs a search in parts to its end, and has its evidence checked.
func checked(problem *mc.Problem, parts *explicit.Parts) (*mc.Result, error) {
	r, err := (&explicit.Engine{Canon: explicit.Exact, Parts: parts}).Run(context.Background(), problem, mc.Options{})
	if err == nil {
		err = certify.Verify(context.Background(), problem, r)
	}
	return r, err
}

// TestPartsStop: the controller ends after any task, a task without a trace or in the middle of its files, and another
// controller goes on to the same end.
func TestPartsStop(t *testing.T) {
	problem, opt := germanProblem(t)
	want, err := (&explicit.Engine{Canon: explicit.Exact}).Run(context.Background(), problem, mc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(nightly.Or(3, 30)) {
		rng := rand.New(rand.NewPCG(seed, 7))
		parts := parted(folder(t), 3, problem, opt)
		run, gone := parts.Run, errors.New("gone")
		stops := 0
		parts.Run = func(ctx context.Context, tasks []explicit.PartTask) error {
			rng.Shuffle(len(tasks), func(i, j int) { tasks[i], tasks[j] = tasks[j], tasks[i] })
			for _, task := range tasks {
				if rng.IntN(8) == 0 {
					stops++
					return gone
				}
				if err := run(ctx, []explicit.PartTask{task}); err != nil {
					return err
				}
				if rng.IntN(8) == 0 { // its node failed before the note was written: files may be there, and more than these
					stops++
					os.Remove(filepath.Join(parts.Dir, task.Name))
					os.WriteFile(filepath.Join(parts.Dir, task.Name+".1.new"), []byte("some"), 0o666)
					return gone
				}
			}
			return nil
		}
		r, err := checked(problem, parts)
		for err != nil && strings.Contains(err.Error(), gone.Error()) {
			r, err = checked(problem, parts)
		}
		if err != nil || r.Verdict() != mc.Safe || r.Stats.States != want.Stats.States || r.Stats.Transitions != want.Stats.Transitions || stops == 0 {
			t.Errorf("seed %d, %d stops: %v %+v", seed, stops, err, r)
		}
	}
}

// TestPartsDamaged: a file that is lost, damaged or of something else is never believed. The search ends with an error,
// or does it again and ends as it would have.
func TestPartsDamaged(t *testing.T) {
	problem, opt := germanProblem(t)
	want, err := (&explicit.Engine{Canon: explicit.Exact}).Run(context.Background(), problem, mc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for seed := range uint64(nightly.Or(10, 500)) {
		rng := rand.New(rand.NewPCG(seed, 8))
		parts := parted(folder(t), 2, problem, opt)
		run, left := parts.Run, 2+rng.IntN(60)
		what := ""
		parts.Run = func(ctx context.Context, tasks []explicit.PartTask) error {
			if left--; left == 0 {
				files, _ := filepath.Glob(filepath.Join(parts.Dir, "*-*"))
				name := files[rng.IntN(len(files))]
				text, err := os.ReadFile(name)
				if err != nil {
					return err
				}
				switch rng.IntN(4) {
				case 0:
					what = "lost " + name
					err = os.Remove(name)
				case 1:
					what = "cut " + name
					err = os.WriteFile(name, text[:rng.IntN(len(text))], 0o666)
				case 2:
					what = "turned " + name
					text[rng.IntN(len(text))] ^= 1 << rng.IntN(8)
					err = os.WriteFile(name, text, 0o666)
				default:
					other := files[rng.IntN(len(files))]
					what = other + " in place of " + name
					if text, err = os.ReadFile(other); err == nil {
						err = os.WriteFile(name, text, 0o666)
					}
				}
				if err != nil {
					return err
				}
			}
			return run(ctx, tasks)
		}
		r, err := checked(problem, parts)
		switch {
		case err != nil:
			refused++
		case r.Verdict() != mc.Safe || r.Stats.States != want.Stats.States || r.Stats.Transitions != want.Stats.Transitions:
			t.Errorf("seed %d, %s: %+v", seed, what, r.Stats)
		}
	}
	if refused < 1 {
		t.Errorf("%d refused", refused)
	}
}

// TestPartsDoubles: what a task of a search that is wrong would leave is found by those who read it.
func TestPartsDoubles(t *testing.T) {
	problem, opt := germanProblem(t)
	for _, c := range []struct {
		name, file string
		change     func(records [][]byte, key int) [][]byte
		want       string
	}{
		{"a successor is lost", "expand-5-0.to", func(r [][]byte, _ int) [][]byte { return r[1:] }, "received"},
		{"a successor is there twice", "expand-5-0.to", func(r [][]byte, _ int) [][]byte { return append(r[:1:1], r...) }, "received"},
		{"a successor is in the wrong part", "expand-5-0.to", func(r [][]byte, _ int) [][]byte {
			r[0][1] ^= 1
			slices.SortFunc(r, bytes.Compare)
			return r
		}, "wrong part"},
		{"a new state is lost", "layer-5-0", func(r [][]byte, _ int) [][]byte { return r[1:] }, "were found"},
		{"a known state is lost", "known-5-0*", func(r [][]byte, _ int) [][]byte { return r[1:] }, "were found"},
		{"a known state is another one", "known-5-0*", func(r [][]byte, key int) [][]byte {
			r[0] = bytes.Clone(r[1])
			return r
		}, ""},
		{"a step that was looked at is lost", "look-0-0.to", func(r [][]byte, _ int) [][]byte { return r[1:] }, "sent"},
		{"a step is said to come from elsewhere", "look-0-0.to", func(r [][]byte, key int) [][]byte {
			r[0][key+1] ^= 1
			slices.SortFunc(r, bytes.Compare)
			return r
		}, "sent"},
		{"a step leads to no member", "look-0-0.to", func(r [][]byte, key int) [][]byte {
			r[0][key-1] ^= 0xff
			slices.SortFunc(r, bytes.Compare)
			return r
		}, "missing"},
	} {
		parts := parted(folder(t), 2, problem, opt)
		run := parts.Run
		done := false
		parts.Run = func(ctx context.Context, tasks []explicit.PartTask) error {
			if err := run(ctx, tasks); err != nil {
				return err
			}
			// The last one is the one that counts.
			if files, _ := filepath.Glob(filepath.Join(parts.Dir, c.file)); len(files) > 0 && !done {
				done = true
				return explicit.Rewrite(files[len(files)-1], problem.Program, c.change)
			}
			return nil
		}
		_, err := checked(problem, parts)
		if err == nil || !done || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// What the check was told of parts is compared.
	for name, change := range map[string]func(looked *[]*evidence.Looked, met *[]*evidence.Met){
		"a part is left out":              func(looked *[]*evidence.Looked, met *[]*evidence.Met) { *looked = (*looked)[1:] },
		"a part is left out twice":        func(looked *[]*evidence.Looked, met *[]*evidence.Met) { *looked, *met = (*looked)[1:], (*met)[1:] },
		"a member was not looked at":      func(looked *[]*evidence.Looked, _ *[]*evidence.Met) { (*looked)[0].Members.N-- },
		"another member was looked at":    func(looked *[]*evidence.Looked, _ *[]*evidence.Met) { (*looked)[0].Members.Sum++ },
		"two parts were looked at as one": func(looked *[]*evidence.Looked, _ *[]*evidence.Met) { (*looked)[0] = (*looked)[1] },
		"one part was met twice":          func(_ *[]*evidence.Looked, met *[]*evidence.Met) { (*met)[0] = (*met)[1] },
		"nothing is left":                 func(looked *[]*evidence.Looked, met *[]*evidence.Met) { *looked, *met = nil, nil },
		"a violation":                     func(looked *[]*evidence.Looked, _ *[]*evidence.Met) { (*looked)[1].Shown[problem.Props[0]] = true },
	} {
		r, err := (&explicit.Engine{Canon: explicit.Exact, Parts: parted(folder(t), 2, problem, opt)}).Run(context.Background(), problem, mc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Closure = retold{r.Closure.(evidence.Parted), change}
		if err := certify.Verify(context.Background(), problem, r); err == nil {
			t.Errorf("%s: believed", name)
		}
	}
}

// retold is a set in parts of which something else is told.
type retold struct {
	evidence.Parted
	change func(looked *[]*evidence.Looked, met *[]*evidence.Met)
}

func (r retold) Checked(ctx context.Context) (looked []*evidence.Looked, met []*evidence.Met, share float64, err error) {
	looked, met, share, err = r.Parted.Checked(ctx)
	r.change(&looked, &met)
	return looked, met, share, err
}

// TestPartsLimited: a check that was not done is none.
func TestPartsLimited(t *testing.T) {
	problem, opt := germanProblem(t)
	parts := parted(folder(t), 2, problem, opt)
	run := parts.Run
	ctx, cancel := context.WithCancel(context.Background())
	parts.Run = func(within context.Context, tasks []explicit.PartTask) error {
		if strings.HasPrefix(tasks[0].Name, "look") {
			if err := run(within, tasks[:1]); err != nil {
				return err
			}
			cancel()
			return ctx.Err()
		}
		return run(within, tasks)
	}
	r, err := (&explicit.Engine{Canon: explicit.Exact, Parts: parts}).Run(ctx, problem, mc.Options{})
	if err == nil {
		err = certify.Verify(ctx, problem, r)
	}
	if err != nil || r.Verdict() != mc.Unknown || !strings.Contains(r.Stopped, "states were visited, the check of them is unfinished at 25 %") {
		t.Errorf("%v %s", err, r.Stopped)
	}
	parts.Run = run
	if r, err := checked(problem, parts); err != nil || r.Verdict() != mc.Safe {
		t.Errorf("%v %v", err, r)
	}
}
