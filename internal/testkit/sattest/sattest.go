// Package sattest is the conformance kit for back ends: every implementation of
// sat.Solver passes Run.
//
// The kit is model-based. A program is a random sequence of legal calls over a
// dozen variables; it runs on the back end while an oracle keeps the truth table
// of every group of clauses. Each answer, each model and each core is compared
// with the oracle. Programs come from numbered seeds; a failing one is shrunk
// and printed as the list of its calls. Every kind of call and every
// interesting event has a floor: a kit that stops exercising something fails.
//
// Beside random programs, Run executes fixed ones that trapped a solver before,
// makes every illegal call and demands its panic, and stops searches that would
// take minutes.
package sattest

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/sat"
)

var (
	programs = flag.Int("sattest.programs", 10000, "random programs per back end")
	seed     = flag.Uint64("sattest.seed", 1, "seed of the first program; the others follow")
)

// Run tests the back end whose empty solvers mk makes.
func Run(t *testing.T, name string, mk func() sat.Solver) {
	t.Run(name+"/programs", func(t *testing.T) {
		count, err := fuzz(mk, *seed, *programs)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range slices.Sorted(maps.Keys(floors)) {
			t.Logf("%-30s %7d", e, count[e])
		}
		if err := enough(count, *programs); err != nil {
			t.Error(err)
		}
	})
	t.Run(name+"/traps", func(t *testing.T) {
		for _, trap := range traps {
			if m, err := run(trap.prog, mk, map[event]int{}); err != nil {
				t.Errorf("%s: %v\n%s", trap.name, err, m.trace.String())
			}
		}
	})
	t.Run(name+"/illegal", func(t *testing.T) {
		for _, c := range illegal {
			if err := c.check(mk()); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run(name+"/cancel", func(t *testing.T) {
		waits, err := cancellations(mk, longest)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("end of the context to answer: median %v, longest %v", waits[len(waits)/2], waits[len(waits)-1])
	})
}

// fuzz runs n programs and returns what they did, or the first failure.
func fuzz(mk func() sat.Solver, seed uint64, n int) (map[event]int, error) {
	count := map[event]int{}
	for i := range uint64(n) {
		prog := generate(rand.New(rand.NewPCG(seed+i, 0)))
		if _, err := run(prog, mk, count); err != nil {
			return count, failure(prog, mk, seed+i, err)
		}
	}
	return count, nil
}

// failure shrinks a failing program and reports it. Programs with a deadline
// may fail only now and then; if no small one fails, the original error stays.
func failure(prog []op, mk func() sat.Solver, seed uint64, err error) error {
	ignored := map[event]int{}
	prog = shrink(prog, 3000, func(p []op) bool {
		_, err := run(p, mk, ignored)
		return err != nil
	})
	m, small := run(prog, mk, ignored)
	if small != nil {
		err = small
	}
	return fmt.Errorf("seed %d: %w\nshrunk to\n%s", seed, err, m.trace.String())
}

// enough compares the counts of n programs with the floors.
func enough(count map[event]int, n int) error {
	for _, e := range slices.Sorted(maps.Keys(floors)) {
		if floor := floors[e] * n / 1000; count[e] < floor {
			return fmt.Errorf("%q happened %d times in %d programs, want %d at least", e, count[e], n, floor)
		}
	}
	return nil
}
