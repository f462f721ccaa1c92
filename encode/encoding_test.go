package encode_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
)

// randomOptions returns the options of random model number seed.
func randomOptions(seed uint64) (murphitest.Options, murphi.Options) {
	gen := murphitest.Options{Dialect: model.Dialect(seed / 3 % 2)}
	if seed%5 == 0 {
		gen.Bits = 5
	}
	return gen, murphi.Options{Dialect: gen.Dialect, Deadlock: model.DeadlockMode(seed % 3)}
}

// TestRandomModels holds the encodings of random models to the interpreter. A
// model on which they disagree is shrunk. With ORBITMC_LONG=1 it tries many
// more models.
func TestRandomModels(t *testing.T) {
	models, limit := uint64(nightly.Or(200, 5000)), nightly.Or(150, 300)
	var sum stats
	refused := 0
	for seed := range models {
		gen, opt := randomOptions(seed)
		src := murphitest.Random(rand.New(rand.NewPCG(seed, 1)), gen)
		o, err := compare(src, opt, seed, limit)
		if err == errOrder {
			refused++
			continue
		}
		if err != nil {
			reduced := murphitest.Shrink(src, func(src string) bool {
				_, err := compare(src, opt, seed, limit)
				return errors.As(err, new(disagreement))
			})
			_, small := compare(reduced, opt, seed, limit)
			t.Fatalf("model %d, dialect %v, deadlock %v: %v\nshrunk to\n%s%v", seed, opt.Dialect, opt.Deadlock, err, reduced, small)
		}
		sum.add(o.stats)
	}
	t.Logf("%d models, of which %d are refused: %+v", models, refused, sum)
	if refused > int(models)/20 {
		t.Errorf("%d of %d models are refused", refused, models)
	}
	for _, n := range []int{sum.states / 10, sum.steps / 100, sum.errs / 10, sum.invalid / 10, sum.deadlocks, sum.spared, sum.broken, sum.traces} {
		if n < int(models) {
			t.Errorf("the random models are too tame: %+v", sum)
			break
		}
	}
}

// TestBenchmarks does the same for our own benchmark models.
func TestBenchmarks(t *testing.T) {
	files, err := filepath.Glob("../benchmarks/murphi/*.m")
	if err != nil || len(files) == 0 {
		t.Fatal("no models: ", err)
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []model.Dialect{model.CMurphi, model.Rumur} {
			if _, err := compare(string(src), murphi.Options{Dialect: d}, 1, nightly.Or(4, 40)); err != nil {
				t.Errorf("%s, dialect %v: %v", f, d, err)
			}
		}
	}
}

func (s *stats) add(t stats) {
	s.states += t.states
	s.steps += t.steps
	s.errs += t.errs
	s.invalid += t.invalid
	s.deadlocks += t.deadlocks
	s.broken += t.broken
	s.traces += t.traces
	s.hits += t.hits
	s.stuttered += t.stuttered
	s.spared += t.spared
}
