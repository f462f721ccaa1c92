package portfolio

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"orbitmc/internal/explicit"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
)

// TestHiddenRandom compares explicit search under symmetry that counts as long as no error is
// hidden, by one thread and by two, with search without symmetry.
func TestHiddenRandom(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hiding.m")
	models, from := 100, uint64(0)
	switch {
	case testing.Short():
		models = 60
	case nightly.On():
		models = 20_000
	}
	if s := os.Getenv("ORBITMC_FROM"); s != "" {
		if _, err := fmt.Sscan(s, &from); err != nil {
			t.Fatal(err)
		}
	}
	kept, fell, fewer := 0, 0, 0
	for k := range models {
		src := murphitest.Hiding(rand.New(rand.NewPCG(from+uint64(k), 5)))
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		fail := func(err error) { t.Fatalf("model %d: %v\n%s", from+uint64(k), err, src) }
		for _, all := range []bool{true, false} {
			ref, err := decide(file, "explicit", "off", task.Options{}, mc.Options{All: true})
			if err != nil {
				fail(err)
			}
			e, err := decide(file, "explicit", "auto", task.Options{}, mc.Options{All: all})
			if err == nil {
				err = e.agrees(ref, all)
			}
			if err != nil {
				fail(err)
			}
			p := e.out.Problem
			if !all || p == nil {
				continue
			}
			x, err := task.Open(t.Context(), file, task.Options{})
			if err != nil {
				fail(err)
			}
			plain, err := x.Plain(t.Context())
			if err != nil {
				fail(err)
			}
			quick, err := x.Quick(t.Context(), plain)
			if err != nil {
				fail(err)
			}
			if len(quick.Problem.Strict) == 0 {
				continue
			}
			if len(p.Strict) == 0 {
				fell++
			} else if kept++; e.out.Each[0].Stats.States < ref.out.Each[0].Stats.States {
				fewer++
			}
			// By two threads what is hidden is found, or not, as by one.
			one, err := (&explicit.Engine{Canon: explicit.Exact}).Run(t.Context(), quick.Problem, mc.Options{All: true})
			if err != nil {
				fail(err)
			}
			two, err := (&explicit.Engine{Canon: explicit.Exact, Threads: 2}).Run(t.Context(), quick.Problem, mc.Options{All: true})
			if err != nil {
				fail(err)
			}
			if one.Hidden != two.Hidden || !one.Hidden && one.Stats.States != two.Stats.States || one.Hidden != (len(p.Strict) == 0) {
				fail(fmt.Errorf("one thread: hidden %v, %d states; two: %v, %d", one.Hidden, one.Stats.States, two.Hidden, two.Stats.States))
			}
		}
	}
	t.Logf("%d models keep the symmetry, %d of them with fewer states; %d fall back", kept, fewer, fell)
	if kept < models/50 || fewer < models/100 || fell < models/100 {
		t.Errorf("of %d models %d keep the symmetry, %d of them with fewer states; %d fall back", models, kept, fewer, fell)
	}
}
