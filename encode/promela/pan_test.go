package promela_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orbitmc/encode/promela"
	"orbitmc/encode/promela/promelatest"
	"orbitmc/explicit"
	"orbitmc/model"
	"orbitmc/prog"
)

// counts explores a program, and returns what SPIN would count.
func counts(p *prog.Program, limit time.Duration) (prog.Counts, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r, err := explicit.Run(ctx, model.Compile(p.Model), explicit.Options{All: true, Threads: 1, MemLimit: 2 << 30})
	switch {
	case err != nil:
		return prog.Counts{}, err
	case !r.Complete:
		return prog.Counts{}, fmt.Errorf("stopped: %s", r.Reason)
	case p.Inside:
		return prog.Counts{}, fmt.Errorf("a loop with choices in an atomic sequence: SPIN stores fewer states")
	}
	for _, v := range r.Violations {
		switch p.Model.Props[v.Prop].Name {
		case "runtime-error", promela.NoRoom, "channel use", "d_step blocks":
			return prog.Counts{}, fmt.Errorf("error: %s", p.Model.Props[v.Prop].Name)
		}
	}
	return p.Counts(r.States, r.FiredBy, r.Deadlocks), nil
}

// TestRandomPan compares random programs with SPIN's verifier.
// ORBITMC_LONG=1 takes 3,300 programs, PROGRAMS=N as many, from number FROM on.
func TestRandomPan(t *testing.T) {
	if !promelatest.HasSpin() {
		t.Skip("spin and gcc are not installed")
	}
	n, first := 12, uint64(1)
	if os.Getenv("ORBITMC_LONG") != "" {
		n = 3300 // more than 3000 of which are compared
	}
	if testing.Short() {
		n = 3
	}
	fmt.Sscan(os.Getenv("PROGRAMS"), &n)
	fmt.Sscan(os.Getenv("FROM"), &first)
	compared, refused := 0, map[string]int{}
	for seed := first; seed < first+uint64(n); seed++ {
		src := promelatest.Random(rand.New(rand.NewPCG(seed, 0)))
		dir := t.TempDir()
		file := filepath.Join(dir, "random.pml")
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		p, ourErr := promela.ReadFile(file, promela.Options{NoClaims: true})
		work := t.TempDir()
		want, panErr := promelatest.Pan(work, file, 20*time.Second)
		os.RemoveAll(work)
		if panErr != nil {
			refused["pan: "+strings.SplitN(panErr.Error(), "\n", 2)[0]]++
			continue
		}
		if ourErr != nil {
			refused[ourErr.Error()[strings.LastIndex(ourErr.Error(), ": "):]]++
			continue
		}
		got, err := counts(p, 20*time.Second)
		if err != nil {
			refused[err.Error()]++
			continue
		}
		compared++
		if compared%500 == 0 {
			t.Logf("%d programs compared", compared)
		}
		if got != want {
			t.Errorf("seed %d: got %v, pan says %v\n%s", seed, got, want, src)
		}
	}
	t.Logf("%d of %d programs compared; not compared: %v", compared, n, refused)
	if compared < n/2 {
		t.Errorf("only %d of %d programs were compared", compared, n)
	}
}
