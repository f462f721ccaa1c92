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
	"orbitmc/internal/explicit"
	"orbitmc/model"
)

// TestTreeRandom: with states in a tree, all that a search returns, tells and saves is what it is with states in rows,
// for any number of threads.
func TestTreeRandom(t *testing.T) {
	seeds := uint64(60)
	switch {
	case os.Getenv("ORBITMC_LONG") != "":
		seeds = 5000
	case testing.Short():
		seeds = 30
	}
	ends := map[string]int{"Complete:true": 0, "Reason:violation found": 0, "deadlock at": 0, "each at": 0}
	states := int64(0)
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 31))
		src := randomModel(r)
		if r.IntN(4) == 0 {
			src += "ruleset p: P do liveness \"each\" a[p] = 1; end;\n"
		}
		p := parse(t, src, murphi.Options{Dialect: model.Dialect(r.IntN(2)), Deadlock: model.DeadlockMode(r.IntN(3))})
		opt := explicit.Options{Canon: explicit.Canon(r.IntN(4)), Blocks: all(p.Model), All: r.IntN(2) == 0, Threads: 1}
		span, plants, files := 1+r.IntN(20), 1+r.IntN(20), ""
		opt.Stubborn = r.IntN(5) == 0
		want := outcome(p, opt, span)
		saves := !strings.Contains(src, "liveness")
		if saves {
			files = saved(t, p, opt, span, 0)
		}
		for end := range ends {
			if strings.Contains(want, end) {
				ends[end]++
			}
		}
		for n := 1; n <= 4; n++ {
			opt.Threads = n
			w := &told{}
			opt.Watch = w
			got, err := explicit.RunTree(context.Background(), p, opt, span, plants)
			if err != nil {
				t.Fatal(err)
			}
			states = max(states, got.States)
			memory := got.Memory
			if text := written(p, got) + w.text.String(); text != want {
				t.Fatalf("seed %d, %v, %d threads: with a tree\n%.3000s\nwith rows\n%.3000s\n%s", seed, opt.Canon, n, text, want, src)
			}
			opt.Watch = nil
			if !saves {
				continue
			}
			if text := saved(t, p, opt, span, plants); text != files {
				t.Fatalf("seed %d, %v, %d threads: other files with a tree\n%s", seed, opt.Canon, n, src)
			}
			disk := opt
			disk.Spill, disk.MemLimit = t.TempDir(), 1+memory*int64(n)/5
			got, err = explicit.RunTree(context.Background(), p, disk, span, plants)
			if err != nil {
				t.Fatal(err)
			}
			if opt.Stubborn { // from disk more is fired
				if some, all := violated(p, got), violated(p, searched(t, p, opt)); got.Reason == "stubborn sets" && some != all {
					t.Fatalf("seed %d, %v, %d threads: %q from disk, %q with rows\n%s", seed, opt.Canon, n, some, all, src)
				}
				continue
			}
			if text := written(p, got); !strings.HasPrefix(want, text) {
				t.Fatalf("seed %d, %v, %d threads: from disk\n%.3000s\nwith rows\n%.3000s\n%s", seed, opt.Canon, n, text, want, src)
			}
		}
	}
	for end, n := range ends {
		if n < 2 {
			t.Errorf("%d searches with %q only", n, end)
		}
	}
	if states < 100 {
		t.Errorf("%d states at most", states)
	}
}

// saved runs a search and returns the files of its checkpoint, but for the lock.
func saved(t *testing.T, p *model.Program, opt explicit.Options, span, plants int) string {
	t.Helper()
	opt.Checkpoint = t.TempDir()
	if _, err := explicit.RunTree(context.Background(), p, opt, span, plants); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range []string{"states", "progress"} {
		of, err := filepath.Glob(filepath.Join(opt.Checkpoint, "*", name))
		if err != nil || len(of) > 1 {
			t.Fatalf("%v, %v", of, err)
		}
		for _, file := range of {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %x\n", name, text)
		}
	}
	return b.String()
}
