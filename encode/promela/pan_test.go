package promela_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orbitmc/encode/promela"
	"orbitmc/internal/explicit"
	"orbitmc/internal/prog"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/promelatest"
	"orbitmc/model"
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

// comparison is what comes of a program that is read here and by SPIN.
type comparison struct {
	skipped   string // why the counts are not compared; "": they are
	got, want prog.Counts
}

// compare compares a program with SPIN's verifier.
func compare(t *testing.T, src string) (c comparison) {
	work := t.TempDir()
	defer os.RemoveAll(work)
	file := filepath.Join(t.TempDir(), "program.pml")
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	p, ours := promela.ReadFile(file, promela.Options{NoClaims: true})
	want, err := promelatest.Pan(work, file, 20*time.Second)
	c.want = want
	switch {
	case strings.Contains(src, "d_step { assert"), strings.Contains(src, "d_step { if :: assert"):
		c.skipped = "SPIN lets a d_step that begins with an assertion begin inside of a handshake"
	case err != nil && strings.Contains(err.Error(), "block in d_step") && ours == nil:
		c.skipped = "pan: block in d_step"
		if !violates(p, "d_step blocks") {
			t.Errorf("no d_step blocks, but for pan\n%s", src)
		}
	case err != nil:
		c.skipped = "pan: " + strings.SplitN(err.Error(), "\n", 2)[0]
	case ours != nil:
		c.skipped = ours.Error()[strings.LastIndex(ours.Error(), ": "):]
	default:
		c.got, err = counts(p, 20*time.Second)
		if err != nil {
			c.skipped = err.Error()
		}
		walked, left := promela.Explore(file, []byte(src), 20_000)
		if (violates(p, "rendezvous poll") || strings.Count(src, "assert") > 1) && min(c.got.Errors, want.Errors) > 0 {
			c.got.Errors = want.Errors // SPIN counts evaluations: each poll, and each assertion of a d_step
			walked.Errors = want.Errors
		}
		if left == nil && err == nil && walked != want {
			t.Errorf("the walker counts %v, pan %v\n%s", walked, want, src)
		}
	}
	if c.skipped == "" && c.got != c.want {
		t.Errorf("got %v, pan says %v\n%s", c.got, c.want, src)
	}
	return c
}

// violates reports whether a program violates a property.
func violates(p *prog.Program, name string) bool {
	r, err := explicit.Run(context.Background(), model.Compile(p.Model), explicit.Options{All: true, Threads: 1, MemLimit: 2 << 30})
	return err == nil && slices.ContainsFunc(r.Violations, func(v explicit.Found) bool { return p.Model.Props[v.Prop].Name == name })
}

// environment returns a number from the environment, or one that is given.
func environment(name string, or int) int {
	fmt.Sscan(os.Getenv(name), &or)
	return or
}

// TestRandomPan compares random programs with SPIN's verifier.
// ORBITMC_LONG=1 takes 3,300 programs, PROGRAMS=N as many, from number FROM on.
func TestRandomPan(t *testing.T) {
	if !promelatest.HasSpin() {
		t.Skip("spin and gcc are not installed")
	}
	n := 12
	if nightly.On() {
		n = 3300 // more than 3000 of which are compared
	}
	if testing.Short() {
		n = 3
	}
	n = environment("PROGRAMS", n)
	first := environment("FROM", 1)
	compared, skipped := 0, map[string]int{}
	for seed := first; seed < first+n; seed++ {
		c := compare(t, promelatest.Random(rand.New(rand.NewPCG(uint64(seed), 0))))
		if c.skipped != "" {
			skipped[c.skipped]++
		} else if compared++; compared%500 == 0 {
			t.Logf("%d programs compared", compared)
		}
	}
	t.Logf("%d of %d programs compared; not compared: %v", compared, n, skipped)
	if compared < n/2 {
		t.Errorf("only %d of %d programs were compared", compared, n)
	}
}

// TestSmallPan compares small programs with SPIN's verifier: each of whose number a hash is divisible by a number.
// ORBITMC_LONG=1 takes more than 5,000 of them, EVERY=N those with a hash divisible by N, from number FROM on.
func TestSmallPan(t *testing.T) {
	if !promelatest.HasSpin() {
		t.Skip("spin and gcc are not installed")
	}
	every := promelatest.SmallPrograms / 20
	if nightly.On() {
		every = promelatest.SmallPrograms / 12_000 // half of which SPIN refuses
	}
	every = environment("EVERY", every)
	taken, compared, skipped := 0, 0, map[string]int{}
	for i := environment("FROM", 0); i < promelatest.SmallPrograms; i++ {
		if mixed(uint64(i))%uint64(every) != 0 {
			continue
		}
		if c := compare(t, promelatest.Small(i)); c.skipped != "" {
			skipped[c.skipped]++
		} else {
			compared++
		}
		if taken++; taken%1000 == 0 {
			t.Logf("%d programs taken, %d compared, up to number %d", taken, compared, i)
		}
	}
	t.Logf("%d of %d small programs taken, %d compared; not compared: %v", taken, promelatest.SmallPrograms, compared, skipped)
	if compared < taken/4 {
		t.Errorf("only %d of %d programs were compared", compared, taken)
	}
}

// mixed is a hash of a number, that of splitmix64.
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
